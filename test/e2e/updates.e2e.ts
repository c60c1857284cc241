import { setTimeout as sleep } from 'node:timers/promises';

import axios from 'axios';
import { z } from 'zod';

import { waitFor } from '../../playground/n8n/progress';
import { outputOf } from '../../playground/n8n/execution';
import * as graphqlApi from '../../playground/shopify/graphql';
import { samples } from '../../playground/shopify/samples';
import { ShopRejection, type FulfillmentOrder, type Order } from '../../playground/shopify/shapes';
import { dropoff, packages, pickup } from './support/sampleDelivery';
import { openShopEnvironment, type ShopEnvironment } from './support/shop';

const updateTask = 3;
const everyHour = 'Every Hour';

let env: ShopEnvironment;
let updates: string;

beforeAll(async () => {
	env = await openShopEnvironment('newest');
	await env.createTable();
	updates = await env.publish('updates');
});
afterAll(async () => await env?.close());
afterEach(() => jest.restoreAllMocks());

const control = () => env.installation.service.control;
const shop = () => env.shopify.shop;
const shopDomain = () => `${env.shopify.credential.shopSubdomain}.myshopify.com`;

/** A delivery of a fulfillment order, with its row in the table. */
interface Sent {
	readonly order: Order;
	readonly fulfillmentOrder: FulfillmentOrder;
	readonly id: string;
	readonly trackLink: string;
}

/** Creates a delivery of a fulfillment order at the service. */
async function createDelivery(
	order: Order,
	fulfillmentOrder: FulfillmentOrder,
	cod?: number,
): Promise<Sent> {
	const { baseUrl, apiKeyId, apiSecret } = env.installation.service.credential;
	const referenceId = `${order.name}-${fulfillmentOrder.id}`;
	const delivery = { pickup, dropoff, packages, referenceId, ...(cod !== undefined && { cod }) };
	const { data } = await axios.post<unknown>(
		`${baseUrl}/v1/deliveries`,
		{ deliveries: [delivery] },
		{ auth: { username: apiKeyId, password: apiSecret }, proxy: false },
	);
	const record = z.object({ id: z.string(), trackLink: z.string() });
	const { payload } = z.object({ payload: z.array(record).length(1) }).parse(data);
	return { order, fulfillmentOrder, ...payload[0]! };
}

/** Adds the row of a delivery, as the workflow does that creates deliveries. */
async function addRow({ order, fulfillmentOrder, id, trackLink }: Sent): Promise<void> {
	await env.installation.client.addTableRow('Deliveries', {
		orderName: order.name,
		status: 'processing',
		message: '',
		actionNeeded: '',
		customer: 'Maya Okafor',
		trackingLink: trackLink,
		email: order.email,
		deliveryId: id,
		referenceId: `${order.name}-${fulfillmentOrder.id}`,
		orderUrl: `https://${shopDomain()}/admin/orders/${order.id}`,
		orderId: String(order.id),
		fulfillmentOrderId: String(fulfillmentOrder.id),
		shop: shopDomain(),
	});
}

/** Creates a delivery and its row for each fulfillment order of an order. */
async function send(order: Order, cod?: number): Promise<Sent[]> {
	const sent: Sent[] = [];
	for (const fulfillmentOrder of shop().fulfillmentOrders(order.id)) {
		const delivery = await createDelivery(order, fulfillmentOrder, cod);
		await addRow(delivery);
		sent.push(delivery);
	}
	return sent;
}

/** Places an order with one fulfillment order, and creates its delivery and row. */
async function placeAndSend(sample = samples[0], cod?: number): Promise<Sent> {
	const [sent] = await send(shop().place(sample), cod);
	return sent!;
}

/** Places an order with two fulfillment orders, and creates their deliveries and rows. */
async function placeSplitOrder(): Promise<[Sent, Sent]> {
	const order = shop().place(samples[1]);
	shop().split(order.id);
	const [first, second] = await send(order);
	return [first!, second!];
}

/** Makes the service send the event of a status, once or several times in parallel. */
async function fireStatus({ id }: Pick<Sent, 'id'>, status: unknown, times = 1): Promise<void> {
	const payload = { id, status, company_id: '1001', city_id: '7' };
	const fire = async () => await control().fireEvent(updateTask, payload);
	const postings = await Promise.all(Array.from({ length: times }, fire));
	expect(postings.flat().map((posting) => posting.status)).toEqual(Array(times).fill(200));
}

