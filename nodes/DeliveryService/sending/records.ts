import type { Delivery } from '../service/schemas';

export type CreatedRecord = Record<string, unknown>;

export interface RecordMatches {
	/** For each delivery its ID and record, or undefined where no record can be told to be its. */
	records: Array<{ id: string; record: CreatedRecord } | undefined>;
	/** For each delivery the record that is its but has no ID, such as one that tells an error. */
	withoutId: Array<CreatedRecord | undefined>;
	/** Records that belong to no delivery that was sent, or to more than one. */
	leftOver: CreatedRecord[];
}

/**
 * Finds the record of each delivery in the answer to a creation request (service document,
 * sections 2.6 and 4.1). Position in the answer means nothing: records may come shuffled.
 *
 * A record is a delivery's when its index says so and its reference ID does not object; where the
 * indexes cannot be trusted or there is none, when its reference ID says so; and a single record
 * is that of a single delivery unless its reference ID objects. Reference IDs that differ only in
 * spaces, case, a leading `#` or leading zeros are taken for the same.
 */
export function matchRecords(
	deliveries: readonly Delivery[],
	payload: readonly CreatedRecord[],
): RecordMatches {
	const references = deliveries.map(({ referenceId }) => normalizeReference(referenceId));
	const named = positionLookup(references);
	const trust = indexTrust(payload, named, references.length);
	const claims = new Map<number, CreatedRecord[]>();
	const leftOver: CreatedRecord[] = [];
	const isOnly = references.length === 1 && payload.length === 1;
	for (const record of payload) {
		const position =
			isOnly && fitsOnly(record, references[0]) ? 0 : positionOf(record, references, named, trust);
		const claimed = position === undefined ? leftOver : claims.get(position);
		if (claimed) claimed.push(record);
		else if (position !== undefined) claims.set(position, [record]);
	}
	return assignRecords(deliveries.length, claims, leftOver);
}

/** The positions of the deliveries with a record's reference ID. */
type PositionLookup = (record: CreatedRecord) => readonly number[];

/** Looks positions up in a map: a response may contain many thousands of records. */
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
	named: PositionLookup,
	count: number,
): IndexTrust {
	const fits = (first: number) =>
		payload.every((record) => {
			const index = parseIndex(record.index);
			if (index === undefined) return true;
			const position = index - first;
			const candidates = named(record);
			const isKnown = position >= 0 && position < count;
			return isKnown && (candidates.length === 0 || candidates.includes(position));
		});
	if (fits(1)) return 'none';
	return fits(0) ? 'positions' : 'onlyIfConfirmed';
}

function positionOf(
	record: CreatedRecord,
	references: ReadonlyArray<string | undefined>,
	named: PositionLookup,
	trust: IndexTrust,
): number | undefined {
	const [candidate, ...others] = named(record);
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

/** Whether a record names another reference ID than the one that was sent. */
function contradicts({ referenceId }: CreatedRecord, sent: string | undefined): boolean {
	const reference = normalizeReference(referenceId);
	return reference !== undefined && sent !== undefined && reference !== sent;
}

/**
 * Gives each delivery its record, unless another one rivals, or another delivery has the same ID.
 * A record that came several times counts once.
 */
function assignRecords(
	count: number,
	claims: ReadonlyMap<number, readonly CreatedRecord[]>,
	leftOver: CreatedRecord[],
): RecordMatches {
	const uses = new Map<string, number>();
	for (const claimed of claims.values())
		for (const id of new Set(claimed.map(recordId)))
			if (id !== undefined) uses.set(id, (uses.get(id) ?? 0) + 1);
	const matched: RecordMatches = { records: [], withoutId: [], leftOver };
	for (let position = 0; position < count; position++) {
		const [record, ...rivals] = claims.get(position) ?? [];
		const id = record && recordId(record);
		const isOnly =
			id === undefined
				? rivals.length === 0
				: uses.get(id) === 1 && rivals.every((rival) => recordId(rival) === id);
		if (record && !isOnly) for (const rival of [record, ...rivals]) leftOver.push(rival);
		matched.records.push(isOnly && record && id !== undefined ? { id, record } : undefined);
		matched.withoutId.push(isOnly && id === undefined ? record : undefined);
	}
	return matched;
}

/** A reference ID without what services change in it; undefined when there is none. */
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
