import type { Result } from '../common/result';
import { today } from './deliveryDate';
import type { OrderMapping } from './mapping';
import {
	add,
	amountText,
	currencyDecimals,
	priceOfUnits,
	scale,
	sign,
	subtract,
	whole,
	zero,
	type Decimal,
} from './money';
import { fieldName, howToRequest, orderLabel, type Order } from './order';
import { paymentKind } from './methods';
import type { OrderUnits } from './units';

/** Whether an order is paid, and by which methods. */
export interface Payment {
	/** `reserved`: a card payment is authorized. `later`: on payment terms, e.g. 30 days after the order. */
	state: 'paid' | 'reserved' | 'later' | 'unpaid' | 'voided' | 'refunded' | 'unknown';
	methods: string[];
	/** Whether one of the methods is cash on delivery. */
	isByCash: boolean;
	/** Those that may be cash on delivery by a name that is not known. */
	unknownMethods: string[];
}

/** How an order is paid. */
export function paymentOf(order: Order, { cashOnDeliveryMethods }: OrderMapping): Payment {
	const state = paymentState(order);
	const methods = [...new Set([...order.payment_gateway_names, order.gateway])].filter(
		(method) => method !== undefined,
	);
	const kinds = methods.map((method) => paymentKind(method, cashOnDeliveryMethods));
	return {
		state,
		methods,
		isByCash: state !== 'reserved' && kinds.includes('cashOnDelivery'),
		unknownMethods: methods.filter((_, index) => kinds[index] === 'unknown'),
	};
}

function paymentState(order: Order): Payment['state'] {
	const { financial_status: status, total_outstanding: outstanding } = order;
	const hasUnpaid = outstanding !== undefined && sign(outstanding) > 0;
	switch (status) {
		case 'paid':
		case 'voided':
		case 'refunded':
			return status;
		case 'authorized':
			return 'reserved';
		case 'partially_refunded':
			if (!hasUnpaid) return 'paid';
			break;
		case undefined:
			if (!hasUnpaid) return outstanding ? 'paid' : 'unknown';
	}
	return order.payment_terms ? 'later' : 'unpaid';
}

/** How the unpaid amount of an order is collected. */
export interface CashDecision {
	/** What the driver collects, if above 0. */
	amount?: Decimal;
	/** The unpaid amount of the order, if the driver collects only the share of a fulfillment order. */
	unpaid?: Decimal;
	/** What no open fulfillment order collects of the unpaid amount, if above 0, with their currency. */
	leftOver?: { amount: string; unpaid: string };
	/** Set if there is nothing to collect. */
	isSettled?: true;
	/**
	 * The payment methods of an order with an unpaid amount that the driver doesn't collect, because
	 * none of them is known to be cash on delivery.
	 */
	notCollectedFor?: string[];
}

/**
 * Decides how much cash the driver collects (API document, section 2.1, cod).
 *
 * @returns the decision, or why the unpaid amount is unknown
 */
export function decideCash(
	order: Order,
	units: OrderUnits,
	mapping: OrderMapping,
): Result<CashDecision> {
	const { state, isByCash, methods } = paymentOf(order, mapping);
	const isSettled = { ok: true, value: { isSettled: true } } as const;
	const isLater =
		state === 'later' && !isByCash && !(mapping.cod === 'unpaid' && isDue(order, mapping));
	if (['paid', 'voided', 'refunded', 'reserved'].includes(state) || isLater) return isSettled;
	const amount = outstandingAmount(order);
	if (amount && sign(amount) <= 0) return isSettled;
	if (mapping.cod === 'never') return { ok: true, value: {} };
	if (mapping.cod === 'cashOnDeliveryOrders' && !isByCash)
		return { ok: true, value: amount ? { notCollectedFor: methods } : {} };
	const outstanding = fieldName(order, ['total_outstanding']);
	if (!amount)
		return unknownAmount(
			`${orderLabel(order)} doesn't say how much is unpaid: it has no "${outstanding}", and its "${fieldName(order, ['financial_status'])}" is ${order.financial_status ? `"${order.financial_status}"` : 'missing'}. ${howToRequest(order, outstanding)}`,
		);
	const owed = inCustomersCurrency(order, amount);
	if (!owed)
		return unknownAmount(
			`${orderLabel(order)} doesn't say how much is unpaid in ${order.presentment_currency}, the currency of the customer. ${howToRequest(order, fieldName(order, ['current_total_price_set']))}`,
		);
	if (!order.fulfillmentOrder) return { ok: true, value: { amount: owed } };
	const { share, leftOver } = cashShare(order, units, owed);
	const toCollect = sign(share) > 0 ? { amount: share } : ({ isSettled: true } as const);
	const inCurrency = (value: Decimal) =>
		amountText(value, order.presentment_currency ?? order.currency);
	const isLeftOver = order.financial_status === 'partially_paid' && sign(leftOver) > 0;
	const texts = { amount: inCurrency(leftOver), unpaid: inCurrency(owed) };
	return {
		ok: true,
		value: { unpaid: owed, ...toCollect, ...(isLeftOver && { leftOver: texts }) },
	};
}

