/** The units of an order: how many of each line item its delivery takes. */
import type { FulfillmentOrder } from './fulfillmentOrder';
import type { OrderMapping } from './mapping';
import type { LineItem, Order } from './order';

/**
 * The units of a line item; none if it needs no shipping. If of 10 ordered units 3 were fulfilled, one of
 * these was returned, and 2 were removed: canceled 2, fulfilled 3, kept 7, left 5, and taken up to 5.
 */
export interface LineUnits {
	line: LineItem;
	name: string;
	/** Those that the customer keeps, fulfilled ones included: not refunded, removed or canceled. */
	kept: number;
	/** Those that are shipped or were, though the customer doesn't pay for all of them: at least `kept`. */
	shipped: number;
	/** Those that never ship: canceled or removed before they were fulfilled. */
	canceled: number;
	/** Those that the order's fulfillments contain. */
	fulfilled: number;
	/** Those left to ship of the whole order, or undefined if unknown. */
	left: number | undefined;
	/** Whether some can't ship now, though nothing else explains it. */
	isHeld: boolean;
	/** Those in this delivery that never were canceled, shipped or not. */
	own: number;
	/** Those that this delivery takes now. */
	taken: number;
}

/** The units of all line items of an order. */
export interface OrderUnits {
	lines: LineUnits[];
	/** Whether a fulfillment service ships some of the units that are left. */
	isByService: boolean;
	/** The items of a whole order with units that can't ship now, though nothing else explains it. */
	held: string[];
	/** Why the units that this delivery takes can't be determined. */
	problems: UnitsProblem[];
}

/** Why it is unclear how many units a delivery takes. */
export type UnitsProblem =
	/** The order lacks an item of its fulfillment order. */
	| { code: 'unknownPartItem'; lineId: string }
	| { code: 'unknownUnitsLeft'; item: string; field: string };

/**
 * Counts the units of an order. Its delivery takes those left to ship, of all lines that need shipping
 * and aren't gift cards; the delivery of a fulfillment order takes those that Shopify says are left of
 * it, even if some were refunded. What a fulfillment service ships is not taken.
 */
export function countUnits(order: Order, { filters, sendAnyway }: OrderMapping): OrderUnits {
	const { fulfillmentOrder: part } = order;
	const counted = countLines(order).map((line) => (sendAnyway ? withHeld(line) : line));
	const units = part ? takeAssigned(part, counted) : takeLeft(counted);
	const isOwn = ({ line }: TakenLine) =>
		filters.includeFulfillmentServices || !isShippedByService(line, part);
	const own = units.filter(isOwn);
	const assigned = part && assignedUnits(part);
	return {
		lines: units.map((entry) => ({
			...entry,
			own: Math.min(entry.line.quantity - entry.canceled, assigned?.(entry.line.id) ?? Infinity),
			taken: isOwn(entry) ? (entry.taken ?? 0) : 0,
		})),
		isByService: units.some(({ line, taken }) => taken !== 0 && isShippedByService(line, part)),
		held: part ? [] : own.filter(({ isHeld }) => isHeld).map(({ name }) => name),
		problems: [...unknownItem(order), ...own.flatMap(({ problem }) => problem ?? [])],
	};
}

/** The first item of a fulfillment order with units that its order lacks, if there is one. */
function unknownItem({ fulfillmentOrder: part, line_items: lines }: Order): UnitsProblem[] {
	if (!part) return [];
	const known = new Set(lines.map(({ id }) => id));
	const unknown = part.line_items.find(
		({ line_item_id: id, fulfillable_quantity: quantity }) => quantity > 0 && !known.has(id),
	);
	return unknown ? [{ code: 'unknownPartItem', lineId: unknown.line_item_id }] : [];
}

type CountedLine = Omit<LineUnits, 'own' | 'taken'>;

/** A line of which held units are left to ship, too. */
function withHeld(line: CountedLine): CountedLine {
	return line.isHeld ? { ...line, left: line.kept - line.fulfilled, isHeld: false } : line;
}

/** The units that a delivery would take; undefined if that is unknown. */
type TakenLine = CountedLine & { taken: number | undefined; problem?: UnitsProblem };

/** The units of the lines that a fulfillment order has, shipped or not. */
function assignedUnits({ line_items: parts }: FulfillmentOrder): UnitsOf {
	return unitsByLine(
		parts.map(({ line_item_id: id, quantity, fulfillable_quantity: left }) => {
			return { id, quantity: quantity ?? left };
		}),
	);
}

