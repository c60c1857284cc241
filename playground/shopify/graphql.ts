import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildSchema, defaultFieldResolver, graphql, GraphQLError, isObjectType } from 'graphql';
import { z } from 'zod';

import type { Access } from './app';
import {
	fulfillmentRequestShape,
	ShopRejection,
	type Fulfillment,
	type FulfillmentEvent,
	type FulfillmentOrder,
	type Order,
} from './shapes';
import type { Shop } from './shop';

const schema = buildSchema(readFileSync(join(__dirname, 'schema.graphql'), 'utf8'));
/** The scopes that fields need, as Shopify's reference lists them. */
const fieldScopes = {
	'Query.order': 'read_orders',
	'Query.orders': 'read_orders',
	'Query.fulfillmentOrder': 'read_merchant_managed_fulfillment_orders',
	'Query.fulfillmentOrders': 'read_merchant_managed_fulfillment_orders',
	'Mutation.fulfillmentCreate': 'write_merchant_managed_fulfillment_orders',
	'Mutation.fulfillmentEventCreate': 'write_fulfillments',
	'Order.fulfillmentOrders': 'read_merchant_managed_fulfillment_orders',
	'Order.customer': 'read_customers',
	'Order.paymentTerms': 'read_payment_terms',
	'LineItem.variant': 'read_products',
	'FulfillmentOrderAssignedLocation.location': 'read_locations',
};
for (const [path, scope] of Object.entries(fieldScopes)) {
	const [typeName = '', name = ''] = path.split('.');
	const type = schema.getType(typeName);
	const field = isObjectType(type) ? type.getFields()[name] : undefined;
	if (!field) throw new Error(`The schema has no field ${path}`);
	field.resolve = (source, args, access: Access, info) => {
		if (access.has(scope)) return defaultFieldResolver(source, args, access, info);
		const reason = `Access denied for ${name} field. Required access: \`${scope}\` access scope.`;
		throw new GraphQLError(reason, { extensions: { code: 'ACCESS_DENIED' } });
	};
}

const requestShape = z.object({ query: z.string(), variables: z.record(z.unknown()).nullish() });
const maxPageSize = 250;

/** The properties of an order that only GraphQL needs, as the sample orders have them. */
const restOrder = z
	.object({
		id: z.number(),
		name: z.string(),
		tags: z.string().catch(''),
		currency: z.string(),
		presentment_currency: z.string().optional(),
		total_outstanding: z.string().catch('0.00'),
		current_total_price: z.string().catch('0.00'),
		total_price: z.string().catch('0.00'),
		note_attributes: z.array(z.object({ name: z.string(), value: z.unknown() })).catch([]),
		shipping_address: z.record(z.unknown()).nullish(),
		billing_address: z.record(z.unknown()).nullish(),
		customer: z.record(z.unknown()).nullish(),
		shipping_lines: z.array(z.record(z.unknown())).catch([]),
		refunds: z.array(z.record(z.unknown())).catch([]),
		line_items: z.array(
			z
				.object({
					id: z.number(),
					variant_id: z.number().nullish(),
					quantity: z.number(),
					current_quantity: z.number().optional(),
					fulfillable_quantity: z.number(),
					grams: z.number().catch(0),
					price: z.string().catch('0.00'),
					discount_allocations: z.array(z.object({ amount: z.string() })).catch([]),
					properties: z.array(z.object({ name: z.string(), value: z.unknown() })).catch([]),
				})
				.passthrough(),
		),
	})
	.passthrough();
type RestOrder = z.infer<typeof restOrder>;
type RestLine = RestOrder['line_items'][number];

const shippedLine = z.object({ id: z.number(), quantity: z.number() });
const refundLine = z.object({
	line_item_id: z.number(),
	quantity: z.number(),
	restock_type: z.string().catch('cancel'),
});
const refundLines = z.array(refundLine).catch([]);

/**
 * Runs a request to Shopify's GraphQL Admin API, as far as `schema.graphql` describes it:
 * https://shopify.dev/docs/api/admin-graphql.
 *
 * @param body the request's body, with `query` and `variables`
 * @param access what the token of the request may do
 * @returns the response's body
 */
