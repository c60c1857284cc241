/** What the driver collects of what the customer owes: all of it, or the share of a fulfillment order. */
import { failure, type Result } from '../common/result';
import type { OrderFacts } from './facts';
import { priceOfUnits } from './linePrice';
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
import { orderTotal, type Order } from './order';
import type { OpenReturn, Payment } from './payment';
import { needsShipping, type LineUnits, type OrderUnits } from './units';

/** How the unpaid amount of an order is collected. */
export interface CashDecision {
	/** What the driver collects, if above 0. */
	amount?: number;
	/** If the delivery is for a fulfillment order: the unpaid amount of its order. */
	outstanding?: number;
	/** What a person should know about the amount. */
	actions: readonly CashAction[];
	/** Whether an update can't set it: what was paid or is returned may be for other items. */
	isUnclear?: true;
	/** Set if nothing is owed for it. */
	isSettled?: true;
	/** Set if the driver doesn't collect what is unpaid. */
	notCollected?: CashNotCollected;
}

/** What a person should know about the cash of a delivery; amounts have their currency. */
export type CashAction =
	| CashReduced
	/** Nothing is collected: an open return may settle what is unpaid. */
	| { code: 'openReturn'; unpaid: string; afterReturn: string | undefined }
	/** The driver collects the amount in the shop's currency, the customer was shown another. */
	| { code: 'otherCurrency'; amount: string; currency: string; ofCustomer: string | undefined };

