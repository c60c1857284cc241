/** What somebody who means harm can do to a trigger: the rows of docs/security.md, one by one. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';
import { z } from 'zod';

import { startService } from '../../playground/service/server';
import type { CredentialData, ReceiveOptions, Trigger } from '../support/engine/engine';
import { itemsOf, passedOn, setUpTriggers, updated, withQuery } from '../support/triggerNode';

const service = setUpTriggers();
const { open, hook } = service;
const unsigned = { options: { verifyCaller: false } };
const json = { 'content-type': 'application/json' };

async function published(...options: Parameters<typeof open>): Promise<Trigger> {
	const trigger = await open(...options);
	await trigger.activate();
	return trigger;
}

/** Expects that a call is answered with a status and starts nothing. */
async function expectRefused(trigger: Trigger, status: number, request: ReceiveOptions) {
	const before = trigger.executions.length;
	const received = await trigger.receive({ body: updated, ...request });
	expect({ status: received.status, run: received.run }).toEqual({ status, run: undefined });
	expect(trigger.executions).toHaveLength(before);
}

describe('Who knows the address without its signature', () => {
	test('is refused, with the event or without', async () => {
		const trigger = await published();

		await expectRefused(trigger, 401, { url: trigger.url });
		await expectRefused(trigger, 401, { url: `${trigger.url}?event=updateTask` });
		await expectRefused(trigger, 401, { url: `${trigger.url}?event=updateTask&signature=` });
		expect(service.warnings()).toHaveLength(3);
	});

	test('learns nothing from the body: a wrong one is refused the same', async () => {
		const trigger = await published();

		await expectRefused(trigger, 401, { url: trigger.url, body: [] });
		await expectRefused(trigger, 401, { url: trigger.url, body: { id: 'x'.repeat(1_500_000) } });
	});
});

describe('Who has the workflow file', () => {
	test('cannot make an address: it holds the path and the settings, not the secret', async () => {
		const trigger = await published();
		const ownService = await startService({ apiSecret: 'guessed' });
		// The same node of the same workflow, with a service and a secret of the attacker's own.
		const copy = await open({}, { credential: ownService.credential });
		await copy.create();
		const forged = ownService.control.webhooks()[0]?.url ?? '';
		await ownService.close();

		expect(forged).toMatch(/\?event=updateTask&workflow=workflow&signature=[0-9a-f]{64}$/);
		await expectRefused(trigger, 401, { url: forged });
	});
});

describe('Who has what n8n keeps for the node', () => {
	test('cannot make an address of what the node remembers: it keeps digests', async () => {
		const trigger = await published();
		const kept = JSON.stringify(trigger.staticData);
		const { url } = hook(3);
		const signature = new URL(url).searchParams.get('signature') ?? '';
		const { digests } = z
			.object({ 'node:Delivery Service Trigger': z.object({ digests: z.array(z.string()) }) })
			.parse(trigger.staticData)['node:Delivery Service Trigger'];

		for (const secret of [signature, service.credential.apiSecret, service.credential.apiKeyId])
			expect(kept).not.toContain(secret);
		expect(digests).toHaveLength(1);
		for (const digest of digests)
			await expectRefused(trigger, 401, { url: withQuery(url, { signature: digest }) });
	});
});

