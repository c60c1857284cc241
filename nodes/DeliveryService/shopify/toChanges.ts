import type { Problem } from '../common/result';
import type { Delivery } from '../service/schemas';
import { decideCash, type CashDecision } from './cash';
import { findOrder } from './item';
import type { OrderMapping } from './mapping';
import { toNumber } from './money';
import { orderLabel, problemFrom, readOrder, type Order } from './order';
import { toPackages } from './packages';
import { toDropoff } from './recipient';
import { findSkip, type Skip } from './skipping';
import { countUnits, isPartlyFulfilled } from './units';

/** The changes of a delivery, not yet validated, or why there are none. */
export type ChangesResult =
	| { kind: 'changes'; changes: object }
	| ({ kind: 'skipped'; label: string } & Skip)
	| { kind: 'invalid'; problem: Problem };

/**
 * Maps the current state of a Shopify order to changes of its delivery (API document, section 4.2):
 * recipient, address, packages as long as nothing is fulfilled, and cash on delivery, which becomes
 * 0 once the order is paid. The address is one line of text, the only format that updates accept.
 * Never throws.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param mapping the mapping that the delivery was created with
 * @param referenceIds those of the deliveries to change, if they are known
 */
export function orderToChanges(
	value: unknown,
	mapping: OrderMapping,
	referenceIds: readonly string[] = [],
): ChangesResult {
	const invalid = ({ problem }: { problem: Problem }) => ({ kind: 'invalid', problem }) as const;
	const found = findOrder(value);
	if (!found.ok) return invalid(found);
	const read = readOrder(found.value);
	if (!read.ok) return invalid(read);
	const order = read.value;
	const [mismatch] = referenceIds.flatMap((reference) => mismatchProblem(order, reference) ?? []);
	if (mismatch) return invalid({ problem: mismatch });
	const units = countUnits(order);
	// Something of it may be in this delivery, or may have shipped in another way.
	const isFulfilled = isPartlyFulfilled(order, units);
	if (!isFulfilled && units.problems.length > 0)
		return invalid({ problem: problemFrom(units.problems) });
	const lines = units.lines.filter(({ taken }) => taken > 0);
	// A delivery that exists is updated, even if such orders are no longer sent.
	const includingSent = {
		...mapping,
		includeTestOrders: true,
		includeRefundedOrders: true,
		onlyPaidOrders: false,
	};
	const skip = findSkip(order, includingSent, isFulfilled || lines.length > 0);
	if (skip && !changeableReasons.includes(skip.reason))
		return { kind: 'skipped', label: orderLabel(order), ...skip };
	const dropoff = toDropoff(order, { ...mapping, addressFormat: 'text' });
	if (!dropoff.ok) return invalid(dropoff);
	// Some of the fulfilled units may be in this delivery, which then collects for them as well.
	const isCashUnclear = order.fulfillmentOrder !== undefined && isFulfilled;
	const cash = decideCash(
		isCashUnclear ? { ...order, fulfillmentOrder: undefined } : order,
		units,
		mapping,
	);
	if (!cash.ok) return invalid(cash);
	const { contact, location } = dropoff.value;
	const packages: Delivery['packages'] | undefined =
		isFulfilled || lines.length === 0 ? undefined : toPackages(order, lines, mapping);
	return {
		kind: 'changes',
		changes: {
			contact,
			// Overwrites old instructions, since those for the previous address would mislead the driver.
			location: { ...location, instructions: location.instructions ?? orderLabel(order) },
			packages,
			cod: isCashUnclear && !cash.value.isSettled ? undefined : updatedCash(cash.value),
		},
	};
}

/**
 * The problem with a reference ID of the whole order for a fulfillment order, or the other way round:
 * its delivery would get the packages and the cash of the other one.
 */
function mismatchProblem(order: Order, reference: string): Problem | undefined {
	const { name, id, order_number, fulfillmentOrder: part } = order;
	const rests = [name, id, order_number].flatMap((own) =>
		own !== undefined && reference.startsWith(own) ? [reference.slice(own.length)] : [],
	);
	const [suffix] = rests.flatMap((rest) => /^(-\d{10,})?$/.exec(rest)?.[0] ?? []);
	if (suffix === undefined || suffix === (part ? `-${part.id}` : '')) return undefined;
	const nameOf = (partId: string) =>
		partId === '' ? 'the whole order' : `fulfillment order ${partId}`;
	return {
		message: `${orderLabel(order)}: "${reference}" is the reference ID of ${nameOf(suffix.slice(1))}, but this item is ${nameOf(part?.id ?? '')}`,
		description:
			'Its delivery was not updated, because its packages and cash would be wrong. Use the reference ID that belongs to the item.',
	};
}

/** A settled order needs 0, since its delivery may have been created with an amount to collect. */
function updatedCash({ amount, isSettled }: CashDecision): number | undefined {
	if (isSettled) return 0;
	return amount && toNumber(amount);
}

/** Reasons not to create a delivery, which may exist and be under way. */
const changeableReasons: ReadonlyArray<Skip['reason']> = ['onHold', 'scheduled', 'closed'];
