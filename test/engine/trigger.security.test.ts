/** What an attacker can and cannot do to a trigger, as the table in docs/security.md says. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';

import axios from 'axios';
import fc from 'fast-check';
import { z } from 'zod';

import { startService } from '../../playground/service/server';
import type { CredentialData, ReceiveOptions, Trigger } from '../support/engine/engine';
import { itemsOf, triggerOutput, setUpTriggers, updated, withQuery } from '../support/triggerNode';

const service = setUpTriggers();
const { open, hook } = service;
const unsigned = { options: { verifyCaller: false } };
const json = { 'content-type': 'application/json' };

async function published(...options: Parameters<typeof open>): Promise<Trigger> {
	const trigger = await open(...options);
	await trigger.activate();
	return trigger;
}

/** Expects that a call gets a status as response and starts nothing. */
async function expectRejected(trigger: Trigger, status: number, request: ReceiveOptions) {
	const before = trigger.executions.length;
	const received = await trigger.receive({ body: updated, ...request });
	expect({ status: received.status, run: received.run }).toEqual({ status, run: undefined });
	expect(trigger.executions).toHaveLength(before);
}

describe('unsigned calls', () => {
	test('rejects an unsigned call with and without an event', async () => {
		const trigger = await published();

		await expectRejected(trigger, 401, { url: trigger.url });
		await expectRejected(trigger, 401, { url: `${trigger.url}?event=updateTask` });
		await expectRejected(trigger, 401, { url: `${trigger.url}?event=updateTask&signature=` });
		expect(service.warnings()).toHaveLength(3);
	});

	test('rejects an unsigned call with 401 whatever its body is', async () => {
		const trigger = await published();

		await expectRejected(trigger, 401, { url: trigger.url, body: [] });
		await expectRejected(trigger, 401, { url: trigger.url, body: { id: 'x'.repeat(1_500_000) } });
	});
});

describe('a copied workflow file', () => {
	test('rejects a URL that a copy of the workflow signed with another secret', async () => {
		const trigger = await published();
		const ownService = await startService({ apiSecret: 'guessed' });
		// The same node of the same workflow, with the attacker's service and secret.
		const copy = await open({}, { credential: ownService.credential });
		await copy.create();
		const forged = ownService.control.webhooks()[0]?.url ?? '';
		await ownService.close();

		expect(forged).toMatch(/\?event=updateTask&workflow=workflow&signature=[0-9a-f]{64}$/);
		await expectRejected(trigger, 401, { url: forged });
	});
});

