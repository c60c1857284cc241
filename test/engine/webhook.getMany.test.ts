/** Webhook: Get Many. */
import type { INodeParameters } from 'n8n-workflow';

import { jsonOf, pairedItems, setUp } from '../support/actionNode';

const service = setUp();

const getAll = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'webhook',
	operation: 'getAll',
	...more,
});

/** Makes the service answer its next listing so. */
const list = (body: unknown) =>
	service.control.addFault({ method: 'GET', kind: 'status', status: 200, body });

const listing = { method: 'GET', path: '/hooks/companies/1001' };

test("lists the company's webhooks with event and status, and the raw status beside", async () => {
	await service.subscribe('https://a.example', 1);
	await service.subscribe('https://a.example', 3);
	await service.subscribe('https://child.example', 2, 1002);
	service.control.blacklist('https://a.example', 3);

	const { error, items } = await service.run(getAll());

	expect(error).toBeUndefined();
	expect(service.received('GET')).toMatchObject([listing]);
	expect(items).toEqual([
		{
			json: {
				url: 'https://a.example',
				action: 1,
				event: 'createTask',
				status: 'active',
				rawStatus: 'Active',
			},
			pairedItem: { item: 0 },
		},
		{
			json: {
				url: 'https://a.example',
				action: 3,
				event: 'updateTask',
				status: 'blacklisted',
				rawStatus: 'Banned',
			},
			pairedItem: { item: 0 },
		},
	]);
});

test('lists those of another company for each item that names it', async () => {
	await service.subscribe('https://own.example', 1);
	await service.subscribe('https://child.example', 2, 1002);

	const { items } = await service.run(getAll({ options: { companyId: '={{ $json.company }}' } }), {
		items: [{ company: '1002' }, { company: null }, { company: 1002 }],
	});

	expect(service.received('GET').map(({ path }) => path)).toEqual([
		'/hooks/companies/1002',
		'/hooks/companies/1001',
		'/hooks/companies/1002',
	]);
	expect(jsonOf(items).map(({ url }) => url)).toEqual([
		'https://child.example',
		'https://own.example',
		'https://child.example',
	]);
	expect(pairedItems(items)).toEqual([0, 1, 2]);
});

test.each([
	['active', 'active'],
	['Active', 'active'],
	[' ACTIVE ', 'active'],
	['blacklisted', 'blacklisted'],
	['Blacklisted', 'blacklisted'],
	['Banned', 'blacklisted'],
	['banned', 'blacklisted'],
	['Paused', 'paused'],
])('normalises the status %p to %p and keeps the raw one', async (status, normalised) => {
	list([{ url: 'https://a.example', action: 1, status }]);

	const { items } = await service.run(getAll());

	expect(service.received()).toMatchObject([listing]);
	expect(jsonOf(items)).toMatchObject([{ status: normalised, rawStatus: status }]);
});

test('keeps what the document does not name', async () => {
	list([
		{ url: 'https://a.example', action: '2', status: 'Active', createdBy: { id: 7 } },
		{ url: 'https://b.example', action: 9 },
	]);

	const { items } = await service.run(getAll());

	expect(service.received()).toMatchObject([listing]);
	expect(jsonOf(items)).toEqual([
		{
			url: 'https://a.example',
			action: 2,
			event: 'createRoute',
			status: 'active',
			rawStatus: 'Active',
			createdBy: { id: 7 },
		},
		{ url: 'https://b.example', action: 9, status: '' },
	]);
});

describe('with many webhooks', () => {
	const hooks = Array.from({ length: 60 }, (_, number) => ({
		url: `https://h${number}.example`,
		action: 1 + (number % 3),
		status: number % 2 === 0 ? 'Active' : 'Banned',
	}));
	const urlsWhere = (holds: (number: number) => boolean) =>
		hooks.filter((_, number) => holds(number)).map(({ url }) => url);

	test.each<[string, INodeParameters, string[]]>([
		['50 when nothing is set', {}, urlsWhere((number) => number < 50)],
		['the first two', { limit: 2 }, urlsWhere((number) => number < 2)],
		['the first two, as an expression', { limit: '={{ "2" }}' }, urlsWhere((number) => number < 2)],
		['all', { returnAll: true }, urlsWhere(() => true)],
		[
			'those of an event',
			{ filters: { events: ['createRoute'] } },
			urlsWhere((number) => number % 3 === 1),
		],
		[
			'those of two events',
			{ returnAll: true, filters: { events: ['createTask', 'updateTask'] } },
			urlsWhere((number) => number % 3 !== 1),
		],
		[
			'those of no event in particular',
			{ limit: 1, filters: { events: [] } },
			['https://h0.example'],
		],
		['the active ones', { filters: { status: 'active' } }, urlsWhere((number) => number % 2 === 0)],
		[
			'the blacklisted ones',
			{ filters: { status: 'blacklisted' } },
			urlsWhere((number) => number % 2 === 1),
		],
		[
			'the first ones that pass both filters',
			{ limit: 3, filters: { status: 'blacklisted', events: ['updateTask'] } },
			['https://h5.example', 'https://h11.example', 'https://h17.example'],
		],
	])('gives %s', async (_what, more, urls) => {
		list(hooks);

		const { error, items } = await service.run(getAll(more));

		expect(error).toBeUndefined();
		expect(service.received()).toMatchObject([listing]);
		expect(jsonOf(items).map(({ url }) => url)).toEqual(urls);
	});
});

