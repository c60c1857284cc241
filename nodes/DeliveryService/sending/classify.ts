import { isSuccess, type Exchange } from '../service/client';
import { isCertificateError, isHtml } from '../service/errors';

/**
 * What is known of a request after it was sent:
 * - `done`: the service answered with success;
 * - `notProcessed`: the service did nothing with it, so that it may be sent again;
 * - `refused`: the service did nothing with it and will not, however often it is sent;
 * - `unknown`: the service may or may not have done it.
 */
export type ExchangeClass = 'done' | 'notProcessed' | 'rejected' | 'unknown';

/**
 * Codes that come only before there is a connection: nothing of the request left this machine.
 * EHOSTUNREACH and ENETUNREACH are not among them: a route may also be lost after it was sent.
 */
const neverConnectedCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * What Node.js says when a secure connection fails before all of a request has left, such as when
 * HTTPS meets HTTP. When one breaks later, while the answer is read, the code begins with ERR_SSL_.
 */
const notSecuredCode = 'EPROTO';

/**
 * The one table that tells what may be sent again and what may not. The service's document names
 * only 200 and 401 (section 7); the rest is what HTTP itself says of these answers.
 *
 * | what came of the request                          | class        |
 * | ------------------------------------------------- | ------------ |
 * | no connection was made, whatever the reason       | notProcessed |
 * | certificate not trusted, no secure connection     | refused      |
 * | n8n's settings forbid requests to this address    | refused      |
 * | connection broke, or no answer in time            | unknown      |
 * | 2xx                                               | done         |
 * | 429; 503 with Retry-After                         | notProcessed |
 * | 303: done, and its result is elsewhere            | unknown      |
 * | 408: a gateway's word for a service too slow      | unknown      |
 * | other 3xx (not followed), other 4xx               | refused      |
 * | 503 without Retry-After, other 5xx, anything else | unknown      |
 */
export function classifyExchange(exchange: Exchange): ExchangeClass {
	if (exchange.kind === 'noResponse') {
		const { code } = exchange;
		if (exchange.blockedReason !== undefined) return 'rejected';
		if (exchange.neverConnected || neverConnectedCodes.has(code)) return 'notProcessed';
		return code === notSecuredCode || isCertificateError(code) ? 'rejected' : 'unknown';
	}
	const { status, headers } = exchange;
	if (isSuccess(exchange)) return 'done';
	if (status === 303 || status === 408) return 'unknown';
	if (status === 429) return 'notProcessed';
	if (status === 503 && headers['retry-after'] !== undefined) return 'notProcessed';
	return status >= 300 && status < 500 ? 'rejected' : 'unknown';
}

/**
 * What is known of a creation after it was sent: by that table, but for a 503 that is a web page. There
 * are gateways that answer so, with Retry-After, when the service behind them takes too long; it goes on
 * working. An update may be sent again all the same.
 */
export function classifyCreation(exchange: Exchange): ExchangeClass {
	const isGateways =
		exchange.kind === 'response' && exchange.status === 503 && isHtml(exchange.body);
	return isGateways ? 'unknown' : classifyExchange(exchange);
}
