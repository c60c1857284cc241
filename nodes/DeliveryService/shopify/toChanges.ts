import type { Result } from '../common/result';
import type { Delivery } from '../service/schemas';
import { decideCash, type CashDecision } from './cashOnDelivery';
import { toNumber } from './decimal';
import { toDropoff } from './dropoff';
import type { OrderMapping } from './mapping';
import { readOrder, orderLabel, type Order } from './order';
import { toPackages } from './packages';
import { isFulfilledInPart, remainingLines } from './remaining';
import { reasonToSkip, skipMessage, type SkipReason } from './skipping';

/**
 * What an order as it is now says of its delivery, which exists already (service document, section
 * 4.2): recipient, address, packages as long as nothing is fulfilled, and the cash to collect, 0
 * where it has been paid since. The address is one line of text, since updates know no other form.
 *
 * @param value the order as n8n's Shopify nodes emit it, also wrapped in a member "order"
 * @param mapping how the delivery was made of it
 * @returns the changes, not yet checked against the document; or why there are none, as of an order
 *   that was cancelled. It never throws.
 */
export function orderToChanges(value: unknown, mapping: OrderMapping): Result<object> {
	const read = readOrder(value);
	if (!read.ok) return read;
	const order = read.value;
	const packages = currentPackages(order, mapping);
	if (!packages.ok) return packages;
	// What was sent is kept right, whatever the choice of what to send is now.
	const ofSent = {
		...mapping,
		includeTestOrders: true,
		includeRefundedOrders: true,
		onlyPaidOrders: false,
	};
	const reason = reasonToSkip(order, ofSent, packages.value?.length !== 0);
	if (reason)
		return {
			ok: false,
			problem: { message: skipMessage(order, reason), description: skippedAdvice(reason) },
		};
	const dropoff = toDropoff(order, { ...mapping, addressFormat: 'text' });
	if (!dropoff.ok) return dropoff;
	const cash = decideCash(order, mapping);
	if (!cash.ok) return cash;
	const { contact, location } = dropoff.value;
	return {
		ok: true,
		value: {
			contact,
			// Those of the address before, such as its apartment, would lead to a wrong door.
			location: { ...location, instructions: location.instructions ?? orderLabel(order) },
			packages: packages.value,
			cod: cashChange(cash.value),
		},
	};
}

/**
 * The packages that an order has now, none when all was refunded or removed; undefined when some of
 * it has been fulfilled since: that may be what this delivery carries, or what went another way.
 */
function currentPackages(
	order: Order,
	mapping: OrderMapping,
): Result<Delivery['packages'] | undefined> {
	if (isFulfilledInPart(order)) return { ok: true, value: undefined };
	const lines = remainingLines(order);
	if (!lines.ok) return lines;
	return { ok: true, value: lines.value.length > 0 ? toPackages(order, lines.value, mapping) : [] };
}

/** The delivery may have been made when there was something to collect: only 0 takes that back. */
function cashChange({ amount, isSettled }: CashDecision): number | undefined {
	if (isSettled) return 0;
	return amount && toNumber(amount);
}

/** What a person can do about a delivery that stays as it was. */
function skippedAdvice(reason: SkipReason): string {
	const unchanged = 'Its delivery was not changed.';
	// The message of a cancelled order says the rest.
	if (reason === 'cancelled') return unchanged;
	return `${unchanged} If it should not arrive, stop it in the dashboard of the Delivery Service.`;
}
