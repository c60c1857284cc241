import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { projectFolder } from '../../../playground/n8n/folders';
import { waitFor } from '../../../playground/n8n/progress';
import { requireProgram } from '../../../playground/n8n/system';
import { owner } from './installation';

/** All pictures, for whoever wants to see what a test saw. Not kept in git. */
const artifactsFolder = join(projectFolder, 'artifacts', 'editor');

/** In bytes: more makes the README slow to open. */
const largestImage = 200_000;

const viewport = { width: 1440, height: 900 };
/** With room for a whole workflow, so that its notes can be read. */
const canvasViewport = { width: 1900, height: 1100 };
const actionTimeoutMs = 20_000;

/** Without them Chromium looks for updates and the like on the internet. */
const flags = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

selectors.setTestIdAttribute('data-test-id');

/**
 * Finds Chromium, and installs it where that is possible; gives its path.
 *
 * @throws SetupError when there is none and it cannot be installed here
 */
export async function requireBrowser(): Promise<string> {
	return await requireProgram('chromium');
}

type KeepPicture = (name: string, picture: Buffer) => void;

/** n8n's editor in a browser, with what a person does in it. Everything waits until it is there. */
export class Editor {
	private constructor(
		private readonly browser: Browser,
		private page: Page,
		private readonly keep: KeepPicture,
	) {}

	/**
	 * Opens a browser with an empty profile and signs the owner in.
	 *
	 * @param url n8n's address
	 * @param keep keeps a picture for the pages, when they are made anew
	 * @throws SetupError when there is no Chromium and it cannot be installed here
	 */
	static async open(url: string, keep: KeepPicture): Promise<Editor> {
		const browser = await chromium.launch({
			executablePath: await requireBrowser(),
			headless: true,
			args: flags,
		});
		try {
			const context = await browser.newContext({ viewport, baseURL: url });
			context.setDefaultTimeout(actionTimeoutMs);
			const page = await context.newPage();
			await page.goto('/signin');
			await page.locator('[name=emailOrLdapLoginId]').fill(owner.email);
			await page.locator('[name=password]').fill(owner.password);
			await page.getByTestId('form-submit-button').click();
			await page.getByTestId('project-name').waitFor();
			return new Editor(browser, page, keep);
		} catch (error) {
			await browser.close();
			throw error;
		}
	}

	/** Leaves the page as it is behind, with what was not saved in it, and opens another. */
	async startAfresh(): Promise<void> {
		const fresh = await this.page.context().newPage();
		await this.page.close();
		this.page = fresh;
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** What carries n8n's own name for a part of the page. */
	part(testId: string): Locator {
		return this.page.getByTestId(testId);
	}

	/** The text of a part, once it is there. */
	async text(part: Locator): Promise<string> {
		await part.waitFor();
		return (await part.innerText()).replace(/\s+/g, ' ').trim();
	}

	/** Opens the form for a new credential of a type. */
	async newCredential(typeName: string): Promise<void> {
		await this.page.goto('/home/credentials');
		await this.part('add-resource-credential').click();
		await this.part('new-credential-type-select').locator('input').fill(typeName);
		await this.page.getByRole('option', { name: typeName, exact: true }).click();
		await this.part('new-credential-type-button').click();
		await this.part('credential-edit-dialog').waitFor();
	}

	/**
	 * Saves the open credential, which tests its connection.
	 *
	 * @param expected what the editor must show of the test, in its details where it has some
	 */
	async saveCredential(expected: string): Promise<void> {
		const tested = this.page.waitForResponse((response) =>
			response.url().endsWith('/rest/credentials/test'),
		);
		await this.part('credential-save-button').click();
		await tested;
		const dialog = this.part('credential-edit-dialog');
		const message = dialog.getByText(expected).filter({ visible: true });
		const details = dialog.getByText('More details').filter({ visible: true });
		await message.or(details).first().waitFor();
		if (!(await message.isVisible())) await details.click();
		await message.waitFor();
	}

	/** Opens an empty workflow with the panel from which its first node is chosen. */
	async newWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.part('canvas-plus-button').click();
		await this.part('node-creator').waitFor();
	}

