import { isPaidBack } from './cashOnDelivery';
import { sign } from './decimal';
import { lacksPersonalData } from './dropoff';
import type { OrderMapping } from './mapping';
import { orderLabel, type Order } from './order';
import { valueAt } from '../common/json';

/** Why an order is not sent, which is no fault. */
export type SkipReason =
	'cancelled' | 'voided' | 'refunded' | 'notPaid' | 'testOrder' | 'localPickup' | 'nothingToShip';

/** Shopify's payment statuses of orders that were paid, whatever was paid back since. */
const paidStatuses = ['paid', 'partially_refunded'];

/**
 * Why an order is not sent, if it is not.
 *
 * @param hasItemsLeft whether something of it is left to ship, or that can't be told
 */
export function reasonToSkip(
	order: Order,
	mapping: OrderMapping,
	hasItemsLeft: boolean,
): SkipReason | undefined {
	if (order.cancelled_at) return 'cancelled';
	if (order.test && !mapping.includeTestOrders) return 'testOrder';
	if (!hasItemsLeft) return 'nothingToShip';
	const status = order.financial_status;
	if ((status === 'voided' || status === 'refunded') && !mapping.includeRefundedOrders)
		return status;
	if (isPickedUp(order, mapping)) return 'localPickup';
	return mapping.onlyPaidOrders && !isPaidBack(order) && isUnpaid(order) ? 'notPaid' : undefined;
}

/** Whether an order is not paid in full; one that does not tell is not known to be. */
function isUnpaid({ financial_status: status, total_outstanding: outstanding }: Order): boolean {
	if (!status) return false;
	return !paidStatuses.includes(status) || (outstanding !== undefined && sign(outstanding) > 0);
}

/**
 * Whether the customer fetches an order. Shopify has no mark of it: such an order has no shipping
 * address, and a shipping line with the name of the place, or was sold at the till. Where Shopify
 * holds back all that is personal, the missing address tells nothing: to skip the order would lose it.
 */
function isPickedUp(order: Order, { overrides }: OrderMapping): boolean {
	if (order.shipping_address || overrides.address) return false;
	if (order.shipping_lines.length > 0) return !lacksPersonalData(order);
	return order.source_name?.toLowerCase() === 'pos';
}

/** Why an order was skipped, as a sentence with its name and with what to do. */
export function skipMessage(order: Order, reason: SkipReason): string {
	const subject = orderLabel(order);
	switch (reason) {
		case 'cancelled':
			return `${subject} was cancelled. If its delivery was created before, stop that in the dashboard of the Delivery Service.`;
		case 'voided':
			return `${subject}'s payment was voided. To send it all the same, turn on Include Refunded Orders under Order Options.`;
		case 'refunded':
			return `${subject}'s payment was refunded in full. To send it all the same, turn on Include Refunded Orders under Order Options.`;
		case 'notPaid':
			return `${subject} is not paid in full: its payment status is "${order.financial_status}". Because of Only Paid Orders under Order Options it is sent when it comes here again after its payment.`;
		case 'testOrder':
			return `${subject} is a test order. Turn on Include Test Orders to send it.`;
		case 'localPickup': {
			const place = order.shipping_lines[0]?.title;
			return `${subject} has no shipping address: the customer picks it up${place ? ` (${place})` : ''}. To have such orders delivered all the same, set Delivery Address under Order Options.`;
		}
		case 'nothingToShip':
			return `${subject} has nothing left to ship: its items are fulfilled, refunded, removed, or need no shipping.`;
	}
}

/** What an order does not tell, and how it is taken. */
export interface MissingField {
	/** The member that it lacks. */
	field: string;
	assumed: string;
}

/**
 * Members that Shopify gives every order, as null, false or an empty list where there is nothing to
 * tell, and that keep an order from being sent or have the driver collect cash. They are missing where
 * the Shopify node limits the fields that it returns.
 */
const expectedFields: ReadonlyArray<
	MissingField & {
		/** A member that tells the same. */
		formerly?: string;
		matters: (mapping: OrderMapping) => boolean;
	}
> = [
	{ field: 'cancelled_at', assumed: 'not cancelled', matters: () => true },
	{ field: 'test', assumed: 'no test order', matters: (mapping) => !mapping.includeTestOrders },
	{
		field: 'financial_status',
		assumed: 'not refunded',
		matters: (mapping) => !mapping.includeRefundedOrders,
	},
	{
		field: 'payment_gateway_names',
		formerly: 'gateway',
		assumed: 'not paid at the door',
		matters: (mapping) => mapping.cod === 'cashOnDeliveryOrders',
	},
];

/** What an order does not tell that would matter by this mapping; undefined when it tells all. */
export function missingFields(order: unknown, mapping: OrderMapping): MissingField[] | undefined {
	const has = (member: string) => valueAt(order, [member]) !== undefined;
	const untold = expectedFields.filter(
		({ field: member, formerly, matters }) =>
			matters(mapping) && !has(member) && !(formerly !== undefined && has(formerly)),
	);
	return untold.length > 0 ? untold : undefined;
}