describe('static data of the node', () => {
	const stateSchema = z.object({
		digests: z.array(z.string()),
		sites: z.array(z.record(z.unknown())),
	});
	const globalSchema = z.object({
		global: z.object({ 'deliveryServiceTrigger:trigger': stateSchema }),
	});
	const savedState = ({ staticData }: Trigger) =>
		globalSchema.parse(staticData).global['deliveryServiceTrigger:trigger'];
	/** Changes the saved sites as someone may who can write the static data. */
	const writeSites = (trigger: Trigger, change: (sites: object[]) => unknown) => {
		const state = savedState(trigger);
		const changed = { ...state, workflowId: 'workflow', sites: change(state.sites) };
		trigger.staticData = { global: { 'deliveryServiceTrigger:trigger': changed } };
	};

	test.each<[string, (site: object, baseUrl: string) => object[]]>([
		['instead of its own', (site, baseUrl) => [{ ...site, baseUrl }]],
		['next to its own', (site, baseUrl) => [site, { ...site, baseUrl }]],
		['without a proof', (site, baseUrl) => [{ ...site, baseUrl, proof: undefined }]],
		['of a service with this host in its path', (site, baseUrl) => [{ ...site, baseUrl }]],
	])(
		'sends nothing to a Base URL that someone wrote into the static data %s',
		async (title, change) => {
			const other = await startService();
			const { baseUrl } = other.credential;
			const host = new URL(service.credential.baseUrl).host;
			const trigger = await published();
			writeSites(trigger, ([site = {}]) =>
				change(site, title.includes('path') ? `${baseUrl}/${host}` : baseUrl),
			);

			await trigger.activate();
			await trigger.deactivate();
			const sent = other.control.requests();
			await other.close();

			expect(sent).toEqual([]);
			expect(service.list()).toEqual([]);
			expect(service.warnings()[0]).toMatch(
				/^Node "Delivery Service Trigger" in workflow .*: it sent nothing to http.*, company 1001, .*can't tell.*Webhook > Delete/,
			);
		},
	);

	test('sends nothing to a former Base URL for a company that someone wrote next to it', async () => {
		const former = await startService();
		const credential: CredentialData = { ...former.credential };
		const trigger = await published({}, { credential });
		Object.assign(credential, service.credential);
		writeSites(trigger, ([site = {}]) => [{ ...site, companyId: 1002 }]);

		await trigger.deactivate();
		const sent = former.control.requests().map(({ path }) => path);
		await former.close();

		expect(sent.filter((path) => path.includes('1002'))).toEqual([]);
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['a text', 'x'],
		[
			'entries that are no sites',
			[null, 5, { baseUrl: 'x' }, { baseUrl: 'ftp://x', companyId: 1 }],
		],
		['an invalid Base URL', [{ baseUrl: 'http://[', companyId: 1001, webhookUrl: 'x' }]],
	])('removes its webhooks when the saved sites contain %s', async (_, sites) => {
		const trigger = await published();
		writeSites(trigger, () => sites);

		expect(await trigger.deactivate()).toBeUndefined();

		expect(service.list()).toEqual([]);
	});

	test('removes the webhook at another company of its Base URL without a proof', async () => {
		const credential: CredentialData = { ...service.credential };
		const trigger = await published({}, { credential });
		credential.companyId = 1002;
		writeSites(trigger, ([site = {}]) => [null, { ...site, proof: 'x' }]);

		await trigger.deactivate();

		expect(service.list()).toEqual([]);
		expect(service.warnings()).toEqual([]);
	});

	test('saves digests of signatures and rejects a digest as a signature', async () => {
		const trigger = await published();
		const saved = JSON.stringify(trigger.staticData);
		const { url } = hook(3);
		const signature = new URL(url).searchParams.get('signature') ?? '';
		const { digests } = savedState(trigger);

		for (const secret of [signature, service.credential.apiSecret, service.credential.apiKeyId])
			expect(saved).not.toContain(secret);
		expect(digests).toHaveLength(1);
		for (const digest of digests)
			await expectRejected(trigger, 401, { url: withQuery(url, { signature: digest }) });
	});
});

describe('forged signatures', () => {
	test('rejects 50 forged signatures, however similar', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const valid = new URL(url).searchParams.get('signature') ?? '';
		const altered = Array.from({ length: 16 }, (_, index) => {
			const other = valid[index * 4] === '0' ? '1' : '0';
			return valid.slice(0, index * 4) + other + valid.slice(index * 4 + 1);
		});
		const forged = [
			...altered,
			...Array.from({ length: 20 }, () => randomBytes(32).toString('hex')),
			...[valid.toUpperCase(), `${valid}00`, `${valid}zz`, ` ${valid}`, `0x${valid}`],
			...[valid.slice(0, 63), valid.slice(0, 32), valid.slice(1), '0'.repeat(64), 'null'],
			...['true', '[object Object]', `${valid}\u0000`, 'ü'.repeat(64)],
		].filter((signature) => signature !== valid);

		for (const signature of forged)
			await expectRejected(trigger, 401, { url: withQuery(url, { signature }) });

		expect(forged.length).toBeGreaterThanOrEqual(50);
		expect(service.warnings()).toHaveLength(forged.length);
		expect((await trigger.receive({ url, body: updated })).status).toBe(200);
	});

	test('rejects query parameters that are lists or objects', async () => {
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
			await expectRejected(trigger, 401, { url: trigger.url + query });
	});
});

