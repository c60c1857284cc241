import { z } from 'zod';

import { deepCopy, type INodeParameters } from 'n8n-workflow';

import type { CredentialData } from '../support/engine/engine';
import { setUpTriggers, itemsOf, updated } from '../support/triggerNode';

const service = setUpTriggers();
const { open, list, hook, subscribe } = service;
const every = { events: ['createTask', 'createRoute', 'updateTask'] };
const hooks = '/hooks/';

function signedUrl(event: string, url: string): unknown {
	return expect.stringMatching(
		new RegExp(
			`^${url.replaceAll('.', '\\.')}\\?event=${event}&workflow=[a-z]+&signature=[0-9a-f]{64}$`,
		),
	);
}

describe('publishing', () => {
	test('subscribes one signed URL per event, and unpublishing removes exactly these', async () => {
		const trigger = await open(every);

		await trigger.activate();
		const published = list();
		const failure = await trigger.deactivate();

		expect(published).toEqual([
			{ url: signedUrl('createTask', trigger.url), action: 1, status: 'Active' },
			{ url: signedUrl('createRoute', trigger.url), action: 2, status: 'Active' },
			{ url: signedUrl('updateTask', trigger.url), action: 3, status: 'Active' },
		]);
		expect(failure).toBeUndefined();
		expect(list()).toEqual([]);
		expect(service.warnings()).toEqual([]);
	});

	test('creates only missing subscriptions', async () => {
		const trigger = await open({ events: ['createTask'] });
		await trigger.create();
		const other = await open({ events: ['createTask', 'updateTask'] });

		await other.activate();

		expect(list()).toHaveLength(2);
		expect(service.requests().filter((method) => method === 'POST')).toHaveLength(2);
	});

	test('subscribes for the company in the options', async () => {
		const trigger = await open({ options: { companyId: '1002' } });

		await trigger.activate();
		const published = service.control.webhooks();
		await trigger.deactivate();

		expect(published).toMatchObject([{ companyId: 1002 }]);
		expect(service.control.webhooks()).toEqual([]);
	});

	test('subscribes unsigned URLs when Verify Caller is off', async () => {
		const trigger = await open({ options: { verifyCaller: false } });

		await trigger.activate();
		const published = list();
		await trigger.deactivate();

		expect(published.map(({ url }) => url)).toEqual([
			`${trigger.url}?event=updateTask&workflow=workflow`,
		]);
		expect(list()).toEqual([]);
	});
});

describe('listening for a test event', () => {
	test('subscribes the test URLs, and stopping removes them', async () => {
		const trigger = await open(every);

		await trigger.listen();
		const listening = list();
		const failure = await trigger.stopListening();

		expect(listening.map(({ url }) => url)).toEqual([
			signedUrl('createTask', trigger.testUrl),
			signedUrl('createRoute', trigger.testUrl),
			signedUrl('updateTask', trigger.testUrl),
		]);
		expect(failure).toBeUndefined();
		expect(list()).toEqual([]);
	});

	test('continues after a rejected call', async () => {
		const trigger = await open();
		await trigger.listen();

		const { status } = await trigger.receive({ url: trigger.testUrl, body: updated });

		expect(status).toBe(401);
		expect(trigger.listening).toBe(true);
		expect(list()).toHaveLength(1);
	});

	test('keeps the live subscription, and unpublishing keeps that of the test', async () => {
		const trigger = await open();
		await trigger.activate();
		await trigger.listen();
		const both = list();
		await trigger.stopListening();
		const live = list();
		await trigger.listen();
		await trigger.deactivate();

		expect(both).toHaveLength(2);
		expect(live.map(({ url }) => url)).toEqual([signedUrl('updateTask', trigger.url)]);
		expect(list().map(({ url }) => url)).toEqual([signedUrl('updateTask', trigger.testUrl)]);
	});
});