export async function runGraphql(shop: Shop, body: unknown, access: Access): Promise<object> {
	const request = requestShape.safeParse(body);
	if (!request.success) return { errors: [{ message: 'A query attribute must be specified' }] };
	const { query: source, variables: variableValues } = request.data;
	// Shopify checks all IDs, also those of a field that is skipped.
	const [, name] = /"(\w*[iI]d)":""/.exec(JSON.stringify(variableValues ?? {})) ?? [];
	if (name) return { errors: [{ message: `Invalid value for ${name} (Invalid global id '')` }] };
	const rootValue = rootFor({ shop, access });
	return await graphql({ schema, source, variableValues, rootValue, contextValue: access });
}

/** The shop as a token sees it. */
interface View {
	readonly shop: Shop;
	readonly access: Access;
}

/** Resolves the fields of Query and Mutation. */
function rootFor(view: View) {
	const { shop, access } = view;
	const orders = () => shop.orders().filter(access.sees);
	const order = (rest: Order) => graphqlOrder(rest, view);
	const parts = () =>
		shop
			.orders()
			.flatMap((rest) => shop.fulfillmentOrders(rest.id).map((part) => [part, rest] as const));
	const fulfillmentOrder = ([part, rest]: readonly [FulfillmentOrder, Order]) =>
		graphqlFulfillmentOrder(part, rest, view);
	return {
		order: ({ id }: { id: string }) => {
			const found = orders().find((candidate) => candidate.id === restId(id));
			return found && order(found);
		},
		orders: ({ query = '', ...page }: Page & { query?: string }) => {
			const [, changedSince = ''] = /updated_at:>='([^']+)'/.exec(query) ?? [];
			const since = Date.parse(changedSince) || 0;
			const found = orders().filter((one) => Date.parse(one.updated_at) >= since);
			return connection(found.map(order), page);
		},
		fulfillmentOrders: ({ query = '', ...page }: Page & { query?: string }) => {
			const wanted = Array.from(query.matchAll(/status:(\w+)/g), ([, status]) => status);
			const found = parts().filter(([part]) => wanted.includes(part.status));
			return connection(found.map(fulfillmentOrder), page);
		},
		fulfillmentOrder: ({ id }: { id: string }) => {
			const found = parts().find(([part]) => part.id === restId(id));
			return found && fulfillmentOrder(found);
		},
		fulfillmentCreate: ({ fulfillment }: { fulfillment: FulfillmentInput }) =>
			payload('fulfillment', () => {
				const created = shop.fulfill(toRest(fulfillment));
				const rest = restOrder.parse(shop.order(created.order_id));
				return graphqlFulfillment(created, rest, shop);
			}),
		fulfillmentEventCreate: ({ fulfillmentEvent: input }: { fulfillmentEvent: EventInput }) =>
			payload('fulfillmentEvent', () => {
				const request = { ...input, fulfillmentId: restId(input.fulfillmentId) };
				return graphqlEvent(shop.addFulfillmentEvent(request));
			}),
	};
}

interface EventInput {
	readonly fulfillmentId: string;
	readonly status: string;
	readonly happenedAt?: string;
	readonly message?: string;
}

/** What a mutation returns: what it made, or the shop's rejection. Throws all other errors again. */
function payload(name: string, make: () => object): object {
	try {
		return { [name]: make(), userErrors: [] };
	} catch (error) {
		if (!(error instanceof ShopRejection)) throw error;
		const { errors, message } = error;
		const messages = Array.isArray(errors) ? errors.map(String) : [message];
		return { [name]: null, userErrors: messages.map((one) => ({ field: null, message: one })) };
	}
}

interface Page {
	readonly first?: number;
	readonly after?: string | null;
}

/** A page of a list, with positions as cursors. */
function connection(items: readonly object[], { first = maxPageSize, after }: Page) {
	const start = Number(after ?? -1) + 1;
	const nodes = items.slice(start, start + Math.min(first, maxPageSize));
	const edges = nodes.map((node, index) => ({ cursor: String(start + index), node }));
	const hasNextPage = start + nodes.length < items.length;
	return { nodes, edges, pageInfo: { hasNextPage, endCursor: edges.at(-1)?.cursor ?? null } };
}