function takeAssigned(
	{ line_items: parts }: FulfillmentOrder,
	lines: readonly CountedLine[],
): TakenLine[] {
	const unitsOf = unitsByLine(
		parts.map(({ line_item_id: id, fulfillable_quantity: quantity }) => ({ id, quantity })),
	);
	const takenOf = ({ line }: CountedLine) => (needsShipping(line) ? unitsOf(line.id) : 0);
	return lines.map((entry) => ({ ...entry, taken: takenOf(entry) }));
}

function takeLeft(lines: readonly CountedLine[]): TakenLine[] {
	return lines.map((entry) => {
		const { line, name, left } = entry;
		if (left !== undefined) return { ...entry, taken: Math.max(0, left) };
		const field =
			line.fulfillable_quantity === undefined ? 'line_items.fulfillable_quantity' : 'fulfillments';
		return { ...entry, taken: undefined, problem: { code: 'unknownUnitsLeft', item: name, field } };
	});
}

/**
 * Whether another company ships a line. A fulfillment order says so itself if its location is known to
 * be the company's or not, or if the company has rejected it.
 */
function isShippedByService(line: LineItem, part: FulfillmentOrder | undefined): boolean {
	const isService = part?.assigned_location?.is_fulfillment_service;
	if (typeof isService === 'boolean') return isService;
	if (part?.request_status === 'rejected') return false;
	return line.fulfillment_service !== undefined && line.fulfillment_service !== 'manual';
}

/** Whether a line item is shipped at all. */
export function needsShipping(line: LineItem): boolean {
	return line.requires_shipping !== false && !line.gift_card;
}

/**
 * Whether units that were not refunded or removed have shipped or are about to. They may be in the
 * delivery of this order, or may have shipped in another way.
 */
export function hasFulfilledUnits(
	{ fulfillmentOrder: part }: Order,
	{ lines }: OrderUnits,
): boolean {
	if (part)
		return part.line_items.some(
			// Without the assigned units, it is unclear whether some have shipped.
			({ quantity, fulfillable_quantity: left }) => quantity === undefined || left < quantity,
		);
	return lines.some(({ kept, left }) => (left ?? 0) < kept);
}

/**
 * Whether all items that can ship were removed. Those of a fulfillment order that lists none may have moved to
 * another one, unless its order has none left either.
 */
export function isEmptied({ fulfillmentOrder: part }: Order, { lines }: OrderUnits): boolean {
	const shippable = lines.filter(({ line }) => needsShipping(line));
	const ids = new Set(part?.line_items.map(({ line_item_id: id }) => id));
	const own = shippable.filter(({ line }) => line.id !== undefined && ids.has(line.id));
	const all = own.length > 0 ? own : shippable;
	return all.length > 0 && all.every(({ line, canceled }) => canceled >= line.quantity);
}

/**
 * Whether all units that can ship have shipped. A fulfillment order is also closed when it was delivered,
 * which its order's fulfillments show.
 */
export function isFulfilled(order: Order, units: OrderUnits): boolean {
	const { fulfillmentOrder: part } = order;
	if (part) {
		// One without units was moved, or its items were removed.
		const hasUnits = part.line_items.some(({ quantity = 0 }) => quantity > 0);
		if (!hasUnits && isEmptied(order, units)) return false;
		const fulfilled = unitsInFulfillments(order);
		if (!fulfilled) return part.status === 'closed';
		return part.line_items.every(({ line_item_id: id, quantity = 0 }) => fulfilled(id) >= quantity);
	}
	const shippable = units.lines.filter(({ line }) => needsShipping(line));
	const isShipped = ({ line, fulfilled, canceled }: LineUnits) =>
		line.fulfillment_status === 'fulfilled' || fulfilled >= line.quantity - canceled;
	return (
		shippable.every(isShipped) &&
		shippable.some(
			({ fulfilled, line }) => fulfilled > 0 || line.fulfillment_status === 'fulfilled',
		)
	);
}

function countLines(order: Order): CountedLine[] {
	const refunds = refundedUnits(order);
	const fulfillments = unitsInFulfillments(order);
	return order.line_items.map((line, index) => {
		const name = line.name ?? line.title ?? `Item ${index + 1}`;
		return needsShipping(line)
			? { line, name, ...countLine(line, refunds, fulfillments) }
			: { line, name, kept: 0, shipped: 0, canceled: 0, fulfilled: 0, left: 0, isHeld: false };
	});
}

/** The units of the lines in all refunds, and in those of two kinds. */
interface RefundedUnits {
	all: UnitsOf;
	canceled: UnitsOf;
	notRestocked: UnitsOf;
}

