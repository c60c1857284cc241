/**
 * Counts the units of an order's line items that its fulfillment orders have claimed, so that each goes
 * out once, also after a split, a move or a replacement. Units are counted, not named: Shopify doesn't
 * say which units of a line a fulfillment order has.
 *
 * The store can't hold a sum. So the claims of an order's fulfillment orders are numbered, and what each
 * one takes of a line is recorded as powers of two: 31 units take five entries, 10 take two.
 */
import type { Access } from './access';
import { entryOf, type Reference } from './entries';

/** A line item of an order, and the units that a fulfillment order takes of it. */
export interface ClaimedLine {
	id: string;
	/** The number of ordered units. */
	quantity: number;
	canceled?: number;
	fulfilled?: number;
	/** The number of units that the fulfillment order takes. */
	units: number;
}

/** A fulfillment order that may claim units of its order. */
export interface Part {
	own: Reference;
	/** The lines of which it takes units. */
	lines: readonly ClaimedLine[];
}

/** An order, and what its fulfillment orders have claimed. */
export interface OrderUnits {
	order: Reference;
	/** Those that may claim more. */
	parts: Part[];
	/** How many claims have a number. */
	count: number;
	/** How many units of each line are claimed. */
	claimed: Map<string, number>;
	/** The numbers of those whose last claim was released: their next one takes it again. */
	reusable: Map<Reference, number>;
}

export function unitsOf(order: Reference, parts: Part[], count: number): OrderUnits {
	return { order, parts, count, claimed: new Map(), reusable: new Map() };
}

/** Reads what was claimed of the parts' lines: asks for one claim after the other, until there is none. */
export async function readUnits(access: Access, orders: readonly OrderUnits[]): Promise<void> {
	let pending = orders;
	while (pending.length > 0) {
		const known = await access.ask(pending.flatMap(nextEntries));
		pending = pending.filter(({ order, count }) => known.has(entryOf(order, 'part', count)));
		for (const one of pending) addNext(one, known);
	}
}

/** The entries that the next claim may have recorded. */
function nextEntries({ order, parts, count }: OrderUnits): string[] {
	return [
		entryOf(order, 'part', count),
		entryOf(order, 'freed', count),
		...parts.flatMap(({ own, lines }) => [
			entryOf(own, 'number', count),
			...lines.flatMap((line) =>
				powersUpTo(mostUnits(line)).map((power) => entryOf(order, 'units', count, line.id, power)),
			),
		]),
	];
}

function addNext(units: OrderUnits, known: ReadonlySet<string>): void {
	const { order, parts, claimed, reusable } = units;
	const number = units.count++;
	if (known.has(entryOf(order, 'freed', number))) return;
	const sums = new Map<string, number>();
	for (const line of parts.flatMap(({ lines }) => lines)) {
		const isKnown = (power: number) => known.has(entryOf(order, 'units', number, line.id, power));
		const sum = powersUpTo(mostUnits(line))
			.filter(isKnown)
			.reduce((total, power) => total + power, 0);
		// Of two parts with units of the line, one may have asked for fewer powers of two.
		sums.set(line.id, Math.max(sum, sums.get(line.id) ?? 0));
	}
	for (const { own, lines } of parts)
		if (known.has(entryOf(own, 'number', number)) && lines.every(({ id }) => !sums.get(id)))
			reusable.set(own, number);
	for (const [id, sum] of sums) claimed.set(id, (claimed.get(id) ?? 0) + sum);
}

/** The number of units of a line that may be claimed. Of the fulfilled ones, all may be claimed. */
export function freeUnits({ claimed }: OrderUnits, line: ClaimedLine): number {
	const { id, quantity, canceled = 0, fulfilled = 0, units } = line;
	return Math.max(quantity - canceled, units) - Math.max(claimed.get(id) ?? 0, fulfilled);
}

/** Whether a part that was created has more units of a line now. */
export function hasGrown({ claimed }: OrderUnits, { id, units }: ClaimedLine): boolean {
	return units > (claimed.get(id) ?? 0);
}

/**
 * Claims the units of a part. Those that were fulfilled without a claim get one of their own, which stays
 * when this one is released.
 *
 * @returns the entries to record, and those to remove if its delivery is not created
 */
export function takeUnits(units: OrderUnits, { own, lines }: Part) {
	const { order, claimed, reusable } = units;
	const fulfilled = lines.flatMap((line) => {
		const missing = (line.fulfilled ?? 0) - (claimed.get(line.id) ?? 0);
		return missing > 0 ? [{ id: line.id, units: missing }] : [];
	});
	const recorded: string[] = [];
	const nextNumber = () => {
		recorded.push(entryOf(order, 'part', units.count));
		return units.count++;
	};
	if (fulfilled.length > 0) recorded.push(...claimUnits(units, nextNumber(), fulfilled));
	const number = reusable.get(own) ?? nextNumber();
	const released = claimUnits(units, number, lines);
	recorded.push(entryOf(own, 'number', number), ...released);
	return { recorded, released };
}

function claimUnits(
	{ order, claimed }: OrderUnits,
	number: number,
	lines: ReadonlyArray<Pick<ClaimedLine, 'id' | 'units'>>,
): string[] {
	return lines.flatMap(({ id, units }) => {
		claimed.set(id, (claimed.get(id) ?? 0) + units);
		return powersIn(units).map((power) => entryOf(order, 'units', number, id, power));
	});
}

/** How many units one claim can have: more than were ordered only if the part says so. */
const mostUnits = ({ quantity, units }: ClaimedLine) => Math.max(quantity, units);

/** The powers of two up to a number. */
function powersUpTo(units: number): number[] {
	const count = Math.floor(Math.log2(units)) + 1;
	return Array.from({ length: count }, (_, exponent) => 2 ** exponent);
}

/** The powers of two of which a number is the sum. */
function powersIn(units: number): number[] {
	return powersUpTo(units).filter((power) => Math.floor(units / power) % 2 === 1);
}
