import { z } from 'zod/v4';

import type { Labels } from '../service/labels';
import { packageSizeSchema } from '../service/schemas';
import { isEmailAddress } from '../service/values';
import { optionalAmount, required, optionalText } from './readers';

/** Sizes by the weight of one package, for a user who edits nothing. */
const defaultLimits: Array<{ upToKg: number; size: string }> = [
	{ upToKg: 1, size: 'xs' },
	{ upToKg: 5, size: 's' },
	{ upToKg: 10, size: 'm' },
	{ upToKg: 20, size: 'l' },
];

/** How a package gets its size, which Shopify does not know and the service requires (2.5). */
const packageSizeRuleSchema = z.discriminatedUnion('by', [
	z.strictObject({ by: z.literal('fixed'), size: packageSizeSchema.default('m') }),
	z.strictObject({
		by: z.literal('weight'),
		/** The smallest limit that holds the weight of one package decides, in any order. */
		limits: z
			.array(z.strictObject({ upToKg: required(optionalAmount), size: packageSizeSchema }))
			.prefault(defaultLimits),
		/** For packages above all limits and those whose weight is not known. */
		otherwise: packageSizeSchema.default('xl'),
	}),
]);

/** What wins over the order's own data. */
export const overridesSchema = z.strictObject({
	name: optionalText,
	email: optionalText,
	phone: optionalText,
	/** The full address; the order's coordinates and second address line then don't apply. */
	address: optionalText,
	instructions: optionalText,
	/** Coordinates replace the order's as a pair, even when only one of them is given. */
	lat: optionalText,
	lng: optionalText,
	referenceId: optionalText,
	tags: z.array(required(optionalText)).default([]),
	packageName: optionalText,
});

/**
 * How an order becomes a delivery. Every member has a default; text that is empty counts as not
 * given.
 */
export const orderMappingSchema = z.strictObject({
	/** For orders without an e-mail address, which the service requires (section 2.3). */
	fallbackEmail: optionalText.refine((email) => email === undefined || isEmailAddress(email), {
		message: 'is not an e-mail address',
	}),
	addressFormat: z.enum(['components', 'text']).default('components'),
	/** One package for the whole order, or one entry for each line with a package a unit. */
	packagesPer: z.enum(['order', 'unit']).default('order'),
	packageSize: packageSizeRuleSchema.prefault({ by: 'fixed' }),
	referenceIdFrom: z.enum(['name', 'id', 'orderNumber']).default('name'),
	includeTags: z.boolean().default(true),
	includeAdditionalDetails: z.boolean().default(true),
	cod: z.enum(['never', 'cashOnDeliveryOrders', 'unpaid']).default('cashOnDeliveryOrders'),
	/** What the shop calls cash on delivery, besides the names that are known. */
	cashOnDeliveryMethods: z.array(required(optionalText)).default([]),
	/** Whether orders whose payment was voided or wholly refunded are sent. */
	includeRefundedOrders: z.boolean().default(false),
	includeTestOrders: z.boolean().default(false),
	/** Whether only orders that are paid in full are sent. */
	onlyPaidOrders: z.boolean().default(false),
	overrides: overridesSchema.prefault({}),
});

export type OrderMapping = z.output<typeof orderMappingSchema>;
export type PackageSizeRule = OrderMapping['packageSize'];

/** What messages call the options: the words of their labels in the editor. */
export const orderMappingLabels: Labels<OrderMapping> = {
	fallbackEmail: 'fallback email',
	addressFormat: 'delivery address format',
	packagesPer: 'packages',
	packageSize: 'package',
	by: 'size by',
	size: 'size',
	limits: 'size limit',
	upToKg: 'in kilograms',
	// The parts of a decimal, which no user writes.
	units: '',
	scale: '',
	otherwise: 'size of others',
	referenceIdFrom: 'reference ID from',
	includeTags: 'include tags',
	includeAdditionalDetails: 'include additional details',
	cod: 'cash on delivery',
	cashOnDeliveryMethods: 'cash on delivery method',
	includeRefundedOrders: 'include refunded orders',
	includeTestOrders: 'include test orders',
	onlyPaidOrders: 'only paid orders',
	overrides: '',
	name: 'name',
	email: 'email',
	phone: 'phone',
	address: 'address',
	instructions: 'instructions',
	lat: 'latitude',
	lng: 'longitude',
	referenceId: 'reference ID',
	tags: 'tag',
	packageName: 'package name',
};
