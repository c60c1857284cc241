import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BrowserContext, Locator, Page } from 'playwright-core';

import { readExampleFile } from '../../playground/examples';
import { startMailbox, type Mailbox } from '../../playground/mailbox/mailbox';
import { freePort } from '../../playground/n8n/checks';
import { N8nClient } from '../../playground/n8n/client';
import { projectFolder } from '../../playground/n8n/folders';
import { findHost, startN8n } from '../../playground/n8n/n8n';
import { getTarball, installPackage } from '../../playground/n8n/package';
import { waitFor } from '../../playground/n8n/progress';
import { samples } from '../../playground/shopify/samples';
import { startService, type LocalService } from '../../playground/service/server';
import { startShopify, type Shopify } from '../../playground/shopify/server';
import { openShopBrowser, signIn } from './support/browser';
import { owner } from './support/installation';
import { takeScreenshot } from './support/screenshot';

/* The steps in the notes of both starters, in an empty n8n and by clicks only. The docs show them in pictures. */

const closers: Array<() => Promise<void>> = [];
let service: LocalService;
let shopify: Shopify;
let mailbox: Mailbox;
let context: BrowserContext;
let page: Page;
let shop: Page;
let clicks: number;
let fields: number;

beforeEach(async () => {
	service = await startService();
	shopify = await startShopify({ service });
	mailbox = await startMailbox();
	const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
	await installPackage(await getTarball(), userFolder);
	const host = await findHost('newest');
	const n8n = await startN8n({ host, userFolder, port: await freePort(), env: shopify.env });
	await N8nClient.setUp(n8n.url, owner);
	context = await openShopBrowser(n8n.url, shopify.url);
	page = await context.newPage();
	shop = await context.newPage();
	await shop.goto(shopify.url);
	await signIn(page);
	[clicks, fields] = [0, 0];
	closers.push(
		async () => await context.browser()?.close(),
		async () => await n8n.stop(),
		async () => await service.close(),
		async () => await shopify.close(),
		async () => await mailbox.close(),
		async () => await rm(userFolder, { recursive: true, force: true }),
	);
});
afterEach(async () => {
	// Shows where a test failed.
	await page.screenshot({ path: join(projectFolder, 'artifacts', 'quickStart.png') });
	for (const close of closers.splice(0)) await close();
});

async function click(target: Locator, options?: { noWaitAfter: boolean }): Promise<void> {
	await target.click(options);
	clicks += 1;
}

async function fill(target: string | Locator, text: string): Promise<void> {
	const input = typeof target === 'string' ? inputOf(target) : target;
	await input.fill(text);
	fields += 1;
}

const inputOf = (parameter: string) =>
	page
		.getByTestId(`parameter-input-${parameter}`)
		.filter({ visible: true })
		.locator('input, textarea')
		.first();
const button = (name: string, of: Page = page) =>
	of.getByRole('button', { name, exact: true }).filter({ visible: true }).first();
const openPanel = () => page.getByTestId('node-parameters').locator('xpath=..');
const credentialDialog = () => page.getByTestId('editCredential-modal');
const nodeOnCanvas = (name: string) =>
	page.locator(`[data-test-id=canvas-node][data-node-name="${name}"]`);

async function openNode(name: string): Promise<void> {
	await page.bringToFront();
	await nodeOnCanvas(name).dblclick();
	clicks += 1;
	await page.getByTestId('node-parameters').waitFor();
}

async function closeNode(): Promise<void> {
	await page.evaluate('document.activeElement?.blur()');
	await page.keyboard.press('Escape');
	await page.getByTestId('node-parameters').waitFor({ state: 'hidden' });
}

/** Takes the picture of a step for the docs. */
async function show(step: string, part: Locator): Promise<void> {
	await takeScreenshot(page, `setup-${step}`, { of: [part], inDocs: true });
}

async function importExample(name: string): Promise<void> {
	await page.goto('/workflow/new');
	await page.getByTestId('canvas-plus-button').waitFor();
	const text = JSON.stringify(await readExampleFile(name));
	await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
	await page.keyboard.press('Control+V');
	await nodeOnCanvas('Create Delivery').waitFor();
}

/** Starts a new credential. n8n rejects it if it is saved before n8n has given it a name. */
async function newCredential(connect: string): Promise<void> {
	await Promise.all([
		// A name on the page may still be that of the credential before.
		page.waitForResponse((response) => response.url().includes('/rest/credentials/new')),
		click(button(connect)),
	]);
	await page
		.getByTestId('editCredential-modal')
		.getByText(/ account$/)
		.first()
		.waitFor({ state: 'attached' });
}

/** Saves a new credential, which closes its dialog if the connection works. */
async function saveCredential(): Promise<void> {
	await click(page.getByTestId('credential-save-button'));
	await page.getByTestId('editCredential-modal').waitFor({ state: 'hidden' });
}

/** The steps of the notes about *Create Delivery* and *Email the Owner*. */
async function connectServiceAndEmail(): Promise<void> {
	await openNode('Create Delivery');
	await newCredential('Connect to Delivery Service');
	const { baseUrl, apiKeyId, apiSecret, companyId } = service.credential;
	const credential = { baseUrl, apiKeyId, apiSecret, companyId: String(companyId) };
	for (const [field, value] of Object.entries(credential)) await fill(field, value);
	await saveCredential();
	await fill('pickupName', 'Larch & Linen');
	await fill('pickupEmail', 'warehouse@example.com');
	await fill('pickupAddress', '18 Depot Street, Springfield, IL 62703');
	await fill('fallbackEmail', 'orders@example.com');
	await show('pickup', openPanel());
	await closeNode();
	expect(await nodeOnCanvas('Allow Resending').getByTestId('node-issues').count()).toBe(0);
	await openNode('Email the Owner');
	await newCredential('Connect to SMTP');
	const { user, password, host, port } = mailbox.credential;
	for (const [field, value] of Object.entries({ user, password, host, port }))
		await fill(field, String(value));
	await click(page.getByTestId('parameter-input-secure').locator('.el-switch').first());
	await show('smtp', credentialDialog());
	await saveCredential();
	await fill('fromEmail', 'shop@larch.example');
	await fill('toEmail', 'owner@larch.example');
	await show('email', openPanel());
	await closeNode();
}

