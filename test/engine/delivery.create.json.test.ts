/**
 * Delivery: Create from JSON; and, since it is the shortest way to give many deliveries, what all
 * sources have in common: rules, requests, answers and errors.
 */
import type { IDataObject } from 'n8n-workflow';

import { jsonOf, pairedItems, setUp } from '../support/actionNode';
import { deliveries, delivery, pickup } from '../support/sampleDelivery';

const service = setUp();

/** As many deliveries in a request as it holds: what is said of one is seen beside others. */
const fromJson = {
	resource: 'delivery',
	operation: 'create',
	source: 'json',
	options: { batchSize: 100 },
};

describe('a delivery', () => {
	test.each([
		['the item itself', undefined, delivery({ referenceId: '#1001' })],
		['an expression', '={{ $json.task }}', { task: delivery({ referenceId: '#1001' }) }],
		[
			'JSON text of an item',
			'={{ $json.text }}',
			{ text: JSON.stringify(delivery({ referenceId: '#1001' })) },
		],
		['JSON text', JSON.stringify(delivery({ referenceId: '#1001' })), {}],
	])('comes from %s', async (_form, deliveryJson, item) => {
		const { items } = await service.run(
			{ ...fromJson, ...(deliveryJson && { deliveryJson }) },
			{ items: [item] },
		);

		expect(service.received()).toEqual([
			{
				method: 'POST',
				path: '/v1/deliveries',
				body: { deliveries: [delivery({ referenceId: '#1001' })] },
			},
		]);
		expect(jsonOf(items)).toMatchObject([{ referenceId: '#1001', statusDelivery: 'processing' }]);
	});

	test('is sent as the document has it, however its values came', async () => {
		const given = {
			pickup: { contact: pickup.contact, location: { warehouse: '7', address: null } },
			dropoff: {
				contact: { name: ' Ana Torres ', email: 'ana@mail.example', phonenumber: 15550100 },
				location: {
					address: { streetName: 'Oak Avenue 48', zipcode: 62704, state: null },
					lat: 39.7817,
					lng: '-89.6501',
					instructions: 'Ring twice',
				},
			},
			packages: [{ id: 12, name: 'Box', qty: '2', weight: '1.50', size: ' XL ', price: 0 }],
			referenceId: 1001,
			tags: ['fragile', 7],
			extraData: [{ name: 'Floor', value: 3, searchable: false }],
			cod: '20.00',
		};

		const { error } = await service.run(fromJson, { items: [given] });

		expect(error).toBeUndefined();
		expect(service.creations()).toEqual([
			{
				deliveries: [
					{
						pickup: { contact: pickup.contact, location: { warehouse: 7 } },
						dropoff: {
							contact: { name: 'Ana Torres', email: 'ana@mail.example', phonenumber: '15550100' },
							location: {
								address: { streetName: 'Oak Avenue 48', zipcode: '62704' },
								lat: '39.7817',
								lng: '-89.6501',
								instructions: 'Ring twice',
							},
						},
						packages: [{ id: '12', name: 'Box', qty: 2, weight: 1.5, size: 'xl', price: 0 }],
						referenceId: '1001',
						tags: ['fragile', '7'],
						extraData: [{ name: 'Floor', value: '3', searchable: false }],
						cod: 20,
					},
				],
			},
		]);
	});

	test('is sent without what is empty in it', async () => {
		const given = delivery({
			pickup: { ...pickup, contact: { ...pickup.contact, phonenumber: '' } },
			referenceId: ' ',
			tags: [null, ''],
			extraData: '',
			cod: '',
		});

		const { error } = await service.run(fromJson, { items: [given] });

		expect(error).toBeUndefined();
		expect(service.creations()).toEqual([{ deliveries: [delivery()] }]);
	});

	const { dropoff, packages } = delivery();

	test.each<[string, IDataObject, string | undefined]>([
		[
			'Delivery has an unknown field "packges" (did you mean "packages"?). Known fields: pickup, dropoff, packages, referenceId, tags, extraData, cod',
			delivery({ packges: [] }),
			undefined,
		],
		[
			'Delivery has unknown fields "foo", "reference" (did you mean "referenceId"?). Known fields',
			delivery({ foo: 1, reference: 'A' }),
			undefined,
		],
		[
			'Pickup has an unknown field "phonenumbr" (did you mean "phonenumber"?)',
			delivery({ pickup: { ...pickup, contact: { ...pickup.contact, phonenumbr: '1' } } }),
			undefined,
		],
		[
			'Dropoff address has an unknown field "street" (did you mean "streetName"?)',
			delivery({ pickup, dropoff: { ...pickup, location: { address: { street: 'Oak' } } } }),
			undefined,
		],
		[
			'Dropoff has unknown fields "zip", "latitude" (did you mean "lat"?)',
			delivery({ dropoff: { ...pickup, location: { address: 'Oak', zip: '1', latitude: 1 } } }),
			undefined,
		],
		[
			"Pickup warehouse ID can't be combined with an address. Use only one of them",
			delivery({ pickup: { ...pickup, location: { address: 'Oak', warehouse: 7 } } }),
			undefined,
		],
		['Pickup is missing', { dropoff, packages }, undefined],
		['Package (a list) is not an object', delivery({ packages: [[]] }), undefined],
		['Cash on delivery "20 EUR" is not a number', delivery({ cod: '20 EUR' }), undefined],
		['Tag (a list) is not text', delivery({ tags: [['a']] }), undefined],
		['Extra data value is missing', delivery({ extraData: [{ name: 'Floor' }] }), undefined],
		['Delivery "some text" is not an object', {}, '"some text"'],
		['Delivery (a list) is not an object', {}, '[]'],
		['Delivery (JSON) is empty', {}, '={{ $json.none }}'],
		['Delivery (JSON) is empty', {}, '={{ $json.none.deeper }}'],
		['Delivery (JSON) is not valid JSON', {}, '{ "pickup": '],
	])('is refused before anything is sent: %s', async (message, item, deliveryJson) => {
		const { error } = await service.run(
			{ ...fromJson, ...(deliveryJson && { deliveryJson }) },
			{ items: [item] },
		);

		expect(service.control.requests()).toEqual([]);
		expect(error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 0 } });
		expect(error?.message.slice(0, message.length)).toBe(message);
		expect(error?.message).toMatch(/ \[item 0\]$/);
	});
});

