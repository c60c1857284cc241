/** What the service's list holds after each step of a trigger's life. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { z } from 'zod';

import { deepCopy, type INodeParameters } from 'n8n-workflow';

import { startService } from '../../playground/service/server';
import type { CredentialData } from '../support/engine/engine';
import { setUpTriggers, itemsOf, updated } from '../support/triggerNode';

const service = setUpTriggers();
const { open, list, hook, subscribe } = service;
const every = { events: ['createTask', 'createRoute', 'updateTask'] };
const hooks = '/hooks/';

/** An address on this machine where nothing answers. */
async function deadUrl(): Promise<string> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = z.object({ port: z.number() }).parse(server.address());
	await new Promise((resolve) => server.close(resolve));
	return `http://127.0.0.1:${port}`;
}

function addressOf(event: string, url: string): unknown {
	return expect.stringMatching(
		new RegExp(
			`^${url.replaceAll('.', '\\.')}\\?event=${event}&workflow=[a-z]+&signature=[0-9a-f]{64}$`,
		),
	);
}

describe('publishing', () => {
	test('subscribes one signed address an event, and unpublishing removes exactly those', async () => {
		const trigger = await open(every);

		await trigger.activate();
		const published = list();
		const failure = await trigger.deactivate();

		expect(published).toEqual([
			{ url: addressOf('createTask', trigger.url), action: 1, status: 'Active' },
			{ url: addressOf('createRoute', trigger.url), action: 2, status: 'Active' },
			{ url: addressOf('updateTask', trigger.url), action: 3, status: 'Active' },
		]);
		expect(failure).toBeUndefined();
		expect(list()).toEqual([]);
		expect(service.warnings()).toEqual([]);
	});

	test('makes nothing twice', async () => {
		const trigger = await open(every);
		await trigger.create();
		const before = list();

		await trigger.activate();

		expect(list()).toEqual(before);
		expect(service.requests()).toEqual(['GET', 'POST', 'POST', 'POST', 'GET', 'GET']);
	});

	test('makes only what is missing', async () => {
		const trigger = await open({ events: ['createTask'] });
		await trigger.create();
		const other = await open({ events: ['createTask', 'updateTask'] });

		await other.activate();

		expect(list()).toHaveLength(2);
		expect(service.requests().filter((method) => method === 'POST')).toHaveLength(2);
	});

	test('uses the company of the options', async () => {
		const trigger = await open({ options: { companyId: '1002' } });

		await trigger.activate();
		const published = service.control.webhooks();
		await trigger.deactivate();

		expect(published).toMatchObject([{ companyId: 1002 }]);
		expect(service.control.webhooks()).toEqual([]);
	});

	test('fails clearly when no event is chosen', async () => {
		const trigger = await open({ events: [] });

		await expect(trigger.activate()).rejects.toThrow('No event of the Delivery Service is chosen');
		expect(list()).toEqual([]);
	});

	test('subscribes bare addresses when signing is turned off', async () => {
		const trigger = await open({ options: { verifyCaller: false } });

		await trigger.activate();
		const published = list();
		await trigger.deactivate();

		expect(published.map(({ url }) => url)).toEqual([
			`${trigger.url}?event=updateTask&workflow=workflow`,
		]);
		expect(list()).toEqual([]);
	});

	test('replaces signed addresses when signing was turned off', async () => {
		const signed = await open();
		await signed.create();
		const unsigned = await open({ options: { verifyCaller: false } });

		await unsigned.activate();

		expect(list().map(({ url }) => url)).toEqual([
			`${unsigned.url}?event=updateTask&workflow=workflow`,
		]);
	});
});