function graphqlOrder(order: Order, view: View): object {
	const { shop, access } = view;
	const rest = restOrder.parse(access.visible(order));
	const money = (amount: string) => moneyBag(amount, rest);
	const lines = rest.line_items.map((line) => graphqlLine(line, rest));
	return {
		...camelCase(rest),
		id: globalId('Order', rest.id),
		legacyResourceId: String(rest.id),
		statusPageUrl: rest.order_status_url,
		tags: rest.tags.split(',').flatMap((tag) => tag.trim() || []),
		customAttributes: attributes(rest.note_attributes),
		currencyCode: rest.currency,
		presentmentCurrencyCode: rest.presentment_currency ?? rest.currency,
		displayFinancialStatus: order.financial_status.toUpperCase(),
		displayFulfillmentStatus: isOnHold(order, shop)
			? 'ON_HOLD'
			: (fulfillmentStatuses[order.fulfillment_status ?? ''] ?? 'UNFULFILLED'),
		totalOutstandingSet: money(rest.total_outstanding),
		totalCapturableSet: money('0.00'),
		returnStatus: 'NO_RETURN',
		currentTotalPriceSet: money(rest.current_total_price),
		totalPriceSet: money(rest.total_price),
		shippingAddress: rest.shipping_address && graphqlAddress(rest.shipping_address),
		billingAddress: rest.billing_address && graphqlAddress(rest.billing_address),
		customer: rest.customer && graphqlCustomer(rest.customer),
		shippingLines: (page: Page) => connection(rest.shipping_lines.map(camelCase), page),
		lineItems: (page: Page) => connection(lines, page),
		refunds: rest.refunds.map(({ id, refund_line_items: refunded }) => ({
			id: globalId('Refund', Number(id)),
			refundLineItems: (page: Page) =>
				connection(
					refundLines.parse(refunded).map(({ line_item_id: lineId, quantity, ...line }) => ({
						lineItem: lines.find(({ id }) => id === globalId('LineItem', lineId)),
						quantity,
						restockType: line.restock_type.toUpperCase(),
					})),
					page,
				),
		})),
		fulfillments: order.fulfillments.map((fulfillment) =>
			graphqlFulfillment(fulfillment, rest, shop),
		),
		fulfillmentOrders: (page: Page) =>
			connection(
				(shop.emptyReads-- > 0 ? [] : shop.fulfillmentOrders(order.id)).map((open) =>
					graphqlFulfillmentOrder(open, order, view),
				),
				page,
			),
	};
}

/** Whether all items that are not fulfilled are on hold. */
function isOnHold({ id }: Order, shop: Shop): boolean {
	const statuses = new Set(shop.fulfillmentOrders(id).map(({ status }) => status));
	return statuses.delete('on_hold') && [...statuses].every((one) => /closed|cancelled/.test(one));
}

const fulfillmentStatuses: Readonly<Record<string, string>> = {
	fulfilled: 'FULFILLED',
	partial: 'PARTIALLY_FULFILLED',
};

function graphqlLine(line: RestLine, order: RestOrder) {
	return {
		...camelCase(line),
		id: globalId('LineItem', line.id),
		currentQuantity: line.current_quantity ?? line.quantity,
		unfulfilledQuantity: line.fulfillable_quantity,
		isGiftCard: line.gift_card === true,
		originalUnitPriceSet: moneyBag(line.price, order),
		discountAllocations: line.discount_allocations.map(({ amount }) => ({
			allocatedAmountSet: moneyBag(amount, order),
		})),
		customAttributes: attributes(line.properties),
		variant: line.variant_id && {
			id: globalId('ProductVariant', line.variant_id),
			inventoryItem: { measurement: { weight: { unit: 'GRAMS', value: line.grams } } },
		},
	};
}

function graphqlFulfillmentOrder(open: FulfillmentOrder, order: Order, view: View): object {
	const { shop } = view;
	const rest = restOrder.parse(order);
	const { assigned_location: place, delivery_method: method } = open;
	return {
		...camelCase(open),
		id: globalId('FulfillmentOrder', open.id),
		orderId: globalId('Order', order.id),
		orderName: order.name,
		orderProcessedAt: order.processed_at,
		order: () => graphqlOrder(order, view),
		status: open.status.toUpperCase(),
		requestStatus: 'UNSUBMITTED',
		assignedLocation: {
			...camelCase(place),
			location: {
				id: globalId('Location', place.location_id),
				name: place.name,
				isFulfillmentService: false,
			},
		},
		deliveryMethod: {
			id: globalId('DeliveryMethod', method.id),
			methodType: method.method_type.toUpperCase(),
			additionalInformation: method.additional_information,
		},
		destination: open.destination && camelCase(open.destination),
		fulfillmentHolds: open.fulfillment_holds.map(({ reason, reason_notes: reasonNotes }) => ({
			reason: reason.toUpperCase(),
			reasonNotes,
		})),
		fulfillments: (page: Page) =>
			connection(
				shop.fulfillmentsOf(open).map((fulfillment) => graphqlFulfillment(fulfillment, rest, shop)),
				page,
			),
		supportedActions: open.supported_actions.map((action) => ({ action: action.toUpperCase() })),
		lineItems: (page: Page) =>
			connection(
				open.line_items.map((part) => {
					const line = rest.line_items.find(({ id }) => id === part.line_item_id);
					return {
						id: globalId('FulfillmentOrderLineItem', part.id),
						lineItem: line && graphqlLine(line, rest),
						totalQuantity: part.quantity,
						remainingQuantity: part.fulfillable_quantity,
						sku: line?.sku,
						weight: line && { unit: 'GRAMS', value: line.grams },
					};
				}),
				page,
			),
	};
}