describe('one wrong item among right ones', () => {
	const wrong = delivery({ referenceId: 'R3', packages: [{ name: 'Box', qty: 1, size: 'xxl' }] });
	const items = [
		...deliveries(3),
		wrong,
		delivery({ referenceId: 'R4' }),
		delivery({ referenceId: 'R5', cod: -1, tags: [{}] }),
		delivery({ referenceId: 'R6' }),
	];
	const rightOnes = ['R0', 'R1', 'R2', 'R4', 'R6'];

	test('keeps all from being sent, and is named', async () => {
		const { status, error, outputs } = await service.run(fromJson, { items });

		expect(service.control.requests()).toEqual([]);
		expect({ status, outputs }).toEqual({ status: 'error', outputs: [] });
		expect(error).toMatchObject({
			message: 'Package size "xxl" is not one of xs, s, m, l, xl (reference ID R3) [item 3]',
			description: expect.stringMatching(/1 more of 7 items .* No delivery was created\.$/),
			context: { itemIndex: 3 },
		});
	});

	const errors = [
		{
			error: {
				message: 'Package size "xxl" is not one of xs, s, m, l, xl [item 3]',
				description: 'Nothing was sent for this item.',
				outcome: 'invalid',
				referenceId: 'R3',
			},
		},
		{
			error: {
				message: expect.stringMatching(
					/^(Cash on delivery -1 is less than 0|Tag \(an object\) is not text) \[item 5\]$/,
				),
				description: expect.stringMatching(/^Also: .* Nothing was sent for this item\.$/),
				outcome: 'invalid',
				referenceId: 'R5',
			},
		},
	];

	test('becomes an error item in its place when the node goes on', async () => {
		const { status, items: output } = await service.run(fromJson, {
			items,
			onError: 'continueRegularOutput',
		});

		expect(service.creations()).toEqual([
			{ deliveries: rightOnes.map((referenceId) => delivery({ referenceId })) },
		]);
		expect(status).toBe('success');
		expect(pairedItems(output)).toEqual([0, 1, 2, 3, 4, 5, 6]);
		const json = jsonOf(output);
		expect(json.map(({ referenceId }) => referenceId)).toEqual([
			'R0',
			'R1',
			'R2',
			undefined,
			'R4',
			undefined,
			'R6',
		]);
		expect([json[3], json[5]]).toEqual(errors);
	});

	test('goes to the error output with its data when there is one', async () => {
		const { outputs } = await service.run(fromJson, { items, onError: 'continueErrorOutput' });

		expect(service.creations()).toEqual([
			{ deliveries: rightOnes.map((referenceId) => delivery({ referenceId })) },
		]);
		const [created = [], failed = []] = outputs;
		expect(jsonOf(created).map(({ referenceId }) => referenceId)).toEqual(rightOnes);
		expect(pairedItems(created)).toEqual([0, 1, 2, 4, 6]);
		expect(jsonOf(failed)).toEqual([
			{ ...wrong, ...errors[0] },
			{ ...items[5], ...errors[1] },
		]);
		expect(pairedItems(failed)).toEqual([3, 5]);
	});

	test('is also one whose expression fails', async () => {
		const parameters = { ...fromJson, deliveryJson: "={{ $json.task ?? $('Nowhere').item.json }}" };
		const given = [{ task: delivery({ referenceId: 'R0' }) }, { task: null }];

		const stopped = await service.run(parameters, { items: given });
		expect(service.control.requests()).toEqual([]);
		const wentOn = await service.run(parameters, {
			items: given,
			onError: 'continueRegularOutput',
		});

		expect(stopped.error).toMatchObject({
			message: "Referenced node doesn't exist [item 1]",
			context: { itemIndex: 1 },
		});
		expect(service.creations()).toEqual([{ deliveries: [delivery({ referenceId: 'R0' })] }]);
		expect(jsonOf(wentOn.items)).toEqual([
			expect.objectContaining({ referenceId: 'R0' }),
			{
				error: expect.objectContaining({
					message: "Referenced node doesn't exist [item 1]",
					outcome: 'invalid',
				}),
			},
		]);
	});

	test('sends nothing when every item is wrong and the node goes on', async () => {
		const { items: output } = await service.run(fromJson, {
			items: [{}, { a: 1 }],
			onError: 'continueRegularOutput',
		});

		expect(service.control.requests()).toEqual([]);
		expect(pairedItems(output)).toEqual([0, 1]);
		expect(jsonOf(output)).toEqual(
			[0, 1].map(() => ({ error: expect.objectContaining({ outcome: 'invalid' }) })),
		);
	});
});

