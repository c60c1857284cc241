/**
 * What a service, a gateway or a proxy can do with its answers, and a customer with an order: stop n8n, have
 * a secret shown, or write into its messages.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { inspect } from 'node:util';

import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { deduplicationStore, openTrigger, runNode, testCredential } from '../support/engine/engine';
import { fromOrders, until } from '../support/actionNode';
import { delivery } from '../support/sampleDelivery';
import { sampleOrder } from '../support/sampleOrder';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let answer: Answer = (_, response) => response.end();
let origin = '';
let baseUrl = '';
const server = createServer((request, response) => {
	const chunks: Buffer[] = [];
	request.on('data', (chunk: Buffer) => chunks.push(chunk));
	request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
});

beforeAll(async () => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	origin = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
});
beforeEach(() => {
	deduplicationStore.reset();
	// A rate limit of its own: otherwise, a test would wait a minute because of the requests of those before.
	baseUrl = `${origin}/${randomUUID()}`;
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => {
	server.closeAllConnections();
	server.close();
});

const apiKeyId = 'key_4f2a';
const apiSecret = 'tV9/q+Zr3"x&Wm7Kc5Yd2Hs8';
const credential = () => ({ baseUrl, apiKeyId, apiSecret, companyId: 1001 });

const run = async (parameters: INodeParameters, ...items: object[]) =>
	await runNode({
		node: 'deliveryService',
		parameters,
		items: (items.length > 0 ? items : [{}]).map((item) => ({ json: { ...item } })),
		credential: credential(),
	});

const webhook = (operation: string, more: INodeParameters = {}): INodeParameters => ({
	resource: 'webhook',
	operation,
	url: 'https://a.example/hook',
	event: 'updateTask',
	...more,
});

/** Everything that reads an answer, and what it returns, throws, logs and stores. */
const readers: Record<string, () => Promise<unknown>> = {
	'Create From Shopify Orders': async () =>
		await run(fromOrders, sampleOrder({ created_at: new Date().toISOString() })),
	'Create, two in a request': async () =>
		await run(
			{
				resource: 'delivery',
				operation: 'create',
				source: 'json',
				deliveryJson: '={{ $json }}',
				skipAlreadySent: true,
				options: { batchSize: 2 },
			},
			delivery({ referenceId: 'R1' }),
			delivery({ referenceId: 'R2' }),
		),
	Update: async () =>
		await run({
			resource: 'delivery',
			operation: 'update',
			changesFrom: 'defineBelow',
			findBy: 'deliveryIds',
			deliveryIds: 'd1',
			changes: { referenceId: 'R1' },
		}),
	'Webhook: Create': async () => await run(webhook('create')),
	'Webhook: Delete': async () => await run(webhook('delete')),
	'Webhook: Get Many': async () => await run(webhook('getAll', { returnAll: false, limit: 50 })),
	'Webhook: Reactivate': async () =>
		await run(webhook('reactivate', { urlPrefix: 'https://a.example/' })),
	publishing: async () => {
		const trigger = await openTrigger({ credential: credential() });
		const failure: unknown = await trigger.activate().catch((error: unknown) => error);
		return [failure, await trigger.deactivate(), trigger.staticData];
	},
	'the connection test': async () => await testCredential(credential()),
};
const names = Object.keys(readers);

async function read(name: string): Promise<unknown> {
	return await readers[name]?.();
}

const respond =
	(status: number, body: string, headers: Record<string, string> = {}): Answer =>
	(_, response) => {
		response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
	};

/** Bodies of about a number of bytes. */
const bodies: Record<string, (bytes: number) => string> = {
	letters: (bytes) => 'a'.repeat(bytes),
	digits: (bytes) => '8'.repeat(bytes),
	blanks: (bytes) => `x${' '.repeat(bytes)}x`,
	brackets: (bytes) => '['.repeat(bytes),
	backslashes: (bytes) => '\\'.repeat(bytes),
	dots: (bytes) => 'a.'.repeat(bytes / 2),
	'a page': (bytes) => `<html><title>${' '.repeat(bytes)}`,
	'a long message': (bytes) => JSON.stringify({ message: 'pickup.'.repeat(bytes / 7) }),
	'JSON of 10,000 levels': (bytes) =>
		`${'['.repeat(10_000)}"${'a'.repeat(bytes)}"${']'.repeat(10_000)}`,
	'100,000 records': (bytes) =>
		JSON.stringify({
			message: 'OK',
			payload: Array.from({ length: bytes / 20 }, (_, index) => ({ id: `d${index}` })),
		}),
	'100,000 webhooks': (bytes) =>
		JSON.stringify(Array.from({ length: bytes / 20 }, () => ({ url: 'a', action: 1 }))),
};

/** CPU milliseconds of this process. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
	const start = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1000;
}

/** Below this, a comparison would measure the machine. */
const smallestMs = 150;

