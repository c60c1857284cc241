import { z } from 'zod/v4';

import type { Labels } from '../service/labels';
import { deliveryTypeSchema, packageSizeSchema } from '../service/schemas';
import { isEmailAddress } from '../service/values';
import { deliveryMethods } from './fulfillmentOrder';
import { optionalAmount, required, optionalText } from './readers';

/** The default sizes by weight of one package. */
const defaultLimits: Array<{ upToKg: number; size: string }> = [
	{ upToKg: 1, size: 'xs' },
	{ upToKg: 5, size: 's' },
	{ upToKg: 10, size: 'm' },
	{ upToKg: 20, size: 'l' },
];

/**
 * How to choose the size of a package. The Delivery Service requires one (section 2.5), and Shopify
 * doesn't have it.
 */
const packageSizeRuleSchema = z.discriminatedUnion('by', [
	z.strictObject({ by: z.literal('fixed'), size: packageSizeSchema.default('m') }),
	z.strictObject({
		by: z.literal('weight'),
		/** The smallest limit that the weight of one package fits applies; the order doesn't matter. */
		limits: z
			.array(z.strictObject({ upToKg: required(optionalAmount), size: packageSizeSchema }))
			.prefault(defaultLimits),
		/** For packages that exceed all limits or have an unknown weight. */
		otherwise: packageSizeSchema.default('xl'),
	}),
]);

/** Values that replace the order's own data. */
const overridesSchema = z.strictObject({
	name: optionalText,
	email: optionalText,
	phone: optionalText,
	/** The full address. The order's company, second address line and coordinates then don't apply. */
	address: optionalText,
	instructions: optionalText,
	/** One coordinate is enough to replace both of the order's. */
	lat: optionalText,
	lng: optionalText,
	referenceId: optionalText,
	tags: z.array(required(optionalText)).default([]),
	packageName: optionalText,
});

/** How to map an order to a delivery. Every field has a default; empty text counts as not set. */
export const orderMappingSchema = z.strictObject({
	/** For orders without a valid email, which the Delivery Service requires (section 2.3). */
	fallbackEmail: optionalText.refine((email) => email === undefined || isEmailAddress(email), {
		message: 'is not an email address',
	}),
	addressFormat: z.enum(['components', 'text']).default('components'),
	/** `order`: one package for the order. `unit`: one entry per line, with one package per unit. */
	packagesPer: z.enum(['order', 'unit']).default('order'),
	packageSize: packageSizeRuleSchema.prefault({ by: 'fixed' }),
	referenceIdFrom: z.enum(['name', 'id', 'orderNumber']).default('name'),
	includeTags: z.boolean().default(true),
	includeAdditionalDetails: z.boolean().default(true),
	/** Whether to send the coordinates of the order's address. */
	includeCoordinates: z.boolean().default(true),
	cod: z.enum(['never', 'cashOnDeliveryOrders', 'unpaid']).default('cashOnDeliveryOrders'),
	/** The shop's own names for cash on delivery, in addition to the known ones. */
	cashOnDeliveryMethods: z.array(required(optionalText)).default([]),
	/** The shop's own names that are not cash on delivery, although they look like it. */
	cashOnDeliveryExceptions: z.array(required(optionalText)).default([]),
	/** Whether to send orders whose payment was voided or fully refunded. */
	includeRefundedOrders: z.boolean().default(false),
	includeTestOrders: z.boolean().default(false),
	/** Whether to send only fully paid orders. */
	onlyPaidOrders: z.boolean().default(false),
	/** The delivery methods of fulfillment orders to send. */
	deliveryMethods: z.array(z.enum(deliveryMethods)).default(['shipping', 'local']),
	/** The delivery type of orders with this shipping method, in place of the run's. */
	deliveryTypes: z
		.array(z.strictObject({ method: required(optionalText), type: deliveryTypeSchema }))
		.default([]),
	overrides: overridesSchema.prefault({}),
});

export type OrderMapping = z.output<typeof orderMappingSchema>;
export type PackageSizeRule = OrderMapping['packageSize'];

/** The names of the options in messages; they match the labels in the editor. */
export const orderMappingLabels: Labels<OrderMapping> = {
	fallbackEmail: 'fallback email',
	addressFormat: 'delivery address format',
	packagesPer: 'packages',
	packageSize: 'package',
	by: 'size type',
	size: 'size',
	limits: 'size by weight',
	upToKg: 'max weight in kilograms',
	// The fields of Decimal, which users never enter.
	units: '',
	scale: '',
	otherwise: 'size otherwise',
	referenceIdFrom: 'reference ID from',
	includeTags: 'include tags',
	includeAdditionalDetails: 'include additional details',
	includeCoordinates: 'include coordinates',
	cod: 'cash on delivery',
	cashOnDeliveryMethods: 'cash on delivery method',
	cashOnDeliveryExceptions: 'cash on delivery exception',
	includeRefundedOrders: 'include refunded orders',
	includeTestOrders: 'include test orders',
	onlyPaidOrders: 'only paid orders',
	deliveryMethods: 'delivery method',
	deliveryTypes: 'delivery type by shipping method',
	method: 'shipping method',
	type: 'delivery type',
	overrides: '',
	name: 'recipient name',
	email: 'recipient email',
	phone: 'recipient phone',
	address: 'delivery address',
	instructions: 'delivery instructions',
	lat: 'delivery latitude',
	lng: 'delivery longitude',
	referenceId: 'reference ID',
	tags: 'tag',
	packageName: 'package name',
};