test('creates 250 deliveries in three requests, in order', async () => {
	const { items } = await service.run(fromJson, { items: deliveries(250) });

	expect(service.creations()).toEqual([
		{ deliveries: deliveries(250).slice(0, 100) },
		{ deliveries: deliveries(250).slice(100, 200) },
		{ deliveries: deliveries(250).slice(200) },
	]);
	expect(jsonOf(items).map(({ id }) => id)).toEqual(
		service.control.deliveries().map(({ record }) => record.id),
	);
	expect(jsonOf(items).map(({ referenceId }) => referenceId)).toEqual(
		deliveries(250).map(({ referenceId }) => referenceId),
	);
	expect(pairedItems(items)).toEqual([...deliveries(250).keys()]);
});

/** What an error item says of a delivery of which it is not known whether it was created. */
const unknown = (item: number, referenceId?: string): object => ({
	error: {
		message: expect.stringMatching(
			new RegExp(`^It is unknown whether this delivery was created: .* \\[item ${item}\\]$`),
		),
		description: expect.stringMatching(/^Check the Delivery Service dashboard/),
		outcome: 'unknown',
		...(referenceId && { referenceId }),
	},
});

/** What the output says of a delivery that the service has created. */
const created = (referenceId: string): unknown => {
	const found = service.control
		.deliveries()
		.find(({ record }) => record.referenceId === referenceId);
	return expect.objectContaining({ id: found?.record.id ?? 'none', referenceId });
};

