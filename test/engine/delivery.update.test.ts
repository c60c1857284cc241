/** Delivery: Update. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { addNodeType } from '../support/engine/engine';
import { lineItem, shippingAddress, shopifyOrder } from '../support/shopifyOrders';
import { jsonOf, orderParameters, fromOrders, setUp } from '../support/actionNode';
import { samplePart } from '../support/sampleFulfillmentOrder';

const service = setUp();

const update = (changes: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	resource: 'delivery',
	operation: 'update',
	findBy: 'deliveryIds',
	deliveryIds: '={{ $json.id }}',
	changesFrom: 'defineBelow',
	changes,
	...more,
});
const byReference = (changes: INodeParameters, referenceIds: string): INodeParameters =>
	update(changes, { findBy: 'referenceIds', referenceIds });

const flags = { recalculatePrice: true, reorderRoute: true, recalculateCity: true };

/** The bodies of the update requests that the service received. */
const updates = () => service.received('PATCH').map(({ body }) => body);

const success = { outcome: 'updated', message: 'Success', jobId: expect.any(String), code: 'OK' };

/** The fields of the output item of a delivery that was not updated. */
const failed = { message: expect.any(String), jobId: '', code: '' };

const itemsWithIds = (ids: readonly string[]) => ids.map((id) => ({ id }));

describe('deliveries to update', () => {
	test('updates deliveries by delivery ID, in comma-separated text', async () => {
		const ids = await service.seed(3);
		const deliveryIds = '={{ $json.ids.join(" , ") }}';

		const { error, items } = await service.run(
			update({ instructions: 'Ring twice' }, { deliveryIds }),
			{ items: [{ ids }] },
		);

		expect(error).toBeUndefined();
		const deliveryChanges = { location: { instructions: 'Ring twice' } };
		const body = { deliveryIds: ids, deliveryChanges, ...flags };
		const path = '/v1/deliveries/dropoff';
		expect(service.received('PATCH')).toEqual([{ method: 'PATCH', path, body }]);
		expect(items).toEqual(
			ids.map((deliveryId) => ({ json: { deliveryId, ...success }, pairedItem: { item: 0 } })),
		);
	});

	test('updates deliveries by reference ID, in comma-separated text', async () => {
		await service.seed(3);

		const { items } = await service.run(byReference({ name: 'Ben' }, 'R0, R2'));

		const deliveryChanges = { contact: { name: 'Ben' } };
		expect(updates()).toEqual([{ referenceIds: ['R0', 'R2'], deliveryChanges, ...flags }]);
		expect(items).toEqual(
			['R0', 'R2'].map((referenceId) => ({
				json: { referenceId, ...success },
				pairedItem: { item: 0 },
			})),
		);
		expect(service.control.deliveries().map(({ request }) => request.dropoff.contact.name)).toEqual(
			['Ben', 'Ana Torres', 'Ben'],
		);
	});
});

test('sends each flag of an update as the option of its item says', async () => {
	const ids = await service.seed(2);
	const options = {
		recalculatePrice: '={{ $json.price }}',
		reorderRoute: false,
		recalculateCity: '={{ $json.city }}',
	};

	await service.run(update({ cod: '5' }, { options }), {
		items: [
			{ id: ids[0], price: true, city: false },
			{ id: ids[1], price: 'false', city: 'true' },
			{ id: ids[0], price: '', city: null },
		],
	});

	expect(updates()).toMatchObject([
		{ recalculatePrice: true, reorderRoute: false, recalculateCity: false },
		{ recalculatePrice: false, reorderRoute: false, recalculateCity: true },
		{ recalculatePrice: true, reorderRoute: false, recalculateCity: true },
	]);
});

