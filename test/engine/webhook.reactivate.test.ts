import { createServer } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { type RunNodeOptions } from '../support/engine/engine';
import { jsonOf, setUp } from '../support/actionNode';

const service = setUp();

const hooks = '/hooks/';
const ownUrl = 'https://n8n.shop.example/webhook/a/webhook';

type Hook = ReturnType<typeof service.control.webhooks>[number];

/** Subscribes URLs, then blacklists them in the service. */
async function blacklist(urls: readonly string[], action: Hook['action'] = 3): Promise<void> {
	for (const url of urls) {
		await service.subscribe(url, action);
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
			message: `The Delivery Service had stopped calling ${ownUrl} for Delivery Updated. It was reactivated. Events from before may be missing.`,
		},
		{
			url: `${ownUrl}?event=createTask&signature=def`,
			event: 'createTask',
			action: 1,
			reactivated: true,
			message: expect.stringContaining('for Delivery Created. It was reactivated.'),
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

	test('the URL prefix must be a web URL', async () => {
		await blacklist(all);

		const { error } = await reactivate('shop.example');

		expect(error?.message).toMatch(/^URL .*\[item 0\]$/);
		expect(Object.values(statusByUrl())).not.toContain('Active');
	});
});

describe('a URL of a trigger that nothing serves', () => {
	const calls: string[] = [];
	const n8n = createServer((request, response) => {
		calls.push(`${request.method}`);
		const [, status = '200'] = /(\d{3})/.exec(request.url ?? '') ?? [];
		response.writeHead(Number(status)).end();
	});
	let base = '';

	beforeAll(async () => {
		await new Promise<void>((resolve) => n8n.listen(0, '127.0.0.1', resolve));
		base = `http://127.0.0.1:${z.object({ port: z.number() }).parse(n8n.address()).port}`;
	});
	afterAll(() => n8n.close());

	test.each([
		[404, 'no published workflow uses it (status 404). Nothing to do.'],
		[401, 'its trigger rejects this URL (status 401). To replace it, unpublish'],
	])('is not reactivated but named (%d)', async (status, reason) => {
		calls.length = 0;
		const query = 'event=updateTask&workflow=w&signature=5e';
		const urls = [
			`${base}/${status}?${query}`,
			`${base}/200?${query}`,
			`${base}/${status}?by=hand`,
		];
		await blacklist(urls);

		const { items, error } = await reactivate(base);

		expect(error).toBeUndefined();
		expect(jsonOf(items)).toMatchObject([
			{ url: urls[0], reactivated: false, message: expect.stringContaining(reason) },
			{ url: urls[1], reactivated: true },
			{ url: urls[2], reactivated: true },
		]);
		expect(calls).toEqual(['HEAD', 'HEAD']);
		expect(statusByUrl()[urls[0] ?? '']).toBe('Banned');
	});

	test('is reactivated when n8n does not reach its own URL', async () => {
		await blacklist(['http://127.0.0.1:1/hook?event=updateTask&workflow=w']);

		const { items } = await reactivate('http://127.0.0.1:1/');

		expect(jsonOf(items)).toMatchObject([{ reactivated: true }]);
	});
});

