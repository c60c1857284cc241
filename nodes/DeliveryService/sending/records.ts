import type { Delivery } from '../service/schemas';

type CreatedRecord = Record<string, unknown>;

export interface Matched {
	/** For each delivery its ID and record, or undefined where no record can be told to be its. */
	records: Array<{ id: string; record: CreatedRecord } | undefined>;
	/** Records that belong to no delivery that was sent, or to more than one. */
	leftOver: CreatedRecord[];
}

/**
 * Finds the record of each delivery in the answer to a creation request (service document,
 * sections 2.6 and 4.1). A record is a delivery's when its index says so and its reference ID does
 * not object; without an index, when its reference ID says so; and a single record without either
 * is that of a single delivery. Position in the answer means nothing: records may come shuffled.
 */
export function matchRecords(
	deliveries: readonly Delivery[],
	payload: readonly CreatedRecord[],
): Matched {
	const positionByReference = new Map<string, number | undefined>();
	for (const [position, { referenceId }] of deliveries.entries()) {
		if (referenceId === undefined) continue;
		const isShared = positionByReference.has(referenceId);
		positionByReference.set(referenceId, isShared ? undefined : position);
	}

	const claims = new Map<number, CreatedRecord[]>();
	const leftOver: CreatedRecord[] = [];
	for (const record of payload) {
		const position = positionOf(record, deliveries, positionByReference);
		if (position === undefined) leftOver.push(record);
		else claims.set(position, [...(claims.get(position) ?? []), record]);
	}
	if (deliveries.length === 1 && payload.length === 1 && leftOver.length === 1) {
		const [only] = payload;
		const identified = identify(only);
		if (identified && (only?.index ?? only?.referenceId ?? undefined) === undefined)
			return { records: [identified], leftOver: [] };
	}
	const records = deliveries.map((_, position) => {
		const [record, ...rivals] = claims.get(position) ?? [];
		const identified = identify(record);
		if (identified && rivals.length === 0) return identified;
		if (record) leftOver.push(record, ...rivals);
		return undefined;
	});
	return { records, leftOver };
}

function positionOf(
	record: CreatedRecord,
	deliveries: readonly Delivery[],
	positionByReference: ReadonlyMap<string, number | undefined>,
): number | undefined {
	const { index, referenceId } = record;
	const byReference =
		typeof referenceId === 'string' ? positionByReference.get(referenceId) : undefined;
	if (index === undefined || index === null) return byReference;
	if (typeof index !== 'number') return undefined;
	const indexed = deliveries[index];
	if (!indexed) return undefined;
	const objects =
		typeof referenceId === 'string' &&
		referenceId !== indexed.referenceId &&
		(indexed.referenceId !== undefined || positionByReference.has(referenceId));
	return objects ? undefined : index;
}

function identify(record: CreatedRecord | undefined) {
	const id = record?.id;
	const isId = (typeof id === 'string' && id !== '') || typeof id === 'number';
	return record && isId ? { id: String(id), record } : undefined;
}