/** No payment method of the order is known to be cash on delivery. Unknown ones may be. */
export interface CashNotCollected {
	code: 'cashNotCollected';
	methods: string[];
	unknownMethods: string[];
	unpaid: string;
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
	| { code: 'unknownUnpaid'; status: string | undefined }
	| { code: 'unknownPrice'; item: string; field: string };

/**
 * Decides how much cash the driver collects (docs/api.md, section 2.1, cod).
 *
 * @returns the decision, or why the unpaid amount is unknown
 */
export function decideCash(
	{ order, units, payment }: Pick<OrderFacts, 'order' | 'units' | 'payment'>,
	mapping: OrderMapping,
): Result<CashDecision, CashProblem> {
	const { state, isByCash, owed, openReturn } = payment;
	const settled = { ok: true, value: { isSettled: true, actions: [] } } as const;
	if (state === 'voided' || state === 'refunded' || state === 'reserved') return settled;
	if (state === 'later' && !isByCash) return settled;
	const isCollected = isByCash || mapping.cod === 'unpaid';
	if (openReturn && isCollected && mapping.cod !== 'never')
		return { ok: true, value: { isUnclear: true, actions: [openReturnAction(order, openReturn)] } };
	if (state === 'paid') return settled;
	if (mapping.cod === 'never') return { ok: true, value: { actions: [] } };
	if (!isCollected) {
		const notCollected = owed && notCollectedAction(order, payment, owed);
		return { ok: true, value: { notCollected, actions: [] } };
	}
	if (!owed) return failure({ code: 'unknownUnpaid', status: order.financial_status });
	if (order.fulfillmentOrder) return partCash(order, units, owed);
	return { ok: true, value: { amount: toNumber(owed), actions: currencyActions(order, owed) } };
}

function notCollectedAction(
	{ currency }: Order,
	{ methods, unknownMethods }: Payment,
	owed: Decimal,
): CashNotCollected {
	const unpaid = amountText(owed, currency);
	return { code: 'cashNotCollected', methods, unknownMethods, unpaid };
}

function openReturnAction(order: Order, { unpaid, afterReturn }: OpenReturn): CashAction {
	return {
		code: 'openReturn',
		unpaid: amountText(unpaid, order.currency),
		afterReturn: afterReturn && amountText(max(afterReturn, zero), order.currency),
	};
}

/** Names what the customer was shown, if it is in another currency than what the driver collects. */
function currencyActions(order: Order, collected: Decimal): CashAction[] {
	const { currency, presentment_currency: shown } = order;
	if (shown === undefined || shown === currency) return [];
	const sets = [order.total_outstanding_set, order.current_total_price_set, order.total_price_set];
	const rate = sets.find((set) => set && sign(set.shop) > 0);
	const ofCustomer = rate && scale(collected, rate.presentment, rate.shop, currencyDecimals(shown));
	return [
		{
			code: 'otherCurrency',
			amount: amountText(collected, currency),
			currency: shown,
			ofCustomer: ofCustomer && amountText(ofCustomer, shown),
		},
	];
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
): Result<CashDecision, CashProblem> {
	const costs = readCosts(order, lines, unpaid);
	if (!costs.ok) return costs;
	const { costOf, lostFees, paid } = costs.value;
	const ofFulfilled = costOf(fulfilledUnits);
	const isPaymentClear = isEqual(paid, ofFulfilled);
	const cost = costOf(({ taken }) => taken);
	const rest = isPaymentClear ? cost : max(subtract(cost, paid), zero);
	const collected = min(rest, unpaid);
	const why = whyReduced(subtract(cost, rest), lostFees);
	const isNothing = sign(collected) === 0;
	// What was paid may have been for the items of the order's other deliveries.
	const isSettled = isNothing && why !== 'paymentUnclear';
	const actions = isNothing ? [] : currencyActions(order, collected);
	const isRest = sign(subtract(unpaid, collected)) > 0;
	if (isRest && why)
		actions.push({
			code: 'cashReduced',
			amount: amountText(collected, order.currency),
			unpaid: amountText(unpaid, order.currency),
			why,
		});
	const isTouched = sign(ofFulfilled) > 0 || lines.some((entry) => fulfilledUnits(entry) > 0);
	return {
		ok: true,
		value: {
			outstanding: toNumber(unpaid),
			actions,
			...(!isNothing && { amount: toNumber(collected) }),
			...(isSettled && { isSettled }),
			...(isTouched && !isPaymentClear && sign(paid) > 0 && { isUnclear: true }),
		},
	};
}

/** Why perhaps nobody collects the rest; undefined if the drivers of the other items do. */
function whyReduced(subtracted: Decimal, lostFees: Decimal): CashReduced['why'] | undefined {
	if (sign(subtracted) > 0) return 'paymentUnclear';
	return sign(lostFees) > 0 ? 'feesLost' : undefined;
}

/** What an order costs by its items, each with its share of what else it costs. */
interface Costs {
	/** What some units of each line cost. */
	costOf: (countOf: (line: LineUnits) => number) => Decimal;
	/** The share of the fees that nobody collects, because its units were removed. */
	lostFees: Decimal;
	/** What was paid of all. */
	paid: Decimal;
}

function readCosts(
	order: Order,
	lines: readonly LineUnits[],
	unpaid: Decimal,
): Result<Costs, CashProblem> {
	const decimals = Math.max(currencyDecimals(order.currency), unpaid.scale);
	const paidFor: Array<LineUnits & { price: Decimal }> = [];
	for (const entry of lines.filter(({ kept }) => kept > 0)) {
		const price = priceOfUnits(entry.line, entry.kept, order.currency);
		if (!price) return failure(unknownPrice(entry));
		paidFor.push({ ...entry, price });
	}
	const worth = paidFor.map(({ price }) => price).reduce(add, zero);
	const total = [orderTotal(order) ?? zero, unpaid].reduce(max, worth);
	const fees = subtract(total, worth);
	const first = lines.find(({ line }) => needsShipping(line) && line.quantity > 0);
	const feesOf = (count: number) =>
		first ? share(fees, count, first.line.quantity, decimals) : zero;
	const costOf: Costs['costOf'] = (countOf) =>
		paidFor
			.map((entry) => share(entry.price, countOf(entry), entry.shipped, decimals))
			.reduce(add, feesOf(first ? countOf(first) : 0));
	const lostFees = feesOf(first?.canceled ?? 0);
	return { ok: true, value: { costOf, lostFees, paid: subtract(total, unpaid) } };
}

/** The units of a line that were fulfilled, even if the order doesn't list its fulfillments. */
function fulfilledUnits({ kept, left = kept, fulfilled, isHeld }: LineUnits): number {
	return isHeld ? fulfilled : Math.max(fulfilled, kept - left);
}

/** The amount for some of several units, rounded down: together, they are never more than all. */
function share(amount: Decimal, count: number, all: number, decimals: number): Decimal {
	return scale(amount, whole(Math.min(count, all)), whole(all), decimals, 'down');
}

function unknownPrice({ line, name: item }: LineUnits): CashProblem {
	const field = line.price ? 'line_items.discount_allocations' : 'line_items.price';
	return { code: 'unknownPrice', item, field };
}
