import type { Delivery } from '../service/schemas';

export type CreatedRecord = Record<string, unknown>;

export interface RecordMatches {
	/** For each delivery its ID and record, or undefined when no record can be matched to it. */
	records: Array<{ id: string; record: CreatedRecord } | undefined>;
	/** For each delivery its record without an ID, e.g. one with an error. */
	withoutId: Array<CreatedRecord | undefined>;
	/** Records that match no delivery of the request, or more than one. */
	unmatched: CreatedRecord[];
}

/**
 * Matches the records in the response to a creation request with its deliveries (API document,
 * sections 2.6 and 4.1). The position in the response means nothing: records may be shuffled.
 *
 * A record matches the delivery at its index unless its reference ID contradicts that. When the
 * indexes can't be trusted or are missing, it matches by reference ID. A single record matches a
 * single delivery unless its reference ID contradicts that. Reference IDs that differ only in
 * spaces, case, a leading `#` or leading zeros are treated as equal.
 */
export function matchRecords(
	deliveries: readonly Delivery[],
	payload: readonly CreatedRecord[],
): RecordMatches {
	const references = deliveries.map(({ referenceId }) => normalizeReference(referenceId));
	const findPositions = positionLookup(references);
	const trust = indexTrust(payload, findPositions, references.length);
	const candidates = new Map<number, CreatedRecord[]>();
	const unmatched: CreatedRecord[] = [];
	const isOnly = references.length === 1 && payload.length === 1;
	for (const record of payload) {
		const position =
			isOnly && fitsOnly(record, references[0])
				? 0
				: positionOf(record, references, findPositions, trust);
		const list = position === undefined ? unmatched : candidates.get(position);
		if (list) list.push(record);
		else if (position !== undefined) candidates.set(position, [record]);
	}
	return assignRecords(deliveries.length, candidates, unmatched);
}

/** Returns the positions of the deliveries with a record's reference ID. */
type PositionLookup = (record: CreatedRecord) => readonly number[];

/** Indexes the positions by reference ID: a response may contain many thousands of records. */
function positionLookup(references: ReadonlyArray<string | undefined>): PositionLookup {
	const positions = new Map<string, number[]>();
	for (const [position, reference] of references.entries()) {
		if (reference === undefined) continue;
		const known = positions.get(reference);
		if (known) known.push(position);
		else positions.set(reference, [position]);
	}
	return ({ referenceId }) => positions.get(normalizeReference(referenceId) ?? '') ?? [];
}

/**
 * Whether indexes are positions counted from 0, as documented. They count from 1 when only that fits
 * the number of deliveries and the reference IDs; when both fit, or neither, nothing is certain.
 */
type IndexTrust = 'positions' | 'none' | 'onlyIfConfirmed';

function indexTrust(
	payload: readonly CreatedRecord[],
	findPositions: PositionLookup,
	count: number,
): IndexTrust {
	const fits = (first: number) =>
		payload.every((record) => {
			const index = parseIndex(record.index);
			if (index === undefined) return true;
			const position = index - first;
			const candidates = findPositions(record);
			const isInRange = position >= 0 && position < count;
			return isInRange && (candidates.length === 0 || candidates.includes(position));
		});
	if (fits(1)) return 'none';
	return fits(0) ? 'positions' : 'onlyIfConfirmed';
}

function positionOf(
	record: CreatedRecord,
	references: ReadonlyArray<string | undefined>,
	findPositions: PositionLookup,
	trust: IndexTrust,
): number | undefined {
	const [candidate, ...others] = findPositions(record);
	const byReference = others.length === 0 ? candidate : undefined;
	const index = parseIndex(record.index);
	if (index === undefined || trust === 'none') return byReference;
	if (trust === 'onlyIfConfirmed') return byReference === index ? index : undefined;
	return contradicts(record, references[index]) ? undefined : index;
}

/** Whether the only record can be that of the only delivery. */
function fitsOnly(record: CreatedRecord, sent: string | undefined): boolean {
	const index = parseIndex(record.index) ?? 0;
	return (index === 0 || index === 1) && !contradicts(record, sent);
}

/** Whether a record has a different reference ID than the one that was sent. */
function contradicts({ referenceId }: CreatedRecord, sent: string | undefined): boolean {
	const reference = normalizeReference(referenceId);
	return reference !== undefined && sent !== undefined && reference !== sent;
}

/**
 * Assigns each delivery its record, unless there is a rival record or another delivery with the same
 * ID. A repeated record counts once.
 */
function assignRecords(
	count: number,
	candidates: ReadonlyMap<number, readonly CreatedRecord[]>,
	unmatched: CreatedRecord[],
): RecordMatches {
	const uses = new Map<string, number>();
	for (const records of candidates.values())
		for (const id of new Set(records.map(recordId)))
			if (id !== undefined) uses.set(id, (uses.get(id) ?? 0) + 1);
	const matches: RecordMatches = { records: [], withoutId: [], unmatched };
	for (let position = 0; position < count; position++) {
		const [record, ...rivals] = candidates.get(position) ?? [];
		const id = record && recordId(record);
		const isOnly =
			id === undefined
				? rivals.length === 0
				: uses.get(id) === 1 && rivals.every((rival) => recordId(rival) === id);
		if (record && !isOnly) for (const rival of [record, ...rivals]) unmatched.push(rival);
		matches.records.push(isOnly && record && id !== undefined ? { id, record } : undefined);
		matches.withoutId.push(isOnly && id === undefined ? record : undefined);
	}
	return matches;
}

/** A reference ID without the parts that services change; undefined when there is none. */
function normalizeReference(reference: unknown): string | undefined {
	if (typeof reference !== 'string' && typeof reference !== 'number') return undefined;
	const plain = String(reference).trim().toLowerCase().replace(/^#\s*/, '');
	return (/^\d+$/.test(plain) ? plain.replace(/^0+(?=\d)/, '') : plain) || undefined;
}

function parseIndex(index: unknown): number | undefined {
	if (typeof index === 'string' && /^\s*-?\d+\s*$/.test(index)) return Number(index);
	return typeof index === 'number' && Number.isInteger(index) ? index : undefined;
}

function recordId({ id }: CreatedRecord): string | undefined {
	const isId = (typeof id === 'string' && id !== '') || typeof id === 'number';
	return isId ? String(id) : undefined;
}
