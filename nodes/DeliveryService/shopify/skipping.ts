/**
 * Why an order is skipped: it is not for drivers, waits for something, or needs a person first. Some of
 * these depend on the user's filters.
 */
import { foldWords } from '../common/text';
import type { OrderFacts } from './facts';
import type { DeliveryMethod, FulfillmentOrder } from './fulfillmentOrder';
import type { OrderMapping } from './mapping';
import { partlyPaid, type PartlyPaid, type Payment } from './payment';
import type { Pickup } from './pickup';

/** Why an order, or the fulfillment order of it, is skipped. */
export type Skip =
	| { code: 'cancelled' | 'testOrder' | 'voided' | 'refunded' }
	/** `held`: items that can't ship now, though nothing else explains it, if someone has to release them. */
	| { code: 'nothingToShip'; held: string[]; isHeld: boolean }
	/** `partly`: some of it is paid, so that it doesn't wait for a payment that certainly comes. */
	| { code: 'notPaid'; methods: string[]; partly?: PartlyPaid }
	| { code: 'localPickup'; pickup: Pickup }
	| { code: 'deliveryMethod'; method: DeliveryMethod }
	| { code: 'shippingMethod'; methods: string[]; isOnlyListed: boolean }
	| { code: 'tag'; tag: string | undefined }
	| { code: 'onHold'; holds: string[] }
	/** Until this day, or this time of Shopify, if it is known. */
	| { code: 'scheduled'; until: string | undefined }
	| { code: 'fulfillmentService' | 'closed' | 'incomplete' };

/** Why an order, or the fulfillment order of it, is skipped; undefined if it is to be sent. */
export function findSkip(facts: OrderFacts, mapping: OrderMapping): Skip | undefined {
	const { order, units, lines, pickup } = facts;
	const { filters } = mapping;
	const { fulfillmentOrder: part } = order;
	if (order.cancelled_at) return { code: 'cancelled' };
	if (order.test && !filters.includeTestOrders) return { code: 'testOrder' };
	const ofPart = part && (findMethodSkip(part, mapping) ?? findStatusSkip(part, mapping));
	if (ofPart) return ofPart;
	if (lines.length === 0 && units.problems.length === 0) {
		if (units.isByService) return { code: 'fulfillmentService' };
		// A workflow that reads all open orders every day sends it when it is released.
		const held = filters.skipUntilDeliveryDate ? [] : units.held;
		return { code: 'nothingToShip', held, isHeld: units.held.length > 0 };
	}
	// With the method "pick_up", the user chose to send pickups.
	const isChosen = pickup?.shownBy === 'fulfillmentOrder' || mapping.sendAnyway;
	if (pickup && !isChosen) return { code: 'localPickup', pickup };
	return (
		findPaymentSkip(facts, mapping) ??
		findFilterSkip(facts, mapping) ??
		findTimeSkip(facts, mapping)
	);
}

/** Checked before the status: a pickup is never sent, whatever happens to it. */
function findMethodSkip(
	{ delivery_method }: FulfillmentOrder,
	{ filters }: OrderMapping,
): Skip | undefined {
	const method = delivery_method?.method_type;
	if (method === undefined || filters.deliveryMethods.includes(method)) return undefined;
	return method === 'pick_up'
		? { code: 'localPickup', pickup: { shownBy: 'fulfillmentOrder' } }
		: { code: 'deliveryMethod', method };
}

function findStatusSkip(
	{ status, request_status: request, fulfillment_holds: holds, fulfill_at }: FulfillmentOrder,
	mapping: OrderMapping,
): Skip | undefined {
	switch (status) {
		case 'open':
		case 'in_progress': {
			const isRequested = request !== undefined && !['unsubmitted', 'rejected'].includes(request);
			return isRequested && !mapping.filters.includeFulfillmentServices
				? { code: 'fulfillmentService' }
				: undefined;
		}
		case 'on_hold': {
			if (mapping.sendAnyway) return undefined;
			const reasons = holds.map(({ reason, reason_notes: notes }) =>
				[reason?.replaceAll('_', ' '), notes].filter(Boolean).join(': '),
			);
			return { code: 'onHold', holds: [...new Set(reasons.filter(Boolean))] };
		}
		case 'scheduled':
			return mapping.sendAnyway ? undefined : { code: 'scheduled', until: fulfill_at };
		default:
			return { code: status };
	}
}

/** Statuses of orders of which something was paid, so that the rest may never come in by itself. */
const partlyPaidStatuses = new Set(['partially_paid', 'partially_refunded']);

function findPaymentSkip({ order, payment }: OrderFacts, mapping: OrderMapping): Skip | undefined {
	const { state, methods } = payment;
	if (!isPaymentExcluded(payment, mapping)) return undefined;
	if (state === 'voided' || state === 'refunded') return { code: state };
	if (state === 'unknown') return undefined;
	const isPartly =
		partlyPaidStatuses.has(order.financial_status ?? '') &&
		mapping.filters.payment === 'paidOrCash';
	return { code: 'notPaid', methods, ...(isPartly && { partly: partlyPaid(order, payment) }) };
}

/** Whether the filters exclude an order by its payment, or may, if its state is unknown. */
export function isPaymentExcluded({ state, isByCash }: Payment, mapping: OrderMapping): boolean {
	const { payment } = mapping.filters;
	if (payment === 'any' || ['paid', 'reserved', 'later'].includes(state)) return false;
	if (state === 'voided' || state === 'refunded') return true;
	const isCollected = payment === 'paidOrCash' && (isByCash || mapping.cod === 'unpaid');
	return !isCollected && !mapping.sendAnyway;
}

function findFilterSkip(
	{ order, methods: { excluded, isSent }, pickup }: OrderFacts,
	{ filters }: OrderMapping,
): Skip | undefined {
	const isOnlyListed = filters.shippingMethods.length > 0;
	// The user chose to send pickups, whatever they are called.
	const isPickup = pickup?.shownBy === 'fulfillmentOrder';
	if (!isSent && !isPickup) return { code: 'shippingMethod', methods: excluded, isOnlyListed };
	const tags = new Set(order.tags.map(foldWords));
	const hasTag = (tag: string) => tags.has(foldWords(tag));
	if (filters.tags.length > 0 && !filters.tags.some(hasTag)) return { code: 'tag', tag: undefined };
	const tag = filters.excludeTags.find(hasTag);
	return tag === undefined ? undefined : { code: 'tag', tag };
}

/** Whether the user's settings say that the order is sent on a later day. */
function findTimeSkip({ sendingDay }: OrderFacts, { filters }: OrderMapping): Skip | undefined {
	return filters.skipUntilDeliveryDate && sendingDay !== undefined
		? { code: 'scheduled', until: sendingDay }
		: undefined;
}

/** Whether a skipped order may be sent when it is met again, without a change of the workflow. */
export function isWaiting(skip: Skip): boolean {
	switch (skip.code) {
		case 'notPaid':
		case 'onHold':
		case 'scheduled':
		case 'tag':
			return true;
		case 'nothingToShip':
			return skip.isHeld;
		case 'cancelled':
		case 'closed':
		case 'deliveryMethod':
		case 'fulfillmentService':
		case 'incomplete':
		case 'localPickup':
		case 'refunded':
		case 'shippingMethod':
		case 'testOrder':
		case 'voided':
			return false;
	}
}
