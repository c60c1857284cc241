import type { Result } from '../common/result';
import { sign, zero, type Decimal } from './decimal';
import type { OrderMapping } from './mapping';
import { orderLabel, type Order } from './order';
import { isCashOnDelivery } from './paymentMethods';

/** How the unpaid amount of an order is collected. */
export interface CashDecision {
	/** What the driver collects, if above 0. */
	amount?: Decimal;
	/** Set if the driver would collect the unpaid amount, but nothing is unpaid. */
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
	if (mapping.cod === 'never') return { ok: true, value: {} };
	const amount = isRefundedOrVoided(order) ? zero : outstandingAmount(order);
	const isOutstanding = amount !== undefined && sign(amount) > 0;
	const methods = [...new Set([...order.payment_gateway_names, order.gateway])].filter(
		(method) => method !== undefined,
	);
	const isByCash = methods.some((method) =>
		isCashOnDelivery(method, mapping.cashOnDeliveryMethods),
	);
	if (mapping.cod === 'cashOnDeliveryOrders' && !isByCash) {
		// The amount of an authorized payment is already reserved.
		if (!isOutstanding || order.financial_status === 'authorized') return { ok: true, value: {} };
		return { ok: true, value: { notCollectedFor: methods } };
	}
	if (amount) return { ok: true, value: isOutstanding ? { amount } : { isSettled: true } };
	const message = `${orderLabel(order)} doesn't say how much is unpaid: it has no "total_outstanding", and its "financial_status" is ${order.financial_status ? `"${order.financial_status}"` : 'missing'}. Make sure the Shopify node returns total_outstanding, or set Cash on Delivery to Never if drivers never collect cash.`;
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
