import type { Problem, Result } from '../common/result';
import type { Delivery } from '../service/schemas';
import { decideCash, type CashDecision } from './cashOnDelivery';
import { toNumber } from './decimal';
import { toDropoff } from './dropoff';
import type { OrderMapping } from './mapping';
import { readOrder, orderLabel, type Order } from './order';
import { toPackages } from './packages';
import { findOrder } from './recognize';
import { isPartlyFulfilled, remainingLines } from './remaining';
import { findSkip, type SkipReason } from './skipping';

/**
 * Maps the current state of a Shopify order to changes of its delivery (API document, section 4.2):
 * recipient, address, packages as long as nothing is fulfilled, and cash on delivery, which becomes
 * 0 once the order is paid. The address is one line of text, the only format that updates accept.
 * Never throws.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param mapping the mapping that the delivery was created with
 * @param referenceIds those of the deliveries to change, if they are known
 * @returns the changes, not yet validated; or why there are none, e.g. for a canceled order
 */
export function orderToChanges(
	value: unknown,
	mapping: OrderMapping,
	referenceIds: readonly string[] = [],
): Result<object> {
	const found = findOrder(value);
	if (!found.ok) return found;
	const read = readOrder(found.value);
	if (!read.ok) return read;
	const order = read.value;
	const [mismatch] = referenceIds.flatMap((reference) => mismatchProblem(order, reference) ?? []);
	if (mismatch) return { ok: false, problem: mismatch };
	const packages = currentPackages(order, mapping);
	if (!packages.ok) return packages;
	// A delivery that exists is updated, even if such orders are no longer sent.
	const includingSent = {
		...mapping,
		includeTestOrders: true,
		includeRefundedOrders: true,
		onlyPaidOrders: false,
	};
	const skip = findSkip(order, includingSent, packages.value?.length !== 0);
	if (skip && !changeableReasons.includes(skip.reason))
		return {
			ok: false,
			problem: { message: skip.message, description: skippedAdvice(skip.reason) },
		};
	const dropoff = toDropoff(order, { ...mapping, addressFormat: 'text' });
	if (!dropoff.ok) return dropoff;
	// Some of the fulfilled units may be in this delivery, which then collects for them as well.
	const isCashUnclear = order.fulfillmentOrder !== undefined && isPartlyFulfilled(order);
	const cash = decideCash(
		isCashUnclear ? { ...order, fulfillmentOrder: undefined } : order,
		mapping,
	);
	if (!cash.ok) return cash;
	const { contact, location } = dropoff.value;
	return {
		ok: true,
		value: {
			contact,
			// Overwrites old instructions, since those for the previous address would mislead the driver.
			location: { ...location, instructions: location.instructions ?? orderLabel(order) },
			packages: packages.value?.length === 0 ? undefined : packages.value,
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

/**
 * The current packages of an order; an empty list if everything was refunded or removed. Undefined
 * if something has been fulfilled, since it may be in this delivery or have shipped in another way.
 */
function currentPackages(
	order: Order,
	mapping: OrderMapping,
): Result<Delivery['packages'] | undefined> {
	if (isPartlyFulfilled(order)) return { ok: true, value: undefined };
	const lines = remainingLines(order);
	if (!lines.ok) return lines;
	return { ok: true, value: lines.value.length > 0 ? toPackages(order, lines.value, mapping) : [] };
}

/** A settled order needs 0, since its delivery may have been created with an amount to collect. */
function updatedCash({ amount, isSettled }: CashDecision): number | undefined {
	if (isSettled) return 0;
	return amount && toNumber(amount);
}

/** Reasons not to create a delivery, which may exist and be under way. */
const changeableReasons: readonly SkipReason[] = ['onHold', 'scheduled', 'closed'];

/** What the user can do about a delivery that is not updated. */
function skippedAdvice(reason: SkipReason): string {
	const unchanged = 'Its delivery was not updated.';
	// The message of a canceled order already says how to cancel its delivery.
	if (reason === 'cancelled') return unchanged;
	return `${unchanged} To stop it, cancel it in the Delivery Service dashboard.`;
}
