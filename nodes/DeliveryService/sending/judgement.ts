import type { Exchange } from '../service/client';

/**
 * What is known of a request after it was sent:
 * - `done`: the service answered with success;
 * - `notProcessed`: the service did nothing with it, so that it may be sent again;
 * - `refused`: the service did nothing with it and will not, however often it is sent;
 * - `unknown`: the service may or may not have done it.
 */
export type Judgement = 'done' | 'notProcessed' | 'refused' | 'unknown';

/** Connections that were never made: nothing of the request left this machine. */
const neverConnected = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
]);

/** Connections that the service's certificate prevented: again nothing left, and nothing will. */
const notTrusted =
	/^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;

/**
 * The one table that tells what may be sent again and what may not. The service's document names
 * only 200 and 401 (section 7); the rest is what HTTP itself says of these answers.
 *
 * | what came of the request                          | judgement    |
 * | ------------------------------------------------- | ------------ |
 * | connection refused, name not found, no route      | notProcessed |
 * | certificate not trusted                           | refused      |
 * | connection broke, or no answer in time            | unknown      |
 * | 2xx                                               | done         |
 * | 429; 503 with Retry-After                         | notProcessed |
 * | 3xx (not followed), other 4xx                     | refused      |
 * | 503 without Retry-After, other 5xx, anything else | unknown      |
 */
export function judge(exchange: Exchange): Judgement {
	if (exchange.kind === 'noAnswer') {
		if (neverConnected.has(exchange.code)) return 'notProcessed';
		return notTrusted.test(exchange.code) ? 'refused' : 'unknown';
	}
	const { status, headers } = exchange;
	if (status >= 200 && status < 300) return 'done';
	if (status === 429) return 'notProcessed';
	if (status === 503 && headers['retry-after'] !== undefined) return 'notProcessed';
	return status >= 300 && status < 500 ? 'refused' : 'unknown';
}
