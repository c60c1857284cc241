import { valueAt } from '../common/data';
import { isBlank } from '../common/text';
import { parseDecimal, scale, toText, whole } from './money';

/*
 * Orders of Shopify's GraphQL Admin API, converted to the REST resource, so that one mapper reads
 * both. These tables contain every field that it reads from GraphQL.
 */

/** Where the value of a REST field is in GraphQL. */
interface GraphqlField {
	name: string;
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
function gidNumber(value: unknown): unknown {
	return typeof value === 'string' ? (gidPattern.exec(value)?.[2] ?? value) : value;
}

/** An enum value as in REST: lower case. */
function enumInRest(value: unknown): unknown {
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
	return amount && factor && toText(scale(amount, factor, whole(1), 0));
}

/** Fields whose GraphQL name is the REST name in camel case. */
function sameFields(names: string): GraphqlFields {
	return Object.fromEntries(
		names.split(' ').map((name) => {
			const camelCase = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
			return [name, { name: camelCase }];
		}),
	);
}

function listOf(name: string, fields: GraphqlFields): GraphqlField {
	return { name, fields, isList: true };
}

function propertyOf(name: string, property: string): GraphqlField {
	return { name, read: (value) => valueAt(value, [property]) };
}

function idOf(name: string): GraphqlField {
	return { name, read: (value) => gidNumber(valueAt(value, ['id'])) };
}

const id: GraphqlField = { name: 'id', read: gidNumber };

/** The ID of the line item that another resource contains. */
const lineItemId = idOf('lineItem');

const recipientFields = 'first_name last_name company phone address1 address2 city province zip';

const addressFields: GraphqlFields = {
	...sameFields(`name ${recipientFields} province_code country latitude longitude`),
	country_code: { name: 'countryCodeV2' },
};

const attributeFields: GraphqlFields = { name: { name: 'key' }, value: { name: 'value' } };

const lineItemFields: GraphqlFields = {
	...sameFields('name title quantity current_quantity requires_shipping'),
	id,
	properties: listOf('customAttributes', attributeFields),
	fulfillable_quantity: { name: 'unfulfilledQuantity' },
	gift_card: { name: 'isGiftCard' },
	grams: { name: 'variant', read: variantGrams },
	price: { name: 'originalUnitPriceSet', read: shopAmount },
	discount_allocations: listOf('discountAllocations', {
		amount: { name: 'allocatedAmountSet', read: shopAmount },
	}),
};

/** The fields of an order. */
export const graphqlOrderFields: GraphqlFields = {
	...sameFields('name cancelled_at created_at test source_name email phone note tags'),
	...sameFields('payment_gateway_names'),
	id,
	order_number: { name: 'number' },
	note_attributes: listOf('customAttributes', attributeFields),
	currency: { name: 'currencyCode' },
	presentment_currency: { name: 'presentmentCurrencyCode' },
	financial_status: { name: 'displayFinancialStatus', read: enumInRest },
	payment_terms: {
		name: 'paymentTerms',
		fields: { payment_schedules: listOf('paymentSchedules', sameFields('due_at completed_at')) },
	},
	total_outstanding: { name: 'totalOutstandingSet', read: shopAmount },
	total_outstanding_set: { name: 'totalOutstandingSet', read: bothAmounts },
	current_total_price: { name: 'currentTotalPriceSet', read: shopAmount },
	current_total_price_set: { name: 'currentTotalPriceSet', read: bothAmounts },
	shipping_address: { name: 'shippingAddress', fields: addressFields },
	billing_address: { name: 'billingAddress', fields: addressFields },
	customer: {
		name: 'customer',
		fields: {
			...sameFields('first_name last_name'),
			email: propertyOf('defaultEmailAddress', 'emailAddress'),
			phone: propertyOf('defaultPhoneNumber', 'phoneNumber'),
		},
	},
	shipping_lines: listOf('shippingLines', sameFields('title code phone')),
	line_items: listOf('lineItems', lineItemFields),
	refunds: listOf('refunds', {
		refund_line_items: listOf('refundLineItems', {
			...sameFields('quantity'),
			line_item_id: lineItemId,
			restock_type: { name: 'restockType', read: enumInRest },
		}),
	}),
	fulfillments: listOf('fulfillments', {
		status: { name: 'status', read: enumInRest },
		line_items: listOf('fulfillmentLineItems', { ...sameFields('quantity'), id: lineItemId }),
	}),
};

/** The fields of a fulfillment order. */
export const graphqlFulfillmentOrderFields: GraphqlFields = {
	...sameFields('fulfill_at'),
	id,
	order_id: { name: 'orderId', read: gidNumber },
	status: { name: 'status', read: enumInRest },
	request_status: { name: 'requestStatus', read: enumInRest },
	fulfillment_holds: listOf('fulfillmentHolds', {
		...sameFields('reason_notes'),
		reason: { name: 'reason', read: enumInRest },
	}),
	assigned_location: {
		name: 'assignedLocation',
		fields: {
			...sameFields('name'),
			location_id: idOf('location'),
			is_fulfillment_service: propertyOf('location', 'isFulfillmentService'),
		},
	},
	delivery_method: {
		name: 'deliveryMethod',
		fields: {
			...sameFields('additional_information presented_name service_code'),
			...sameFields('min_delivery_date_time max_delivery_date_time'),
			method_type: { name: 'methodType', read: enumInRest },
		},
	},
	destination: { name: 'destination', fields: sameFields(`${recipientFields} email country_code`) },
	line_items: listOf('lineItems', {
		line_item_id: lineItemId,
		quantity: { name: 'totalQuantity' },
		fulfillable_quantity: { name: 'remainingQuantity' },
	}),
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
			return own === undefined ? [] : [[restName, convertField(own, field)]];
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
