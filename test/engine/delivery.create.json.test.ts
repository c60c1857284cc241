/**
 * Delivery: Create from JSON. Also covers what all sources have in common (validation, requests,
 * responses and errors), since JSON is the shortest way to define many deliveries.
 */
import type { IDataObject } from 'n8n-workflow';

import { jsonOf, pairedItems, setUp } from '../support/actionNode';
import { deliveries, delivery, pickup } from '../support/sampleDelivery';

const service = setUp();

/** Uses full batches, so that the outcome of a delivery is tested beside those of others. */
const fromJson = {
	resource: 'delivery',
	operation: 'create',
	source: 'json',
	options: { batchSize: 100 },
};

describe('delivery from JSON', () => {
	test.each([
		['the item itself', undefined, delivery({ referenceId: '#1001' })],
		['an expression', '={{ $json.task }}', { task: delivery({ referenceId: '#1001' }) }],
		[
			'JSON text of an item',
			'={{ $json.text }}',
			{ text: JSON.stringify(delivery({ referenceId: '#1001' })) },
		],
		['JSON text', JSON.stringify(delivery({ referenceId: '#1001' })), {}],
	])('creates a delivery from %s', async (_form, deliveryJson, item) => {
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

	test("accepts what the API document's samples have: no pickup email, other sizes", async () => {
		const packages = [1, 'XL'].map((size) => ({ name: 'Box', qty: 1, size }));
		const contact = { name: pickup.contact.name };
		const input = delivery({ pickup: { ...pickup, contact }, packages });

		const { error } = await service.run(fromJson, { items: [input] });

		expect(error).toBeUndefined();
		const sent = [packages[0], { name: 'Box', qty: 1, size: 'xl' }];
		expect(service.creations()).toEqual([{ deliveries: [{ ...input, packages: sent }] }]);
	});

	const { dropoff, packages } = delivery();

	test.each<[string, IDataObject, string | undefined]>([
		[
			'Delivery has an unknown field "packges". Known fields: pickup, dropoff, packages, referenceId, tags, extraData, cod',
			delivery({ packges: [] }),
			undefined,
		],
		['Pickup is missing', { dropoff, packages }, undefined],
		['Delivery "some text" is not an object', {}, '"some text"'],
		['Delivery (JSON) is empty', {}, '={{ $json.none }}'],
		['Delivery (JSON) is empty', {}, '={{ $json.none.deeper }}'],
		['Delivery (JSON) is not valid JSON', {}, '{ "pickup": '],
	])('rejects invalid JSON without sending a request: %s', async (message, item, deliveryJson) => {
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

describe('invalid item among valid ones', () => {
	const wrong = delivery({ referenceId: 'R3', packages: [{ name: 'Box', qty: 1, size: 'xxl' }] });
	const items = [
		...deliveries(3),
		wrong,
		delivery({ referenceId: 'R4' }),
		delivery({ referenceId: 'R5', cod: -1, tags: [{}] }),
		delivery({ referenceId: 'R6' }),
	];
	const validReferences = ['R0', 'R1', 'R2', 'R4', 'R6'];

	test('sends nothing if one item is invalid, and names it', async () => {
		const { status, error, outputs } = await service.run(fromJson, { items });

		expect(service.control.requests()).toEqual([]);
		expect({ status, outputs }).toEqual({ status: 'error', outputs: [] });
		expect(error).toMatchObject({
			message: 'R3: Package size "xxl" is not one of xs, s, m, l, xl [item 3]',
			description: expect.stringMatching(
				/1 other item is also invalid. No delivery was created\.$/,
			),
			context: { itemIndex: 3 },
		});
	});

	const otherColumns = {
		customer: 'Ana Torres',
		cash: '',
		address: '',
		orderUrl: '',
		help: '',
		repeat: false,
	};
	const errors = [
		{
			error: {
				message: 'R3: Package size "xxl" is not one of xs, s, m, l, xl [item 3]',
				outcome: 'invalid',
				referenceId: 'R3',
				actionNeeded: expect.stringMatching(/^R3: Package size "xxl" /),
				...otherColumns,
			},
			message: expect.stringMatching(/^R3: Package size "xxl" /),
		},
		{
			error: {
				message: expect.stringMatching(
					/^R5: (Cash on delivery -1 is less than 0|Tag \(an object\) is not text) \[item 5\]$/,
				),
				description: expect.stringMatching(/^Also: /),
				outcome: 'invalid',
				referenceId: 'R5',
				actionNeeded: expect.stringMatching(/^R5: .*Also: /),
				...otherColumns,
			},
			message: expect.stringMatching(/Also: /),
		},
	];

	test('returns an error item in place of each invalid item with On Error: Continue', async () => {
		const { status, items: output } = await service.run(fromJson, {
			items,
			onError: 'continueRegularOutput',
		});

		expect(service.creations()).toEqual([
			{ deliveries: validReferences.map((referenceId) => delivery({ referenceId })) },
		]);
		expect(status).toBe('success');
		expect(pairedItems(output)).toEqual([0, 1, 2, 3, 4, 5, 6]);
		const json = jsonOf(output);
		expect(json.map(({ referenceId }) => referenceId)).toEqual([
			'R0',
			'R1',
			'R2',
			'R3',
			'R4',
			'R5',
			'R6',
		]);
		expect([json[3], json[5]]).toMatchObject(
			errors.map(({ message }) => ({ outcome: 'invalid', message })),
		);
	});

	test('returns invalid items with their data in the error output', async () => {
		const { outputs } = await service.run(fromJson, { items, onError: 'continueErrorOutput' });

		expect(service.creations()).toEqual([
			{ deliveries: validReferences.map((referenceId) => delivery({ referenceId })) },
		]);
		const [created = [], failed = []] = outputs;
		expect(jsonOf(created).map(({ referenceId }) => referenceId)).toEqual(validReferences);
		expect(pairedItems(created)).toEqual([0, 1, 2, 4, 6]);
		expect(jsonOf(failed)).toEqual([
			{ ...wrong, ...errors[0] },
			{ ...items[5], ...errors[1] },
		]);
		expect(pairedItems(failed)).toEqual([3, 5]);
	});

	test('treats an item with a failing expression as invalid', async () => {
		const parameters = { ...fromJson, deliveryJson: "={{ $json.task ?? $('Nowhere').item.json }}" };
		const input = [{ task: delivery({ referenceId: 'R0' }) }, { task: null }];

		const stopped = await service.run(parameters, { items: input });
		expect(service.control.requests()).toEqual([]);
		const continued = await service.run(parameters, {
			items: input,
			onError: 'continueRegularOutput',
		});

		expect(stopped.error).toMatchObject({
			message: "Referenced node doesn't exist [item 1]",
			description: expect.stringContaining('Correct the expression in "deliveryJson".'),
			context: { itemIndex: 1 },
		});
		expect(service.creations()).toEqual([{ deliveries: [delivery({ referenceId: 'R0' })] }]);
		expect(jsonOf(continued.items)).toEqual([
			expect.objectContaining({ referenceId: 'R0' }),
			expect.objectContaining({
				outcome: 'invalid',
				message: expect.stringMatching(/^Referenced node doesn't exist/),
			}),
		]);
	});
});