describe('listening for a test event', () => {
	test('subscribes the test address, and stopping removes it', async () => {
		const trigger = await open(every);

		await trigger.listen();
		const listening = list();
		const failure = await trigger.stopListening();

		expect(listening.map(({ url }) => url)).toEqual([
			addressOf('createTask', trigger.testUrl),
			addressOf('createRoute', trigger.testUrl),
			addressOf('updateTask', trigger.testUrl),
		]);
		expect(failure).toBeUndefined();
		expect(list()).toEqual([]);
	});

	test('ends with the first event', async () => {
		const trigger = await open();
		await trigger.listen();

		const received = await trigger.receive({ url: hook(3).url, body: updated });

		expect(itemsOf(received)).toHaveLength(1);
		expect(trigger.executions.map(({ mode }) => mode)).toEqual(['manual']);
		expect(list()).toEqual([]);
	});

	test('goes on after a call that was refused', async () => {
		const trigger = await open();
		await trigger.listen();

		const { status } = await trigger.receive({ url: trigger.testUrl, body: updated });

		expect(status).toBe(401);
		expect(trigger.listening).toBe(true);
		expect(list()).toHaveLength(1);
	});

	test('leaves the live subscription in place, and unpublishing leaves the test', async () => {
		const trigger = await open();
		await trigger.activate();
		await trigger.listen();
		const both = list();
		await trigger.stopListening();
		const live = list();
		await trigger.listen();
		await trigger.deactivate();

		expect(both).toHaveLength(2);
		expect(live.map(({ url }) => url)).toEqual([addressOf('updateTask', trigger.url)]);
		expect(list().map(({ url }) => url)).toEqual([addressOf('updateTask', trigger.testUrl)]);
	});

	test('leaves nothing when it cannot begin', async () => {
		const trigger = await open(every);
		service.control.addFault({ kind: 'status', status: 500, method: 'POST', path: hooks, skip: 1 });

		await expect(trigger.listen()).rejects.toThrow(
			'The Delivery Service returned a server error (status 500)',
		);
		expect(list()).toEqual([]);
	});
});

describe('a change', () => {
	test('of the events while published removes the old and makes the new', async () => {
		const trigger = await open({ events: ['createTask', 'updateTask'] });
		await trigger.activate();

		await trigger.republish({ events: ['createRoute', 'updateTask'] });

		expect(list().map(({ action }) => action)).toEqual([2, 3]);
	});

	test('of the events that was interrupted is completed at the next start', async () => {
		const before = await open({ events: ['createTask', 'updateTask'] });
		await before.create();
		const after = await open({ events: ['createRoute', 'updateTask'] });

		await after.activate('init');

		expect(list().map(({ action }) => action)).toEqual([2, 3]);
	});

	test('of the name keeps the subscription', async () => {
		const trigger = await open({}, { name: 'Old name' });
		await trigger.create();
		const before = list();
		const renamed = await open({}, { name: 'New name' });

		await renamed.activate();
		const after = list();
		await renamed.deactivate();

		expect(after).toEqual(before);
		expect(list()).toEqual([]);
	});

	test('of the API secret replaces the addresses of this node, the new one first', async () => {
		const trigger = await open(every);
		const other = await open({}, { workflowId: 'other' });
		await other.activate();
		const old = `${trigger.url}?event=updateTask&workflow=workflow&signature=${'5e'.repeat(32)}`;
		await subscribe(old);

		await trigger.activate();

		expect(list().map(({ url }) => url)).toEqual([
			addressOf('createTask', trigger.url),
			addressOf('createRoute', trigger.url),
			...[other.url, trigger.url].sort().map((url) => addressOf('updateTask', url)),
		]);
		expect(service.requests().slice(-6)).toEqual([
			...['POST', 'POST', 'POST', 'GET'],
			...['DELETE', 'GET'],
		]);
		expect((await trigger.receive({ url: old, body: updated })).status).toBe(401);
	});
});

