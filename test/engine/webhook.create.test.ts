/** The operation Webhook: Create. */
import { setUp } from '../support/actionNode';

const service = setUp();

const url = 'https://n8n.shop.example/webhook/1f/delivery?token=a%2Bb+c&x=1';

const create = {
	resource: 'webhook',
	operation: 'create',
	url: '={{ $json.url }}',
	event: '={{ $json.event }}',
};

test('subscribes a URL to an event, with a form body', async () => {
	const event = 'updateTask';
	const { error, items } = await service.run({ ...create, url, event });

	expect(error).toBeUndefined();
	expect(service.received()).toEqual([
		{ method: 'POST', path: '/hooks/companies/1001', body: { url, action: '3' } },
	]);
	const form = new URLSearchParams({ url, action: '3' }).toString();
	expect(service.control.requests()[0]).toMatchObject({
		status: 200,
		headers: {
			authorization: 'Basic ***',
			'content-type': 'application/x-www-form-urlencoded',
			'content-length': String(form.length),
			'accept-charset': 'utf-8',
		},
	});
	expect(service.control.webhooks()).toEqual([
		{ companyId: 1001, url, action: 3, status: 'Active' },
	]);
	expect(items).toEqual([{ json: { url, event, action: 3 }, pairedItem: { item: 0 } }]);
});

test('subscribes one URL per item, each for the company of its item', async () => {
	const input = [
		{ url: 'https://a.example', event: 'createTask', company: '1002' },
		{ url: ' http://b.example/x \n', event: 'createRoute', company: 1001 },
	];

	const { items } = await service.run(
		{ ...create, options: { companyId: '={{ $json.company }}' } },
		{ items: input },
	);

	expect(service.received('POST')).toEqual([
		{
			method: 'POST',
			path: '/hooks/companies/1002',
			body: { url: 'https://a.example', action: '1' },
		},
		{
			method: 'POST',
			path: '/hooks/companies/1001',
			body: { url: 'http://b.example/x', action: '2' },
		},
	]);
	expect(items).toEqual([
		{ json: { url: 'https://a.example', event: 'createTask', action: 1 }, pairedItem: { item: 0 } },
		{
			json: { url: 'http://b.example/x', event: 'createRoute', action: 2 },
			pairedItem: { item: 1 },
		},
	]);
});

describe('an invalid webhook item', () => {
	test.each([
		[
			'URL must be a valid URL that starts with http:// or https:// [item 0]',
			{ url: 'shop.example' },
		],
		[
			'Event "deleted" is not one of createTask, createRoute, updateTask [item 0]',
			{ event: 'deleted' },
		],
		[
			'The Delivery Service Company ID is not a positive whole number [item 0]',
			{ company: 'mine' },
		],
	])('rejects an invalid item before any request: %s', async (message, changes) => {
		const { error, items } = await service.run(
			{ ...create, options: { companyId: '={{ $json.company }}' } },
			{ items: [{ url, event: 'createTask', company: 1002, ...changes }] },
		);

		expect(service.control.requests()).toEqual([]);
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message,
			context: { itemIndex: 0 },
		});
	});
});

describe('a webhook that the service rejects', () => {
	test('fails when the webhook already exists (409), and names Reactivate', async () => {
		service.control.addFault({ kind: 'status', status: 409 });

		const { error } = await service.run({ ...create, url, event: 'createTask' });

		expect(error).toMatchObject({
			message: expect.stringMatching(
				/^The Delivery Service already has this webhook, .*\[item 0\]$/,
			),
			description: expect.stringContaining('Webhook > Reactivate'),
		});
	});

	test('stops at an item that the service rejects, with the HTTP status and what to do', async () => {
		const { error } = await service.run(
			{ ...create, options: { companyId: '={{ $json.company }}' } },
			{
				items: [
					{ url, event: 'createTask', company: 1001 },
					{ url, event: 'createTask', company: 77 },
					{ url, event: 'updateTask', company: 1001 },
				],
			},
		);

		expect(service.received('POST').map(({ path }) => path)).toEqual([
			'/hooks/companies/1001',
			'/hooks/companies/77',
		]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'The Delivery Service responded, but this company or URL was not found [item 1]',
			description: expect.stringMatching(/Company ID.*Unknown company 77 \(NOT_FOUND\)/),
			httpCode: '404',
			context: { itemIndex: 1 },
		});
	});
});
