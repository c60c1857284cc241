import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser, Locator, Page } from 'playwright-core';

import { projectFolder } from '../../playground/n8n/folders';
import { patienceMs, waitFor } from '../../playground/n8n/progress';
import type { LocalService } from '../../playground/service/server';
import type { OrderPart } from '../../playground/shopify/fulfillmentOrders';
import { samples } from '../../playground/shopify/samples';
import { startMailbox } from '../../playground/mailbox/mailbox';
import { startShopify, type Shopify } from '../../playground/shopify/server';
import { orderShape } from '../../playground/shopify/shapes';
import { openLocalService, type OpenLocalService } from '../support/localService';
import { delivery } from '../support/sampleDelivery';
import { launchBrowser } from './support/browser';

const artifactsFolder = join(projectFolder, 'artifacts', 'pages');
const screen = { width: 1440, height: 900 };
/** In windows of these widths, nothing is cut off. */
const widths = [1440, 1200, 1000, 801, 800, 500];
const address = '2200 Foundry Street, Loading dock B, Pittsburgh, PA 15222';

/** The shop uses its new addresses in turn. */
const newAddress = /12 Birch Walk|508 Canal Street|91 Orchard Way/;

let local: OpenLocalService;
let service: LocalService;
let shopify: Shopify;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	await mkdir(artifactsFolder, { recursive: true });
	local = await openLocalService({ links: [{ name: 'Shop', url: 'http://127.0.0.1:1' }] });
	service = local.service;
	shopify = await startShopify({
		service,
		links: [{ name: 'Delivery Service', url: service.url }],
	});
	browser = await launchBrowser();
});

afterAll(async () => {
	await browser?.close();
	await shopify?.close();
	await service?.close();
});

beforeEach(async () => {
	service.control.reset();
	shopify.reset();
	page = await browser.newPage({ viewport: screen });
	page.setDefaultTimeout(patienceMs);
});

afterEach(async () => await page.close());

/** Creates a delivery, as n8n would. Returns its ID. */
async function create(referenceId: string): Promise<string> {
	const dropoff = {
		contact: { name: 'Priya Lindqvist', email: 'orders@mail.example' },
		location: { address },
	};
	await local.api.post('/v1/deliveries', { deliveries: [delivery({ referenceId, dropoff })] });
	const created = service.control.deliveries().at(-1);
	if (created?.record.referenceId !== referenceId) throw new Error('No delivery was created');
	return created.record.id;
}

/** Places a sample order, of which n8n creates no delivery here. */
function place(sample: number, parts?: readonly OrderPart[]) {
	return shopify.shop.place(samples[sample], parts);
}

const row = (text: string): Locator => page.locator('tbody tr', { hasText: text });
const nextButton = (status: string): Locator =>
	page.getByRole('button', { name: `Next: ${status} →` });

/** The names of the buttons of a row for a screen reader. */
const buttonNames = async (text: string) => {
	const buttons = await row(text).getByRole('button').all();
	return await Promise.all(buttons.map(async (one) => await one.getAttribute('aria-label')));
};

/** Waits until the rows of a table have these texts, in this order. */
async function expectRows(table: string, texts: readonly string[]): Promise<void> {
	const rows = page.locator(`#${table} tbody tr`);
	const read = async () => await rows.allInnerTexts();
	await waitFor(`the rows ${texts.join(', ')}`, async () => {
		const found = await read();
		const isMatch =
			found.length === texts.length && texts.every((text, index) => found[index]?.includes(text));
		return isMatch;
	}).catch(async () => expect(await read()).toEqual(texts));
}

async function screenshot(name: string): Promise<void> {
	await page.screenshot({ path: join(artifactsFolder, `${name}.png`) });
}

/** Expects that all content fits into the width of the elements. */
async function expectFits(elements: Locator): Promise<void> {
	const overflows = await elements.evaluateAll((all) =>
		all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
	);
	expect(overflows.length).toBeGreaterThan(0);
	expect(overflows).toEqual(overflows.map(() => 0));
}

/** Expects that neither the page nor a table scrolls sideways in a wide or narrow window. */
async function expectFitsAnyWindow(): Promise<void> {
	for (const width of widths) {
		await page.setViewportSize({ width, height: screen.height });
		await expectFits(page.locator('html, .scroll'));
	}
}

