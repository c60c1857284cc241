/** The operation Webhook: Reactivate, in n8n's engine against the local service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { realClock } from '../../nodes/DeliveryService/common/clock';
import { placeholderFor } from '../../nodes/DeliveryService/operations/webhook/placeholders';
import {
	addNodeType,
	runWorkflow,
	type RunNodeOptions,
	type WorkflowJson,
} from '../support/engine/engine';
import { jsonOf, pairedItems, setUp } from '../support/actionNode';
import { setUpTriggers, updated } from '../support/triggerNode';

const service = setUp();

// Waits for a list that shows a change late take no time.
beforeEach(
	() => void jest.spyOn(realClock, 'wait').mockImplementation(async () => await nextTurn()),
);
afterEach(() => jest.restoreAllMocks());

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

/** The webhooks at the service, without the placeholders of a reactivation. */
function withoutPlaceholders(): Hook[] {
	return service.control.webhooks().filter(({ url }) => !url.includes('/reactivating/'));
}

/** The statuses in the service's list, by URL. */
function statusByUrl(): Record<string, string> {
	return Object.fromEntries(service.control.webhooks().map(({ url, status }) => [url, status]));
}

test('creates no second webhook when the service confirms a deletion but still lists the webhook', async () => {
	await blacklist([ownUrl]);
	const ignored = { kind: 'status', status: 200, method: 'DELETE', path: hooks } as const;
	service.control.addFault(ignored);

	const { items, error } = await reactivate(ownUrl);

	expect(items).toEqual([]);
	expect(error).toMatchObject({
		message: expect.stringMatching(
			/was not reactivated: .* still lists the webhook as blacklisted/,
		),
		description:
			'Run Reactivate again later. It re-creates the webhook as soon as the service has deleted it.',
	});
	expect(withoutPlaceholders()).toMatchObject([{ url: ownUrl, status: 'Banned' }]);
	expect(jsonOf((await reactivate(ownUrl)).items)).toMatchObject([{ url: ownUrl }]);
	expect(service.control.webhooks()).toMatchObject([{ url: ownUrl, status: 'Active' }]);
});

test('says that nothing was changed when the service does not find the webhook that it lists', async () => {
	await blacklist([ownUrl]);
	service.control.addFault({ kind: 'status', status: 404, method: 'DELETE', path: hooks });

	const { error } = await reactivate(ownUrl);

	expect(error).toMatchObject({
		message: expect.stringContaining(
			'lists the webhook, but says that it does not exist when asked to delete it (status 404)',
		),
		description: expect.stringContaining('nothing was changed'),
	});
	expect(statusByUrl()).toEqual({ [ownUrl]: 'Banned' });
});

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
	expect(
		service
			.received()
			.slice(-16)
			.map(({ method }) => method),
	).toEqual(
		[1, 2].flatMap(() => ['POST', 'GET', 'DELETE', 'GET', 'POST', 'GET', 'DELETE', 'DELETE']),
	);
});

