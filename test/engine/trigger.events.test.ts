/** What comes out of the trigger for what comes in. */
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { deliveries } from '../support/sampleDelivery';
import {
	deduplicationStore,
	runNode,
	type Received,
	type ReceiveOptions,
	type Trigger,
} from '../support/engine/engine';
import { itemsOf, passedOn, setUpTriggers, updated } from '../support/triggerNode';

const service = setUpTriggers();
const { open, hook } = service;
const every = ['createTask', 'createRoute', 'updateTask'];
const actions: Record<string, number> = { createTask: 1, createRoute: 2, updateTask: 3 };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** A published trigger for all events. */
async function published(parameters: INodeParameters = {}): Promise<Trigger> {
	const trigger = await open({ events: every, ...parameters });
	await trigger.activate();
	return trigger;
}

/** Calls the address of an event as the service would. */
async function call(trigger: Trigger, event: string, request: ReceiveOptions) {
	return await trigger.receive({ url: hook(actions[event] ?? 0).url, ...request });
}

describe('an event that the service posts', () => {
	test('comes out with its name, code and fields in their types', async () => {
		const trigger = await published();
		const { id } = await createDelivery();
		await service.control.advance(id);
		await service.control.fireEvent(2);
		await trigger.settled();

		const items = trigger.executions.flatMap(({ workflowData }) => workflowData[0] ?? []);
		expect(items.map(({ json }) => json)).toEqual([
			{
				event: 'createTask',
				eventCode: 1,
				id,
				distance: expect.any(Number),
				price: expect.any(Number),
				currencySign: expect.any(String),
			},
			{
				event: 'updateTask',
				eventCode: 3,
				id,
				status: expect.any(String),
				company_id: expect.any(String),
				city_id: expect.any(String),
			},
			{
				event: 'createRoute',
				eventCode: 2,
				route_id: expect.any(String),
				distance: expect.any(Number),
				date: expect.stringMatching(/^\d+$/),
				dateIso: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
				prices: [{ id, price: expect.any(Number) }],
			},
		]);
		const postings = service.control.events().flatMap((event) => event.postings);
		expect(postings.map(({ status }) => status)).toEqual([200, 200, 200]);
	});

	test("is answered at once, in n8n's own words", async () => {
		const trigger = await published();

		const { status, body, run } = await call(trigger, 'updateTask', { body: updated });

		expect({ status, body }).toEqual({ status: 200, body: { message: 'Workflow was started' } });
		expect(run?.status).toBe('success');
	});

	test('keeps the fields that the document does not name', async () => {
		const trigger = await published();
		const body = { ...updated, driver: { name: 'Kim' }, note: null };

		const received = await call(trigger, 'updateTask', { body });

		expect(itemsOf(received)).toEqual([{ event: 'updateTask', eventCode: 3, ...body }]);
	});

	test('is of the kind that its address names, whatever it looks like', async () => {
		const trigger = await published();

		const received = await call(trigger, 'createTask', { body: updated });

		expect(itemsOf(received)).toMatchObject([{ event: 'createTask', eventCode: 1, ...updated }]);
	});
});

describe('a payload that does not fit the document', () => {
	test('comes out raw with what did not fit, and is answered 200', async () => {
		const trigger = await published();
		const body = { id: 7, distance: 'far', price: '9.50' };

		const received = await call(trigger, 'createTask', { body });

		expect(received.status).toBe(200);
		expect(itemsOf(received)).toEqual([
			{
				event: 'createTask',
				eventCode: 1,
				id: '7',
				distance: 'far',
				price: 9.5,
				issues: [
					'The field "distance" does not have its documented type',
					'The field "currencySign" is missing',
				],
			},
		]);
	});

	test('cannot pass for what the node says of it', async () => {
		const trigger = await published();
		const body = { ...updated, event: 'createTask', eventCode: 1, issues: [] };

		const received = await call(trigger, 'updateTask', { body });

		expect(itemsOf(received)).toEqual([
			{
				event: 'updateTask',
				eventCode: 3,
				...updated,
				payload: body,
				issues: ['Fields of the payload named event, eventCode, issues are found under "payload"'],
			},
		]);
	});

	test('comes out beside the others of its list', async () => {
		const trigger = await published();

		const received = await call(trigger, 'updateTask', { body: [updated, 'late', { id: 'T2' }] });

		expect(itemsOf(received)).toMatchObject([
			updated,
			{ event: 'updateTask', payload: 'late', issues: [expect.stringContaining('not an object')] },
			{ id: 'T2', issues: expect.arrayContaining(['The field "status" is missing']) },
		]);
	});
});

