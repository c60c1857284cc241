import { exampleNames, readExampleFile } from '../../playground/examples';
import { openInstallation, type Installation } from './support/installation';
import { Editor } from './support/editor';

/** n8n's messages about what only the user can fill in. */
const allowedIssue =
	/^(Credentials for .* are not set|Parameter "(Pickup .*|Workflow|Secret)" is required)/;

/** The smallest font that is readable without zooming in. */
const minFontPx = 10;

const stickyNote = 'n8n-nodes-base.stickyNote';

let installation: Installation;
let editor: Editor;

beforeAll(async () => {
	installation = await openInstallation();
	editor = await Editor.open(installation.n8n.url, () => {});
});
afterAll(async () => {
	await editor?.close();
	await installation?.close();
});

interface Box {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

const overlap = (one: Box, other: Box) =>
	one.x < other.x + other.width &&
	other.x < one.x + one.width &&
	one.y < other.y + other.height &&
	other.y < one.y + one.height;

/** The pairs of boxes that overlap. */
function overlaps(boxes: ReadonlyArray<readonly [string, Box]>): string[] {
	return boxes.flatMap(([name, box], index) =>
		boxes
			.slice(index + 1)
			.filter(([, other]) => overlap(box, other))
			.map(([other]) => `${name} and ${other}`),
	);
}

test.each(exampleNames())(
	'the pasted example %s is readable, with nothing to fix but credentials and the shop’s own values',
	async (name) => {
		const example = await readExampleFile(name);
		const canvas = await editor.pasteWorkflow(JSON.stringify(example));
		await editor.screenshot(`pasted-${name}`);
		const noteNames = example.nodes.flatMap(({ name, type }) => (type === stickyNote ? name : []));
		const steps = canvas.nodes.filter(({ isNote }) => !isNote);
		expect(steps.map(({ name }) => name).sort()).toEqual(
			example.nodes.flatMap(({ name, type }) => (type === stickyNote ? [] : name)).sort(),
		);
		expect(canvas.nodes).toHaveLength(steps.length + noteNames.length);
		expect(overlaps(steps.map(({ name, box }) => [name, box]))).toEqual([]);
		const notes = canvas.nodes.filter(({ isNote }) => isNote);
		expect(overlaps(notes.map(({ name, box }) => [name, box]))).toEqual([]);
		expect(notes.filter(({ isCutOff }) => isCutOff).map(({ name }) => name)).toEqual([]);
		expect(Math.min(...canvas.nodes.map(({ fontPx }) => fontPx))).toBeGreaterThanOrEqual(minFontPx);
		const issues = steps.flatMap(({ name, issues }) => issues.map((issue) => `${name}: ${issue}`));
		expect(issues.filter((text) => !allowedIssue.test(text.replace(/^.*?: /, '')))).toEqual([]);
	},
);
