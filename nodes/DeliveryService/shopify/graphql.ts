import { valueAt } from '../common/json';
import { isBlank } from '../common/text';
import { parseDecimal, scale, toText, type Decimal } from './decimal';

/*
 * Orders of Shopify's GraphQL Admin API, converted to the REST resource, so that one mapper reads
 * both. These tables contain every field that it reads from GraphQL.
 */

/** Where the value of a REST field is in GraphQL. */
interface GraphqlField {
	name: string;
	/** The name in older API versions, where the value has its REST form. */
	legacyName?: string;
	/** Converts the value to its REST form. */
	read?: (value: unknown) => unknown;
	/** The fields of an object, or of each object in a list. */
	fields?: GraphqlFields;
	isList?: true;
}

/** By the name of the REST field. */
export type GraphqlFields = Readonly<Record<string, GraphqlField>>;

const gidPattern = /^gid:\/\/shopify\/(\w+)\/(\d+)/;

/** The type in a global ID, e.g. "Order", or undefined for another value. */
export function gidType(value: unknown): string | undefined {
	return typeof value === 'string' ? gidPattern.exec(value)?.[1] : undefined;
}

/** The number at the end of a global ID, which is the ID in REST; any other value unchanged. */
export function gidNumber(value: unknown): unknown {
	return typeof value === 'string' ? (gidPattern.exec(value)?.[2] ?? value) : value;
}

/** An enum value as in REST: lower case. */
export function enumInRest(value: unknown): unknown {
	return typeof value === 'string' ? value.toLowerCase() : value;
}

function shopAmount(value: unknown): unknown {
	return isBlank(value) ? value : valueAt(value, ['shopMoney', 'amount']);
}

function bothAmounts(value: unknown): unknown {
	return {
		shop_money: valueAt(value, ['shopMoney']),
		presentment_money: valueAt(value, ['presentmentMoney']),
	};
}

const gramsPerUnit: Readonly<Record<string, string>> = {
	GRAMS: '1',
	KILOGRAMS: '1000',
	OUNCES: '28.349523125',
	POUNDS: '453.59237',
};

/** The weight of a product variant in grams; GraphQL line items have none of their own. */
function variantGrams(variant: unknown): unknown {
	const weight = valueAt(variant, ['inventoryItem', 'measurement', 'weight']);
	const [value, unit] = [valueAt(weight, ['value']), valueAt(weight, ['unit'])];
	const amount = typeof value === 'number' ? parseDecimal(value) : undefined;
	const factor = typeof unit === 'string' ? parseDecimal(gramsPerUnit[unit] ?? '') : undefined;
	const one: Decimal = { units: 1n, scale: 0 };
	return amount && factor && toText(scale(amount, factor, one, 0));
}

const addressFields: GraphqlFields = {
	name: { name: 'name' },
	first_name: { name: 'firstName' },
	last_name: { name: 'lastName' },
	company: { name: 'company' },
	phone: { name: 'phone' },
	address1: { name: 'address1' },
	address2: { name: 'address2' },
	city: { name: 'city' },
	province: { name: 'province' },
	province_code: { name: 'provinceCode' },
	zip: { name: 'zip' },
	country: { name: 'country' },
	country_code: { name: 'countryCodeV2' },
	latitude: { name: 'latitude' },
	longitude: { name: 'longitude' },
};

const attributeFields: GraphqlFields = { name: { name: 'key' }, value: { name: 'value' } };

const lineItemFields: GraphqlFields = {
	id: { name: 'id', read: gidNumber },
	name: { name: 'name' },
	title: { name: 'title' },
	sku: { name: 'sku' },
	properties: { name: 'customAttributes', isList: true, fields: attributeFields },
	quantity: { name: 'quantity' },
	current_quantity: { name: 'currentQuantity' },
	fulfillable_quantity: { name: 'unfulfilledQuantity', legacyName: 'fulfillableQuantity' },
	requires_shipping: { name: 'requiresShipping' },
	gift_card: { name: 'isGiftCard' },
	grams: { name: 'variant', read: variantGrams },
	price: { name: 'originalUnitPriceSet', read: shopAmount },
	discount_allocations: {
		name: 'discountAllocations',
		isList: true,
		fields: { amount: { name: 'allocatedAmountSet', read: shopAmount } },
	},
};

/** The ID of the line item that another resource contains. */
export const lineItemId: GraphqlField = {
	name: 'lineItem',
	read: (value) => gidNumber(valueAt(value, ['id'])),
};