/** Sets the time zone of the shop, in the settings of the workflow. */
async function setTimezone(): Promise<void> {
	await click(button('More actions'));
	await click(page.getByTestId('workflow-menu-item-settings').filter({ visible: true }));
	await page.getByTestId('workflow-settings-timezone').locator('input').click();
	await page.keyboard.type('Mexico City');
	await click(page.getByRole('option', { name: 'Mexico City' }));
	const dialog = page.getByRole('dialog');
	await show('timezone', dialog);
	await click(button('Save').and(dialog.getByRole('button')));
	await dialog.waitFor({ state: 'hidden' });
}

async function publish(): Promise<void> {
	await click(page.getByTestId('workflow-open-publish-modal-button'));
	await click(page.getByTestId('workflow-publish-button'));
	await page.getByText('Published', { exact: true }).waitFor();
	await page.getByTestId('workflow-publish-button').waitFor({ state: 'hidden' });
	if (await button('Got it').isVisible()) await click(button('Got it'));
}

/** The last step: turns off Dry Run, publishes, and places an order. */
async function goLive(name: string): Promise<void> {
	expect(service.control.deliveries()).toEqual([]);
	await openNode('Create Delivery');
	await click(page.getByTestId('parameter-input-dryRun').locator('.el-switch').first());
	await closeNode();
	await publish();
	await click(button('New orders', shop));
	await waitFor(`the delivery of ${name}`, () =>
		service.control.deliveries().find(({ record }) => record.referenceId === name),
	);
	console.log(`  ${clicks} clicks, ${fields} fields`);
}

test('an owner connects a shop without an app, by clicks only', async () => {
	await importExample('shopify-webhook-to-deliveries');
	await openNode('New Shopify Order');
	const dialog = page.locator('#app-modals');
	await click(dialog.getByText('Production URL', { exact: true }).first());
	await click(dialog.getByText('/webhook/').filter({ visible: true }).last());
	const url = String(await page.evaluate('navigator.clipboard.readText()'));
	await show('url', openPanel());
	await closeNode();
	for (const event of ['Order creation', 'Order payment', 'Order cancellation', 'Order update']) {
		await shop.getByLabel('Event').selectOption(event);
		clicks += 2;
		await fill(shop.getByLabel('URL'), url);
		await click(button('Create webhook', shop));
	}
	await openNode('Compute Signature');
	await fill('secret', await shop.locator('#adminKey').innerText());
	await show('secret', openPanel());
	await closeNode();
	await connectServiceAndEmail();
	await publish();
	await click(button('New orders', shop));
	const emails = () => mailbox.emails().filter(({ text }) => /#1001 .*Dry Run/.test(text));
	await waitFor('the email about Dry Run', () => emails()[0]);
	shopify.shop.pay(shopify.shop.orders()[0]!.id);
	await shopify.webhooks.settled();
	expect(emails()).toHaveLength(1);
	await goLive('#1004');
	const { id, name } = shopify.shop.place({ ...samples[0]!, test: true });
	await shopify.webhooks.settled();
	const names = () => service.control.deliveries().map(({ record }) => record.referenceId);
	expect(names()).not.toContain(name);
	shopify.shop.edit(id, { tags: 'vip, send-anyway' });
	await waitFor(`the delivery of ${name}`, () => names().includes(name));
});

/** The nodes for which n8n selects the Shopify credential, as the note says. */
const shopifyNodes = [
	'Order Paid',
	'Order Canceled',
	'Order Updated',
	'Get Order',
	'Get Open Orders',
	'Get Updated Orders',
];

test('an owner connects a shop with an app, by clicks only', async () => {
	shopify.control.placeOrders(3);
	await importExample('shopify-orders-to-deliveries');
	await openNode('New Shopify Order');
	await newCredential('Connect to Shopify');
	await fill('shopSubdomain', shopify.credential.shopSubdomain);
	await fill('clientId', await shop.locator('#clientId').innerText());
	await fill('clientSecret', await shop.locator('#clientSecret').innerText());
	await show('shopify', credentialDialog());
	const [consent] = await Promise.all([
		context.waitForEvent('page'),
		click(page.getByTestId('editCredential-modal').getByRole('button', { name: 'Connect' })),
	]);
	// The page that follows closes the window.
	await click(button('Install', consent), { noWaitAfter: true });
	await page.getByTestId('editCredential-modal').waitFor({ state: 'hidden' });
	await closeNode();
	for (const name of shopifyNodes)
		expect(await nodeOnCanvas(name).getByTestId('node-issues').count()).toBe(0);
	await connectServiceAndEmail();
	await openNode('Orders to Send');
	const orders = page.getByTestId('assignment-value').locator('input, textarea').first();
	await fill(orders, String(shopify.shop.orders()[0]?.id));
	await show('orders-to-send', openPanel());
	await closeNode();
	await nodeOnCanvas('Send One Order').hover();
	await click(page.getByTestId('execute-workflow-button-Send One Order'));
	await openNode('Create Delivery');
	await page.getByText('Dry Run: 1 delivery would be created').waitFor();
	await show('dry-run', page.getByTestId('output-panel'));
	await closeNode();
	await setTimezone();
	await goLive('#1004');
});