describe('the body', () => {
	const text = JSON.stringify(updated);

	test.each([
		['an object', (payload: object) => JSON.stringify(payload)],
		['a list', (payload: object) => ` ${JSON.stringify([payload])}\n`],
	])('may be JSON with the content type of a form: %s', async (_, written) => {
		const trigger = await published();
		const payload = { ...updated, status: 'A&B=1+1 %41' };

		const received = await call(trigger, 'updateTask', {
			rawBody: written(payload),
			headers: form,
		});

		expect(received.status).toBe(200);
		expect(itemsOf(received)).toEqual([{ event: 'updateTask', eventCode: 3, ...payload }]);
	});

	test('may be a form whose text only begins like JSON', async () => {
		const trigger = await published();
		const rawBody = `{=1&${new URLSearchParams(updated).toString()}`;

		const received = await call(trigger, 'updateTask', { rawBody, headers: form });

		expect(itemsOf(received)).toMatchObject([{ event: 'updateTask', ...updated, '{': '1' }]);
	});

	test.each<[string, ReceiveOptions]>([
		['JSON', { body: updated }],
		['a list of one', { body: [updated] }],
		['a form', { rawBody: new URLSearchParams(updated).toString(), headers: form }],
		['JSON as plain text', { rawBody: text, headers: { 'content-type': 'text/plain' } }],
		[
			'JSON without a content type',
			{ rawBody: Buffer.from(text), headers: { 'content-type': '' } },
		],
		[
			'JSON of a type that n8n does not know',
			{ rawBody: text, headers: { 'content-type': 'application/vnd.delivery+json' } },
		],
		[
			'JSON in JSON',
			{ rawBody: JSON.stringify(text), headers: { 'content-type': 'application/json' } },
		],
	])('may be %s', async (_, request) => {
		const trigger = await published();

		const received = await call(trigger, 'updateTask', request);

		expect(received.status).toBe(200);
		expect(itemsOf(received)).toEqual([{ event: 'updateTask', eventCode: 3, ...updated }]);
	});

	test.each([
		[
			'field by field',
			{
				'prices[0][id]': 'a',
				'prices[0][price]': '2.5',
				'prices[1][id]': 'b',
				'prices[1][price]': '3',
			},
		],
		['as JSON text', { prices: '[{"id":"a","price":"2.5"},{"id":"b","price":"3"}]' }],
	])('may be a form with a list in it, %s', async (_, prices) => {
		const trigger = await published();
		const fields = { route_id: 'R1', distance: '12.5', date: '1760000000', ...prices };

		const received = await call(trigger, 'createRoute', {
			rawBody: new URLSearchParams(fields).toString(),
			headers: form,
		});

		expect(itemsOf(received)).toEqual([
			{
				event: 'createRoute',
				eventCode: 2,
				route_id: 'R1',
				distance: 12.5,
				date: '1760000000',
				dateIso: '2025-10-09T08:53:20.000Z',
				prices: [
					{ id: 'a', price: 2.5 },
					{ id: 'b', price: 3 },
				],
			},
		]);
	});

	test('may hold several events, an item each', async () => {
		const trigger = await published();

		const received = await call(trigger, 'updateTask', {
			body: [updated, { ...updated, id: 'T2' }],
		});

		expect(itemsOf(received)?.map(({ id }) => id)).toEqual(['T1', 'T2']);
	});
});

