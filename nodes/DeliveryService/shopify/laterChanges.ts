/** What a person must do about a delivery if its order has changed since it was sent. */
import { fold, joinParts } from '../common/text';
import type { Action } from './decide';
import type { OrderFacts } from './facts';
import type { OrderMapping } from './mapping';
import { amountText, sign } from './money';
import { orderTotal } from './order';
import { paymentKind } from './paymentNames';
import { orderEmail, stateOf } from './recipient';

/** By what has changed: what is owed, and all else that a driver acts on. */
export interface LaterChanges {
	cash: Action[];
	rest: Action[];
}

/** What a sent delivery is compared with: its order, as it is now. */
export interface ChangedOrder {
	/** The recipient and the address. */
	address: string;
	/** The items with their units. */
	items: string[];
	/** The delivery date, and when on that day. */
	day: string | undefined;
	time: string | undefined;
}

/** A person corrects the cash or the rest of a delivery. */
export type LaterChange =
	/** What the customer owes now, with its currency; undefined if nothing. */
	| {
			code: 'owedChanged';
			owed: string | undefined;
			isPart: boolean;
			isFulfilled: boolean;
			hasOpenReturn: boolean;
	  }
	| { code: 'orderChanged'; order: ChangedOrder };

/** What to do if a sent order has changed. Which of it has, is known by its digests. */
export function laterChanges(facts: OrderFacts, mapping: OrderMapping): LaterChanges {
	const { order, payment, stop, isFulfilled } = facts;
	const isFinal = stop !== undefined && stop !== 'onHold';
	const { owed } = payment;
	const isOwed = owed && sign(owed) > 0;
	// After the delivery, an amount changes by returns and by what the driver has brought.
	const isOver = isFinal || (isFulfilled && payment.state !== 'paid');
	const isSilent = isOver || !owed || isCashInHand(facts, mapping);
	return {
		cash: isSilent
			? []
			: [
					{
						code: 'owedChanged',
						owed: isOwed ? amountText(owed, order.currency) : undefined,
						isPart: order.fulfillmentOrder !== undefined,
						isFulfilled,
						hasOpenReturn: payment.openReturn !== undefined,
					},
				],
		rest: [restAction(facts)],
	};
}

/**
 * Whether an order was marked as paid by hand: then the driver has usually brought its cash. Another way
 * to pay would be among its methods, and an order that costs nothing any more was not paid.
 */
function isCashInHand({ order, payment }: OrderFacts, mapping: OrderMapping): boolean {
	const { state, methods } = payment;
	const total = orderTotal(order);
	if (total && sign(total) <= 0) return false;
	const isByHand = (method: string) =>
		fold(method) === 'manual' ||
		paymentKind(method, mapping.cashOnDeliveryMethods) === 'cashOnDelivery';
	return state === 'paid' && methods.every(isByHand);
}

function restAction(facts: OrderFacts): Action {
	const { order, recipient, address, units, lines, date, stop } = facts;
	if (stop) return { code: 'stopDelivery', why: stop };
	const { name, phonenumber } = recipient;
	const who = [
		name,
		phonenumber,
		orderEmail(order),
		address || undefined,
		stateOf(order.shipping_address),
	];
	const shown = lines.length > 0 ? lines : units.lines;
	return {
		code: 'orderChanged',
		order: {
			address: joinParts([...new Set(who)], ', ') ?? '',
			items: shown.flatMap(({ name, own }) => (own > 0 ? [`${own} × ${name}`] : [])),
			day: date.day ?? date.unclear,
			time: date.time,
		},
	};
}