describe('a change of the credential', () => {
	/** What the service lists, by company. */
	const byCompany = () => service.control.webhooks().map(({ companyId }) => companyId);

	test.each(['publishing', 'unpublishing'])(
		'to another company takes off what was subscribed for the former one when %s',
		async (what) => {
			const credential: CredentialData = { ...service.credential };
			const trigger = await open(every, { credential });
			await trigger.activate();
			credential.companyId = 1002;

			if (what === 'publishing') await trigger.activate();
			else await trigger.deactivate();

			expect(byCompany()).toEqual(what === 'publishing' ? [1002, 1002, 1002] : []);
			expect(service.warnings()).toEqual([]);
		},
	);

	test('to a company by an option does so as well', async () => {
		const trigger = await open();
		await trigger.activate();

		await trigger.republish({ options: { companyId: '1002' } });

		expect(byCompany()).toEqual([1002]);
	});

	test('says what remains at the former company, and removes it when it can', async () => {
		const credential: CredentialData = { ...service.credential };
		const trigger = await open({}, { credential });
		await trigger.activate();
		credential.companyId = 1002;
		const path = '/hooks/companies/1001';
		service.control.addFault({ kind: 'status', status: 403, path });

		await trigger.activate();
		const remained = byCompany();
		const warnings = service.warnings().join();
		await trigger.activate();

		expect(remained.sort()).toEqual([1001, 1002]);
		expect(warnings).toMatch(
			/may remain at the Delivery Service at .*, company 1001: .* not allow this/,
		);
		expect(warnings).toContain('They start nothing.');
		expect(byCompany()).toEqual([1002]);
	});

	test.each([
		['signed', {}],
		['unsigned', { verifyCaller: false }],
	])('to another service takes %s addresses off at the former one', async (_kind, options) => {
		const other = await startService();
		const credential: CredentialData = { ...service.credential };
		const trigger = await open({ options }, { credential });
		await trigger.activate();
		credential.baseUrl = other.credential.baseUrl;

		await trigger.activate();
		const there = other.control.webhooks();
		const here = list();
		await trigger.deactivate();
		await other.close();

		expect(there).toHaveLength(1);
		expect(here).toEqual([]);
	});

	/** Ways to write the address of the service of this file, which listens on 127.0.0.1. */
	const spellings: Array<[string, (baseUrl: string) => string]> = [
		['another name of its host', (baseUrl) => baseUrl.replace('127.0.0.1', 'localhost')],
		['capitals', (baseUrl) => baseUrl.replace('http:', 'HTTP:')],
	];

	describe.each(spellings)('to the same service by %s', (_, otherwise) => {
		test.each([
			['signed', {}],
			['unsigned', { verifyCaller: false }],
		])('leaves each event subscribed once, with %s addresses', async (_kind, options) => {
			const credential: CredentialData = { ...service.credential };
			const trigger = await open({ ...every, options }, { credential });
			await trigger.activate();
			credential.baseUrl = otherwise(service.credential.baseUrl);

			await trigger.activate('init');

			expect(list().map(({ action, status }) => [action, status])).toEqual([
				[1, 'Active'],
				[2, 'Active'],
				[3, 'Active'],
			]);
			expect(service.warnings()).toEqual([]);
			const received = await trigger.receive({ url: hook(3).url, body: updated });
			expect(itemsOf(received)).toHaveLength(1);
			await trigger.deactivate();
			expect(list()).toEqual([]);
		});
	});

	test('to another address of the same service makes the new ones before it removes the old', async () => {
		const credential: CredentialData = { ...service.credential };
		const trigger = await open({}, { credential });
		await trigger.activate();
		const before = service.requests().length;
		credential.baseUrl = service.credential.baseUrl.replace('127.0.0.1', 'localhost');

		await trigger.activate('init');

		const changes = service.requests().slice(before);
		expect(changes.filter((method) => method !== 'GET')).toEqual(['POST', 'DELETE']);
	});

	test('to another key does not send that key to the former address, and says what remains', async () => {
		const other = await startService({ apiKeyId: 'other-key' });
		const credential: CredentialData = { ...service.credential };
		const trigger = await open({}, { credential });
		await trigger.activate();
		const before = service.requests().length;
		Object.assign(credential, other.credential);

		await trigger.activate();
		await trigger.deactivate();
		await other.close();

		expect(service.requests()).toHaveLength(before);
		expect(list()).toHaveLength(1);
		expect(service.warnings()[0]).toContain('holds another API key now');
	});
});

describe('after n8n has moved to another address', () => {
	const former = 'https://former.example';

	/** A trigger that is turned off, and the address that it had, at the former address of n8n. */
	async function moved(parameters: INodeParameters = {}) {
		const trigger = await open(parameters);
		await trigger.activate();
		const { url } = hook(3);
		await trigger.deactivate();
		return { trigger, address: url.replace(new URL(url).origin, former) };
	}

	test.each([
		['signed', {}],
		['unsigned', { options: { verifyCaller: false } }],
	])('the log says once that %s addresses there start the workflow too', async (_, parameters) => {
		const { trigger, address } = await moved(parameters);
		await subscribe(address);

		await trigger.activate();
		await trigger.activate('init');

		const [warning, ...others] = service.warnings();
		expect(warning).toMatch(
			/^Node "Delivery Service Trigger" in workflow .*: the Delivery Service calls this node at https:\/\/former\.example as well.*starts the workflow twice.*Webhook > Delete/,
		);
		expect(warning).not.toContain('signature');
		expect(others).toEqual([]);
		expect(list().map(({ url }) => url)).toContain(address);
	});

	test.each<[string, (address: string) => string]>([
		[
			'what another secret has signed',
			(address) => address.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
		],
		['another path', (address) => address.replace('/webhook/', '/webhook-test/')],
		['another workflow', (address) => address.replace('workflow=workflow', 'workflow=other')],
	])('nothing is said of %s', async (_, changed) => {
		const { trigger, address } = await moved();
		await subscribe(changed(address));

		await trigger.activate();

		expect(service.warnings()).toEqual([]);
	});

	test('nothing is said of what is blacklisted', async () => {
		const { trigger, address } = await moved();
		await subscribe(address);
		service.control.blacklist(address, 3);

		await trigger.activate();

		expect(service.warnings()).toEqual([]);
	});
});