describe('an answer that is not as documented loses and swaps no delivery:', () => {
	const goOn = { items: deliveries(3), onError: 'continueRegularOutput' } as const;
	const sent = [{ deliveries: deliveries(3) }];

	test.each(['shuffleRecords', 'withoutIndex'] as const)(
		'gives each delivery its own record when there are %s',
		async (kind) => {
			service.control.addFault({ kind });

			const { items } = await service.run(fromJson, { items: deliveries(3) });

			expect(service.creations()).toEqual(sent);
			expect(jsonOf(items)).toEqual([created('R0'), created('R1'), created('R2')]);
			expect(pairedItems(items)).toEqual([0, 1, 2]);
		},
	);

	test('missing records: the others are created, and theirs are unknown', async () => {
		service.control.addFault({ kind: 'missingRecords', count: 2 });

		const { items } = await service.run(fromJson, goOn);

		expect(service.creations()).toEqual(sent);
		expect(jsonOf(items)).toEqual([unknown(0, 'R0'), unknown(1, 'R1'), created('R2')]);
		expect(pairedItems(items)).toEqual([0, 1, 2]);
	});

	test.each(['garbage', 'emptySuccess', 'resetBefore', 'resetAfter'] as const)(
		'%s: all are unknown, by their references, and sent once only',
		async (kind) => {
			service.control.addFault({ kind, times: null });

			const { items } = await service.run(fromJson, goOn);

			expect(service.creations()).toEqual(sent);
			expect(jsonOf(items)).toEqual([unknown(0, 'R0'), unknown(1, 'R1'), unknown(2, 'R2')]);
			expect(pairedItems(items)).toEqual([0, 1, 2]);
		},
	);

	test('a failure of the service: all are unknown, with its words', async () => {
		const body = { code: 'E17', message: 'Lost the database' };
		service.control.addFault({ kind: 'statusAfter', status: 500, body, times: null });

		const { items } = await service.run(fromJson, goOn);

		expect(service.creations()).toEqual(sent);
		expect(jsonOf(items)).toEqual([unknown(0, 'R0'), unknown(1, 'R1'), unknown(2, 'R2')]);
		expect(JSON.stringify(items)).toContain('The service says: Lost the database (E17)');
	});

	test('a reference is not named where there is none', async () => {
		service.control.addFault({ kind: 'withoutIndex' });

		const { items } = await service.run(fromJson, {
			items: [delivery(), delivery()],
			onError: 'continueRegularOutput',
		});

		expect(service.creations()).toEqual([{ deliveries: [delivery(), delivery()] }]);
		expect(jsonOf(items)).toEqual([unknown(0), unknown(1)]);
	});

	test('a single record without index and reference is that of the single delivery', async () => {
		service.control.addFault({ kind: 'withoutIndex' });

		const { items } = await service.run(fromJson, { items: [delivery()] });

		expect(jsonOf(items)).toEqual([
			expect.objectContaining({ id: service.control.deliveries()[0]?.record.id }),
		]);
	});

	const of = (index: unknown, referenceId?: unknown, id: unknown = 'd') => ({
		index,
		id,
		referenceId,
	});

	test.each<[string, unknown[]]>([
		['indexes that contradict the references', [of(0, 'R1'), of(1, 'R0')]],
		['one record for two indexes', [of(0, 'R0'), of(0, 'R0'), of(1, 'R1'), of(1, 'R1')]],
		['indexes out of range', [of(3), of(-1), of(1.5)]],
		['indexes that are not numbers', [of('0', 'R0'), of('1', 'R1')]],
		['records without ID', [of(0, 'R0', null), of(1, 'R1', '')]],
		['references of others', [of(undefined, 'X'), of(undefined, 7)]],
		['no records', []],
	])('%s: all are unknown', async (_what, payload) => {
		service.control.addFault({
			kind: 'statusAfter',
			status: 200,
			body: { code: 'OK', message: 'Success', payload },
		});

		const { items } = await service.run(fromJson, {
			items: deliveries(2),
			onError: 'continueRegularOutput',
		});

		expect(service.creations()).toEqual([{ deliveries: deliveries(2) }]);
		expect(jsonOf(items)).toEqual([unknown(0, 'R0'), unknown(1, 'R1')]);
	});
});

