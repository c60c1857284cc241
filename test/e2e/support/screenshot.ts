/** Screenshots of n8n's editor, in artifacts/editor. With `DOCS_IMAGES=1`, those of the docs are also saved there. */
import { join } from 'node:path';

import type { Locator, Page } from 'playwright-core';

import { projectFolder } from '../../../playground/n8n/folders';
import { savePicture } from '../../support/pictures';

/** The folder of all screenshots. Not in git. */
export const screenshotsFolder = join(projectFolder, 'artifacts', 'editor');

export const viewport = { width: 1440, height: 900 };

export type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

export interface ScreenshotOptions {
	/** The parts to show, the whole page by default. */
	readonly of?: readonly Locator[];
	/** Extra pixels on each side. */
	readonly margin?: number;
	/** Whether the docs show it. */
	readonly inDocs?: boolean;
}

/**
 * Takes a screenshot without temporary notifications.
 *
 * @param name the file name without its extension
 * @throws Error when a part is not visible
 */
export async function takeScreenshot(
	page: Page,
	name: string,
	{ of = [], margin = 0, inDocs = false }: ScreenshotOptions = {},
): Promise<void> {
	// In one step, until none is left: they disappear automatically, and new ones appear.
	await page.waitForFunction(
		`document.querySelectorAll('.el-notification__closeBtn').forEach((button) => button.click()),
		document.querySelector('.el-notification') === null`,
	);
	await page.mouse.move(0, 0);
	await page.evaluate('document.activeElement?.blur()');
	const boxes = await Promise.all(of.map(boundingBox));
	const view = page.viewportSize() ?? viewport;
	const picture = await page.screenshot({
		path: join(screenshotsFolder, `${name}.png`),
		clip: boxes.length > 0 ? enclosingBox(boxes, view, margin) : undefined,
		animations: 'disabled',
		caret: 'hide',
	});
	if (inDocs && process.env.DOCS_IMAGES) savePicture(name, picture);
}

/**
 * Returns where a part is on the page, in pixels.
 *
 * @throws Error when it is not visible
 */
export async function boundingBox(part: Locator): Promise<Box> {
	const box = await part.boundingBox();
	if (!box) throw new Error(`${String(part)} is not visible`);
	return box;
}

/** Returns the smallest box around the given ones, within the view. */
function enclosingBox(
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
