/** Delivery: Create from Shopify orders. */
import { jsonParse, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { payableInCash, shopifyOrder } from '../support/shopifyOrders';
import { toGraphqlOrder } from '../support/graphqlOrder';
import { jsonOf, orderParameters, pairedItems, fromOrders, setUp } from '../support/actionNode';
import { pickup } from '../support/sampleDelivery';

const service = setUp();

/** The sample order as n8n's GraphQL node outputs it. */
const toGraphql = () => jsonParse<IDataObject>(JSON.stringify(toGraphqlOrder(shopifyOrder())));

const fromOrder = (orderOptions: INodeParameters = {}): INodeParameters => ({
	...fromOrders,
	...orderParameters(orderOptions),
});

const contact = {
	name: 'Maya Okafor',
	email: 'maya.okafor@mail.example',
	phonenumber: '+1 217-555-0101',
};
const address = {
	streetName: '214 Larkspur Lane',
	city: 'Springfield',
	state: 'Illinois',
	zipcode: '62704',
	country: 'United States',
};
const addressText = '214 Larkspur Lane, Springfield, Illinois 62704, United States';
const location = {
	address,
	instructions: 'Apt 3B; Leave at the reception',
	lat: '39.7817',
	lng: '-89.6501',
};
const parcel = { name: '#1001', qty: 1, weight: 1.61, size: 'm', price: 80.1 };

/** The delivery that the service receives for `shopifyOrder()` without options. */
const plain = {
	pickup,
	dropoff: { contact, location },
	packages: [parcel],
	referenceId: '#1001',
	tags: ['gift', 'VIP'],
	extraData: [{ name: 'Delivery window', value: '8:00 - 12:00' }],
};
const longTag = 'x'.repeat(51);

/** The field `shopifyOrder` of the output item for `shopifyOrder()`. */
const orderSummary = { id: '5600007927919', name: '#1001', email: contact.email };
const without = (field: keyof typeof plain) =>
	Object.fromEntries(Object.entries(plain).filter(([name]) => name !== field));

describe('Shopify order', () => {
	test('creates a delivery from an order without any option', async () => {
		const { error, items } = await service.run(fromOrder(), { items: [shopifyOrder()] });

		expect(error).toBeUndefined();
		expect(service.received()).toEqual([
			{ method: 'POST', path: '/v1/deliveries', body: { deliveries: [plain] } },
		]);
		expect(jsonOf(items)).toMatchObject([
			{
				id: service.control.deliveries()[0]?.record.id,
				referenceId: '#1001',
				statusDelivery: 'processing',
			},
		]);
		expect(pairedItems(items)).toEqual([0]);
	});

	test.each<[string, INodeParameters, IDataObject]>([
		['from an expression', { order: '={{ $json.body }}' }, { body: shopifyOrder() }],
		['from the GraphQL API', {}, { data: { order: toGraphql() } }],
		['as JSON text', { order: '={{ $json.text }}' }, { text: JSON.stringify(shopifyOrder()) }],
	])('accepts an order %s', async (_form, parameters, item) => {
		await service.run({ ...fromOrder(), ...parameters }, { items: [item] });

		expect(service.creations()).toEqual([{ deliveries: [plain] }]);
	});

	test('sends only orders with one of the shipping methods, one per line', async () => {
		const titles = ['Local today', 'DHL, fast', 'Mail'];
		const items = titles.map((title) => shopifyOrder({ name: title, shipping_lines: [{ title }] }));
		const shippingMethods = 'local*\n DHL, fast\n';

		const { error } = await service.run({ ...fromOrder(), shippingMethods }, { items });

		expect(error).toBeUndefined();
		expect(service.existing()).toEqual(['Local today', 'DHL, fast']);
	});

	test('sends each order with the delivery type of its shipping method', async () => {
		const orders = ['Same Day', 'Standard'].map((title, index) =>
			shopifyOrder({ name: `#${index}`, shipping_lines: [{ title }] }),
		);
		const entry = [{ method: 'Same Day', type: 'express' }];

		const { error } = await service.run(
			{ ...fromOrder({ deliveryTypes: { entry } }), options: { type: 'flex' } },
			{ items: orders },
		);

		expect(error).toBeUndefined();
		expect(service.creations()).toMatchObject([
			{ type: 'express', deliveries: [{ referenceId: '#0' }] },
			{ type: 'flex', deliveries: [{ referenceId: '#1' }] },
		]);
	});

	test('creates one delivery for an order that comes from REST and from GraphQL', async () => {
		const parameters = { ...fromOrder(), skipAlreadySent: true };
		await service.run(parameters, { items: [shopifyOrder()] });
		const { items } = await service.run(parameters, {
			items: [{ data: { order: toGraphql() } }, { headers: {}, body: shopifyOrder() }],
		});

		expect(service.creations()).toEqual([{ deliveries: [plain] }]);
		expect(jsonOf(items)).toMatchObject([
			{ reason: 'alreadyCreated', referenceId: '#1001' },
			{ reason: 'sameReferenceInInput', referenceId: '#1001' },
		]);
	});
});

describe('order option', () => {
	test.each<[string, INodeParameters, IDataObject, unknown]>([
		[
			'that replace values of the order',
			{
				addressFormat: 'text',
				instructions: 'Ring twice',
				packageName: 'Parcel',
				packageSize: 'xl',
				referenceId: '={{ $json.id }}-B',
				tags: 'fragile, morning',
				cod: 'unpaid',
				includeAdditionalDetails: false,
				includeTestOrders: true,
			},
			{
				...payableInCash,
				payment_gateway_names: ['Bank Deposit'],
				total_outstanding: '12.35',
				test: true,
			},
			{
				...without('extraData'),
				dropoff: {
					contact,
					location: { ...location, address: addressText, instructions: 'Ring twice' },
				},
				packages: [{ ...parcel, name: 'Parcel', size: 'xl' }],
				referenceId: '5600007927919-B',
				tags: ['fragile', 'morning'],
				cod: 12.35,
			},
		],
		[
			'for an order without email',
			{
				fallbackEmail: 'orders@shop.example',
				cashOnDeliveryMethods: 'Pay the milkman, Pay later',
				includeTags: false,
				referenceIdFrom: 'orderNumber',
				packageSizeByWeight: {
					limit: [
						{ upToKg: 5, size: 'l' },
						{ upToKg: 1.61, size: 'xs' },
						{ upToKg: 1.6, size: 's' },
					],
				},
			},
			{
				...payableInCash,
				payment_gateway_names: ['Pay the milkman'],
				email: null,
				contact_email: '',
				customer: { first_name: 'Maya', last_name: 'Okafor', phone: contact.phonenumber },
			},
			{
				...without('tags'),
				dropoff: {
					contact: { ...contact, email: 'orders@shop.example' },
					location,
				},
				packages: [{ ...parcel, size: 'xs' }],
				referenceId: '1001',
				cod: 87,
			},
		],
		[
			'Cash on Delivery: Never, Reference ID From: ID, and one package per unit',
			{ cod: 'never', referenceIdFrom: 'id', packagesPer: 'unit' },
			payableInCash,
			{
				...plain,
				referenceId: '5600007927919',
				packages: [
					{
						name: 'Linen Tablecloth - Sand / 150 x 250 cm',
						qty: 1,
						weight: 0.85,
						size: 'm',
						price: 54,
					},
					{
						name: 'Stoneware Mug - Blue',
						qty: 2,
						weight: 0.76,
						size: 'm',
						price: 26.1,
					},
				],
			},
		],
	])('applies the order options %s', async (_what, options, changes, expected) => {
		const { error } = await service.run(fromOrder(options), { items: [shopifyOrder(changes)] });

		expect(error).toBeUndefined();
		expect(service.creations()).toEqual([{ deliveries: [expected] }]);
	});

	test('ignores order options that are added but left empty', async () => {
		await service.run(
			fromOrder({
				cashOnDeliveryMethods: ' ',
				deliveryMethods: [],
				fallbackEmail: '',
				instructions: '',
				packageName: '',
				packageSizeByWeight: {},
				tags: '',
			}),
			{ items: [shopifyOrder()] },
		);

		expect(service.creations()).toEqual([{ deliveries: [plain] }]);
	});

	test.each(['', '={{ $json.missing }}'])(
		'sends no order whose custom reference ID is empty: %s',
		async (referenceId) => {
			const { error } = await service.run(fromOrder({ referenceId }), { items: [shopifyOrder()] });
			expect(service.control.requests()).toEqual([]);
			expect(error?.message).toBe(
				"Order #1001 has no reference ID: Custom Reference ID under Order Options is empty. If it is an expression, it returned nothing for this order. To use the order's name, remove the option. [item 0]",
			);
		},
	);

	test.each([
		[
			'Package size by weight max weight in kilograms should be a number of 0 or more [item 0]',
			{ packageSizeByWeight: { limit: [{ upToKg: '={{ "light" }}', size: 's' }] } },
		],
		['Fallback email is not an email address [item 0]', { fallbackEmail: 'orders' }],
		[
			`Order #77: tag "${longTag}" is longer than 50 characters [item 0]`,
			{ tags: longTag, referenceId: '#77' },
		],
	])('rejects an invalid order option without sending a request: %s', async (message, options) => {
		const { error } = await service.run(fromOrder(options), { items: [shopifyOrder()] });

		expect(service.control.requests()).toEqual([]);
		expect(error?.message).toBe(message);
	});
});

test('creates one delivery from an order that arrives twice', async () => {
	const runs = [0, 1].map(async () => await service.run(fromOrder(), { items: [shopifyOrder()] }));
	await Promise.all(runs);
	expect(service.creations()).toEqual([{ deliveries: [plain] }]);
});

test.each([
	[{ tags: longTag }, `Also: Tag "${longTag}" is longer than 50 characters. `],
	[{}, ''],
])('names the order and where to fix an invalid field, with %p', async (options, also) => {
	const { error } = await service.run(
		{ ...fromOrder(options), pickupEmail: 'shop' },
		{ items: [shopifyOrder()] },
	);

	expect(error).toMatchObject({
		message: 'Order #1001: pickup email "shop" is not an email address [item 0]',
		description: `${also}Fix pickup fields and values of options in this node, everything else in Shopify. No delivery was created.`,
	});
});

test('keeps the error message unchanged if it contains an error code of n8n', async () => {
	const parameters = { ...fromOrder(), pickupEmail: 'ana@bikeaccessories' };
	const { error } = await service.run(parameters, { items: [shopifyOrder()] });

	expect(error?.message).toBe(
		'Order #1001: pickup email "ana@bikeaccessories" is not an email address [item 0]',
	);
});

test('sends the other orders, and returns skipped ones in their place', async () => {
	const { items, outputs } = await service.run(fromOrder(), {
		items: [
			shopifyOrder({ name: '#1', test: true }),
			shopifyOrder(),
			shopifyOrder({ name: '#3', cancelled_at: '2026-03-03T10:02:00-06:00' }),
		],
		onError: 'continueErrorOutput',
	});

	expect(service.creations()).toEqual([{ deliveries: [plain] }]);
	expect(pairedItems(items)).toEqual([0, 1, 2]);
	expect(jsonOf(items)).toMatchObject([
		{ outcome: 'skipped', reason: 'testOrder', referenceId: '#1' },
		{ id: service.control.deliveries()[0]?.record.id, referenceId: '#1001' },
		{ outcome: 'skipped', reason: 'cancelled', referenceId: '#3' },
	]);
	expect(outputs[1] ?? []).toEqual([]);
});

describe('invalid order', () => {
	test.each<[RegExp, IDataObject]>([
		[
			/^Order #1001-1001-.*: reference ID "#1001-1001-.*" is longer than 40 characters/,
			shopifyOrder({ name: '#1001-1001-1001-1001-1001-1001-1001-1001-1' }),
		],
		[/^This is not a Shopify order: it has no "line_items"\./, { json: 1 }],
	])('sends the other order if one is invalid: %s', async (message, item) => {
		const { error, items } = await service.run(fromOrder(), { items: [shopifyOrder(), item] });

		expect(service.creations()).toEqual([{ deliveries: [plain] }]);
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringMatching(message),
			context: { itemIndex: 1 },
		});
		expect(error?.message).toMatch(/ \[item 1\]$/);
	});

	const unpaid = { financial_status: 'pending', total_outstanding: '5.00' };
	const manual = { ...unpaid, payment_gateway_names: ['manual'] };
	test('says in the error what a skipped order needs, though none can be sent', async () => {
		const partlyPaid = { ...manual, financial_status: 'partially_paid' };
		const items = [{ json: 1 }, shopifyOrder({ name: '#2', ...partlyPaid })];
		const { error } = await service.run(fromOrder(), { items });
		expect(error?.description).toMatch(/Order #2 was not sent: it is only partly/);
	});

	test('keeps in the error item what the order of an unknown delivery needs', async () => {
		service.control.addFault({ kind: 'status', status: 500 });
		const run = { items: [shopifyOrder(manual)], onError: 'continueErrorOutput' } as const;
		const actionNeeded = expect.stringContaining('no cash is collected');
		const { outputs } = await service.run({ ...fromOrder(), filters: { payment: 'any' } }, run);
		expect(outputs[1]).toMatchObject([{ json: { error: { outcome: 'unknown', actionNeeded } } }]);
	});

	test('lists all problems of an invalid order in its error item', async () => {
		const wrong = shopifyOrder({ name: '', shipping_address: null, shipping_lines: [] });

		const { outputs } = await service.run(fromOrder(), {
			items: [wrong, shopifyOrder(), shopifyOrder({ name: '#3', test: true })],
			onError: 'continueErrorOutput',
		});

		expect(service.creations()).toEqual([{ deliveries: [plain] }]);
		expect(pairedItems(outputs[0] ?? [])).toEqual([1, 2]);
		expect(outputs[1]).toEqual([
			{
				json: {
					...wrong,
					error: {
						message: expect.stringMatching(
							/^Order \d+ has items to ship, but no shipping address.*\[item 0\]$/,
						),
						description: expect.stringMatching(
							/Order \d+ has no "name" to use as the reference ID/,
						),
						outcome: 'invalid',
						referenceId: '',
						actionNeeded: expect.stringMatching(/no shipping address.* to use as the reference ID/),
						customer: 'Maya Okafor',
						cash: '',
						address: '',
						orderUrl: '',
						repeat: false,
						help: expect.stringMatching(/#incomplete-order$/),
						shopifyOrder: { ...orderSummary, name: undefined },
					},
					message: expect.stringMatching(/no shipping address.* to use as the reference ID/),
				},
				pairedItem: { item: 0 },
			},
		]);
	});
});

test('says what an order needs when it is sent, also in a failed run, and not again in each later run', async () => {
	const later = { note_attributes: [{ name: 'Delivery Date', value: '2126-12-24' }] };
	const old = { id: 2, name: '#2', created_at: '2020-01-01T10:00:00Z' };
	const run = async (...items: IDataObject[]) => await service.run(fromOrder(), { items });
	const failed = await run(shopifyOrder(later), { json: 1 }, shopifyOrder(old));
	const needed = expect.stringMatching(/2126-12-24/);
	expect(failed.error?.context.data).toMatchObject({
		created: [{ actionNeeded: needed }],
		skipped: [{ referenceId: '#2', actionNeeded: expect.stringMatching(/^#2 was not sent/) }],
	});
	expect(failed.error?.description).toMatch(
		/Created: #1001 .* Not sent: item 1\. Order #1001 was sent now, .*2126-12-24.* #2 was not sent: .* in time\. /,
	);
	const [again] = jsonOf((await run(shopifyOrder(later))).items);
	expect(again?.actionNeeded).toBe('');
	expect(again?.message).toBe('#1001 was already sent. Nothing to do.');
});

test('asks the memory before it decides about an order that was sent', async () => {
	const run = async (changes: IDataObject) => {
		const { items } = await service.run(fromOrder(), { items: [shopifyOrder(changes)] });
		const { outcome, reason, message, actionNeeded } = jsonOf(items)[0] ?? {};
		return { outcome, reason, message, actionNeeded };
	};
	expect(await run({})).toMatchObject({ outcome: 'created' });
	const sent = { outcome: 'skipped', reason: 'alreadyCreated' };
	const quiet = { ...sent, message: '#1001 was already sent. Nothing to do.', actionNeeded: '' };
	for (const changes of [
		{ financial_status: 'partially_paid', total_outstanding: '5.00', payment_gateway_names: [] },
		{ created_at: '2020-01-01T10:00:00Z' },
	])
		expect(await run(changes)).toEqual(quiet);
});

test('shows a hint that says why the only order was skipped, and all its columns', async () => {
	const cancelled = shopifyOrder({ cancelled_at: '2026-11-02T10:00:00-06:00' });
	const parameters = { ...fromOrder(), options: { simplify: false } };
	const { hints, items } = await service.run(parameters, { items: [cancelled] });
	expect(jsonOf(items)[0]?.shopifyOrder).toEqual(orderSummary);
	expect(hints.map(({ message }) => message)).toEqual([
		'Nothing was sent. Order #1001 was canceled. Nothing to do.',
	]);
});

test('names the listed shipping methods that no order of a run has, if it skips orders for them', async () => {
	const warning =
		'Shipping Methods lists names that no order of this run has: "Standing", "Same-day". Compare the spelling with Shopify.';
	const items = [
		shopifyOrder(),
		shopifyOrder({ id: 2, name: '#2', shipping_lines: [{ title: 'Express', code: 'X-1' }] }),
	];
	const warningsFor = async (shippingMethods: string, options = {}, some = items) => {
		const { hints } = await service.run(
			{ ...fromOrder(), shippingMethods, options },
			{ items: some },
		);
		return hints.map(({ message }) => message).join('\n');
	};
	expect(await warningsFor('Standing\nexpress\nSame-day')).toContain(warning);
	expect(await warningsFor('Standing\nX-1\nSame-day', { dryRun: true })).toContain(warning);
	for (const methods of ['X-1', 'Standard\nExp*\nSame-day'])
		expect(await warningsFor(methods)).not.toContain('Compare the spelling');
	expect(await warningsFor('Standing', {}, items.slice(0, 1))).not.toContain(
		'Compare the spelling',
	);
});
