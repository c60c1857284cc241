/** Fulfillment orders: the fields that are used, and the places that they ship from and to. */
import { z } from 'zod/v4';

import { addressSchema, type Address } from './addressSchema';
import {
	expectedError,
	flag,
	ifReadable,
	list,
	object,
	optionalCode,
	optionalCount,
	optionalLines,
	optionalPhone,
	optionalText,
	optionalWholeNumber,
	required,
	toCode,
} from './fieldSchemas';

/** Shopify's delivery methods. */
export const deliveryMethods = [
	'shipping',
	'local',
	'pick_up',
	'pickup_point',
	'retail',
	'none',
] as const;

export type DeliveryMethod = (typeof deliveryMethods)[number];

/** The names of the delivery methods in the editor and in messages. */
export const deliveryMethodNames: Readonly<Record<DeliveryMethod, string>> = {
	shipping: 'Shipping',
	local: 'Local Delivery',
	pick_up: 'Store Pickup',
	pickup_point: 'Pickup Point',
	retail: 'Retail',
	none: 'None',
};

const statuses = [
	'open',
	'in_progress',
	'on_hold',
	'scheduled',
	'closed',
	'cancelled',
	'incomplete',
] as const;

/** A value of a fixed list. An unknown one may be new, and what it means for a delivery isn't known. */
function oneOf<Values extends readonly [string, ...string[]]>(values: Values) {
	const rule = z.enum(values, expectedError(`one of ${values.join(', ')}`));
	return z.preprocess((value) => (typeof value === 'string' ? toCode(value) : value), rule);
}

/** Where it ships from. */
export const assignedLocation = object({
	location_id: ifReadable(optionalText),
	name: ifReadable(optionalText),
	/** Only in GraphQL. */
	is_fulfillment_service: flag.catch(undefined),
})
	.nullish()
	.catch(undefined);

/** The used fields of a fulfillment order: the part of an order that one location ships in one way. */
export const fulfillmentOrderSchema = object({
	id: required(optionalText),
	order_id: ifReadable(optionalText),
	status: oneOf(statuses),
	/** Whether a fulfillment service was asked to ship it. */
	request_status: ifReadable(optionalCode),
	/** When a scheduled one can be fulfilled. */
	fulfill_at: ifReadable(optionalText),
	fulfillment_holds: list(
		object({ reason: ifReadable(optionalCode), reason_notes: ifReadable(optionalText) }),
	).catch([]),
	assigned_location_id: ifReadable(optionalText),
	assigned_location: assignedLocation,
	/** Null for orders from some sales channels. */
	delivery_method: object({
		method_type: oneOf(deliveryMethods),
		/** The shipping method that the customer chose for it. */
		presented_name: ifReadable(optionalText),
		service_code: ifReadable(optionalText),
		/** When it is to be delivered, e.g. the chosen time of a local delivery. */
		min_delivery_date_time: ifReadable(optionalText),
		max_delivery_date_time: ifReadable(optionalText),
		/** What the customer entered at checkout for a local delivery. */
		additional_information: object({
			instructions: ifReadable(optionalLines),
			phone: optionalPhone,
		})
			.nullish()
			.catch(undefined),
	}).nullable(),
	/** Where it is delivered; null if it is picked up. */
	destination: addressSchema,
	line_items: z.array(
		object({
			line_item_id: required(optionalText),
			/** The units that were assigned to it; a GraphQL query may leave them out. */
			quantity: optionalWholeNumber,
			/** The units left to fulfill. */
			fulfillable_quantity: required(optionalCount),
		}),
		expectedError('a list'),
	),
});

/** A parsed fulfillment order. */
export type FulfillmentOrder = z.output<typeof fulfillmentOrderSchema>;

/** The location that Shopify assigned to a fulfillment order. */
export interface ShopifyLocation {
	id?: string;
	name?: string;
}

/** The location that ships a fulfillment order, if known. */
export function locationOf({
	assigned_location: location,
	assigned_location_id: assignedId,
}: FulfillmentOrder): ShopifyLocation | undefined {
	const [id, name] = [location?.location_id ?? assignedId, location?.name];
	return id === undefined && name === undefined ? undefined : { id, name };
}

/**
 * Where a fulfillment order is delivered. Its destination lacks coordinates and may lack the names of
 * state and country, so an equal address of its order completes it.
 *
 * @param orderAddress the order's shipping address, which applies if the destination has no street
 */
export function destinationOf(
	{ destination }: FulfillmentOrder,
	orderAddress: Address | null | undefined,
): Address | null | undefined {
	if (!destination?.address1) return orderAddress;
	if (!orderAddress || !isSamePlace(destination, orderAddress)) return destination;
	const { first_name, last_name } = destination;
	const isNamed = first_name !== undefined || last_name !== undefined;
	const names = isNamed ? { name: undefined, first_name, last_name } : {};
	const given = Object.entries(destination).filter(([, value]) => value !== undefined);
	return { ...orderAddress, ...names, ...Object.fromEntries(given) };
}

function isSamePlace(one: Address, other: Address): boolean {
	return (['address1', 'address2', 'neighborhood', 'city', 'zip'] as const).every(
		(field) => one[field]?.toLowerCase() === other[field]?.toLowerCase(),
	);
}