describe('an answer of 2 MB costs at most three times as much CPU time as one of 1 MB', () => {
	const times: Array<Record<string, string | number>> = [];

	afterAll(() => {
		const longest = times.sort((one, other) => Number(other.ms) - Number(one.ms)).slice(0, 8);
		process.stdout.write(
			`CPU ms of answers of 2 MB, the longest: ${longest.map(({ what, ms }) => `${what} ${ms}`).join('; ')}\n`,
		);
	});

	const limit = 300_000;
	const compare = async (name: string) => {
		for (const [kind, body] of Object.entries(bodies)) {
			// Lists are read from a success, texts are searched in an error.
			const status = kind.startsWith('100,000') ? 200 : 422;
			const measure = async (bytes: number) => {
				// What an answer has left unknown would not be sent again.
				deduplicationStore.reset();
				answer = respond(status, body(bytes));
				return await cpuOf(async () => await read(name));
			};
			const isSlower = (one: number, two: number) => two > 3 * Math.max(one, smallestMs);
			let [one, two] = [await measure(1_000_000), await measure(2_000_000)];
			// Garbage may be collected in between.
			for (let retries = 2; retries > 0 && isSlower(one, two); retries--)
				[one, two] = [await measure(1_000_000), Math.min(two, await measure(2_000_000))];
			times.push({ what: `${name}, ${kind}`, ms: Math.round(two) });
			expect({ kind, isSlower: isSlower(one, two) }).toEqual({ kind, isSlower: false });
		}
	};

	test.each(names)('%s', compare, limit);
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Parts of the secret in its spellings, of which no text may contain one. */
const secretPieces = [
	apiSecret,
	JSON.stringify(apiSecret).slice(1, -1),
	encodeURIComponent(apiSecret),
	base64(`${apiKeyId}:${apiSecret}`).slice(16),
	base64(apiSecret),
].flatMap((spelling) => [0, 8, 14].map((start) => spelling.slice(start, start + 8)));

/** Ways of quoting the request. */
const quotes: Record<string, Answer> = {
	'as text': (request, response, body) =>
		response.writeHead(422).end(`${JSON.stringify(request.headers)} ${apiSecret} ${body}`),
	'as an error of the service': (request, response, body) =>
		respond(
			422,
			JSON.stringify({ code: apiSecret, message: `${request.headers.authorization} ${body}` }),
		)(request, response, body),
	'in other fields': (request, response, body) =>
		respond(
			500,
			JSON.stringify({ trace: { headers: request.headers, user: `${apiKeyId}:${apiSecret}` } }),
		)(request, response, body),
	'in a page': (request, response, body) =>
		respond(404, `<html><title>${apiSecret} ${request.headers.authorization}</title>`, {
			'Content-Type': 'text/html',
			Server: `nginx ${request.headers.authorization}`,
		})(request, response, body),
	'in a redirect': (request, response, body) =>
		respond(302, '', { Location: `http://evil.example/?s=${encodeURIComponent(apiSecret)}` })(
			request,
			response,
			body,
		),
	'in records': (request, response, body) =>
		respond(
			200,
			JSON.stringify({
				code: 'OK',
				payload: [
					{
						index: 0,
						id: 'd1',
						trackLink: `https://t.example/${apiSecret}`,
						note: request.headers.authorization,
					},
				],
				data: { jobs: apiSecret },
			}),
		)(request, response, body),
	'in listed webhooks': (request, response, body) =>
		respond(
			200,
			JSON.stringify([
				{
					url: `https://a.example/${encodeURIComponent(apiSecret)}`,
					action: 3,
					status: 'Banned',
					by: request.headers.authorization,
				},
			]),
		)(request, response, body),
	'cut off': (request, response) =>
		response.writeHead(400).end(`You sent ${request.headers.authorization?.slice(0, 40)}`),
};

describe('a server that quotes the request', () => {
	const logged: unknown[] = [];

	beforeEach(() => {
		logged.length = 0;
		const logger = Container.get(Logger);
		for (const level of ['error', 'warn', 'info', 'debug'] as const)
			jest.spyOn(logger, level).mockImplementation((...line) => void logged.push(line));
	});

	test.each(names)(
		'finds no secret in what n8n shows, logs or stores: %s',
		async (name) => {
			for (const [kind, quote] of Object.entries(quotes)) {
				deduplicationStore.reset();
				answer = quote;
				const seen = inspect([await read(name), logged], { depth: 12, maxStringLength: null });
				expect({ kind, found: secretPieces.filter((piece) => seen.includes(piece)) }).toEqual({
					kind,
					found: [],
				});
			}
		},
		120_000,
	);
});

/** Control codes, and a line that looks like one of a message or an email. */
const codes = '\u001b[2J\u001b]0;pwned\u0007\r\nfake line \u202etxt';

/** The texts for people in what is shown: those of errors, hints and items. */
const textsOf = (seen: unknown): string[] => {
	if (typeof seen !== 'object' || seen === null) return [];
	const own = seen instanceof Error ? [seen.message] : [];
	const fields = Object.entries(seen).flatMap(([name, value]: [string, unknown]) =>
		typeof value === 'string' && /^(message|description|reason|actionNeeded)$/.test(name)
			? [value]
			: textsOf(value),
	);
	return [...own, ...fields];
};

describe('a broken answer', () => {
	const record = { index: 0, id: codes, referenceId: codes, statusDelivery: codes };
	const listed = { url: `https://a.example/${codes}`, action: 3, status: 'Banned' };
	const bodiesWith = (text: string): Record<string, unknown> => ({
		error: { message: text, code: text, more: text },
		'other fields': { errors: [{ [text]: text }] },
		text,
		page: `<html><title>${text}</title>`,
		records: { code: 'OK', payload: [{ ...record, id: text }] },
		'other records': {
			code: 'OK',
			payload: [record, { ...record, index: 7, id: text, referenceId: text }],
		},
		webhooks: [
			{ ...listed, url: `https://a.example/${text}` },
			{ ...listed, url: text },
			{ ...listed, action: 77, status: text },
			text,
		],
		job: { code: text, message: text, data: { jobs: text } },
	});

	test.each(names)(
		'has no terminal codes in what is shown or logged, and is cut: %s',
		async (name) => {
			const logger = Container.get(Logger);
			const logged: unknown[] = [];
			for (const level of ['error', 'warn', 'info', 'debug'] as const)
				jest.spyOn(logger, level).mockImplementation((...line) => void logged.push(line[0]));
			const isShown: Record<string, boolean> = {};
			for (const length of [1, 10_000]) {
				const bodies = bodiesWith(codes.repeat(length));
				const { error } = bodies;
				for (const [kind, status, body] of [
					...Object.entries(bodies).map(([kind, one]) => [kind, 200, one] as const),
					...Object.entries(bodies).map(([kind, one]) => [kind, 422, one] as const),
					...[401, 404, 409, 500].map((code) => ['error', code, error] as const),
				]) {
					deduplicationStore.reset();
					logged.length = 0;
					answer = respond(status, kind === 'page' ? String(body) : JSON.stringify(body));
					for (const text of [...textsOf(await read(name)), ...logged.map(String)]) {
						isShown[`${kind} ${status}`] ||= text.includes('fake line');
						expect({ kind, status, text }).not.toMatchObject({
							text: expect.stringMatching(/[\p{Cc}\p{Bidi_C}]|[^]{1500}/u),
						});
					}
				}
			}
			expect(isShown).toMatchObject({ 'error 422': true, 'other fields 422': true });
		},
	);

	test.each(names)('that ends in the middle is a failure with a message: %s', async (name) => {
		answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': '1000' });
			response.write('{"code":"OK","payload":[{"index":0,"id":"d1"');
			setTimeout(() => response.destroy(), 20);
		};
		expect(textsOf(await read(name)).join()).toMatch(/Delivery Service/);
	});

	test.each(names)('that never ends is closed and named as too large: %s', async (name) => {
		let isClosed = false;
		answer = (_, response) => {
			response.writeHead(422, { 'Content-Type': 'application/json' });
			const block = 'a'.repeat(100_000);
			const write = () => {
				while (!response.destroyed && response.write(block));
			};
			response.on('drain', write).on('close', () => (isClosed = true));
			write();
		};
		expect(textsOf(await read(name)).join()).toContain('The response is larger than 5 MB.');
		await until(() => isClosed);
	});
});

/** A value once for each text in it, which then contains the codes. */
function* withCodes(value: unknown): Generator<unknown> {
	if (typeof value === 'string') yield `${value}${codes}`;
	if (typeof value !== 'object' || value === null) return;
	for (const [key, one] of Object.entries(value))
		for (const changed of withCodes(one)) {
			const copy = { ...value, [key]: changed };
			yield Array.isArray(value) ? Object.values(copy) : copy;
		}
}

test('no text of an order starts a line in what is shown', async () => {
	const name = '#1001';
	const order = {
		...sampleOrder({ name, created_at: new Date().toISOString() }),
		note_attributes: [{ name: 'Delivery Date', value: '1/2 or 2/3' }],
	};
	const orders = [
		order,
		{ ...order, shipping_address: null },
		{ ...order, financial_status: 'pending' },
		{ ...order, email: null, contact_email: null, customer: null },
	].flatMap((one) => [...withCodes(one)]);
	const items = orders.map((one, index) => {
		const changed = z.object({ name: z.string() }).passthrough().parse(one);
		return {
			...changed,
			id: index + 1,
			...(changed.name === name && { name: `#${index}` }),
		};
	});
	const { items: output, hints } = await runNode({
		node: 'deliveryService',
		items,
		credential: credential(),
		onError: 'continueRegularOutput',
		parameters: { ...fromOrders, options: { dryRun: true } },
	});
	const texts = textsOf([output, hints]);
	expect(texts.join()).toContain('fake line');
	expect(texts.filter((text) => /[\p{Cc}\p{Bidi_C}]/u.test(text))).toEqual([]);
});