describe('an event that the address does not name', () => {
	const unsigned = { options: { verifyCaller: false } };
	const created = { id: 'T1', distance: 3, price: 4, currencySign: '$' };

	test.each([
		['createTask', 1, created],
		['createRoute', 2, { route_id: 'R1', distance: 3, date: '1760000000', prices: [] }],
		['updateTask', 3, updated],
	])('is told by its shape: %s', async (event, eventCode, body) => {
		const trigger = await published(unsigned);

		const received = await trigger.receive({ url: trigger.url, body });

		expect(itemsOf(received)).toMatchObject([{ event, eventCode }]);
		expect(itemsOf(received)?.[0]).not.toHaveProperty('issues');
	});

	test('starts nothing when it is told and not chosen, unlike what is unknown', async () => {
		const trigger = await published({ ...unsigned, events: ['updateTask'] });

		const alone = await trigger.receive({ url: trigger.url, body: created });
		const among = await trigger.receive({
			url: trigger.url,
			body: [created, updated, { id: 'T2' }],
		});

		expect(alone.status).toBe(200);
		expect(alone.run).toBeUndefined();
		expect(itemsOf(among)).toMatchObject([{ event: 'updateTask' }, { event: 'unknown', id: 'T2' }]);
	});

	test.each([{ id: 'T1' }, { hello: 'world' }, { ...created, ...updated }])(
		'is unknown, never guessed, when several or none can be meant: %j',
		async (body) => {
			const trigger = await published(unsigned);

			const received = await trigger.receive({ url: trigger.url, body });

			expect(received.status).toBe(200);
			expect(itemsOf(received)).toEqual([
				{
					event: 'unknown',
					eventCode: null,
					...body,
					issues: ['Neither the address nor the fields tell which event this is'],
				},
			]);
		},
	);
});

describe('filters', () => {
	const only = (options: INodeParameters) => ({ options });

	test.each([
		[only({ statuses: 'picked up, Delivered' }), true],
		[only({ statuses: ['delivered'] }), true],
		[only({ statuses: 'picked up' }), false],
		[only({ companies: '1001' }), true],
		[only({ companies: '1, 2' }), false],
		[only({ cities: '8, 9' }), true],
		[only({ cities: 9 }), false],
		[only({ statuses: 'delivered', cities: '9' }), false],
		[only({ statuses: '', companies: ' ', cities: [] }), true],
	])('%j let an update through: %s', async (parameters, passes) => {
		const trigger = await published(parameters);

		const received = await call(trigger, 'updateTask', { body: updated });

		expect(received.status).toBe(200);
		expect(received.run !== undefined).toBe(passes);
		if (!passes) expect(received.body).toEqual({ message: 'Received' });
	});

	test('leave alone what has no such field', async () => {
		const trigger = await published(only({ statuses: 'x', companies: '5', cities: '5' }));
		const created = await call(trigger, 'createTask', { body: { id: 'T1' } });
		const odd = await call(trigger, 'updateTask', { body: { id: 'T1', status: null } });

		expect(itemsOf(created)).toHaveLength(1);
		expect(itemsOf(odd)).toHaveLength(1);
	});

	test('let only some of a list through', async () => {
		const trigger = await published(only({ statuses: 'delivered' }));

		const received = await call(trigger, 'updateTask', {
			body: [{ ...updated, status: 'lost' }, updated],
		});

		expect(itemsOf(received)).toMatchObject([updated]);
	});

	test('do not end the listening for a test event', async () => {
		const trigger = await open(only({ statuses: 'delivered' }));
		await trigger.listen();

		const { url } = hook(3);
		await trigger.receive({ url, body: { ...updated, status: 'lost' } });
		const stillListening = trigger.listening;
		const received = await trigger.receive({ url, body: updated });

		expect(stillListening).toBe(true);
		expect(itemsOf(received)).toHaveLength(1);
	});
});