describe('a failure in the middle', () => {
	const middle = { method: 'POST', skip: 1, kind: 'resetAfter' } as const;

	test('ends the run with what exists, what may exist and what was not sent', async () => {
		service.control.addFault(middle);

		const { status, error, items } = await service.run(fromJson, { items: deliveries(250) });

		expect(service.creations()).toHaveLength(2);
		expect({ status, items }).toEqual({ status: 'error', items: [] });
		expect(error?.message).toMatch(
			/^It is unknown whether this delivery was created: .* \[item 100\]$/,
		);
		const stored = service.control.deliveries();
		for (const part of [
			`R0 (ID ${stored[0]?.record.id})`,
			`R19 (ID ${stored[19]?.record.id})`,
			'(100): R100, R101,',
			'(50): R200, R201,',
		])
			expect(error?.description).toContain(part);
		expect(error?.context).toMatchObject({
			itemIndex: 100,
			data: {
				created: stored
					.slice(0, 100)
					.map(({ record }, item) => ({ item, referenceId: `R${item}`, id: record.id })),
			},
		});
	});

	test('does not keep the others from being created when the node goes on', async () => {
		service.control.addFault(middle);

		const { items } = await service.run(fromJson, {
			items: deliveries(250),
			onError: 'continueRegularOutput',
		});

		expect(service.creations()).toEqual([
			{ deliveries: deliveries(250).slice(0, 100) },
			{ deliveries: deliveries(250).slice(100, 200) },
			{ deliveries: deliveries(250).slice(200) },
		]);
		expect(jsonOf(items)).toEqual(
			[...deliveries(250).keys()].map((item) =>
				item >= 100 && item < 200 ? unknown(item, `R${item}`) : created(`R${item}`),
			),
		);
		expect(pairedItems(items)).toEqual([...deliveries(250).keys()]);
	});

	test('sends the unknown ones to the error output', async () => {
		service.control.addFault(middle);

		const { outputs } = await service.run(fromJson, {
			items: deliveries(101),
			onError: 'continueErrorOutput',
		});

		expect(pairedItems(outputs[0] ?? [])).toEqual([...deliveries(100).keys()]);
		expect(pairedItems(outputs[1] ?? [])).toEqual([100]);
		expect(jsonOf(outputs[1] ?? [])).toEqual([
			{ ...delivery({ referenceId: 'R100' }), ...unknown(100, 'R100') },
		]);
	});
});

describe('what the user can mend', () => {
	test.each([
		[
			'a wrong key',
			{ apiSecret: 'wrong', path: '' },
			/rejected the API key/,
			/API Key ID and API Secret.*Credentials missing or invalid \(UNAUTHORIZED\)/,
		],
		[
			'a path in the base URL',
			{ path: '/v2' },
			/batch of this delivery and another one \(status 404\)/,
			/Base URL/,
		],
	])('is named: %s', async (_what, { path, ...change }, message, description) => {
		const { error } = await service.run(fromJson, {
			items: deliveries(2),
			credential: {
				...service.credential,
				...change,
				baseUrl: `${service.credential.baseUrl}${path}`,
			},
		});

		expect(service.control.deliveries()).toEqual([]);
		expect(service.received().map(({ path: received }) => received)).toEqual([
			`${path}/v1/deliveries`,
		]);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
		expect(error?.description).toContain('R0, R1');
	});

	test('is named: a company that the key may not act for', async () => {
		const { error } = await service.run(
			{ ...fromJson, options: { companyId: '99' } },
			{ items: deliveries(1) },
		);

		expect(service.creations()).toEqual([{ deliveries: deliveries(1), companyId: 99 }]);
		expect(error?.message).toMatch(/does not allow this request with this API key .*\[item 0\]$/);
		expect(error?.description).toMatch(/Check the Company ID.*Not authorized for company 99/);
	});

	test.each([
		['without a base URL', { baseUrl: ' ' }],
		['without a key', { apiKeyId: '' }],
		['without a secret', { apiSecret: '' }],
	])('is named: a credential %s', async (_what, change) => {
		const { error } = await service.run(fromJson, {
			items: deliveries(1),
			credential: { ...service.credential, ...change },
		});

		expect(service.control.requests()).toEqual([]);
		expect(error).toMatchObject({
			message: 'The Delivery Service credential is incomplete',
			description: expect.stringContaining('Base URL'),
		});
	});

	test('tolerates spaces and slashes around the base URL', async () => {
		const { error } = await service.run(fromJson, {
			items: deliveries(1),
			credential: { ...service.credential, baseUrl: ` ${service.credential.baseUrl}// ` },
		});

		expect(error).toBeUndefined();
		expect(service.received().map(({ path }) => path)).toEqual(['/v1/deliveries']);
	});
});