test('publishing replaces the URLs of a previous API secret, creating the new ones first', async () => {
	const trigger = await open(every);
	const other = await open({}, { workflowId: 'other' });
	await other.activate();
	const old = `${trigger.url}?event=updateTask&workflow=workflow&signature=${'5e'.repeat(32)}`;
	await subscribe(old);

	await trigger.activate();

	expect(list().map(({ url }) => url)).toEqual([
		signedUrl('createTask', trigger.url),
		signedUrl('createRoute', trigger.url),
		...[other.url, trigger.url].sort().map((url) => signedUrl('updateTask', url)),
	]);
	expect(service.requests().slice(-5)).toEqual(['GET', 'POST', 'POST', 'POST', 'DELETE']);
	expect((await trigger.receive({ url: old, body: updated })).status).toBe(401);
});

test('rejects the earlier URLs with 401 when the host of the Base URL changes', async () => {
	const credential: CredentialData = { ...service.credential };
	const trigger = await open({}, { credential });
	await trigger.activate();
	credential.baseUrl = service.credential.baseUrl.replace('127.0.0.1', 'localhost');

	expect((await trigger.receive({ url: hook(3).url, body: updated })).status).toBe(401);
	await trigger.activate();
	expect((await trigger.receive({ url: hook(3).url, body: updated })).status).toBe(200);
	expect(list()).toHaveLength(1);
});

test('fails and keeps nothing when the service reports a conflict (409)', async () => {
	const trigger = await open(every);
	service.control.addFault({ kind: 'status', status: 409, method: 'POST', path: hooks, skip: 1 });

	await expect(trigger.create()).rejects.toThrow(/Delivery Service .*409.*Webhook > Get Many/);

	expect(list()).toEqual([]);
});

test('a copy of a workflow neither removes the subscriptions of the original nor accepts its calls', async () => {
	const trigger = await open(every);
	await trigger.activate();
	const before = list();
	const { staticData } = trigger;
	const copy = await open(every, {
		workflowId: 'copy',
		webhookId: 'webhook-of-workflow',
		staticData: deepCopy(staticData),
	});

	await copy.delete();
	const after = list();
	await trigger.deactivate();
	copy.staticData = deepCopy(staticData);
	await copy.activate();

	expect(after).toEqual(before);
	expect((await copy.receive({ url: before[2]?.url, body: updated })).status).toBe(401);
	expect((await copy.receive({ url: hook(3).url, body: updated })).status).toBe(200);
});

test('never changes subscriptions of others, however similar', async () => {
	const trigger = await open(every);
	const similar = [
		trigger.url,
		`${trigger.url}/`,
		`${trigger.url}2?event=updateTask`,
		`${trigger.url}?event=updateTask&mine=1`,
		`${trigger.url}?event=deleteTask`,
		`${trigger.url}?event=updateTask&signature=mine`,
		`${trigger.url}?event=updateTask&workflow=another`,
		`${trigger.url}?event=updateTask&workflow=another&signature=${'0a'.repeat(32)}`,
		trigger.testUrl,
		'https://shop.example/hook',
	];
	for (const url of similar) await subscribe(url);
	const before = list();

	await trigger.activate();
	await trigger.activate('init');
	await trigger.republish({ events: ['createTask'] });
	await trigger.listen();
	await trigger.stopListening();
	await trigger.deactivate();

	expect(before).toHaveLength(similar.length);
	expect(list()).toEqual(before);
});

describe('publishing with blacklisted webhooks', () => {
	test.each(['activate', 'init'] as const)(
		're-creates a blacklisted webhook on "%s" and logs it',
		async (mode) => {
			const trigger = await open({ events: ['createTask', 'updateTask'] });
			await trigger.create();
			service.control.blacklist(hook(3).url, 3);

			await trigger.activate(mode);
			const received = await trigger.receive({ url: hook(3).url, body: updated });

			expect(list().map(({ status }) => status)).toEqual(['Active', 'Active']);
			expect(service.warnings().join()).toContain(
				'had blacklisted the webhook for Delivery Updated',
			);
			expect(itemsOf(received)).toEqual([{ event: 'updateTask', ...updated }]);
		},
	);

	test('fails if a blacklisted webhook is not removed: created again, it would stay blacklisted', async () => {
		const trigger = await open();
		await trigger.create();
		service.control.blacklist(hook(3).url, 3);
		service.control.addFault({ kind: 'status', status: 500, method: 'DELETE', path: hooks });

		await expect(trigger.activate()).rejects.toThrow('server error (status 500)');

		expect(service.requests().filter((method) => method === 'POST')).toHaveLength(1);
	});
});

