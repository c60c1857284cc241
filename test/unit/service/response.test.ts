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

describe('the secrets of the credential', () => {
	test.each<[string, string]>([
		['plain', apiSecret],
		['with the key', `${apiKeyId}:${apiSecret}`],
		['as JSON', JSON.stringify(apiSecret)],
		['as JSON in JSON', JSON.stringify(JSON.stringify(apiSecret))],
		['as PHP writes JSON', inPhp(apiSecret)],
		['as HTML', asEntities(apiSecret)],
		['in a URL', encodeURIComponent(apiSecret)],
		['in a URL in lowercase', encodeURIComponent(apiSecret).toLowerCase()],
		['twice encoded', encodeURIComponent(encodeURIComponent(apiSecret))],
		['in a form', new URLSearchParams({ apiSecret }).toString()],
		['in uppercase', apiSecret.toUpperCase()],
		['in the header', `Basic ${base64(`${apiKeyId}:${apiSecret}`)}`],
		['in the header without padding', base64(`${apiKeyId}:${apiSecret}`).replace(/=+$/, '')],
		['in URL-safe base64', Buffer.from(`${apiKeyId}:${apiSecret}`).toString('base64url')],
		['with key and secret swapped', base64(`${apiSecret}:${apiKeyId}`)],
		['in base64 alone', base64(apiSecret)],
		['in the base64 of a request', base64(`GET / HTTP/1.1\r\nX: ${apiSecret}\r\n`)],
		['in the base64 of a longer request', base64(`POST / HTTP/1.1\r\nX: ${apiSecret}\r\n`)],
		['cut off', apiSecret.slice(0, 15)],
		['with the header cut off', `Basic ${base64(`${apiKeyId}:${apiSecret}`).slice(0, 30)}`],
	])('are removed from a body and from headers: %s', async (_, quoted) => {
		const json = await read(JSON.stringify({ message: `You sent ${quoted}.` }));
		const text = await read(`You sent ${quoted}.`, { server: `nginx ${quoted}` });

		for (const part of [json.body, text.body, text.headers.server]) {
			const shown = JSON.stringify(part);
			expect(shown).toContain('***');
			for (const piece of pieces) expect(shown).not.toContain(piece);
		}
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
