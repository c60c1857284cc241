import {
	classifyCreation,
	classifyExchange,
} from '../../../nodes/DeliveryService/sending/classify';

const answered = (status: number, headers: Record<string, string> = {}, body?: unknown) =>
	({ kind: 'response', status, headers, body }) as const;
const answer = (...of: Parameters<typeof answered>) => classifyExchange(answered(...of));
const noAnswer = (code: string) => classifyExchange({ kind: 'noResponse', code });
const notConnected = (code: string) =>
	classifyExchange({ kind: 'noResponse', code, neverConnected: true });

describe('a request that may be sent again, since the service did nothing with it', () => {
	test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])(
		'is one whose connection was never made (%s)',
		(code) => {
			expect(noAnswer(code)).toBe('notProcessed');
		},
	);

	test.each(['ETIMEDOUT', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', ''])(
		'is one whose connection is known not to have been made, whatever the code (%j)',
		(code) => {
			expect(notConnected(code)).toBe('notProcessed');
		},
	);

	test('is one that came too soon', () => {
		expect(answer(429)).toBe('notProcessed');
		expect(answer(429, { 'retry-after': '5' })).toBe('notProcessed');
	});

	test('is one for which the service was away and said when it is back', () => {
		expect(answer(503, { 'retry-after': '5' })).toBe('notProcessed');
		expect(answer(503, { 'retry-after': '' })).toBe('notProcessed');
		expect(classifyCreation(answered(503, { 'retry-after': '5' }, { code: 'BUSY' }))).toBe(
			'notProcessed',
		);
	});
});

describe('a request that is refused for good', () => {
	test.each([
		'CERT_HAS_EXPIRED',
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'HOSTNAME_MISMATCH',
	])('is one to a service whose certificate is not trusted (%s)', (code) => {
		expect(noAnswer(code)).toBe('rejected');
	});

	test('is one whose connection could not be made secure', () => {
		expect(noAnswer('EPROTO')).toBe('rejected');
	});

	test('is one that n8n does not let out', () => {
		expect(classifyExchange({ kind: 'noResponse', code: '', blockedReason: 'Blocked' })).toBe(
			'rejected',
		);
	});

	test.each([300, 301, 302, 307, 308, 399])('is one that was sent elsewhere (%d)', (status) => {
		expect(answer(status)).toBe('rejected');
	});

	test.each([400, 401, 403, 404, 409, 413, 415, 422, 428, 430, 499])(
		'is one that the service does not take (%d)',
		(status) => {
			expect(answer(status)).toBe('rejected');
		},
	);
});

describe('a request of which nobody knows what became of it', () => {
	test.each([
		'ECONNRESET',
		'EPIPE',
		'ETIMEDOUT',
		'ECONNABORTED',
		'ERR_CANCELED',
		// A route that is lost while the answer is waited for has the codes of one that never was.
		'EHOSTUNREACH',
		'ENETUNREACH',
		'XCERT_',
		'',
	])('is one whose connection broke or whose answer did not come (%j)', (code) => {
		expect(noAnswer(code)).toBe('unknown');
	});

	// The codes of a connection that was secure and then broke: seen after the service had answered.
	test.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'])(
		'is one whose secure connection broke after it was sent (%s)',
		(code) => {
			expect(noAnswer(code)).toBe('unknown');
		},
	);

	test('is one for which the service was away without saying when it is back', () => {
		expect(answer(503)).toBe('unknown');
	});

	test('is a creation for which a gateway says when to come back: it may have waited for the service', () => {
		const page = '\n<!DOCTYPE html><title>503 Backend fetch failed</title>';
		const exchange = answered(503, { 'retry-after': '5' }, page);
		expect(classifyCreation(exchange)).toBe('unknown');
		// To make an update twice does no harm.
		expect(classifyExchange(exchange)).toBe('notProcessed');
	});

	test.each([500, 502, 504, 599, 600])('is one at which the service failed (%d)', (status) => {
		expect(answer(status, { 'retry-after': '5' })).toBe('unknown');
	});

	test('is one whose answer is at another address, as after something was done (303)', () => {
		expect(answer(303)).toBe('unknown');
	});

	test('is one of which a gateway says that it took too long (408)', () => {
		expect(answer(408)).toBe('unknown');
	});

	test.each([0, 100, 199])('is one with an answer that is none (%d)', (status) => {
		expect(answer(status)).toBe('unknown');
	});
});

test.each([200, 201, 204, 299])('a request that was answered with %d is done', (status) => {
	expect(answer(status)).toBe('done');
});
