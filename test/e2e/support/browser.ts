import { chromium, type Browser } from 'playwright-core';

import { requireProgram } from '../../../playground/n8n/system';

/** Chromium's flags. Most of them turn off its internet access, e.g. to check for updates. */
const chromiumFlags = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/**
 * Finds Chromium, and installs it if necessary.
 *
 * @returns its path
 * @throws SetupError when Chromium is missing and cannot be installed
 */
export async function requireBrowser(): Promise<string> {
	return await requireProgram('chromium');
}

/**
 * Starts Chromium without a window.
 *
 * @throws SetupError when Chromium is missing and cannot be installed
 */
export async function launchBrowser(): Promise<Browser> {
	return await chromium.launch({
		executablePath: await requireBrowser(),
		headless: true,
		args: chromiumFlags,
	});
}