	/**
	 * Searches the panel of nodes.
	 *
	 * @param expected the names that must be found, and no others
	 */
	async searchNodes(text: string, expected: readonly string[]): Promise<void> {
		await this.part('node-creator-search-bar').fill(text);
		await this.lists(this.part('node-creator').getByTestId('node-creator-item-name'), expected);
	}

	/**
	 * Waits until a list that changes holds these entries and no others.
	 *
	 * @throws Error with what it holds instead
	 */
	async lists(entries: Locator, expected: readonly string[]): Promise<void> {
		let texts: string[] = [];
		const matches = async () => {
			texts = (await entries.allInnerTexts()).map((text) => text.trim());
			return isDeepStrictEqual(texts, expected) || undefined;
		};
		try {
			await waitFor(expected.join(', '), actionTimeoutMs, matches);
		} catch (cause) {
			throw new Error(`Instead of ${expected.join(', ')} it lists ${texts.join(', ')}`, { cause });
		}
	}

	/** Chooses an entry of the panel of nodes: a node, or one of a node's actions. */
	async chooseEntry(name: string): Promise<void> {
		await this.part('node-creator')
			.getByTestId('node-creator-item-name')
			.getByText(name, { exact: true })
			.first()
			.click();
	}

	/** Opens an empty workflow with a manual trigger, and the panel for the node after it. */
	async newManualWorkflow(): Promise<void> {
		await this.newWorkflow();
		await this.searchNodes('manual', ['Manual Trigger']);
		await this.chooseEntry('Manual Trigger');
		await this.part('node-creator-plus-button').click();
		await this.part('node-creator').waitFor();
	}

	/** Opens a node of a stored workflow. */
	async openNode(workflowId: string, nodeId: string): Promise<void> {
		await this.page.goto(`/workflow/${workflowId}/${nodeId}`);
		await this.part('node-parameters').waitFor();
	}

	/**
	 * Opens a stored workflow with all of it in view, notes too.
	 *
	 * @returns what is on the canvas
	 */
	async openCanvas(workflowId: string): Promise<Locator[]> {
		await this.page.setViewportSize(canvasViewport);
		await this.page.goto(`/workflow/${workflowId}`);
		// Its dots are half of a picture's bytes.
		await this.page.addStyleTag({ content: '.vue-flow__background { visibility: hidden }' });
		const nodes = this.page.locator('.vue-flow__node');
		await nodes.first().waitFor();
		await this.part('zoom-to-fit').click();
		// The view glides to its place; it has arrived once it no longer moves.
		let place = '';
		await waitFor('the canvas to stand still', actionTimeoutMs, async () => {
			const before = place;
			place = JSON.stringify(await Promise.all((await nodes.all()).map(boxOf)));
			return place === before || undefined;
		});
		return await nodes.all();
	}

	/** A parameter's input in the open node or credential. */
	input(parameter: string): Locator {
		return this.part(`parameter-input-${parameter}`);
	}

	/**
	 * Types into a parameter.
	 *
	 * @param input its name, or the input itself where the name is there several times
	 */
	async fill(input: string | Locator, value: string): Promise<void> {
		const found = typeof input === 'string' ? this.input(input) : input;
		await found.locator('input, textarea').first().fill(value);
	}

	/** Picks an option of a parameter with a drop-down list. */
	async pick(input: string | Locator, option: string): Promise<void> {
		await (typeof input === 'string' ? this.input(input) : input).click();
		await this.optionNamed(option).click();
	}

	/** Adds an entry to a collection of parameters, by the words on its button. */
	async addTo(button: string, entry: string): Promise<void> {
		await this.part('collection-parameter-add')
			.filter({ has: this.page.getByPlaceholder(button, { exact: true }) })
			.click();
		await this.optionNamed(entry).click();
	}

	private optionNamed(name: string): Locator {
		return this.page
			.getByRole('option')
			.filter({ visible: true })
			.filter({ has: this.page.getByText(name, { exact: true }) });
	}