describe('a service that', () => {
	const answerList = (body: unknown, times = 1) =>
		service.control.addFault({
			kind: 'status',
			status: 200,
			method: 'GET',
			path: hooks,
			body,
			times,
		});

	test.each([
		[200, [{ url: 'https://shop.example', action: 3, status: null }, { hello: 1 }, 'x']],
		[200, { code: 'OK', message: 'Success', payload: [] }],
		[204, undefined],
		[404, { code: 'NOT_FOUND', message: 'No webhooks yet' }],
	])('answers the listing with %s %j can be subscribed at', async (status, body) => {
		const trigger = await open();
		service.control.addFault({
			kind: 'status',
			status,
			method: 'GET',
			path: hooks,
			body,
			times: 2,
		});

		await trigger.activate();

		expect(list()).toHaveLength(1);
	});

	test('answers 409 for what it does not list keeps it, and publishing works', async () => {
		const trigger = await open({ events: ['createTask', 'updateTask'] });
		await trigger.create();
		const before = list();
		answerList([], 2);
		const conflict = { kind: 'status', status: 409, method: 'POST', path: hooks } as const;
		service.control.addFault(conflict);
		service.control.addFault(conflict);

		await trigger.activate();

		expect(list()).toEqual(before);
	});

	test('answers 409, then fails, does not lose what was there', async () => {
		const trigger = await open({ events: ['createTask', 'updateTask'] });
		await trigger.create();
		service.control.addFault({ kind: 'status', status: 409, method: 'POST', path: hooks });
		service.control.addFault({ kind: 'status', status: 500, method: 'POST', path: hooks });
		answerList([], 1);

		await trigger.create();

		expect(list().map(({ action }) => action)).toEqual([1, 3]);
	});

	test.each<[string, (url: string) => string]>([
		['encodes addresses', (url) => encodeURIComponent(url)],
		['encodes their slashes', (url) => url.replaceAll('/', '%2F').replace(':%2F%2F', '://')],
		['writes them in HTML', (url) => url.replaceAll('&', '&amp;')],
		['orders their query anew', (url) => url.replace(/(event=.*)&(workflow=.*)$/, '$2&$1')],
	])('%s has them neither twice nor left behind', async (_, write) => {
		const trigger = await open();
		await trigger.create();
		const written = list().map((entry) => ({ ...entry, url: write(entry.url) }));
		const before = service.requests().length;
		answerList(written);

		await trigger.activate();
		const requests = service.requests().slice(before);
		answerList(written);
		await trigger.deactivate();

		expect(requests).toEqual(['GET']);
		expect(list()).toEqual([]);
		expect(service.warnings()).toEqual([]);
	});

	test('drops it is subscribed once when addresses are not signed, and tidied up', async () => {
		const trigger = await open({ options: { verifyCaller: false } });
		await trigger.create();
		const before = service.requests().length;
		const bare = [{ url: trigger.url, action: 3, status: 'Active' }];
		answerList(bare);

		await trigger.activate();
		const requests = service.requests().slice(before);
		answerList(bare);
		await trigger.deactivate();

		expect(requests).toEqual(['GET']);
		expect(list()).toEqual([]);
	});

	test('drops it is rid of an event that is no longer chosen, when addresses are not signed', async () => {
		service.control.settings({ variant: 'query-dropped' });
		const options = { verifyCaller: false };
		const former = await open({ ...every, options });
		await former.activate();
		const trigger = await open({ options }, { staticData: deepCopy(former.staticData) });

		await trigger.activate();
		const published = list();
		await trigger.deactivate();

		expect(published).toEqual([{ url: trigger.url, action: 3, status: 'Active' }]);
		expect(list()).toEqual([]);
		expect(service.warnings()).toEqual([]);
	});

	test('confirms and does not remove is told apart when the workflow is taken back', async () => {
		const trigger = await open();
		await trigger.activate();
		service.control.addFault({ kind: 'status', status: 200, method: 'DELETE', path: hooks });

		await trigger.deactivate();

		expect(service.warnings().join()).toMatch(
			/may remain .*still lists what it was asked to remove/,
		);
	});
});

