import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';
import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import {
	credentialTypes,
	filledIn,
	nodeNames,
	tables,
	type Credentials,
	type FilledIn,
} from '../../playground/examples';
import { samples } from '../../playground/shopify/samples';
import type { Order } from '../../playground/shopify/shapes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { openShopWorld, type ShopWorld } from './support/shop';

const updateTask = 3;
const timeoutMs = 60_000;

describe.each(['newest', '1.123'] as const)('the examples in n8n %s', (version) => {
	let at: ShopWorld;
	let orders: string;
	let updates: string;

	beforeAll(async () => {
		at = await openShopWorld(version);
		updates = await at.publish('updates');
		orders = await at.publish('orders');
	});
	afterAll(async () => await at?.close());

	const control = () => at.installation.service.control;

	/** A customer places an order like a sample, and the workflow has run for it. */
	async function place(sample = samples[0]): Promise<Order> {
		return await at.afterRuns(orders, 1, () => at.shopify.shop.place(sample));
	}

	const rowOf = async ({ id }: Order, more = {}) =>
		await at.row(tables.deliveries, { orderId: String(id), ...more });

	/** What the service has for an order: one delivery, since each goes out once. */
	async function deliveryOf(order: Order) {
		const found = await waitFor(`the delivery of ${order.name}`, timeoutMs, () => {
			const all = control().deliveries();
			const own = all.filter(({ record }) => record.referenceId === order.name);
			return Promise.resolve(own.length > 0 ? own : undefined);
		});
		expect(found).toHaveLength(1);
		return found[0]!;
	}

	/** Has the service report a status of a delivery, so many times at the same moment. */
	async function report(id: string, status: unknown, times = 1): Promise<void> {
		const payload = { id, status, company_id: '1001', city_id: '7' };
		await at.afterRuns(updates, times, async () => {
			const fire = async () => await control().fireEvent(updateTask, payload);
			const postings = await Promise.all(Array.from({ length: times }, fire));
			expect(postings.flat().map((posting) => posting.status)).toEqual(Array(times).fill(200));
		});
	}

	const trackingOf = ({ id }: Order) =>
		at.shopify.shop.order(id).fulfillments.map(({ tracking_url: url }) => url);

	/** Somebody at the shop marks what is first to be shipped of an order as on its way. */
	function fulfillByHand({ id }: Order): void {
		const { shop } = at.shopify;
		const [open] = shop.fulfillmentOrders(id);
		shop.fulfill({
			line_items_by_fulfillment_order: [{ fulfillment_order_id: open?.id ?? 0 }],
			tracking_info: {},
			notify_customer: false,
		});
	}

	const toLookAt = async (order: Order) =>
		await at.rows(tables.toLookAt, { orderName: order.name, solved: 'no' });

	test('an order becomes a delivery with its row, and is fulfilled when it has arrived', async () => {
		const order = await place();
		const { record } = await deliveryOf(order);
		expect(await rowOf(order)).toMatchObject({
			deliveryId: record.id,
			referenceId: order.name,
			orderName: order.name,
			email: order.email,
			trackingLink: record.trackLink,
			status: 'processing',
			fulfilment: 'open',
		});
		await report(record.id, 'picked up');
		expect(await rowOf(order)).toMatchObject({ status: 'picked up', fulfilment: 'open' });
		expect(trackingOf(order)).toEqual([]);
		await report(record.id, 'delivered');
		expect(trackingOf(order)).toEqual([record.trackLink]);
		expect(at.shopify.shop.notifications()).toContainEqual({
			orderId: order.id,
			to: order.email,
			trackingUrl: record.trackLink,
		});
		expect(await rowOf(order)).toMatchObject({ status: 'delivered', fulfilment: 'done' });
		expect(await at.rows(tables.statuses)).toMatchObject([
			{ status: 'picked up', fulfils: 'no' },
			{ status: 'delivered', fulfils: 'yes' },
		]);
		expect(await at.rows(tables.earlyEvents)).toEqual([]);
		expect(await at.rows(tables.toLookAt)).toEqual([]);
	});

	test('events that come late, repeated or at the same moment fulfil an order once', async () => {
		const order = await place(samples[1]);
		const { record } = await deliveryOf(order);
		await rowOf(order);
		await report(record.id, 'delivered', 3);
		await report(record.id, 'picked up');
		await report(record.id, 'delivered');
		expect(await rowOf(order)).toMatchObject({ status: 'delivered', fulfilment: 'done' });
		expect(trackingOf(order)).toEqual([record.trackLink]);
		expect(await toLookAt(order)).toEqual([]);
		expect(await at.rows(tables.earlyEvents)).toEqual([]);
	});

	test('an event that comes before the row of its delivery is kept until there is one', async () => {
		control().addFault({ kind: 'holdAfter', method: 'POST', path: '/v1/deliveries' });
		const order = await at.afterRuns(orders, 1, async () => {
			const placed = at.shopify.shop.place(samples[0]);
			const { record } = await deliveryOf(placed);
			await report(record.id, 'delivered');
			expect(await at.rows(tables.earlyEvents)).toMatchObject([
				{ deliveryId: record.id, status: 'delivered' },
			]);
			control().release();
			return placed;
		});
		const { record } = await deliveryOf(order);
		expect(await rowOf(order)).toMatchObject({ status: 'delivered', fulfilment: 'open' });
		expect(await at.rows(tables.earlyEvents)).toEqual([]);
		await at.installation.client.run(updates, 'Every hour');
		expect(await rowOf(order)).toMatchObject({ fulfilment: 'done' });
		expect(trackingOf(order)).toEqual([record.trackLink]);
	});

	test('orders at the same moment, one of them reported twice, become a delivery each', async () => {
		const { shop, webhooks } = at.shopify;
		const placed = await at.afterRuns(orders, 4, async () => {
			const three = samples.slice(0, 3).map((sample) => shop.place(sample));
			await webhooks.resend(
				webhooks.messages().filter(({ subject }) => subject === three[0]?.name),
			);
			return three;
		});
		for (const order of placed) {
			const { record } = await deliveryOf(order);
			expect(await rowOf(order)).toMatchObject({ deliveryId: record.id, fulfilment: 'open' });
			expect(await toLookAt(order)).toEqual([]);
		}
	});

	test('an order that is refused is to be looked at, with what to do', async () => {
		control().addFault({
			kind: 'status',
			method: 'POST',
			path: '/v1/deliveries',
			status: 422,
			body: { code: 'INVALID', message: 'No courier drives there' },
		});
		const order = await place();
		expect(await at.row(tables.toLookAt, { orderName: order.name })).toMatchObject({
			about: 'creation',
			message: expect.stringContaining('rejected the request'),
			whatToDo: expect.stringContaining('No courier drives there'),
			solved: 'no',
		});
		expect(await at.rows(tables.deliveries, { orderName: order.name })).toEqual([]);
	});

	test('an order whose answer got lost is to be looked at; the row that is described finds it', async () => {
		control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
		const order = await place();
		const { record } = await deliveryOf(order);
		const wanted = { orderName: order.name, about: 'creation' };
		const { whatToDo } = await at.row(tables.toLookAt, { ...wanted, solved: 'no' });
		expect(whatToDo).toContain(
			`orderId ${order.id}, orderName ${order.name}, referenceId ${order.name}, rank 0, and fulfilment open.`,
		);
		await report(record.id, 'picked up');
		await at.installation.client.addTableRow(tables.deliveries, {
			deliveryId: record.id,
			trackingLink: record.trackLink,
			orderId: String(order.id),
			orderName: order.name,
			referenceId: order.name,
			rank: 0,
			fulfilment: 'open',
		});
		await at.installation.client.run(updates, 'Every hour');
		expect(await rowOf(order)).toMatchObject({ status: 'picked up', fulfilment: 'open' });
		await report(record.id, 'delivered');
		expect(trackingOf(order)).toEqual([record.trackLink]);
		await at.afterRuns(orders, 1, async () => {
			const { webhooks } = at.shopify;
			const messages = webhooks.messages();
			await webhooks.resend(messages.filter(({ subject }) => subject === order.name).slice(0, 1));
		});
		await at.row(tables.toLookAt, { ...wanted, solved: 'yes' });
	});

	test('what is fulfilled by hand is not fulfilled again', async () => {
		const order = await place();
		const { record } = await deliveryOf(order);
		await rowOf(order);
		fulfillByHand(order);
		await report(record.id, 'delivered');
		expect(await rowOf(order)).toMatchObject({ fulfilment: 'nothing to fulfil' });
		expect(trackingOf(order)).toEqual([null]);
	});

	test('an order from two places of which one fails is fulfilled wholly an hour later', async () => {
		const order = await place(samples[1]);
		const { record } = await deliveryOf(order);
		await rowOf(order);
		const [, second] = at.shopify.shop.split(order.id);
		at.shopify.shop.failOnce(second!.id);
		await report(record.id, 7);
		expect(await rowOf(order)).toMatchObject({ status: '7', fulfilment: 'open' });
		await report(record.id, 'delivered');
		expect(trackingOf(order)).toEqual([record.trackLink]);
		expect(await rowOf(order)).toMatchObject({ fulfilment: 'open' });
		expect(await toLookAt(order)).toMatchObject([{ about: 'fulfilment' }]);
		await at.installation.client.run(updates, 'Every hour');
		expect(trackingOf(order)).toEqual([record.trackLink, record.trackLink]);
		expect(await rowOf(order)).toMatchObject({ fulfilment: 'done' });
		expect(await toLookAt(order)).toEqual([]);
	});

	test('what Shopify holds back is fulfilled once it is released', async () => {
		const order = await place(samples[1]);
		const { record } = await deliveryOf(order);
		await rowOf(order);
		const { shop } = at.shopify;
		const [, second] = shop.split(order.id);
		shop.hold(second!.id);
		await report(record.id, 'delivered');
		// The second time, nothing but what is held back is left.
		await at.installation.client.run(updates, 'Every hour');
		expect(trackingOf(order)).toEqual([record.trackLink]);
		expect(await rowOf(order)).toMatchObject({ fulfilment: 'open' });
		expect(await toLookAt(order)).toMatchObject([
			{
				message: expect.stringContaining('holds back'),
				whatToDo: expect.stringContaining('Release'),
			},
		]);
		shop.hold(second!.id, false);
		await at.installation.client.run(updates, 'Every hour');
		expect(trackingOf(order)).toEqual([record.trackLink, record.trackLink]);
		expect(await rowOf(order)).toMatchObject({ fulfilment: 'done' });
		expect(await toLookAt(order)).toEqual([]);
	});

	describe('an order that is edited', () => {
		let changes: string;

		beforeAll(async () => {
			changes = await at.publish('changes');
		});
		afterAll(async () => await at.installation.client.unpublish(changes));

		/** Does something to orders of which Shopify then reports one update. */
		const updated = async <T>(work: () => T | Promise<T>) => await at.afterRuns(changes, 1, work);

		/** Shopify tells of an update as soon as an order is there: that changes nothing. */
		async function placed(sample?: Order) {
			const order = await updated(async () => await place(sample));
			await rowOf(order);
			return order;
		}

		test('has its delivery changed, also when Shopify repeats an older report', async () => {
			const order = await placed();
			const { record } = await deliveryOf(order);
			const { control: shopControl, webhooks } = at.shopify;
			const former = await updated(() => shopControl.changeAddress(order.id));
			const edited = await updated(() => shopControl.changeAddress(order.id));
			const addressOf = (one: Order) => String(one.shipping_address?.address1);
			await updated(async () => {
				await webhooks.resend(
					webhooks
						.messages()
						.filter(
							({ topic, subject, body }) =>
								topic === 'orders/updated' &&
								subject === order.name &&
								body.includes(addressOf(former)),
						),
				);
			});
			const { request } = await deliveryOf(order);
			expect(JSON.stringify(request.dropoff)).toContain(addressOf(edited));
			expect(request.dropoff.contact.name).toBe('Maya Okafor');
			expect(await rowOf(order)).toMatchObject({
				deliveryId: record.id,
				sentTo: expect.stringContaining(addressOf(edited)),
			});
		});

		test('has its delivery changed when it is paid', async () => {
			const order = await placed(samples[2]);
			expect(await rowOf(order)).toMatchObject({
				sentTo: expect.stringContaining('to pay: 64.40'),
			});
			expect((await deliveryOf(order)).request.cod).toBe(64.4);
			await updated(() => at.shopify.shop.pay(order.id));
			expect(await rowOf(order)).toMatchObject({
				sentTo: expect.stringContaining('to pay: 0.00'),
			});
			expect((await deliveryOf(order)).request.cod).toBe(0);
		});

		test('has the cash taken back when it is paid after it was fulfilled by hand', async () => {
			const order = await placed(samples[2]);
			const { packages, cod } = (await deliveryOf(order)).request;
			expect(cod).toBe(64.4);
			const { shop } = at.shopify;
			await updated(() => fulfillByHand(order));
			expect(await rowOf(order)).toMatchObject({ fulfilment: 'open' });
			await updated(() => shop.pay(order.id));
			expect((await deliveryOf(order)).request).toMatchObject({ cod: 0, packages });
			expect(await toLookAt(order)).toEqual([]);
		});

		test('has its coordinates sent when Shopify adds them', async () => {
			const order = await placed(samples[1]);
			const { location } = (await deliveryOf(order)).request.dropoff;
			expect(location).not.toHaveProperty('lat');
			const place = { latitude: 39.7817, longitude: -89.6501 };
			await updated(() => at.shopify.shop.changeAddress(order.id, place));
			expect((await deliveryOf(order)).request.dropoff.location).toMatchObject({
				lat: 39.7817,
				lng: -89.6501,
			});
		});

		test('is to be looked at once when it is cancelled', async () => {
			const order = await placed();
			await updated(() => at.shopify.shop.cancel(order.id));
			expect(await rowOf(order)).toMatchObject({ fulfilment: 'nothing to fulfil' });
			const noted = await at.row(tables.toLookAt, { orderName: order.name });
			expect(noted).toMatchObject({ about: 'change', solved: 'no' });
			await updated(() => at.shopify.shop.tag(order.id, 'cancelled'));
			expect(await at.row(tables.toLookAt, { orderName: order.name })).toEqual(noted);
		});
	});

	test('n8n ends and starts again: what it missed is caught up, beside new orders', async () => {
		const catchUp = await at.store('catchUp', {
			[nodeNames.sendMissing]: { workflowId: { __rl: true, mode: 'list', value: orders } },
		});
		const under = await place();
		const { record } = await deliveryOf(under);
		await at.installation.stopN8n();
		const { shop } = at.shopify;
		const missed = shop.place(samples[1]);
		const repeated = shop.place(samples[2]);
		await at.shopify.webhooks.settled();
		await at.installation.startN8n();
		// It answers before it has started its workflows.
		await waitFor('the workflows', timeoutMs, async () => {
			const payload = { id: record.id, status: 'picked up', company_id: '1001', city_id: '7' };
			const postings = await control().fireEvent(updateTask, payload);
			return postings.every(({ status }) => status === 200) || undefined;
		});
		await report(record.id, 'delivered');
		await rowOf(under, { fulfilment: 'done' });
		expect(trackingOf(under)).toEqual([record.trackLink]);

		const messages = at.shopify.webhooks
			.messages()
			.filter(({ subject }) => subject === repeated.name);
		const { execution, fresh } = await at.afterRuns(orders, 2, async () => {
			const night = at.installation.client.run(catchUp, 'Every night');
			await at.shopify.webhooks.resend(messages);
			const placed = shop.place(samples[0]);
			return { execution: await night, fresh: placed };
		});
		expect(execution.status).toBe('success');
		expect(outputOf(execution, 'Summary')).toMatchObject([
			{ summary: expect.stringMatching(/open orders of the last 3 days/) },
		]);
		for (const order of [missed, repeated, fresh]) {
			const own = await deliveryOf(order);
			expect(await rowOf(order)).toMatchObject({ deliveryId: own.record.id });
		}
		const again = await at.installation.client.run(catchUp, 'Every night');
		expect(outputOf(again, 'Summary')).toMatchObject([{ sentNow: [] }]);
		expect(await toLookAt(missed)).toEqual([]);
		expect(await toLookAt(repeated)).toEqual([]);
		expect(await toLookAt(fresh)).toEqual([]);
	});

	test('a webhook that the service has blacklisted is repaired', async () => {
		const repair = await at.store('repair');
		const [webhook] = control().webhooks();
		control().blacklist(String(webhook?.url), updateTask);
		expect((await at.installation.client.run(repair, 'Every 15 minutes')).status).toBe('success');
		expect(control().webhooks()).toMatchObject([{ url: webhook?.url, status: 'Active' }]);
	});

	describe('the assistant', () => {
		const trigger = 'When a message comes';
		let model: ScriptedModel;
		let assistant: string;

		beforeAll(async () => {
			model = await startScriptedModel();
			const name = 'Scripted model';
			const type = 'openAiApi';
			const data = { apiKey: 'none', url: model.baseUrl };
			const id = await at.installation.client.createCredential(name, type, data);
			assistant = await at.store('assistant', {}, { [type]: { id, name } });
		});
		afterAll(async () => await model?.close());

		const chat = async (text: string) => {
			const { status } = await at.installation.client.chat(assistant, trigger, text);
			expect(status).toBe('success');
		};

		test('changes a delivery that it is told of', async () => {
			const order = await place();
			model.callWith(
				{ Reference_ID: order.name, Recipient_Name: 'Ana Torres', Recipient_Phone: '+12175550199' },
				'Change_the_recipient',
			);
			await chat('Ana Torres takes it');
			const { request } = await deliveryOf(order);
			expect(request.dropoff.contact).toMatchObject({
				name: 'Ana Torres',
				phonenumber: '+12175550199',
			});
		});

		test('tries a delivery, which creates none; it has no tool that does', async () => {
			const before = control().deliveries().length;
			model.conversations.length = 0;
			model.callWith(
				{
					Recipient_Name: 'Ana Torres',
					Recipient_Email: 'ana@example.com',
					Address: '48 Oak Avenue, Springfield, IL 62704',
					Package_Name: 'Box',
					Quantity: 1,
					Size: 'm',
					Reference_ID: 'A-1',
					Delivery_Type: 'slot',
				},
				'Try_a_delivery',
			);
			await chat('What would it be like?');
			const [asked, told] = model.conversations;
			expect(asked?.tools.map((tool) => tool.function.name).sort()).toEqual([
				'Change_the_instructions',
				'Change_the_recipient',
				'Try_a_delivery',
			]);
			expect(JSON.stringify(told?.messages.at(-1)?.content)).toContain('48 Oak Avenue');
			expect(control().deliveries()).toHaveLength(before);
		});
	});

	test('the rows of a sheet become deliveries of their companies, each once', async () => {
		const { client, n8n } = at.installation;
		const sheet = await at.publish('sheet');
		const { nodes } = await client.workflow(sheet);
		const form = nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
		const rows = await readFile(
			join(projectFolder, 'examples', 'child-companies-sheet.csv'),
			'utf8',
		);
		const upload = async (text: string) => {
			const body = new FormData();
			body.set('field-0', new Blob([text], { type: 'text/csv' }), 'Sheet.CSV');
			const url = `${n8n.url}/form/${String(form?.webhookId)}`;
			const answer = await fetch(url, { method: 'POST', body });
			expect(answer.status).toBe(200);
			return z.object({ formWaitingUrl: z.string() }).parse(await answer.json()).formWaitingUrl;
		};
		const sent = () =>
			control()
				.deliveries()
				.filter(({ record }) => String(record.referenceId).startsWith('N-200'));
		for (const wrong of ['company', 'Company ']) {
			const page = await upload(rows.replace('Company', wrong));
			await waitFor('what the form says', timeoutMs, async () => {
				// n8n leaves a call unanswered that comes while the workflow still runs.
				const called = fetch(page, { signal: AbortSignal.timeout(3_000) });
				const text = await called.then(async (answer) => await answer.text()).catch(() => '');
				return text.includes('The sheet has no column Company.') || undefined;
			});
		}
		expect(sent()).toEqual([]);
		// Excel puts an invisible mark before the first column.
		await upload(`\uFEFF${rows}`);
		await waitFor('three deliveries', timeoutMs, () =>
			Promise.resolve(sent().length >= 3 || undefined),
		);
		await upload(rows.replace('N-2003', 'N-2004').replace('Books,2,s', 'Books,2,huge'));
		const row = await at.row(tables.toLookAt, { about: 'sheet' });
		expect(row).toMatchObject({
			referenceId: 'N-2004',
			message: expect.stringContaining('is not one of xs, s, m, l, xl'),
			solved: 'no',
		});
		const byReference = sent()
			.map(({ record, companyId, type }) => ({ reference: record.referenceId, companyId, type }))
			.sort((one, other) => String(one.reference).localeCompare(String(other.reference)));
		expect(byReference).toEqual([
			{ reference: 'N-2001', companyId: 1002, type: 'express' },
			{ reference: 'N-2002', companyId: 1002, type: 'slot' },
			{ reference: 'N-2003', companyId: 1001, type: 'slot' },
		]);
	});

	test('catching up says what was only tried, and names each order that was not sent', async () => {
		await rowOf(await place());
		await rowOf(await place(samples[2]));
		const { client, service } = at.installation;
		const night = async (filled: FilledIn, more: Credentials = {}) => {
			const called = await at.store('orders', filled, more);
			await client.publish(called);
			const catchUp = await at.store('catchUp', {
				[nodeNames.sendMissing]: { workflowId: { __rl: true, mode: 'list', value: called } },
			});
			const execution = await client.run(catchUp, 'Every night');
			await client.unpublish(called);
			return outputOf(execution, 'Summary');
		};
		const create = filledIn(at.shopify)[nodeNames.createDelivery];
		const dry = { ...create, options: { dryRun: true } };
		const tried = await night({ [nodeNames.createDelivery]: dry });
		expect(tried).toMatchObject([
			{ summary: expect.stringMatching(/^Dry Run is on .* 0 sent now/), sentNow: [] },
		]);
		const orderOptions = {
			...z.object({}).passthrough().parse(create?.orderOptions),
			onlyPaidOrders: true,
		};
		const onlyPaid = await night({ [nodeNames.createDelivery]: { ...dry, orderOptions } });
		const leftOut = ([{ summary } = {}]: typeof tried) =>
			Number(/(\d+) not to be sent/.exec(String(summary))?.[1]);
		const unpaid = at.shopify.shop
			.orders()
			.filter(({ cancelled_at, closed_at }) => !cancelled_at && !closed_at)
			.filter(({ financial_status: status }) => status !== 'paid');
		expect(unpaid.length).toBeGreaterThan(0);
		expect(leftOut(onlyPaid) - leftOut(tried)).toBe(unpaid.length);
		const type = credentialTypes.deliveryService;
		const incomplete = { ...service.credential, companyId: 'none' };
		const id = await client.createCredential('Incomplete', type, incomplete);
		const refused = await night({}, { [type]: { id, name: 'Incomplete' } });
		expect(refused).toMatchObject([{ summary: expect.stringContaining(' 0 sent now') }]);
		const notes = await at.rows(tables.toLookAt, { about: 'creation' });
		expect(notes.filter(({ message }) => /company id/i.test(String(message)))).not.toEqual([]);
		expect(notes.filter(({ orderId }) => !orderId)).toEqual([]);
	});

	test('in all this no order was delivered or fulfilled twice', () => {
		for (const order of at.shopify.shop.orders()) {
			const own = control()
				.deliveries()
				.filter(({ record }) => record.referenceId === order.name);
			expect(own.length).toBeLessThanOrEqual(1);
			const places = at.shopify.shop.fulfillmentOrders(order.id).length;
			expect(order.fulfillments.length).toBeLessThanOrEqual(places);
		}
	});
});
