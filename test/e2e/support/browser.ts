import {
	chromium,
	selectors,
	type Browser,
	type BrowserContext,
	type LaunchOptions,
	type Page,
} from 'playwright-core';

import { patienceMs } from '../../../playground/n8n/progress';
import { requireProgram } from '../../../playground/n8n/system';
import { owner } from './installation';

selectors.setTestIdAttribute('data-test-id');

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
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
	return await chromium.launch({
		executablePath: await requireBrowser(),
		headless: true,
		args: chromiumFlags,
		...options,
	});
}

/** Opens a browser that reaches n8n, and the shop through its proxy. */
export async function openShopBrowser(n8nUrl: string, proxyUrl: string): Promise<BrowserContext> {
	const proxy = { server: proxyUrl, bypass: '127.0.0.1' };
	const browser = await launchBrowser({ proxy });
	const context = await browser.newContext({
		baseURL: n8nUrl,
		viewport: { width: 1440, height: 900 },
		// The shop's certificate is its own.
		ignoreHTTPSErrors: true,
		permissions: ['clipboard-read', 'clipboard-write'],
	});
	context.setDefaultTimeout(patienceMs);
	return context;
}

/** Signs the owner in. */
export async function signIn(page: Page): Promise<void> {
	await page.goto('/signin');
	await page.locator('[name=emailOrLdapLoginId]').fill(owner.email);
	await page.locator('[name=password]').fill(owner.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL(/\/home\//);
}