describe('the page of the local service', () => {
	test('moves a delivery to its last status with the Next buttons', async () => {
		const id = await create('#1001');
		await page.goto(service.url);
		expect(await buttonNames('#1001')).toEqual(['Next: assigned → #1001']);
		await page.getByText('No workflow subscribes to it').waitFor();
		for (const status of ['assigned', 'picked up', 'delivered']) {
			await nextButton(status).click();
			await row('#1001').getByText(status, { exact: true }).waitFor();
			expect(service.control.deliveries()[0]?.record).toMatchObject({ id, statusDelivery: status });
		}
		expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
		await expectRows('events', ['delivered', 'picked up', 'assigned', 'Delivery created']);
	});

	test('shows 12 deliveries on one screen, the newest first', async () => {
		const orders = Array.from({ length: 12 }, (_, index) => `#${1001 + index}-670000000${index}`);
		for (const referenceId of orders) await create(referenceId);
		await page.goto(service.url);
		await expectRows('deliveries', [...orders].reverse());
		await screenshot('service');
		const oldest = await row('#1001').boundingBox();
		expect((oldest?.y ?? Infinity) + (oldest?.height ?? 0)).toBeLessThan(screen.height);
		await expectFits(page.getByText(address));
	});

	test('shows new deliveries and webhooks without a reload', async () => {
		await page.goto(service.url);
		await page.getByText('No deliveries yet.').waitFor();
		await create('#1001');
		await expectRows('deliveries', ['#1001']);
		await create('#1002');
		await expectRows('deliveries', ['#1002', '#1001']);
		expect(await page.locator('#totals').innerText()).toBe('2 deliveries');
		const webhook = new URLSearchParams({ url: 'http://127.0.0.1:1/a', action: '3' });
		await local.api.post('/hooks/companies/1001', webhook);
		await expectRows('webhooks', ['Delivery updated']);
	});

	test('fits into a narrow window', async () => {
		for (const order of ['#1001', '#1002', '#1003']) await create(order);
		await page.goto(service.url);
		await row('#1003').waitFor();
		await expectFitsAnyWindow();
		await nextButton('assigned').first().click();
		await nextButton('picked up').waitFor();
		await screenshot('service-narrow');
	});
});

