import { z } from 'zod/v4';

/*
 * Orders and fulfillment orders of the REST API as Shopify returns them for the query in examples/queries.md,
 * which names its fields as REST does.
 */

type Fields = Record<string, unknown>;

const fields = z.record(z.string(), z.unknown());
const fieldsList = z.array(fields);

/** A connection with all of its items. */
function connection(nodes: unknown[]): Fields {
	return { nodes, pageInfo: { hasNextPage: false } };
}

function mapList(list: unknown, map: (entry: Fields) => Fields): Fields[] {
	return fieldsList.parse(list ?? []).map(map);
}

function gid(type: string, id: unknown): string {
	return `gid://shopify/${type}/${String(id)}`;
}

function upperCase(value: unknown): unknown {
	return typeof value === 'string' ? value.toUpperCase() : value;
}

/** An amount in the currencies of the shop and the customer; the same if `set` has no other. */
function moneyBag(amount: unknown, set?: unknown): unknown {
	if (amount === null || amount === undefined) return null;
	const { presentment_money: presentment } = fields.catch({}).parse(set);
	return {
		shop_money: { amount },
		presentment_money: presentment ? { amount: fields.parse(presentment).amount } : { amount },
	};
}

/** An object without some fields. */
function without(names: readonly string[], object: Fields): Fields {
	return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function lineItem(line: Fields): Fields {
	const { id, price, grams, properties, discount_allocations: discounts } = line;
	const weight = { value: grams, unit: 'GRAMS' };
	return {
		...without(['price', 'total_discount', 'fulfillment_service', 'fulfillment_status'], line),
		id: gid('LineItem', id),
		properties: properties ?? [],
		price_set: moneyBag(price),
		discount_allocations: mapList(discounts, ({ amount }) => ({ amount_set: moneyBag(amount) })),
		grams: { inventoryItem: { measurement: { weight } } },
	};
}

function paymentTerms(value: unknown): unknown {
	const { payment_schedules: schedules, ...terms } = fields.nullish().parse(value) ?? {};
	return schedules
		? {
				payment_terms_type: 'NET',
				payment_terms_name: 'Net 30',
				overdue: false,
				...terms,
				payment_schedules: connection(
					mapList(schedules, ({ due_at, completed_at = null }) => ({ due_at, completed_at })),
				),
			}
		: null;
}

const amountFields = [
	'total_outstanding',
	'current_total_price',
	'total_price',
	'total_price_set',
	'contact_email',
	'gateway',
	'returns',
	'total_capturable',
];

/** The same order as Shopify's GraphQL API returns it. */
export function toGraphqlOrder(order: Fields): Fields {
	const { email, phone, ...names } = fields.nullish().parse(order.customer) ?? {};
	return {
		...without(amountFields, order),
		id: gid('Order', order.id),
		source_name: order.source_name ?? null,
		note_attributes: order.note_attributes ?? [],
		tags: z.string().parse(order.tags).split(', ').filter(Boolean),
		presentment_currency: order.presentment_currency ?? order.currency,
		payment_terms: paymentTerms(order.payment_terms),
		financial_status: upperCase(order.financial_status),
		fulfillment_status: upperCase(order.fulfillment_status ?? 'unfulfilled'),
		total_outstanding_set: moneyBag(order.total_outstanding, order.total_outstanding_set),
		current_total_price_set: moneyBag(order.current_total_price, order.current_total_price_set),
		total_capturable_set: moneyBag(order.total_capturable ?? '0.00'),
		return_status: upperCase(order.return_status ?? 'no_return'),
		customer: order.customer && {
			...names,
			email: email ? { emailAddress: email } : null,
			phone: phone ? { phoneNumber: phone } : null,
		},
		shipping_lines: connection(
			mapList(order.shipping_lines, ({ title, code, phone: ofLine }) => ({
				title,
				code: code ?? null,
				phone: ofLine ?? null,
			})),
		),
		line_items: connection(mapList(order.line_items, lineItem)),
		refunds: mapList(order.refunds, ({ refund_line_items: lines }) => ({
			refund_line_items: connection(
				mapList(lines, ({ line_item_id: id, quantity, restock_type: type }) => ({
					line_item_id: { id: gid('LineItem', id) },
					quantity,
					restock_type: upperCase(type) ?? null,
				})),
			),
		})),
		fulfillments: mapList(order.fulfillments, ({ status, line_items: lines }) => ({
			status: upperCase(status) ?? null,
			line_items: connection(
				mapList(lines, ({ id, quantity }) => ({ id: { id: gid('LineItem', id) }, quantity })),
			),
		})),
	};
}

/** The same fulfillment order as Shopify's GraphQL API returns it. */
export function toGraphqlPart(part: Fields): Fields {
	const location = fields.nullish().parse(part.assigned_location);
	const method = fields.nullish().parse(part.delivery_method);
	return {
		...part,
		id: gid('FulfillmentOrder', part.id),
		order_id: gid('Order', part.order_id),
		status: upperCase(part.status),
		request_status: upperCase(part.request_status),
		fulfillment_holds: mapList(part.fulfillment_holds, ({ reason, reason_notes }) => ({
			reason: upperCase(reason),
			reason_notes,
		})),
		assigned_location: location && {
			name: location.name,
			location_id: { id: gid('Location', location.location_id) },
		},
		delivery_method: method && { ...method, method_type: upperCase(method.method_type) },
		line_items: connection(
			mapList(part.line_items, ({ line_item_id: id, quantity, fulfillable_quantity }) => ({
				line_item_id: { id: gid('LineItem', id) },
				quantity,
				fulfillable_quantity,
			})),
		),
	};
}