	/** Runs the open node. */
	async execute(): Promise<void> {
		await this.part('node-execute-button').click();
	}

	/**
	 * What stands in the open node's output as a table: an object a row, by column.
	 *
	 * @throws Error with what the output says when the run failed
	 */
	async outputRows(): Promise<Array<Record<string, string>>> {
		const panel = this.part('output-panel');
		const failed = panel.getByTestId('node-run-status-danger');
		await panel.getByTestId('node-run-status-success').or(failed).waitFor();
		if (await failed.isVisible()) throw new Error(await this.text(panel));
		const table = panel.locator('table').first();
		await table.waitFor();
		const columns = await table.locator('thead th').allInnerTexts();
		const rows = await table.locator('tbody tr').all();
		return await Promise.all(
			rows.map(async (row) => {
				const cells = await row.locator('td').allInnerTexts();
				return Object.fromEntries(
					columns.flatMap((column, index) =>
						column ? [[column.trim(), (cells[index] ?? '').replace(/\n/g, '').trim()]] : [],
					),
				);
			}),
		);
	}

	/** The hints above the open node's output. */
	async outputHints(): Promise<string[]> {
		const hints = this.part('output-panel').getByTestId('node-hint');
		await hints.first().waitFor();
		return (await hints.allInnerTexts()).map((text) => text.trim());
	}

	/** The error in the open node's output. */
	async outputError(): Promise<{ message: string; description: string }> {
		return {
			message: await this.text(this.part('node-error-message')),
			description: await this.text(this.part('node-error-description')),
		};
	}

	/**
	 * Takes a picture, without the notices that come and go.
	 *
	 * @param options `of`: the parts of the page that it shows, by default all of it; `margin`: how
	 *   much more of the page, on each side; `inDocs`: whether a page of the docs shows it;
	 *   kept there when `DOCS_IMAGES` is set
	 * @throws Error when it is too large for the docs
	 */
	async picture(
		name: string,
		{
			of = [],
			margin = 0,
			inDocs = false,
		}: { of?: readonly Locator[]; margin?: number; inDocs?: boolean } = {},
	): Promise<void> {
		// All at once: one that goes away by itself meanwhile would change which is the next.
		await this.page.evaluate(
			"document.querySelectorAll('.el-notification__closeBtn').forEach((button) => button.click())",
		);
		await this.page.waitForFunction("document.querySelector('.el-notification') === null");
		await this.page.mouse.move(0, 0);
		await this.page.evaluate('document.activeElement?.blur()');
		const view = this.page.viewportSize() ?? viewport;
		const clip = of.length > 0 ? around(await Promise.all(of.map(boxOf)), view, margin) : undefined;
		const picture = await this.page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
		await save(artifactsFolder, name, picture);
		if (!inDocs) return;
		if (picture.length > largestImage)
			throw new Error(`${name}.png has ${picture.length} bytes, more than ${largestImage}`);
		if (process.env.DOCS_IMAGES) this.keep(name, picture);
	}
}

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

async function boxOf(part: Locator): Promise<Box> {
	const box = await part.boundingBox();
	if (!box) throw new Error(`${String(part)} is not shown`);
	return box;
}

/** The smallest box that holds all the given ones, as far as they are in view. */
function around(
	boxes: readonly Box[],
	view: { width: number; height: number },
	margin: number,
): Box {
	const x = Math.max(0, Math.min(...boxes.map((box) => box.x)) - margin);
	const y = Math.max(0, Math.min(...boxes.map((box) => box.y)) - margin);
	const right = Math.max(...boxes.map((box) => box.x + box.width));
	const bottom = Math.max(...boxes.map((box) => box.y + box.height));
	return {
		x,
		y,
		width: Math.min(right + margin, view.width) - x,
		height: Math.min(bottom + margin, view.height) - y,
	};
}

async function save(folder: string, name: string, picture: Buffer): Promise<void> {
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${name}.png`), picture);
}