/** The units of the lines in all refunds; undefined if the order doesn't list them. */
function refundedUnits({ refunds }: Order): RefundedUnits | undefined {
	const all = refunds?.flatMap(({ refund_line_items }) => refund_line_items);
	if (!all) return undefined;
	const ofType = (type: string) =>
		unitsByLine(all.filter(({ restock_type }) => restock_type === type));
	return { all: unitsByLine(all), canceled: ofType('cancel'), notRestocked: ofType('no_restock') };
}

/** The units of the lines in all fulfillments; undefined if the order doesn't list them. */
function unitsInFulfillments({ fulfillments }: Order): UnitsOf | undefined {
	return fulfillments && unitsByLine(fulfillments.flatMap(({ line_items }) => line_items));
}

/** Counts the units of a line that needs shipping. */
function countLine(
	line: LineItem,
	refunds: RefundedUnits | undefined,
	fulfillments: UnitsOf | undefined,
): Omit<CountedLine, 'line' | 'name'> {
	const fulfilled = fulfillments?.(line.id) ?? 0;
	// None of a line with a status means that they are listed elsewhere.
	const isListed = fulfilled > 0 || line.fulfillment_status === undefined;
	const units = keptUnits(line, refunds, fulfillments && isListed ? fulfilled : undefined);
	const { kept, canceled } = units;
	const unfulfilled = unfulfilledUnits(line, refunds ? canceled : 0, fulfilled || undefined);
	const left = kept === 0 ? 0 : unfulfilled && Math.min(kept, unfulfilled);
	const isHeld = fulfillments !== undefined && isListed && (left ?? kept) + fulfilled < kept;
	return { ...units, fulfilled, left, isHeld };
}

/**
 * The units of a line that the customer keeps, that are to be shipped, and that never ship.
 *
 * @param fulfilled undefined if the order doesn't list all of its fulfillments
 */
function keptUnits(
	line: LineItem,
	refunds: RefundedUnits | undefined,
	fulfilled: number | undefined,
): Pick<LineUnits, 'kept' | 'shipped' | 'canceled'> {
	const { id, quantity, current_quantity: current, fulfillable_quantity: left } = line;
	const refunded = refunds?.all(id) ?? 0;
	const kept = Math.max(0, Math.min(quantity, current ?? quantity - refunded));
	// Without refunds, any of the other units may be shipped, and any may be canceled.
	if (!refunds) return { kept, shipped: quantity, canceled: quantity - kept };
	// Units that were removed without a refund can't have been fulfilled.
	const canceled = refunds.canceled(id) + Math.max(0, quantity - kept - refunded);
	// Units that were refunded without restocking ship, unless they were removed: then they are not left.
	const missing =
		left === undefined || fulfilled === undefined ? 0 : quantity - fulfilled - left - canceled;
	const removed = Math.max(0, Math.min(refunds.notRestocked(id), missing));
	return {
		kept,
		shipped: Math.max(kept, Math.min(quantity, kept + refunds.notRestocked(id)) - removed),
		canceled: canceled + removed,
	};
}

/** The units of a line, by its ID. */
type UnitsOf = (id: string | undefined) => number;

/** Adds up the units of each line in all entries. */
function unitsByLine(entries: ReadonlyArray<{ id?: string; quantity: number }>): UnitsOf {
	const units = new Map<string | undefined, number>();
	for (const { id, quantity } of entries) units.set(id, (units.get(id) ?? 0) + quantity);
	return (id) => units.get(id) ?? 0;
}

/**
 * The number of units that are neither fulfilled nor canceled, or undefined if unknown.
 * fulfillable_quantity alone doesn't show it if a line has both: by Shopify's documentation, it
 * subtracts only the larger one of fulfilled and refunded units.
 *
 * @param canceled the units that were refunded or removed before they were fulfilled
 * @param fulfilled the fulfilled units, or undefined if the order's fulfillments contain none
 */
function unfulfilledUnits(
	line: LineItem,
	canceled: number,
	fulfilled: number | undefined,
): number | undefined {
	const { quantity, fulfillable_quantity: fulfillable, fulfillment_status: status } = line;
	const isPartial = status === 'partial' || fulfilled !== undefined;
	if (fulfillable === undefined) {
		if (status === 'fulfilled') return 0;
		if (!isPartial) return quantity;
		return fulfilled === undefined ? undefined : quantity - fulfilled - canceled;
	}
	if (canceled > 0 && status === 'fulfilled') return 0;
	if (canceled === 0 || !isPartial) return fulfillable;
	// Something of a partly fulfilled line is fulfilled, and something is left.
	const most = Math.min(fulfillable, quantity - 1 - canceled);
	const least = Math.max(1, fulfillable - canceled);
	if (fulfilled === undefined) return most <= least ? most : undefined;
	return Math.min(most, quantity - fulfilled - canceled);
}