describe('field of an update', () => {
	const full = {
		location: {
			address: '9 Harbour Street, Portland',
			instructions: 'Ring twice',
			lat: 43.65,
			lng: -70.25,
		},
		contact: { name: 'Ben Oak', email: 'ben@mail.example', phonenumber: '+1 555 0199' },
		packages: [
			{ id: 'PK-1', name: 'Shoes', qty: 2, weight: 2.4, size: 'm', price: 99.9 },
			{ name: 'Letter', qty: 1, size: 'xs' },
		],
		cod: 49.9,
		referenceId: 'R0-B',
		addTags: [12, 15],
		removeTags: [7],
	};

	test.each<[string, INodeParameters, object]>([
		['Cash on Delivery: none', { cod: '0' }, { cod: 0 }],
		[
			'Packages, with only the weight filled in',
			{ packages: { package: [{ id: 'PK-1', weight: '2.4' }, {}] } },
			{ packages: [{ id: 'PK-1', weight: 2.4 }] },
		],
		[
			'all of them',
			{
				...full.location,
				lat: '43.65',
				lng: '-70.25',
				...full.contact,
				packages: { package: full.packages },
				cod: '49.9',
				referenceId: 'R0-B',
				addTags: '12,15',
				removeTags: '7',
			},
			full,
		],
	])('sends only the fields that are added: %s', async (_what, changes, deliveryChanges) => {
		const [id = ''] = await service.seed(1);

		const { error, items } = await service.run(update(changes), { items: [{ id }] });

		expect(error).toBeUndefined();
		expect(updates()).toEqual([{ deliveryIds: [id], deliveryChanges, ...flags }]);
		expect(jsonOf(items)).toEqual([{ deliveryId: id, ...success }]);
	});

	test.each<[string, INodeParameters]>([
		['There is nothing to change', {}],
		['Tag ID to add: at least one is required', { addTags: '={{ [] }}' }],
		['Tag ID to remove "fragile" is not a number', { removeTags: 'fragile' }],
		['Recipient email "ana" is not an email address', { email: 'ana' }],
		['New reference ID (an object) is not text', { referenceId: '={{ {} }}' }],
		['Package: at least one is required', { packages: { package: [{}] } }],
		[
			'Delivery longitude is missing. Set both latitude and longitude, or neither',
			{ lat: '43.65' },
		],
	])('sends nothing if a field of an update is invalid: %s', async (message, changes) => {
		const { error, items } = await service.run(byReference(changes, 'R0'), { items: [{}, {}] });

		expect(service.control.requests()).toEqual([]);
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringMatching(/ \[item 0\]$/),
			context: { itemIndex: 0 },
		});
		expect(error?.message.slice(0, message.length)).toBe(message);
	});
});

describe('invalid item of an update', () => {
	test.each<[string, IDataObject]>([
		['Delivery ID: at least one is required [item 1]', { id: null }],
		['Recalculate price "maybe" is not true or false [item 1]', { id: 'x', price: 'maybe' }],
	])('updates nothing if one item is invalid: %s', async (message, wrong) => {
		const [id = ''] = await service.seed(1);

		const { error } = await service.run(
			{ ...update({ cod: '5' }), options: { recalculatePrice: '={{ $json.price ?? true }}' } },
			{ items: [{ id }, wrong] },
		);

		expect(updates()).toEqual([]);
		expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
	});

	test('names the setting of an imported workflow that does not say how to find deliveries', async () => {
		const { error } = await service.run(update({ cod: '5' }, { findBy: 'orderId' }));

		expect(updates()).toEqual([]);
		expect(error?.message).toBe(
			'Find Deliveries By "orderId" is not one of deliveryIds, referenceIds [item 0]',
		);
	});

	test('returns an error item in place of an invalid item with On Error: Continue', async () => {
		const [a = '', b = ''] = await service.seed(2);
		const items = [{ id: a }, { id: '' }, { id: b }];

		const regular = await service.run(update({ cod: '5' }), {
			items,
			onError: 'continueRegularOutput',
		});
		const split = await service.run(update({ cod: '5' }), {
			items,
			onError: 'continueErrorOutput',
		});

		const bodyOf = (id: string) => ({ deliveryIds: [id], deliveryChanges: { cod: 5 }, ...flags });
		expect(updates()).toEqual([a, b, a, b].map(bodyOf));
		const error = {
			message: 'Delivery ID: at least one is required [item 1]',
			outcome: 'invalid',
		};
		const message = 'Delivery ID: at least one is required';
		expect(regular.items).toEqual([
			{ json: { deliveryId: a, ...success }, pairedItem: { item: 0 } },
			{
				json: { ...failed, deliveryId: '', outcome: 'invalid', message },
				pairedItem: { item: 1 },
			},
			{ json: { deliveryId: b, ...success }, pairedItem: { item: 2 } },
		]);
		expect(split.outputs).toEqual([
			[
				{ json: { deliveryId: a, ...success }, pairedItem: { item: 0 } },
				{ json: { deliveryId: b, ...success }, pairedItem: { item: 2 } },
			],
			[{ json: { id: '', error, message }, pairedItem: { item: 1 } }],
		]);
	});
});

