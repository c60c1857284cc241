import { z } from 'zod/v4';

import { valueAt } from '../common/json';
import type { Result } from '../common/result';
import { isBlank, truncate } from '../common/text';
import { problemFrom } from './problems';
import {
	optionalAmount,
	optionalCount,
	decimal,
	optionalDiscount,
	flag,
	ifReadable,
	list,
	noteAttributes,
	object,
	required,
	tags,
	optionalText,
	optionalWholeNumber,
} from './readers';

/*
 * What is read of a Shopify order, in the form that n8n's Shopify nodes emit (the REST resource).
 * Everything else in it is ignored. What a delivery can do without never refuses an order: it
 * counts as not given when it can't be read.
 */

const address = object({
	name: optionalText,
	first_name: optionalText,
	last_name: optionalText,
	company: ifReadable(optionalText),
	phone: ifReadable(optionalText),
	address1: optionalText,
	address2: ifReadable(optionalText),
	city: optionalText,
	province: optionalText,
	province_code: optionalText,
	zip: optionalText,
	country: optionalText,
	country_code: optionalText,
	latitude: ifReadable(decimal),
	longitude: ifReadable(decimal),
}).nullish();

const lineItem = object({
	id: optionalText,
	name: ifReadable(optionalText),
	title: ifReadable(optionalText),
	quantity: required(optionalCount),
	/** `quantity` without the refunded and removed units. */
	current_quantity: optionalWholeNumber,
	/** The units that are neither refunded nor fulfilled, nor with a fulfilment service already. */
	fulfillable_quantity: optionalWholeNumber,
	fulfillment_status: optionalText,
	requires_shipping: flag,
	gift_card: flag,
	/** The weight of one unit. */
	grams: ifReadable(optionalAmount),
	/** The price of one unit before discounts. */
	price: ifReadable(optionalAmount),
	/** This line's own discounts and its shares of those of the whole order. */
	discount_allocations: list(object({ amount: ifReadable(optionalAmount) })).catch([
		{ amount: undefined },
	]),
	/** The line's discount where no allocations are kept, as in orders made through the API. */
	total_discount: optionalDiscount,
});

const customer = object({
	first_name: optionalText,
	last_name: optionalText,
	email: ifReadable(optionalText),
	phone: optionalText,
});

/** What is read of an order; see above. */
export const orderSchema = object({
	id: optionalText,
	name: optionalText,
	order_number: optionalText,
	cancelled_at: optionalText,
	test: flag,
	source_name: ifReadable(optionalText),
	email: ifReadable(optionalText),
	contact_email: ifReadable(optionalText),
	phone: ifReadable(optionalText),
	note: ifReadable(optionalText),
	note_attributes: noteAttributes,
	tags,
	currency: ifReadable(optionalText),
	gateway: optionalText,
	payment_gateway_names: list(optionalText),
	financial_status: optionalText,
	total_outstanding: decimal,
	/** The totals are needed only where the above is missing, see {@link neededTotal}. */
	current_total_price: ifReadable(optionalAmount),
	total_price: ifReadable(optionalAmount),
	shipping_address: address,
	/** How the order is shipped, or where the customer picks it up. */
	shipping_lines: list(object({ title: ifReadable(optionalText) })).catch([]),
	billing_address: address.catch(undefined),
	customer: customer.nullish().catch(undefined),
	line_items: list(lineItem),
	refunds: list(
		object({
			refund_line_items: list(
				object({ line_item_id: optionalText, quantity: required(optionalCount) }),
			),
		}),
	),
});

export type Order = z.output<typeof orderSchema>;
export type Address = NonNullable<Order['shipping_address']>;
export type LineItem = Order['line_items'][number];

/** By what a person, or a later step, finds an order again. */
export type OrderNames = Pick<Order, 'id' | 'name' | 'order_number'>;

const namesSchema = object({
	id: ifReadable(optionalText),
	name: ifReadable(optionalText),
	order_number: ifReadable(optionalText),
});

/** The names of a value that may be an order, as far as they can be read. */
export function namesOf(value: unknown): OrderNames | undefined {
	const candidate = orderIn(value);
	return notAnOrderMessage(candidate) ? undefined : namesSchema.safeParse(candidate).data;
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
	const mismatch = notAnOrderMessage(candidate);
	if (mismatch) return { ok: false, problem: { message: mismatch } };
	const parsed = orderSchema.safeParse(candidate);
	if (!parsed.success) return unreadableOrder(candidate, parsed.error.issues);
	const total = neededTotal(parsed.data, candidate).safeParse(candidate);
	if (!total.success) return unreadableOrder(candidate, total.error.issues);
	return { ok: true, value: parsed.data };
}

