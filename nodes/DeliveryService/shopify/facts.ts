/**
 * Everything about an order that decides whether and how it is delivered. It is read here, once:
 * decisions, deliveries, changes and messages take it and read nothing again.
 */
import type { Result } from '../common/result';
import { findDeliveryDate, laterSendingDay, type DeliveryDate } from './deliveryDate';
import type { OrderCandidate } from './item';
import type { OrderMapping } from './mapping';
import { readMethods, type ShippingMethods } from './methods';
import { missingFields, type MissingField } from './missingFields';
import { readOrder, type Order, type ReadProblem } from './order';
import { paymentOf, type Payment } from './payment';
import { findPickup, type Pickup } from './pickup';
import { fullAddress, hiddenValue, readRecipient, type Recipient } from './recipient';
import { referencesOf, type OrderReferences } from './references';
import { countUnits, isEmptied, isFulfilled, type LineUnits, type OrderUnits } from './units';

export interface OrderFacts {
	order: Order;
	/** Fields without which it may be decided wrongly. */
	missing: MissingField[];
	references: OrderReferences;
	units: OrderUnits;
	/** The lines of which the delivery takes units. */
	lines: LineUnits[];
	payment: Payment;
	methods: ShippingMethods;
	date: DeliveryDate;
	/** The day on which it is to be sent by its delivery date, if it has not come yet. */
	sendingDay?: string;
	pickup?: Pickup;
	recipient: Recipient;
	/** A name or a part of the address that the sales channel hides. */
	hidden?: string;
	/** Where it is delivered, in one line for a person; empty if it has no address. */
	address: string;
	/** Why its delivery is to be stopped, if it was sent before. */
	stop?: StopReason;
	/** Whether all that can ship has shipped. */
	isFulfilled: boolean;
}

/** What happened to an order in Shopify, so that a driver should not deliver it. */
export type StopReason =
	| 'cancelled'
	| 'refunded'
	| 'voided'
	/** All items were removed. */
	| 'emptied'
	| 'onHold'
	| 'closed'
	| 'incomplete';

/** Reads an order. Never throws. */
export function readFacts(
	candidate: OrderCandidate,
	mapping: OrderMapping,
): Result<OrderFacts, ReadProblem[]> {
	const read = readOrder(candidate);
	if (!read.ok) return read;
	const order = read.value;
	const units = countUnits(order, mapping);
	// A hold that a person overrode is still one, so that it is not reported as a change later.
	const unitsWithHolds = mapping.sendAnyway
		? countUnits(order, { ...mapping, sendAnyway: false })
		: units;
	const lines = units.lines.filter(({ taken }) => taken > 0);
	const payment = paymentOf(order, mapping);
	const date = findDeliveryDate(order, lines.length > 0 ? lines : units.lines, mapping);
	const recipient = readRecipient(order, mapping, date);
	const isAllFulfilled = isFulfilled(order, units);
	const facts: OrderFacts = {
		order,
		missing: missingFields(candidate, mapping),
		references: referencesOf(order, mapping),
		units,
		lines,
		payment,
		methods: readMethods(order, mapping),
		date,
		sendingDay: laterSendingDay(date, mapping),
		pickup: findPickup(order, lines),
		recipient,
		hidden: hiddenValue(order, recipient),
		address: fullAddress(order),
		stop: findStopReason(order, unitsWithHolds, payment, isAllFulfilled),
		isFulfilled: isAllFulfilled,
	};
	return { ok: true, value: facts };
}

/**
 * What has shipped can't be stopped.
 *
 * @param units as Shopify holds them, even if a person overrode that
 */
function findStopReason(
	order: Order,
	units: OrderUnits,
	{ state }: Payment,
	isAllFulfilled: boolean,
): StopReason | undefined {
	if (order.cancelled_at) return 'cancelled';
	if (isAllFulfilled) return undefined;
	if (state === 'refunded' || state === 'voided') return state;
	if (isEmptied(order, units)) return 'emptied';
	switch (order.fulfillmentOrder?.status) {
		case 'on_hold':
			return 'onHold';
		case 'closed':
		case 'incomplete':
			return order.fulfillmentOrder.status;
	}
	const isUntouched = units.lines.every(({ fulfilled }) => fulfilled === 0);
	const isWaiting = units.held.length > 0 && units.lines.every(({ taken }) => taken === 0);
	return isWaiting && isUntouched ? 'onHold' : undefined;
}