/** As {@link fireStatus}, and waits until the workflow has run. */
async function reportStatus(sent: Pick<Sent, 'id'>, status: unknown, times = 1): Promise<void> {
	await env.afterExecutions(updates, times, async () => await fireStatus(sent, status, times));
}

const runEveryHour = async () => {
	const { status } = await env.installation.client.run(updates, everyHour);
	expect(status).toBe('success');
};

const rowOf = async ({ id }: Pick<Sent, 'id'>, values = {}) =>
	await env.row({ deliveryId: id, ...values });

/** The tracking URLs of the fulfillments of a delivery's fulfillment order. */
const trackingUrls = ({ fulfillmentOrder }: Sent) =>
	shop()
		.fulfillmentsOf(fulfillmentOrder)
		.map(({ tracking_url: url }) => url);

/** The statuses that Shopify shows for a delivery, oldest first. */
const shownStatuses = ({ fulfillmentOrder }: Sent) =>
	shop()
		.fulfillmentsOf(fulfillmentOrder)
		.flatMap(({ id }) => shop().fulfillmentEvents(id))
		.map(({ status }) => status);

/** The emails to the owner about an order. */
const emailsAbout = ({ order }: Pick<Sent, 'order'>) => env.emails(order.name);

/** Runs a function while a copy of the workflow is published that waits for a row only for seconds. */
async function withShortWait(
	seconds: number,
	run: (workflowId: string) => Promise<void>,
): Promise<void> {
	const { client } = env.installation;
	await client.unpublish(updates);
	const quick = await env.publish('updates', {
		'Wait for Table Row': { amount: seconds, unit: 'seconds' },
	});
	await run(quick);
	await client.unpublish(quick);
	await client.publish(updates);
}

function fulfillManually({ fulfillmentOrder: { id } }: Sent): void {
	shop().fulfill({
		line_items_by_fulfillment_order: [{ fulfillment_order_id: id }],
		tracking_info: {},
		notify_customer: false,
	});
}

