import { z } from 'zod/v4';

type Fields = Record<string, unknown>;

const fields = z.record(z.string(), z.unknown());
const fieldsList = z.array(fields);

/** A connection of Shopify's GraphQL API with all of its items. */
function connection(nodes: unknown[], form: 'nodes' | 'edges'): Fields {
	const items =
		form === 'nodes' ? { nodes } : { edges: nodes.map((node) => ({ cursor: 'c', node })) };
	return { ...items, pageInfo: { hasNextPage: false } };
}

function moneyBag(amount: unknown, set?: unknown): unknown {
	if (amount === null || amount === undefined) return amount;
	const { presentment_money: presentment } = fields.catch({}).parse(set);
	const money = { amount, currencyCode: 'MXN' };
	return {
		shopMoney: money,
		presentmentMoney: presentment ? { ...money, amount: fields.parse(presentment).amount } : money,
	};
}

function address(value: unknown): unknown {
	if (value === null || value === undefined) return null;
	const rest = fields.parse(value);
	return {
		name: rest.name,
		firstName: rest.first_name,
		lastName: rest.last_name,
		company: rest.company,
		phone: rest.phone,
		address1: rest.address1,
		address2: rest.address2,
		city: rest.city,
		province: rest.province,
		provinceCode: rest.province_code,
		zip: rest.zip,
		country: rest.country,
		countryCodeV2: rest.country_code,
		latitude: rest.latitude,
		longitude: rest.longitude,
		formatted: ['not used'],
	};
}

function paymentTerms(value: unknown): unknown {
	const { payment_schedules: schedules } = fields.nullish().parse(value) ?? {};
	return schedules
		? {
				paymentSchedules: {
					nodes: fieldsList.parse(schedules).map((one) => ({ dueAt: one.due_at })),
				},
			}
		: null;
}

function upperCase(value: unknown): unknown {
	return typeof value === 'string' ? value.toUpperCase() : value;
}

const lineItemGid = (id: unknown) => `gid://shopify/LineItem/${String(id)}`;

/** The same order as Shopify's GraphQL API returns it. */
export function toGraphqlOrder(order: Fields, form: 'nodes' | 'edges' = 'nodes'): Fields {
	const customer = fields.nullish().parse(order.customer);
	return {
		__typename: 'Order',
		id: `gid://shopify/Order/${String(order.id)}`,
		name: order.name,
		number: order.order_number,
		cancelledAt: order.cancelled_at,
		createdAt: order.created_at,
		test: order.test,
		sourceName: order.source_name ?? null,
		email: order.email,
		phone: order.phone,
		note: order.note,
		customAttributes: fieldsList
			.parse(order.note_attributes)
			.map(({ name, value }) => ({ key: name, value })),
		tags: z.string().parse(order.tags).split(', ').filter(Boolean),
		currencyCode: order.currency,
		presentmentCurrencyCode: order.presentment_currency ?? order.currency,
		paymentGatewayNames: order.payment_gateway_names,
		paymentTerms: paymentTerms(order.payment_terms),
		displayFinancialStatus: upperCase(order.financial_status),
		totalOutstandingSet: moneyBag(order.total_outstanding, order.total_outstanding_set),
		currentTotalPriceSet: moneyBag(order.current_total_price, order.current_total_price_set),
		shippingAddress: address(order.shipping_address),
		billingAddress: address(order.billing_address),
		customer: customer && {
			firstName: customer.first_name,
			lastName: customer.last_name,
			defaultEmailAddress: customer.email ? { emailAddress: customer.email } : null,
			defaultPhoneNumber: customer.phone ? { phoneNumber: customer.phone } : null,
		},
		shippingLines: connection(
			fieldsList
				.parse(order.shipping_lines ?? [])
				.map(({ title, code, phone }) => ({ title, code: code ?? null, phone: phone ?? null })),
			form,
		),
		lineItems: connection(
			fieldsList.parse(order.line_items).map((line) => ({
				id: lineItemGid(line.id),
				name: line.name,
				title: line.title,
				sku: line.sku ?? null,
				quantity: line.quantity,
				currentQuantity: line.current_quantity,
				unfulfilledQuantity: line.fulfillable_quantity,
				requiresShipping: line.requires_shipping,
				isGiftCard: line.gift_card,
				customAttributes: fieldsList
					.parse(line.properties ?? [])
					.map(({ name, value }) => ({ key: name, value })),
				originalUnitPriceSet: moneyBag(line.price),
				discountAllocations: fieldsList
					.parse(line.discount_allocations)
					.map(({ amount }) => ({ allocatedAmountSet: moneyBag(amount) })),
				variant: {
					inventoryItem: { measurement: { weight: { value: line.grams, unit: 'GRAMS' } } },
				},
			})),
			form,
		),
		refunds: fieldsList.parse(order.refunds ?? []).map((refund) => ({
			refundLineItems: connection(
				fieldsList.parse(refund.refund_line_items).map((entry) => ({
					lineItem: { id: lineItemGid(entry.line_item_id) },
					quantity: entry.quantity,
					restockType: upperCase(entry.restock_type),
				})),
				form,
			),
		})),
		fulfillments: fieldsList.parse(order.fulfillments ?? []).map((fulfillment) => ({
			status: upperCase(fulfillment.status),
			fulfillmentLineItems: connection(
				fieldsList
					.parse(fulfillment.line_items)
					.map(({ id, quantity }) => ({ lineItem: { id: lineItemGid(id) }, quantity })),
				form,
			),
		})),
	};
}
