import { dayAt } from '../common/clock';
import { failure, type Result } from '../common/result';
import { today } from './deliveryDate';
import type { OrderMapping } from './mapping';
import {
	add,
	amountText,
	currencyDecimals,
	isEqual,
	max,
	min,
	scale,
	sign,
	subtract,
	toNumber,
	whole,
	zero,
	type Decimal,
} from './money';
import { fieldName, type Order } from './order';
import { paymentKind } from './methods';
import { needsShipping, priceOfUnits, type LineUnits, type OrderUnits } from './units';

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
	amount?: number;
	/** If the delivery is for a fulfillment order: the unpaid amount of its order. */
	outstanding?: number;
	/** If all deliveries of the order together may collect less than that. */
	reduced?: CashReduced;
	/** Whether an update can't set it: what was paid may be for this part or for fulfilled ones. */
	isUnclear?: true;
	/** Set if there is nothing to collect. */
	isSettled?: true;
	/**
	 * The payment methods of an order with an unpaid amount that the driver doesn't collect, because
	 * none of them is known to be cash on delivery.
	 */
	notCollectedFor?: string[];
}

/** The driver collects less of the unpaid amount than the items cost, and perhaps nobody the rest. */
export interface CashReduced {
	code: 'cashReduced';
	amount: string;
	unpaid: string;
	/** The order doesn't say for which items was paid, or nobody collects its shipping and taxes. */
	why: 'paymentUnclear' | 'feesLost';
}

/** Why it is unclear how much the driver collects. */
export type CashProblem =
	| { code: 'unknownUnpaid'; field: string; statusField: string; status: string | undefined }
	/** In the currency of the customer. */
	| { code: 'unknownRate'; currency: string; field: string }
	| { code: 'unknownPrice'; item: string; field: string };

/**
 * Decides how much cash the driver collects (API document, section 2.1, cod).
 *
 * @returns the decision, or why the unpaid amount is unknown
 */
export function decideCash(
	order: Order,
	units: OrderUnits,
	mapping: OrderMapping,
): Result<CashDecision, CashProblem> {
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
	if (!amount)
		return failure({
			code: 'unknownUnpaid',
			field: fieldName(order, ['total_outstanding']),
			statusField: fieldName(order, ['financial_status']),
			status: order.financial_status,
		});
	const convert = toCustomersCurrency(order);
	if (!convert) {
		const field = fieldName(order, ['current_total_price_set']);
		return failure({ code: 'unknownRate', currency: order.presentment_currency ?? '', field });
	}
	if (!order.fulfillmentOrder) return { ok: true, value: { amount: toNumber(convert(amount)) } };
	return partCash(order, units, amount, convert);
}

/** Whether the day has come on which some of an order's payment terms are due. */
function isDue({ payment_terms: terms }: Order, mapping: OrderMapping): boolean {
	return (terms?.payment_schedules ?? []).some(({ due_at = '', completed_at }) => {
		const due = Date.parse(due_at);
		return !completed_at && due && dayAt(due, mapping.time.timeZone) <= today(mapping);
	});
}

/**
 * What the delivery of a fulfillment order collects of its order's unpaid amount: the price of its
 * items. Shipping, taxes and all else come with the order's first item, in proportion to its units.
 *
 * Which other deliveries of the order exist is not known, so their drivers together never collect more
 * than is owed only if each of these holds:
 * - A removed first item keeps its share of the fees: its delivery may have been sent before.
 * - What was paid is subtracted, unless it is exactly what the fulfilled items cost: it may be for any.
 * - An amount by which the order costs less than its items counts as paid.
 *
 * @param unpaid above 0, in the currency of the shop
 */
