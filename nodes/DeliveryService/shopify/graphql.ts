/**
 * Orders of Shopify's GraphQL Admin API, converted to the REST resource, so that one mapper reads both.
 * The query in examples/queries.md names its fields as REST does; this file knows what still differs:
 * connections, IDs, amounts, and texts that are objects. REST leaves out a field for a
 * reason, a query by mistake: the fields that decide about money, or whether an order is sent, are
 * required.
 */
import { z } from 'zod/v4';

import { valueAt } from '../common/data';
import { failure, type Result } from '../common/result';
import { parseDecimal, scale, toText, whole } from './money';

const gidPattern = /^gid:\/\/shopify\/(\w+)\/(\d+)/;

/** The type in a global ID, e.g. "Order", or undefined for another value. */
export function gidType(value: unknown): string | undefined {
	return typeof value === 'string' ? gidPattern.exec(value)?.[1] : undefined;
}

/** The number at the end of a global ID, which is the ID in REST; any other value unchanged. */
export function gidNumber(value: unknown): unknown {
	return typeof value === 'string' ? (gidPattern.exec(value)?.[2] ?? value) : value;
}

/** Whether an order or a fulfillment order is from the GraphQL API. */
export function isGraphql(resource: unknown): boolean {
	const lines = valueAt(resource, ['line_items']);
	if (Array.isArray(lines)) return false;
	return (
		gidType(valueAt(resource, ['id'])) !== undefined || valueAt(lines, ['nodes']) !== undefined
	);
}

/** The only field of an object; any other value unchanged. */
function onlyField(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	const fields: unknown[] = Object.values(value);
	return fields.length === 1 ? fields[0] : value;
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

/** Any value, if only null. */
const given = z.custom<unknown>((value) => value !== undefined);

const id = given.transform(gidNumber);

/** An ID in an object of its own, e.g. `line_item_id: lineItem { id }`. */
const idInObject = given.transform((value) => gidNumber(onlyField(value)));

/** A value in an object of its own, e.g. `email: defaultEmailAddress { emailAddress }`. */
const inObject = z.unknown().transform(onlyField).optional();

const wholeList = z.looseObject({ hasNextPage: z.literal(false) });

/** A list that the query returned completely. */
function connection(item: z.ZodType) {
	return z
		.looseObject({ nodes: z.array(item), pageInfo: wholeList })
		.transform(({ nodes }) => nodes);
}

const amounts = z.looseObject({ shop_money: z.looseObject({ amount: given }) }).nullable();

/** An object that has the amounts of `price_set`, for example, also as `price`, as REST has them. */
function withAmounts(shape: z.core.$ZodLooseShape) {
	return z.looseObject(shape).transform((fields) => {
		const sets = Object.entries(fields).filter(([name]) => name.endsWith('_set'));
		const shopAmounts = sets.map(([name, set]): [string, unknown] => [
			name.replace('_set', ''),
			valueAt(set, ['shop_money', 'amount']),
		]);
		return { ...fields, ...Object.fromEntries(shopAmounts) };
	});
}

function required(names: string): Record<string, z.ZodType> {
	return Object.fromEntries(names.split(' ').map((name) => [name, given]));
}

const lineItem = withAmounts({
	...required('quantity current_quantity fulfillable_quantity requires_shipping gift_card'),
	...required('properties'),
	id,
	price_set: amounts,
	discount_allocations: z.array(withAmounts({ amount_set: amounts })),
	grams: z.unknown().transform(variantGrams).optional(),
});

/** In an order on hold, GraphQL has the units that are not fulfilled, REST only those that can be: none. */
const heldLines = z.array(
	z.looseObject({}).transform((line) => ({ ...line, fulfillable_quantity: 0 })),
);

/** An order of GraphQL as the REST resource. */
const order = withAmounts({
	...required('cancelled_at created_at test source_name note_attributes tags'),
	...required('currency presentment_currency payment_gateway_names shipping_address'),
	...required('financial_status return_status'),
	id,
	payment_terms: z
		.looseObject({
			...required('payment_terms_type payment_terms_name overdue'),
			payment_schedules: connection(z.looseObject(required('due_at completed_at'))),
		})
		.nullable(),
	total_outstanding_set: amounts,
	total_capturable_set: amounts,
	current_total_price_set: amounts,
	customer: z.looseObject({ email: inObject, phone: inObject }).nullish().catch(undefined),
	shipping_lines: connection(z.looseObject(required('title code'))),
	line_items: connection(lineItem),
	refunds: z.array(
		z.looseObject({
			refund_line_items: connection(
				z.looseObject({
					...required('quantity restock_type'),
					line_item_id: idInObject,
				}),
			),
		}),
	),
	fulfillments: z.array(
		z.looseObject({
			...required('status'),
			line_items: connection(z.looseObject({ ...required('quantity'), id: idInObject })),
		}),
	),
	/** Remains in the order when its fulfillment orders are split out. */
	fulfillmentOrders: z.looseObject({ pageInfo: wholeList }).optional(),
}).transform((fields) =>
	fields.fulfillment_status === 'ON_HOLD'
		? { ...fields, line_items: heldLines.parse(fields.line_items) }
		: fields,
);

/** A fulfillment order of GraphQL as the REST resource. */
const fulfillmentOrder = z.looseObject({
	...required('destination status request_status'),
	id,
	order_id: id,
	assigned_location: z
		.looseObject({
			location_id: idInObject.optional(),
			is_fulfillment_service: inObject,
		})
		.nullish(),
	delivery_method: z.looseObject(required('method_type')).nullable(),
	line_items: connection(
		z.looseObject({ ...required('quantity fulfillable_quantity'), line_item_id: idInObject }),
	),
});

/** What a query left out, named as in an expression, but without indexes. */
export type QueryProblem =
	| { code: 'missingInQuery'; fields: string[] }
	/** The query returned only some of these lists. */
	| { code: 'incompleteLists'; lists: string[] };

const schemas = { order, fulfillmentOrder } as const;

/** A resource of the GraphQL API as the REST resource, or what the query left out. */
export function toRest(
	value: unknown,
	resource: keyof typeof schemas,
): Result<unknown, QueryProblem[]> {
	const parsed = schemas[resource].safeParse(value);
	if (parsed.success) return { ok: true, value: parsed.data };
	const paths = parsed.error.issues.map(({ path }) => path);
	const isPage = (path: PropertyKey[]) => valueAt(value, path) === true;
	const start = resource === 'order' ? [] : ['fulfillmentOrders'];
	const names = (some: PropertyKey[][]) =>
		Array.from(new Set(some.map((path) => fieldName([...start, ...path]))));
	const fields = names(paths.filter((path) => !isPage(path)));
	const lists = names(paths.filter(isPage).map((path) => path.slice(0, -2)));
	const problems: QueryProblem[] = [];
	if (fields.length > 0) problems.push({ code: 'missingInQuery', fields });
	if (lists.length > 0) problems.push({ code: 'incompleteLists', lists });
	return failure(problems);
}

/** A path as the query names it, without indexes: "line_items.quantity". */
function fieldName(path: readonly PropertyKey[]): string {
	const steps = path.filter((step) => typeof step === 'string');
	return steps.filter((step, index) => step !== 'nodes' || index === steps.length - 1).join('.');
}