describe('a failure while publishing', () => {
	test('publishes when an old webhook is not removed, and logs it', async () => {
		const trigger = await open();
		await subscribe(`${trigger.url}?event=createTask&workflow=workflow`, 1);
		service.control.addFault({ kind: 'status', status: 500, method: 'DELETE', path: hooks });

		await trigger.activate();

		expect(list().map(({ action }) => action)).toEqual([1, 3]);
		expect(service.warnings().join()).toMatch(
			/may remain .*\/webhook for Delivery Created\): .*status 500.*They can't trigger the workflow/,
		);
	});

	test('logs that an old webhook triggers the workflow while Verify Caller is off', async () => {
		const trigger = await open({ options: { verifyCaller: false } });
		const signature = '5e'.repeat(32);
		await subscribe(`${trigger.url}?event=updateTask&workflow=workflow&signature=${signature}`);
		service.control.addFault({ kind: 'status', status: 500, method: 'DELETE', path: hooks });

		await trigger.activate();

		expect(list()).toHaveLength(2);
		expect(service.warnings().join()).toMatch(
			/may remain .*While Verify Caller is off, their events also trigger this workflow/,
		);
	});
});

describe('unpublishing', () => {
	test('unpublishes when a subscription no longer exists', async () => {
		const trigger = await open(every);
		await trigger.activate();
		const { control } = service;
		control.addFault({ kind: 'statusAfter', status: 404, method: 'DELETE', path: hooks });

		expect(await trigger.deactivate()).toBeUndefined();
		expect(list()).toEqual([]);
		expect(service.warnings()).toEqual([]);
	});

	test('removes known webhooks when listing fails, and logs that others may remain', async () => {
		const trigger = await open(every);
		await trigger.activate();
		service.control.addFault({ kind: 'status', status: 500, method: 'GET', path: hooks });

		expect(await trigger.deactivate()).toBeUndefined();
		expect(list()).toEqual([]);
		expect(service.warnings().join()).toMatch(/may remain in the Delivery Service: .*status 500/);
	});

	test('unpublishes when no webhook can be removed, and logs which may remain', async () => {
		const trigger = await open({ events: ['createTask', 'updateTask'] });
		await trigger.activate();
		service.control.addFault({
			kind: 'status',
			status: 503,
			method: 'DELETE',
			path: hooks,
			times: null,
		});

		expect(await trigger.deactivate()).toBeUndefined();
		expect(await trigger.receive({ url: hook(3).url, body: updated })).toMatchObject({
			status: 404,
		});
		expect(list()).toHaveLength(2);
		expect(service.warnings()).toEqual([
			expect.stringMatching(
				/"Delivery Service Trigger" in workflow .* may remain .*\(http:.*\/webhook for Delivery Created, http:.*\/webhook for Delivery Updated\).*status 503.*While the workflow is unpublished, they can't trigger it.*Webhook > Get Many.*Webhook > Delete/,
			),
		]);
		// The log must not contain a working URL.
		expect(service.warnings().join()).not.toContain('signature=');
	});

	test('stops waiting for a service that does not respond', async () => {
		const trigger = await open(every);
		await trigger.activate();
		service.control.addFault({ kind: 'hang', method: 'DELETE', path: hooks, times: 3 });

		// Without its own timeout, the node would wait as long as n8n does: for minutes.
		expect(await trigger.deactivate()).toBeUndefined();
		expect(service.warnings().join()).toMatch(/may remain .*did not respond in time/);
	});

	test('unpublishes when an expression of the node fails, and logs what may remain', async () => {
		const trigger = await open({ events: "={{ $('Gone').first().json.events }}" });

		// If it threw, n8n would keep the webhook and skip the other triggers of the workflow.
		expect(await trigger.deactivate()).toBeUndefined();
		expect(service.warnings()).toEqual([
			expect.stringContaining(
				"may remain in the Delivery Service: An expression of this trigger failed: Referenced node doesn't exist. ",
			),
		]);
	});

	test('logs what may remain when the credential is missing or incomplete', async () => {
		const missing = await open({}, { credential: undefined });
		const incomplete = await open({}, { credential: { ...service.credential, apiSecret: '' } });

		await expect(missing.delete()).resolves.toBe(true);
		await expect(incomplete.delete()).resolves.toBe(true);
		expect(service.warnings()).toEqual([
			expect.stringMatching(/may remain .* for Delivery Updated/),
			expect.stringMatching(/may remain .* for Delivery Updated.*credential is incomplete/),
		]);
	});
});

