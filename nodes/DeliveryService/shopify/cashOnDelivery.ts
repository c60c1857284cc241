import type { Result } from '../common/result';
import { cashShare } from './cashShare';
import { currencyDecimals, scale, sign, zero, type Decimal } from './decimal';
import type { OrderMapping } from './mapping';
import { fieldName, howToRequest, orderLabel, type Order } from './order';
import { isCashOnDelivery } from './paymentMethods';

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
export function decideCash(order: Order, mapping: OrderMapping): Result<CashDecision> {
	const amount = isRefundedOrVoided(order) ? zero : outstandingAmount(order);
	if (amount && sign(amount) <= 0) return { ok: true, value: { isSettled: true } };
	if (mapping.cod === 'never') return { ok: true, value: {} };
	const methods = [...new Set([...order.payment_gateway_names, order.gateway])].filter(
		(method) => method !== undefined,
	);
	const isByCash = methods.some((method) =>
		isCashOnDelivery(method, mapping.cashOnDeliveryMethods, mapping.cashOnDeliveryExceptions),
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
	if (owed) return { ok: true, value: amountToCollect(order, owed) };
	return unknownAmount(
		`${orderLabel(order)} doesn't say how much is unpaid in ${order.presentment_currency}, the currency of the customer. ${howToRequest(order, fieldName(order, ['current_total_price_set']))}`,
	);
}

/** @param owed the unpaid amount of the order in the customer's currency */
function amountToCollect(order: Order, owed: Decimal): CashDecision {
	if (!order.fulfillmentOrder) return { amount: owed };
	const decimals = currencyDecimals(order.presentment_currency ?? order.currency);
	const amount = cashShare(order, order.fulfillmentOrder, owed, decimals);
	return { unpaid: owed, ...(sign(amount) > 0 ? { amount } : { isSettled: true }) };
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
