import type { Result } from '../service/result';
import { sign, zero, type Decimal } from './decimal';
import type { OrderMapping } from './mapping';
import { sentenceStart, type Order } from './order';

/**
 * What shops call cash on delivery, in lower case, without accents and with spaces for
 * punctuation. Shopify's own manual payment method is "Cash on Delivery (COD)"; shops may rename
 * it, and payment apps bring names of their own.
 */
const cashOnDeliveryNames: readonly RegExp[] = [
	/cash on delivery/,
	/\bcod\b/,
	/\bc o d\b/,
	/pay(ment)? on delivery/,
	/collect on delivery/,
	/contra ?reembolso/,
	/contra ?entrega/,
	/pago (en efectivo )?al recibir/,
	/contre remboursement/,
	/paiement a la livraison/,
	/pagamento (alla consegna|na entrega)/,
	/contrassegno/,
	/nachnahme/,
	/rembours(betaling)?\b/,
	/za pobraniem/,
	/dobirk/,
	/dobierk/,
	/utanvet/,
	/ramburs/,
	/kapida odeme/,
	/αντικαταβολη/,
	/thanh toan khi nhan hang/,
	/الدفع عند الاستلام/,
];

/**
 * The amount of cash to collect at the door (service document, section 2.1, cod).
 *
 * @param when whether to collect never, what is outstanding, or that only for orders whose payment
 *   method is cash on delivery
 * @returns the amount, undefined when there is none; or why it is not known
 */
export function amountToCollect(
	order: Order,
	when: OrderMapping['cod'],
): Result<Decimal | undefined> {
	const nothing = { ok: true, value: undefined } as const;
	if (when === 'off' || (when === 'whenCashOnDelivery' && !isCashOnDelivery(order))) return nothing;
	const amount = outstandingAmount(order);
	if (amount) return sign(amount) > 0 ? { ok: true, value: amount } : nothing;
	const message = `${sentenceStart(order)} does not tell how much is still to be paid: it has no "total_outstanding", and its "financial_status" is ${order.financial_status ? `"${order.financial_status}"` : 'missing'}. Let the Shopify node return total_outstanding, or set Cash on Delivery to Never.`;
	return { ok: false, problem: { message } };
}

function isCashOnDelivery(order: Order): boolean {
	return [...order.payment_gateway_names, order.gateway].some((gateway) => {
		const name = normalise(gateway ?? '');
		return cashOnDeliveryNames.some((pattern) => pattern.test(name));
	});
}

function normalise(name: string): string {
	return name
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/ı/g, 'i')
		.replace(/[^\p{L}\p{N}]+/gu, ' ');
}

/**
 * What is still to be paid for an order, or undefined when it can't be told. A status that leaves
 * open how much was paid (partially_paid, partially_refunded, voided) is not guessed at: the
 * courier would collect too much or too little.
 */
function outstandingAmount(order: Order): Decimal | undefined {
	if (order.total_outstanding) return order.total_outstanding;
	switch (order.financial_status) {
		case 'paid':
		case 'refunded':
			return zero;
		case 'pending':
		case 'authorized':
			return order.current_total_price ?? order.total_price;
		default:
			return undefined;
	}
}