describe("the shop's page", () => {
	test('shows the delivery of an order with its status, live, and the tracking link', async () => {
		const order = place(0);
		await page.goto(shopify.url);
		await row('#1001').getByText('No delivery yet').waitFor();
		const id = await create('#1001');
		await row('#1001').getByText('processing').waitFor();
		await page.getByText('Next: open the Delivery Service and press Next on #1001').waitFor();
		await service.control.advance(id);
		await row('#1001').getByText('assigned').waitFor();
		const [part] = shopify.shop.fulfillmentOrders(order.id);
		shopify.shop.fulfill({
			line_items_by_fulfillment_order: [{ fulfillment_order_id: Number(part?.id) }],
			tracking_info: { url: `https://track.example/${id}` },
			notify_customer: true,
		});
		await row('#1001').getByText('Fulfilled, customer notified').waitFor();
		const tracking = row('#1001').getByRole('link', { name: `track.example/${id}` });
		expect(await tracking.getAttribute('href')).toBe(`${service.url}/#${id}`);
		expect(await row('#1001').getByRole('button').count()).toBe(0);
	});

	test('says why an order has no delivery, where the shop knows it', async () => {
		for (let sample = 0; sample < 12; sample += 1) place(sample);
		const pickup = place(0, [{ method: 'pick_up' }]);
		const held = shopify.shop.fulfillmentOrders(place(0).id)[0];
		shopify.shop.hold(Number(held?.id));
		const later = shopify.shop.fulfillmentOrders(place(0).id)[0];
		shopify.shop.schedule(Number(later?.id), '2030-05-01T10:00:00Z');
		await page.goto(shopify.url);
		const [unsent] = shopify.shop.fulfillmentOrders(shopify.shop.orders()[8]!.id);
		shopify.explain(new Map([[String(unsent?.id), 'the service rejected the API key']]));
		for (const [order, text] of [
			['#1005', 'No delivery (canceled)'],
			['#1006', 'No delivery (nothing to ship)'],
			['#1007', 'No delivery (test order)'],
			['#1008', 'No delivery yet'],
			['#1009', 'No delivery (the service rejected the API key)'],
			['#1012', 'No delivery (nothing to ship)'],
			[pickup.name, 'No delivery (store pickup)'],
			['#1014', 'No delivery (on hold)'],
			['#1015', 'No delivery (scheduled for 2030-05-01)'],
		] as const)
			await row(order).getByText(text, { exact: true }).waitFor();
	});

	test("shows Shopify's shipment status, and a fulfillment without a tracking link", async () => {
		const fulfillments = [{ shipment_status: 'in_transit', tracking_url: null }];
		const order = { ...samples[0], fulfillments, fulfillment_status: 'fulfilled' };
		shopify.shop.place(orderShape.parse(order));
		await page.goto(shopify.url);
		await row('#1001').getByText('in transit, no tracking link').waitFor();
		await row('#1001').getByText('No delivery (already fulfilled)').waitFor();
	});

	test('shows a delivery for each part of a split order', async () => {
		const order = place(1, [{ lines: [0] }, { lines: [1], location: 'warehouse' }]);
		const [first, second] = shopify.shop.fulfillmentOrders(order.id);
		await page.goto(shopify.url);
		await row('#1001').getByText('Harbor Warehouse: no delivery yet').waitFor();
		await create(`#1001-${first?.id}`);
		await row('#1001').getByText('Main Street Store: processing').waitFor();
		await service.control.advance(await create(`#1001-${second?.id}`));
		await row('#1001').getByText('Harbor Warehouse: assigned').waitFor();
		await expectFitsAnyWindow();
		// An order whose name only starts with the same digits.
		await create('#10011');
		await page.getByText('Harbor Warehouse: assigned').waitFor();
		expect(await row('#1001').getByRole('link').count()).toBe(2);
	});

	test('links from an order to its delivery on the page of the local service', async () => {
		place(0);
		place(1);
		await create('#1001');
		await create('#1002');
		await page.goto(shopify.url);
		await row('#1001').getByRole('link', { name: 'processing' }).click();
		await page.locator('tr.selected', { hasText: '#1001' }).waitFor();
		expect(new URL(page.url()).origin).toBe(service.url);
		expect(await page.locator('tr.selected').count()).toBe(1);
	});

	test('places orders and changes an address with its buttons', async () => {
		await page.goto(shopify.url);
		await page.getByText('No orders yet.').waitFor();
		await page.getByText('Next: press New orders.').waitFor();
		await page.getByRole('button', { name: 'New orders' }).click();
		await expectRows('orders', ['#1003', '#1002', '#1001']);
		await row('#1002').getByRole('button', { name: 'Change address' }).click();
		await row('#1002').getByText(newAddress).waitFor();
		expect(await buttonNames('#1002')).toEqual(['Change address of #1002', 'Cancel #1002']);
		const link = page.getByRole('navigation').getByRole('link', { name: 'Delivery Service' });
		expect(await link.getAttribute('href')).toBe(service.url);
	});

	test('shows all 12 sample orders on one screen, and fits into a narrow window', async () => {
		for (let sample = 0; sample < 12; sample += 1) {
			const { name, id } = place(sample);
			if (![4, 5, 6, 11].includes(sample)) await create(name);
			if (sample > 0) continue;
			const [part] = shopify.shop.fulfillmentOrders(id);
			shopify.shop.fulfill({
				line_items_by_fulfillment_order: [{ fulfillment_order_id: Number(part?.id) }],
				tracking_info: { url: service.control.deliveries()[0]?.record.trackLink },
				notify_customer: true,
			});
		}
		await page.goto(shopify.url);
		await row('#1012').waitFor();
		await screenshot('shop');
		const oldest = await row('#1001').boundingBox();
		expect((oldest?.y ?? Infinity) + (oldest?.height ?? 0)).toBeLessThan(screen.height);
		await expectFitsAnyWindow();
		await row('#1002').getByRole('button', { name: 'Change address' }).click();
		await row('#1002').getByText(newAddress).waitFor();
		await screenshot('shop-narrow');
	});

	test('has no column for deliveries without a local service', async () => {
		const alone = await startShopify();
		try {
			alone.shop.place();
			await page.goto(alone.url);
			await row('#1001').getByText('Unfulfilled').waitFor();
			expect(await page.locator('#orders').innerText()).not.toMatch(/delivery/i);
		} finally {
			await alone.close();
		}
	});
});

test('the mailbox shows emails, newest first, with links to the stand-ins', async () => {
	const email = { to: ['ana@example.com'], subject: 'On its way', at: 1 };
	const links = [{ name: 'Delivery Service', url: service.url }];
	const text = 'Track: https://track.delivery-service.example/d-1';
	const shopEmails = [{ ...email, text }];
	const mailbox = await startMailbox({ port: 0, links, shopEmails: () => shopEmails });
	try {
		await page.goto(mailbox.url);
		const link = page.getByRole('link', { name: text });
		expect(await link.getAttribute('href')).toBe(`${service.url}/#d-1`);
		shopEmails.push({ ...email, subject: 'Delivered', text: 'Thanks', at: 2 });
		mailbox.refresh();
		await expectRows('emails', ['Delivered', 'On its way']);
		await expectFitsAnyWindow();
	} finally {
		await mailbox.close();
	}
});
