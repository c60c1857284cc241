/** What a response means for each delivery of its request, by its records. */
import { normalizeName } from '../common/text';
import { isSuccess, type Exchange } from '../service/client';
import { creationResponseSchema } from '../service/schemas';
import { readableText } from '../service/values';
import { classifyCreation, isFatal } from './classify';
import type { Job, Outcome } from './job';

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
