import { Readable } from 'node:stream';

import { readResponse, shownText } from '../../../nodes/DeliveryService/service/response';
import { secretRemover } from '../../../nodes/DeliveryService/service/secrets';

const credential = { apiKeyId: 'key_4f2a', apiSecret: `s3cr&t "é/+<q> of-the-shop` };
const { apiKeyId, apiSecret } = credential;
const withoutSecrets = secretRemover(credential);

const read = async (body: unknown, headers: object = {}) =>
	await readResponse({ statusCode: 200, headers, body }, withoutSecrets);

describe('readResponse', () => {
	test('returns the status, lowercase headers and the parsed body', async () => {
		const headers = { 'Content-Type': 'application/json', 'Retry-After': 5, Via: ['a', 'b'] };
		expect(await read('{"code":"OK"}', headers)).toEqual({
			kind: 'response',
			status: 200,
			headers: { 'content-type': 'application/json', 'retry-after': '5', via: 'a,b' },
			body: { code: 'OK' },
		});
	});

	test('reads a stream, also one that splits a character, and drops a byte order mark', async () => {
		const bytes = Buffer.from('\uFEFF{"code":"é"}');
		const stream = Readable.from([bytes.subarray(0, 13), bytes.subarray(13)]);
		expect((await read(stream)).body).toEqual({ code: 'é' });
	});

	test('closes a stream after 5 MB and says why the body is unreadable', async () => {
		const stream = new Readable({
			read() {
				this.push(Buffer.alloc(100_000, '1'));
			},
		});
		expect(await read(stream)).toMatchObject({
			status: 200,
			body: undefined,
			unreadable: 'larger than 5 MB',
		});
		expect(stream.destroyed).toBe(true);
	});

	test('closes a stream for which nobody waits any more', async () => {
		const stream = new Readable({
			read() {
				this.push(' ');
			},
		});
		const response = { statusCode: 200, headers: {}, body: stream };
		await readResponse(response, withoutSecrets, () => true);
		expect(stream.destroyed).toBe(true);
	});

	test('passes on the error of a stream that broke', async () => {
		const stream = new Readable({
			read() {
				this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
			},
		});
		await expect(read(stream)).rejects.toMatchObject({ code: 'ECONNRESET' });
	});

	test.each(['', ' \n', undefined, null, 5])('returns no body for %j', async (body) => {
		expect(await read(body)).toMatchObject({ status: 200, body: undefined });
	});

	test.each(['Too late', '<html>', '{"code":'])(
		'keeps the text %j, which is not JSON',
		async (body) => {
			expect((await read(body)).body).toBe(body);
		},
	);

	test('keeps the beginning of a long text', async () => {
		expect((await read('x'.repeat(1_000_000))).body).toBe('x'.repeat(4_000));
	});

	test.each(['null', '0', '"text"', 'false'])('parses the JSON body %s', async (body) => {
		expect((await read(body)).body).toBe(JSON.parse(body));
	});

	test('parses JSON of 20 levels and rejects deeper JSON', async () => {
		const nested = (levels: number) => '['.repeat(levels) + '1' + ']'.repeat(levels);
		expect(await read(nested(20))).not.toHaveProperty('unreadable');
		for (const levels of [21, 10_000, 500_000])
			expect(await read(nested(levels))).toMatchObject({
				body: undefined,
				unreadable: 'nested deeper than 20 levels',
			});
	});

	test.each([undefined, null, {}, { statusCode: '200' }])(
		'rejects %j as a response',
		async (response) => {
			await expect(readResponse(response, withoutSecrets)).rejects.toThrow();
		},
	);
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const inPhp = (text: string) =>
	JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/').replaceAll('é', '\\u00e9');
const asEntities = (text: string) =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('"', '&quot;')
		.replaceAll('<', '&#60;')
		.replaceAll('>', '&#x3E;');

/** Parts of the secret that no text may contain, in each spelling. */
const pieces = [
	apiSecret,
	apiSecret.toUpperCase(),
	inPhp(apiSecret),
	encodeURIComponent(apiSecret),
	...[0, 1, 2].map((offset) => base64('x'.repeat(offset) + apiSecret).slice(offset + 1)),
].flatMap((spelling) => [0, 6, 12, 18].map((start) => spelling.slice(start, start + 6)));

/** A way in which a server may quote a secret. */
type Spelling = [name: string, spell: (secret: string) => string];

const spellings: readonly Spelling[] = [
	['plain', (secret) => secret],
	['with the key', (secret) => `${apiKeyId}:${secret}`],
	['as JSON', (secret) => JSON.stringify(secret)],
	['as JSON in JSON', (secret) => JSON.stringify(JSON.stringify(secret))],
	['as PHP writes JSON', (secret) => inPhp(secret)],
	['as HTML', (secret) => asEntities(secret)],
	['in a URL', (secret) => encodeURIComponent(secret)],
	['in a URL in lowercase', (secret) => encodeURIComponent(secret).toLowerCase()],
	['twice encoded', (secret) => encodeURIComponent(encodeURIComponent(secret))],
	['in a form', (secret) => new URLSearchParams({ secret }).toString()],
	['in uppercase', (secret) => secret.toUpperCase()],
	['in the header', (secret) => `Basic ${base64(`${apiKeyId}:${secret}`)}`],
	['in the header without padding', (secret) => base64(`${apiKeyId}:${secret}`).replace(/=+$/, '')],
	['in URL-safe base64', (secret) => Buffer.from(`${apiKeyId}:${secret}`).toString('base64url')],
	['with key and secret swapped', (secret) => base64(`${secret}:${apiKeyId}`)],
	['in base64 alone', (secret) => base64(secret)],
];

describe('the secrets of the credential', () => {
	test.each<Spelling>([
		...spellings,
		['in the base64 of a request', (secret) => base64(`GET / HTTP/1.1\r\nX: ${secret}\r\n`)],
		[
			'in the base64 of a longer request',
			(secret) => base64(`POST / HTTP/1.1\r\nX: ${secret}\r\n`),
		],
		['cut off', (secret) => secret.slice(0, 15)],
		[
			'with the header cut off',
			(secret) => `Basic ${base64(`${apiKeyId}:${secret}`).slice(0, 30)}`,
		],
	])('are removed from a body and from headers: %s', async (_, spell) => {
		const quoted = spell(apiSecret);
		const json = await read(JSON.stringify({ message: `You sent ${quoted}.` }));
		const text = await read(`You sent ${quoted}.`, { server: `nginx ${quoted}` });

		for (const part of [json.body, text.body, text.headers.server]) {
			const shown = JSON.stringify(part);
			expect(shown).toContain('***');
			for (const piece of pieces) expect(shown).not.toContain(piece);
		}
	});

	describe.each([
		['the marks of every encoding', 'k%q/r&s"t\\u/v%w&x"y\\zk%q/r&s"t\\u/v%w&x"y\\z'],
		['marks one after another', 'k%/&"\\%\\&"/k/\\"&%k"\\/%&z\\%"&/kz&/"%\\z%&\\"/xyz'],
		['a mark at the half', 'secret-of-the-shop%25%2F&\\%25q/&amp;"\\"xyz'],
		['a backslash before a letter at the half', 'secret-of-the-shop-\\éq/r&s"t%u<v>wse-xyz'],
	])('leave nothing behind if the secret has %s', (_title, secret) => {
		const remove = secretRemover({ apiKeyId, apiSecret: secret });

		test.each(spellings)('%s', (_, spell) => {
			expect(remove(`You sent ${spell(secret)}.`)).toMatch(
				/^You sent (?:"(?:\\")?|key_4f2a:|secret=|Basic )?\*\*\*(?:(?:\\")?"|={1,2})?\.$/,
			);
		});
	});

	test('are looked for in time in proportion to the text', () => {
		const secret = `k%q/r&s"t\\u${'/v%w&x"y\\z'.repeat(6)}`;
		const remove = secretRemover({ apiKeyId, apiSecret: secret });
		const text = secret.slice(0, 31).repeat(2_000_000 / 31);
		const start = performance.now();
		expect(remove(text)).toBe(text);
		expect(performance.now() - start).toBeLessThan(5_000);
	});

	test('are removed if the secret is as long as a pasted key', () => {
		const long = Array.from({ length: 4_096 }, (_, index) => 'aB3+/'[(index * 7 + index ** 2) % 5]);
		const remove = secretRemover({ apiKeyId, apiSecret: long.join('') });
		for (const quoted of [
			long.join(''),
			base64(`${apiKeyId}:${long.join('')}`).replace(/=+$/, ''),
			long.slice(0, 32).join(''),
		])
			expect(remove(`You sent ${quoted}.`)).toBe('You sent ***.');
	});

	test('are removed from the names of fields', async () => {
		const { body } = await read(`{"${base64(`${apiKeyId}:${apiSecret}`)}":1}`);
		expect(body).toEqual({ '***': 1 });
	});

	test('leave the key, other words and short secrets alone', () => {
		expect(withoutSecrets(`Key ${apiKeyId} of s3cr&t`)).toBe(`Key ${apiKeyId} of s3cr&t`);
		expect(secretRemover({ apiKeyId: 'a', apiSecret: '1234567' })('1234567')).toBe('1234567');
	});
});

describe('text in a message', () => {
	test('is cut, in one line, without terminal codes and directions', () => {
		expect(shownText(`\u001b[31mRed\u0007\r\nline\u2028two\u202e!${'x'.repeat(5_000)}`, 20)).toBe(
			'[31mRed line two !xx',
		);
	});

	test('shows no part of a signature at the end of what is read', () => {
		const signatures = `${'5e'.repeat(32)} `.repeat(1_000);
		for (const before of [0, 1, 20, 40, 60])
			expect(shownText(' '.repeat(before) + signatures, 4_000)).not.toContain('5e');
	});
});
