/** The operation Webhook: Delete, and its list of webhooks. */
import type { INodeParameters } from 'n8n-workflow';

import { loadList } from '../support/engine/engine';
import { jsonOf, setUp } from '../support/actionNode';

const service = setUp();

const url = 'https://n8n.shop.example/webhook/1f/delivery?token=a%2Bb+c&x=1';

const deletion = (more: INodeParameters): INodeParameters => ({
	resource: 'webhook',
	operation: 'delete',
	...more,
});
const byUrlAndEvent = deletion({
	selectBy: 'urlAndEvent',
	url: '={{ $json.url }}',
	event: '={{ $json.event }}',
});
const listEntry = (value: string) => ({ __rl: true, mode: 'list', value });

describe('Delete', () => {
	test('unsubscribes the webhook selected from the list, with a form body', async () => {
		await service.subscribe(url, 3);
		await service.subscribe(url, 1);
		await service.subscribe(url, 3, 1002);

		const { error, items } = await service.run(deletion({ webhook: listEntry(`3 ${url}`) }));

		expect(error).toBeUndefined();
		expect(service.received('DELETE')).toEqual([
			{ method: 'DELETE', path: '/hooks/companies/1001', body: { url, action: '3' } },
		]);
		const [request] = service.control.requests().filter(({ method }) => method === 'DELETE');
		expect(request?.headers).toMatchObject({
			'content-type': 'application/x-www-form-urlencoded',
			'accept-charset': 'utf-8',
		});
		expect(items).toEqual([{ json: { deleted: true }, pairedItem: { item: 0 } }]);
		expect(service.control.webhooks()).toMatchObject([
			{ companyId: 1001, action: 1 },
			{ companyId: 1002, action: 3 },
		]);
	});

	test('puts failed items on the error output and deletes the others', async () => {
		await service.subscribe(url, 1);
		const items = [
			{ url, event: 'updateTask' },
			{ url: 'nothing', event: 'createTask' },
			{ url, event: 'createTask' },
		];

		const { outputs } = await service.run(byUrlAndEvent, { items, onError: 'continueErrorOutput' });

		expect(service.received('DELETE').map(({ body }) => body)).toEqual([
			{ url, action: '3' },
			{ url, action: '1' },
		]);
		expect(service.control.webhooks()).toEqual([]);
		expect(outputs[0]).toEqual([{ json: { deleted: true }, pairedItem: { item: 2 } }]);
		expect(outputs[1]).toMatchObject([
			{
				json: { ...items[0], error: { message: 'Webhook not found [item 0]' } },
				pairedItem: { item: 0 },
			},
			{
				json: {
					...items[1],
					error: {
						message: 'URL must be a valid URL that starts with http:// or https:// [item 1]',
					},
				},
				pairedItem: { item: 1 },
			},
		]);
	});

	test.each<[string, INodeParameters]>([
		['No webhook is selected [item 0]', { webhook: listEntry('={{ "https://a.example" }}') }],
		[
			'URL must be a valid URL that starts with http:// or https:// [item 0]',
			{ selectBy: 'urlAndEvent', url: 'a.example' },
		],
	])('rejects invalid parameters before any request: %s', async (message, more) => {
		const { error } = await service.run(deletion(more));

		expect(service.control.requests()).toEqual([]);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
	});
});

describe('the list of webhooks', () => {
	const search = async (parameters: INodeParameters, filter?: string) =>
		await loadList({
			node: 'deliveryService',
			method: 'searchWebhooks',
			parameters: deletion(parameters),
			credential: service.credential,
			filter,
		});

	const subscribeAll = async () => {
		await service.subscribe('https://a.example/Hook', 1);
		await service.subscribe('https://b.example/hook', 2);
		await service.subscribe('https://b.example/hook', 3);
		await service.subscribe('https://child.example/hook', 3, 1002);
		service.control.blacklist('https://b.example/hook', 3);
	};
	const entries = [
		{ name: 'Delivery Created: https://a.example/Hook', value: '1 https://a.example/Hook' },
		{ name: 'Route Created: https://b.example/hook', value: '2 https://b.example/hook' },
		{
			name: 'Delivery Updated: https://b.example/hook (blacklisted)',
			value: '3 https://b.example/hook',
		},
	];

	test("lists the company's webhooks, and a selected one can be deleted", async () => {
		await subscribeAll();

		const { results } = await search({});
		expect(results).toEqual(entries);
		const { items } = await service.run(
			deletion({ webhook: listEntry(String(results[2]?.value)) }),
		);

		expect(service.received('GET')[0]).toMatchObject({ path: '/hooks/companies/1001' });
		expect(service.received('DELETE')).toMatchObject([
			{ body: { url: 'https://b.example/hook', action: '3' } },
		]);
		expect(jsonOf(items)).toEqual([{ deleted: true }]);
	});

	test.each([
		['https://B.example', [1, 2]],
		['created', [0, 1]],
		['BLACKLISTED', [2]],
		['', [0, 1, 2]],
		['nowhere', []],
	])('searches the list of webhooks by event, URL and status: %p', async (filter, matches) => {
		await subscribeAll();

		const { results } = await search({}, filter);

		expect(service.received('GET')).toHaveLength(1);
		expect(results).toEqual(matches.map((index) => entries[index]));
	});

	test('lists the webhooks of the company in the options', async () => {
		await subscribeAll();

		const { results } = await search({ options: { companyId: '1002' } });

		expect(service.received('GET')).toMatchObject([{ path: '/hooks/companies/1002' }]);
		expect(results).toEqual([
			{
				name: 'Delivery Updated: https://child.example/hook',
				value: '3 https://child.example/hook',
			},
		]);
	});
});
