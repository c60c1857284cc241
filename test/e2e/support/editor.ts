import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { type Browser, type Locator, type Page } from 'playwright-core';
import { z } from 'zod';

import { patienceMs, waitFor } from '../../../playground/n8n/progress';
import { launchBrowser, signIn } from './browser';
import {
	boundingBox,
	screenshotsFolder,
	takeScreenshot,
	viewport,
	type Box,
	type ScreenshotOptions,
} from './screenshot';

/** The text of a heading, a paragraph or a list item of a sticky note, as it looks on the canvas. */
const noteTextSchema = z.object({
	x: z.number(),
	y: z.number(),
	width: z.number(),
	height: z.number(),
	/** Whether the note is too small for it. */
	isCutOff: z.boolean(),
	/** Before zooming. */
	fontPx: z.number(),
});
type NoteText = z.infer<typeof noteTextSchema>;

/** Fits a whole workflow with readable sticky notes. */
const canvasViewport = { width: 1900, height: 1100 };

/** n8n's editor in a browser, with a method for each user action. All methods wait for the page. */
export class Editor {
	private constructor(
		private readonly browser: Browser,
		private page: Page,
	) {}

	/**
	 * Opens a browser with an empty profile and signs the owner in.
	 *
	 * @param url n8n's URL
	 * @throws SetupError when Chromium is missing and cannot be installed
	 */
	static async open(url: string): Promise<Editor> {
		const browser = await launchBrowser();
		try {
			const context = await browser.newContext({ viewport, baseURL: url });
			context.setDefaultTimeout(patienceMs);
			const page = await context.newPage();
			await signIn(page);
			return new Editor(browser, page);
		} catch (error) {
			await browser.close();
			throw error;
		}
	}

	/** Opens a new page and discards the current one with its unsaved changes. */
	async openNewPage(): Promise<void> {
		const newPage = await this.page.context().newPage();
		await this.page.close();
		this.page = newPage;
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** Locates a part of the page by n8n's test ID. */
	part(testId: string): Locator {
		return this.page.getByTestId(testId);
	}

	/** Waits for a part and returns its text. */
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
	 * @param expected the message that the editor must show, possibly under More details
	 */
	async saveCredential(expected: string): Promise<void> {
		const testResponse = this.page.waitForResponse((response) =>
			response.url().endsWith('/rest/credentials/test'),
		);
		await this.part('credential-save-button').click();
		await testResponse;
		const dialog = this.part('credential-edit-dialog');
		const message = dialog.getByText(expected).filter({ visible: true });
		const details = dialog.getByText('More details').filter({ visible: true });
		await message.or(details).first().waitFor();
		if (!(await message.isVisible())) await details.click();
		await message.waitFor();
	}

	/** Opens an empty workflow with the nodes panel for its first node. */
	async newWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.emptyCanvas().click();
		await this.part('node-creator').waitFor();
	}

	/**
	 * Searches the nodes panel.
	 *
	 * @param text the search text
	 * @param expected the exact list of results
	 */
	async searchNodes(text: string, expected: readonly string[]): Promise<void> {
		await this.part('node-creator-search-bar').fill(text);
		await this.expectEntries(
			this.part('node-creator').getByTestId('node-creator-item-name'),
			expected,
		);
	}

	/** Searches the nodes panel, and waits until a node is among the results. */
	async findNode(text: string, name: string): Promise<void> {
		const searchBar = this.part('node-creator-search-bar');
		const entry = this.part('node-creator')
			.getByTestId('node-creator-item-name')
			.getByText(name, { exact: true })
			.first();
		// Otherwise the results of the search before could be mistaken for those of this one.
		await searchBar.fill('no such node');
		await entry.waitFor({ state: 'hidden' });
		await searchBar.fill(text);
		await entry.waitFor();
	}

	/**
	 * Waits until a list has exactly the given entries.
	 *
	 * @throws Error with the actual entries
	 */
	async expectEntries(entries: Locator, expected: readonly string[]): Promise<void> {
		let texts: string[] = [];
		const matches = async () => {
			texts = (await entries.allInnerTexts()).map((text) => text.trim());
			return isDeepStrictEqual(texts, expected);
		};
		try {
			await waitFor(expected.join(', '), matches);
		} catch (cause) {
			throw new Error(`Expected ${expected.join(', ')}, got ${texts.join(', ')}`, { cause });
		}
	}