describe('a restart of n8n', () => {
	test('keeps the subscriptions without a change at the service', async () => {
		const trigger = await open(every);
		await trigger.activate();
		const before = list();

		await trigger.activate('init');

		expect(list()).toEqual(before);
		expect(service.requests().slice(4)).toEqual(['GET']);
		expect((await trigger.receive({ url: hook(3).url, body: updated })).status).toBe(200);
	});

	test.each([{ kind: 'status', status: 503 } as const])(
		'keeps events arriving while the service is unavailable ($kind $status)',
		async (fault) => {
			const trigger = await open();
			await trigger.activate();
			service.control.addFault({ ...fault, method: 'GET', path: hooks });

			await trigger.activate('init');
			const postings = await service.control.fireEvent(3, updated);

			expect(postings).toMatchObject([{ status: 200 }]);
			expect(list()).toHaveLength(1);
			expect(service.warnings().join()).toContain('could not be checked');
		},
	);

	test('fails at an unavailable service if the trigger has unsubscribed', async () => {
		const trigger = await open();
		await trigger.activate();
		await trigger.deactivate();
		service.control.addFault({ kind: 'status', status: 503, path: hooks, times: null });

		await expect(trigger.activate('init')).rejects.toThrow('server error (status 503)');
	});

	test('fails when the service rejects the API key', async () => {
		const trigger = await open();
		await trigger.activate();
		service.control.addFault({ kind: 'status', status: 401, method: 'GET', path: hooks });

		await expect(trigger.activate('init')).rejects.toThrow('rejected the API key');
	});
});

describe('the error when publishing fails', () => {
	const failing = async (parameters: INodeParameters, credential: CredentialData) => {
		const trigger = await open(parameters, { credential });
		const caught: unknown = await trigger.activate().catch((error: unknown) => error);
		return z.object({ message: z.string(), description: z.undefined() }).parse(caught);
	};
	const only = (options: INodeParameters): INodeParameters => ({ options });

	test.each<[string, INodeParameters, Partial<CredentialData>, string]>([
		[
			'no event',
			{ events: [] },
			{},
			'No Delivery Service event is selected. Select at least one event under Trigger On.',
		],
		[
			'an unknown event',
			{ events: '={{ ["updateTask", "taskDeleted"] }}' },
			{},
			'Trigger On contains the text "taskDeleted", which is not a Delivery Service event. Select the events under Trigger On. An expression must return their names, e.g. updateTask.',
		],
		[
			'an expression with data of another node',
			{ events: "={{ $('Gone').first().json.events }}" },
			{},
			"An expression of this trigger failed: Referenced node doesn't exist. It can use no data of items or other nodes: it is evaluated before the workflow starts.",
		],
		[
			'no company',
			{},
			{ companyId: '' },
			"The Delivery Service Company ID is missing or not a positive whole number. Enter your company's ID in the credential, e.g. 1001.",
		],
		[
			'an empty company',
			only({ companyId: '={{ "" }}' }),
			{},
			'Delivery Service: the option Company ID is empty. Enter a company ID; if it is an expression, it returned nothing. Remove the option to use your own company.',
		],
		[
			'no key',
			{},
			{ apiKeyId: '' },
			'The Delivery Service credential is incomplete. Open the credential and fill in Base URL, API Key ID and API Secret.',
		],
	])(
		'names the service, the reason and what to do in the message: %s',
		async (_, parameters, changes, expected) => {
			const { message } = await failing(parameters, { ...service.credential, ...changes });

			expect(message).toBe(expected);
			expect(list()).toEqual([]);
		},
	);
});