describe('leaked event URLs', () => {
	test('rejects a signature for another event', async () => {
		const trigger = await published({ events: ['createTask', 'updateTask'] });

		for (const event of ['createTask', 'createRoute', 'deleteTask', ''])
			await expectRejected(trigger, 401, { url: withQuery(hook(3).url, { event }) });
		await expectRejected(trigger, 401, { url: withQuery(hook(3).url, { event: undefined }) });
	});

	test('rejects a signature for another workflow', async () => {
		const trigger = await published();
		const signature = signatureOf(trigger);
		const other = await published({}, { workflowId: 'other' });

		await expectRejected(other, 401, {
			url: `${other.url}?event=updateTask&signature=${signature}`,
		});
	});

	test('rejects the signature of the test for the live workflow and vice versa', async () => {
		const trigger = await published();
		const live = signatureOf(trigger);
		await trigger.listen();
		const urls = service.list().map(({ url }) => url);
		const testUrl = urls.find((url) => url.startsWith(trigger.testUrl)) ?? '';
		const test = new URL(testUrl).searchParams.get('signature') ?? '';

		expect(test).not.toBe(live);
		await expectRejected(trigger, 401, {
			url: withQuery(`${trigger.url}?event=updateTask`, { signature: test }),
		});
		await expectRejected(trigger, 401, { url: withQuery(testUrl, { signature: live }) });
		expect(trigger.listening).toBe(true);
	});

	test('rejects an old URL after the API secret has changed and the trigger has resubscribed', async () => {
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

		await expectRejected(trigger, 401, { url });
		await trigger.deactivate();
		await changed.close();
	});

	test('rejects an old URL after the company has changed and the trigger has resubscribed', async () => {
		const credential: CredentialData = { ...service.credential };
		const trigger = await published({}, { credential });
		const { url } = hook(3);

		credential.companyId = 1002;
		await trigger.activate();

		await expectRejected(trigger, 401, { url });
		expect((await trigger.receive({ url: hook(3).url, body: updated })).status).toBe(200);
	});

	test('rejects a signature for a workflow with the same webhook ID', async () => {
		const trigger = await published();
		const { url } = hook(3);
		await trigger.deactivate();
		const copy = await published({}, { workflowId: 'copy', webhookId: 'webhook-of-workflow' });

		expect(copy.url).toBe(trigger.url);
		await expectRejected(copy, 401, { url });
	});

	test('starts nothing for a deselected event', async () => {
		const before = await open({ events: ['createTask', 'updateTask'] });
		await before.activate();
		const { url } = hook(1);
		const after = await published({ events: ['updateTask'] });

		await expectRejected(after, 200, { url });
	});

	test('starts nothing after the workflow is unpublished', async () => {
		const trigger = await published();
		const { url } = hook(3);
		await trigger.deactivate();

		await expectRejected(trigger, 404, { url });
	});
});

describe('replayed events', () => {
	test('outputs no signature and rejects a replayed body without one', async () => {
		const trigger = await published();
		const earlier = await trigger.receive({ url: hook(3).url, body: updated });

		expect(JSON.stringify(itemsOf(earlier))).not.toContain('signature');
		await expectRejected(trigger, 401, { url: trigger.url, body: updated });
	});

	test('passes a replayed call, but not within the time of Ignore Duplicates', async () => {
		const unguarded = await published();
		await unguarded.receive({ url: hook(3).url, body: updated });
		const replayed = await unguarded.receive({ url: hook(3).url, body: updated });
		const guarded = await published({ options: { ignoreDuplicatesMinutes: 60 } });
		await guarded.receive({ url: hook(3).url, body: updated });
		const ignored = await guarded.receive({ url: hook(3).url, body: updated });

		expect(triggerOutput(replayed)).toHaveLength(1);
		expect(triggerOutput(ignored)).toEqual([]);
	});
});

