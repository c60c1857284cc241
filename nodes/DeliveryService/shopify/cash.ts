import type { Result } from '../common/result';
import type { OrderMapping } from './mapping';
import {
	add,
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
import { paymentKind } from './paymentMethods';
import type { OrderUnits } from './units';

/** How the unpaid amount of an order is collected. */
export interface CashDecision {
	/** What the driver collects, if above 0. */
	amount?: Decimal;
	/** The unpaid amount of the order, if the driver collects only the share of a fulfillment order. */
	unpaid?: Decimal;
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
	const amount = isRefundedOrVoided(order) ? zero : outstandingAmount(order);
	if (amount && sign(amount) <= 0) return { ok: true, value: { isSettled: true } };
	if (mapping.cod === 'never') return { ok: true, value: {} };
	const methods = [...new Set([...order.payment_gateway_names, order.gateway])].filter(
		(method) => method !== undefined,
	);
	const isByCash = methods.some(
		(method) => paymentKind(method, mapping.cashOnDeliveryMethods) === 'cashOnDelivery',
	);
	// It is reserved, and the shop collects it in Shopify.
	if (!isByCash && order.financial_status === 'authorized') return { ok: true, value: {} };
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
	const share = cashShare(order, units, owed);
	const toCollect = sign(share) > 0 ? { amount: share } : ({ isSettled: true } as const);
	return { ok: true, value: { unpaid: owed, ...toCollect } };
}

/**
 * The share of an order's unpaid amount that the delivery of a fulfillment order collects: as much as
 * its items are worth, compared with all items of the order that are shipped.
 *
 * The other deliveries of the order may be created in another run, which knows nothing of this one.
 * So the shares depend only on the order and what is unpaid of it, and fulfilled items count as well:
 * their delivery may still be under way with its share. The shares of all items add up to the unpaid
 * amount exactly, unless units of one line are split, which is rounded down.
 *
 * @param unpaid above 0
 */
function cashShare(order: Order, { lines }: OrderUnits, unpaid: Decimal): Decimal {
	const decimals = currencyDecimals(order.presentment_currency ?? order.currency);
	const shipped = lines.filter(({ kept }) => kept > 0);
	const weights = weightsOf(order, shipped);
	const total = weights.reduce(add, zero);
	let share = zero;
	let [weightSoFar, amountSoFar] = [zero, zero];
	for (const [index, { kept, taken }] of shipped.entries()) {
		weightSoFar = add(weightSoFar, weights[index] ?? zero);
		const amount = scale(unpaid, weightSoFar, total, decimals, 'down');
		const own = subtract(amount, amountSoFar);
		amountSoFar = amount;
		share = add(share, scale(own, whole(taken), whole(kept), decimals, 'down'));
	}
	return share;
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

/** Whether the payment was voided or fully refunded, so that nothing is unpaid. */
export function isRefundedOrVoided({ financial_status }: Order): boolean {
	return financial_status === 'voided' || financial_status === 'refunded';
}

/**
 * The unpaid amount of an order, or undefined if unknown. For partially_paid and partially_refunded
 * orders it is not guessed, since the driver could collect too much or too little.
 */
function outstandingAmount(order: Order): Decimal | undefined {
	if (order.total_outstanding) return order.total_outstanding;
	switch (order.financial_status) {
		case 'paid':
			return zero;
		case 'pending':
		case 'authorized':
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
	if (!owedCurrency || owedCurrency === currency) return amount;
	const sets = [order.total_outstanding_set, order.current_total_price_set, order.total_price_set];
	const rate = sets.find((set) => set && sign(set.shop) > 0);
	return rate && scale(amount, rate.presentment, rate.shop, currencyDecimals(owedCurrency));
}
