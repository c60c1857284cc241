/** Delivery: Update. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { lineItem, shippingAddress, shopifyOrder } from '../support/shopifyOrders';
import { jsonOf, pairedItems, setUp } from '../support/actionNode';

const service = setUp();

const update = (changes: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	resource: 'delivery',
	operation: 'update',
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

const success = { jobId: expect.any(String), code: 'OK', message: 'Success' };

const idsOf = (ids: readonly string[]) => ids.map((id) => ({ id }));

describe('the deliveries to update', () => {
	test.each([
		['an ID', '={{ $json.ids[0] }}', 1],
		['comma-separated text', '={{ $json.ids.join(" , ") }}', 3],
		['text with empty entries', '=,{{ $json.ids.join(",,") }},', 3],
		['an array', '={{ $json.ids }}', 3],
	])('are named by delivery IDs: %s', async (_form, deliveryIds, count) => {
		const ids = (await service.seed(3)).slice(0, count);

		const { error, items } = await service.run(
			update({ instructions: 'Ring twice' }, { deliveryIds }),
			{ items: [{ ids }] },
		);

		expect(error).toBeUndefined();
		expect(service.received('PATCH')).toEqual([
			{
				method: 'PATCH',
				path: '/v1/deliveries/dropoff',
				body: {
					deliveryIds: ids,
					deliveryChanges: { location: { instructions: 'Ring twice' } },
					...flags,
				},
			},
		]);
		expect(items).toEqual(
			ids.map((deliveryId) => ({ json: { deliveryId, ...success }, pairedItem: { item: 0 } })),
		);
	});

	test.each([
		['comma-separated text', 'R0, R2'],
		['an array', '={{ ["R0", "R2"] }}'],
	])('are named by reference IDs: %s', async (_form, referenceIds) => {
		await service.seed(3);

		const { items } = await service.run(byReference({ name: 'Ben' }, referenceIds));

		expect(updates()).toEqual([
			{
				referenceIds: ['R0', 'R2'],
				deliveryChanges: { contact: { name: 'Ben' } },
				...flags,
			},
		]);
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

	test('may have numbers for references', async () => {
		await service.run(byReference({ name: 'Ben' }, '={{ [1001, "1002"] }}'), {
			onError: 'continueRegularOutput',
		});

		expect(updates()[0]).toMatchObject({ referenceIds: ['1001', '1002'] });
	});

	test('of one item are split into requests of 10', async () => {
		const ids = await service.seed(23);

		const { items } = await service.run(update({ cod: '5' }, { deliveryIds: '={{ $json.ids }}' }), {
			items: [{ ids }],
		});

		expect(updates()).toEqual(
			[ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)].map((deliveryIds) => ({
				deliveryIds,
				deliveryChanges: { cod: 5 },
				...flags,
			})),
		);
		expect(jsonOf(items).map(({ deliveryId }) => deliveryId)).toEqual(ids);
		expect(pairedItems(items)).toEqual(ids.map(() => 0));
		const jobs = new Set(jsonOf(items).map(({ jobId }) => jobId));
		expect(jobs.size).toBe(3);
	});

	test('of neighbouring items with the same changes share requests', async () => {
		const ids = await service.seed(23);

		const { items } = await service.run(update({ cod: '5' }), { items: idsOf(ids) });

		expect(updates()).toEqual(
			[ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)].map((deliveryIds) => ({
				deliveryIds,
				deliveryChanges: { cod: 5 },
				...flags,
			})),
		);
		expect(jsonOf(items).map(({ deliveryId }) => deliveryId)).toEqual(ids);
		expect(pairedItems(items)).toEqual([...ids.keys()]);
	});
});

describe('the order of the items', () => {
	test('is that of the requests, so that a later change wins', async () => {
		const [a = '', b = '', c = ''] = await service.seed(3);
		const items = [
			{ id: a, cod: 1 },
			{ id: b, cod: 1 },
			{ id: a, cod: 2 },
			{ id: c, cod: 1 },
			{ id: a, cod: 1 },
		];

		const { items: output } = await service.run(update({ cod: '={{ $json.cod }}' }), { items });

		const body = (cod: number, ...deliveryIds: string[]) => ({
			deliveryIds,
			deliveryChanges: { cod },
			...flags,
		});
		expect(updates()).toEqual([body(1, a, b), body(2, a), body(1, c, a)]);
		expect(jsonOf(output).map(({ deliveryId }) => deliveryId)).toEqual([a, b, a, c, a]);
		expect(pairedItems(output)).toEqual([0, 1, 2, 3, 4]);
		expect(service.control.deliveries().map(({ request }) => request.cod)).toEqual([1, 1, 1]);
	});

	test('keeps apart what differs in flags', async () => {
		const [a = '', b = ''] = await service.seed(2);

		await service.run(
			{
				...update({ cod: '5' }),
				deliveryIds: '={{ $json.id }}',
				options: { recalculatePrice: '={{ $json.price }}' },
			},
			{
				items: [
					{ id: a, price: true },
					{ id: b, price: 'false' },
					{ id: a, price: false },
				],
			},
		);

		expect(updates()).toEqual([
			{ deliveryIds: [a], deliveryChanges: { cod: 5 }, ...flags },
			{ deliveryIds: [b, a], deliveryChanges: { cod: 5 }, ...flags, recalculatePrice: false },
		]);
	});
});

describe('the flags', () => {
	test.each([
		[{ recalculatePrice: false }],
		[{ reorderRoute: false }],
		[{ recalculateCity: false }],
		[{ recalculatePrice: false, reorderRoute: false, recalculateCity: false }],
	])('are on unless turned off: %o', async (off) => {
		await service.seed(1);

		await service.run({ ...byReference({ cod: '5' }, 'R0'), options: off });

		expect(updates()).toEqual([
			{ referenceIds: ['R0'], deliveryChanges: { cod: 5 }, ...flags, ...off },
		]);
	});
});

describe('a change', () => {
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
		[
			'Dropoff Address',
			{ address: full.location.address },
			{ location: { address: full.location.address } },
		],
		[
			'Dropoff Instructions',
			{ instructions: 'Ring twice' },
			{ location: { instructions: 'Ring twice' } },
		],
		[
			'Dropoff Latitude and Longitude',
			{ lat: '43.65', lng: '-70.25' },
			{ location: { lat: 43.65, lng: -70.25 } },
		],
		['Recipient Name', { name: 'Ben Oak' }, { contact: { name: 'Ben Oak' } }],
		['Recipient Email', { email: 'ben@mail.example' }, { contact: { email: 'ben@mail.example' } }],
		[
			'Recipient Phone',
			{ phonenumber: '+1 555 0199' },
			{ contact: { phonenumber: '+1 555 0199' } },
		],
		['Cash on Delivery', { cod: '49.90' }, { cod: 49.9 }],
		['Cash on Delivery: none', { cod: '0' }, { cod: 0 }],
		['New Reference ID', { referenceId: 'R0-B' }, { referenceId: 'R0-B' }],
		['Tags to Add, as text', { addTags: '12, 15' }, { addTags: [12, 15] }],
		['Tags to Add, as an array', { addTags: '={{ [12, "15"] }}' }, { addTags: [12, 15] }],
		['Tags to Remove', { removeTags: '={{ 7 }}' }, { removeTags: [7] }],
		[
			'Packages',
			{
				packages: {
					package: [
						{
							id: 'PK-1',
							name: 'Shoes',
							qty: '={{ "2" }}',
							weight: '2.4',
							size: 'm',
							price: '99.90',
						},
						{ name: 'Letter', qty: 1, size: 'xs' },
					],
				},
			},
			{ packages: full.packages },
		],
		[
			'Packages, of which only the weight is filled in',
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
	])('is sent only when it was added: %s', async (_what, changes, deliveryChanges) => {
		const [id = ''] = await service.seed(1);

		const { error, items } = await service.run(update(changes), { items: [{ id }] });

		expect(error).toBeUndefined();
		expect(updates()).toEqual([{ deliveryIds: [id], deliveryChanges, ...flags }]);
		expect(jsonOf(items)).toEqual([{ deliveryId: id, ...success }]);
	});

	test.each<[string, INodeParameters]>([
		['There is nothing to change', {}],
		['Dropoff Address is empty', { address: ' ' }],
		['Cash on Delivery is empty', { cod: '' }],
		['Recipient Name is empty', { name: '={{ $json.none }}' }],
		['Tags to Add is empty', { addTags: '' }],
		['Tag to add: at least one is required', { addTags: '={{ [] }}' }],
		['Tag to remove 2 "late" is not a number', { removeTags: '7,late' }],
		['Tag to add "0" is less than 1', { addTags: '0' }],
		['Package: at least one is required', { packages: {} }],
		['Package: at least one is required', { packages: { package: [{}] } }],
		[
			'Package size "huge" is not one of xs, s, m, l, xl',
			{ packages: { package: [{ name: 'A', size: '={{ "huge" }}' }] } },
		],
		[
			'Package weight "2 kg" is not a number',
			{ packages: { package: [{ name: 'A', weight: '2 kg' }] } },
		],
		['Email "ben" is not an email address', { email: 'ben' }],
		['Cash on delivery "1,5" is not a number', { cod: '1,5' }],
		['Cash on delivery "-1" is less than 0', { cod: '-1' }],
		['Longitude is missing. Set both latitude and longitude, or neither', { lat: '43.65' }],
		['Latitude "91" is more than 90', { lat: '91', lng: '0' }],
		[
			`Reference ID "${'x'.repeat(41)}" is longer than 40 characters`,
			{ referenceId: 'x'.repeat(41) },
		],
	])('that breaks a rule keeps all from being sent: %s', async (message, changes) => {
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

describe('a wrong item', () => {
	test.each<[string, IDataObject]>([
		['Delivery ID: at least one is required [item 1]', { id: null }],
		['Delivery ID: at least one is required [item 1]', { id: [] }],
		['Delivery ID: at least one is required [item 1]', { id: ' , ' }],
		['Delivery ID (an object) is not text [item 1]', { id: { a: 1 } }],
		['Recalculate price "maybe" is not true or false [item 1]', { id: 'x', price: 'maybe' }],
	])('keeps all from being sent: %s', async (message, wrong) => {
		const [id = ''] = await service.seed(1);

		const { error } = await service.run(
			{ ...update({ cod: '5' }), options: { recalculatePrice: '={{ $json.price ?? true }}' } },
			{ items: [{ id }, wrong] },
		);

		expect(updates()).toEqual([]);
		expect(error).toMatchObject({ message, context: { itemIndex: 1 } });
	});

	test('becomes an error item in its place when the node goes on', async () => {
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

		const body = { deliveryIds: [a, b], deliveryChanges: { cod: 5 }, ...flags };
		expect(updates()).toEqual([body, body]);
		const error = {
			message: 'Delivery ID: at least one is required [item 1]',
			description: 'Nothing was sent for this item.',
			outcome: 'invalid',
		};
		expect(regular.items).toEqual([
			{ json: { deliveryId: a, ...success }, pairedItem: { item: 0 } },
			{ json: { error }, pairedItem: { item: 1 } },
			{ json: { deliveryId: b, ...success }, pairedItem: { item: 2 } },
		]);
		expect(split.outputs).toEqual([
			[
				{ json: { deliveryId: a, ...success }, pairedItem: { item: 0 } },
				{ json: { deliveryId: b, ...success }, pairedItem: { item: 2 } },
			],
			[{ json: { id: '', error }, pairedItem: { item: 1 } }],
		]);
	});

	test('sends nothing when all are wrong and the node goes on', async () => {
		const { items } = await service.run(update({}), {
			items: [{ id: 'a' }, { id: 'b' }],
			onError: 'continueRegularOutput',
		});

		expect(service.control.requests()).toEqual([]);
		expect(jsonOf(items)).toMatchObject([
			{ error: { message: 'There is nothing to change [item 0]', outcome: 'invalid' } },
			{ error: { message: 'There is nothing to change [item 1]', outcome: 'invalid' } },
		]);
	});
});

describe('a refusal in the middle', () => {
	/** The IDs of 23 deliveries, the 13th of which does not exist. */
	const withAWrongOne = async () => {
		const ids = await service.seed(23);
		return ids.map((id, number) => (number === 12 ? 'no-such-delivery' : id));
	};
	const found = (ids: readonly string[]) => ids.filter((id) => id !== 'no-such-delivery');
	const updatedIds = () =>
		service.control
			.deliveries()
			.filter(({ request }) => request.cod === 5)
			.map(({ record }) => record.id);

	test('ends the run, after the others of its request, and tells how many were updated', async () => {
		const ids = await withAWrongOne();

		const { status, error, items } = await service.run(update({ cod: '5' }), { items: idsOf(ids) });

		expect(updates()).toMatchObject([
			{ deliveryIds: ids.slice(0, 10) },
			{ deliveryIds: ids.slice(10, 20) },
			...ids.slice(10, 20).map((id) => ({ deliveryIds: [id] })),
		]);
		expect(updatedIds()).toEqual(found(ids.slice(0, 20)));
		expect({ status, items }).toEqual({ status: 'error', items: [] });
		expect(error).toMatchObject({
			message: 'The Delivery Service could not find the requested resource (status 404) [item 12]',
			description: `Check the delivery IDs or reference IDs, and the Base URL in the credential. The service says: Unknown deliveries: no-such-delivery (NOT_FOUND). Rejected: no-such-delivery. Not sent (3): ${ids.slice(20).join(', ')}. Deliveries updated in this run: 19.`,
			context: {
				itemIndex: 12,
				data: {
					updated: ids
						.slice(0, 20)
						.map((id, item) => ({ item, id }))
						.filter(({ item }) => item !== 12),
					rejected: [{ item: 12, id: 'no-such-delivery' }],
					unknown: [],
					notSent: ids.slice(20).map((id, index) => ({ item: 20 + index, id })),
				},
			},
		});
	});

	test('is named also among the IDs of one item, in words of the service that do not name it', async () => {
		const ids = await withAWrongOne();
		const path = '/v1/deliveries';
		const body = { code: 'NOT_FOUND', message: 'A delivery is not known' };
		service.control.addFault({ kind: 'status', method: 'PATCH', path, status: 400, body, skip: 1 });
		const { error } = await service.run(
			{ ...update({ cod: '5' }), deliveryIds: '={{ $json.ids }}' },
			{ items: [{ ids }] },
		);
		expect(error?.message).toMatch(/\(delivery ID no-such-delivery\) \[item 0\]$/);
		expect(error?.description).toContain('Rejected: no-such-delivery. Not sent (3): ');
	});

	test('does not keep the others from being updated when the node goes on', async () => {
		const ids = await withAWrongOne();

		const { items } = await service.run(update({ cod: '5' }), {
			items: idsOf(ids),
			onError: 'continueRegularOutput',
		});

		expect(updatedIds()).toEqual(found(ids));
		expect(pairedItems(items)).toEqual([...ids.keys()]);
		expect(jsonOf(items)).toEqual(
			ids.map((deliveryId, item) =>
				item !== 12
					? { deliveryId, ...success }
					: {
							error: {
								message: `The Delivery Service could not find the requested resource (status 404) [item 12]`,
								description: expect.stringContaining('Unknown deliveries: no-such-delivery'),
								outcome: 'rejected',
								deliveryId,
							},
						},
			),
		);
	});

	test('with a wrong key ends the run, when the node goes on too', async () => {
		const ids = await service.seed(23);

		const { items } = await service.run(update({ cod: '5' }), {
			items: idsOf(ids),
			credential: { ...service.credential, apiSecret: 'wrong' },
			onError: 'continueRegularOutput',
		});

		expect(updates()).toHaveLength(1);
		expect(jsonOf(items)).toMatchObject(
			ids.map((deliveryId, item) => ({
				error: {
					message:
						item < 10
							? `The Delivery Service rejected the API key [item ${item}]`
							: `This delivery was not updated: the Delivery Service rejected the API key [item ${item}]`,
					outcome: item < 10 ? 'rejected' : 'notSent',
					deliveryId,
				},
			})),
		);
	});

	test('goes to the error output, with the ID that it is about', async () => {
		const [id = ''] = await service.seed(1);

		const { outputs } = await service.run(
			byReference({ cod: '={{ $json.cod }}' }, '={{ $json.reference }}'),
			{
				items: [
					{ reference: 'R0', cod: 1 },
					{ reference: 'nope', cod: 2 },
				],
				onError: 'continueErrorOutput',
			},
		);

		expect(updates()).toMatchObject([{ referenceIds: ['R0'] }, { referenceIds: ['nope'] }]);
		expect(service.control.deliveries()).toMatchObject([{ record: { id }, request: { cod: 1 } }]);
		expect(outputs).toEqual([
			[{ json: { referenceId: 'R0', ...success }, pairedItem: { item: 0 } }],
			[
				{
					json: {
						reference: 'nope',
						cod: 2,
						error: {
							message:
								'The Delivery Service could not find the requested resource (status 404) [item 1]',
							description: expect.stringContaining('Unknown deliveries: nope'),
							outcome: 'rejected',
							referenceId: 'nope',
						},
					},
					pairedItem: { item: 1 },
				},
			],
		]);
	});
});