describe('Who forges signatures', () => {
	test('is refused 50 times out of 50, however near the signature is', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const right = new URL(url).searchParams.get('signature') ?? '';
		const altered = Array.from({ length: 16 }, (_, place) => {
			const other = right[place * 4] === '0' ? '1' : '0';
			return right.slice(0, place * 4) + other + right.slice(place * 4 + 1);
		});
		const forged = [
			...altered,
			...Array.from({ length: 20 }, () => randomBytes(32).toString('hex')),
			...[right.toUpperCase(), `${right}00`, `${right}zz`, ` ${right}`, `0x${right}`],
			...[right.slice(0, 63), right.slice(0, 32), right.slice(1), '0'.repeat(64), 'null'],
			...['true', '[object Object]', `${right}\u0000`, 'ü'.repeat(64)],
		].filter((signature) => signature !== right);

		for (const signature of forged)
			await expectRefused(trigger, 401, { url: withQuery(url, { signature }) });

		expect(forged.length).toBeGreaterThanOrEqual(50);
		expect(service.warnings()).toHaveLength(forged.length);
		expect((await trigger.receive({ url, body: updated })).status).toBe(200);
	});

	test('is refused with parameters that are lists or objects', async () => {
		const trigger = await published();
		const { search, searchParams } = new URL(hook(3).url);
		const signature = searchParams.get('signature') ?? '';

		for (const query of [
			`${search}&signature=${signature}`,
			`${search}&event=updateTask`,
			`?event=updateTask&signature[]=${signature}`,
			`?event=updateTask&signature[length]=64`,
			`?event[toString]=updateTask&signature=${signature}`,
			`?__proto__[event]=updateTask&signature=${signature}`,
		])
			await expectRefused(trigger, 401, { url: trigger.url + query });
	});
});

describe('Who knows a signed address', () => {
	test('can use it for its own event only', async () => {
		const trigger = await published({ events: ['createTask', 'updateTask'] });

		for (const event of ['createTask', 'createRoute', 'deleteTask', ''])
			await expectRefused(trigger, 401, { url: withQuery(hook(3).url, { event }) });
		await expectRefused(trigger, 401, { url: withQuery(hook(3).url, { event: undefined }) });
	});

	test('can use it for its own workflow only', async () => {
		const trigger = await published();
		const signature = signatureOf(trigger);
		const other = await published({}, { workflowId: 'other' });

		await expectRefused(other, 401, {
			url: `${other.url}?event=updateTask&signature=${signature}`,
		});
	});

	test('cannot use that of the test for the live workflow, or the other way round', async () => {
		const trigger = await published();
		const live = signatureOf(trigger);
		await trigger.listen();
		const urls = service.list().map(({ url }) => url);
		const testUrl = urls.find((url) => url.startsWith(trigger.testUrl)) ?? '';
		const test = new URL(testUrl).searchParams.get('signature') ?? '';

		expect(test).not.toBe(live);
		await expectRefused(trigger, 401, {
			url: withQuery(`${trigger.url}?event=updateTask`, { signature: test }),
		});
		await expectRefused(trigger, 401, { url: withQuery(testUrl, { signature: live }) });
		expect(trigger.listening).toBe(true);
	});

	test('cannot use it after the API secret was changed and the trigger subscribed anew', async () => {
		const ownService = await startService({ apiSecret: 'before' });
		const { port } = ownService;
		const credential = { ...ownService.credential };
		const trigger = await published({}, { credential });
		const url = ownService.control.webhooks()[0]?.url ?? '';
		await ownService.close();
		const changed = await startService({ port, apiSecret: 'changed' });
		credential.apiSecret = 'changed';

		expect((await trigger.receive({ url, body: updated })).status).toBe(200);
		await trigger.activate();

		await expectRefused(trigger, 401, { url });
		await trigger.deactivate();
		await changed.close();
	});

	test('cannot use it after the company was changed and the trigger subscribed anew', async () => {
		const credential: CredentialData = { ...service.credential };
		const trigger = await published({}, { credential });
		const { url } = hook(3);

		credential.companyId = 1002;
		await trigger.activate();

		await expectRefused(trigger, 401, { url });
		expect((await trigger.receive({ url: hook(3).url, body: updated })).status).toBe(200);
	});

	test('cannot use it for a workflow that has the same webhook ID', async () => {
		const trigger = await published();
		const { url } = hook(3);
		await trigger.deactivate();
		const copy = await published({}, { workflowId: 'copy', webhookId: 'webhook-of-workflow' });

		expect(copy.url).toBe(trigger.url);
		await expectRefused(copy, 401, { url });
	});

	test('starts nothing for an event that is no longer chosen', async () => {
		const before = await open({ events: ['createTask', 'updateTask'] });
		await before.activate();
		const { url } = hook(1);
		const after = await published({ events: ['updateTask'] });

		await expectRefused(after, 200, { url });
	});

	test('starts nothing after the workflow was unpublished', async () => {
		const trigger = await published();
		const { url } = hook(3);
		await trigger.deactivate();

		await expectRefused(trigger, 404, { url });
	});
});

