/** Webhook: Repair, in n8n's engine against the local service. */
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
const own = 'https://n8n.shop.example/webhook/a/webhook';

type Hook = ReturnType<typeof service.control.webhooks>[number];

/** Subscribes URLs and has the service blacklist them. */
async function blacklist(urls: readonly string[], action: Hook['action'] = 3): Promise<void> {
	for (const url of urls) {
		const event = ['', 'createTask', 'createRoute', 'updateTask'][action] ?? '';
		const created = await service.run({ resource: 'webhook', operation: 'create', url, event });
		expect(created.error).toBeUndefined();
		service.control.blacklist(url, action);
	}
}

async function repair(url: string, more: Partial<RunNodeOptions> = {}) {
	return await service.run({ resource: 'webhook', operation: 'reactivate', urlPrefix: url }, more);
}

/** The statuses of the service's list by URL. */
function statuses(): Record<string, string> {
	return Object.fromEntries(service.control.webhooks().map(({ url, status }) => [url, status]));
}

test('says that a webhook is still blacklisted when the service confirms and changes nothing', async () => {
	await blacklist([own]);
	service.control.addFault({ kind: 'status', status: 200, method: 'DELETE', path: hooks });

	const { items, error } = await repair(own);

	expect(items).toEqual([]);
	expect(error).toMatchObject({
		message: expect.stringMatching(/was not repaired: .* still lists it as blacklisted/),
		description: expect.stringContaining('It is still blacklisted'),
	});
	expect(statuses()).toEqual({ [own]: 'Banned' });
});

test('makes each matching blacklisted subscription anew, one item each', async () => {
	await blacklist([`${own}?event=updateTask&signature=abc`]);
	await blacklist([`${own}?event=createTask&signature=def`], 1);

	const { items, error } = await repair('https://n8n.shop.example/');

	expect(error).toBeUndefined();
	expect(jsonOf(items)).toEqual([
		{
			url: `${own}?event=updateTask&signature=abc`,
			event: 'updateTask',
			action: 3,
			reactivated: true,
		},
		{
			url: `${own}?event=createTask&signature=def`,
			event: 'createTask',
			action: 1,
			reactivated: true,
		},
	]);
	expect(Object.values(statuses())).toEqual(['Active', 'Active']);
	expect(
		service
			.received()
			.slice(-6)
			.map(({ method }) => method),
	).toEqual(['DELETE', 'POST', 'GET', 'DELETE', 'POST', 'GET']);
});

test('gives nothing and changes nothing when none is blacklisted', async () => {
	await service.run({ resource: 'webhook', operation: 'create', url: own, event: 'updateTask' });
	const before = service.received().length;

	const { items } = await repair(own);

	expect(items).toEqual([]);
	expect(
		service
			.received()
			.slice(before)
			.map(({ method }) => method),
	).toEqual(['GET']);
});

describe('which subscriptions match', () => {
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
	])('%s: the URL itself, and what is below it', async (url, expected) => {
		await blacklist(all);

		const { items } = await repair(url);

		expect(jsonOf(items).map((item) => item.url)).toEqual(expected.map((index) => all[index]));
		expect(Object.values(statuses()).filter((status) => status === 'Banned')).toHaveLength(
			all.length - expected.length,
		);
	});

	test.each(['={{ "" }}', 'shop.example', '={{ null }}'])(
		'needs a web address: %j',
		async (url) => {
			await blacklist(all);

			const { error } = await repair(url);

			expect(error?.message).toMatch(/^URL .*\[item 0\]$/);
			expect(Object.values(statuses())).not.toContain('Active');
		},
	);

	test('are those of the company in the options', async () => {
		await blacklist([own]);
		const { items } = await service.run({
			resource: 'webhook',
			operation: 'reactivate',
			url: own,
			options: { companyId: '1002' },
		});

		expect(items).toEqual([]);
	});
});

test('takes a list as it is: what is no URL never matches, and an event needs no name', async () => {
	const body = [
		{ url: 'not a URL', action: 3, status: 'Banned' },
		{ url: own, action: 9, status: 'Banned' },
	];
	service.control.addFault({ kind: 'status', status: 200, method: 'GET', path: hooks, body });

	const { error } = await repair(own, {});

	// The local service refuses the event, as a service may that lists more than it takes.
	expect(error?.message).toContain(`The webhook ${own} for event 9 was not repaired`);
	expect(error?.description).toContain('Repaired before it: 0 of 1.');
});