function graphqlEvent({ id, status, happened_at: happenedAt, message }: FulfillmentEvent): object {
	return { id: globalId('FulfillmentEvent', id), status, happenedAt, message };
}

function graphqlFulfillment(fulfillment: Fulfillment, order: RestOrder, shop: Shop): object {
	const { id, name, status, line_items: shipped } = fulfillment;
	const { tracking_company: company, tracking_number: number, tracking_url: url } = fulfillment;
	const lines = z.array(shippedLine).parse(shipped);
	return {
		id: globalId('Fulfillment', id),
		name,
		status: status.toUpperCase(),
		trackingInfo: [company, number, url].some(Boolean) ? [{ company, number, url }] : [],
		events: (page: Page) => connection(shop.fulfillmentEvents(id).map(graphqlEvent), page),
		fulfillmentLineItems: (page: Page) =>
			connection(
				lines.map(({ id: lineId, quantity }) => {
					const line = order.line_items.find((candidate) => candidate.id === lineId);
					return { lineItem: line && graphqlLine(line, order), quantity };
				}),
				page,
			),
	};
}

interface FulfillmentInput {
	readonly lineItemsByFulfillmentOrder: ReadonlyArray<{
		readonly fulfillmentOrderId: string;
		readonly fulfillmentOrderLineItems?: ReadonlyArray<{ id: string; quantity: number }>;
	}>;
	readonly trackingInfo?: object;
	readonly notifyCustomer?: boolean;
}

/** Converts the input of a mutation to the request body of the REST Admin API. */
function toRest({ lineItemsByFulfillmentOrder, trackingInfo, notifyCustomer }: FulfillmentInput) {
	const fulfillment = {
		line_items_by_fulfillment_order: lineItemsByFulfillmentOrder.map((part) => ({
			fulfillment_order_id: restId(part.fulfillmentOrderId),
			fulfillment_order_line_items: part.fulfillmentOrderLineItems?.map(({ id, quantity }) => ({
				id: restId(id),
				quantity,
			})),
		})),
		tracking_info: trackingInfo,
		notify_customer: notifyCustomer,
	};
	return fulfillmentRequestShape.parse({ fulfillment }).fulfillment;
}

function graphqlAddress(address: Readonly<Record<string, unknown>>): object {
	return { ...camelCase(address), countryCodeV2: address.country_code };
}

function graphqlCustomer(customer: Readonly<Record<string, unknown>>): object {
	const { id, email, phone } = customer;
	return {
		...camelCase(customer),
		id: globalId('Customer', Number(id)),
		defaultEmailAddress: email ? { emailAddress: email } : null,
		defaultPhoneNumber: phone ? { phoneNumber: phone } : null,
	};
}

function attributes(details: ReadonlyArray<{ name: string; value?: unknown }>): object[] {
	return details.map(({ name: key, value }) => ({ key, value }));
}

function moneyBag(amount: string, { currency }: RestOrder): object {
	const money = { amount, currencyCode: currency };
	return { shopMoney: money, presentmentMoney: money };
}

/** Renames the properties of an object; their values stay the same. */
function camelCase(rest: object): object {
	return Object.fromEntries(
		Object.entries(rest).map(([name, value]: [string, unknown]) => [
			name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
			value,
		]),
	);
}

function globalId(type: string, id: number): string {
	return `gid://shopify/${type}/${id}`;
}

/** The number at the end of a global ID. */
function restId(id: string): number {
	return Number(id.split('/').at(-1));
}