describe('rejected ID in the middle of a run', () => {
	/** The IDs of 23 deliveries, the 13th of which does not exist. */
	const idsWithUnknown = async () => {
		const ids = await service.seed(23);
		return ids.map((id, number) => (number === 12 ? 'no-such-delivery' : id));
	};
	const knownIds = (ids: readonly string[]) => ids.filter((id) => id !== 'no-such-delivery');
	const updatedIds = () =>
		service.control
			.deliveries()
			.filter(({ request }) => request.cod === 5)
			.map(({ record }) => record.id);

	test('fails the run after updating the other IDs of the request, and counts the updates', async () => {
		const ids = await idsWithUnknown();

		const parameters = update({ cod: '5' }, { deliveryIds: '={{ $json.ids }}' });
		const { status, error, items } = await service.run(parameters, { items: [{ ids }] });

		expect(updates()).toMatchObject([
			{ deliveryIds: ids.slice(0, 10) },
			{ deliveryIds: ids.slice(10, 20) },
			...ids.slice(10, 20).map((id) => ({ deliveryIds: [id] })),
		]);
		expect(updatedIds()).toEqual(knownIds(ids.slice(0, 20)));
		expect({ status, items }).toEqual({ status: 'error', items: [] });
		expect(error).toMatchObject({
			message:
				'Delivery no-such-delivery was not updated: the Delivery Service could not find the requested resource (status 404) [item 0]',
			description: `Check the delivery ID, and the Base URL in the credential. The service says: Unknown deliveries: no-such-delivery (NOT_FOUND). Rejected: no-such-delivery. Not sent (3): ${ids.slice(20).join(', ')}. Deliveries updated in this run: 19.`,
			context: {
				itemIndex: 0,
				data: {
					updated: ids
						.slice(0, 20)
						.filter((id) => id !== 'no-such-delivery')
						.map((id) => ({ item: 0, id })),
					rejected: [{ item: 0, id: 'no-such-delivery' }],
					unknown: [],
					notSent: ids.slice(20).map((id) => ({ item: 0, id })),
				},
			},
		});
	});
});

describe('a new reference ID', () => {
	const sharedReference = "A new reference ID can't be assigned to several deliveries";

	test.each([
		['of one item', '={{ $json.ids }}', [{ ids: ['a', 'b'] }], 0],
		['of several items', '={{ $json.id }}', [{ id: 'a' }, { id: 'b' }], 1],
	])('rejects one new reference ID for several deliveries %s', async (...row) => {
		const [, deliveryIds, items, wrong] = row;

		const { error } = await service.run(update({ referenceId: 'R-new' }, { deliveryIds }), {
			items,
		});

		expect(error).toMatchObject({
			message: `${sharedReference} [item ${wrong}]`,
			description: expect.stringContaining('an expression in New Reference ID'),
		});
		expect(service.received()).toEqual([]);
	});

	test('accepts a new reference ID for a delivery that is listed twice', async () => {
		const [id = ''] = await service.seed(1);

		const { error } = await service.run(update({ referenceId: 'R-new' }), {
			items: itemsWithIds([id, id]),
		});

		expect(error).toBeUndefined();
		expect(service.existing()).toEqual(['R-new']);
	});
});

