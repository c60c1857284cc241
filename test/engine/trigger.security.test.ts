/** What an attacker can and cannot do to a trigger, as the table in docs/security.md says. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';
import { z } from 'zod';

import { startService } from '../../playground/service/server';
import type { CredentialData, ReceiveOptions, Trigger } from '../support/engine/engine';
import { itemsOf, setUpTriggers, updated, withQuery } from '../support/triggerNode';

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

test('rejects an unsigned call with and without an event', async () => {
	const trigger = await published();

	await expectRejected(trigger, 401, { url: trigger.url });
	await expectRejected(trigger, 401, { url: `${trigger.url}?event=updateTask` });
	await expectRejected(trigger, 401, { url: `${trigger.url}?event=updateTask&signature=` });
});

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

describe('static data of the node', () => {
	test('saves only digests, and rejects a digest as a signature', async () => {
		const trigger = await published();
		const { url } = hook(3);
		const { global: saved } = z
			.object({ global: z.record(z.array(z.string())) })
			.parse(trigger.staticData);
		const digests = saved['deliveryServiceTrigger:webhook-of-workflow'] ?? [];

		expect(Object.keys(saved)).toEqual(['deliveryServiceTrigger:webhook-of-workflow']);
		expect(digests).toHaveLength(1);
		expect(new URL(url).searchParams.get('signature')).not.toBe(digests[0]);
		await expectRejected(trigger, 401, { url: withQuery(url, { signature: digests[0] }) });
	});

	test('ignores malformed static data of the node', async () => {
		const trigger = await published();
		for (const written of ['x', [null], { digests: ['x'], sites: [{ baseUrl: 'http://evil' }] }]) {
			trigger.staticData = { global: { 'deliveryServiceTrigger:webhook-of-workflow': written } };
			await expectRejected(trigger, 401, { url: trigger.url });
			expect(await trigger.deactivate()).toBeUndefined();
			expect(service.list()).toEqual([]);
			await trigger.activate();
		}
	});
});

test('groups equal rejections of a node in the log', async () => {
	const now = jest.spyOn(Date, 'now');
	const trigger = await published({}, { workflowId: 'grouped' });
	for (let count = 0; count < 20; count++) await expectRejected(trigger, 401, { url: trigger.url });
	await expectRejected(trigger, 400, { url: hook(3).url, body: [[]] });
	const minuteLater = Date.now() + 60_000;
	now.mockImplementation(() => minuteLater);
	await expectRejected(trigger, 401, { url: trigger.url });

	expect(service.warnings()).toEqual([
		expect.stringMatching(/rejected a call \(status 401\): .*publish the workflow again/),
		expect.stringContaining('rejected a call (status 400): The body contains no event.'),
		expect.stringContaining('rejected a call (status 401)'),
	]);
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
			valid.toUpperCase(),
			`${valid}00`,
			`${valid}zz`,
			` ${valid}`,
			`0x${valid}`,
			valid.slice(0, 63),
			valid.slice(0, 32),
			valid.slice(1),
			'0'.repeat(64),
			'null',
			'true',
			'[object Object]',
			`${valid}\u0000`,
			'ü'.repeat(64),
		].filter((signature) => signature !== valid);

		for (const signature of forged)
			await expectRejected(trigger, 401, { url: withQuery(url, { signature }) });

		expect(forged.length).toBeGreaterThanOrEqual(50);
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

	test('starts nothing for a deselected event', async () => {
		const before = await open({ events: ['createTask', 'updateTask'] });
		await before.activate();
		const { url } = hook(1);
		const after = await published({ events: ['updateTask'] });

		await expectRejected(after, 200, { url });
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
});

describe('bodies without an event', () => {
	test.each([
		['not compressed', 'hello', 400],
		['compressed and cut off', gzipSync('x'.repeat(1000)).subarray(0, 20), 400],
	])('rejects a body of bytes that is announced as gzip, but is %s', async (_, rawBody, status) => {
		const headers = { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' };
		for (const n8n of ['1', '2'] as const) {
			const trigger = await published({}, { n8n });
			await expectRejected(trigger, status, { url: hook(3).url, rawBody, headers });
			await trigger.deactivate();
		}
	});

	test.each<[string, ReceiveOptions]>([
		['text', { rawBody: 'hello', headers: { 'content-type': 'text/plain' } }],
		[
			'bytes',
			{ rawBody: randomBytes(64), headers: { 'content-type': 'application/octet-stream' } },
		],
		[
			'objects 5000 levels deep',
			{ rawBody: `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, headers: json },
		],
		['a list with an entry that is no event', { body: [updated, 'late'] }],
	])('rejects %s with 400', async (_, request) => {
		const trigger = await published();
		await expectRejected(trigger, 400, { url: hook(3).url, ...request });
	});

	test.each<[string, ReceiveOptions]>([
		['no body', { body: undefined }],
		['an empty list', { body: [] }],
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
				const isEmpty = ['', '[]', '{}'].includes(rawBody.toString().trim());
				const allowed = isEmpty ? [200, ...rejections] : rejections;
				expect(allowed).toContain(status);
				statuses.push(status);
			}),
			{ numRuns: 200 },
		);

		expect(statuses.length).toBeGreaterThanOrEqual(200);
		expect(trigger.executions).toEqual([]);
		expect((await trigger.receive({ url, body: updated })).status).toBe(200);
	});
});

describe('an incomplete credential', () => {
	test.each(['apiSecret', 'apiKeyId', 'baseUrl', 'companyId'])(
		'rejects calls when the credential has no %s',
		async (field) => {
			const credential: CredentialData = { ...service.credential };
			const trigger = await published({}, { credential });
			const { url } = hook(3);

			credential[field] = '';

			const isSigned = field === 'apiKeyId';
			await expectRejected(trigger, isSigned ? 401 : 503, { url: trigger.url });
			expect((await trigger.receive({ url, body: updated })).status).toBe(isSigned ? 200 : 503);
		},
	);
});

test('a changed credential applies to calls a second after the last reading, or at once when published again', async () => {
	const now = jest.spyOn(Date, 'now');
	const setTime = (ms: number) => now.mockImplementation(() => ms);
	setTime(1_000_000);
	const credential: CredentialData = { ...service.credential };
	const trigger = await published({}, { credential });
	const { url } = hook(3);
	const statusAt = async (ms: number) => {
		setTime(ms);
		return (await trigger.receive({ url, body: updated })).status;
	};
	expect(await statusAt(1_000_000)).toBe(200);
	credential.companyId = 1002;

	expect(await statusAt(1_000_999)).toBe(200);
	expect(await statusAt(1_001_000)).toBe(401);
	credential.companyId = service.credential.companyId;
	await trigger.activate();
	expect(await statusAt(1_001_001)).toBe(200);
});

describe('the option Verify Caller', () => {
	test('starts the workflow for any caller when Verify Caller is off', async () => {
		const trigger = await published(unsigned);

		const received = await trigger.receive({ url: trigger.url, body: updated });

		expect(received.status).toBe(200);
		expect(received.workflowData).toMatchObject([[{ json: { event: 'unknown', ...updated } }]]);
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