describe('triggers of published workflows', () => {
	const credentials = { deliveryServiceApi: { id: 'deliveryServiceApi', name: 'Mine' } };
	const trigger = (more: IDataObject = {}): IDataObject => ({
		name: 'Trigger',
		type: 'n8n-nodes-delivery-service.deliveryServiceTrigger',
		webhookId: 'a',
		parameters: {},
		credentials,
		...more,
	});
	const workflow = (...nodes: IDataObject[]) => ({ id: 'w1', name: 'Updates', nodes });
	const check = async (workflows: IDataObject[], more: Partial<RunNodeOptions> = {}) =>
		await service.run(
			{
				resource: 'webhook',
				operation: 'reactivate',
				urlPrefix: 'https://n8n.shop.example',
				options: { publishedWorkflows: '={{ $json.workflows }}' },
			},
			{ items: [{ workflows }], ...more },
		);
	const urlOf = (event: string, path = 'a', id = 'w1') =>
		`https://n8n.shop.example/webhook/${path}/webhook?event=${event}&workflow=${id}&signature=5e`;

	test('names the events that each trigger does not get, and since when', async () => {
		await service.subscribe(urlOf('updateTask'), 3);
		await service.subscribe(urlOf('updateTask').replace('shop.example', 'old.example'), 3);
		await service.subscribe(urlOf('updateTask', 'b', 'w2'), 3);
		const all = { events: ['createTask', 'createRoute', 'updateTask'] };
		const other = trigger({ webhookId: 'b', parameters: all });

		const { items, error } = await check([workflow(trigger(), other)]);

		expect(error).toBeUndefined();
		expect(jsonOf(items)).toEqual([
			{
				workflowId: 'w1',
				workflow: 'Updates',
				trigger: 'Trigger',
				companyId: 1001,
				reason: 'missing',
				since: expect.stringMatching(/^20.*Z$/),
				message: expect.stringMatching(
					/^"Trigger" of the workflow "Updates" has had no webhook for Delivery Created, Route Created, Delivery Updated since 20[\d-]+ \d\d:\d\d, so .* To get them again, unpublish the workflow, then publish it /,
				),
			},
		]);
	});

	test.each([
		['selected events', {}],
		['events by an expression', { events: '={{ $json.events }}' }],
	])(
		'names the webhook at the URL before n8n moved, without its signature: %s',
		async (_, parameters) => {
			const old = urlOf('updateTask').replace('shop.example', 'old.example');
			await service.subscribe(old, 3);

			const { items } = await check([workflow(trigger({ parameters }))]);

			expect(jsonOf(items)).toMatchObject([
				{
					reason: 'missing',
					message: expect.stringMatching(
						/ at this URL of n8n since [^,]*, only at https:\/\/n8n\.old\.example\/webhook\/a\/webhook\. .*remove it with Webhook > Delete/,
					),
				},
			]);
		},
	);

	test('keeps the time at which a missing webhook was noticed', async () => {
		const since = '2026-01-02T03:04:00.000Z';

		const { items } = await check([workflow(trigger())], {
			staticData: { outages: { 'w1/a': since } },
		});

		expect(jsonOf(items)).toMatchObject([{ since }]);
	});

	test('checks and reactivates the webhooks of the companies of all triggers', async () => {
		await service.subscribe(urlOf('updateTask'), 3, 1002);
		service.control.blacklist(urlOf('updateTask'), 3);
		const ofChild = (webhookId: string) =>
			trigger({ webhookId, parameters: { options: { companyId: '1002' } } });

		const { items } = await check([workflow(ofChild('a'), ofChild('b'))]);

		expect(jsonOf(items)).toMatchObject([
			{ reactivated: true },
			{ reason: 'missing', companyId: 1002 },
		]);
		expect(methods()).toEqual(['POST', 'GET', 'GET', 'DELETE', 'POST']);
	});

	test('checks the other companies after the failure of one', async () => {
		const ofCompany = (companyId: string) => trigger({ parameters: { options: { companyId } } });
		const path = '/hooks/companies/1002';
		service.control.addFault({ kind: 'status', status: 500, method: 'GET', path, times: null });

		const { outputs } = await check([workflow(ofCompany('1002'), ofCompany('1003'))], {
			onError: 'continueErrorOutput',
		});

		const [regular = [], failed = []] = outputs;
		expect(jsonOf(regular)).toMatchObject([{ reason: 'missing', companyId: 1003 }]);
		expect(jsonOf(failed)).toMatchObject([{ message: expect.stringMatching(/^Company 1002: /) }]);
	});

	test('reads the published version, and leaves out disabled triggers and other nodes', async () => {
		const draft = workflow(trigger({ webhookId: 'draft' }));
		const published = [trigger({ disabled: true }), { name: 'Set', type: 'n8n-nodes-base.set' }];

		const { items, error } = await check([
			{ ...draft, activeVersion: { nodes: published } },
			{ error: 'n8n did not respond' },
		]);

		expect([items, error]).toEqual([[], undefined]);
	});

	test.each([
		[{ parameters: { options: { companyId: '={{ $vars.company }}' } } }],
		[{ credentials: { deliveryServiceApi: { id: '7', name: 'Other' } } }],
	])('names a trigger that only n8n can check: %j', async (more) => {
		const { items } = await check([workflow(trigger(more))]);

		expect(jsonOf(items)).toMatchObject([{ reason: 'notChecked', trigger: 'Trigger' }]);
	});

	test('accepts any webhook of a trigger whose events are an expression', async () => {
		const parameters = { events: '={{ $vars.events }}' };
		const run = async () => jsonOf((await check([workflow(trigger({ parameters }))])).items);
		expect(await run()).toMatchObject([{ reason: 'missing' }]);

		await service.subscribe(urlOf('createTask'), 1);

		expect(await run()).toEqual([]);
	});
});

