import type { Result } from '../common/result';
import type { Delivery } from '../service/schemas';
import { cashOf, type Cash } from './cashOnDelivery';
import { toNumber } from './decimal';
import { dropoffOf } from './dropoff';
import type { OrderMapping } from './mapping';
import { readOrder, sentenceStart, type Order } from './order';
import { packagesOf } from './packages';
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
	const packages = packagesNow(order, mapping);
	if (!packages.ok) return packages;
	// What was sent is kept right, whatever the choice of what to send is now.
	const ofSent = { ...mapping, includeTestOrders: true, includeRefunded: true, onlyPaid: false };
	const reason = reasonToSkip(order, ofSent, packages.value?.length !== 0);
	if (reason)
		return {
			ok: false,
			problem: { message: skipMessage(order, reason), description: adviceFor(reason) },
		};
	const dropoff = dropoffOf(order, { ...mapping, addressFormat: 'text' });
	if (!dropoff.ok) return dropoff;
	const cash = cashOf(order, mapping);
	if (!cash.ok) return cash;
	const { contact, location } = dropoff.value;
	return {
		ok: true,
		value: {
			contact,
			// Those of the address before, such as its apartment, would lead to a wrong door.
			location: { ...location, instructions: location.instructions ?? sentenceStart(order) },
			packages: packages.value,
			cod: codOf(cash.value),
		},
	};
}

/**
 * The packages that an order has now, none when all was refunded or removed; undefined when some of
 * it has been fulfilled since: that may be what this delivery carries, or what went another way.
 */
function packagesNow(
	order: Order,
	mapping: OrderMapping,
): Result<Delivery['packages'] | undefined> {
	if (isFulfilledInPart(order)) return { ok: true, value: undefined };
	const lines = remainingLines(order);
	if (!lines.ok) return lines;
	return { ok: true, value: lines.value.length > 0 ? packagesOf(order, lines.value, mapping) : [] };
}

/** The delivery may have been made when there was something to collect: only 0 takes that back. */
function codOf({ amount, isSettled }: Cash): number | undefined {
	if (isSettled) return 0;
	return amount && toNumber(amount);
}

/** What a person can do about a delivery that stays as it was. */
function adviceFor(reason: SkipReason): string {
	const unchanged = 'Its delivery was not changed.';
	// The message of a cancelled order says the rest.
	if (reason === 'cancelled') return unchanged;
	return `${unchanged} If it should not arrive, stop it in the dashboard of the Delivery Service.`;
}