describe('a failure', () => {
	const urls = ['a', 'b', 'c'].map((path) => `https://shop.example/${path}`);
	const remove = { method: 'DELETE', path: hooks };
	const subscribe = { method: 'POST', path: hooks };
	/** A subscription that is confirmed, and not made. */
	const confirmed = { ...subscribe, kind: 'status', status: 200, body: { code: 'OK' } } as const;
	const list = { method: 'GET', path: hooks };

	test('to remove leaves it blacklisted, and the error says so', async () => {
		await blacklist(urls);
		service.control.addFault({ ...remove, kind: 'status', status: 500, skip: 1 });

		const { error, items } = await repair('https://shop.example');

		expect(error).toMatchObject({
			message:
				'The webhook https://shop.example/b for updateTask was not repaired: The Delivery Service returned a server error (status 500) [item 0]',
			description: expect.stringMatching(
				/^It is still blacklisted; nothing was changed\..*Repaired before it: 1 of 3\.$/,
			),
		});
		expect(items).toEqual([]);
		expect(statuses()).toEqual({
			'https://shop.example/a': 'Active',
			'https://shop.example/b': 'Banned',
			'https://shop.example/c': 'Banned',
		});
	});

	test('to subscribe says that it is gone now, and how to make it', async () => {
		await blacklist(urls.slice(0, 1));
		service.control.addFault({ ...subscribe, kind: 'status', status: 503, times: 2 });

		const { error } = await repair('https://shop.example');

		expect(error?.description).toMatch(
			/^It was removed but could not be made anew.*Webhook > Create.*unpublish the workflow, then publish it/,
		);
		expect(statuses()).toEqual({});
	});

	describe('that is answered as a success', () => {
		test('is told when the list never shows it, with what to do', async () => {
			await blacklist(urls.slice(0, 1));
			service.control.addFault({ ...confirmed, times: 2 });

			const { error, items } = await repair('https://shop.example');

			expect(items).toEqual([]);
			expect(error).toMatchObject({
				message:
					'The webhook https://shop.example/a for updateTask was not repaired: the Delivery Service confirmed the new subscription, but does not list it [item 0]',
				description: expect.stringMatching(/^It was removed.*Webhook > Create/),
			});
			expect(statuses()).toEqual({});
		});

		test('is repaired as far as anybody knows when the list cannot be read', async () => {
			await blacklist(urls.slice(0, 1));
			service.control.addFault({ ...list, kind: 'status', status: 503, skip: 1 });

			const { error, items } = await repair('https://shop.example');

			expect(error).toBeUndefined();
			expect(jsonOf(items)).toMatchObject([{ url: urls[0], reactivated: true }]);
		});
	});

	test('that cannot be looked into says that the state is not known', async () => {
		await blacklist(urls.slice(0, 1));
		service.control.addFault({ ...subscribe, kind: 'resetAfter' });
		service.control.addFault({ ...list, kind: 'status', status: 503, skip: 1 });

		const { error } = await repair('https://shop.example');

		expect(error?.description).toMatch(/it may be subscribed or not.*Get Many/);
	});

	test.each([
		['the removal was done, its answer lost', { ...remove, kind: 'resetAfter' } as const],
		['the subscription was done, its answer lost', { ...subscribe, kind: 'resetAfter' } as const],
		['the subscription failed once', { ...subscribe, kind: 'status', status: 500 } as const],
		['the subscription broke off', { ...subscribe, kind: 'resetBefore' } as const],
		['the subscription was confirmed, and not made', confirmed],
	])('that the list shows to be none is repaired: %s', async (_, fault) => {
		await blacklist(urls);
		service.control.addFault(fault);

		const { error, items } = await repair('https://shop.example');

		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ url }) => url)).toEqual(urls);
		expect(statuses()).toEqual(Object.fromEntries(urls.map((url) => [url, 'Active'])));
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'becomes an error item of its own with "%s", and the others go on',
		async (onError) => {
			await blacklist(urls);
			service.control.addFault({ ...remove, kind: 'status', status: 500, skip: 1 });

			const { error, outputs } = await repair('https://shop.example', { onError });

			const [regular = [], failed = []] = outputs;
			const errors = onError === 'continueErrorOutput' ? failed : regular.slice(1, 2);
			expect(error).toBeUndefined();
			expect(jsonOf(regular).filter(({ reactivated }) => reactivated)).toMatchObject([
				{ url: urls[0] },
				{ url: urls[2] },
			]);
			expect(errors).toMatchObject([
				{
					json: {
						error: {
							message: expect.stringContaining('was not repaired'),
							description: expect.stringContaining('still blacklisted'),
							outcome: 'blacklisted',
							url: urls[1],
							event: 'updateTask',
							action: 3,
						},
					},
				},
			]);
		},
	);

	test('does not show a signature in its message', async () => {
		await blacklist([`${own}?event=updateTask&signature=abc`]);
		service.control.addFault({ ...remove, kind: 'status', status: 500 });

		const { error } = await repair(own);

		expect(error?.message).toContain(own);
		expect(error?.message).not.toContain('signature');
	});

	test('to list is told as it is', async () => {
		service.control.addFault({ ...list, kind: 'status', status: 401 });

		const { error } = await repair(own);

		expect(error).toMatchObject({
			httpCode: '401',
			message: 'The Delivery Service rejected the API key [item 0]',
		});
	});
});

test('takes several URLs, one an item', async () => {
	await blacklist(['https://a.example/x', 'https://b.example/x', 'https://c.example/x']);

	const { items } = await repair('={{ $json.url }}', {
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

	test('works again after a repair with the address of n8n alone', async () => {
		const trigger = await triggers.open();
		await trigger.activate();
		const { url } = triggers.hook(3);
		triggers.control.blacklist(url, 3);

		const { items } = await repair(new URL(trigger.url).origin, {
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
		for (const name of ['scheduleTrigger', 'stickyNote'])
			addNodeType(`n8n-nodes-base.${name}`, {
				description: {
					displayName: name,
					name,
					group: name === 'stickyNote' ? ['input'] : ['trigger'],
					version: [1, 1.2],
					description: '',
					defaults: { name },
					inputs: [],
					outputs: ['main'],
					properties: [],
				},
				async execute(this: IExecuteFunctions) {
					return await Promise.resolve([this.getInputData()]);
				},
			});
	});

	test("repairs the webhooks of this n8n, and no one else's", async () => {
		await blacklist(['https://n8n.shop.example/webhook/a/webhook', 'https://other.example/hook']);

		const { error, outputsOf } = await runWorkflow(example, {
			credentials: { deliveryServiceApi: service.credential },
			startNode: 'Every 15 minutes',
			instanceUrl: 'https://n8n.shop.example',
		});

		expect(error).toBeUndefined();
		expect(jsonOf(outputsOf('Repair webhooks')[0] ?? [])).toMatchObject([
			{ url: 'https://n8n.shop.example/webhook/a/webhook', reactivated: true },
		]);
		expect(statuses()['https://other.example/hook']).toBe('Banned');
	});
});
