/** What the trigger outputs for the events that it receives. */
import type { INodeParameters } from 'n8n-workflow';

import { type ReceiveOptions, type Trigger } from '../support/engine/engine';
import { itemsOf, setUpTriggers, updated } from '../support/triggerNode';

const service = setUpTriggers();
const { open, hook } = service;
const every = ['createTask', 'createRoute', 'updateTask'];
const actions: Record<string, number> = { createTask: 1, createRoute: 2, updateTask: 3 };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Opens and publishes a trigger for all events. */
async function published(parameters: INodeParameters = {}): Promise<Trigger> {
	const trigger = await open({ events: every, ...parameters });
	await trigger.activate();
	return trigger;
}

/** Calls the URL of an event as the service would. */
async function call(trigger: Trigger, event: string, request: ReceiveOptions) {
	return await trigger.receive({ url: hook(actions[event] ?? 0).url, ...request });
}

describe('an event of the service', () => {
	test.each(['1', '2'] as const)(
		'responds to each accepted call with the same JSON in n8n %s',
		async (n8n) => {
			const trigger = await open({ events: every, options: { statuses: 'delivered' } }, { n8n });
			await trigger.activate();

			const started = await call(trigger, 'updateTask', { body: updated });
			const filtered = await call(trigger, 'updateTask', { body: { ...updated, status: 'lost' } });
			const empty = await call(trigger, 'updateTask', {});

			expect([started, filtered, empty].map(({ run }) => run?.status)).toEqual([
				'success',
				undefined,
				undefined,
			]);
			for (const { status, body, headers } of [started, filtered, empty]) {
				expect({ status, body }).toEqual({ status: 200, body: { message: 'Received' } });
				expect(headers['content-type']).toBe('application/json; charset=utf-8');
			}
		},
	);
});

describe('the body of a call', () => {
	const text = JSON.stringify(updated);

	test.each([['a list', (payload: object) => ` ${JSON.stringify([payload])}\n`]])(
		'reads JSON with the content type of a form: %s',
		async (_, write) => {
			const trigger = await published();
			const payload = { ...updated, status: 'A&B=1+1 %41' };

			const received = await call(trigger, 'updateTask', {
				rawBody: write(payload),
				headers: form,
			});

			expect(received.status).toBe(200);
			expect(itemsOf(received)).toEqual([{ event: 'updateTask', ...payload }]);
		},
	);

	test.each<[string, ReceiveOptions]>([
		['JSON', { body: updated }],
		['a list with one entry', { body: [updated] }],
		['a form', { rawBody: new URLSearchParams(updated).toString(), headers: form }],
		['JSON as plain text', { rawBody: text, headers: { 'content-type': 'text/plain' } }],
		[
			'JSON without a content type',
			{ rawBody: Buffer.from(text), headers: { 'content-type': '' } },
		],
		[
			'JSON with a content type that n8n does not know',
			{ rawBody: text, headers: { 'content-type': 'application/vnd.delivery+json' } },
		],
	])('reads %s', async (_, request) => {
		const trigger = await published();

		const received = await call(trigger, 'updateTask', request);

		expect(received.status).toBe(200);
		expect(itemsOf(received)).toEqual([{ event: 'updateTask', ...updated }]);
	});
});

test('passes on an event whose URL names none, as without Verify Caller behind a rewriting proxy', async () => {
	const trigger = await published({ options: { verifyCaller: false } });

	const received = await trigger.receive({ url: trigger.url, body: updated });

	expect(itemsOf(received)).toEqual([
		{ event: 'unknown', ...updated, issues: ['The URL does not name the event'] },
	]);
});

test('drops an event that is not selected', async () => {
	const trigger = await published({ options: { verifyCaller: false }, events: ['updateTask'] });

	const received = await trigger.receive({ url: `${trigger.url}?event=createTask`, body: updated });

	expect(received.status).toBe(200);
	expect(received.run).toBeUndefined();
});

describe('the filters of the trigger', () => {
	const only = (options: INodeParameters) => ({ options });

	test('passes only the list entries that match the filters', async () => {
		const trigger = await published(only({ statuses: 'delivered' }));

		const received = await call(trigger, 'updateTask', {
			body: [{ ...updated, status: 'lost' }, updated],
		});

		expect(itemsOf(received)).toMatchObject([updated]);
	});

	test('keeps listening for a test event after the filters have dropped one', async () => {
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