/** The fields of an order. */
export const graphqlOrderFields: GraphqlFields = {
	id: { name: 'id', read: gidNumber },
	name: { name: 'name' },
	order_number: { name: 'number' },
	cancelled_at: { name: 'cancelledAt' },
	test: { name: 'test' },
	source_name: { name: 'sourceName' },
	email: { name: 'email' },
	phone: { name: 'phone' },
	note: { name: 'note' },
	note_attributes: { name: 'customAttributes', isList: true, fields: attributeFields },
	tags: { name: 'tags' },
	currency: { name: 'currencyCode' },
	presentment_currency: { name: 'presentmentCurrencyCode' },
	payment_gateway_names: { name: 'paymentGatewayNames' },
	financial_status: { name: 'displayFinancialStatus', read: enumInRest },
	total_outstanding: { name: 'totalOutstandingSet', read: shopAmount },
	total_outstanding_set: { name: 'totalOutstandingSet', read: bothAmounts },
	current_total_price: { name: 'currentTotalPriceSet', read: shopAmount },
	current_total_price_set: { name: 'currentTotalPriceSet', read: bothAmounts },
	shipping_address: { name: 'shippingAddress', fields: addressFields },
	billing_address: { name: 'billingAddress', fields: addressFields },
	customer: {
		name: 'customer',
		fields: {
			first_name: { name: 'firstName' },
			last_name: { name: 'lastName' },
			email: {
				name: 'defaultEmailAddress',
				legacyName: 'email',
				read: (value) => valueAt(value, ['emailAddress']),
			},
			phone: {
				name: 'defaultPhoneNumber',
				legacyName: 'phone',
				read: (value) => valueAt(value, ['phoneNumber']),
			},
		},
	},
	shipping_lines: {
		name: 'shippingLines',
		isList: true,
		fields: { title: { name: 'title' }, code: { name: 'code' }, phone: { name: 'phone' } },
	},
	line_items: { name: 'lineItems', isList: true, fields: lineItemFields },
	refunds: {
		name: 'refunds',
		isList: true,
		fields: {
			refund_line_items: {
				name: 'refundLineItems',
				isList: true,
				fields: {
					line_item_id: lineItemId,
					quantity: { name: 'quantity' },
					restock_type: { name: 'restockType', read: enumInRest },
				},
			},
		},
	},
	fulfillments: {
		name: 'fulfillments',
		isList: true,
		fields: {
			status: { name: 'status', read: enumInRest },
			line_items: {
				name: 'fulfillmentLineItems',
				isList: true,
				fields: { id: lineItemId, quantity: { name: 'quantity' } },
			},
		},
	},
};

/** Fields that an order from GraphQL has, unless the query contains only other fields of it. */
const telltaleFields = ['lineItems', 'displayFinancialStatus', 'shippingAddress', 'cancelledAt'];

/** Whether a value is an order of the GraphQL API, or a part of one. */
export function isGraphqlOrder(value: unknown): boolean {
	if (!isBlank(valueAt(value, ['line_items']))) return false;
	return (
		gidType(valueAt(value, ['id'])) !== undefined ||
		telltaleFields.some((field) => valueAt(value, [field]) !== undefined)
	);
}

/** A GraphQL object as the REST resource. Fields that it lacks are missing there too. */
export function toRest(value: unknown, fields: GraphqlFields): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(
		Object.entries(fields).flatMap(([restName, field]): Array<[string, unknown]> => {
			const own = valueAt(value, [field.name]);
			if (own !== undefined) return [[restName, convertField(own, field)]];
			const legacy = field.legacyName && valueAt(value, [field.legacyName]);
			return legacy === undefined ? [] : [[restName, legacy]];
		}),
	);
}

function convertField(value: unknown, { read, fields, isList }: GraphqlField): unknown {
	if (read) return read(value);
	if (!fields) return value;
	if (!isList) return toRest(value, fields);
	const items = connectionItems(value);
	return Array.isArray(items) ? items.map((item: unknown) => toRest(item, fields)) : items;
}

/** The items of a list or a connection with nodes or edges; any other value unchanged. */
export function connectionItems(value: unknown): unknown {
	const nodes = valueAt(value, ['nodes']);
	if (Array.isArray(nodes)) return nodes;
	const edges = valueAt(value, ['edges']);
	if (!Array.isArray(edges)) return value;
	return edges.map((edge: unknown) => valueAt(edge, ['node']));
}

/** The lists of an object of which the query returned only the first page, as GraphQL paths. */
export function incompleteLists(value: unknown, fields: GraphqlFields): string[] {
	return Object.values(fields).flatMap(({ name, fields: itemFields, isList }) => {
		const list = valueAt(value, [name]);
		if (!isList || !itemFields) return [];
		if (valueAt(list, ['pageInfo', 'hasNextPage']) === true) return [name];
		const items = connectionItems(list);
		if (!Array.isArray(items)) return [];
		return items.flatMap((item) => incompleteLists(item, itemFields));
	});
}

/** A REST path as a GraphQL path, e.g. lineItems[0].quantity. */
export function graphqlPath(
	path: readonly PropertyKey[],
	rootFields: GraphqlFields,
): PropertyKey[] {
	let fields: GraphqlFields | undefined = rootFields;
	return path.map((step) => {
		if (typeof step !== 'string') return step;
		const field: GraphqlField | undefined = fields?.[step];
		fields = field?.fields;
		return field?.name ?? step;
	});
}
