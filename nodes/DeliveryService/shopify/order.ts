import { z } from 'zod/v4';

import { valueAt } from '../common/json';
import type { Result } from '../common/result';
import { isBlank, shortened } from '../common/text';
import { problemFrom } from './problems';
import {
	amount,
	count,
	decimal,
	discount,
	flag,
	ifReadable,
	list,
	noteAttributes,
	object,
	required,
	tags,
	text,
	wholeNumber,
} from './readers';

/*
 * What is read of a Shopify order, in the form that n8n's Shopify nodes emit (the REST resource).
 * Everything else in it is ignored. What a delivery can do without never refuses an order: it
 * counts as not given when it can't be read.
 */

const address = object({
	name: text,
	first_name: text,
	last_name: text,
	company: ifReadable(text),
	phone: ifReadable(text),
	address1: text,
	address2: ifReadable(text),
	city: text,
	province: text,
	province_code: text,
	zip: text,
	country: text,
	country_code: text,
	latitude: ifReadable(decimal),
	longitude: ifReadable(decimal),
}).nullish();

const lineItem = object({
	id: text,
	name: ifReadable(text),
	title: ifReadable(text),
	quantity: required(count),
	/** `quantity` without the refunded and removed units. */
	current_quantity: wholeNumber,
	/** The units that are neither refunded nor fulfilled, nor with a fulfilment service already. */
	fulfillable_quantity: wholeNumber,
	fulfillment_status: text,
	requires_shipping: flag,
	gift_card: flag,
	/** The weight of one unit. */
	grams: ifReadable(amount),
	/** The price of one unit before discounts. */
	price: ifReadable(amount),
	/** This line's own discounts and its shares of those of the whole order. */
	discount_allocations: list(object({ amount: ifReadable(amount) })).catch([{ amount: undefined }]),
	/** The line's discount where no allocations are kept, as in orders made through the API. */
	total_discount: discount,
});

const customer = object({
	first_name: text,
	last_name: text,
	email: ifReadable(text),
	phone: text,
});

/** What is read of an order; see above. */
export const orderSchema = object({
	id: text,
	name: text,
	order_number: text,
	cancelled_at: text,
	test: flag,
	source_name: ifReadable(text),
	email: ifReadable(text),
	contact_email: ifReadable(text),
	phone: ifReadable(text),
	note: ifReadable(text),
	note_attributes: noteAttributes,
	tags,
	currency: ifReadable(text),
	gateway: text,
	payment_gateway_names: list(text),
	financial_status: text,
	total_outstanding: decimal,
	/** The totals are needed only where the above is missing, see {@link neededTotal}. */
	current_total_price: ifReadable(amount),
	total_price: ifReadable(amount),
	shipping_address: address,
	/** How the order is shipped, or where the customer picks it up. */
	shipping_lines: list(object({ title: ifReadable(text) })).catch([]),
	billing_address: address.catch(undefined),
	customer: customer.nullish().catch(undefined),
	line_items: list(lineItem),
	refunds: list(
		object({ refund_line_items: list(object({ line_item_id: text, quantity: required(count) })) }),
	),
});

export type Order = z.output<typeof orderSchema>;
export type Address = NonNullable<Order['shipping_address']>;
export type LineItem = Order['line_items'][number];

/** By what a person, or a later step, finds an order again. */
export type OrderNames = Pick<Order, 'id' | 'name' | 'order_number'>;

const namesSchema = object({
	id: ifReadable(text),
	name: ifReadable(text),
	order_number: ifReadable(text),
});

/** The names of a value that may be an order, as far as they can be read. */
export function namesOf(value: unknown): OrderNames | undefined {
	const candidate = orderIn(value);
	return whyNotAnOrder(candidate) ? undefined : namesSchema.safeParse(candidate).data;
}

const howToGetAnOrder =
	'Connect the output of a Shopify node, or set "Order" to an order as Shopify\'s REST API gives it.';

/**
 * Reads an order as n8n's Shopify nodes emit it, also when it is wrapped in a member "order".
 *
 * @returns the members that are used, or what is wrong with the value in words for a shop owner;
 *   it never throws
 */
export function readOrder(value: unknown): Result<Order> {
	const candidate = orderIn(value);
	const mismatch = whyNotAnOrder(candidate);
	if (mismatch) return { ok: false, problem: { message: mismatch } };
	const parsed = orderSchema.safeParse(candidate);
	if (!parsed.success) return unreadable(candidate, parsed.error.issues);
	const total = neededTotal(parsed.data, candidate).safeParse(candidate);
	if (!total.success) return unreadable(candidate, total.error.issues);
	return { ok: true, value: parsed.data };
}