describe('Who has a past event', () => {
	test('can do nothing with its content alone', async () => {
		const trigger = await published();
		const past = await trigger.receive({ url: hook(3).url, body: updated });

		expect(JSON.stringify(itemsOf(past))).not.toContain('signature');
		await expectRefused(trigger, 401, { url: trigger.url, body: updated });
	});

	test('and its address can repeat it, but not within the time of Skip Repeats', async () => {
		const open = await published();
		await open.receive({ url: hook(3).url, body: updated });
		const repeated = await open.receive({ url: hook(3).url, body: updated });
		const guarded = await published({ options: { ignoreDuplicatesMinutes: 60 } });
		await guarded.receive({ url: hook(3).url, body: updated });
		const skipped = await guarded.receive({ url: hook(3).url, body: updated });

		expect(passedOn(repeated)).toHaveLength(1);
		expect(passedOn(skipped)).toEqual([]);
	});
});

describe('Who can make the service post anything', () => {
	test.each([
		['data of other items', { json: { id: 'T9' }, pairedItem: { item: 0 }, ...updated }],
		['files', { json: {}, binary: { data: { id: 'filesystem:/secret', mimeType: 'a/b' } } }],
	])('cannot pass %s to the workflow: a payload stays data', async (_, body) => {
		const trigger = await published();

		const { workflowData } = await trigger.receive({ url: hook(3).url, body });

		expect(workflowData?.[0]).toEqual([{ json: expect.objectContaining(body) }]);
	});

	test('cannot change what objects are', async () => {
		const trigger = await published();
		const rawBody = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"id":"T1"}`;

		const received = await trigger.receive({ url: hook(3).url, rawBody, headers: json });

		expect(received.status).toBe(200);
		expect(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted')).toBeUndefined();
		expect(Object.getPrototypeOf(itemsOf(received)?.[0])).toBe(Object.prototype);
	});

	test('cannot make one event look like another', async () => {
		const trigger = await published();

		const received = await trigger.receive({
			url: hook(3).url,
			body: { ...updated, event: 'createTask', eventCode: 1 },
		});

		expect(itemsOf(received)).toMatchObject([{ event: 'updateTask', eventCode: 3 }]);
	});
});

describe('Who sends what is no event', () => {
	test('is refused with 413 above 1 MB, compressed or not', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const large = JSON.stringify({ ...updated, note: 'x'.repeat(1_000_000) });
		const largest = JSON.stringify({ ...updated, note: '' });
		const note = 'x'.repeat(1_000_000 - largest.length);

		await expectRefused(trigger, 413, { url, rawBody: large, headers: json });
		await expectRefused(trigger, 413, {
			url,
			rawBody: gzipSync(large),
			headers: { ...json, 'content-encoding': 'gzip' },
		});
		const fitting = await trigger.receive({ url, body: { ...updated, note } });
		expect(fitting.status).toBe(200);
	});

	test.each<[string, ReceiveOptions]>([
		['a number', { rawBody: '5', headers: json }],
		['text', { rawBody: 'hello', headers: { 'content-type': 'text/plain' } }],
		[
			'bytes',
			{ rawBody: randomBytes(64), headers: { 'content-type': 'application/octet-stream' } },
		],
		[
			'a form of several parts that holds none',
			{ rawBody: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
		],
		[
			'content 5000 levels deep',
			{ rawBody: `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, headers: json },
		],
	])('is refused with 400: %s', async (_, request) => {
		const trigger = await published();
		await expectRefused(trigger, 400, { url: hook(3).url, ...request });
	});

	const text = { 'content-type': 'text/plain' };
	test.each<[string, ReceiveOptions]>([
		['nothing', { body: undefined }],
		['an empty JSON body', { rawBody: '', headers: json }],
		['an empty object', { body: {} }],
		['an empty list', { body: [] }],
		['a list of nothing', { body: [{}, null, []] }],
		['null', { rawBody: 'null', headers: json }],
		['the text ping', { rawBody: 'ping', headers: text }],
		['ping in JSON', { rawBody: '"Ping"', headers: json }],
		['an object that says ping', { body: { ping: true } }],
		['an event that is called ping', { body: { event: 'ping', hook_id: 7 } }],
		['a question whether it answers (GET)', { method: 'GET', body: undefined }],
		['a question whether it is there (HEAD)', { method: 'HEAD', body: undefined }],
	])(
		'gets 200 and starts nothing with the right signature, 401 without: %s',
		async (_, request) => {
			const trigger = await published();

			await expectRefused(trigger, 200, { url: hook(3).url, ...request });
			await expectRefused(trigger, 401, { url: trigger.url, ...request });
		},
	);

	test('is an event all the same when it says ping beside a field of an event', async () => {
		const trigger = await published();
		const { run } = await trigger.receive({ url: hook(3).url, body: { id: 'T1', status: 'ping' } });
		expect(run).toBeDefined();
	});

	test('is refused by n8n itself when it is broken JSON', async () => {
		const trigger = await published();
		await expectRefused(trigger, 422, { url: hook(3).url, rawBody: '{"id":', headers: json });
	});

	/** Whether a body says nothing: blanks, null, a list of nothing, or JSON text of such. */
	function isEmpty(body: unknown): boolean {
		if (Array.isArray(body)) return body.every(isEmpty);
		if (typeof body !== 'string') return body === null || isDeepStrictEqual(body, {});
		if (body.trim() === '') return true;
		try {
			return isEmpty(JSON.parse(body));
		} catch {
			return false;
		}
	}

	const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
	const anyText = fc.string({ unit: 'binary' }).map((text) => Buffer.from(text));

	test('crashes nothing and starts nothing: 200 malformed bodies from a fuzzer', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const broken = fc.json().map((text) => Buffer.from(text.slice(0, text.length / 2)));
		const pieces = ['{"a":', '[[[[', '{"__proto__":1', '"', '\u0000', '[,]', '{}{}', '<a>'];
		const noObject = fc
			.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.integer()))
			.map((value) => Buffer.from(JSON.stringify(value)));
		const piece = fc.constantFrom(...pieces).map((text) => Buffer.from(text));
		const malformed = fc.oneof(bytes, anyText, broken, noObject, piece);
		const contentTypes = ['application/json', 'text/plain', 'application/octet-stream', ''];
		const statuses: number[] = [];

		await fc.assert(
			fc.asyncProperty(malformed, fc.constantFrom(...contentTypes), async (rawBody, type) => {
				const headers = { 'content-type': type };
				const { status } = await trigger.receive({ url, rawBody, headers });
				// 422 is n8n's own answer to JSON that it cannot read.
				// 200 is for what is empty, such as a list of nothing.
				const refusals = type === 'application/json' ? [400, 422] : [400];
				const allowed = isEmpty(rawBody.toString()) ? [200, ...refusals] : refusals;
				expect(allowed).toContain(status);
				statuses.push(status);
			}),
			// A string of blanks was found once in some two thousand bodies.
			{ numRuns: 200, examples: [[Buffer.from('" "'), 'application/json']] },
		);

		expect(statuses.length).toBeGreaterThanOrEqual(200);
		expect(trigger.executions).toEqual([]);
		expect((await trigger.receive({ url, body: updated })).status).toBe(200);
	});

	test('crashes nothing as a form or XML: what comes out of it tells its issues', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const contentTypes = ['application/x-www-form-urlencoded', 'text/xml'];

		await fc.assert(
			fc.asyncProperty(
				fc.oneof(bytes, anyText),
				fc.constantFrom(...contentTypes),
				async (rawBody, type) => {
					const headers = { 'content-type': type };
					const received = await trigger.receive({ url, rawBody, headers });
					expect([200, 400, 422]).toContain(received.status);
					const isWithoutEvent = JSON.stringify(received.body).includes('Received');
					expect(received.run !== undefined).toBe(received.status === 200 && !isWithoutEvent);
					for (const item of itemsOf(received) ?? [])
						expect(item).toMatchObject({ event: 'updateTask', issues: expect.any(Array) });
				},
			),
			{ numRuns: 100 },
		);
	});

	test('crashes nothing without signatures either, and what comes out tells its issues', async () => {
		const trigger = await published(unsigned);

		await fc.assert(
			fc.asyncProperty(fc.jsonValue(), async (body) => {
				const received = await trigger.receive({
					url: trigger.url,
					rawBody: JSON.stringify(body),
					headers: json,
				});
				expect([200, 400]).toContain(received.status);
				for (const item of itemsOf(received) ?? [])
					expect(item).toMatchObject({ event: 'unknown', issues: [expect.any(String)] });
			}),
			{ numRuns: 100 },
		);
	});
});

