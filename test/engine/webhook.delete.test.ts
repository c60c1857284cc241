/** The operation Webhook: Delete. */
import type { INodeParameters } from 'n8n-workflow';

import { setUp } from '../support/actionNode';

const service = setUp();

const url = 'https://n8n.shop.example/webhook/1f/delivery?token=a%2Bb+c&x=1';

const deletion = (more: INodeParameters): INodeParameters => ({
	resource: 'webhook',
	operation: 'delete',
	...more,
});
const listed = deletion({
	url: '={{ $json.url }}',
	event: '={{ $json.event }}',
});

describe('Delete', () => {
	test('unsubscribes the webhook with this URL and event, with a form body', async () => {
		await service.subscribe(url, 3);
		await service.subscribe(url, 1);
		await service.subscribe(url, 3, 1002);

		const { error, items } = await service.run(deletion({ url, event: 'updateTask' }));

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

		const { outputs } = await service.run(listed, { items, onError: 'continueErrorOutput' });

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

	test('rejects an invalid URL before any request', async () => {
		const { error } = await service.run(deletion({ url: 'a.example', event: 'updateTask' }));

		expect(service.control.requests()).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: 'URL must be a valid URL that starts with http:// or https:// [item 0]',
		});
	});
});