function partCash(
	order: Order,
	{ lines }: OrderUnits,
	unpaid: Decimal,
	convert: NonNullable<ReturnType<typeof toCustomersCurrency>>,
): Result<CashDecision, CashProblem> {
	const decimals = Math.max(currencyDecimals(order.currency), unpaid.scale);
	const paidFor: Array<LineUnits & { price: Decimal }> = [];
	for (const entry of lines.filter(({ kept }) => kept > 0)) {
		const price = priceOfUnits(entry.line, entry.kept, order.currency);
		if (!price) return failure(unknownPrice(order, entry));
		paidFor.push({ ...entry, price });
	}
	const worth = paidFor.map(({ price }) => price).reduce(add, zero);
	const total = [order.current_total_price ?? order.total_price ?? zero, unpaid].reduce(max, worth);
	const [fees, paid] = [subtract(total, worth), subtract(total, unpaid)];
	const first = lines.find(({ line }) => needsShipping(line) && line.quantity > 0);
	const feesOf = (count: number) =>
		first ? share(fees, count, first.line.quantity, decimals) : zero;
	const costOf = (countOf: (entry: LineUnits) => number) =>
		paidFor
			.map((entry) => share(entry.price, countOf(entry), entry.shipped, decimals))
			.reduce(add, feesOf(first ? countOf(first) : 0));
	const ofFulfilled = costOf(fulfilledUnits);
	const isPaymentClear = isEqual(paid, ofFulfilled);
	const cost = costOf(({ taken }) => taken);
	const rest = isPaymentClear ? cost : max(subtract(cost, paid), zero);
	const collected = min(rest, unpaid);
	const isSettled = sign(collected) === 0;
	// Rounded down, the amounts of all deliveries together are not more than the converted one.
	const amount = isEqual(collected, unpaid) ? convert(unpaid) : convert(collected, 'down');
	const isRest = sign(subtract(unpaid, collected)) > 0;
	const why =
		sign(subtract(cost, rest)) > 0
			? 'paymentUnclear'
			: sign(feesOf(first?.canceled ?? 0)) > 0 && 'feesLost';
	const currency = order.presentment_currency ?? order.currency;
	const isTouched = sign(ofFulfilled) > 0 || lines.some((entry) => fulfilledUnits(entry) > 0);
	return {
		ok: true,
		value: {
			outstanding: toNumber(convert(unpaid)),
			...(isSettled ? { isSettled } : { amount: toNumber(amount) }),
			...(isRest &&
				why && {
					reduced: {
						code: 'cashReduced',
						amount: amountText(amount, currency),
						unpaid: amountText(convert(unpaid), currency),
						why,
					},
				}),
			...(isTouched && !isPaymentClear && sign(paid) > 0 && { isUnclear: true }),
		},
	};
}

/** The units of a line that were fulfilled, even if the order doesn't list its fulfillments. */
function fulfilledUnits({ kept, left = kept, fulfilled, isHeld }: LineUnits): number {
	return isHeld ? fulfilled : Math.max(fulfilled, kept - left);
}

/** The amount for some of several units, rounded down: together, they are never more than all. */
function share(amount: Decimal, count: number, all: number, decimals: number): Decimal {
	return scale(amount, whole(Math.min(count, all)), whole(all), decimals, 'down');
}

function unknownPrice(order: Order, { line, name: item }: LineUnits): CashProblem {
	const index = order.line_items.indexOf(line);
	const field = fieldName(order, [
		'line_items',
		index,
		line.price ? 'discount_allocations' : 'price',
	]);
	return { code: 'unknownPrice', item, field };
}

/**
 * The unpaid amount of an order, or undefined if unknown. For partially_paid and partially_refunded
 * orders it is not guessed, since the driver could collect too much or too little.
 */
function outstandingAmount(order: Order): Decimal | undefined {
	const { total_outstanding: outstanding, financial_status: status } = order;
	if (outstanding || status !== 'pending') return outstanding;
	return order.current_total_price ?? order.total_price;
}

/**
 * Converts amounts to the currency that the customer owes, at the order's own rate; undefined if the
 * order doesn't contain it.
 */
function toCustomersCurrency(
	order: Order,
): ((amount: Decimal, rounding?: 'down') => Decimal) | undefined {
	const { currency, presentment_currency: owedCurrency = currency } = order;
	if (owedCurrency === currency) return (amount) => amount;
	const sets = [order.total_outstanding_set, order.current_total_price_set, order.total_price_set];
	const rate = sets.find((set) => set && sign(set.shop) > 0);
	const decimals = currencyDecimals(owedCurrency);
	return (
		rate && ((amount, rounding) => scale(amount, rate.presentment, rate.shop, decimals, rounding))
	);
}