test('an AI agent, which gets only the message of an error, learns what to do from it', async () => {
	addNodeType('n8n-nodes-delivery-service.deliveryServiceTool', new DeliveryService());
	const parameters = byReference({ cod: '5' }, 'R9');

	const { error } = await service.run(parameters, { node: 'deliveryServiceTool' });

	expect(error?.message).toMatch(
		/^R9 was not updated: .* Check the reference ID, and the Base URL/,
	);
	expect(error?.description).toBeFalsy();
});

describe('Retry On Fail of an update', () => {
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const message = 'This node already retries. Turn off Retry On Fail in its settings.';

	test('is rejected before anything is sent', async () => {
		const items = itemsWithIds(await service.seed(2));
		const stopped = await service.run(update({ cod: '5' }), { items, settings });
		const continued = await service.run(update({ cod: '5' }), {
			items,
			settings,
			onError: 'continueRegularOutput',
		});

		expect(updates()).toEqual([]);
		expect(stopped.error?.message).toBe(message);
		expect(jsonOf(continued.items)).toMatchObject([
			{ outcome: 'notSent', message },
			{ outcome: 'notSent', message },
		]);
	});
});

describe('changes from a Shopify order', () => {
	const fromOrder = (orderOptions: INodeParameters = {}): INodeParameters => ({
		resource: 'delivery',
		operation: 'update',
		changesFrom: 'shopifyOrder',
		...orderParameters({ referenceId: 'R0', ...orderOptions }),
	});
	const location = {
		address: '214 Larkspur Lane, Springfield, Illinois 62704, United States',
		instructions: 'Apt 3B; Leave at the reception',
		lat: 39.7817,
		lng: -89.6501,
	};
	const contact = {
		name: 'Maya Okafor',
		email: 'maya.okafor@mail.example',
		phonenumber: '+1 217-555-0101',
	};
	const parcel = { name: '#1001', qty: 1, weight: 1.61, size: 'm', price: 80.1 };

	test('updates a delivery from the current Shopify order', async () => {
		await service.seed(1);

		const { error, items } = await service.run(fromOrder(), { items: [shopifyOrder()] });

		expect(error).toBeUndefined();
		expect(updates()).toEqual([
			{
				referenceIds: ['R0'],
				deliveryChanges: { location, contact, packages: [parcel], cod: 0 },
				...flags,
			},
		]);
		expect(jsonOf(items)).toEqual([{ referenceId: 'R0', ...success, actionNeeded: '' }]);
	});

	const fulfilled = { ...lineItem(), fulfillable_quantity: 0, fulfillment_status: 'fulfilled' };

	test.each<[string, INodeParameters]>([
		['by default', {}],
		['without cash on delivery', { cod: 'never' }],
	])('says in the row what of the order an update did not change, %s', async (_when, options) => {
		await service.seed(1);

		const { items } = await service.run(fromOrder(options), {
			items: [shopifyOrder({ line_items: [fulfilled] })],
		});

		expect(jsonOf(items)).toMatchObject([
			{
				outcome: 'updated',
				actionNeeded: 'Not updated: packages. Ask the Delivery Service to change this if needed.',
			},
		]);
	});

	test('collects what is owed now for a whole order, also once something of it is fulfilled', async () => {
		await service.seed(1);
		const order = shopifyOrder({
			line_items: [fulfilled],
			financial_status: 'partially_paid',
			payment_gateway_names: ['Cash on Delivery (COD)'],
			total_outstanding: '55.00',
		});

		await service.run(fromOrder(), { items: [order] });

		expect(updates()).toMatchObject([{ deliveryChanges: { cod: 55 } }]);
	});

	test('says in the row that a person must see to a delivery that was not updated', async () => {
		const run = { items: [shopifyOrder()], onError: 'continueRegularOutput' } as const;

		const { items } = await service.run(fromOrder(), run);

		const message = expect.stringMatching(/^R0 was not updated: .*\(status 404\)/);
		const row = { outcome: 'rejected', message, actionNeeded: message };
		expect(jsonOf(items)).toMatchObject([{ referenceId: 'R0', ...row }]);
	});

	test('updates one delivery from the same order twice', async () => {
		await service.seed(1);

		const { error } = await service.run(fromOrder(), { items: [shopifyOrder(), shopifyOrder()] });

		expect(error).toBeUndefined();
		expect(updates()).toHaveLength(2);
	});

	const part = (id: number) => ({
		order: shopifyOrder(),
		fulfillmentOrder: {
			...samplePart({ id, order_id: shopifyOrder().id, destination: null }),
			line_items: [{ line_item_id: lineItem().id, quantity: 1, fulfillable_quantity: 1 }],
		},
	});

	test.each<[string, INodeParameters, IDataObject, string]>([
		['its name', {}, shopifyOrder(), '#1001'],
		['its number', { referenceIdFrom: 'orderNumber' }, shopifyOrder(), '1001'],
		['its ID', { referenceIdFrom: 'id' }, shopifyOrder(), '5600007927919'],
		[
			'a custom reference ID',
			{ referenceId: '={{ $json.id }}-B' },
			shopifyOrder(),
			'5600007927919-B',
		],
		['its fulfillment order', {}, part(11), '#1001-11'],
	])(
		'finds the delivery that Create made of an order, by %s',
		async (_what, options, item, own) => {
			const order = orderParameters(options);
			const create = {
				...fromOrders,
				...order,
			};
			await service.run(create, { items: [item] });
			expect(service.existing()).toEqual([own]);
			const update = {
				resource: 'delivery',
				operation: 'update',
				changesFrom: 'shopifyOrder',
				...order,
			};

			const { error, items } = await service.run(update, { items: [item] });

			expect(error).toBeUndefined();
			expect(jsonOf(items)).toMatchObject([{ referenceId: own, outcome: 'updated' }]);
			expect(updates()).toMatchObject([{ referenceIds: [own] }]);
		},
	);

	test.each<[string, IDataObject, IDataObject, string]>([
		['a whole order that was sent by fulfillment order', part(11), shopifyOrder(), '#1001'],
		['a fulfillment order of an order that was sent whole', shopifyOrder(), part(11), '#1001-11'],
	])('finds no delivery of %s', async (_what, sent, updated, own) => {
		await service.run(fromOrders, { items: [sent] });
		const before = service.control.deliveries();
		const update = { resource: 'delivery', operation: 'update', changesFrom: 'shopifyOrder' };

		const { error } = await service.run(update, { items: [updated] });

		expect(error?.message).toBe(
			`${own} was not updated: the Delivery Service could not find the requested resource (status 404) [item 0]`,
		);
		expect(service.control.deliveries()).toEqual(before);
	});

	test('rejects an order without the field that its reference ID is from', async () => {
		const items = [shopifyOrder({ name: null })];
		const { error } = await service.run(
			{ resource: 'delivery', operation: 'update', changesFrom: 'shopifyOrder' },
			{ items },
		);
		expect(error?.message).toBe(
			'Order 1001 has no "name" to use as the reference ID. Request this field in the Shopify node or the query. [item 0]',
		);
		expect(updates()).toEqual([]);
	});

	test('omits missing fields of the order, such as its email, but replaces the instructions of the old address', async () => {
		await service.seed(1);
		const noDetails = { phone: null, address2: null, latitude: null, longitude: null };
		const order = shopifyOrder({
			email: null,
			contact_email: null,
			phone: null,
			note: null,
			customer: null,
			billing_address: null,
			shipping_address: { ...shippingAddress(), ...noDetails },
		});

		const { error } = await service.run(fromOrder(), { items: [order] });

		expect(error).toBeUndefined();
		expect(updates()).toEqual([
			{
				referenceIds: ['R0'],
				deliveryChanges: {
					location: { address: location.address, instructions: 'Order #1001' },
					contact: { name: contact.name },
					packages: [parcel],
					cod: 0,
				},
				...flags,
			},
		]);
	});

	test('leaves recipient and address as they are if the sales channel hides them now', async () => {
		await service.seed(1);
		const shipping_address = shippingAddress({ name: 'M*** O****', address1: '******' });

		const { items } = await service.run(fromOrder(), {
			items: [shopifyOrder({ shipping_address })],
		});

		expect(updates()).toMatchObject([{ deliveryChanges: { packages: [parcel], cod: 0 } }]);
		expect(JSON.stringify(updates())).not.toContain('**');
		expect(jsonOf(items)).toMatchObject([
			{
				actionNeeded:
					'Not updated: recipient, address. Ask the Delivery Service to change this if needed.',
			},
		]);
	});

	test('finds a delivery date by the same detail as Create', async () => {
		await service.seed(1);
		const date = { name: 'Tour day', value: 'Friday, 27 November' };
		const items = [shopifyOrder({ note_attributes: [date] })];

		await service.run(fromOrder({ deliveryDateAttributes: date.name }), { items });

		const instructions = expect.stringContaining(date.value);
		expect(updates()).toMatchObject([{ deliveryChanges: { location: { instructions } } }]);
	});

	test('applies the order options, and accepts test orders and refunded orders', async () => {
		await service.seed(1);
		const order = shopifyOrder({ test: true, financial_status: 'refunded' });

		const options = fromOrder({ packageSize: 'xl', cod: 'never' });
		const { items } = await service.run(options, { items: [order] });

		expect(updates()).toMatchObject([
			{ deliveryChanges: { packages: [{ ...parcel, size: 'xl' }] } },
		]);
		const actionNeeded = 'Order #1001 was fully refunded. Ask the Delivery Service to stop it.';
		expect(jsonOf(items)).toMatchObject([{ outcome: 'updated', actionNeeded }]);
	});

	test.each<[string, IDataObject]>([
		[
			'Order #1001 was canceled. Its delivery was not updated. To stop it, ask the Delivery Service.',
			shopifyOrder({ cancelled_at: '2026-03-03T10:02:00-06:00' }),
		],
		[
			'Order #1001 has nothing to ship: its items are fulfilled, refunded, removed or digital. Its delivery was not updated. To stop it, ask the Delivery Service.',
			shopifyOrder({ line_items: [] }),
		],
		[
			`This is not a Shopify order: it has no "line_items". Connect a Shopify node, or set the field Order to an order in the format of Shopify's REST or GraphQL API. If the Shopify node limits the fields that it returns, add line_items.`,
			{ event: 'updateTask', id: 'D-1' },
		],
		[
			`Order #1001's "total_outstanding" should be a number, but is the text "a lot".`,
			shopifyOrder({ total_outstanding: 'a lot' }),
		],
		[
			`Order #1001 (Harbor Warehouse) doesn't contain the item with the ID 13200000000037 of its fulfillment order. If the order was edited, fetch it again. Request all "line_items" with their IDs in the Shopify node or the query.`,
			{ ...part(11), order: shopifyOrder({ line_items: [lineItem({ id: 999 })] }) },
		],
	])('rejects an order that cannot be sent, and updates nothing: %s', async (message, order) => {
		const run = { items: [order], onError: 'continueRegularOutput' } as const;
		const { items } = await service.run(fromOrder(), run);

		expect(updates()).toEqual([]);
		expect(jsonOf(items)).toMatchObject([{ message, outcome: 'invalid', actionNeeded: message }]);
	});
});