	/** Chooses an entry of the nodes panel: a node or one of its actions. */
	async chooseEntry(name: string): Promise<void> {
		await this.part('node-creator')
			.getByTestId('node-creator-item-name')
			.getByText(name, { exact: true })
			.first()
			.click();
	}

	/** Opens a workflow with a manual trigger and the nodes panel for the next node. */
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
	 * Opens a stored workflow and zooms to fit.
	 *
	 * @returns the nodes and sticky notes on the canvas
	 */
	async openCanvas(workflowId: string): Promise<Locator[]> {
		await this.page.setViewportSize(canvasViewport);
		await this.page.goto(`/workflow/${workflowId}`);
		// The dots in the background are half of a screenshot's bytes.
		await this.page.addStyleTag({ content: '.vue-flow__background { visibility: hidden }' });
		return await this.zoomToFit();
	}

	private async zoomToFit(): Promise<Locator[]> {
		const nodes = this.page.locator('.vue-flow__node');
		await nodes.first().waitFor();
		await this.part('zoom-to-fit').click();
		// Wait for the end of the zoom animation.
		let positions = '';
		await waitFor('the end of the zoom animation', async () => {
			const before = positions;
			positions = JSON.stringify(await Promise.all((await nodes.all()).map(boundingBox)));
			return positions === before;
		});
		return await nodes.all();
	}

	/**
	 * Pastes a workflow onto the empty canvas of a new workflow, as users import a copied file, and zooms
	 * to fit. Removes the one that was pasted before.
	 *
	 * @returns the nodes and sticky notes on the canvas, the texts of the notes, and the smallest font of a text
	 */
	async pasteWorkflow(
		json: string,
	): Promise<{ nodes: CanvasNode[]; texts: NoteText[]; fontPx: number }> {
		await this.openEmptyCanvas();
		await this.page.evaluate(
			`(() => {
				const clipboardData = new DataTransfer();
				clipboardData.setData('text/plain', ${JSON.stringify(json)});
				document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
			})()`,
		);
		await this.emptyCanvas().waitFor({ state: 'detached' });
		const nodes: CanvasNode[] = [];
		// One after the other, since there is only one mouse.
		for (const node of await this.zoomToFit()) nodes.push(await this.readCanvasNode(node));
		const found = await this.page.evaluate(
			`[...document.querySelectorAll('[data-test-id=sticky] :is(h2, p, li)')].map((part) => {
				const range = document.createRange();
				range.selectNodeContents(part);
				const { x, y, width, height, bottom } = range.getBoundingClientRect();
				const isCutOff = bottom > part.closest('[data-test-id=sticky]').getBoundingClientRect().bottom;
				return { x, y, width, height, isCutOff, fontPx: parseFloat(getComputedStyle(part).fontSize) };
			})`,
		);
		const texts = z.array(noteTextSchema).parse(found);
		const pane = this.page.locator('.vue-flow__transformationpane');
		const [, zoom] = /scale\((.+?)\)/.exec((await pane.getAttribute('style')) ?? '') ?? [];
		const fontPx = Number(zoom) * Math.min(...texts.map((text) => text.fontPx));
		return { nodes, texts, fontPx };
	}

	/** Removes what was pasted before: to load the editor costs far more. */
	private async openEmptyCanvas(): Promise<void> {
		if ((await this.page.locator('.vue-flow__node').count()) > 0) {
			await this.page.keyboard.press('ControlOrMeta+a');
			await this.page.keyboard.press('Delete');
			// n8n ignores a paste within a second of the one before.
			await sleep(1000);
		} else {
			await this.page.goto('/workflow/new');
		}
		await this.emptyCanvas().waitFor();
	}

	/** What n8n shows as the only node of an empty workflow. */
	private emptyCanvas(): Locator {
		return this.part('canvas-plus-button');
	}

	private async readCanvasNode(node: Locator): Promise<CanvasNode> {
		const name = await node.locator('[data-node-name]').first().getAttribute('data-node-name');
		const isNote = (await node.getByTestId('sticky').count()) > 0;
		const box = await boundingBox(node);
		const icon = node.getByTestId('node-issues').locator('svg');
		return {
			name: name ?? '',
			isNote,
			box,
			issues: (await icon.count()) > 0 ? await this.readIssues(icon) : [],
		};
	}

