import type { Problem } from '../common/result';
import { deliveryMethodNames } from '../shopify/fulfillmentOrder';
import type { MissingField, Skip } from '../shopify/skipping';

/** The sentences about Shopify orders that are skipped, or lack something. */

/**
 * What happened to a skipped order and what to do.
 *
 * @param label the order's name, e.g. "Order #1001"
 */
export function skipMessage(skip: Skip, label: string): string {
	return `${label} ${skipText(skip)}`;
}

/** Why the delivery of a skipped order is not updated, and what the user can do about it. */
export function notUpdatedProblem(skip: Skip, label: string): Problem {
	// The message of a canceled order already says how to cancel its delivery.
	const advice =
		skip.reason === 'cancelled' ? '' : ' To stop it, cancel it in the Delivery Service dashboard.';
	return {
		message: skipMessage(skip, label),
		description: `Its delivery was not updated.${advice}`,
	};
}

function skipText(skip: Skip): string {
	switch (skip.reason) {
		case 'cancelled':
			return 'was canceled. If its delivery already exists, cancel it in the Delivery Service dashboard.';
		case 'testOrder':
			return 'is a test order. To send test orders, turn on Include Test Orders under Order Options.';
		case 'voided':
			return `has a voided payment. ${includeRefunded}`;
		case 'refunded':
			return `was fully refunded. ${includeRefunded}`;
		case 'notPaid':
			return `is not fully paid: its payment status is "${skip.status}". Because Only Paid Orders is on, it is sent once it comes in again after payment.`;
		case 'localPickup':
			return pickupText(skip);
		case 'nothingToShip':
			return "has nothing left to ship: its items are fulfilled, refunded, removed or don't need shipping.";
		case 'deliveryMethod':
			return `has the delivery method "${deliveryMethodNames[skip.method]}". To deliver such orders, ${addMethod(skip.method)}.`;
		case 'onHold': {
			const holds = skip.holds.length > 0 ? ` (${skip.holds.join('; ')})` : '';
			return `is on hold in Shopify${holds}. Release the hold, then run the workflow for this order again.`;
		}
		case 'scheduled': {
			const day = skip.fulfillAt === undefined ? '' : ` for ${dayOf(skip.fulfillAt)}`;
			return `is scheduled in Shopify${day}. Run the workflow for this order again after that.`;
		}
		case 'closed':
			return 'is closed in Shopify: its items were fulfilled, moved or removed. Nothing is left to deliver.';
		case 'incomplete':
			return "was closed as incomplete in Shopify: its location couldn't fulfill it. Check the order in Shopify.";
	}
}

const includeRefunded =
	'To send such orders anyway, turn on Include Refunded Orders under More Order Options.';

function pickupText({ pickup }: Extract<Skip, { reason: 'localPickup' }>): string {
	switch (pickup.shownBy) {
		case 'fulfillmentOrder':
			return `is picked up by the customer. To deliver such orders, ${addMethod('pick_up')}.`;
		case 'mark':
			return `is marked as a store pickup (${pickup.mark}). To deliver it, correct its additional details or its shipping method in Shopify.`;
		case 'missingAddress': {
			const method = pickup.method === undefined ? '' : ` (${pickup.method})`;
			return `has no shipping address, so it looks like a store pickup${method}. To deliver it, add an address to the order in Shopify.`;
		}
	}
}

function addMethod(method: keyof typeof deliveryMethodNames): string {
	return `add "${deliveryMethodNames[method]}" to Delivery Methods under More Order Options`;
}

/** A time stamp as the shop's day if it has a time zone, e.g. "2026-12-01", else with its time. */
function dayOf(time: string): string {
	const [, day, clock] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(time) ?? [];
	if (day === undefined) return time;
	return time.endsWith('Z') ? `${day} ${clock} UTC` : day;
}

/** What an order without an expected field is treated as, by the field's name in REST. */
const assumptions: Readonly<Record<string, string>> = {
	cancelled_at: 'not canceled',
	test: 'not a test order',
	financial_status: 'not refunded',
	payment_gateway_names: 'not cash on delivery',
	presentment_currency: "the customer pays in the shop's currency",
	'line_items.current_quantity': 'no item was refunded',
	'lineItems.pageInfo.hasNextPage': 'all items are included',
	'fulfillmentOrders.pageInfo.hasNextPage': 'there are no other fulfillment orders',
};

/** What an order without a field is treated as, e.g. "not canceled". */
export function assumptionOf({ field }: MissingField): string | undefined {
	return assumptions[field];
}