describe('a failure', () => {
	const urls = ['a', 'b', 'c'].map((path) => `https://shop.example/${path}`);
	const signature = '5e'.repeat(32);
	const deletion = { method: 'DELETE', path: hooks } as const;
	const creation = { method: 'POST', path: hooks } as const;

	test('says that the webhook was deleted when it was not re-created', async () => {
		await blacklist([`${ownUrl}?event=updateTask&signature=${signature}`]);
		const body = { message: `${ownUrl}?signature=${signature} is slow` };
		service.control.addFault({ ...creation, kind: 'status', status: 422, body, times: 2 });

		const { error } = await reactivate(ownUrl);

		expect(error).toMatchObject({
			httpCode: '422',
			message: `The webhook ${ownUrl} for Delivery Updated was deleted, and may not have been re-created. The Delivery Service rejected the request (status 422) [item 0]`,
			description: expect.stringMatching(
				/^Check with Webhook > Get Many\. If it is missing: .*publish it.*Webhook > Create\. The service says: .* is slow/,
			),
		});
		expect(JSON.stringify(error)).not.toContain(signature);
		expect(service.control.webhooks()).toEqual([]);
	});

	test('subscribes once more after a failed subscription', async () => {
		await blacklist(urls);
		service.control.addFault({ ...creation, kind: 'status', status: 500, skip: 1 });

		const { items, error } = await reactivate('https://shop.example');

		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ reactivated }) => reactivated)).toEqual([true, true, true]);
		expect(Object.values(statusByUrl())).toEqual(['Active', 'Active', 'Active']);
	});

	test('says how many webhooks were reactivated before a failed deletion', async () => {
		await blacklist(urls);
		service.control.addFault({ ...deletion, kind: 'status', status: 500, skip: 1 });

		const { error } = await reactivate('https://shop.example');

		expect(error?.message).toMatch(
			/\/b for Delivery Updated was not reactivated, and may .*status 500/,
		);
		expect(error?.description).toContain('Reactivated before it: 1 of 3.');
		expect(statusByUrl()).toEqual({
			'https://shop.example/a': 'Active',
			'https://shop.example/b': 'Banned',
			'https://shop.example/c': 'Banned',
		});
	});

	test.each([
		['unsubscribed', 'may not have been re-created', { ...creation, kind: 'resetBefore' }],
		['unknown', 'and may have been deleted', { ...deletion, kind: 'resetAfter' }],
	] as const)('leaves the others with On Error: Continue (%s)', async (outcome, text, fault) => {
		await blacklist(urls);
		service.control.addFault({ ...fault, skip: 1, times: null });

		const { error, outputs } = await reactivate('https://shop.example', {
			onError: 'continueErrorOutput',
		});

		const [regular = [], failed = []] = outputs;
		expect(error).toBeUndefined();
		expect(jsonOf(regular)).toMatchObject([{ url: urls[0], reactivated: true }]);
		expect(statusByUrl()).toEqual({
			'https://shop.example/a': 'Active',
			'https://shop.example/c': 'Banned',
		});
		expect(jsonOf(failed)).toMatchObject([
			{
				error: {
					message: expect.stringContaining(text),
					outcome,
					url: urls[1],
					event: 'updateTask',
					action: 3,
				},
			},
		]);
	});
});
