/** The operation Webhook: Reactivate, in n8n's engine against the local service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod';

import {
	addNodeType,
	runWorkflow,
	type RunNodeOptions,
	type WorkflowJson,
} from '../support/engine/engine';
import { jsonOf, pairedItems, setUp } from '../support/actionNode';
import { setUpTriggers, updated } from '../support/triggerNode';

const service = setUp();

const hooks = '/hooks/';
const ownUrl = 'https://n8n.shop.example/webhook/a/webhook';

type Hook = ReturnType<typeof service.control.webhooks>[number];

/** Subscribes URLs, then blacklists them in the service. */
async function blacklist(urls: readonly string[], action: Hook['action'] = 3): Promise<void> {
	for (const url of urls) {
		const event = ['', 'createTask', 'createRoute', 'updateTask'][action] ?? '';
		const created = await service.run({ resource: 'webhook', operation: 'create', url, event });
		expect(created.error).toBeUndefined();
		service.control.blacklist(url, action);
	}
}

async function reactivate(url: string, more: Partial<RunNodeOptions> = {}) {
	return await service.run({ resource: 'webhook', operation: 'reactivate', urlPrefix: url }, more);
}

/** The methods of the requests that the service received. */
function methods(): string[] {
	return service.received().map(({ method }) => method);
}

/** The statuses in the service's list, by URL. */
function statusByUrl(): Record<string, string> {
	return Object.fromEntries(service.control.webhooks().map(({ url, status }) => [url, status]));
}

test('re-creates each matching blacklisted webhook and returns an item for each', async () => {
	await blacklist([`${ownUrl}?event=updateTask&signature=abc`]);
	await blacklist([`${ownUrl}?event=createTask&signature=def`], 1);

	const { items, error } = await reactivate('https://n8n.shop.example/');

	expect(error).toBeUndefined();
	expect(jsonOf(items)).toEqual([
		{
			url: `${ownUrl}?event=updateTask&signature=abc`,
			event: 'updateTask',
			action: 3,
			reactivated: true,
		},
		{
			url: `${ownUrl}?event=createTask&signature=def`,
			event: 'createTask',
			action: 1,
			reactivated: true,
		},
	]);
	expect(Object.values(statusByUrl())).toEqual(['Active', 'Active']);
	expect(methods().slice(-5)).toEqual(['GET', 'DELETE', 'POST', 'DELETE', 'POST']);
});

test('returns no items and changes nothing when no webhook is blacklisted', async () => {
	await service.run({ resource: 'webhook', operation: 'create', url: ownUrl, event: 'updateTask' });

	const { items } = await reactivate(ownUrl);

	expect(items).toEqual([]);
	expect(methods()).toEqual(['POST', 'GET']);
});

describe('the URL prefix', () => {
	const all = [
		'https://shop.example/hook',
		'https://shop.example/hook/a',
		'https://shop.example/hook?a=1',
		'https://shop.example/hook?a=1&b=2',
		'https://shop.example/hook?a=12',
		'https://shop.example/hooks',
		'https://shop.example.evil.example/hook',
		'https://shop.example:8443/hook',
		'http://shop.example/hook',
	];

	test.each([
		['https://shop.example/hook', [0, 1, 2, 3, 4]],
		['https://shop.example/hook/', [1]],
		['https://shop.example/hook?a=1', [2, 3]],
		['https://shop.example', [0, 1, 2, 3, 4, 5]],
		['HTTPS://SHOP.example:443/', [0, 1, 2, 3, 4, 5]],
		['https://shop.example/ho', []],
		['https://sho', []],
	])('the URL prefix %s matches the URL itself and URLs below it', async (url, expected) => {
		await blacklist(all);

		const { items } = await reactivate(url);

		expect(jsonOf(items).map((item) => item.url)).toEqual(expected.map((index) => all[index]));
		expect(Object.values(statusByUrl()).filter((status) => status === 'Banned')).toHaveLength(
			all.length - expected.length,
		);
	});

	test.each(['={{ "" }}', 'shop.example', '={{ null }}'])('must be a web URL: %j', async (url) => {
		await blacklist(all);

		const { error } = await reactivate(url);

		expect(error?.message).toMatch(/^URL .*\[item 0\]$/);
		expect(Object.values(statusByUrl())).not.toContain('Active');
	});

	test('reactivates only webhooks of the company in the options', async () => {
		await blacklist([ownUrl]);
		const { items } = await service.run({
			resource: 'webhook',
			operation: 'reactivate',
			url: ownUrl,
			options: { companyId: '1002' },
		});

		expect(items).toEqual([]);
	});
});

