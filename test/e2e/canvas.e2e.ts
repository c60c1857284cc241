import { exampleNames, nodeNames, readExampleFile } from '../../playground/examples';
import { openInstallation, type Installation } from './support/installation';
import { Editor, type CanvasNode } from './support/editor';
import type { Box } from './support/screenshot';

/** n8n's messages about what only the user can fill in. */
const allowedIssue =
	/^(Credentials for .* are not set|Parameter "(Pickup .*|Workflow|Secret|URL|(From|To) Email)" is required)/;

/** The smallest font that is readable without zooming in. */
const minFontPx = 10;

let installation: Installation;
let editor: Editor;

beforeAll(async () => {
	installation = await openInstallation();
	editor = await Editor.open(installation.n8n.url);
});
afterAll(async () => {
	await editor?.close();
	await installation?.close();
});

const overlap = (one: Box, other: Box) =>
	one.x < other.x + other.width &&
	other.x < one.x + one.width &&
	one.y < other.y + other.height &&
	other.y < one.y + one.height;

/** The pairs of nodes that overlap. */
function overlaps(nodes: readonly CanvasNode[]): string[] {
	return nodes.flatMap(({ name, box }, index) =>
		nodes
			.slice(index + 1)
			.filter((other) => overlap(box, other.box))
			.map((other) => `${name} and ${other.name}`),
	);
}

test.each(exampleNames())(
	'the pasted example %s is readable, and lacks only what users must fill in',
	async (name) => {
		const example = await readExampleFile(name);
		const { nodes: pasted, texts, fontPx } = await editor.pasteWorkflow(JSON.stringify(example));
		await editor.screenshot(`pasted-${name}`);
		const steps = pasted.filter(({ isNote }) => !isNote);
		const notes = pasted.filter(({ isNote }) => isNote);
		const namesOf = (nodes: ReadonlyArray<{ name: string }>) =>
			nodes.map(({ name }) => name).sort();
		expect(namesOf(pasted)).toEqual(namesOf(example.nodes));
		expect(overlaps(steps)).toEqual([]);
		expect(overlaps(notes)).toEqual([]);
		expect(texts.filter(({ isCutOff }) => isCutOff)).toEqual([]);
		const onText = steps.filter(({ box }) => texts.some((text) => overlap(text, box)));
		expect(namesOf(onText)).toEqual([]);
		expect(fontPx).toBeGreaterThanOrEqual(minFontPx);
		const unexpected = steps.flatMap(({ name, issues }) =>
			issues.filter((issue) => !allowedIssue.test(issue)).map((issue) => `${name}: ${issue}`),
		);
		expect(unexpected).toEqual([]);
		const email = steps.find(({ name }) => name === 'Email the Owner');
		if (email)
			expect(email.issues.toSorted()).toEqual([
				'Credentials for Send Email are not set.',
				'Parameter "From Email" is required.',
				'Parameter "To Email" is required.',
			]);
	},
);

const starterName = 'shopify-orders-to-deliveries';

test('the canvas shows that Dry Run is on', async () => {
	const starter = await readExampleFile(starterName);
	const create = starter.nodes.find(({ name }) => name === nodeNames.createDelivery);
	for (const dryRun of [true, false]) {
		const changed = { ...create!, parameters: { ...create!.parameters, options: { dryRun } } };
		const nodes = starter.nodes.map((node) => (node === create ? changed : node));
		const id = await installation.client.createWorkflow({ ...starter, nodes });
		const shown = await Promise.all(
			(await editor.openCanvas(id)).map(async (node) => await editor.text(node)),
		);
		const createNode = shown.find((text) => text.includes('create from orders: delivery'));
		expect(createNode?.includes('Dry Run: create from orders')).toBe(dryRun);
	}
});
