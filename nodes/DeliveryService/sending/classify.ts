/** What is known about a request by its response, or without one, and whether it may be retried. */
import { isSuccess, type Exchange } from '../service/client';
import { isAboutAllRequests, isCertificateError, isRedirect } from '../service/errors';
import { codeAndMessageSchema, errorBodySchema } from '../service/schemas';

/**
 * What is known about a request after it was sent:
 * - `done`: the service responded with success;
 * - `notProcessed`: the service did nothing with it, so it may be retried;
 * - `rejected`: the service did nothing with it, and a retry would not change that;
 * - `unknown`: the service may or may not have processed it.
 */
export type ExchangeClass = 'done' | 'notProcessed' | 'rejected' | 'unknown';

/**
 * Codes that only occur before there is a connection: nothing of the request left this machine.
 * EHOSTUNREACH and ENETUNREACH are not among them, because a route can also disappear after the
 * request was sent. Node.js reports EPROTO when a secure connection fails before the whole request has
 * left, e.g. when HTTPS meets HTTP; if the connection breaks later, while the response is read, the
 * code starts with ERR_SSL_.
 */
const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EPROTO']);

/** Whether it is certain that the request never reached the service. */
export function isUnreachable(exchange: Exchange): boolean {
	if (exchange.kind === 'response') return false;
	const { code, neverConnected = false, blockedReason } = exchange;
	return (
		neverConnected ||
		blockedReason !== undefined ||
		unreachableCodes.has(code) ||
		isCertificateError(code)
	);
}

/**
 * The single table that decides what may be retried. The API document names only 200 and 401
 * (docs/api.md, section 7); the other rows follow from what HTTP says about these responses.
 *
 * | result of the request                             | class        |
 * | ------------------------------------------------- | ------------ |
 * | the service could not be reached                  | notProcessed |
 * | connection broke, or timeout                      | unknown      |
 * | 2xx                                               | done         |
 * | 429; 503 with Retry-After                         | notProcessed |
 * | 3xx (not followed): many respond to a POST so     | unknown      |
 * | 408: from a gateway, when the service is too slow | unknown      |
 * | other 4xx                                         | rejected     |
 * | 503 without Retry-After, other 5xx, anything else | unknown      |
 */
export function classifyExchange(exchange: Exchange): ExchangeClass {
	if (exchange.kind === 'noResponse') return isUnreachable(exchange) ? 'notProcessed' : 'unknown';
	const { status, headers } = exchange;
	if (isSuccess(exchange)) return 'done';
	if (isRedirect(exchange) || status === 408) return 'unknown';
	if (status === 429) return 'notProcessed';
	if (status === 503 && headers['retry-after'] !== undefined) return 'notProcessed';
	return status >= 400 && status < 500 ? 'rejected' : 'unknown';
}

/**
 * Classifies a request that must not be sent twice, e.g. a creation: by the table above, except for a 503
 * without the service's own error (docs/api.md, section 7). Some gateways respond like that, with
 * Retry-After, when the service behind them takes too long but continues to work.
 */
export function classifyCreation(exchange: Exchange): ExchangeClass {
	const isFromGateway =
		exchange.status === 503 && !errorBodySchema.safeParse(exchange.body).success;
	return isFromGateway ? 'unknown' : classifyExchange(exchange);
}

/** Whether nothing more should be sent after a response, as far as it alone shows that. */
export function isFatal(exchange: Exchange): boolean {
	return classifyCreation(exchange) === 'notProcessed' || isAboutAllRequests(exchange);
}

/**
 * Whether a response is a 404 without an error of the service: unless something was created before, the
 * Base URL is probably wrong.
 */
export function isNotFoundPage(exchange: Exchange): boolean {
	if (exchange.status !== 404) return false;
	const { code, message } = codeAndMessageSchema.parse(exchange.body);
	return !code && !message;
}
