import {
	classifyCreation,
	classifyExchange,
} from '../../../nodes/DeliveryService/sending/responses';

const responseWith = (status: number, headers: Record<string, string> = {}, body?: unknown) =>
	({ kind: 'response', status, headers, body }) as const;
const responded = (...args: Parameters<typeof responseWith>) =>
	classifyExchange(responseWith(...args));
const noResponse = (code: string) => classifyExchange({ kind: 'noResponse', code });
const notConnected = (code: string) =>
	classifyExchange({ kind: 'noResponse', code, neverConnected: true });

describe('notProcessed', () => {
	test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])(
		'classifies connection error %s as notProcessed',
		(code) => {
			expect(noResponse(code)).toBe('notProcessed');
		},
	);

	test.each(['ETIMEDOUT', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', ''])(
		'classifies error code %j without a connection as notProcessed',
		(code) => {
			expect(notConnected(code)).toBe('notProcessed');
		},
	);

	test('classifies 429 as notProcessed', () => {
		expect(responded(429)).toBe('notProcessed');
		expect(responded(429, { 'retry-after': '5' })).toBe('notProcessed');
	});

	test('classifies 503 with Retry-After as notProcessed', () => {
		expect(responded(503, { 'retry-after': '5' })).toBe('notProcessed');
		expect(responded(503, { 'retry-after': '' })).toBe('notProcessed');
	});

	test("classifies a creation with 503, Retry-After and the service's own error as notProcessed", () => {
		const error = { code: 'BUSY', message: 'Try again later' };
		const exchange = responseWith(503, { 'retry-after': '5' }, error);
		expect(classifyCreation(exchange)).toBe('notProcessed');
	});
});

describe('rejected', () => {
	test.each([
		'CERT_HAS_EXPIRED',
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'HOSTNAME_MISMATCH',
	])('classifies certificate error %s as rejected', (code) => {
		expect(noResponse(code)).toBe('rejected');
	});

	test('classifies a failed TLS handshake as rejected', () => {
		expect(noResponse('EPROTO')).toBe('rejected');
	});

	test('classifies a request that n8n forbids as rejected', () => {
		expect(classifyExchange({ kind: 'noResponse', code: '', blockedReason: 'Blocked' })).toBe(
			'rejected',
		);
	});

	test.each([400, 401, 403, 404, 409, 413, 415, 422, 428, 430, 499])(
		'classifies client error %d as rejected',
		(status) => {
			expect(responded(status)).toBe('rejected');
		},
	);
});

describe('unknown', () => {
	test.each([
		'ECONNRESET',
		'EPIPE',
		'ETIMEDOUT',
		'ECONNABORTED',
		'ERR_CANCELED',
		// A route that is lost while waiting for the response has the same codes as one that never existed.
		'EHOSTUNREACH',
		'ENETUNREACH',
		'XCERT_',
		'',
	])('classifies broken connection or timeout %j as unknown', (code) => {
		expect(noResponse(code)).toBe('unknown');
	});

	// The codes of a secure connection that broke: observed after the service had responded.
	test.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'])(
		'classifies TLS error %s after the handshake as unknown',
		(code) => {
			expect(noResponse(code)).toBe('unknown');
		},
	);

	test('classifies 503 without Retry-After as unknown', () => {
		expect(responded(503)).toBe('unknown');
	});

	test.each<[string, unknown]>([
		['a web page', '\n<!DOCTYPE html><title>503 Backend fetch failed</title>'],
		['no body', undefined],
		['plain text', 'upstream connect error'],
		['only a message', { message: 'Service Unavailable' }],
		['a numeric code', { code: 14, message: 'upstream request timeout' }],
	])(
		'classifies a creation with 503, Retry-After and %s, from a gateway, as unknown',
		(_, body) => {
			const exchange = responseWith(503, { 'retry-after': '5' }, body);
			expect(classifyCreation(exchange)).toBe('unknown');
			// Making an update twice does no harm.
			expect(classifyExchange(exchange)).toBe('notProcessed');
		},
	);

	test.each([500, 502, 504, 599, 600])('classifies server error %d as unknown', (status) => {
		expect(responded(status, { 'retry-after': '5' })).toBe('unknown');
	});

	test.each([300, 301, 302, 303, 307, 308, 399])('classifies redirect %d as unknown', (status) => {
		expect(responded(status)).toBe('unknown');
	});

	test('classifies 408, from a gateway, as unknown', () => {
		expect(responded(408)).toBe('unknown');
	});

	test.each([0, 100, 199])('classifies invalid final status %d as unknown', (status) => {
		expect(responded(status)).toBe('unknown');
	});
});

test.each([200, 201, 204, 299])('classifies %d as done', (status) => {
	expect(responded(status)).toBe('done');
});