/** The order in a value that may hold it in a member "order". */
export function orderIn(value: unknown): unknown {
	return has(value, 'line_items') || !has(value, 'order') ? value : valueAt(value, ['order']);
}

const noTotal = object({});
const currentTotal = object({ current_total_price: amount });
const formerTotal = object({ total_price: amount });

/**
 * The total that tells how much is still to be paid where the order does not: that must be readable,
 * and the former total, from before the order was edited, never stands in for a wrong current one.
 */
function neededTotal({ total_outstanding, financial_status }: Order, candidate: unknown) {
	if (total_outstanding) return noTotal;
	if (financial_status !== 'pending' && financial_status !== 'authorized') return noTotal;
	return has(candidate, 'current_total_price') ? currentTotal : formerTotal;
}

function unreadable(order: unknown, issues: readonly z.core.$ZodIssue[]): Result<Order> {
	const names = namesSchema.safeParse(order).data;
	const subject = sentenceStart(names ?? {});
	const sentences = issues.map((issue) => wrongMember(subject, issue, order));
	return { ok: false, problem: problemFrom(sentences) };
}

/** What a person calls the order, when it says so. */
export function titleOf(order: OrderNames): string | undefined {
	return order.name ?? order.order_number ?? order.id;
}

/** How a sentence about the order begins: with its name, to find it among many. */
export function sentenceStart(order: OrderNames): string {
	const title = titleOf(order);
	return title ? `Order ${title}` : 'The order';
}

/**
 * What the Shopify Trigger also gives that may look like an order, by members that Shopify gives no
 * order. Drafts have order_id, too: it is null until they are completed.
 */
const otherThings = [
	['invoice_url', 'a draft order'],
	['abandoned_checkout_url', 'a checkout, which the customer may still leave'],
	['order_id', 'something that belongs to one, such as a fulfillment or a refund'],
] as const;

function whyNotAnOrder(value: unknown): string | undefined {
	const otherThing = otherThingIn(value);
	if (has(value, 'line_items')) return otherThing;
	if (typeof value !== 'object' || Array.isArray(value) || isBlank(value))
		return `This is not a Shopify order: an object was expected, but this is ${shown(value)}. ${howToGetAnOrder}`;
	if (has(value, 'orders'))
		return 'This is a list of Shopify orders, not one order. Put a Split Out node for the field "orders" before this node, so that each order becomes an item of its own.';
	if (has(valueAt(value, ['body']), 'line_items'))
		return 'This is not a Shopify order, but its "body" is one. Set "Order" to {{ $json.body }}.';
	return (
		otherThing ??
		`This is not a Shopify order: it has no "line_items". ${howToGetAnOrder} If that node limits the fields it returns, let it return line_items too.`
	);
}

/** Such a thing would be delivered beside its order, or would be told as an order that it is not. */
function otherThingIn(value: unknown): string | undefined {
	// Only orders have a payment status: to one of them, a workflow may have added order_id.
	const isOrder = has(value, 'financial_status');
	const found = otherThings.find(
		([member]) => valueAt(value, [member]) !== undefined && !(isOrder && member === 'order_id'),
	);
	if (!found) return undefined;
	const [member, thing] = found;
	return `This is not a Shopify order, but ${thing}: it has "${member}", which no order has. In the Shopify Trigger, set Trigger On to Order Created or Order Paid.`;
}

function has(value: unknown, member: string): boolean {
	return !isBlank(valueAt(value, [member]));
}

function wrongMember(subject: string, issue: z.core.$ZodIssue, order: unknown): string {
	const value = valueAt(order, issue.path);
	const problem = `${subject}'s "${pathText(issue.path)}" ${issue.message}`;
	return isBlank(value) ? `${problem}.` : `${problem}, but is ${shown(value)}.`;
}

/** A path as it is written in an expression: line_items[0].price. */
function pathText(path: readonly PropertyKey[]): string {
	return path
		.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
		.join('')
		.slice(1);
}

const maxShownLength = 40;

/** The value as a person would recognise it. */
function shown(value: unknown): string {
	if (isBlank(value)) return 'empty';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return `a ${typeof value}`;
	return `the text "${shortened(value, maxShownLength)}"`;
}