describe('an answer that is not as documented', () => {
	test.each([
		['statusAfter', { code: 'OK', message: 'Success' }, { code: 'OK', message: 'Success' }],
		['statusAfter', { data: {} }, {}],
		['statusAfter', { data: { jobs: 17 }, code: 'OK' }, { jobId: 17, code: 'OK' }],
	] as const)('is a success all the same: %s %o', async (kind, body, expected) => {
		const [id = ''] = await service.seed(1);
		service.control.addFault({ kind, status: 200, body });

		const { items } = await service.run(update({ cod: '5' }), { items: [{ id }] });

		expect(updates()).toHaveLength(1);
		expect(items).toEqual([{ json: { deliveryId: id, ...expected }, pairedItem: { item: 0 } }]);
	});

	test('names the base URL when something else answers', async () => {
		const [id = ''] = await service.seed(1);
		service.control.addFault({ kind: 'garbage', times: null });

		const { error } = await service.run(update({ cod: '5' }), { items: [{ id }] });

		expect(error).toMatchObject({
			message:
				'It is unknown whether this delivery was updated: the response is not a valid Delivery Service response [item 0]',
			description: expect.stringContaining('Base URL'),
		});
	});
});

describe('a new reference ID', () => {
	const sharedReference = "A new reference ID can't be assigned to several deliveries";

	test.each([
		['of one item', '={{ $json.ids }}', [{ ids: ['a', 'b'] }], 0],
		['of several items', '={{ $json.id }}', [{ id: 'a' }, { id: 'b' }], 1],
	])('for several deliveries %s is refused, and nothing is sent', async (...row) => {
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

	test('for one delivery, named twice, is taken', async () => {
		const [id = ''] = await service.seed(1);

		const { error } = await service.run(update({ referenceId: 'R-new' }), {
			items: idsOf([id, id]),
		});

		expect(error).toBeUndefined();
		expect(service.existing()).toEqual(['R-new']);
	});
});

describe('the options', () => {
	test('tell how long an answer is waited for, and a lost one is no harm', async () => {
		const [id = ''] = await service.seed(1);
		service.control.addFault({ kind: 'hangAfter' });

		const { error, items } = await service.run(
			update({ cod: '5' }, { options: { timeoutSeconds: 3 } }),
			{ items: [{ id }] },
		);

		expect(error).toBeUndefined();
		expect(updates()).toHaveLength(2);
		expect(jsonOf(items)).toEqual([{ deliveryId: id, ...success }]);
	});

	test('tell how long a busy service is waited for', async () => {
		const [id = ''] = await service.seed(1);
		service.control.addFault({ kind: 'status', status: 429, headers: { 'Retry-After': '600' } });

		const { error } = await service.run(update({ cod: '5' }, { options: { maxRetrySeconds: 5 } }), {
			items: [{ id }],
		});

		expect(updates()).toHaveLength(1);
		expect(error).toMatchObject({
			message: 'Rate limit of the Delivery Service exceeded (status 429) [item 0]',
			description: expect.stringContaining('Wait 10 minutes, as the service requests'),
		});
	});

	test.each([
		[{ maxRetrySeconds: -1 }, /^Max retry time -1 is less than 0/],
		[{ timeoutSeconds: 0 }, /^Timeout 0 is less than 1/],
		[{ timeoutSeconds: 9999 }, /^Timeout 9999 is more than 3600/],
	])('are checked before anything is sent: %o', async (options, message) => {
		const { error } = await service.run(update({ cod: '5' }, { options }), {
			items: [{ id: 'a' }],
		});

		expect(error?.message).toMatch(message);
		expect(service.received()).toEqual([]);
	});
});

describe('under an API variant', () => {
	const unknownId = 'no-such-delivery';
	const updatedIds = () =>
		service.control
			.deliveries()
			.filter(({ request }) => request.cod === 5)
			.map(({ record }) => record.id);

	/** Updates three deliveries and one that does not exist, with On Error: Continue. */
	async function updateUnder(variant: string) {
		const ids = await service.seed(3);
		service.control.settings({ variant });
		const { items } = await service.run(update({ cod: '5' }), {
			items: idsOf([...ids, unknownId]),
			onError: 'continueRegularOutput',
		});
		return { ids, items: jsonOf(items) };
	}

	const refused = { error: { outcome: 'rejected', deliveryId: unknownId } };

	test.each([
		'update-202',
		'update-204',
		'update-no-body',
		'update-jobs-list',
		'update-payload',
		'update-unknown-400',
		'update-unknown-partly',
		'update-busy-at-first',
		'update-lost',
	])('an update reports an unknown ID and updates the others: %s', async (variant) => {
		const { ids, items } = await updateUnder(variant);

		expect(updatedIds()).toEqual(ids);
		expect(items).toMatchObject([...ids.map((deliveryId) => ({ deliveryId })), refused]);
	});

	test("an update rejected with 200 shows the service's message: update-code-error", async () => {
		const { ids, items } = await updateUnder('update-code-error');

		expect(updatedIds()).toEqual([]);
		expect(items).toMatchObject(
			[...ids, unknownId].map((deliveryId) => ({
				error: {
					outcome: 'rejected',
					description: expect.stringContaining('The route has left already (ERROR)'),
					deliveryId,
				},
			})),
		);
	});

	test.each([
		['once', 0, 1],
		['once more per lost response', 2, 3],
	])(
		'an update adds its packages to the existing ones %s: update-adds-packages',
		async (_, lost, times) => {
			const [id = ''] = await service.seed(1);
			service.control.settings({ variant: 'update-adds-packages' });
			if (lost > 0) service.control.addFault({ kind: 'resetAfter', times: lost });
			const added = { name: 'Added', qty: 1, size: 's' };

			const { items } = await service.run(update({ packages: { package: [added] } }), {
				items: [{ id }],
			});

			expect(jsonOf(items)).toMatchObject([{ deliveryId: id, code: 'OK' }]);
			const [delivery] = service.control.deliveries();
			expect(delivery?.request.packages.filter(({ name }) => name === 'Added')).toHaveLength(times);
		},
	);

	test('an update that is redirected with 303 has an unknown outcome: update-303', async () => {
		const ids = await service.seed(2);
		service.control.settings({ variant: 'update-303' });

		const { items } = await service.run(update({ cod: '5' }), {
			items: idsOf(ids),
			onError: 'continueRegularOutput',
		});

		expect(updates()).toHaveLength(1);
		expect(jsonOf(items)).toMatchObject(
			ids.map((deliveryId) => ({ error: { outcome: 'unknown', deliveryId } })),
		);
	});
});

describe('changes from a Shopify order', () => {
	const fromOrder = (orderOptions: INodeParameters = {}): INodeParameters => ({
		resource: 'delivery',
		operation: 'update',
		findBy: 'referenceIds',
		referenceIds: 'R0',
		changesFrom: 'shopifyOrder',
		orderOptions,
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

	test('make the delivery what the order is now', async () => {
		await service.seed(1);

		const { error, items } = await service.run(fromOrder(), { items: [shopifyOrder()] });

		expect(error).toBeUndefined();
		expect(updates()).toEqual([
			{
				referenceIds: ['R0'],
				deliveryChanges: { location, contact, packages: [parcel] },
				...flags,
			},
		]);
		expect(jsonOf(items)).toEqual([{ referenceId: 'R0', ...success }]);
	});

	test('leave out what the order does not have, but replace the instructions of the address before', async () => {
		await service.seed(1);
		const order = shopifyOrder({
			phone: null,
			note: null,
			shipping_address: {
				...shippingAddress(),
				phone: null,
				address2: null,
				latitude: null,
				longitude: null,
			},
			customer: null,
			billing_address: null,
		});

		const { error } = await service.run(fromOrder(), { items: [order] });

		expect(error).toBeUndefined();
		expect(updates()).toEqual([
			{
				referenceIds: ['R0'],
				deliveryChanges: {
					location: { address: location.address, instructions: 'Order #1001' },
					contact: { name: contact.name, email: contact.email },
					packages: [parcel],
				},
				...flags,
			},
		]);
	});

	test('follow the order options, and take test orders and refunded ones too', async () => {
		await service.seed(1);
		const order = shopifyOrder({ test: true, financial_status: 'refunded' });

		await service.run(fromOrder({ packageSize: 'xl', cod: 'never' }), { items: [order] });

		expect(updates()).toMatchObject([
			{ deliveryChanges: { packages: [{ ...parcel, size: 'xl' }] } },
		]);
	});

	test('keep the cash to collect up to date', async () => {
		await service.seed(1);

		await service.run(fromOrder({ cod: 'unpaid' }), {
			items: [shopifyOrder({ financial_status: 'pending', total_outstanding: '49.90' })],
		});

		expect(updates()).toMatchObject([{ deliveryChanges: { cod: 49.9 } }]);
	});

	const paid = {
		financial_status: 'paid',
		total_outstanding: '0.00',
		payment_gateway_names: ['Cash on Delivery (COD)'],
	};
	const byCard = { payment_gateway_names: ['shopify_payments'] };

	test.each<[string, INodeParameters, IDataObject]>([
		['was paid since', {}, paid],
		['was paid since, as its status alone says', {}, { ...paid, total_outstanding: null }],
		['has been paid too much', {}, { ...paid, total_outstanding: '-5.00' }],
		['was refunded', {}, { ...paid, financial_status: 'refunded', total_outstanding: '50.00' }],
		['was voided', {}, { ...paid, financial_status: 'voided', total_outstanding: '50.00' }],
		['was paid by card, when cash is always collected', { cod: 'unpaid' }, { ...paid, ...byCard }],
		[
			'was paid by a method that the shop names',
			{ cashOnDeliveryMethods: 'Pay the milkman' },
			{ ...paid, payment_gateway_names: ['Pay the milkman'] },
		],
	])('take the cash back of an order that %s', async (_what, orderOptions, changes) => {
		await service.seed(1);

		const { error } = await service.run(fromOrder(orderOptions), {
			items: [shopifyOrder(changes)],
		});

		expect(error).toBeUndefined();
		expect(updates()).toMatchObject([{ deliveryChanges: { cod: 0 } }]);
	});

	test.each<[string, INodeParameters, IDataObject]>([
		['cash is collected never', { cod: 'never' }, paid],
		['cash is not the payment method', {}, { ...paid, ...byCard }],
		[
			'cash is not the payment method of a refunded order',
			{},
			{ ...byCard, financial_status: 'refunded' },
		],
		[
			'money is outstanding by another payment method',
			{},
			{ ...byCard, financial_status: 'pending', total_outstanding: '49.90' },
		],
	])('leave the cash as it is where %s', async (_what, orderOptions, changes) => {
		await service.seed(1);

		await service.run(fromOrder(orderOptions), { items: [shopifyOrder(changes)] });

		expect(updates()).toHaveLength(1);
		expect(updates()).not.toMatchObject([{ deliveryChanges: { cod: expect.anything() } }]);
	});

	describe('of an order that has been fulfilled since', () => {
		const line = lineItem();
		const fulfilled = { ...line, fulfillable_quantity: 0, fulfillment_status: 'fulfilled' };

		test.each<[string, IDataObject[]]>([
			['wholly', [fulfilled]],
			['in part', [{ ...line, id: 7 }, fulfilled]],
			[
				'in part, as its status alone says',
				[{ ...line, fulfillable_quantity: null, fulfillment_status: 'partial' }],
			],
		])(
			'%s leave the packages as they are, and still take the cash back',
			async (_what, line_items) => {
				await service.seed(1);

				const { error } = await service.run(fromOrder(), {
					items: [shopifyOrder({ ...paid, line_items })],
				});

				expect(error).toBeUndefined();
				expect(updates()).toMatchObject([{ deliveryChanges: { cod: 0, contact: {} } }]);
				expect(updates()).not.toMatchObject([{ deliveryChanges: { packages: expect.anything() } }]);
			},
		);

		test('take what was removed or needs no shipping for nothing that left', async () => {
			await service.seed(1);
			const removed = { ...fulfilled, current_quantity: 0 };
			const online = { ...fulfilled, requires_shipping: false };

			await service.run(fromOrder(), {
				items: [shopifyOrder({ line_items: [line, removed, online] })],
			});

			expect(updates()).toMatchObject([{ deliveryChanges: { packages: [{ qty: 1 }] } }]);
		});
	});

	test('say of an order with nothing left how to keep its delivery from arriving', async () => {
		const { error } = await service.run(fromOrder(), { items: [shopifyOrder({ line_items: [] })] });

		expect(error?.description).toMatch(
			/was not updated\. To stop it, cancel it in the Delivery Service dashboard/,
		);
	});

	test('are refused where it is not known how much is still to be paid', async () => {
		const order = shopifyOrder({
			...paid,
			financial_status: 'partially_paid',
			total_outstanding: null,
		});

		const { error } = await service.run(fromOrder(), { items: [order] });

		expect(error?.message).toMatch(/doesn't say how much is unpaid/);
		expect(updates()).toEqual([]);
	});

	test.each<[RegExp, IDataObject]>([
		[/^Order #1001 was canceled\./, shopifyOrder({ cancelled_at: '2026-03-03T10:02:00-06:00' })],
		[/^Order #1001 has nothing left to ship/, shopifyOrder({ line_items: [] })],
		[
			/^Order #1001 has no street/,
			shopifyOrder({ shipping_address: { ...shippingAddress(), address1: null } }),
		],
		[/^This is not a Shopify order/, { name: '#1001' }],
	])('are refused with the reason, and nothing is sent: %s', async (message, order) => {
		const { items } = await service.run(fromOrder(), {
			items: [order],
			onError: 'continueRegularOutput',
		});

		expect(updates()).toEqual([]);
		expect(jsonOf(items)).toMatchObject([
			{ error: { message: expect.stringMatching(message), outcome: 'invalid' } },
		]);
	});
});
