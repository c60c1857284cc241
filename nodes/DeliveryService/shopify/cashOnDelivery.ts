import type { Result } from '../common/result';
import { sign, zero, type Decimal } from './decimal';
import type { OrderMapping } from './mapping';
import { orderLabel, type Order } from './order';
import { isCashOnDelivery } from './paymentMethods';

/** What becomes of the money that is outstanding for an order. */
export interface CashDecision {
	/** What the driver collects, when that is more than nothing. */
	amount?: Decimal;
	/** Whether the driver would collect what is outstanding, and nothing is. */
	isSettled?: true;
	/**
	 * The names of the payment methods of an order for which money is outstanding and nothing is
	 * collected, since none of them is known to be cash on delivery.
	 */
	notCollectedFor?: string[];
}

/**
 * The amount of cash to collect at the door (service document, section 2.1, cod).
 *
 * @returns the amount, if there is one, or that there is none; or why it is not known
 */
export function decideCash(order: Order, mapping: OrderMapping): Result<CashDecision> {
	if (mapping.cod === 'never') return { ok: true, value: {} };
	const amount = isPaidBack(order) ? zero : outstandingAmount(order);
	const isOutstanding = amount !== undefined && sign(amount) > 0;
	const methods = [...new Set([...order.payment_gateway_names, order.gateway])].filter(
		(method) => method !== undefined,
	);
	const isByCash = methods.some((name) => isCashOnDelivery(name, mapping.cashOnDeliveryMethods));
	if (mapping.cod === 'cashOnDeliveryOrders' && !isByCash) {
		// The money of an authorized payment is reserved already.
		if (!isOutstanding || order.financial_status === 'authorized') return { ok: true, value: {} };
		return { ok: true, value: { notCollectedFor: methods } };
	}
	if (amount) return { ok: true, value: isOutstanding ? { amount } : { isSettled: true } };
	const message = `${orderLabel(order)} does not tell how much is still to be paid: it has no "total_outstanding", and its "financial_status" is ${order.financial_status ? `"${order.financial_status}"` : 'missing'}. Let the Shopify node return total_outstanding, or set Cash on Delivery to Never.`;
	return { ok: false, problem: { message } };
}

/** Whether the payment was voided or wholly refunded: there is nothing left to pay. */
export function isPaidBack({ financial_status }: Order): boolean {
	return financial_status === 'voided' || financial_status === 'refunded';
}

/**
 * What is still to be paid for an order, or undefined when it can't be told. A status that leaves
 * open how much was paid (partially_paid, partially_refunded) is not guessed at: the driver would
 * collect too much or too little.
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