describe('payloads of an attacker', () => {
	test.each([
		['data of other items', { json: { id: 'T9' }, pairedItem: { item: 0 }, ...updated }],
		['files', { json: {}, binary: { data: { id: 'filesystem:/secret', mimeType: 'a/b' } } }],
	])('outputs %s in a payload as plain data', async (_, body) => {
		const trigger = await published();

		const { workflowData } = await trigger.receive({ url: hook(3).url, body });

		expect(workflowData?.[0]).toEqual([{ json: expect.objectContaining(body) }]);
	});

	test('does not let a payload change prototypes', async () => {
		const trigger = await published();
		const rawBody = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"id":"T1"}`;

		const received = await trigger.receive({ url: hook(3).url, rawBody, headers: json });

		expect(received.status).toBe(200);
		expect(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted')).toBeUndefined();
		expect(Object.getPrototypeOf(itemsOf(received)?.[0])).toBe(Object.prototype);
	});

	test('does not let a payload replace the event', async () => {
		const trigger = await published();

		const received = await trigger.receive({
			url: hook(3).url,
			body: { ...updated, event: 'createTask' },
		});

		expect(itemsOf(received)).toMatchObject([{ event: 'updateTask' }]);
	});
});

describe('bodies without an event', () => {
	test('rejects a body above 1 MB with 413, compressed or not', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const large = JSON.stringify({ ...updated, note: 'x'.repeat(1_000_000) });
		const largest = JSON.stringify({ ...updated, note: '' });
		const note = 'x'.repeat(1_000_000 - largest.length);

		await expectRejected(trigger, 413, { url, rawBody: large, headers: json });
		await expectRejected(trigger, 413, {
			url,
			rawBody: gzipSync(large),
			headers: { ...json, 'content-encoding': 'gzip' },
		});
		const fitting = await trigger.receive({ url, body: { ...updated, note } });
		expect(fitting.status).toBe(200);
	});

	test.each([
		['not compressed', 'hello', 400],
		['compressed and cut off', gzipSync('x'.repeat(1000)).subarray(0, 20), 400],
		['larger than n8n reads', gzipSync(Buffer.alloc(17 * 1024 * 1024)), 413],
	])('rejects a body of bytes that is announced as gzip, but is %s', async (_, rawBody, status) => {
		const headers = { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' };
		for (const n8n of ['1', '2'] as const) {
			const trigger = await published({}, { n8n });
			await expectRejected(trigger, status, { url: hook(3).url, rawBody, headers });
			await trigger.deactivate();
		}
	});

	test('rejects a multipart form above 1 MB with 413, also if its length is not announced', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const headers = { 'content-type': 'multipart/form-data; boundary=x' };
		const field = `--x\r\nContent-Disposition: form-data; name="note"\r\n\r\n${'x'.repeat(1_000_001)}\r\n`;
		const rawBody = `${field}--x--\r\n`;

		await expectRejected(trigger, 413, { url, rawBody, headers });
		const chunked = await axios.post(url, Readable.from([rawBody]), {
			headers,
			validateStatus: () => true,
		});
		expect(chunked.status).toBe(413);
		expect(trigger.executions).toEqual([]);
	});

	test.each<[string, ReceiveOptions]>([
		['a number', { rawBody: '5', headers: json }],
		['text', { rawBody: 'hello', headers: { 'content-type': 'text/plain' } }],
		[
			'bytes',
			{ rawBody: randomBytes(64), headers: { 'content-type': 'application/octet-stream' } },
		],
		[
			'a multipart form without parts',
			{ rawBody: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
		],
		[
			'a multipart body of another kind',
			{ rawBody: 'x', headers: { 'content-type': 'multipart/mixed; boundary=x' } },
		],
		[
			'content 5000 levels deep',
			{ rawBody: `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, headers: json },
		],
	])('rejects %s with 400', async (_, request) => {
		const trigger = await published();
		await expectRejected(trigger, 400, { url: hook(3).url, ...request });
	});

	const text = { 'content-type': 'text/plain' };
	test.each<[string, ReceiveOptions]>([
		['no body', { body: undefined }],
		['an empty JSON body', { rawBody: '', headers: json }],
		['an empty object', { body: {} }],
		['an empty list', { body: [] }],
		['a list of empty values', { body: [{}, null, []] }],
		['null', { rawBody: 'null', headers: json }],
		['the text ping', { rawBody: 'ping', headers: text }],
		['ping in JSON', { rawBody: '"Ping"', headers: json }],
		['an object with a field ping', { body: { ping: true } }],
		['an event named ping', { body: { event: 'ping', hook_id: 7 } }],
		['a GET request', { method: 'GET', body: undefined }],
		['a HEAD request', { method: 'HEAD', body: undefined }],
	])(
		'starts nothing and responds 200 with the signature, 401 without it: %s',
		async (_, request) => {
			const trigger = await published();

			await expectRejected(trigger, 200, { url: hook(3).url, ...request });
			await expectRejected(trigger, 401, { url: trigger.url, ...request });
		},
	);

	test('rejects a PATCH request with 405, with and without the signature', async () => {
		const trigger = await published();

		await expectRejected(trigger, 405, { method: 'PATCH', url: hook(3).url });
		await expectRejected(trigger, 405, { method: 'PATCH', url: trigger.url });
	});

	test('starts the workflow for a ping that has a field of an event', async () => {
		const trigger = await published();
		const { run } = await trigger.receive({ url: hook(3).url, body: { id: 'T1', status: 'ping' } });
		expect(run).toBeDefined();
	});

	test('leaves invalid JSON to n8n, which rejects it', async () => {
		const trigger = await published();
		await expectRejected(trigger, 422, { url: hook(3).url, rawBody: '{"id":', headers: json });
	});

	/** Whether a body is empty: blank text, null, a list of empty values, or JSON text of these. */
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

	test('starts nothing for 200 malformed bodies from a fuzzer', async () => {
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
				// 422 is n8n's own response to invalid JSON, 200 the node's to an empty body.
				const rejections = type === 'application/json' ? [400, 422] : [400];
				const allowed = isEmpty(rawBody.toString()) ? [200, ...rejections] : rejections;
				expect(allowed).toContain(status);
				statuses.push(status);
			}),
			// The fuzzer finds a blank JSON string only once in some two thousand bodies.
			{ numRuns: 200, examples: [[Buffer.from('" "'), 'application/json']] },
		);

		expect(statuses.length).toBeGreaterThanOrEqual(200);
		expect(trigger.executions).toEqual([]);
		expect((await trigger.receive({ url, body: updated })).status).toBe(200);
	});

	test('reports issues for malformed forms and XML from a fuzzer', async () => {
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
					// In a form, n8n reads any other text as the name of a field.
					const isWithoutEvent = (type === 'text/xml' ? /^\s*$/ : /^\uFEFF?&*$/).test(
						rawBody.toString(),
					);
					expect(received.run !== undefined).toBe(received.status === 200 && !isWithoutEvent);
					for (const item of itemsOf(received) ?? [])
						expect(item).toMatchObject({ event: 'updateTask', issues: expect.any(Array) });
				},
			),
			{ numRuns: 100, examples: contentTypes.map((type) => [Buffer.from('\t'), type]) },
		);
	});

	test('reports issues for any JSON when Verify Caller is off', async () => {
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

describe('an incomplete credential', () => {
	test.each(['apiSecret', 'apiKeyId', 'baseUrl', 'companyId'])(
		'accepts only known signatures when the credential has no %s',
		async (field) => {
			const credential: CredentialData = { ...service.credential };
			const trigger = await published({}, { credential });
			const { url } = hook(3);

			credential[field] = '';

			const status = field === 'apiKeyId' ? 401 : 503;
			await expectRejected(trigger, status, { url: trigger.url });
			await expectRejected(trigger, status, {
				url: withQuery(url, { signature: '0'.repeat(64) }),
			});
			expect((await trigger.receive({ url, body: updated })).status).toBe(200);
		},
	);
});

describe('the option Verify Caller', () => {
	test('starts the workflow for any caller when Verify Caller is off', async () => {
		const trigger = await published(unsigned);

		const received = await trigger.receive({ url: trigger.url, body: updated });

		expect(received.status).toBe(200);
		expect(received.run).toBeDefined();
	});

	test('does not let a call turn Verify Caller off', async () => {
		const trigger = await published();

		await expectRejected(trigger, 401, {
			url: `${trigger.url}?event=updateTask&verifyCaller=false`,
			body: { ...updated, options: { verifyCaller: false } },
		});
	});
});

/** The signature in the trigger's listed URL for updates. */
function signatureOf(trigger: Trigger): string {
	const found = service.list().find(({ url }) => url.startsWith(trigger.url));
	const signature = new URL(found?.url ?? 'none:').searchParams.get('signature');
	if (signature === null) throw new Error('The trigger has no signed URL.');
	return signature;
}