test('gives nothing where there is nothing', async () => {
	const { status, items } = await service.run(getAll());

	expect(service.received()).toMatchObject([listing]);
	expect({ status, items }).toEqual({ status: 'success', items: [] });
});

test('gives nothing where the service finds nothing (404), and says what that may mean', async () => {
	const { error, items, hints } = await service.run(getAll({ options: { companyId: '5' } }));

	expect({ error, items }).toEqual({ error: undefined, items: [] });
	expect(hints).toMatchObject([
		{
			message: expect.stringMatching(
				/no webhooks yet, or the Company ID .* is wrong. The service says: Unknown company 5/,
			),
		},
	]);
});

test('gives what can be read, and the other entries as they came', async () => {
	const odd = { action: 1 };
	list({ code: 'OK', hooks: [odd, { url: 'https://a.example', action: 1, status: null }, 'x'] });

	const { error, items } = await service.run(getAll());

	expect(error).toBeUndefined();
	expect(jsonOf(items)).toEqual([
		{ url: 'https://a.example', action: 1, event: 'createTask', status: '' },
		{ entry: odd },
		{ entry: 'x' },
	]);
});

describe('what is wrong', () => {
	test.each<[string, INodeParameters]>([
		['Limit "many" is not a number [item 0]', { limit: '={{ "many" }}' }],
		['Limit 0 is less than 1 [item 0]', { limit: '={{ 0 }}' }],
		['Limit 1.5 is not a whole number [item 0]', { limit: 1.5 }],
		[
			'Status "gone" is not one of active, blacklisted [item 0]',
			{ filters: { status: '={{ "gone" }}' } },
		],
		[
			'The Delivery Service Company ID is not a positive whole number [item 0]',
			{ options: { companyId: 'x' } },
		],
	])('is named before anything is sent: %s', async (message, more) => {
		const { error } = await service.run(getAll(more));

		expect(service.control.requests()).toEqual([]);
		expect(error?.message).toBe(message);
	});

	test.each([
		['HTML', '<!doctype html>'],
		['an object', { name: 'Another service' }],
	])('is named when something else answers: %s', async (_what, body) => {
		list(body);

		const { error, items } = await service.run(getAll());

		expect(service.received()).toMatchObject([listing]);
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'The response is not a valid Delivery Service response [item 0]',
			description: expect.stringContaining('Base URL'),
		});
	});

	test('is named when nothing listens', async () => {
		const { error } = await service.run(getAll(), {
			credential: { ...service.credential, baseUrl: 'http://127.0.0.1:9' },
		});

		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'Could not connect to the Base URL of the Delivery Service [item 0]',
			description: expect.stringContaining('Check the Base URL'),
		});
	});

	test('does not keep the other items from being listed when the node goes on', async () => {
		await service.subscribe('https://a.example', 1);
		const body = { code: 'FORBIDDEN', message: 'Not for this key' };
		const path = '/hooks/companies/1002';
		service.control.addFault({ kind: 'status', status: 403, path, body });

		const { items } = await service.run(
			getAll({ options: { companyId: '={{ $json.company }}' } }),
			{ items: [{ company: 1002 }, {}], onError: 'continueRegularOutput' },
		);

		expect(service.received('GET').map((request) => request.path)).toEqual([
			path,
			'/hooks/companies/1001',
		]);
		expect(items).toMatchObject([
			{
				json: {
					error: {
						message: 'The Delivery Service does not allow this request with this API key [item 0]',
						description: expect.stringContaining('Not for this key'),
					},
				},
				pairedItem: { item: 0 },
			},
			{ json: { url: 'https://a.example' }, pairedItem: { item: 1 } },
		]);
	});
});
