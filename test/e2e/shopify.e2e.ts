import type { IDataObject } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { locations } from '../../playground/shopify/fulfillmentOrders';
import type { Order } from '../../playground/shopify/shapes';
import { toGraphqlOrder } from '../support/graphqlOrder';
import { lineItem, mugs, payableInCash, shopifyOrder } from '../support/shopifyOrders';
import {
	openFulfillmentEnvironment,
	type FulfillmentEnvironment,
} from './support/fulfillmentOrders';
import { locationPickups } from './support/fulfillmentWorkflows';
import { dropoff, packages, pickup } from './support/sampleDelivery';

/** Sample orders by what is in them. */
const samples = { one: 0, two: 1, cashOnDelivery: 3 } as const;

const atTwoLocations = [
	{ lines: [0], location: 'store' },
	{ lines: [1], location: 'warehouse' },
] as const;

describe.each(['newest', '1.123'] as const)('fulfillment orders in n8n %s', (version) => {
	let env: FulfillmentEnvironment;

	beforeAll(async () => {
		env = await openFulfillmentEnvironment(version);
	});
	afterAll(async () => await env?.close());

	const byFulfillmentOrder = async ({ id }: Order) =>
		await env.create({ id, form: 'REST fulfillment orders' });

	const referencesOf = (order: Order) =>
		env.deliveries(order).map(({ record }) => record.referenceId);

	const statusesOf = ({ id }: Order) =>
		env.shopify.shop.fulfillmentOrders(id).map(({ status }) => status);

	/** What an output item says: the reason why it was skipped, or its outcome. */
	const summary = ({ outcome, reason }: Record<string, unknown>) => reason || outcome;

	test('creates a delivery for each location of a split order, and fulfills it part by part', async () => {
		const changes = { email: 'ruth@example.com' };
		const { order, references } = env.place({
			sample: samples.cashOnDelivery,
			changes,
			parts: atTwoLocations,
		});

		const outputs = await byFulfillmentOrder(order);

		expect(outputs.map(summary)).toEqual(['created', 'created']);
		expect(outputs.map(({ referenceId }) => referenceId)).toEqual(references);
		const [fromStore, fromWarehouse] = env.deliveries(order);
		expect([fromStore?.record.referenceId, fromWarehouse?.record.referenceId]).toEqual(references);
		const { store } = locationPickups;
		expect(fromStore?.request).toMatchObject({
			pickup: {
				contact: { name: store.contactName, email: store.contactEmail },
				location: { address: store.address },
			},
			packages: [{ name: 'Beeswax Candle', qty: 3 }],
		});
		expect(fromWarehouse?.request).toMatchObject({
			pickup: { location: { warehouse: 7 } },
			packages: [{ name: 'Brass Candle Holder', qty: 1 }],
		});
		expect(fromWarehouse?.request.pickup.location).not.toHaveProperty('address');
		// For which items the deposit was paid is not known, so both subtract it, and say so.
		expect(env.deliveries(order).map(({ request }) => request.cod)).toEqual([22.9, undefined]);
		for (const { actionNeeded } of outputs)
			expect(actionNeeded).toMatch(
				/: the driver collects only .* of the unpaid 35\.50 USD, because/,
			);

		expect(await byFulfillmentOrder(order)).toMatchObject([
			{ outcome: 'skipped' },
			{ outcome: 'skipped' },
		]);
		expect(referencesOf(order)).toEqual(references);

		await env.report(fromWarehouse!.record.id, 'picked up');
		expect(statusesOf(order)).toEqual(['open', 'open']);
		await env.report(fromWarehouse!.record.id, 'delivered');
		expect(statusesOf(order)).toEqual(['open', 'closed']);
		expect(env.shopify.shop.order(order.id)).toMatchObject({
			fulfillment_status: 'partial',
			fulfillments: [
				{
					location_id: locations.warehouse.location_id,
					tracking_number: fromWarehouse?.record.id,
					tracking_url: fromWarehouse?.record.trackLink,
				},
			],
		});
		expect(await byFulfillmentOrder(order)).toMatchObject([
			{ outcome: 'skipped' },
			{ outcome: 'skipped' },
		]);

		await env.report(fromStore!.record.id, 'delivered');
		expect(statusesOf(order)).toEqual(['closed', 'closed']);
		expect(env.shopify.shop.order(order.id)).toMatchObject({
			fulfillment_status: 'fulfilled',
			fulfillments: [{}, { tracking_number: fromStore?.record.id }],
		});
		expect(await byFulfillmentOrder(order)).toMatchObject([
			{ outcome: 'skipped' },
			{ outcome: 'skipped' },
		]);
		expect(referencesOf(order)).toEqual(references);
	});

	test('sends a fulfillment order once when its hold is released', async () => {
		const { shop } = env.shopify;
		const { order, parts, references } = env.place({ sample: samples.two, parts: atTwoLocations });
		const [, held] = parts;
		shop.hold(held!.id);
		const beforeRelease = await byFulfillmentOrder(order);
		expect(beforeRelease.map(summary)).toEqual(['created', 'onHold']);
		expect(beforeRelease[1]).toMatchObject({
			referenceId: references[1],
			message: expect.stringMatching(/on hold/),
		});
		expect(referencesOf(order)).toEqual([references[0]]);

		shop.hold(held!.id, false);
		const afterRelease = await byFulfillmentOrder(order);

		expect(afterRelease.map(summary)).toEqual(['alreadyCreated', 'created']);
		expect(referencesOf(order)).toEqual(references);
		shop.hold(held!.id);
		const heldAgain = await byFulfillmentOrder(order);
		expect(heldAgain.map(summary)).toEqual(['alreadyCreated', 'alreadyCreated']);
		expect(heldAgain.map(({ actionNeeded }) => actionNeeded)).toEqual([
			'',
			`Order ${order.name} (Harbor Warehouse) is on hold. Ask the Delivery Service to stop it until the hold is released.`,
		]);
		expect(referencesOf(order)).toEqual(references);
	});

	const unpaid = { financial_status: 'pending', total_outstanding: '87.00' };
	const bank = { ...unpaid, payment_gateway_names: ['Bank Deposit'] };
	const shipping = (...titles: string[]) => ({
		shipping_lines: titles.map((title) => ({ title, code: title })),
	});
	const note = (name: string, value: string) => ({ note_attributes: [{ name, value }] });
	const inDays = (days: number) =>
		new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
	const { payment_gateway_names: cash } = payableInCash;
	const nobody = { email: '', contact_email: '', phone: null, customer: null, note: null };
	const address = { country: 'United States', province: 'Illinois' };

	/** What an order becomes: its outcome or reason, and the start of what a person must do. */
	type Row = readonly [changes: IDataObject, expected: string, needed?: RegExp];

	const byDefault: readonly Row[] = [
		[{}, 'created'],
		[{ ...bank, financial_status: 'authorized' }, 'created'],
		[{ ...bank, payment_terms: { payment_schedules: [{ due_at: inDays(30) }] } }, 'created'],
		[{ ...payableInCash, financial_status: 'partially_paid' }, 'created'],
		[bank, 'notPaid'],
		[{ ...unpaid, payment_gateway_names: ['Pay the driver'] }, 'notPaid'],
		[{ ...unpaid, payment_gateway_names: [] }, 'notPaid'],
		[{ ...unpaid, payment_gateway_names: ['manual'] }, 'notPaid'],
		[
			{ ...bank, financial_status: 'partially_paid' },
			'notPaid',
			/ was not sent: it is only partly/,
		],
		[{ financial_status: 'refunded' }, 'refunded'],
		[{ test: true }, 'testOrder'],
		[{ cancelled_at: '2026-11-20T10:00:00Z' }, 'cancelled'],
		[shipping('Customer pickup'), 'shippingMethod'],
		[shipping('Pickup & delivery'), 'created'],
		[shipping('Standard', 'Store Pickup'), 'created', / it also has .*"Store Pickup"/],
		[note('Checkout-Method', 'pickup'), 'localPickup'],
		[note('Delivery-Date', inDays(9)), 'created', / its delivery date is /],
		[
			{ created_at: '2025-01-01T10:00:00Z' },
			'unseen',
			/^#\S+ was not sent: it was placed \d+ days ago/,
		],
		[{ ...nobody, shipping_address: address, billing_address: address }, 'invalid'],
	];

	const slotDay = (day: string) => ({ ...shipping('Local'), ...note('Slot Day', day) });
	const byFilters: readonly Row[] = [
		[{ ...bank, ...shipping('LOCAL courier') }, 'created', /: no cash is .*, set the cash of this/],
		[{ ...payableInCash, ...shipping('DHL, fast') }, 'created'],
		[{ ...shipping('Local'), test: true }, 'created'],
		[shipping('Mail'), 'shippingMethod'],
		[{ shipping_lines: [] }, 'shippingMethod', / was not sent: it has no shipping method/],
		[{ ...shipping('Local'), tags: 'City, Mail' }, 'tag'],
		[{ ...shipping('Local'), tags: '' }, 'tag'],
		[slotDay(inDays(9)), 'scheduled'],
		[slotDay('mar. 3 jun. 2031'), 'scheduled'],
		[slotDay(inDays(0)), 'created'],
		[slotDay('05/06/2031'), 'invalid'],
	];
	const filters = {
		payment: 'any',
		tags: 'city',
		excludeTags: 'mail',
		includeTestOrders: true,
		skipUntilDeliveryDate: true,
		deliveryDateAttributes: 'Slot Day',
	};

	test.each([
		['without filters', byDefault, {}],
		['by the filters', byFilters, { filters, shippingMethods: 'Local*\nDHL, fast' }],
	] as const)('sends, skips or rejects orders in each form %s', async (_, rows, parameters) => {
		const orders = rows.flatMap(([changes], row) =>
			['REST', 'GraphQL', 'webhook'].map((form, index) => {
				const id = 7_000_000_000 + 10 * row + index;
				const name = `#${form}${row}-${randomUUID().slice(0, 8)}`;
				return { form, name, order: shopifyOrder({ tags: 'City', ...changes, id, name }) };
			}),
		);
		const items = orders.map(({ form, order }) =>
			form === 'REST'
				? order
				: form === 'GraphQL'
					? { data: { order: toGraphqlOrder(order) } }
					: { headers: { 'x-shopify-topic': 'orders/create' }, params: {}, query: {}, body: order },
		);
		const outputs = await env.send(items, parameters);

		const expected = rows.flatMap(([, result]) => [result, result, result]);
		expect(outputs.map(summary)).toEqual(expected);
		for (const [index, { actionNeeded, message, outcome }] of outputs.entries()) {
			const [, , needed = /^$/] = rows[Math.floor(index / 3)] ?? [];
			if (outcome === 'invalid') expect(actionNeeded).toContain(message);
			else expect(actionNeeded).toMatch(needed);
		}
		const sent = orders.filter(({ name }) => env.deliveries({ name }).length > 0);
		expect(sent).toEqual(orders.filter((_order, index) => expected[index] === 'created'));
		for (const { name, order } of sent) {
			const [delivery] = env.deliveries({ name });
			const isCash = order.total_outstanding === '87.00' && order.payment_gateway_names === cash;
			expect(delivery?.request.cod).toBe(isCash ? 87 : undefined);
		}
	});

	test('sends a whole order from GraphQL once its hold is released', async () => {
		const run = await env.open();
		const { name, order } = uniqueOrder(86);
		const withStatus = (fulfillment_status: string | null) => ({
			data: { order: toGraphqlOrder({ ...order, fulfillment_status }) },
		});
		const outputs = [await run({}, withStatus('on_hold')), await run({}, withStatus(null))];
		expect(outputs.flat()).toMatchObject([
			{
				outcome: 'skipped',
				reason: 'nothingToShip',
				actionNeeded: expect.stringContaining('hold'),
			},
			{ referenceId: name, statusDelivery: 'processing' },
		]);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test('picks up each item at the location that ships it', async () => {
		const name = `#L-${randomUUID().slice(0, 8)}`;
		const [order, other] = [
			shopifyOrder({ id: 1, name }),
			shopifyOrder({ id: 2, name: `${name}2` }),
		];
		const part = (location: string) => ({
			order,
			fulfillmentOrder: {
				id: 6700000000003,
				order_id: 1,
				status: 'open',
				destination: null,
				delivery_method: { method_type: 'shipping' },
				assigned_location: { name: location },
				line_items: [{ line_item_id: mugs().id, quantity: 2, fulfillable_quantity: 2 }],
			},
		});
		const outputs = await env.send([part('harbor  warehouse'), part('Attic'), other], {
			pickupDetails: { pickupByLocation: { entry: [locationPickups.warehouse] } },
		});
		expect(outputs.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^Created a delivery for #L-/),
			expect.stringContaining('ships from "Attic", which is not in Pickup by Location'),
			expect.stringContaining('has no location in Shopify, because it is a whole order'),
		]);
		const [{ request } = {}] = env.deliveries({ name });
		expect(request).toMatchObject({ pickup: { location: { warehouse: 7 } } });
	});

	/** An order with a name of its own, in cash, and an item with all of it as a fulfillment order. */
	function uniqueOrder(id: number, changes: IDataObject = {}) {
		const name = `#${randomUUID().slice(0, 8)}`;
		const order = shopifyOrder({ id, name, ...payableInCash, ...changes });
		const part = (more: object) => ({
			order,
			fulfillmentOrder: {
				id: 6700000000000 + id,
				order_id: id,
				status: 'open',
				destination: null,
				delivery_method: { method_type: 'shipping' },
				line_items: [{ line_item_id: mugs().id, quantity: 2, fulfillable_quantity: 2 }],
				...more,
			},
		});
		return { name, order, part };
	}

	test('sends the 60 units of a line that two locations share, each once, and collects their cash', async () => {
		const run = await env.open();
		const line = mugs({ quantity: 60, current_quantity: 60, fulfillable_quantity: 60 });
		const { name, order, part } = uniqueOrder(56, {
			line_items: [{ ...line, discount_allocations: [] }],
			total_price: '876.00',
			current_total_price: '876.00',
			total_outstanding: '876.00',
		});
		const [store, warehouse] = [31, 29].map((quantity, index) =>
			part({
				id: 6700000560000 + index,
				line_items: [{ line_item_id: line.id, quantity, fulfillable_quantity: quantity }],
			}),
		);
		const byUnit = { orderOptions: { packagesPer: 'unit' } };

		const outputs = [
			await run(byUnit, store!),
			await run(byUnit, store!, warehouse!),
			await run(byUnit, warehouse!, store!),
			await run(byUnit, order),
		];

		expect(outputs.map((rows) => rows.map(({ outcome }) => outcome))).toEqual([
			['created'],
			['skipped', 'created'],
			['skipped', 'skipped'],
			['notSent'],
		]);
		// 14.50 for each of the mugs, and its share of the shipping of 6.00.
		expect(env.deliveries({ name }).map(({ request }) => request)).toMatchObject([
			{ packages: [{ qty: 31 }], cod: 452.6 },
			{ packages: [{ qty: 29 }], cod: 423.4 },
		]);
	});

	test("updates only an order's own delivery, and says what an update leaves to a person", async () => {
		const run = await env.open();
		const [one, other, split] = [uniqueOrder(51), uniqueOrder(52), uniqueOrder(53)];
		const created = await run({}, one.order, other.order, split.part({}));
		expect(created.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
		const before = env.deliveries(other);
		const update = { operation: 'update', changesFrom: 'shopifyOrder' };
		for (const item of [split.order, one.part({})]) {
			const [output] = await run(update, item);
			expect(output).toMatchObject({
				outcome: 'rejected',
				message: expect.stringContaining('could not find'),
			});
		}

		const moved = { country: 'United States', address1: '7 Elm Street', city: 'Springfield' };
		const changed = { ...one.order, ...bank, shipping_address: moved };
		const [output] = await run(update, changed);
		expect(output).toMatchObject({
			outcome: 'updated',
			actionNeeded: expect.stringMatching(/: no cash is collected.*The new address has no coord/),
		});
		const [{ request } = {}] = env.deliveries(one);
		expect(request?.cod).toBe(0);
		expect(JSON.stringify(request?.dropoff)).toContain('7 Elm Street');
		expect(env.deliveries(other)).toEqual(before);
	});

	test('skips the fulfillment orders of an order that the owner created by hand', async () => {
		const run = await env.open();
		const { name, order, part } = uniqueOrder(54);
		const deliveryJson = JSON.stringify({ pickup, dropoff, packages, referenceId: name });
		const byHand = { operation: 'create', source: 'json', deliveryJson, skipAlreadySent: true };
		const [created] = await run(byHand, order);
		const [skipped] = await run({}, part({}));
		expect([created?.outcome, skipped?.outcome]).toEqual(['created', 'skipped']);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test('sends an order that an app marks as a pickup with Send Anyway, once', async () => {
		const run = await env.open();
		const { name, order } = uniqueOrder(71, note('Checkout-Method', 'pickup'));
		const outputs = [
			await run({}, order),
			await run({ sendAnyway: true }, order),
			await run({ sendAnyway: true }, order),
		];
		expect(outputs.flat().map(summary)).toEqual(['localPickup', 'created', 'alreadyCreated']);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test('says once that a sent fulfillment order has more units, and sends none of them again', async () => {
		const run = await env.open();
		const line = mugs({ quantity: 1, current_quantity: 1, fulfillable_quantity: 1 });
		const { name, order, part } = uniqueOrder(72, { line_items: [line] });
		const lines = [{ line_item_id: line.id, quantity: 1, fulfillable_quantity: 1 }];
		const sent = part({ line_items: lines });
		const grown = { ...part({}), order: { ...order, line_items: [mugs()] } };
		const splitOff = { ...part({ id: 6700000000172, line_items: lines }), order: grown.order };
		const outputs = [
			await run({}, sent),
			await run({}, grown),
			await run({}, grown),
			await run({}, splitOff),
		];
		expect(outputs.flat().map(({ actionNeeded }) => actionNeeded)).toEqual([
			'',
			expect.stringMatching(
				/changed in Shopify .* 2 × Stoneware Mug.* with the operation Update\.$/,
			),
			'',
			expect.stringContaining('may have been, with another fulfillment order'),
		]);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test('calls no order "not sent" that was sent before the key was rejected', async () => {
		const run = await env.open();
		const [sent, ...others] = [77, 78, 79, 80, 81].map((id) => uniqueOrder(id).part({}));
		const { control } = env.installation.service;
		expect((await run({}, sent!)).map(summary)).toEqual(['created']);
		control.toggleProblem('wrongKey');
		const rejected = await run({}, ...others, sent!);
		control.toggleProblem('wrongKey');
		expect(rejected.map(summary)).toEqual([...others.map(() => 'notSent'), 'alreadyCreated']);
		expect((await run({}, ...others, sent!)).map(summary)).toEqual([
			...others.map(() => 'created'),
			'alreadyCreated',
		]);
	});

	test('asks once to stop a sent fulfillment order whose items were all removed', async () => {
		const run = await env.open();
		const { name, order, part } = uniqueOrder(82, { line_items: [mugs()] });
		const removed = mugs({ current_quantity: 0, fulfillable_quantity: 0 });
		const emptied = { ...part({ line_items: [] }), order: { ...order, line_items: [removed] } };
		const outputs = [await run({}, part({})), await run({}, emptied), await run({}, emptied)];
		expect(outputs.flat().map(({ actionNeeded }) => actionNeeded)).toEqual([
			'',
			expect.stringMatching(/ has no items left\. Ask the Delivery Service to stop it\.$/),
			'',
		]);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test('says nothing when a hold ends during which an order was sent with Send Anyway', async () => {
		const run = await env.open();
		const { name, part } = uniqueOrder(83);
		const held = part({ status: 'on_hold' });
		const outputs = [
			await run({ sendAnyway: true }, held),
			await run({}, held),
			await run({}, part({})),
		];
		expect(outputs.flat().map((one) => [summary(one), one.actionNeeded])).toEqual([
			['created', ''],
			['alreadyCreated', ''],
			['alreadyCreated', ''],
		]);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test.each([
		['orders wait for their day', true, undefined, /^$/],
		['orders are sent at once', false, '2099-12-20', /2099-12-20/],
	])(
		'updates a sent order that moves to a later day, and asks to tell the Delivery Service, if %s',
		async (_, skipUntilDeliveryDate, date, first) => {
			const run = await env.open();
			const { name, order } = uniqueOrder(skipUntilDeliveryDate ? 84 : 85);
			const update = { options: { whenChanged: 'update' }, filters: { skipUntilDeliveryDate } };
			const sent = { ...order, ...(date && note('Delivery Date', date)) };
			const later = { ...order, ...note('Delivery Date', '2099-12-24') };
			const outputs = [await run(update, sent), await run(update, later), await run(update, later)];
			expect(outputs.flat().map(({ outcome, actionNeeded }) => [outcome, actionNeeded])).toEqual([
				['created', expect.stringMatching(first)],
				[
					'updated',
					expect.stringMatching(
						/2099-12-24\..* If the date has changed, tell the Delivery Service\.$/,
					),
				],
				['skipped', ''],
			]);
			expect(env.deliveries({ name })).toHaveLength(1);
		},
	);

	const masked = { first_name: 'M***', last_name: 'O****', address1: '5 Harbor Way' };
	test.each([
		[
			'it was refunded, and Payment is Any',
			87,
			{ financial_status: 'refunded', total_outstanding: '0.00' },
			{},
			/ was fully refunded\. Ask the Delivery Service to stop it\.$/,
		],
		['the sales channel hides its recipient', 88, {}, { destination: masked }, /^$/],
		[
			'another driver may collect what it owes',
			89,
			{ total_outstanding: '10.00' },
			{},
			/Compare the cash of its deliveries/,
		],
	])('updates no delivery of a fulfillment order if %s', async (_, id, ofOrder, ofPart, needed) => {
		const run = await env.open();
		const { name, order, part } = uniqueOrder(id);
		const parameters = { options: { whenChanged: 'update' }, filters: { payment: 'any' } };
		const later = { ...part(ofPart), order: { ...order, ...ofOrder } };
		const outputs = [await run(parameters, part({})), await run(parameters, later)];
		expect(outputs.flat()).toMatchObject([
			{ outcome: 'created', actionNeeded: '' },
			{ outcome: 'skipped', actionNeeded: expect.stringMatching(needed) },
		]);
		const [delivery, ...others] = env.deliveries({ name });
		expect(others).toEqual([]);
		expect(delivery?.request).toMatchObject({
			dropoff: { contact: { name: 'Maya Okafor' } },
			cod: expect.any(Number),
		});
		const { control } = env.installation.service;
		const updates = control.requests().filter(({ method }) => method === 'PATCH');
		expect(JSON.stringify(updates)).not.toContain(name);
	});

	test('says once that a stopped delivery is to be brought again, and that its order was paid by link', async () => {
		const run = await env.open();
		const { name, order } = uniqueOrder(76);
		const voided = { ...order, financial_status: 'voided' };
		const paid = { ...order, financial_status: 'paid', total_outstanding: '0.00' };
		const byLink = { ...paid, payment_gateway_names: ['shopify_payments'] };
		const needed: unknown[] = [];
		for (const state of [order, voided, byLink, byLink])
			needed.push((await run({}, state))[0]?.actionNeeded);
		expect(needed).toEqual([
			'',
			expect.stringContaining('Ask the Delivery Service to stop it.'),
			expect.stringMatching(
				/ is to be delivered again\. .* is paid now, but its delivery collects cash/,
			),
			'',
		]);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

	test('sends an order that changed before the unpaid one of another shop with the same name', async () => {
		const name = `#${randomUUID().slice(0, 8)}`;
		const items = [
			shopifyOrder({ ...bank, id: 73, name, updated_at: minutesAgo(5) }),
			shopifyOrder({ id: 74, name, updated_at: minutesAgo(9) }),
		];
		expect((await env.send(items)).map(summary)).toEqual(['notPaid', 'created']);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test('sends an order whose later state was only in a Dry Run', async () => {
		const run = await env.open();
		const { name, order } = uniqueOrder(75);
		await run({ options: { dryRun: true } }, { ...order, updated_at: minutesAgo(5) });
		const sent = await run({}, { ...order, updated_at: minutesAgo(9) });
		expect(sent.map(summary)).toEqual(['created']);
		expect(env.deliveries({ name })).toHaveLength(1);
	});

	test('leaves items of a fulfillment service out, and shows that in a Dry Run', async () => {
		const run = await env.open();
		const ofService = mugs({ fulfillment_service: 'acme' });
		const [mixed, whole, requested, located] = [
			uniqueOrder(61, { line_items: [lineItem(), ofService] }),
			uniqueOrder(62, { line_items: [ofService] }),
			uniqueOrder(63),
			uniqueOrder(64, { line_items: [ofService] }),
		];
		const items = [
			mixed.order,
			whole.order,
			requested.part({ request_status: 'accepted' }),
			// The company has rejected it, so the shop ships it.
			located.part({ request_status: 'rejected' }),
		];
		const simple = await run({ options: { dryRun: true } }, ...items);
		expect(simple[0]).toEqual({
			referenceId: mixed.name,
			result: 'send',
			message: expect.stringMatching(/^Collect 87\.00 from Maya Okafor, 214 Larkspur Lane, /),
		});
		const rows = await run({ options: { dryRun: true, simplify: false } }, ...items);
		expect(rows.map(({ result }) => result)).toEqual([
			'send',
			'skip: fulfillment service',
			'skip: fulfillment service',
			'send',
		]);
		expect(rows[0]).toMatchObject({
			referenceId: mixed.name,
			recipient: 'Maya Okafor',
			cashToCollect: 87,
			packages: `1 × ${mixed.name} (M)`,
			address: expect.stringMatching(/^214 Larkspur Lane, Springfield/),
			weightKg: 0.85,
			deliveryType: '',
			actionNeeded: '',
			wouldSend: true,
		});
		const types = new Set(
			rows.flatMap((row) =>
				Object.entries(row).flatMap(([name, value]) =>
					['shopifyOrder', 'request'].includes(name) ? [] : typeof value,
				),
			),
		);
		expect([...types].sort()).toEqual(['boolean', 'number', 'string']);
		for (const order of [mixed, whole, requested, located])
			expect(env.deliveries(order)).toEqual([]);

		const skipped = 'fulfillmentService';
		const sent = await run({}, ...items);
		expect(sent.map(summary)).toEqual(['created', skipped, skipped, 'created']);
		const [alone] = await run({ options: { simplify: false } }, whole);
		expect(alone).toMatchObject({ reason: skipped, shopifyOrder: { name: whole.name } });
		const included = await run({ filters: { includeFulfillmentServices: true } }, ...items);
		expect(included.map(summary)).toEqual([
			'alreadyCreated',
			'created',
			'created',
			'alreadyCreated',
		]);
	});
});
