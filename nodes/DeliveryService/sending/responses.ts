/** What a response means: whether a request may be retried, and the outcome of each delivery in it. */
import { normalizeName } from '../common/text';
import { isSuccess, type Exchange } from '../service/client';
import { isAboutAllRequests, isCertificateError, isRedirect } from '../service/errors';
import { codeAndMessageSchema, creationResponseSchema, errorBodySchema } from '../service/schemas';
import { readableText } from '../service/values';
import type { Job, Outcome } from './job';

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

type CreatedRecord = Record<string, unknown>;

/** The records in the payload of a response (docs/api.md, section 4.1). */
function recordsOf(exchange: Exchange): readonly CreatedRecord[] {
	const body = exchange.kind === 'response' ? exchange.body : undefined;
	return creationResponseSchema.safeParse(body).data?.payload ?? [];
}

/** Whether a response names a created delivery, whatever its status. */
export function namesCreatedDelivery(exchange: Exchange): boolean {
	return recordsOf(exchange).some((record) => idOf(record) !== undefined);
}

/**
 * The outcome of each delivery of a batch, in order. A record with an ID counts whatever the status. After
 * a rejection, only a delivery that was sent alone is known not to exist: the API document does not say
 * that a rejected request creates nothing (docs/api.md, section 7).
 */
export function outcomesOf(batch: readonly Job[], exchange: Exchange): Outcome[] {
	const { created, otherIds } = matchRecords(batch, exchange);
	const rest = restOutcome(batch.length, exchange, created.size > 0, otherIds);
	return batch.map((_, position) => {
		const found = created.get(position);
		return found ? { kind: 'created', ...found } : rest;
	});
}

function restOutcome(
	count: number,
	exchange: Exchange,
	hasCreated: boolean,
	otherIds: readonly string[],
): Outcome {
	const why = { code: 'exchange', exchange } as const;
	const exchangeClass = classifyCreation(exchange);
	if (exchangeClass === 'done')
		return { kind: 'unknown', why: { code: 'noRecord', exchange, otherIds } };
	if (exchangeClass === 'unknown' || hasCreated || otherIds.length > 0)
		return { kind: 'unknown', why };
	if (isFatal(exchange)) return { kind: 'notSent', why };
	if (count === 1) return { kind: 'rejected', why };
	return { kind: 'unknown', why: { code: 'batchRejected', exchange, others: count - 1 } };
}

/**
 * Matches the records of a response with the deliveries of its request (docs/api.md, section 2.6). A
 * record belongs to the delivery at its index, and the only one of a success to the only delivery. A
 * delivery with two records, or with the ID of another one, has none.
 */
function matchRecords(batch: readonly Job[], exchange: Exchange) {
	const records = recordsOf(exchange).flatMap((record) => {
		const id = idOf(record);
		return id === undefined ? [] : [{ id, record }];
	});
	const isOnly = batch.length === 1 && records.length === 1 && isSuccess(exchange);
	const names = batch.map(({ delivery }) => normalizeName(delivery?.referenceId ?? ''));
	const matched = records.map(({ id, record }) => {
		const position = isOnly ? 0 : positionOf(record, batch, names);
		return { id, record, position };
	});
	const withId = countBy(matched.map(({ id }) => id));
	const withPosition = countBy(matched.map(({ position }) => position));
	const created = new Map<number, { id: string; record: CreatedRecord }>();
	const otherIds: string[] = [];
	for (const { id, record, position } of matched) {
		const isAmbiguous = withId(id) > 1 || withPosition(position) > 1;
		if (position === undefined || isAmbiguous) otherIds.push(id);
		else created.set(position, { id, record });
	}
	return { created, otherIds };
}

/** A function from a value to how often it occurs: a response may have 100,000 records. */
function countBy<Value>(values: readonly Value[]): (value: Value) => number {
	const counts = new Map<Value, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return (value) => counts.get(value) ?? 0;
}

/**
 * The position of a record's delivery, unless its reference ID is that of another one in the batch.
 *
 * @param names the reference IDs of the batch, as the service may spell them
 */
function positionOf(
	{ index, referenceId }: CreatedRecord,
	batch: readonly Job[],
	names: readonly string[],
): number | undefined {
	if (typeof index !== 'number' || !batch[index]) return undefined;
	const reference = readableText.parse(referenceId);
	if (reference === undefined || batch[index].delivery?.referenceId === reference) return index;
	const name = normalizeName(reference);
	return names[index] === name || !names.includes(name) ? index : undefined;
}

/** A delivery's ID: text, or a positive whole number. */
function idOf({ id }: CreatedRecord): string | undefined {
	if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? String(id) : undefined;
	return typeof id === 'string' && !notIds.has(id.trim().toLowerCase()) ? id : undefined;
}

const notIds = new Set(['', '0', '-1', 'null', 'undefined']);

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