describe('a failure', () => {
	const urls = ['a', 'b', 'c'].map((path) => `https://shop.example/${path}`);
	const signature = '5e'.repeat(32);
	const deletion = { method: 'DELETE', path: hooks } as const;
	const creation = { method: 'POST', path: hooks } as const;

	test('says that the webhook is gone when it was deleted but not re-created', async () => {
		await blacklist([`${ownUrl}?event=updateTask&signature=${signature}`]);
		const body = { message: `${ownUrl}?signature=${signature} is slow` };
		service.control.addFault({ ...creation, kind: 'status', status: 422, body });

		const { error } = await reactivate(ownUrl);

		expect(error).toMatchObject({
			message: `The webhook ${ownUrl} for Delivery Updated is gone: it was deleted, not re-created. The Delivery Service rejected the request (status 422) [item 0]`,
			description: expect.stringMatching(
				/^Check with Webhook > Get Many\. If it is missing: .*publish it.*Webhook > Create\. The service says: .* is slow/,
			),
		});
		expect(JSON.stringify(error)).not.toContain(signature);
		expect(service.control.webhooks()).toEqual([]);
	});

	test('says how many webhooks were reactivated before a failed deletion', async () => {
		await blacklist(urls);
		service.control.addFault({ ...deletion, kind: 'status', status: 500, skip: 1 });

		const { error } = await reactivate('https://shop.example');

		expect(error?.message).toMatch(/\/b for Delivery Updated was not reactivated\. .*status 500/);
		expect(error?.description).toContain('Reactivated before it: 1 of 3.');
		expect(statusByUrl()).toEqual({
			'https://shop.example/a': 'Active',
			'https://shop.example/b': 'Banned',
			'https://shop.example/c': 'Banned',
		});
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'returns an error item for the failed webhook and reactivates the others with "%s"',
		async (onError) => {
			await blacklist(urls);
			service.control.addFault({ ...creation, kind: 'resetBefore', skip: 1 });

			const { error, outputs } = await reactivate('https://shop.example', { onError });

			const [regular = [], failed = []] = outputs;
			const errors = onError === 'continueErrorOutput' ? failed : regular.slice(1, 2);
			expect(error).toBeUndefined();
			expect(jsonOf(regular).filter(({ reactivated }) => reactivated)).toMatchObject([
				{ url: urls[0] },
				{ url: urls[2] },
			]);
			expect(jsonOf(errors)).toMatchObject([
				{
					error: {
						message: expect.stringContaining('is gone'),
						outcome: 'unsubscribed',
						url: urls[1],
						event: 'updateTask',
						action: 3,
					},
				},
			]);
		},
	);

	test('reports the error of the service when the list is rejected', async () => {
		service.control.addFault({ method: 'GET', path: hooks, kind: 'status', status: 401 });

		const { error } = await reactivate(ownUrl);

		expect(error).toMatchObject({
			httpCode: '401',
			message: 'The Delivery Service rejected the API key [item 0]',
		});
	});
});

test('reactivates one URL per item', async () => {
	await blacklist(['https://a.example/x', 'https://b.example/x', 'https://c.example/x']);

	const { items } = await reactivate('={{ $json.url }}', {
		items: [{ url: 'https://b.example' }, { url: 'https://a.example' }],
	});

	expect(jsonOf(items).map(({ url }) => url)).toEqual([
		'https://b.example/x',
		'https://a.example/x',
	]);
	expect(pairedItems(items)).toEqual([0, 1]);
});

describe('a published trigger', () => {
	const triggers = setUpTriggers();

	test("a published trigger receives events again after a reactivation with n8n's base URL", async () => {
		const trigger = await triggers.open();
		await trigger.activate();
		const { url } = triggers.hook(3);
		triggers.control.blacklist(url, 3);

		const { items } = await reactivate(new URL(trigger.url).origin, {
			credential: triggers.credential,
		});
		const postings = await triggers.control.fireEvent(3, updated);

		expect(jsonOf(items)).toMatchObject([{ url, reactivated: true }]);
		expect(postings).toMatchObject([{ url, status: 200 }]);
	});
});

describe('the example workflow', () => {
	const text = readFileSync(
		join(__dirname, '../../examples/repair-blacklisted-webhooks.json'),
		'utf8',
	);
	const example = z
		.custom<WorkflowJson>(
			(value) => z.object({ nodes: z.array(z.unknown()) }).safeParse(value).success,
		)
		.parse(JSON.parse(text));

	beforeAll(() => {
		for (const name of ['scheduleTrigger', 'stickyNote', 'emailSend'])
			addNodeType(`n8n-nodes-base.${name}`, {
				description: {
					displayName: name,
					name,
					group: name === 'scheduleTrigger' ? ['trigger'] : ['input'],
					version: [1, 1.2, 2.1],
					description: '',
					defaults: { name },
					inputs: name === 'emailSend' ? ['main'] : [],
					outputs: ['main'],
					properties: [],
				},
				async execute(this: IExecuteFunctions) {
					return await Promise.resolve([this.getInputData()]);
				},
			});
	});

	test("the example workflow reactivates the webhooks of this n8n, and no one else's", async () => {
		await blacklist(['https://n8n.shop.example/webhook/a/webhook', 'https://other.example/hook']);

		const { error, outputsOf } = await runWorkflow(example, {
			credentials: { deliveryServiceApi: service.credential },
			startNode: 'Every 15 Minutes',
			instanceUrl: 'https://n8n.shop.example',
		});

		expect(error).toBeUndefined();
		expect(jsonOf(outputsOf('Reactivate Webhooks')[0] ?? [])).toMatchObject([
			{ url: 'https://n8n.shop.example/webhook/a/webhook', reactivated: true },
		]);
		expect(statusByUrl()['https://other.example/hook']).toBe('Banned');
	});
});
