import type { DeliveryMethod, FulfillmentOrder } from './fulfillmentOrder';
import type { OrderMapping } from './mapping';
import { orderLabel, type Order } from './order';

/** Why a fulfillment order is skipped; the first two also apply to whole orders. */
export type PartSkipReason =
	'cancelled' | 'localPickup' | 'deliveryMethod' | 'onHold' | 'scheduled' | 'closed' | 'incomplete';

const reasonsByStatus = {
	open: undefined,
	in_progress: undefined,
	on_hold: 'onHold',
	scheduled: 'scheduled',
	closed: 'closed',
	cancelled: 'cancelled',
	incomplete: 'incomplete',
} as const satisfies Record<FulfillmentOrder['status'], PartSkipReason | undefined>;

/** What happened and what to do, as the rest of a sentence. */
const statusMessages = {
	onHold: (part: FulfillmentOrder) =>
		`is on hold in Shopify${holdReasons(part)}. Release the hold, then run the workflow for this order again.`,
	scheduled: ({ fulfill_at: time }: FulfillmentOrder) =>
		`is scheduled in Shopify${time ? ` for ${dateOf(time)}` : ''}. Run the workflow for this order again after that.`,
	closed: () =>
		'is closed in Shopify: its items were fulfilled, moved or removed. Nothing is left to deliver.',
	incomplete: () =>
		"was closed as incomplete in Shopify: its location couldn't fulfill it. Check the order in Shopify.",
	cancelled: () =>
		'was canceled in Shopify. If its delivery already exists, cancel it in the Delivery Service dashboard.',
};

/** The names of the delivery methods in the editor. */
export const deliveryMethodNames: Readonly<Record<DeliveryMethod, string>> = {
	shipping: 'Shipping',
	local: 'Local Delivery',
	pick_up: 'Store Pickup',
	pickup_point: 'Pickup Point',
	retail: 'Retail',
	none: 'None',
};

/**
 * Decides whether to skip a fulfillment order because of its status or its delivery method.
 *
 * @returns the reason and what to do, or undefined for one to send and for a whole order
 */
export function partSkip(
	order: Order,
	{ deliveryMethods }: OrderMapping,
): { reason: PartSkipReason; message: string } | undefined {
	const { fulfillmentOrder: part } = order;
	if (!part) return undefined;
	const subject = orderLabel(order);
	const method = part.delivery_method?.method_type;
	// Before the status: a pickup is never sent, whatever happens to it.
	if (method !== undefined && !deliveryMethods.includes(method)) {
		const option = `add "${deliveryMethodNames[method]}" to Delivery Methods under More Order Options`;
		if (method === 'pick_up') {
			const message = `${subject} is picked up by the customer. To deliver such orders, ${option}.`;
			return { reason: 'localPickup', message };
		}
		const message = `${subject} has the delivery method "${deliveryMethodNames[method]}". To deliver such orders, ${option}.`;
		return { reason: 'deliveryMethod', message };
	}
	const reason = reasonsByStatus[part.status];
	return reason && { reason, message: `${subject} ${statusMessages[reason](part)}` };
}

/** Why a fulfillment order is on hold, in brackets, e.g. " (awaiting payment: call the customer)". */
function holdReasons({ fulfillment_holds: holds }: FulfillmentOrder): string {
	const reasons = holds.flatMap(
		({ reason, reason_notes: notes }) =>
			[reason?.replaceAll('_', ' '), notes].filter(Boolean).join(': ') || [],
	);
	return reasons.length > 0 ? ` (${[...new Set(reasons)].join('; ')})` : '';
}

/** A time stamp as the shop's day if it has a time zone, e.g. "2026-12-01", else with its time. */
function dateOf(time: string): string {
	const [, day, clock] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(time) ?? [];
	if (day === undefined) return time;
	return time.endsWith('Z') ? `${day} ${clock} UTC` : day;
}