/** Whether the day has come on which some of an order's payment terms are due. */
function isDue({ payment_terms: terms }: Order, mapping: OrderMapping): boolean {
	return (terms?.payment_schedules ?? []).some(
		({ due_at, completed_at }) =>
			!completed_at && due_at !== undefined && due_at <= `${today(mapping)}T24`,
	);
}

/**
 * The share of an order's unpaid amount that the delivery of a fulfillment order collects: as much as
 * its items are worth, compared with all items of the order that are shipped.
 *
 * Other deliveries of the order may be created in another run, so the shares depend only on the order
 * and what is unpaid of it. Fulfilled items count, too: their delivery may be under way with its share.
 * All shares add up to the unpaid amount exactly, unless units of one line are split, which is rounded
 * down. Once a part is paid, the fulfilled items probably are: what is left over is only reported.
 *
 * @param unpaid above 0
 */
function cashShare(order: Order, { lines }: OrderUnits, unpaid: Decimal) {
	const decimals = currencyDecimals(order.presentment_currency ?? order.currency);
	const paidFor = lines.filter(({ kept }) => kept > 0);
	const weights = weightsOf(order, paidFor);
	const total = weights.reduce(add, zero);
	let [share, open] = [zero, zero];
	let [weightSoFar, amountSoFar] = [zero, zero];
	for (const [index, { shipped, left = shipped, taken }] of paidFor.entries()) {
		weightSoFar = add(weightSoFar, weights[index] ?? zero);
		const amount = scale(unpaid, weightSoFar, total, decimals, 'down');
		const own = subtract(amount, amountSoFar);
		amountSoFar = amount;
		const shareOf = (count: number) =>
			scale(own, whole(Math.min(count, shipped)), whole(shipped), decimals, 'down');
		share = add(share, shareOf(taken));
		open = add(open, shareOf(Math.max(taken, left)));
	}
	return { share, leftOver: subtract(unpaid, open) };
}

/** What the kept units of the lines are worth; the number of units if that is not known. */
function weightsOf(order: Order, lines: OrderUnits['lines']): Decimal[] {
	const prices = lines.map(({ line, kept }) => priceOfUnits(line, kept, order.currency));
	const known = prices.filter((price) => price !== undefined);
	return known.length === prices.length && known.some((price) => sign(price) > 0)
		? known
		: lines.map(({ kept }) => whole(kept));
}

function unknownAmount(reason: string): Result<CashDecision> {
	const message = `${reason}, or set Cash on Delivery to Never if drivers never collect cash.`;
	return { ok: false, problem: { message } };
}

/**
 * The unpaid amount of an order, or undefined if unknown. For partially_paid and partially_refunded
 * orders it is not guessed, since the driver could collect too much or too little.
 */
function outstandingAmount(order: Order): Decimal | undefined {
	if (order.total_outstanding) return order.total_outstanding;
	switch (order.financial_status) {
		case 'pending':
			return order.current_total_price ?? order.total_price;
		default:
			return undefined;
	}
}

/**
 * An amount above 0 in the currency that the customer owes, or undefined if the order doesn't contain
 * its rate. A part of the total is converted at the order's own rate.
 */
function inCustomersCurrency(order: Order, amount: Decimal): Decimal | undefined {
	const { currency, presentment_currency: owedCurrency } = order;
	if (!owedCurrency || owedCurrency === currency)
		return scale(amount, whole(1), whole(1), currencyDecimals(currency));
	const sets = [order.total_outstanding_set, order.current_total_price_set, order.total_price_set];
	const rate = sets.find((set) => set && sign(set.shop) > 0);
	return rate && scale(amount, rate.presentment, rate.shop, currencyDecimals(owedCurrency));
}
