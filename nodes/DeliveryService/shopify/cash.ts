import { dayAt } from '../common/clock';
import { failure, type Result } from '../common/result';
import { today } from './deliveryDate';
import type { OrderMapping } from './mapping';
import {
	add,
	amountText,
	currencyDecimals,
	scale,
	sign,
	subtract,
	sum,
	toNumber,
	whole,
	zero,
	type Decimal,
} from './money';
import { fieldName, howToRequest, orderLabel, type Order } from './order';
import { paymentKind } from './methods';
import { priceOfUnits, type LineUnits, type OrderUnits } from './units';

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
	/** If the delivery is for a fulfillment order: its shares. */
	part?: PartCash;
	/** Set if there is nothing to collect. */
	isSettled?: true;
	/**
	 * The payment methods of an order with an unpaid amount that the driver doesn't collect, because
	 * none of them is known to be cash on delivery.
	 */
	notCollectedFor?: string[];
}

/** What the delivery of a fulfillment order may collect. */
export interface PartCash {
	/** The unpaid amount of the order. */
	unpaid: number;
	/** By what they are computed from, as those of earlier parts were; the last if these were not. */
	shares: Array<{ basis?: string; amount: number; action?: CashReduced }>;
	/** What counts if nothing of the order was sent before. */
	firstBasis?: string;
	/** Whether an update may set it: what was paid may be for this part or for fulfilled ones. */
	isClear: boolean;
}

/** The driver collects less than the share: the order's earlier parts may collect the rest. */
export interface CashReduced {
	code: 'cashReduced';
	amount: string;
	unpaid: string;
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
	const convert = toCustomersCurrency(order);
	if (!convert)
		return unknownAmount(
			`${orderLabel(order)} doesn't say how much is unpaid in ${order.presentment_currency}, the currency of the customer. ${howToRequest(order, fieldName(order, ['current_total_price_set']))}`,
		);
	if (!order.fulfillmentOrder) return { ok: true, value: { amount: toNumber(convert(amount)) } };
	const part = partCash(order, units, amount, convert);
	const share = part.shares[0]?.amount;
	return { ok: true, value: { part, ...(share ? { amount: share } : isSettled.value) } };
}

/** Whether the day has come on which some of an order's payment terms are due. */
function isDue({ payment_terms: terms }: Order, mapping: OrderMapping): boolean {
	return (terms?.payment_schedules ?? []).some(({ due_at = '', completed_at }) => {
		const due = Date.parse(due_at);
		return !completed_at && due && dayAt(due, mapping.time.timeZone) <= today(mapping);
	});
}

/**
 * What the delivery of a fulfillment order collects of its order's unpaid amount: as much as its items
 * are worth, compared with all items of the order that are shipped.
 *
 * Other deliveries of the order may be created in another run, so the shares depend only on the order
 * and what is unpaid of it. Fulfilled items count, too: their delivery may be under way with its share.
 * If exactly the share of the fulfilled items was paid, the others collect theirs of the whole order.
 * If the order changed after others were sent, all that was paid counts for this one.
 *
 * @param unpaid above 0, in the currency of the shop
 */
function partCash(
	order: Order,
	{ lines }: OrderUnits,
	unpaid: Decimal,
	convert: (amount: Decimal) => Decimal,
): PartCash {
	const currency = order.presentment_currency ?? order.currency;
	const paidFor = lines.filter(({ kept }) => kept > 0);
	const prices = paidFor.map(({ line, kept }) => priceOfUnits(line, kept, order.currency));
	const worth = sum(prices) ?? zero;
	// The number of units counts if a price is not known.
	const weights = paidFor.map(
		({ kept }, index) => (sign(worth) > 0 && prices[index]) || whole(kept),
	);
	const totalWeight = weights.reduce(add, zero);
	/** All shares add up to the amount exactly, unless units of one line are split: rounded down. */
	const shareOf = (amount: Decimal, countOf: (line: LineUnits) => number) => {
		const owed = convert(amount);
		const decimals = Math.max(currencyDecimals(currency), owed.scale);
		let [share, weightSoFar, amountSoFar] = [zero, zero, zero];
		for (const [index, line] of paidFor.entries()) {
			weightSoFar = add(weightSoFar, weights[index] ?? zero);
			const withLine = scale(owed, weightSoFar, totalWeight, decimals, 'down');
			const own = subtract(withLine, amountSoFar);
			amountSoFar = withLine;
			const count = whole(Math.min(countOf(line), line.shipped));
			share = add(share, scale(own, count, whole(line.shipped), decimals, 'down'));
		}
		return share;
	};
	const totals = [order.current_total_price ?? order.total_price ?? zero, worth, unpaid];
	const total = totals.reduce((one, other) => (sign(subtract(other, one)) > 0 ? other : one));
	const paid = subtract(convert(total), convert(unpaid));
	const takenOf = ({ taken }: LineUnits) => taken;
	const fulfilledOf = ({ kept, left = kept, fulfilled, isHeld }: LineUnits) =>
		isHeld ? fulfilled : Math.max(fulfilled, kept - left);
	const ofFulfilled = shareOf(total, fulfilledOf);
	const isPaidFor = sign(subtract(ofFulfilled, paid)) === 0;
	const lineIds = paidFor.map(({ line }) => line.id).join(' ');
	const shares = [...(isPaidFor ? [total] : []), unpaid].map((amount) => ({
		basis: `${[amount, ...weights].map(toNumber).join(' ')} of ${lineIds}`,
		amount: toNumber(shareOf(amount, takenOf)),
	}));
	const certain = subtract(shareOf(worth, takenOf), paid);
	const least = sign(certain) > 0 ? certain : zero;
	const isUntouched = isPaidFor || paidFor.every((line) => fulfilledOf(line) === 0);
	const action: CashReduced = {
		code: 'cashReduced',
		amount: amountText(least, currency),
		unpaid: amountText(convert(unpaid), currency),
	};
	return {
		unpaid: toNumber(convert(unpaid)),
		shares: [...shares, { amount: toNumber(least), action }],
		firstBasis: isUntouched ? shares[0]?.basis : undefined,
		isClear: isUntouched || sign(paid) === 0,
	};
}

function unknownAmount(reason: string): Result<CashDecision> {
	const message = `${reason}, or set Cash on Delivery to Never if drivers never collect cash.`;
	return failure({ message });
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
function toCustomersCurrency(order: Order): ((amount: Decimal) => Decimal) | undefined {
	const { currency, presentment_currency: owedCurrency = currency } = order;
	if (owedCurrency === currency) return (amount) => amount;
	const sets = [order.total_outstanding_set, order.current_total_price_set, order.total_price_set];
	const rate = sets.find((set) => set && sign(set.shop) > 0);
	const decimals = currencyDecimals(owedCurrency);
	return rate && ((amount) => scale(amount, rate.presentment, rate.shop, decimals));
}