test('returns no items and changes nothing when no webhook is blacklisted', async () => {
	await service.run({ resource: 'webhook', operation: 'create', url: ownUrl, event: 'updateTask' });
	const before = service.received().length;

	const { items } = await reactivate(ownUrl);

	expect(items).toEqual([]);
	expect(
		service
			.received()
			.slice(before)
			.map(({ method }) => method),
	).toEqual(['GET']);
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

test('ignores invalid URLs in the list, and handles undocumented events', async () => {
	const body = [
		{ url: 'not a URL', action: 3, status: 'Banned' },
		{ url: ownUrl, action: 9, status: 'Banned' },
	];
	service.control.addFault({ kind: 'status', status: 200, method: 'GET', path: hooks, body });

	const { error } = await reactivate(ownUrl, {});

	// The local service lists this event but rejects it, as the real one may do.
	expect(error?.message).toContain(`The webhook ${ownUrl} for event 9 was not reactivated`);
	expect(error?.description).not.toContain('Reactivated before it');
});

describe('a failure', () => {
	const urls = ['a', 'b', 'c'].map((path) => `https://shop.example/${path}`);
	const deletion = { method: 'DELETE', path: hooks };
	const creation = { method: 'POST', path: hooks };
	/** A creation that is confirmed but not done. */
	const falseConfirmation = {
		...creation,
		kind: 'status',
		status: 200,
		body: { code: 'OK' },
	} as const;
	const listing = { method: 'GET', path: hooks };

	test('leaves the webhook blacklisted when the deletion fails, and says so', async () => {
		await blacklist(urls);
		service.control.addFault({ ...deletion, kind: 'status', status: 500, skip: 3 });

		const { error, items } = await reactivate('https://shop.example');

		expect(error).toMatchObject({
			message:
				'The webhook https://shop.example/b for updateTask was not reactivated: The Delivery Service returned a server error (status 500) [item 0]',
			description: expect.stringMatching(
				/^It is still blacklisted, and nothing was changed\..*Reactivated before it: 1 of 3\.$/,
			),
		});
		expect(items).toEqual([]);
		expect(statusByUrl()).toEqual({
			'https://shop.example/a': 'Active',
			'https://shop.example/b': 'Banned',
			'https://shop.example/c': 'Banned',
		});
	});

	test('changes nothing when the service creates no webhooks', async () => {
		await blacklist(urls.slice(0, 1));
		service.control.addFault({ ...creation, kind: 'status', status: 503, times: 3 });

		const { error } = await reactivate('https://shop.example');

		expect(error?.description).toMatch(/^It is still blacklisted, and nothing was changed\./);
		expect(service.received('DELETE')).not.toContainEqual(
			expect.objectContaining({ body: expect.objectContaining({ url: urls[0] }) }),
		);
		expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Banned' });
	});

	test('says how to re-create the webhook when the service allows one per event and rejects it', async () => {
		await blacklist(urls.slice(0, 1));
		service.control.addFault({ ...creation, kind: 'status', status: 409 });
		service.control.addFault({ ...creation, kind: 'status', status: 503, times: 2 });

		const { error } = await reactivate('https://shop.example');

		expect(error?.description).toMatch(
			/^It was deleted but could not be re-created.*Webhook > Create.*unpublish the workflow, then publish it/,
		);
		expect(statusByUrl()).toEqual({});
	});

	test.each([400, 409, 422])(
		'reactivates a webhook although the service rejects its placeholder with %d',
		async (status) => {
			await blacklist(urls.slice(0, 1));
			service.control.addFault({ ...creation, kind: 'status', status });

			const { items } = await reactivate('https://shop.example');

			expect(jsonOf(items)).toMatchObject([{ url: urls[0], reactivated: true }]);
			expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Active' });
		},
	);

	test.each([
		['rejects it with an error', { ...creation, kind: 'status', status: 500, times: 2 } as const],
		['confirms it but never lists it', falseConfirmation],
	])(
		'reactivates a webhook although the service creates no placeholder: it %s',
		async (_, fault) => {
			await blacklist(urls.slice(0, 1));
			service.control.addFault(fault);

			const { items, error } = await reactivate('https://shop.example');

			expect(error).toBeUndefined();
			expect(jsonOf(items)).toMatchObject([{ url: urls[0], reactivated: true }]);
			expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Active' });
			const placeholder = placeholderFor({ url: urls[0] ?? '', action: 3 })?.url;
			// A confirmed placeholder may be listed later, so no second one is created.
			expect(
				service
					.received('POST')
					.filter(({ body }) => z.object({ url: z.string() }).parse(body).url === placeholder),
			).toHaveLength(fault.status === 500 ? 2 : 1);
		},
	);

	test('leaves no placeholder behind when the service creates it but lists nothing', async () => {
		await blacklist(urls.slice(0, 1));
		// The list of the run is complete; then the placeholder and the probe are never listed.
		service.control.addFault({
			...listing,
			kind: 'status',
			status: 200,
			body: [],
			skip: 1,
			times: 20,
		});

		const { error } = await reactivate('https://shop.example');

		expect(error?.description).toMatch(/^It is still blacklisted, and nothing was changed\./);
		expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Banned' });
	});

	test('reactivates a webhook whose placeholder would be too long for the service', async () => {
		const long = `https://shop.example/${'a'.repeat(230)}`;
		await blacklist([long]);

		const { items } = await reactivate('https://shop.example');

		expect(jsonOf(items)).toMatchObject([{ url: long, reactivated: true }]);
		expect(statusByUrl()).toEqual({ [long]: 'Active' });
		expect(
			service
				.received('POST')
				.map(({ body }) => z.object({ url: z.string() }).parse(body).url.length)
				.every((length) => length <= 255),
		).toBe(true);
	});

	test('never reactivates a placeholder that the service has cut off', async () => {
		const { url } = placeholderFor({ url: ownUrl, action: 3 }) ?? { url: '' };
		await blacklist([url.slice(0, -3)]);

		expect((await reactivate('https://n8n.shop.example')).items).toEqual([]);
	});

	describe('between the deletion and the creation', () => {
		/** Deletes a blacklisted webhook, and fails to create it again. */
		async function loseWebhook(): Promise<void> {
			await blacklist(urls.slice(0, 1));
			service.control.addFault({ ...creation, kind: 'status', status: 503, skip: 1, times: 2 });
			const { error } = await reactivate('https://shop.example');
			expect(error).toMatchObject({
				message: expect.stringContaining('was not reactivated'),
				description: expect.stringMatching(/^It was deleted but not re-created.*Reactivate again/),
			});
			expect(withoutPlaceholders()).toEqual([]);
		}

		test('the next run re-creates a webhook that a run has deleted and not re-created', async () => {
			await loseWebhook();

			const { items, error } = await reactivate('https://shop.example');

			expect(error).toBeUndefined();
			expect(jsonOf(items)).toEqual([
				{ url: urls[0], event: 'updateTask', action: 3, reactivated: true },
			]);
			expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Active' });
		});

		test('a run with another URL prefix does not re-create the webhook', async () => {
			await loseWebhook();
			const before = service.received().length;

			expect((await reactivate('https://other.example')).items).toEqual([]);

			expect(service.received().slice(before)).toHaveLength(1);
		});

		test('the next run only removes the placeholder if the webhook was re-created elsewhere', async () => {
			await loseWebhook();
			await service.subscribe(urls[0] ?? '', 3);

			expect((await reactivate('https://shop.example')).items).toEqual([]);

			expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Active' });
		});

		test('creates one webhook when the list shows it some seconds late', async () => {
			await blacklist(urls.slice(0, 1));
			const late = { ...listing, kind: 'status', status: 200 } as const;
			// The list of the run, with the placeholder, and after the deletion; then it lags.
			service.control.addFault({ ...late, body: [], skip: 3, times: 4 });

			const { error } = await reactivate('https://shop.example');

			expect(error?.message).toContain('confirmed the new webhook but does not list it');
			expect((await reactivate('https://shop.example')).items).toEqual([]);
			expect(service.control.webhooks()).toMatchObject([{ url: urls[0], status: 'Active' }]);
		});
	});

	describe('after a false confirmation', () => {
		test('changes nothing when the service confirms a creation but never lists the webhook', async () => {
			await blacklist(urls.slice(0, 1));
			service.control.addFault({ kind: 'status', status: 200, method: 'POST', times: null });

			const { error, items } = await reactivate('https://shop.example');

			expect(items).toEqual([]);
			expect(error).toMatchObject({
				message:
					'The webhook https://shop.example/a for updateTask was not reactivated: the Delivery Service confirmed the new webhook but does not list it [item 0]',
				description: expect.stringContaining('nothing was changed'),
			});
			expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Banned' });
		});

		test('trusts the confirmation when the list cannot be read', async () => {
			await blacklist(urls.slice(0, 1));
			service.control.addFault({ ...listing, kind: 'status', status: 503, skip: 3 });

			const { error, items } = await reactivate('https://shop.example');

			expect(error).toBeUndefined();
			expect(jsonOf(items)).toMatchObject([{ url: urls[0], reactivated: true }]);
		});
	});

	test('says that the state is unknown when the list cannot be read', async () => {
		await blacklist(urls.slice(0, 1));
		service.control.addFault({ ...creation, kind: 'resetAfter', skip: 1 });
		service.control.addFault({ ...listing, kind: 'status', status: 503, skip: 3 });

		const { error } = await reactivate('https://shop.example');

		expect(error?.description).toMatch(/the webhook may or may not exist.*Run Reactivate again/);
		expect((await reactivate('https://shop.example')).error).toBeUndefined();
		expect(statusByUrl()).toEqual({ [urls[0] ?? '']: 'Active' });
	});

	test.each([
		['the deletion was done but its response lost', { ...deletion, kind: 'resetAfter' } as const],
		[
			'the placeholder was made but its response lost',
			{ ...creation, kind: 'resetAfter' } as const,
		],
		['the placeholder failed once', { ...creation, kind: 'status', status: 500 } as const],
		[
			'the connection broke before the placeholder was made',
			{ ...creation, kind: 'resetBefore' } as const,
		],
		['the placeholder was confirmed but not made', falseConfirmation],
		[
			'the creation was done but its response lost, after that of the placeholder',
			{ ...creation, kind: 'resetAfter', skip: 1 } as const,
		],
		['the creation failed once', { ...creation, kind: 'status', status: 500, skip: 1 } as const],
	])(
		'reactivates all webhooks when the list shows the real state: %s',
		async (_, fault) => {
			await blacklist(urls);
			service.control.addFault(fault);

			const { error, items } = await reactivate('https://shop.example');

			expect(error).toBeUndefined();
			expect(jsonOf(items).map(({ url }) => url)).toEqual(urls);
			expect(statusByUrl()).toEqual(Object.fromEntries(urls.map((url) => [url, 'Active'])));
		},
		30_000,
	);

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'returns an error item for the failed webhook and reactivates the others with "%s"',
		async (onError) => {
			await blacklist(urls);
			service.control.addFault({ ...deletion, kind: 'status', status: 500, skip: 3 });

			const { error, outputs } = await reactivate('https://shop.example', { onError });

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
							message: expect.stringContaining('was not reactivated'),
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

	test('shows no URL signature in the message of a failure', async () => {
		await blacklist([`${ownUrl}?event=updateTask&signature=abc`]);
		service.control.addFault({ ...deletion, kind: 'status', status: 500 });

		const { error } = await reactivate(ownUrl);

		expect(error?.message).toContain(ownUrl);
		expect(error?.message).not.toContain('signature');
	});

	test('reports the error of the service when the list is rejected', async () => {
		service.control.addFault({ ...listing, kind: 'status', status: 401 });

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

	test('does not reactivate a webhook whose workflow is not published, and says so', async () => {
		const trigger = await triggers.open();
		await trigger.activate();
		const { url } = triggers.hook(3);
		await trigger.deactivate();
		await triggers.subscribe(url);
		const testUrl = url.replace('/webhook/', '/webhook-test/');
		await triggers.subscribe(testUrl, 1);
		triggers.control.blacklist(url, 3);
		triggers.control.blacklist(testUrl, 1);
		const before = triggers.requests().length;

		const { items, hints } = await reactivate(new URL(trigger.url).origin, {
			credential: triggers.credential,
		});

		expect(items).toEqual([]);
		expect(triggers.requests().slice(before)).toEqual(['GET']);
		expect(hints).toMatchObject([
			{
				message: expect.stringMatching(
					/^2 blacklisted webhooks were not reactivated because no published workflow uses their URLs: .*\/webhook for updateTask, .* for createTask\. Delete them/,
				),
			},
		]);
		expect(hints[0]?.message).not.toContain('signature');
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