describe('Who calls while n8n has no secret to check with', () => {
	test.each(['apiSecret', 'apiKeyId', 'baseUrl', 'companyId'])(
		'starts nothing that it could not start before: a credential without its %s',
		async (field) => {
			const credential: CredentialData = { ...service.credential };
			const trigger = await published({}, { credential });
			const { url } = hook(3);

			credential[field] = '';

			const refusal = field === 'apiKeyId' ? 401 : 503;
			await expectRefused(trigger, refusal, { url: trigger.url });
			await expectRefused(trigger, refusal, {
				url: withQuery(url, { signature: '0'.repeat(64) }),
			});
			expect((await trigger.receive({ url, body: updated })).status).toBe(200);
		},
	);
});

describe('Who turns signing off', () => {
	test('opens the address to everybody who knows it', async () => {
		const trigger = await published(unsigned);

		const received = await trigger.receive({ url: trigger.url, body: updated });

		expect(received.status).toBe(200);
		expect(received.run).toBeDefined();
	});

	test('must do so in the node: a call cannot', async () => {
		const trigger = await published();

		await expectRefused(trigger, 401, {
			url: `${trigger.url}?event=updateTask&verifyCaller=false`,
			body: { ...updated, options: { verifyCaller: false } },
		});
	});
});

describe('docs/security.md', () => {
	test('names in each row tests that exist', () => {
		const folder = join(__dirname, '../..');
		const rows = readFileSync(join(folder, 'docs/security.md'), 'utf8')
			.split('\n')
			.filter((line) => /^\| (?!-)/.test(line));
		const tests = ['security', 'lifecycle', 'events']
			.map((name) => readFileSync(join(folder, `test/engine/trigger.${name}.test.ts`), 'utf8'))
			.join('\n');
		const named = rows.slice(1).map((row) => row.split('|').at(-2) ?? '');

		expect(named.length).toBeGreaterThan(10);
		for (const cell of named) {
			const names = [...cell.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? '');
			expect(names).not.toEqual([]);
			for (const name of names) expect(tests).toContain(name);
		}
	});
});

/** The signature of a trigger's address for updates at the service. */
function signatureOf(trigger: Trigger): string {
	const found = service.list().find(({ url }) => url.startsWith(trigger.url));
	const signature = new URL(found?.url ?? 'none:').searchParams.get('signature');
	if (signature === null) throw new Error('The trigger has no signed address.');
	return signature;
}
