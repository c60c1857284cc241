/**
 * How an order is paid and what its customer owes now: the facts by which orders are skipped, cash is
 * collected, and messages explain both. What Shopify calls unpaid is not always owed.
 */
import { dayAt } from '../common/clock';
import { fold } from '../common/text';
import { today } from './deliveryDate';
import { priceOfUnits } from './linePrice';
import type { OrderMapping } from './mapping';
import { amountText, min, sign, subtract, sum, zero, type Decimal } from './money';
import { orderTotal, type Order } from './order';
import { paymentKind } from './paymentNames';

/** Whether an order is paid, by which methods, and what is owed. */
export interface Payment {
	/**
	 * `reserved`: a card payment of all that is unpaid is authorized. `later`: on payment terms that
	 * are not due, e.g. 30 days after the order.
	 */
	state: 'paid' | 'reserved' | 'later' | 'unpaid' | 'voided' | 'refunded' | 'unknown';
	methods: string[];
	/** Whether one of the methods is cash on delivery. */
	isByCash: boolean;
	/** Those that may be cash on delivery by a name that is not known. */
	unknownMethods: string[];
	/** What the customer owes now, in the currency of the shop; undefined if the order doesn't show it. */
	owed: Decimal | undefined;
	/** Set if a return is open, which may settle some of what is unpaid. */
	openReturn?: OpenReturn;
	/** Whether the order says if what is unpaid is authorized. */
	isAuthorizationKnown: boolean;
}

/** Amounts of an order with an open return, in the currency of the shop. */
export interface OpenReturn {
	/** What is unpaid if nothing is returned. */
	unpaid: Decimal;
	/** What is unpaid without the returned items; undefined if the order doesn't say what they cost. */
	afterReturn: Decimal | undefined;
}

/** An order is not sent, because some of it is unpaid; amounts have their currency. */
export interface PartlyPaid {
	/** Undefined if the order doesn't say it. */
	unpaid: string | undefined;
	/** Whether a return is open, and what is unpaid without its items, if the order says what they cost. */
	hasOpenReturn: boolean;
	afterReturn: string | undefined;
	/** What the order costs; undefined if it doesn't say it. */
	total: string | undefined;
	/** Whether the order says if what is unpaid is authorized. */
	isAuthorizationKnown: boolean;
}

/** The amounts of an order that is not sent, because some of it is unpaid. */
export function partlyPaid(order: Order, payment: Payment): PartlyPaid {
	const { owed, openReturn, isAuthorizationKnown } = payment;
	const textOf = (amount: Decimal | undefined) => amount && amountText(amount, order.currency);
	return {
		unpaid: textOf(openReturn?.unpaid ?? owed),
		hasOpenReturn: openReturn !== undefined,
		afterReturn: textOf(openReturn?.afterReturn),
		total: textOf(orderTotal(order)),
		isAuthorizationKnown,
	};
}

/** Reads how an order is paid. */
export function paymentOf(order: Order, mapping: OrderMapping): Payment {
	const methods = [...new Set([...order.payment_gateway_names, order.gateway])].filter(
		(method) => method !== undefined,
	);
	const kinds = methods.map((method) => paymentKind(method, mapping.cashOnDeliveryMethods));
	const outstanding = outstandingAmount(order);
	const capturable = order.total_capturable ?? order.total_capturable_set?.shop;
	const reserved = (outstanding && capturable && min(capturable, outstanding)) ?? zero;
	const unpaid = outstanding && subtract(outstanding, reserved);
	const settled = settledState(order);
	const openReturn = settled ? undefined : readOpenReturn(order, unpaid);
	const owed = openReturn?.afterReturn ?? unpaid;
	const state = settled ?? unsettledState(order, mapping, owed, sign(reserved) > 0);
	return {
		state,
		methods,
		isByCash: state !== 'reserved' && kinds.includes('cashOnDelivery'),
		unknownMethods: methods.filter((_, index) => kinds[index] === 'unknown'),
		owed: nothingIsOwed.has(state) ? zero : owed,
		openReturn,
		isAuthorizationKnown: capturable !== undefined,
	};
}

/** States in which nothing is owed, whatever the order says is outstanding. */
const nothingIsOwed = new Set<Payment['state']>(['paid', 'reserved', 'refunded', 'voided']);

/** Statuses that say by themselves that something is unpaid. */
const unpaidStatuses = new Set(['pending', 'partially_paid', 'expired']);

/** The state of an order whose status says by itself that nothing is owed. */
function settledState({ financial_status: status }: Order): Payment['state'] | undefined {
	switch (status) {
		case 'paid':
		case 'voided':
		case 'refunded':
			return status;
		case 'authorized':
			return 'reserved';
	}
	return undefined;
}

function unsettledState(
	{ financial_status: status, payment_terms: terms }: Order,
	mapping: OrderMapping,
	owed: Decimal | undefined,
	isReserved: boolean,
): Payment['state'] {
	if (owed && sign(owed) <= 0) return isReserved ? 'reserved' : 'paid';
	if (!owed && status === 'partially_refunded') return 'paid';
	if (!owed && !unpaidStatuses.has(status ?? '')) return 'unknown';
	return terms && !isDue(terms, mapping) ? 'later' : 'unpaid';
}

/** Whether an order on payment terms is to be paid now: on receipt, on fulfillment, or on a day that has come. */
function isDue(terms: NonNullable<Order['payment_terms']>, mapping: OrderMapping): boolean {
	if (terms.overdue === true) return true;
	const { payment_terms_type: type = '', payment_terms_name: name = '' } = terms;
	if (/receipt|fulfil/.test(fold(`${type} ${name}`))) return true;
	return terms.payment_schedules.some(({ due_at = '', completed_at }) => {
		const due = Date.parse(due_at);
		return !completed_at && due && dayAt(due, mapping.time.timeZone) <= today(mapping);
	});
}

/**
 * What is not paid of an order, authorized or not; undefined if unknown. For partially_paid and
 * partially_refunded orders it is not guessed, since the driver could collect too much or too little.
 */
function outstandingAmount(order: Order): Decimal | undefined {
	const { financial_status: status, total_outstanding_set: set } = order;
	const outstanding = order.total_outstanding ?? set?.shop;
	if (outstanding || status !== 'pending') return outstanding;
	return orderTotal(order);
}

/**
 * While a return is open, Shopify counts what the customer sends back as sold, and what it is exchanged
 * for, too: an even exchange looks like an unpaid item.
 */
function readOpenReturn(order: Order, unpaid: Decimal | undefined): OpenReturn | undefined {
	if (!unpaid || sign(unpaid) <= 0) return undefined;
	const returns = order.returns.filter(({ status = '' }) => openReturnStates.has(status));
	if (returns.length === 0) {
		const isOpen = openReturnStates.has(order.return_status ?? '');
		return isOpen ? { unpaid, afterReturn: undefined } : undefined;
	}
	const lines = returns.flatMap(({ return_line_items }) => return_line_items);
	const prices = lines.map(({ line_item_id: id, quantity }) => {
		const line = order.line_items.find((one) => id !== undefined && one.id === id);
		return line && priceOfUnits(line, Math.min(quantity, line.quantity), order.currency);
	});
	const returned = lines.length > 0 ? sum(prices) : undefined;
	return { unpaid, afterReturn: returned && subtract(unpaid, returned) };
}

/** Of a return in REST and GraphQL, and of all returns of an order in GraphQL. */
const openReturnStates = new Set(['open', 'in_progress', 'inspection_complete']);
