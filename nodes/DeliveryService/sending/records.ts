import type { Delivery } from '../service/schemas';

export type CreatedRecord = Record<string, unknown>;

export interface Matched {
	/** For each delivery its ID and record, or undefined where no record can be told to be its. */
	records: Array<{ id: string; record: CreatedRecord } | undefined>;
	/** For each delivery the record that is its but has no ID, such as one that tells an error. */
	withoutId: Array<CreatedRecord | undefined>;
	/** Records that belong to no delivery that was sent, or to more than one. */
	leftOver: CreatedRecord[];
}

/** What a record says of the delivery that it is about. */
interface Clue {
	record: CreatedRecord;
	/** Undefined when it has none, or one that is no whole number. */
	index?: number;
	/** The reference ID in a form that can be compared. */
	reference?: string;
	/** The deliveries with that reference ID. */
	named: readonly number[];
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
): Matched {
	const references = deliveries.map(({ referenceId }) => comparable(referenceId));
	const clues = cluesOf(payload, references);
	const trust = trustIn(clues, references.length);
	const claims = new Map<number, CreatedRecord[]>();
	const leftOver: CreatedRecord[] = [];
	for (const clue of clues) {
		const position = isAlone(clue, references, payload) ? 0 : positionOf(clue, references, trust);
		const claimed = position === undefined ? leftOver : claims.get(position);
		if (claimed) claimed.push(clue.record);
		else if (position !== undefined) claims.set(position, [clue.record]);
	}
	return decide(deliveries.length, claims, leftOver);
}

/** The position of each record's claim, read once: an answer may hold many thousands of records. */
function cluesOf(
	payload: readonly CreatedRecord[],
	references: ReadonlyArray<string | undefined>,
): Clue[] {
	const positions = new Map<string, number[]>();
	for (const [position, reference] of references.entries()) {
		if (reference === undefined) continue;
		const known = positions.get(reference);
		if (known) known.push(position);
		else positions.set(reference, [position]);
	}
	return payload.map((record) => {
		const reference = comparable(record.referenceId);
		const named = reference === undefined ? [] : (positions.get(reference) ?? []);
		return { record, index: wholeNumber(record.index), reference, named };
	});
}

/**
 * Whether indexes are positions counted from 0, as documented. They count from 1 when that alone
 * fits ranges and reference IDs; when both would fit, or neither, nobody can tell.
 */
type Trust = 'positions' | 'none' | 'onlyIfConfirmed';

function trustIn(clues: readonly Clue[], count: number): Trust {
	const fits = (first: number) =>
		clues.every(({ index, named }) => {
			if (index === undefined) return true;
			const position = index - first;
			const isKnown = position >= 0 && position < count;
			return isKnown && (named.length === 0 || named.includes(position));
		});
	if (fits(1)) return 'none';
	return fits(0) ? 'positions' : 'onlyIfConfirmed';
}

function positionOf(
	{ index, reference, named }: Clue,
	references: ReadonlyArray<string | undefined>,
	trust: Trust,
): number | undefined {
	const byReference = named.length === 1 ? named[0] : undefined;
	if (index === undefined || trust === 'none') return byReference;
	if (trust === 'onlyIfConfirmed') return byReference === index ? index : undefined;
	return objects(reference, references[index]) ? undefined : index;
}

/** Whether this is the only record, for the only delivery, and nothing in it objects. */
function isAlone(
	{ index = 0, reference }: Clue,
	references: ReadonlyArray<string | undefined>,
	payload: readonly CreatedRecord[],
): boolean {
	if (references.length !== 1 || payload.length !== 1) return false;
	return (index === 0 || index === 1) && !objects(reference, references[0]);
}

function objects(reference: string | undefined, sent: string | undefined): boolean {
	return reference !== undefined && sent !== undefined && reference !== sent;
}

/**
 * Gives each delivery its record, unless another one rivals, or another delivery has the same ID.
 * A record that came several times counts once.
 */
function decide(
	count: number,
	claims: ReadonlyMap<number, readonly CreatedRecord[]>,
	leftOver: CreatedRecord[],
): Matched {
	const uses = new Map<string, number>();
	for (const claimed of claims.values())
		for (const id of new Set(claimed.map(idOf)))
			if (id !== undefined) uses.set(id, (uses.get(id) ?? 0) + 1);
	const matched: Matched = { records: [], withoutId: [], leftOver };
	for (let position = 0; position < count; position++) {
		const [record, ...rivals] = claims.get(position) ?? [];
		const id = record && idOf(record);
		const isOnly =
			id === undefined
				? rivals.length === 0
				: uses.get(id) === 1 && rivals.every((rival) => idOf(rival) === id);
		if (record && !isOnly) for (const rival of [record, ...rivals]) leftOver.push(rival);
		matched.records.push(isOnly && record && id !== undefined ? { id, record } : undefined);
		matched.withoutId.push(isOnly && id === undefined ? record : undefined);
	}
	return matched;
}

/** A reference ID without what services change in it; undefined when there is none. */
function comparable(reference: unknown): string | undefined {
	if (typeof reference !== 'string' && typeof reference !== 'number') return undefined;
	const plain = String(reference).trim().toLowerCase().replace(/^#\s*/, '');
	return (/^\d+$/.test(plain) ? plain.replace(/^0+(?=\d)/, '') : plain) || undefined;
}

function wholeNumber(index: unknown): number | undefined {
	if (typeof index === 'string' && /^\s*-?\d+\s*$/.test(index)) return Number(index);
	return typeof index === 'number' && Number.isInteger(index) ? index : undefined;
}

function idOf({ id }: CreatedRecord): string | undefined {
	const isId = (typeof id === 'string' && id !== '') || typeof id === 'number';
	return isId ? String(id) : undefined;
}
