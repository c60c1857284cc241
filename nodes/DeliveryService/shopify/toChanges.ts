import type { Result } from '../service/result';
import { cashOf, type Cash } from './cashOnDelivery';
import { toNumber } from './decimal';
import { dropoffOf } from './dropoff';
import type { OrderMapping } from './mapping';
import { readOrder } from './order';
import { packagesOf } from './packages';
import { remainingLines } from './remaining';
import { reasonToSkip, skipMessage } from './skipping';

/**
 * What an order as it is now says of its delivery, which exists already (service document, section
 * 4.2): recipient, address, packages, and the cash to collect, 0 where it has been paid since. The
 * address is one line of text, since updates know no other form.
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
	const lines = remainingLines(order);
	// What was sent is kept right, whatever the choice of what to send is now.
	const ofSent = { ...mapping, includeTestOrders: true, includeRefunded: true };
	const reason = reasonToSkip(order, ofSent, !lines.ok || lines.value.length > 0);
	if (reason) return { ok: false, problem: { message: skipMessage(order, reason), description } };
	if (!lines.ok) return lines;
	const dropoff = dropoffOf(order, { ...mapping, addressFormat: 'text' });
	if (!dropoff.ok) return dropoff;
	const cash = cashOf(order, mapping);
	if (!cash.ok) return cash;
	return {
		ok: true,
		value: {
			...dropoff.value,
			packages: packagesOf(order, lines.value, mapping),
			cod: codOf(cash.value),
		},
	};
}

/** The delivery may have been made when there was something to collect: only 0 takes that back. */
function codOf({ amount, isSettled }: Cash): number | undefined {
	if (isSettled) return 0;
	return amount && toNumber(amount);
}

const description = 'Its delivery was not changed.';
