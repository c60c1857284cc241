/** What is known about an order besides its delivery: for messages, later nodes and the memory. */
import type { CreationBody } from '../service/schemas';
import type { Action, Decision } from './decide';
import { sentAsOf, type Digests } from './digest';
import type { OrderFacts, StopReason } from './facts';
import { locationOf, type ShopifyLocation } from './fulfillmentOrder';
import { laterChanges, type LaterChanges } from './laterChanges';
import type { OrderMapping } from './mapping';
import { adminUrl, orderLabel, type OrderIdentifiers } from './order';
import type { OrderReferences } from './references';
import { isWaiting, type Skip } from './skipping';
import type { LineUnits } from './units';

/** Identifies the Shopify order of a delivery for later workflow steps. */
interface ShopifyOrder {
	/** Shopify's internal ID, unique across all shops. */
	id?: string;
	name?: string;
	/** The recipient's email, the same as in the delivery. */
	email?: string;
	/** Shopify's ID of the fulfillment order, if the delivery is for one. */
	fulfillmentOrderId?: string;
}

/** What is known about an order, whether it is sent, skipped or invalid. */
export interface OrderInfo {
	/** The subject of messages, e.g. "Order #1001"; undefined if the item has no order. */
	label?: string;
	referenceId?: string;
	/** What the delivery takes of its order, if it is for a fulfillment order. */
	part?: { orderReferenceId: string; lines: PartLine[] };
	/** Who receives it and where, and its page in Shopify's admin, for a person. */
	customer?: string;
	address?: string;
	url?: string;
	/** When it was placed, if that is known. */
	createdAt?: string;
	/** When it was last changed, if that is known. */
	updatedAt?: string;
	/** The location that ships the fulfillment order. */
	location?: ShopifyLocation;
	/** The delivery type by the order's shipping method. */
	type?: CreationBody['type'];
	shopifyOrder?: ShopifyOrder;
	/** The delivery date that the customer chose, as YYYY-MM-DD. */
	deliveryDay?: string;
	/** The names of its shipping methods, by which the shop decides. */
	shippingMethods?: string[];
	/** The names that the filters list, and it doesn't have. */
	absentMethods?: string[];
	/** The unpaid amount of the order, if the delivery is for a fulfillment order and collects of it. */
	cashOutstanding?: number;
	/** Whether it is skipped now, and may be sent when it is met again. */
	isWaiting?: boolean;
	/** Whether a person must tell the service its day: no field of a delivery has it, and it is not sent on that day. */
	hasDayToTell?: boolean;
	/** Why its delivery is to be stopped, if it was sent before. */
	stop?: StopReason;
	/** By what a later change of it is noticed, and what a person must do then. */
	sentAs?: Digests;
	laterChanges?: LaterChanges;
	/** What a person must do, if it is sent or skipped now. */
	actions?: Action[];
}

/** What identifies an order, even one that can't be read. */
export function identityOf(
	order: OrderIdentifiers,
	{ referenceId, orderReferenceId }: OrderReferences,
	units: readonly LineUnits[] = [],
	email?: string,
): OrderInfo {
	const { id, name, fulfillmentOrder: part } = order;
	return {
		label: orderLabel(order),
		referenceId,
		part:
			orderReferenceId === undefined ? undefined : { orderReferenceId, lines: partLines(units) },
		shopifyOrder: { id, name, email, ...(part && { fulfillmentOrderId: part.id }) },
	};
}

/** What is known about an order that can be read. */
export function infoOf(facts: OrderFacts, decision: Decision, mapping: OrderMapping): OrderInfo {
	const { order, references, units, methods, date, recipient, address, stop } = facts;
	const skip = decision.kind === 'skip' ? decision.skip : undefined;
	// What would not be sent now may have been sent with cash.
	const collectsCash = decision.kind !== 'send' || decision.cash.amount !== undefined;
	return {
		...identityOf(order, references, units.lines, recipient.email),
		customer: recipient.name,
		address,
		url: adminUrl(order),
		createdAt: order.created_at,
		updatedAt: order.updated_at,
		location: order.fulfillmentOrder && locationOf(order.fulfillmentOrder),
		...(methods.type && { type: methods.type }),
		deliveryDay: date.day,
		shippingMethods: order.shipping_lines.flatMap(({ title }) => title ?? []),
		absentMethods: methods.absent,
		...(stop && { stop }),
		...(skip && isWaiting(skip) && { isWaiting: true }),
		...(hasDayToTell(facts, skip, mapping) && { hasDayToTell: true }),
		...(decision.kind === 'send' && { cashOutstanding: decision.cash.outstanding }),
		...(decision.kind !== 'invalid' && { actions: decision.actions }),
		sentAs: sentAsOf(facts, mapping, collectsCash),
		laterChanges: laterChanges(facts, mapping),
	};
}

function hasDayToTell(
	{ date, sendingDay }: OrderFacts,
	skip: Skip | undefined,
	{ filters }: OrderMapping,
): boolean {
	if (skip?.code === 'scheduled' || date.unclear !== undefined) return true;
	const isDue = filters.skipUntilDeliveryDate && sendingDay === undefined;
	return date.day !== undefined && !isDue;
}

/** The units of a line of an order, for the memory of sent units. */
interface PartLine {
	id: string;
	/** Ordered, canceled and fulfilled units, and those of this delivery. */
	quantity: number;
	canceled: number;
	fulfilled: number;
	units: number;
}

function partLines(lines: readonly LineUnits[]): PartLine[] {
	return lines.flatMap(({ line: { id, quantity }, canceled, fulfilled, taken: units }) =>
		id === undefined ? [] : [{ id, quantity, canceled, fulfilled, units }],
	);
}
