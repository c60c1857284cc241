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
	readonly own: Reference;
	/** The lines of which it takes units. */
	readonly lines: readonly ClaimedLine[];
	/** How many units of each line it has claimed before. */
	readonly claimed: Map<string, number>;
	/** The number of its last claim, if that was released: its next one takes it again. */
	reusable?: number;
}

/** An order, and what its fulfillment orders have claimed. */
export interface OrderUnits<OwnPart extends Part = Part> {
	order: Reference;
	/** Those that may claim more. */
	parts: OwnPart[];
	/** How many claims have a number. */
	count: number;
	/** How many units of each line are claimed. */
	claimed: Map<string, number>;
}

/** @param count the number of its first claim */
export function unitsOf<OwnPart extends Part>(
	order: Reference,
	count: number,
): OrderUnits<OwnPart> {
	return { order, parts: [], count, claimed: new Map() };
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
	const { order, parts, claimed } = units;
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
	add(claimed, sums);
	for (const part of parts) {
		if (!known.has(entryOf(part.own, 'number', number))) continue;
		add(part.claimed, sums);
		if (part.lines.every(({ id }) => !sums.get(id))) part.reusable = number;
	}
}

function add(total: Map<string, number>, units: ReadonlyMap<string, number>): void {
	for (const [id, count] of units) total.set(id, (total.get(id) ?? 0) + count);
}

/** The number of units of a line that may be claimed. Of the fulfilled ones, all may be claimed. */
export function freeUnits({ claimed }: OrderUnits, line: ClaimedLine): number {
	const { id, quantity, canceled = 0, fulfilled = 0, units } = line;
	return Math.max(quantity - canceled, units) - Math.max(claimed.get(id) ?? 0, fulfilled);
}

/** The units that a part has besides those that it has claimed, and that no other one has claimed. */
export function addedUnits(units: OrderUnits, { lines, claimed }: Part): ClaimedLine[] {
	return lines.flatMap((line) => {
		const added = line.units - (claimed.get(line.id) ?? 0);
		const free = Math.min(added, freeUnits(units, line));
		return free > 0 ? { ...line, units: free } : [];
	});
}

/**
 * Claims units of a part's lines. Those that were fulfilled without a claim get one of their own, which
 * stays when this one is released.
 *
 * @returns the entries to record, and those to remove if its delivery is not created
 */
export function takeUnits(units: OrderUnits, part: Part, lines: readonly ClaimedLine[]) {
	const { order, claimed } = units;
	const fulfilled = new Map<string, number>();
	for (const line of lines) {
		const missing = (line.fulfilled ?? 0) - (claimed.get(line.id) ?? 0);
		if (missing > 0) fulfilled.set(line.id, missing);
	}
	const recorded: string[] = [];
	const nextNumber = () => {
		recorded.push(entryOf(order, 'part', units.count));
		return units.count++;
	};
	if (fulfilled.size > 0) recorded.push(...claimUnits(units, nextNumber(), fulfilled));
	const number = part.reusable ?? nextNumber();
	const wanted = new Map(lines.map(({ id, units: count }) => [id, count]));
	const released = claimUnits(units, number, wanted);
	recorded.push(entryOf(part.own, 'number', number), ...released);
	return { recorded, released };
}

function claimUnits(
	{ order, claimed }: OrderUnits,
	number: number,
	units: ReadonlyMap<string, number>,
): string[] {
	add(claimed, units);
	return [...units].flatMap(([id, count]) =>
		powersIn(count).map((power) => entryOf(order, 'units', number, id, power)),
	);
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