describe('repeats', () => {
	const skipping = { options: { ignoreDuplicatesMinutes: 10 } };
	const swapped = Object.fromEntries(Object.entries(updated).reverse());

	const passed = (received: Received) => passedOn(received)?.length;

	test('start the workflow again unless the option is added', async () => {
		const trigger = await published();
		await call(trigger, 'updateTask', { body: updated });
		const repeat = await call(trigger, 'updateTask', { body: updated });
		const twice = await call(trigger, 'updateTask', { body: [updated, updated] });

		expect([passed(repeat), passed(twice)]).toEqual([1, 2]);
		expect(deduplicationStore.calls).toEqual([]);
	});

	test('end at the trigger with it, also in another order of fields', async () => {
		const trigger = await published(skipping);
		const first = await call(trigger, 'updateTask', { body: updated });

		const repeat = await call(trigger, 'updateTask', { body: updated });
		const other = await call(trigger, 'updateTask', { body: swapped });

		expect([first, repeat, other].map(passed)).toEqual([1, 0, 0]);
		expect([first, repeat, other].map(({ status }) => status)).toEqual([200, 200, 200]);
	});

	test('are only the same event with the same content', async () => {
		const trigger = await published(skipping);
		const calls = [
			await call(trigger, 'updateTask', { body: updated }),
			await call(trigger, 'updateTask', { body: { ...updated, status: 'returned' } }),
			await call(trigger, 'createTask', { body: updated }),
		];

		expect(calls.map(passed)).toEqual([1, 1, 1]);
	});

	test('are known however many calls come at once', async () => {
		const trigger = await published(skipping);
		const bodies = Array.from({ length: 30 }, (_, id) => ({ ...updated, id: `T${id}` }));
		const all = async () => {
			const calls = [...bodies, ...bodies].map(
				async (body) => await call(trigger, 'updateTask', { body }),
			);
			return (await Promise.all(calls)).reduce((sum, one) => sum + (passed(one) ?? 0), 0);
		};

		expect(await all()).toBe(30);
		expect(await all()).toBe(0);
	});

	test('are not looked for in test events, which are not remembered either', async () => {
		const trigger = await open({ events: ['updateTask'], ...skipping });
		for (let times = 0; times < 2; times++) {
			await trigger.listen();
			expect(passed(await trigger.receive({ url: hook(3).url, body: updated }))).toBe(1);
		}
		expect(deduplicationStore.calls).toEqual([]);
	});

	test('all go on while n8n cannot look them up, and the log says so', async () => {
		const trigger = await published(skipping);
		await call(trigger, 'updateTask', { body: updated });
		deduplicationStore.addFault({ kind: 'fail', when: 'before', times: 2 });

		expect(passed(await call(trigger, 'updateTask', { body: updated }))).toBe(1);
		expect(service.warnings().join()).toContain(
			'let all events through: Skip Repeats could not look up which came before',
		);
	});

	test('are known although another process was faster to make the first entries', async () => {
		const trigger = await published(skipping);
		deduplicationStore.addFault({ kind: 'fail', when: 'before' });

		expect(passed(await call(trigger, 'updateTask', { body: updated }))).toBe(1);
		expect(passed(await call(trigger, 'updateTask', { body: updated }))).toBe(0);
	});
});

/** Creates a delivery at the service, which posts the event of it; resolves when that is done. */
async function createDelivery(): Promise<{ id: string }> {
	const { error } = await runNode({
		node: 'deliveryService',
		parameters: { resource: 'delivery', operation: 'create', source: 'json' },
		items: deliveries(1),
		credential: service.credential,
	});
	if (error) throw new Error(error.message);
	while (service.control.events()[0]?.postings.length !== 1) await nextTurn();
	const [delivery] = service.control.deliveries();
	if (!delivery) throw new Error('No delivery was created.');
	return { id: delivery.record.id };
}
