import { isSuccess, type Exchange } from '../service/client';
import { isAboutAllRequests } from '../service/errors';
import { codeAndMessageSchema, creationResponseSchema } from '../service/schemas';
import { classifyCreation, type ExchangeClass } from './classify';
import type { Created, FailureReason, Job, Outcome } from './job';

type CreatedRecord = Record<string, unknown>;

/** The response to a creation request, or the failure in its place. */
export interface CreationResponse {
	exchange: Exchange;
	/** What the status or the failure says about the request. */
	class: ExchangeClass;
	/** The records in the payload (API document, section 4.1). */
	records: readonly CreatedRecord[];
}

/** Parses the response to a creation request. */
export function readResponse(exchange: Exchange): CreationResponse {
	const body = exchange.kind === 'response' ? exchange.body : undefined;
	const { data } = creationResponseSchema.safeParse(body);
	return { exchange, class: classifyCreation(exchange), records: data?.payload ?? [] };
}

/** Whether a response names a created delivery, whatever its status. */
export function namesCreatedDelivery({ records }: CreationResponse): boolean {
	return records.some((record) => idOf(record) !== undefined);
}

/**
 * The outcome of each delivery of a batch, in order. A record with an ID counts whatever the status.
 * After a rejection, only a delivery that was sent alone is known not to exist: the API document does
 * not say that a rejected request creates nothing (section 7).
 */
export function outcomesOf(batch: readonly Job[], response: CreationResponse): Outcome[] {
	const { created, otherIds } = matchRecords(batch, response);
	const rest = restOutcome(batch.length, response, created.size > 0, otherIds);
	return batch.map((_, position) => created.get(position) ?? rest);
}

function restOutcome(
	count: number,
	{ exchange, class: exchangeClass }: CreationResponse,
	hasCreated: boolean,
	otherIds: readonly string[],
): Outcome {
	const why: FailureReason = { code: 'exchange', exchange };
	if (exchangeClass === 'done')
		return { kind: 'unknown', why: { code: 'noRecord', exchange, otherIds } };
	if (exchangeClass === 'unknown' || hasCreated || otherIds.length > 0)
		return { kind: 'unknown', why };
	if (exchangeClass === 'notProcessed') return { kind: 'notSent', why };
	if (exchange.kind === 'noResponse' || isAboutAllRequests(exchange))
		return { kind: 'notSent', why };
	if (count === 1) return { kind: 'rejected', why };
	return { kind: 'unknown', why: { code: 'batchRejected', exchange, others: count - 1 } };
}

/**
 * Matches the records of a response with the deliveries of its request (API document, section 2.6). A
 * record belongs to the delivery at its index, unless its reference ID disagrees; without an index, to
 * the only delivery with its reference ID; the only record of a success to the only delivery. A
 * delivery with two records, or with the ID of another one, has none.
 */
function matchRecords(
	batch: readonly Job[],
	{ exchange, records }: CreationResponse,
): { created: ReadonlyMap<number, Created>; otherIds: string[] } {
	const positions = new Map<string, number[]>();
	for (const [position, { delivery }] of batch.entries()) {
		const reference = delivery?.referenceId;
		if (reference === undefined) continue;
		positions.set(reference, [...(positions.get(reference) ?? []), position]);
	}
	const isOnly =
		batch.length === 1 &&
		records.length === 1 &&
		exchange.kind === 'response' &&
		isSuccess(exchange);
	const positionOf = ({ index, referenceId }: CreatedRecord): number | undefined => {
		const reference = referenceOf(referenceId);
		if (typeof index === 'number') {
			const sent = batch[index]?.delivery?.referenceId;
			const disagrees = reference !== undefined && sent !== undefined && reference !== sent;
			return batch[index] && !disagrees ? index : undefined;
		}
		if (reference === undefined) return isOnly ? 0 : undefined;
		const found = positions.get(reference) ?? [];
		return found.length === 1 ? found[0] : undefined;
	};
	const created = new Map<number, Created>();
	const otherIds: string[] = [];
	const used = new Map<string | number, number>();
	for (const record of records) {
		const position = positionOf(record);
		const id = idOf(record);
		for (const key of [id, position])
			if (key !== undefined) used.set(key, (used.get(key) ?? 0) + 1);
		if (id === undefined) continue;
		if (position === undefined) otherIds.push(id);
		else created.set(position, { kind: 'created', id, record });
	}
	for (const [position, { id }] of created)
		if (used.get(id) !== 1 || used.get(position) !== 1) {
			created.delete(position);
			otherIds.push(id);
		}
	return { created, otherIds };
}

function referenceOf(value: unknown): string | undefined {
	return typeof value === 'number'
		? String(value)
		: typeof value === 'string' && value !== ''
			? value
			: undefined;
}

/** A delivery's ID: text, or a positive whole number. */
function idOf({ id }: CreatedRecord): string | undefined {
	if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? String(id) : undefined;
	return typeof id === 'string' && !notIds.has(id.trim().toLowerCase()) ? id : undefined;
}

const notIds = new Set(['', '0', '-1', 'null', 'undefined']);

/** Whether nothing more should be sent after a response, as far as it alone shows that. */
export function isFatal({ exchange, class: exchangeClass }: CreationResponse): boolean {
	if (exchangeClass === 'notProcessed') return true;
	if (exchange.kind === 'noResponse') return exchangeClass === 'rejected';
	return isAboutAllRequests(exchange);
}

/**
 * Whether a response is a 404 without an error of the service: unless something was created before, the
 * Base URL is probably wrong.
 */
export function isNotFoundPage({ exchange }: CreationResponse): boolean {
	if (exchange.kind !== 'response' || exchange.status !== 404) return false;
	const { code, message } = codeAndMessageSchema.parse(exchange.body);
	return !code && !message;
}