test('publishes a trigger without a webhook ID, as in a workflow that was not created in the editor', async () => {
	const trigger = await open({}, { webhookId: null, name: 'events' });

	await trigger.activate();

	expect(list().map(({ url }) => url)).toEqual([signedUrl('updateTask', trigger.url)]);
	expect(trigger.url).toMatch(/\/workflow\/events\/webhook$/);
});

describe('the public URL of n8n', () => {
	const remote = { baseUrl: 'https://api.delivery-service.example' };

	test.each(['http://localhost:5678', 'http://[::1]:5678'])(
		'rejects the localhost URL %s without a subscription',
		async (publicUrl) => {
			const credential = { ...service.credential, ...remote };
			const trigger = await open({}, { credential, publicUrl });

			await expect(trigger.create()).rejects.toMatchObject({
				message: expect.stringMatching(
					/^The Delivery Service can't reach this n8n: its webhook URL is on localhost\. The webhook URL http:.*WEBHOOK_URL/,
				),
			});
		},
	);

	test('accepts a public URL', async () => {
		const trigger = await open({}, { publicUrl: 'https://n8n.shop.example' });

		await trigger.activate();

		expect(list()).toMatchObject([{ url: signedUrl('updateTask', trigger.url) }]);
		expect(trigger.url).toMatch(/^https:\/\/n8n\.shop\.example\//);
	});
});

test('recognizes its webhooks when the public URL contains a user and a password', async () => {
	const publicUrl = 'https://user:pass-word@n8n.shop.example';
	const trigger = await open(every, { publicUrl });
	await trigger.activate();
	await subscribe(`${trigger.url}?event=updateTask&workflow=workflow&signature=old`);

	await trigger.activate();
	const published = list();
	const failure = await trigger.deactivate();

	expect(published).toHaveLength(3);
	expect(failure).toBeUndefined();
	expect(list()).toEqual([]);
});

test('removes 400 old webhooks at most five at a time, and names 20 of those that remain', async () => {
	const trigger = await open();
	for (let index = 0; index < 400; index++)
		await subscribe(`${trigger.url}?event=updateTask&workflow=workflow&old=${index}`);
	service.control.addFault({
		kind: 'status',
		status: 500,
		method: 'DELETE',
		path: hooks,
		skip: 100,
	});

	await trigger.activate();

	const deletions = service.requests().filter((method) => method === 'DELETE');
	expect(deletions).toHaveLength(105);
	expect(service.warnings().join()).toMatch(/for Delivery Updated and 276 more\)/);
});

test('publishes for a company of which the service has no list yet', async () => {
	const trigger = await open();
	const body = { code: 'NOT_FOUND', message: 'No webhooks' };
	service.control.addFault({ kind: 'status', status: 404, body, method: 'GET', path: hooks });

	await trigger.activate();

	expect(list()).toHaveLength(1);
});

test('two triggers with one node ID keep their own digests and accept their own calls', async () => {
	const first = await open({}, { webhookId: 'first' });
	const second = await open({ options: { companyId: '1002' } }, { webhookId: 'second' });
	await first.activate();
	second.staticData = first.staticData;
	await second.activate();

	for (const { url, companyId } of service.control.webhooks()) {
		const trigger = companyId === 1002 ? second : first;
		expect((await trigger.receive({ url, body: updated })).status).toBe(200);
	}
	expect(second.staticData).toMatchObject({
		global: {
			'deliveryServiceTrigger:first': [expect.any(String)],
			'deliveryServiceTrigger:second': [expect.any(String)],
		},
	});
});