/** The order in a value that may hold it in a member "order". */
export function orderIn(value: unknown): unknown {
	return hasField(value, 'line_items') || !hasField(value, 'order')
		? value
		: valueAt(value, ['order']);
}

const noTotal = object({});
const currentTotal = object({ current_total_price: optionalAmount });
const originalTotal = object({ total_price: optionalAmount });

/**
 * The total that tells how much is still to be paid where the order does not: that must be readable,
 * and the former total, from before the order was edited, never stands in for a wrong current one.
 */
function neededTotal({ total_outstanding, financial_status }: Order, candidate: unknown) {
	if (total_outstanding) return noTotal;
	if (financial_status !== 'pending' && financial_status !== 'authorized') return noTotal;
	return hasField(candidate, 'current_total_price') ? currentTotal : originalTotal;
}

function unreadableOrder(order: unknown, issues: readonly z.core.$ZodIssue[]): Result<Order> {
	const names = namesSchema.safeParse(order).data;
	const subject = orderLabel(names ?? {});
	const sentences = issues.map((issue) => fieldProblem(subject, issue, order));
	return { ok: false, problem: problemFrom(sentences) };
}

/** What a person calls the order, when it says so. */
export function orderTitle(order: OrderNames): string | undefined {
	return order.name ?? order.order_number ?? order.id;
}

/** How a sentence about the order begins: with its name, to find it among many. */
export function orderLabel(order: OrderNames): string {
	const title = orderTitle(order);
	return title ? `Order ${title}` : 'The order';
}

/**
 * What the Shopify Trigger also gives that may look like an order, by members that Shopify gives no
 * order. Drafts have order_id, too: it is null until they are completed.
 */
const otherShopifyTypes = [
	['invoice_url', 'a draft order'],
	['abandoned_checkout_url', 'a checkout, which the customer may still leave'],
	['order_id', 'something that belongs to one, such as a fulfillment or a refund'],
] as const;

function notAnOrderMessage(value: unknown): string | undefined {
	const otherThing = otherShopifyType(value);
	if (hasField(value, 'line_items')) return otherThing;
	if (typeof value !== 'object' || Array.isArray(value) || isBlank(value))
		return `This is not a Shopify order: an object was expected, but this is ${describeValue(value)}. ${howToGetAnOrder}`;
	if (hasField(value, 'orders'))
		return 'This is a list of Shopify orders, not one order. Put a Split Out node for the field "orders" before this node, so that each order becomes an item of its own.';
	if (hasField(valueAt(value, ['body']), 'line_items'))
		return 'This is not a Shopify order, but its "body" is one. Set "Order" to {{ $json.body }}.';
	return (
		otherThing ??
		`This is not a Shopify order: it has no "line_items". ${howToGetAnOrder} If that node limits the fields it returns, let it return line_items too.`
	);
}

/** Such a thing would be delivered beside its order, or would be told as an order that it is not. */
function otherShopifyType(value: unknown): string | undefined {
	// Only orders have a payment status: to one of them, a workflow may have added order_id.
	const isOrder = hasField(value, 'financial_status');
	const found = otherShopifyTypes.find(
		([member]) => valueAt(value, [member]) !== undefined && !(isOrder && member === 'order_id'),
	);
	if (!found) return undefined;
	const [member, thing] = found;
	return `This is not a Shopify order, but ${thing}: it has "${member}", which no order has. In the Shopify Trigger, set Trigger On to Order Created or Order Paid.`;
}

function hasField(value: unknown, member: string): boolean {
	return !isBlank(valueAt(value, [member]));
}

function fieldProblem(subject: string, issue: z.core.$ZodIssue, order: unknown): string {
	const value = valueAt(order, issue.path);
	const problem = `${subject}'s "${pathText(issue.path)}" ${issue.message}`;
	return isBlank(value) ? `${problem}.` : `${problem}, but is ${describeValue(value)}.`;
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
function describeValue(value: unknown): string {
	if (isBlank(value)) return 'empty';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return `a ${typeof value}`;
	return `the text "${truncate(value, maxShownLength)}"`;
}
