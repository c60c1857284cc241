import { z } from 'zod/v4';

import { valueAt } from '../common/json';
import type { Result } from '../common/result';
import { isBlank } from '../common/text';
import { splitAddressLines } from './addressLines';
import { amounts } from './amounts';
import { graphqlPath, incompleteLists } from './graphql';
import { problemFrom } from './problems';
import {
	optionalAddressLine,
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
import { describeValue, hasField, type OrderCandidate } from './recognize';

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
	address1: optionalAddressLine,
	address2: ifReadable(optionalAddressLine),
	city: optionalText,
	province: optionalText,
	province_code: optionalText,
	zip: optionalText,
	country: optionalText,
	country_code: optionalText,
	latitude: ifReadable(decimal),
	longitude: ifReadable(decimal),
})
	.transform(splitAddressLines)
	.nullish();

const lineItem = object({
	id: optionalText,
	name: ifReadable(optionalText),
	title: ifReadable(optionalText),
	sku: ifReadable(optionalText),
	/** What the customer chose for this item, e.g. an engraving. */
	properties: noteAttributes,
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

/** A list whose absence differs from an empty one. */
function listIfGiven<Item extends z.ZodType>(item: Item) {
	return z.array(item, { error: 'should be a list' }).nullish();
}

/** The schema of an order; see above. */
const orderSchema = object({
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
	/** The currency that the customer owes. */
	presentment_currency: ifReadable(optionalText),
	gateway: optionalText,
	payment_gateway_names: list(optionalText),
	financial_status: optionalText,
	total_outstanding: decimal,
	/** The totals are needed only without total_outstanding, see {@link requiredTotal}. */
	current_total_price: ifReadable(optionalAmount),
	total_price: ifReadable(optionalAmount),
	total_outstanding_set: amounts,
	current_total_price_set: amounts,
	total_price_set: amounts,
	shipping_address: address,
	/** The shipping methods, or the pickup location. */
	shipping_lines: list(
		object({
			title: ifReadable(optionalText),
			code: ifReadable(optionalText),
			/** The phone number of a local delivery. */
			phone: ifReadable(optionalText),
			is_removed: flag.catch(undefined),
		}),
	).catch([]),
	billing_address: address.catch(undefined),
	customer: customer.nullish().catch(undefined),
	line_items: list(lineItem),
	refunds: listIfGiven(
		object({
			refund_line_items: list(
				object({
					line_item_id: optionalText,
					quantity: required(optionalCount),
					restock_type: ifReadable(optionalText),
				}).transform(({ line_item_id: id, ...entry }) => ({ id, ...entry })),
			),
		}),
	),
	fulfillments: listIfGiven(
		object({
			status: ifReadable(optionalText),
			line_items: list(object({ id: optionalText, quantity: required(optionalCount) })),
		}),
	).catch(undefined),
});

/** A parsed order. */
export type Order = z.output<typeof orderSchema> & ApiOfOrder;
export type Address = NonNullable<Order['shipping_address']>;
export type LineItem = Order['line_items'][number];

/** Where an order is from: messages name fields as this API does. */
interface ApiOfOrder {
	isGraphql?: boolean;
}

/** The fields that identify an order. */
export type OrderIdentifiers = Pick<Order, 'id' | 'name' | 'order_number'> & ApiOfOrder;

const identifiersSchema = object({
	id: ifReadable(optionalText),
	name: ifReadable(optionalText),
	order_number: ifReadable(optionalText),
});

/**
 * Reads the identifiers of an order whose other fields may be invalid.
 *
 * @returns the readable identifiers; none if the value is not an order
 */
export function readOrderIdentifiers({ rest, graphql }: OrderCandidate): OrderIdentifiers {
	const identifiers = identifiersSchema.safeParse(rest).data;
	return { ...identifiers, isGraphql: graphql !== undefined };
}

/**
 * Parses an order. Never throws.
 *
 * @param candidate see {@link findOrder}
 * @returns the fields that are used, or what is wrong, written for a shop owner
 */
export function readOrder(candidate: OrderCandidate): Result<Order> {
	const incomplete = incompleteGraphql(candidate);
	if (incomplete.length > 0) return { ok: false, problem: problemFrom(incomplete) };
	const parsed = orderSchema.safeParse(candidate.rest);
	if (!parsed.success) return unreadableOrder(candidate, parsed.error.issues);
	const total = requiredTotal(parsed.data, candidate.rest).safeParse(candidate.rest);
	if (!total.success) return unreadableOrder(candidate, total.error.issues);
	return { ok: true, value: { ...parsed.data, isGraphql: candidate.graphql !== undefined } };
}

/**
 * What a GraphQL query left out and nothing can stand in for. In REST, a missing shipping address
 * means that there is none.
 */
function incompleteGraphql(candidate: OrderCandidate): string[] {
	const { rest, graphql } = candidate;
	if (graphql === undefined) return [];
	const order = readOrderIdentifiers(candidate);
	const subject = orderLabel(order);
	const lines = z
		.array(z.unknown())
		.catch([])
		.parse(valueAt(rest, ['line_items']));
	const required = [
		['line_items'],
		['shipping_address'],
		...lines.map((_, index) => ['line_items', index, 'fulfillable_quantity']),
	];
	const missing = required.find((path) => valueAt(rest, path) === undefined);
	const [page] = incompleteLists(graphql);
	return [
		...(missing
			? [`${subject} has no "${fieldName(order, ...missing)}". Add it to the GraphQL query.`]
			: []),
		...(page
			? [
					`${subject} has more "${page}" than the GraphQL query returned. Raise "first" of ${page} in the query, up to 250.`,
				]
			: []),
	];
}

const noTotal = object({});
const currentTotal = object({ current_total_price: optionalAmount });
const originalTotal = object({ total_price: optionalAmount });

/**
 * The total that determines the unpaid amount of an order without total_outstanding. It must be
 * readable: an invalid current total is never replaced by the original one from before the order
 * was edited.
 */
function requiredTotal(
	{ total_outstanding, financial_status }: z.output<typeof orderSchema>,
	order: unknown,
) {
	if (total_outstanding) return noTotal;
	if (financial_status !== 'pending' && financial_status !== 'authorized') return noTotal;
	return hasField(order, 'current_total_price') ? currentTotal : originalTotal;
}

function unreadableOrder(
	candidate: OrderCandidate,
	issues: readonly z.core.$ZodIssue[],
): Result<Order> {
	const identifiers = readOrderIdentifiers(candidate);
	const sentences = issues.map((issue) => fieldProblem(identifiers, issue, candidate.rest));
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

/** A field's path as in the API that the order is from and in expressions, e.g. line_items[0].price. */
export function fieldName({ isGraphql }: ApiOfOrder, ...path: readonly PropertyKey[]): string {
	return (isGraphql ? graphqlPath(path) : path)
		.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
		.join('')
		.slice(1);
}

/** The advice to request a missing field, without a period. */
export function howToRequest({ isGraphql }: ApiOfOrder, field: string): string {
	return isGraphql
		? `Add ${field} to the GraphQL query`
		: `Make sure the Shopify node returns ${field}`;
}

function fieldProblem(
	order: OrderIdentifiers,
	{ path, message }: z.core.$ZodIssue,
	rest: unknown,
): string {
	const value = valueAt(rest, path);
	const problem = `${orderLabel(order)}'s "${fieldName(order, ...path)}" ${message}`;
	return isBlank(value) ? `${problem}.` : `${problem}, but is ${describeValue(value)}.`;
}