	private async readIssues(icon: Locator): Promise<string[]> {
		await icon.hover({ timeout: 15000 });
		const list = this.page.getByText('Issues', { exact: true }).filter({ visible: true });
		await list.waitFor();
		const text = await list.locator('xpath=..').innerText();
		await this.page.mouse.move(0, 0);
		await list.waitFor({ state: 'detached' });
		return text
			.split('\n')
			.map((line) => line.replace(/^\s*-?\s*/, '').trim())
			.filter((line) => line !== '' && line !== 'Issues');
	}

	/** Locates the button with this label. */
	button(label: string): Locator {
		return this.page.getByRole('button', { name: label, exact: true });
	}

	/** Locates a parameter's input in the open node or credential. */
	input(parameter: string): Locator {
		return this.part(`parameter-input-${parameter}`);
	}

	/**
	 * Fills in a parameter.
	 *
	 * @param input the parameter name, or the input if the name is ambiguous
	 * @param value the text to enter
	 */
	async fill(input: string | Locator, value: string): Promise<void> {
		const locator = typeof input === 'string' ? this.input(input) : input;
		await locator.locator('input, textarea').first().fill(value);
	}

	/** Selects an option of a parameter with a drop-down list. */
	async selectOption(input: string | Locator, name: string): Promise<void> {
		await (typeof input === 'string' ? this.input(input) : input).click();
		await this.option(name).click();
	}

	/** Adds an entry to a collection parameter with the given button text. */
	async addToCollection(button: string, entry: string): Promise<void> {
		await this.part('collection-parameter-add')
			.filter({ has: this.page.getByPlaceholder(button, { exact: true }) })
			.click();
		await this.option(entry).click();
	}

	/** The options that the button with this text offers, in order. Takes a screenshot of them. */
	async collectionOptions(button: string): Promise<string[]> {
		await this.part('collection-parameter-add')
			.filter({ has: this.page.getByPlaceholder(button, { exact: true }) })
			.click();
		const options = this.page.getByRole('option').filter({ visible: true });
		await options.first().waitFor();
		const texts = await options.allInnerTexts();
		const path = join(screenshotsFolder, `${button.replace(/\W+/g, '-')}.png`);
		await this.page.screenshot({ path, animations: 'disabled' });
		await this.page.keyboard.press('Escape');
		await options.first().waitFor({ state: 'hidden' });
		return texts.map((text) => text.trim());
	}

	private option(name: string): Locator {
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
	 * Reads the open node's output table.
	 *
	 * @returns an object per row with the cell texts by column
	 * @throws Error with the text of the output when the run failed
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

	/** Whether a column of the open node's output table is visible without scrolling. */
	async isColumnInView(name: string): Promise<boolean> {
		const panel = this.part('output-panel');
		const header = panel
			.locator('table')
			.first()
			.locator('thead th')
			.getByText(name, { exact: true });
		const [view, box] = [await boundingBox(panel), await boundingBox(header.first())];
		return box.x >= view.x && box.x + box.width <= view.x + view.width;
	}

	/** Returns the hints above the open node's output. */
	async outputHints(): Promise<string[]> {
		const hints = this.part('output-panel').getByTestId('node-hint');
		await hints.first().waitFor();
		return (await hints.allInnerTexts()).map((text) => text.trim());
	}

	/** Returns the error in the open node's output. */
	async outputError(): Promise<{ message: string; description: string }> {
		return {
			message: await this.text(this.part('node-error-message')),
			description: await this.text(this.part('node-error-description')),
		};
	}

	/** Takes a [screenshot](./screenshot.ts), which shows the whole page by default. */
	async screenshot(name: string, options?: ScreenshotOptions): Promise<void> {
		await takeScreenshot(this.page, name, options);
	}
}

/** A node or a sticky note, as it looks on the canvas. */
export interface CanvasNode {
	readonly name: string;
	readonly isNote: boolean;
	readonly box: Box;
	/** What n8n shows at the red triangle. */
	readonly issues: readonly string[];
}