describe('delivery updates to Shopify', () => {
	test('fulfills an order when its delivery is picked up, and shows each status in Shopify', async () => {
		const sent = await placeAndSend();
		await reportStatus(sent, 'assigned');
		expect(await rowOf(sent)).toMatchObject({ status: 'assigned', shopifyStatus: null });
		expect(trackingUrls(sent)).toEqual([]);
		await reportStatus(sent, 'Picked up');
		expect(trackingUrls(sent)).toEqual([sent.trackLink]);
		expect(shop().order(sent.order.id).fulfillments).toMatchObject([
			{ tracking_number: sent.id, tracking_company: 'Delivery Service' },
		]);
		await reportStatus(sent, 'out for delivery');
		await reportStatus(sent, 'delivered');
		expect(shownStatuses(sent)).toEqual(['IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED']);
		expect(shop().order(sent.order.id).fulfillments).toHaveLength(1);
		expect(await rowOf(sent)).toMatchObject({
			status: 'delivered',
			shopifyStatus: 'DELIVERED',
			shownInShopify: 'yes',
			message: '',
			actionNeeded: '',
		});
		const { order, trackLink } = sent;
		const notified = shop()
			.notifications()
			.filter(({ orderId }) => orderId === order.id);
		expect(notified).toMatchObject([{ to: order.email, trackingUrl: trackLink }]);
		expect(emailsAbout(sent)).toEqual([]);
	});

	test('resolves a pending review when the status changes', async () => {
		const sent = await placeAndSend();
		const review = { message: 'Not found', actionNeeded: 'Correct it' };
		await env.installation.client.changeTableRow('Deliveries', { deliveryId: sent.id }, review);
		await reportStatus(sent, 'pending_review');
		expect(await rowOf(sent)).toMatchObject(review);
		await reportStatus(sent, 'processing');
		expect(await rowOf(sent)).toMatchObject({ message: '', actionNeeded: '' });
		expect(emailsAbout(sent)).toEqual([]);
	});

	test.each(['picked_up', 'PICKED-UP', 'PickedUp'])(
		'recognizes the status %s as picked up',
		async (status) => {
			const sent = await placeAndSend();
			await reportStatus(sent, status);
			expect(trackingUrls(sent)).toEqual([sent.trackLink]);
			expect(shownStatuses(sent)).toEqual(['IN_TRANSIT']);
		},
	);

	test('reports a status that is on no list once', async () => {
		const sent = await placeAndSend();
		const other = await placeAndSend();
		for (const status of ['at the hub', 'At the hub', 'assigned']) await reportStatus(sent, status);
		await reportStatus(other, 'at the hub');
		expect(await rowOf(sent)).toMatchObject({ status: 'assigned', shopifyStatus: null });
		expect(env.emails('"at the hub", which is on no list')).toHaveLength(1);
		expect(emailsAbout(other)).toEqual([]);
	});

	test('leaves the deliveries of another shop alone', async () => {
		const sent = await placeAndSend();
		await env.installation.client.changeTableRow(
			'Deliveries',
			{ deliveryId: sent.id },
			{ shop: 'other.myshopify.com' },
		);
		await withShortWait(1, async (quick) => {
			await env.afterExecutions(quick, 1, async () => await fireStatus(sent, 'picked up'));
		});
		expect(await rowOf(sent)).toMatchObject({ status: 'processing' });
		expect(trackingUrls(sent)).toEqual([]);
	});

	test('fulfills a split order part by part, each with the tracking link of its delivery', async () => {
		const [first, second] = await placeSplitOrder();
		const { id } = first.order;
		await reportStatus(second, 'picked up');
		expect(trackingUrls(first)).toEqual([]);
		expect(trackingUrls(second)).toEqual([second.trackLink]);
		expect(shop().order(id).fulfillment_status).toBe('partial');
		await reportStatus(first, 'delivered');
		expect(trackingUrls(first)).toEqual([first.trackLink]);
		expect(trackingUrls(second)).toEqual([second.trackLink]);
		expect(shop().order(id).fulfillment_status).toBe('fulfilled');
		expect(shownStatuses(first)).toEqual(['DELIVERED']);
		expect(shownStatuses(second)).toEqual(['IN_TRANSIT']);
	});

	test('shows the status of each delivery that a call is about', async () => {
		const all = [await placeAndSend(), await placeAndSend()];
		const status = { status: 'picked up', company_id: '1001', city_id: '7' };
		await env.afterExecutions(updates, 1, async () => {
			const events = all.map(({ id }) => ({ id, ...status }));
			await control().fireEvent(updateTask, [...events, { id: 'of-another-shop', ...status }]);
		});
		expect(all.map(trackingUrls)).toEqual(all.map(({ trackLink }) => [trackLink]));
	});

	test('fulfills an order once when events arrive late, repeatedly or simultaneously', async () => {
		const sent = await placeAndSend();
		await reportStatus(sent, 'out for delivery', 3);
		await reportStatus(sent, 'picked up');
		expect(await rowOf(sent)).toMatchObject({ status: 'out for delivery', shownInShopify: 'yes' });
		await reportStatus(sent, 'delivered', 3);
		await reportStatus(sent, 'picked up');
		await reportStatus(sent, 'processing');
		await reportStatus(sent, 'delivered');
		expect(await rowOf(sent)).toMatchObject({ status: 'delivered', shownInShopify: 'yes' });
		expect(trackingUrls(sent)).toEqual([sent.trackLink]);
		expect(shownStatuses(sent)).toEqual(['OUT_FOR_DELIVERY', 'DELIVERED']);
		expect(emailsAbout(sent)).toEqual([]);
	});

	test('shows picked up and delivered at the same moment in any order, and emails nobody', async () => {
		const all = [await placeAndSend(), await placeAndSend(), await placeAndSend()];
		await env.afterExecutions(updates, 2 * all.length, async () => {
			for (const status of ['picked up', 'delivered'])
				await Promise.all(all.map(async (sent) => await fireStatus(sent, status)));
		});
		for (const sent of all) {
			expect(await rowOf(sent)).toMatchObject({ status: 'delivered', shownInShopify: 'yes' });
			expect(trackingUrls(sent)).toEqual([sent.trackLink]);
			expect(shownStatuses(sent)).toContain('DELIVERED');
			expect(emailsAbout(sent)).toEqual([]);
		}
	});

	test('does not fulfill an order again that was fulfilled manually, but shows its status', async () => {
		const sent = await placeAndSend();
		fulfillManually(sent);
		await reportStatus(sent, 'delivered');
		expect(await rowOf(sent)).toMatchObject({ shownInShopify: 'yes', actionNeeded: '' });
		expect(trackingUrls(sent)).toEqual([null]);
		expect(shownStatuses(sent)).toEqual(['DELIVERED']);
	});

	test('fulfills what is left of a fulfillment order, and shows no status for what was fulfilled manually', async () => {
		const order = shop().place(samples[1]);
		const [sent] = await send(order);
		const { id, line_items: lines } = sent!.fulfillmentOrder;
		shop().fulfill({
			line_items_by_fulfillment_order: [
				{
					fulfillment_order_id: id,
					fulfillment_order_line_items: [{ id: lines[0]!.id, quantity: 1 }],
				},
			],
			tracking_info: {},
			notify_customer: false,
		});
		for (const status of ['picked up', 'delivered']) await reportStatus(sent!, status);
		expect(trackingUrls(sent!)).toEqual([null, sent!.trackLink]);
		const [manual, own] = shop().fulfillmentsOf(sent!.fulfillmentOrder);
		expect(shop().fulfillmentEvents(manual!.id)).toEqual([]);
		expect(shop().fulfillmentEvents(own!.id)).toMatchObject([
			{ status: 'IN_TRANSIT' },
			{ status: 'DELIVERED' },
		]);
		expect(await rowOf(sent!)).toMatchObject({ shownInShopify: 'yes', actionNeeded: '' });
		expect(emailsAbout(sent!)).toEqual([]);
	});

	test('leaves the fulfillment order of a canceled order alone', async () => {
		const sent = await placeAndSend();
		shop().cancel(sent.order.id);
		await reportStatus(sent, 'picked up');
		expect(await rowOf(sent)).toMatchObject({ shownInShopify: 'yes', actionNeeded: '' });
		expect(trackingUrls(sent)).toEqual([]);
		expect(emailsAbout(sent)).toEqual([]);
	});

	test('fulfills a fulfillment order on hold once it is released', async () => {
		const [first, second] = await placeSplitOrder();
		shop().hold(second.fulfillmentOrder.id);
		await reportStatus(first, 'picked up');
		for (const status of ['picked up', 'out for delivery']) await reportStatus(second, status);
		await runEveryHour();
		expect(trackingUrls(first)).toEqual([first.trackLink]);
		expect(await rowOf(second)).toMatchObject({
			status: 'out for delivery',
			shownInShopify: 'no',
			actionNeeded: expect.stringMatching(/on hold\): .*[^.]\. Check the order.* release it/),
		});
		shop().hold(second.fulfillmentOrder.id, false);
		await runEveryHour();
		expect(trackingUrls(second)).toEqual([second.trackLink]);
		expect(await rowOf(second)).toMatchObject({
			shownInShopify: 'yes',
			actionNeeded: '',
		});
		const subject = `Action needed: ${second.order.name}-${second.fulfillmentOrder.id}`;
		const text = expect.stringContaining('n8n tries again every hour.');
		expect(emailsAbout(second)).toMatchObject([{ subject, text }]);
	});

	test('ends each of several saved updates with its own result, in one run', async () => {
		const { client } = env.installation;
		const [failing, deleted, rejected, shown] = [
			await placeAndSend(),
			await placeAndSend(),
			await placeAndSend(),
			await placeAndSend(),
		];
		const all = [failing, deleted, rejected, shown];
		const alsoRejected = await placeAndSend();
		fulfillManually(failing);
		const [fulfillment] = shop().fulfillmentsOf(failing.fulfillmentOrder);
		const rejectedParts = [rejected, alsoRejected].map(({ fulfillmentOrder: { id } }) => id);
		const { runGraphql } = graphqlApi;
		const shopify = jest.spyOn(graphqlApi, 'runGraphql').mockImplementation(async (...request) => {
			const [, body] = request;
			const text = JSON.stringify(body);
			if (text.includes(`/Fulfillment/${fulfillment!.id}"`))
				throw new ShopRejection(500, 'Shopify is busy');
			if (rejectedParts.some((id) => text.includes(`/FulfillmentOrder/${id}"`)))
				throw new ShopRejection(401, 'Invalid access token');
			return await runGraphql(...request);
		});
		for (const sent of all) {
			await client.changeTableRow(
				'Deliveries',
				{ deliveryId: sent.id },
				{
					status: 'picked up',
					shopifyStatus: 'IN_TRANSIT',
					shownInShopify: 'no',
					...(sent === deleted && { fulfillmentOrderId: '1' }),
				},
			);
		}
		const problemOf = ({ order: { name } }: Sent, reason: string) => ({
			shownInShopify: 'no',
			actionNeeded: expect.stringMatching(
				new RegExp(`^Shopify does not show the delivery status of ${name} .*${reason}`),
			),
		});

		await runEveryHour();
		await runEveryHour();
		expect(all.map((sent) => emailsAbout(sent).length)).toEqual([1, 1, 1, 0]);
		expect(trackingUrls(shown)).toEqual([shown.trackLink]);
		expect(shownStatuses(shown)).toEqual(['IN_TRANSIT']);
		expect(await rowOf(failing)).toMatchObject(
			problemOf(failing, 'not able to process your request'),
		);
		expect(await rowOf(deleted)).toMatchObject({
			...problemOf(deleted, 'does not exist.*set shownInShopify to yes'),
		});
		expect(await rowOf(rejected)).toMatchObject(
			problemOf(rejected, 'Authorization failed.*check the Shopify credential'),
		);
		expect(await rowOf(shown)).toMatchObject({ shownInShopify: 'yes', actionNeeded: '' });

		await reportStatus(alsoRejected, 'picked up');
		expect(await rowOf(alsoRejected)).toMatchObject(
			problemOf(alsoRejected, 'Authorization failed.*check the Shopify credential'),
		);
		expect(emailsAbout(alsoRejected)).toEqual([]);

		shopify.mockRestore();
		await runEveryHour();
		for (const sent of [failing, rejected, alsoRejected]) {
			expect(await rowOf(sent)).toMatchObject({ shownInShopify: 'yes', actionNeeded: '' });
			expect(shownStatuses(sent)).toEqual(['IN_TRANSIT']);
		}
		expect(await rowOf(deleted)).toMatchObject({ shownInShopify: 'no' });
		await client.changeTableRow(
			'Deliveries',
			{ deliveryId: deleted.id },
			{ shownInShopify: 'yes' },
		);
	});

	test('emails the owner once about all deliveries that Shopify rejects for a new reason', async () => {
		const rejected = [await placeAndSend(), await placeAndSend(), await placeAndSend()];
		const { runGraphql } = graphqlApi;
		const shopify = jest.spyOn(graphqlApi, 'runGraphql').mockImplementation(async (...request) => {
			const text = JSON.stringify(request);
			if (
				rejected.some(({ fulfillmentOrder: { id } }) => text.includes(`/FulfillmentOrder/${id}"`))
			)
				throw new ShopRejection(403, 'No access');
			return await runGraphql(...request);
		});
		const waiting = { shopifyStatus: 'IN_TRANSIT', shownInShopify: 'no' };
		for (const { id } of rejected)
			await env.installation.client.changeTableRow('Deliveries', { deliveryId: id }, waiting);
		await runEveryHour();
		const [email, ...others] = emailsAbout(rejected[0]!);
		expect(others).toEqual([]);
		for (const sent of rejected) expect(emailsAbout(sent)).toEqual([email]);
		shopify.mockRestore();
		await runEveryHour();
		for (const sent of rejected) expect(shownStatuses(sent)).toEqual(['IN_TRANSIT']);
	});

	test('leaves the statuses of waiting deliveries alone if a list of statuses is empty', async () => {
		const sent = await placeAndSend();
		shop().hold(sent.fulfillmentOrder.id);
		await reportStatus(sent, 'delivered');
		const { client } = env.installation;
		const other = await env.store('updates', { Settings: { OUT_FOR_DELIVERY: '', FAILURE: '' } });
		expect((await client.run(other, everyHour)).status).toBe('success');
		expect(await rowOf(sent)).toMatchObject({ status: 'delivered', shopifyStatus: 'DELIVERED' });
		shop().hold(sent.fulfillmentOrder.id, false);
		await runEveryHour();
		expect(shownStatuses(sent)).toEqual(['DELIVERED']);
	});

	test('emails the owner when a delivery failed, and shows a later attempt', async () => {
		const sent = await placeAndSend();
		await reportStatus(sent, 'picked up');
		await reportStatus(sent, 'failed');
		expect(shownStatuses(sent)).toEqual(['IN_TRANSIT', 'FAILURE']);
		expect(await rowOf(sent)).toMatchObject({
			actionNeeded: expect.stringMatching(
				`^The Delivery Service reports "failed" for ${sent.order.name}. Check the delivery`,
			),
		});
		await reportStatus(sent, 'delivered');
		expect(shownStatuses(sent)).toEqual(['IN_TRANSIT', 'FAILURE', 'DELIVERED']);
		expect(await rowOf(sent)).toMatchObject({ actionNeeded: '' });
		expect(emailsAbout(sent)).toHaveLength(1);
	});

	test('does not fulfill an order whose delivery failed before its pickup', async () => {
		const sent = await placeAndSend();
		await reportStatus(sent, 'failed');
		expect(trackingUrls(sent)).toEqual([]);
		expect(await rowOf(sent)).toMatchObject({ shownInShopify: 'yes' });
		expect(emailsAbout(sent)).toHaveLength(1);
	});

	const callsOfShopify: Array<[string, (kill: () => void) => void]> = [
		[
			'the fulfillment',
			(kill) => {
				const fulfill = shop().fulfill.bind(shop());
				jest.spyOn(shop(), 'fulfill').mockImplementationOnce((request) => {
					kill();
					return fulfill(request);
				});
			},
		],
		[
			'the fulfillment event',
			(kill) => {
				const addEvent = shop().addFulfillmentEvent.bind(shop());
				jest.spyOn(shop(), 'addFulfillmentEvent').mockImplementationOnce((request) => {
					kill();
					return addEvent(request);
				});
			},
		],
	];

	describe('when n8n is killed', () => {
		/** Its event waits for its row during the tests. */
		let early: Sent;
		let firstPid: number;

		const killAndStart = async (killed = env.installation.killN8n()) => {
			await killed;
			await env.installation.startN8n();
		};

		beforeAll(async () => {
			const order = shop().place(samples[0]);
			const [fulfillmentOrder] = shop().fulfillmentOrders(order.id);
			early = await createDelivery(order, fulfillmentOrder!);
			await fireStatus(early, 'delivered');
			await waitFor('the event to wait', async () => {
				const executions = await env.installation.client.executions(updates);
				return executions.some(({ status }) => status === 'waiting');
			});
			firstPid = env.installation.n8n.child.pid;
		});

		test.each(callsOfShopify)(
			'completes an update after n8n was killed before the response to %s',
			async (_name, onCall) => {
				const sent = await placeAndSend();
				let killed: Promise<void> | undefined;
				onCall(() => void (killed = env.installation.killN8n()));
				await fireStatus(sent, 'picked up');
				await waitFor('n8n to be killed', () => killed && true);
				await killAndStart(killed);
				expect(await rowOf(sent)).toMatchObject({ status: 'picked up', shownInShopify: 'no' });
				await runEveryHour();
				expect(await rowOf(sent)).toMatchObject({ shownInShopify: 'yes', actionNeeded: '' });
				expect(trackingUrls(sent)).toEqual([sent.trackLink]);
				expect(new Set(shownStatuses(sent))).toEqual(new Set(['IN_TRANSIT']));
			},
		);

		test('applies an event that arrives before the row of its delivery, even if n8n is killed meanwhile', async () => {
			// When the tests above do not run.
			if (env.installation.n8n.child.pid === firstPid) await killAndStart();
			await addRow(early);
			await waitFor('the status in Shopify', () => shownStatuses(early).length > 0);
			expect(shownStatuses(early)).toEqual(['DELIVERED']);
			expect(trackingUrls(early)).toEqual([early.trackLink]);
			await rowOf(early, { status: 'delivered', shownInShopify: 'yes' });
		});
	});

	test('ends without an error for a delivery that is not from Shopify', async () => {
		await withShortWait(1, async (quick) => {
			await env.afterExecutions(quick, 1, async () => {
				await fireStatus({ id: 'of-another-shop' }, 'delivered');
			});
			const executions = await env.installation.client.executions(quick);
			expect(executions).toMatchObject([{ status: 'success' }]);
		});
	});

	test('emails the owner once about a status that waited for its row and that Shopify rejects', async () => {
		const order = shop().place(samples[0]);
		const [fulfillmentOrder] = shop().fulfillmentOrders(order.id);
		const sent = await createDelivery(order, fulfillmentOrder!);
		shop().hold(sent.fulfillmentOrder.id);
		await withShortWait(10, async (quick) => {
			const { client } = env.installation;
			await env.afterExecutions(quick, 1, async () => {
				await fireStatus(sent, 'picked up');
				await sleep(5_000);
				await addRow(sent);
			});
			const [{ id } = { id: '' }] = await client.executions(quick);
			expect(outputOf(await client.execution(id), 'Wait for Table Row')).not.toEqual([]);
		});
		expect(await rowOf(sent)).toMatchObject({
			status: 'picked up',
			shownInShopify: 'no',
			actionNeeded: expect.stringContaining(`delivery status of ${order.name} (on hold)`),
		});
		expect(emailsAbout(sent)).toHaveLength(1);
		shop().hold(sent.fulfillmentOrder.id, false);
	});
});
