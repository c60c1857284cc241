/** The sentences about Shopify orders that are skipped. */
import type { Problem } from '../common/result';
import { deliveryMethodNames, type DeliveryMethod } from '../shopify/fulfillmentOrder';
import type { PartlyPaid } from '../shopify/payment';
import type { Pickup } from '../shopify/pickup';
import type { Skip } from '../shopify/skipping';
import { returnedText } from './actions';
import type { Need } from './help';
import { quoted } from './lists';

/**
 * What happened to a skipped order.
 *
 * @param label the order's name, e.g. "Order #1001"
 */
export function skipMessage(skip: Skip, label: string): string {
	return `${label} ${skipText(skip)}`;
}

/** Why the delivery of a skipped order is not updated, and what the user can do about it. */
export function notUpdatedProblem(skip: Skip, label: string): Problem {
	return {
		message: skipMessage(skip, label),
		description: 'Its delivery was not updated. To stop it, ask the Delivery Service.',
	};
}

function skipText(skip: Skip): string {
	switch (skip.code) {
		case 'cancelled':
			return 'was canceled.';
		case 'testOrder':
			return 'is a test order, and Include Test Orders under Filters is off.';
		case 'voided':
			return 'has a voided payment.';
		case 'refunded':
			return 'was fully refunded.';
		case 'notPaid':
			return `is ${skip.partly ? 'only partly paid' : 'not paid yet'} (${skippedFor(skip)}). It will be sent when this workflow gets it again after the payment.`;
		case 'localPickup':
			return pickupText(skip);
		case 'nothingToShip':
			return skip.isHeld
				? 'has nothing to ship now: its open items are on hold.'
				: 'has nothing to ship: its items are fulfilled, refunded, removed or digital.';
		case 'fulfillmentService':
			return 'is shipped by a fulfillment service, and Include Fulfillment Services under Filters is off.';
		case 'deliveryMethod':
			return deliveryMethodText(skip.method);
		case 'shippingMethod':
			return methodText(skip);
		case 'tag':
			return skip.tag === undefined
				? 'has none of the tags in Tags under Filters.'
				: `has the tag "${skip.tag}", which is in Exclude Tags under Filters.`;
		case 'onHold': {
			const holds = skippedFor(skip);
			return `is on hold in Shopify${holds && ` (${holds})`}. It will be sent when this workflow gets it again after the hold is released.`;
		}
		case 'scheduled': {
			const day = skip.until === undefined ? 'when it is due' : `on or after ${dayOf(skip.until)}`;
			return `is scheduled. It will be sent when this workflow gets it again ${day}.`;
		}
		case 'closed':
			return 'is closed in Shopify: its items were fulfilled, moved or removed.';
		case 'incomplete':
			return "was closed as incomplete in Shopify: its location couldn't fulfill it.";
	}
}

/** What an order is skipped for, e.g. the name of its shipping method; empty if the reason says it all. */
export function skippedFor(skip: Skip): string {
	switch (skip.code) {
		case 'notPaid':
			return skip.methods.join(', ') || 'no payment method';
		case 'shippingMethod':
			return skip.methods.join(', ') || 'none';
		case 'deliveryMethod':
			return deliveryMethodNames[skip.method];
		case 'tag':
			return skip.tag ?? 'none in Tags';
		case 'onHold':
			return skip.holds.join('; ');
		case 'localPickup':
			return pickupShownBy(skip.pickup);
		case 'nothingToShip':
			return skip.isHeld ? 'on hold' : '';
		default:
			return '';
	}
}

/** How a person sends an order that the workflow would not send, for the end of a sentence. */
export const sendAnyway = 'send it with Send Anyway';

function deliveryMethodText(method: DeliveryMethod): string {
	return `has the delivery method "${deliveryMethodNames[method]}", which is not in Delivery Methods under Filters.`;
}

function methodText({ methods, isOnlyListed }: Extract<Skip, { code: 'shippingMethod' }>): string {
	const names = quoted(methods);
	if (names === '') return 'has no shipping method, and only those in Shipping Methods are sent.';
	return isOnlyListed
		? `has the shipping method ${names}, which is not in Shipping Methods, or is in Exclude Shipping Methods under Filters.`
		: `has the shipping method ${names}, which Exclude Shipping Methods under Filters excludes.`;
}

/** The mark or the shipping method that shows a store pickup. */
function pickupShownBy(pickup: Pickup): string {
	switch (pickup.shownBy) {
		case 'fulfillmentOrder':
			return '';
		case 'mark':
			return pickup.mark;
		case 'missingAddress':
			return pickup.method ?? '';
	}
}

function pickupText({ pickup }: Extract<Skip, { code: 'localPickup' }>): string {
	switch (pickup.shownBy) {
		case 'fulfillmentOrder':
			return deliveryMethodText('pick_up');
		case 'mark':
			return `is marked as a store pickup (${pickup.mark}).`;
		case 'missingAddress': {
			const method = pickupShownBy(pickup);
			return `has no shipping address, so it looks like a store pickup${method && ` (${method})`}.`;
		}
	}
}

/** A time stamp as the shop's day if it has a time zone, e.g. "2026-12-01", else with its time. */
function dayOf(time: string): string {
	const [, day, clock] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(time) ?? [];
	if (day === undefined) return time;
	return time.endsWith('Z') ? `${day} ${clock} UTC` : day;
}

/** What a person must do about an order that is skipped; undefined if nothing. */
export function skipNeed(skip: Skip, label: string): Need | undefined {
	switch (skip.code) {
		case 'notPaid':
			return (
				skip.partly && { text: `${label} ${partlyPaidText(skip.partly)}`, help: 'unpaid-order' }
			);
		case 'shippingMethod':
			if (skip.methods.length > 0) return undefined;
			return {
				text: `${label} was not sent: it has no shipping method, and only those in Shipping Methods are sent. If a driver should bring it, ${sendAnyway}.`,
				help: 'other-shipping-method',
			};
		case 'nothingToShip':
			if (skip.held.length === 0) return undefined;
			return {
				text: `${label} was not sent, probably because of a hold in Shopify: ${quoted(skip.held)}. When it is released, ${sendAnyway}.`,
				help: 'order-on-hold',
			};
		default:
			return undefined;
	}
}

function partlyPaidText(partly: PartlyPaid): string {
	const { unpaid, total = 'its price', hasOpenReturn, afterReturn, isAuthorizationKnown } = partly;
	const returned = hasOpenReturn ? returnedText(afterReturn) : '';
	const amounts =
		unpaid === undefined ? '' : ` Shopify says that ${unpaid} of ${total} is unpaid${returned}.`;
	const authorized = isAuthorizationKnown
		? ''
		: ` If the rest is authorized by card, ${sendAnyway}.`;
	return `was not sent: it is only partly paid.${amounts} Collect or capture the rest, or mark the order as paid in Shopify: then it is sent.${authorized}`;
}
