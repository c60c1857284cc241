/** The operation Webhook: Get Many. */
import type { INodeParameters } from 'n8n-workflow';

import { jsonOf, setUp } from '../support/actionNode';
import { testCredential } from '../support/engine/engine';

const service = setUp();

const getAll = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'webhook',
	operation: 'getAll',
	...more,
});

/** Sets the service's response to the next listing. */
const respondToList = (body: unknown) =>
	service.control.addFault({ method: 'GET', kind: 'status', status: 200, body });

const listing = { method: 'GET', path: '/hooks/companies/1001' };

test("lists the company's webhooks with event, status and raw status", async () => {
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

describe('a list of 60 webhooks', () => {
	const hooks = Array.from({ length: 60 }, (_, number) => ({
		url: `https://h${number}.example`,
		action: 1 + (number % 3),
		status: number % 2 === 0 ? 'Active' : 'Banned',
	}));
	const urlsWhere = (matches: (index: number) => boolean) =>
		hooks.filter((_, index) => matches(index)).map(({ url }) => url);

	test.each<[string, INodeParameters, string[]]>([
		['the first 50 by default', { limit: '={{ null }}' }, urlsWhere((number) => number < 50)],
		['the first two', { limit: 2, returnAll: '={{ "false" }}' }, urlsWhere((number) => number < 2)],
		['all with Return All', { returnAll: true }, urlsWhere(() => true)],
		[
			'all with blank filters',
			{ returnAll: true, filters: { events: '', status: '={{ "" }}' } },
			urlsWhere(() => true),
		],
		[
			'only those of two events',
			{ returnAll: true, filters: { events: ['createTask', 'updateTask'] } },
			urlsWhere((number) => number % 3 !== 1),
		],
		[
			'only those of an event in text',
			{ filters: { events: '={{ "createRoute" }}' } },
			urlsWhere((number) => number % 3 === 1),
		],
		[
			'only the blacklisted ones',
			{ filters: { status: 'blacklisted' } },
			urlsWhere((number) => number % 2 === 1),
		],
		[
			'the first three that match both filters',
			{ limit: 3, filters: { status: 'blacklisted', events: ['updateTask'] } },
			['https://h5.example', 'https://h11.example', 'https://h17.example'],
		],
	])('returns %s', async (_what, more, urls) => {
		respondToList(hooks);

		const { error, items } = await service.run(getAll(more));

		expect(error).toBeUndefined();
		expect(service.received()).toMatchObject([listing]);
		expect(jsonOf(items).map(({ url }) => url)).toEqual(urls);
	});
});

test.each([
	[
		'a message of the service',
		{ code: 'NOT_FOUND', message: 'Unknown company 5' },
		/^Check Company ID and Base URL\..*any webhooks yet\. The service says: Unknown company 5/,
	],
	[
		'a web page',
		'<!doctype html><title>Not Found</title>',
		/^Check the Base URL: its host responded, but not as the Delivery Service\.$/,
	],
])('says what the connection test says for a 404 response with %s', async (_what, body, advice) => {
	service.control.addFault({ kind: 'status', status: 404, body, times: null });

	const { error, items } = await service.run(getAll());
	const verdict = await testCredential(service.credential);

	expect(items).toEqual([]);
	const message = 'The Delivery Service responded, but this company or URL was not found';
	expect(error).toMatchObject({
		name: 'NodeApiError',
		httpCode: '404',
		message: `${message} [item 0]`,
		description: expect.stringMatching(advice),
	});
	expect(verdict.message).toContain(message);
});

test('returns readable webhooks, and other entries unchanged', async () => {
	const unreadable = { action: 1 };
	respondToList([unreadable, { url: 'https://a.example', action: 1, status: null }, 'x']);

	const { error, items } = await service.run(getAll());

	expect(error).toBeUndefined();
	expect(jsonOf(items)).toEqual([
		{ url: 'https://a.example', action: 1, event: 'createTask', status: '' },
		{ entry: unreadable },
		{ entry: 'x' },
	]);
});

test.each<[string, INodeParameters]>([
	['Limit "many" is not a number [item 0]', { limit: '={{ "many" }}' }],
	[
		'Status "gone" is not one of active, blacklisted [item 0]',
		{ filters: { status: '={{ "gone" }}' } },
	],
])('Get Many rejects an invalid parameter before any request: %s', async (message, more) => {
	const { error } = await service.run(getAll(more));

	expect(service.control.requests()).toEqual([]);
	expect(error?.message).toBe(message);
});
