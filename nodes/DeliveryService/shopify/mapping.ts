/** The user's settings for orders: which are sent, and how they become deliveries. */
import { z } from 'zod/v4';

import { deliveryTypeSchema, packageSizeSchema } from '../service/schemas';
import { isEmailAddress } from '../service/values';
import {
	optionalAmount,
	optionalCount,
	optionalLines,
	optionalText,
	required,
} from './fieldSchemas';
import { deliveryMethods } from './fulfillmentOrder';

const names = z.array(required(optionalText));

const filtersSchema = z.strictObject({
	/** `paidOrCash`: paid orders, and those that the driver collects cash for. */
	payment: z.enum(['paidOrCash', 'paid', 'any']).default('paidOrCash'),
	/** If there are any, only these. */
	shippingMethods: names.default([]),
	/** Without a list, the usual names of store pickup. */
	excludeShippingMethods: names.optional(),
	/** If there are any, only orders with one of these. */
	tags: names.default([]),
	excludeTags: names.default([]),
	/** The delivery methods of fulfillment orders to send. */
	deliveryMethods: z.array(z.enum(deliveryMethods)).default(['shipping', 'local']),
	/** Whether to send items that a fulfillment service ships. */
	includeFulfillmentServices: z.boolean().default(false),
	includeTestOrders: z.boolean().default(false),
	skipUntilDeliveryDate: z.boolean().default(false),
	/** Without a list, those of the usual apps. */
	deliveryDateAttributes: names.optional(),
	deliveryDateFormat: z.enum(['automatic', 'dayFirst', 'monthFirst']).default('automatic'),
	/** How many days before the delivery date an order is sent. */
	sendDaysAhead: required(optionalCount).default(1),
});

type Filters = z.output<typeof filtersSchema>;

const noFilters: Filters = {
	...filtersSchema.parse({ payment: 'any', excludeShippingMethods: [], includeTestOrders: true }),
	deliveryMethods: [...deliveryMethods],
	includeFulfillmentServices: true,
};

/** The filters of an order that is sent or updated whatever they say. How dates are found stays. */
export function openFilters({ deliveryDateAttributes, deliveryDateFormat }: Filters): Filters {
	return { ...noFilters, deliveryDateAttributes, deliveryDateFormat };
}

/** Values that replace the order's own data. */
const overridesSchema = z.strictObject({
	instructions: optionalLines,
	referenceId: optionalText,
	/** Whether there is to be one: in place of an empty one, another would send the order again later. */
	hasReference: z.boolean().default(false),
	tags: z.array(required(optionalText)).default([]),
	packageName: optionalText,
});

/** How to map an order to a delivery. Every field has a default; empty text counts as not set. */
export const orderMappingSchema = z.strictObject({
	/** When the run takes place, in milliseconds since 1970, and the time zone in which its days are. */
	time: z.strictObject({ now: z.number(), timeZone: z.string() }),
	/**
	 * For orders without a valid email, which the Delivery Service requires (docs/api.md, section 2.3).
	 */
	fallbackEmail: optionalText.refine((email) => email === undefined || isEmailAddress(email), {
		message: 'is not an email address',
	}),
	addressFormat: z.enum(['components', 'text']).default('components'),
	/** `order`: one package for the order. `unit`: one entry per line, with one package per unit. */
	packagesPer: z.enum(['order', 'unit']).default('order'),
	packageSize: packageSizeSchema.default('m'),
	/** The smallest limit that the weight of one package fits; without limits, the size above. */
	packageSizeByWeight: z
		.array(z.strictObject({ upToKg: required(optionalAmount), size: packageSizeSchema }))
		.default([]),
	referenceIdFrom: z.enum(['name', 'id', 'orderNumber']).default('name'),
	includeTags: z.boolean().default(true),
	includeAdditionalDetails: z.boolean().default(true),
	/** Whether to send the coordinates of the order's address. */
	includeCoordinates: z.boolean().default(true),
	cod: z.enum(['never', 'cashOnDeliveryOrders', 'unpaid']).default('cashOnDeliveryOrders'),
	/** The shop's own names for cash on delivery, in addition to the known ones. */
	cashOnDeliveryMethods: z.array(required(optionalText)).default([]),
	filters: filtersSchema.prefault({}),
	/** Whether a person decided to send it, whatever the filters, its payment and its holds say. */
	sendAnyway: z.boolean().default(false),
	/** The delivery type of orders with this shipping method, in place of the run's. */
	deliveryTypes: z
		.array(z.strictObject({ method: required(optionalText), type: deliveryTypeSchema }))
		.default([]),
	overrides: overridesSchema.prefault({}),
});

export type OrderMapping = z.output<typeof orderMappingSchema>;
