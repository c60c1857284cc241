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
 * The subset of a Shopify order that is used (the REST resource, as output by n8n's Shopify nodes).
 * Other fields are ignored. An optional value that can't be read counts as missing, so that it
 * never blocks an order.
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
	/** The units that are not refunded, fulfilled or assigned to a fulfillment service. */
	fulfillable_quantity: optionalWholeNumber,
	fulfillment_status: optionalText,
	requires_shipping: flag,
	gift_card: flag,
	/** The weight of one unit. */
	grams: ifReadable(optionalAmount),
	/** The price of one unit before discounts. */
	price: ifReadable(optionalAmount),
	/** The line's own discounts and its shares of order discounts. */
	discount_allocations: list(object({ amount: ifReadable(optionalAmount) })).catch([
		{ amount: undefined },
	]),
	/** The line's discount if there are no allocations, as in orders created through the API. */
	total_discount: optionalDiscount,
});

const customer = object({
	first_name: optionalText,
	last_name: optionalText,
	email: ifReadable(optionalText),
	phone: optionalText,
});

/** The schema of an order; see above. */
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
	/** The totals are needed only without total_outstanding, see {@link requiredTotal}. */
	current_total_price: ifReadable(optionalAmount),
	total_price: ifReadable(optionalAmount),
	shipping_address: address,
	/** The shipping methods, or the pickup location. */
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

/** The fields that identify an order. */
export type OrderIdentifiers = Pick<Order, 'id' | 'name' | 'order_number'>;

const identifiersSchema = object({
	id: ifReadable(optionalText),
	name: ifReadable(optionalText),
	order_number: ifReadable(optionalText),
});

/**
 * Reads the identifiers of an order whose other fields may be invalid.
 *
 * @returns the readable identifiers, or undefined if the value is not an order
 */
export function readOrderIdentifiers(value: unknown): OrderIdentifiers | undefined {
	const candidate = unwrapOrder(value);
	return notAnOrderMessage(candidate) ? undefined : identifiersSchema.safeParse(candidate).data;
}

const howToGetAnOrder =
	"Connect a Shopify node, or set the field Order to an order in the format of Shopify's REST API.";

/**
 * Reads an order as output by n8n's Shopify nodes, or an object with the order in "order". Never
 * throws.
 *
 * @returns the fields that are used, or what is wrong, written for a shop owner
 */
export function readOrder(value: unknown): Result<Order> {
	const candidate = unwrapOrder(value);
	const mismatch = notAnOrderMessage(candidate);
	if (mismatch) return { ok: false, problem: { message: mismatch } };
	const parsed = orderSchema.safeParse(candidate);
	if (!parsed.success) return unreadableOrder(candidate, parsed.error.issues);
	const total = requiredTotal(parsed.data, candidate).safeParse(candidate);
	if (!total.success) return unreadableOrder(candidate, total.error.issues);
	return { ok: true, value: parsed.data };
}

/** Returns the order in the field "order" if there is one, else the value. */
export function unwrapOrder(value: unknown): unknown {
	return hasField(value, 'line_items') || !hasField(value, 'order')
		? value
		: valueAt(value, ['order']);
}

const noTotal = object({});
const currentTotal = object({ current_total_price: optionalAmount });
const originalTotal = object({ total_price: optionalAmount });

/**
 * The total that determines the unpaid amount of an order without total_outstanding. It must be
 * readable: an invalid current total is never replaced by the original one from before the order
 * was edited.
 */
function requiredTotal({ total_outstanding, financial_status }: Order, candidate: unknown) {
	if (total_outstanding) return noTotal;
	if (financial_status !== 'pending' && financial_status !== 'authorized') return noTotal;
	return hasField(candidate, 'current_total_price') ? currentTotal : originalTotal;
}

function unreadableOrder(order: unknown, issues: readonly z.core.$ZodIssue[]): Result<Order> {
	const identifiers = identifiersSchema.safeParse(order).data;
	const subject = orderLabel(identifiers ?? {});
	const sentences = issues.map((issue) => fieldProblem(subject, issue, order));
	return { ok: false, problem: problemFrom(sentences) };
}

/** The name that the shop owner knows the order by, if there is one. */
export function orderTitle(order: OrderIdentifiers): string | undefined {
	return order.name ?? order.order_number ?? order.id;
}

/** The subject of a message about the order, e.g. "Order #1001". */
export function orderLabel(order: OrderIdentifiers): string {
	const title = orderTitle(order);
	return title ? `Order ${title}` : 'The order';
}

/**
 * Other outputs of the Shopify Trigger that resemble orders, recognized by fields that orders don't
 * have. Drafts also have order_id, which is null until they are completed.
 */
const otherShopifyTypes = [
	['invoice_url', 'a draft order'],
	['abandoned_checkout_url', 'a checkout that the customer may still abandon'],
	['order_id', 'a record that belongs to an order, such as a fulfillment or a refund'],
] as const;

function notAnOrderMessage(value: unknown): string | undefined {
	const otherTypeMessage = otherShopifyTypeMessage(value);
	if (hasField(value, 'line_items')) return otherTypeMessage;
	if (typeof value !== 'object' || Array.isArray(value) || isBlank(value))
		return `This is not a Shopify order: expected an object, but the value is ${describeValue(value)}. ${howToGetAnOrder}`;
	if (hasField(value, 'orders'))
		return 'This is a list of Shopify orders, not a single order. Add a Split Out node for the field "orders" before this node, so that each order becomes a separate item.';
	if (hasField(valueAt(value, ['body']), 'line_items'))
		return 'This is not a Shopify order, but its "body" is one. Set the field Order to {{ $json.body }}.';
	return (
		otherTypeMessage ??
		`This is not a Shopify order: it has no "line_items". ${howToGetAnOrder} If the Shopify node limits the fields that it returns, add line_items.`
	);
}

/**
 * The message for another Shopify record: it must not be delivered in addition to its order, or be
 * reported as an invalid order.
 */
function otherShopifyTypeMessage(value: unknown): string | undefined {
	// Only orders have a payment status, and a workflow may have added order_id to an order.
	const isOrder = hasField(value, 'financial_status');
	const found = otherShopifyTypes.find(
		([field]) => valueAt(value, [field]) !== undefined && !(isOrder && field === 'order_id'),
	);
	if (!found) return undefined;
	const [field, type] = found;
	return `This is not a Shopify order, but ${type}: it has "${field}", which orders don't have. In the Shopify Trigger, set Trigger On to Order Created or Order Paid.`;
}

function hasField(value: unknown, field: string): boolean {
	return !isBlank(valueAt(value, [field]));
}

function fieldProblem(subject: string, issue: z.core.$ZodIssue, order: unknown): string {
	const value = valueAt(order, issue.path);
	const problem = `${subject}'s "${pathText(issue.path)}" ${issue.message}`;
	return isBlank(value) ? `${problem}.` : `${problem}, but is ${describeValue(value)}.`;
}

/** A path as written in an expression, e.g. line_items[0].price. */
function pathText(path: readonly PropertyKey[]): string {
	return path
		.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
		.join('')
		.slice(1);
}

const maxShownLength = 40;

/** Describes the value so that the user recognizes it. */
function describeValue(value: unknown): string {
	if (isBlank(value)) return 'empty';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return `a ${typeof value}`;
	return `the text "${truncate(value, maxShownLength)}"`;
}