describe('two workflows with the same webhook ID', () => {
	test.each([true, false])(
		'do not take off what the other has subscribed (signed: %s)',
		async (verifyCaller) => {
			const parameters = { ...every, options: { verifyCaller } };
			const trigger = await open(parameters);
			const copy = await open(parameters, {
				workflowId: 'copy',
				webhookId: 'webhook-of-workflow',
			});
			await trigger.activate();
			const before = list();

			// What n8n 1.x does when it refuses to publish the second one.
			await copy.delete();

			expect(copy.url).toBe(trigger.url);
			expect(before).toHaveLength(3);
			expect(list()).toEqual(before);
			expect(service.warnings()).toEqual([]);
		},
	);
});

describe('a copy of a workflow that took along what its trigger remembers', () => {
	test('neither takes off what the first has subscribed, nor takes its calls', async () => {
		const trigger = await open(every);
		await trigger.activate();
		const before = list();
		const { staticData } = trigger;
		const copy = await open(every, {
			...{ workflowId: 'copy', webhookId: 'webhook-of-workflow' },
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

	test('leaves alone what was subscribed at the address of the n8n that it was copied from', async () => {
		const trigger = await open(every);
		await trigger.activate();
		const before = list();
		const publicUrl = 'https://staging.shop.example';
		const copy = await open(every, { staticData: deepCopy(trigger.staticData), publicUrl });

		await copy.activate();
		await copy.deactivate();

		expect(list()).toEqual(before);
	});
});

describe('several workflows', () => {
	test('on the same event each have their own subscription', async () => {
		const one = await open({}, { workflowId: 'one' });
		const duplicate = await open({}, { workflowId: 'duplicate' });
		await one.activate();
		await duplicate.activate();

		const postings = await service.control.fireEvent(3, updated);
		await one.deactivate();

		expect(postings).toMatchObject([{ status: 200 }, { status: 200 }]);
		expect(list().map(({ url }) => url)).toEqual([addressOf('updateTask', duplicate.url)]);
	});
});

describe("others' subscriptions", () => {
	test('are never touched, however alike', async () => {
		const trigger = await open(every);
		const alike = [
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
		for (const url of alike) await subscribe(url);
		const before = list();

		await trigger.activate();
		await trigger.activate('init');
		await trigger.republish({ events: ['createTask'] });
		await trigger.listen();
		await trigger.stopListening();
		await trigger.deactivate();

		expect(before).toHaveLength(alike.length);
		expect(list()).toEqual(before);
	});
});

describe('blacklisted subscriptions', () => {
	test.each(['activate', 'init'] as const)(
		'are made anew on "%s", and the log says so',
		async (mode) => {
			const trigger = await open({ events: ['createTask', 'updateTask'] });
			await trigger.create();
			service.control.blacklist(hook(3).url, 3);

			await trigger.activate(mode);
			const received = await trigger.receive({ url: hook(3).url, body: updated });

			expect(list().map(({ status }) => status)).toEqual(['Active', 'Active']);
			expect(service.warnings().join()).toContain('had stopped reporting Delivery Updated');
			expect(itemsOf(received)).toEqual([{ event: 'updateTask', eventCode: 3, ...updated }]);
		},
	);

	test('that the service does not remove keep no workflow from being published', async () => {
		const trigger = await open();
		await trigger.create();
		service.control.settings({ variant: 'unsubscribe-banned-403' });
		service.control.blacklist(hook(3).url, 3);

		await trigger.activate();
		await trigger.activate('init');

		expect(list().map(({ status }) => status)).toEqual(['Banned', 'Active']);
		expect(service.warnings().join()).toContain('may remain');
		const received = await trigger.receive({ url: hook(3).url, body: updated });
		expect(itemsOf(received)).toHaveLength(1);
	});

	test('that the service neither removes nor renews are an error that says so', async () => {
		const trigger = await open();
		await trigger.create();
		service.control.settings({ variant: 'unsubscribe-banned-400' });
		service.control.blacklist(hook(3).url, 3);

		await expect(trigger.activate()).rejects.toMatchObject({
			message: expect.stringContaining(
				'The Delivery Service has stopped reporting Delivery Updated to this workflow',
			),
			description: expect.stringMatching(
				/blacklisted.*then publish the workflow \(in n8n 1, turn it off and on\).*rejected the request/,
			),
		});
	});

	test('of the test address are made anew as well', async () => {
		const trigger = await open();
		await trigger.create(true);
		service.control.blacklist(hook(3).url, 3);

		await trigger.listen();
		const { status } = hook(3);
		const received = await trigger.receive({ url: hook(3).url, body: updated });

		expect(status).toBe('Active');
		expect(itemsOf(received)).toHaveLength(1);
	});
});

describe('a failure while publishing', () => {
	test.each([
		{ fault: { kind: 'status', status: 500 } as const, message: 'server error (status 500)' },
		{ fault: { kind: 'resetBefore' } as const, message: 'connection' },
		{ fault: { kind: 'status', status: 401 } as const, message: 'rejected the API key' },
	])('($fault.kind $fault.status) leaves nothing half-subscribed', async ({ fault, message }) => {
		const trigger = await open(every);
		service.control.addFault({ ...fault, method: 'POST', path: hooks, skip: 1 });

		// The method alone: nothing of n8n cleans up behind it.
		await expect(trigger.create()).rejects.toThrow(message);

		expect(list()).toEqual([]);
	});

	test.each([{ kind: 'statusAfter', status: 502 } as const, { kind: 'resetAfter' } as const])(
		'after the service has subscribed ($kind) is none when its list shows so',
		async (fault) => {
			const trigger = await open(every);
			service.control.addFault({ ...fault, method: 'POST', path: hooks, skip: 1 });

			await trigger.activate();

			expect(list()).toHaveLength(3);
		},
	);

	test('after the service has subscribed leaves nothing when its list cannot be read then', async () => {
		const trigger = await open(every);
		const path = hooks;
		service.control.addFault({ kind: 'statusAfter', status: 502, method: 'POST', path, skip: 1 });
		service.control.addFault({ kind: 'status', status: 503, method: 'GET', path, skip: 1 });

		await expect(trigger.create()).rejects.toThrow('(status 502)');

		expect(list()).toEqual([]);
	});

	test('is a clear error when the service cannot be reached', async () => {
		const trigger = await open(
			{},
			{ credential: { ...service.credential, baseUrl: await deadUrl() } },
		);

		await expect(trigger.activate()).rejects.toMatchObject({
			message: 'Could not connect to the Base URL of the Delivery Service',
			description: expect.stringContaining('Check the Base URL'),
		});
		expect(trigger.active).toBe(false);
	});

	test('does not come from an old address that cannot be removed; that is logged', async () => {
		const trigger = await open();
		await subscribe(`${trigger.url}?event=createTask&workflow=workflow`, 1);
		service.control.addFault({ kind: 'status', status: 500, method: 'DELETE', path: hooks });

		await trigger.activate();

		expect(list().map(({ action }) => action)).toEqual([1, 3]);
		expect(service.warnings().join()).toMatch(/may remain .*Delivery Created.*status 500/);
	});
});

describe('unpublishing', () => {
	test('is not held up by a subscription that is gone already', async () => {
		const trigger = await open(every);
		await trigger.activate();
		const { control } = service;
		control.addFault({ kind: 'statusAfter', status: 404, method: 'DELETE', path: hooks });

		expect(await trigger.deactivate()).toBeUndefined();
		expect(list()).toEqual([]);
		expect(service.warnings()).toEqual([]);
	});

	test('removes what it knows when the list cannot be read, and says that more may remain', async () => {
		const trigger = await open(every);
		await trigger.activate();
		service.control.addFault({ kind: 'status', status: 500, method: 'GET', path: hooks });

		expect(await trigger.deactivate()).toBeUndefined();
		expect(list()).toEqual([]);
		expect(service.warnings().join()).toMatch(/may remain at the Delivery Service: .*status 500/);
	});

	test('removes the test address, too, when the list cannot be read', async () => {
		const trigger = await open();
		await trigger.listen();
		service.control.addFault({ kind: 'garbage', method: 'GET', path: hooks });

		expect(await trigger.stopListening()).toBeUndefined();
		expect(list()).toEqual([]);
	});

	test('ends all the same when nothing can be removed, and says what may remain', async () => {
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
				/"Delivery Service Trigger" in workflow .* may remain .*\(Delivery Created, Delivery Updated\).*status 503.*Webhook > Delete/,
			),
		]);
		// Logs must not hold what starts a workflow.
		expect(service.warnings().join()).not.toContain('signature=');
	});

	test('does not wait for ever for a service that does not answer', async () => {
		const trigger = await open(every);
		await trigger.activate();
		service.control.addFault({ kind: 'hang', method: 'DELETE', path: hooks, times: 3 });

		// Without a limit of its own the node would wait as long as n8n does: for minutes.
		expect(await trigger.deactivate()).toBeUndefined();
		expect(service.warnings().join()).toMatch(/may remain .*did not respond in time/);
	});

	test('says what may remain when the service cannot be reached', async () => {
		const trigger = await open(
			{},
			{ credential: { ...service.credential, baseUrl: await deadUrl() } },
		);

		await expect(trigger.delete()).resolves.toBe(true);
		// Each event once, though the addresses of the editor's test may remain as well.
		expect(service.warnings().join()).toMatch(/may remain [^(]*\([^,]*\): Could not connect/);
	});

	test('says what may remain when the credential is gone or incomplete', async () => {
		const gone = await open({}, { credential: undefined });
		const incomplete = await open({}, { credential: { ...service.credential, apiSecret: '' } });

		await expect(gone.delete()).resolves.toBe(true);
		await expect(incomplete.delete()).resolves.toBe(true);
		expect(service.warnings()).toEqual([
			expect.stringContaining('may remain'),
			expect.stringMatching(/may remain .*credential is incomplete/),
		]);
	});

	test('leaves what remained to the next publishing, which takes it up', async () => {
		const trigger = await open();
		await trigger.activate();
		service.control.addFault({ kind: 'resetBefore', path: hooks, times: 2 });
		await trigger.deactivate();
		const remained = list();

		await trigger.activate();
		const again = list();
		await trigger.deactivate();

		expect(remained).toHaveLength(1);
		expect(again).toEqual(remained);
		expect(list()).toEqual([]);
	});
});

describe('when n8n starts again', () => {
	test('what is subscribed stays, without a change at the service', async () => {
		const trigger = await open(every);
		await trigger.activate();
		const before = list();

		await trigger.activate('init');

		expect(list()).toEqual(before);
		expect(service.requests().slice(6)).toEqual(['GET']);
		expect((await trigger.receive({ url: hook(3).url, body: updated })).status).toBe(200);
	});

	test.each([
		{ kind: 'resetBefore' } as const,
		{ kind: 'status', status: 503 } as const,
		{ kind: 'status', status: 429 } as const,
	])('while the service is out of order ($kind $status), events still arrive', async (fault) => {
		const trigger = await open();
		await trigger.activate();
		service.control.addFault({ ...fault, method: 'GET', path: hooks });

		await trigger.activate('init');
		const postings = await service.control.fireEvent(3, updated);

		expect(postings).toMatchObject([{ status: 200 }]);
		expect(list()).toHaveLength(1);
		expect(service.warnings().join()).toContain('could not be checked');
	});

	test('what was never subscribed is not taken for granted', async () => {
		const trigger = await open();
		service.control.addFault({ kind: 'status', status: 503, method: 'GET', path: hooks });

		await expect(trigger.activate('init')).rejects.toThrow('server error (status 503)');
	});

	test('what was taken off is not taken for granted', async () => {
		const trigger = await open();
		await trigger.activate();
		await trigger.deactivate();
		service.control.addFault({ kind: 'status', status: 503, method: 'GET', path: hooks });

		await expect(trigger.activate('init')).rejects.toThrow('server error (status 503)');
	});

	test('at another address, the old subscriptions do not count', async () => {
		const before = await open();
		await before.activate();
		const { staticData } = before;
		const moved = await open({}, { staticData, publicUrl: 'https://n8n.shop.example' });
		service.control.addFault({ kind: 'status', status: 503, method: 'GET', path: hooks });

		await expect(moved.activate('init')).rejects.toThrow('server error (status 503)');
	});

	test('a refusal of the service is still told', async () => {
		const trigger = await open();
		await trigger.activate();
		service.control.addFault({ kind: 'status', status: 401, method: 'GET', path: hooks });

		await expect(trigger.activate('init')).rejects.toThrow('rejected the API key');
	});
});

describe('an error while publishing', () => {
	const failing = async (parameters: INodeParameters, credential: CredentialData) => {
		const trigger = await open(parameters, { credential });
		const caught: unknown = await trigger.activate().catch((error: unknown) => error);
		return z.object({ message: z.string(), description: z.string() }).parse(caught);
	};
	const only = (options: INodeParameters): INodeParameters => ({ options });

	test.each<[string, INodeParameters, Partial<CredentialData>, RegExp]>([
		['no event', { events: [] }, {}, /No event .* is chosen/],
		['no company', {}, { companyId: '' }, /Company ID is missing/],
		['a wrong company', only({ companyId: 'x' }), {}, /Company ID is not a positive whole number/],
		['an unknown company', {}, { companyId: 77 }, /404/],
		['a wrong key', {}, { apiSecret: 'wrong' }, /API key/],
		['no key', {}, { apiKeyId: '' }, /credential is incomplete/],
		['a Base URL without http', {}, { baseUrl: 'api.example' }, /must start with https?:/],
		['cities that cannot be read', only({ cities: '42; 43' }), {}, /"42; 43" .*Only These Cities/],
		['companies likewise', only({ companies: 'all' }), {}, /"all" .*Only These Companies/],
		['statuses likewise', only({ statuses: 'a;b' }), {}, /"a;b" .*Only These Statuses/],
		['minutes below 0', only({ ignoreDuplicatesMinutes: -1 }), {}, /Ignore Duplicates Within/],
		[
			'minutes that are none',
			only({ ignoreDuplicatesMinutes: 'x' }),
			{},
			/Ignore Duplicates Within/,
		],
	])(
		'names service and reason in message and in description: %s',
		async (_, more, wrong, reason) => {
			const error = await failing(more, { ...service.credential, ...wrong });

			for (const text of [error.message, error.description]) {
				expect(text).toMatch(reason);
				expect(text).toContain('Delivery Service');
			}
			expect(list()).toEqual([]);
		},
	);

	test.each([400, 401, 403, 422, 429, 500, 503])(
		'does so when the service answers %d',
		async (status) => {
			const body = { code: 'NO', message: 'Because of the moon' };
			service.control.addFault({ kind: 'status', status, path: hooks, body, times: null });
			const error = await failing({}, service.credential);

			for (const text of [error.message, error.description])
				expect(text).toContain('Delivery Service');
			expect(error.description).toContain(error.message);
			expect(error.description).toContain('Because of the moon');
		},
	);
});

describe('a trigger to which n8n has given no webhook ID', () => {
	test('is not published where n8n would not find its address again, and says what to do', async () => {
		const trigger = await open({}, { webhookId: null });

		await expect(trigger.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/^No event would reach this Delivery Service Trigger/),
			description: expect.stringMatching(/^No event .*Delete this trigger and add a new one/),
		});
		expect(list()).toEqual([]);
	});

	test('is published where its name makes an address that n8n finds', async () => {
		const trigger = await open({}, { webhookId: null, name: 'events' });

		await trigger.activate();

		expect(list().map(({ url }) => url)).toEqual([addressOf('updateTask', trigger.url)]);
		expect(trigger.url).toMatch(/\/workflow\/events\/webhook$/);
	});
});

describe('an address that the service cannot reach', () => {
	const remote = { baseUrl: 'https://api.delivery-service.example' };

	test.each([
		'http://localhost:5678',
		'http://127.0.0.1:5678',
		'http://[::1]:5678',
		'http://0.0.0.0:5678',
	])('is pointed out (%s), and nothing is subscribed', async (publicUrl) => {
		const credential = { ...service.credential, ...remote };
		const trigger = await open({}, { credential, publicUrl });

		await expect(trigger.create()).rejects.toMatchObject({
			message: 'The Delivery Service cannot reach this n8n at a localhost address',
			description: expect.stringMatching(
				/cannot reach this n8n .*The address is http:.*WEBHOOK_URL/,
			),
		});
	});

	test('is not one on the internet', async () => {
		const trigger = await open({}, { publicUrl: 'https://n8n.shop.example' });

		await trigger.activate();

		expect(list()).toMatchObject([{ url: addressOf('updateTask', trigger.url) }]);
		expect(trigger.url).toMatch(/^https:\/\/n8n\.shop\.example\//);
	});
});
