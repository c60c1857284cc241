import { z } from 'zod/v4';

import {
	decimal,
	flag,
	ifReadable,
	list,
	noteAttributes,
	object,
	optionalAddressLine,
	optionalAmount,
	optionalCount,
	optionalDiscount,
	optionalText,
	optionalWholeNumber,
	required,
	tags,
	wordJoiner,
} from './readers';

/*
 * The subset of a Shopify order that is used (the REST resource, as output by n8n's Shopify nodes).
 * Other fields are ignored. An optional value that can't be read counts as missing, so that it
 * never blocks an order.
 */

/** The parts of an address line, without the commas and spaces between them. */
function splitLine(line = ''): string[] {
	return line.split(wordJoiner).map((part) => part.trim());
}

function joinLine(parts: readonly string[]): string | undefined {
	return parts.filter(Boolean).join(' ').replace(/,$/, '') || undefined;
}

/**
 * Splits the lines of an address in countries with additional address fields: Shopify joins street and
 * number in the first line, and apartment and neighborhood in the second one.
 *
 * @param address is changed: a copy of each address would take longer than the rest
 */
function splitAddressLines<Lines extends { address1?: string; address2?: string }>(address: Lines) {
	const [line2 = '', ...neighborhood] = splitLine(address.address2);
	return Object.assign(address, {
		address1: joinLine(splitLine(address.address1)),
		address2: joinLine([line2]),
		neighborhood: joinLine(neighborhood),
	});
}

/** An address, or undefined or null. */
export const orderAddressSchema = object({
	name: optionalText,
	first_name: optionalText,
	last_name: optionalText,
	company: ifReadable(optionalText),
	phone: ifReadable(optionalText),
	/** Only destinations of fulfillment orders have one. */
	email: ifReadable(optionalText),
	address1: optionalAddressLine,
	address2: ifReadable(optionalAddressLine),
	city: optionalText,
	province: optionalText,
	province_code: optionalText,
	zip: optionalText,
	country: optionalText,
	country_code: optionalText,
	latitude: ifReadable(decimal),
	longitude: ifReadable(decimal),
})
	.transform(splitAddressLines)
	.nullish();

export type Address = NonNullable<z.output<typeof orderAddressSchema>>;

const lineItem = object({
	id: optionalText,
	name: ifReadable(optionalText),
	title: ifReadable(optionalText),
	sku: ifReadable(optionalText),
	/** What the customer chose for this item, e.g. an engraving. */
	properties: noteAttributes,
	quantity: required(optionalCount),
	/** `quantity` without the refunded and removed units. */
	current_quantity: optionalWholeNumber,
	/** The units that are not refunded, fulfilled or assigned to a fulfillment service. */
	fulfillable_quantity: optionalWholeNumber,
	fulfillment_status: optionalText,
	requires_shipping: flag,
	gift_card: flag,
	/** The handle of the fulfillment service that ships it, or "manual". */
	fulfillment_service: ifReadable(optionalText),
	/** The weight of one unit. */
	grams: ifReadable(optionalAmount),
	/** The price of one unit before discounts. */
	price: ifReadable(optionalAmount),
	/** The line's own discounts and its shares of order discounts. */
	discount_allocations: list(object({ amount: ifReadable(optionalAmount) })).catch([
		{ amount: undefined },
	]),
	/** The line's discount if there are no allocations, as in orders created through the API. */
	total_discount: optionalDiscount,
});

const customer = object({
	first_name: optionalText,
	last_name: optionalText,
	email: ifReadable(optionalText),
	phone: optionalText,
});

/** An amount in the shop's currency, and the same in the customer's. */
const amounts = z
	.object({
		shop_money: z.object({ amount: optionalAmount }),
		presentment_money: z.object({ amount: optionalAmount }),
	})
	.nullish()
	.catch(undefined)
	.transform((value) => {
		const shop = value?.shop_money.amount;
		const presentment = value?.presentment_money.amount;
		return shop && presentment && { shop, presentment };
	});

/** A list whose absence differs from an empty one. */
function listIfGiven<Item extends z.ZodType>(item: Item) {
	return z.array(item, { error: 'should be a list' }).nullish();
}

/** The schema of an order; see above. */
export const orderSchema = object({
	id: optionalText,
	name: optionalText,
	order_number: optionalText,
	cancelled_at: optionalText,
	created_at: ifReadable(optionalText),
	test: flag,
	source_name: ifReadable(optionalText),
	email: ifReadable(optionalText),
	contact_email: ifReadable(optionalText),
	phone: ifReadable(optionalText),
	note: ifReadable(optionalText),
	note_attributes: noteAttributes,
	tags,
	currency: ifReadable(optionalText),
	/** The currency that the customer owes. */
	presentment_currency: ifReadable(optionalText),
	gateway: optionalText,
	payment_gateway_names: list(optionalText),
	financial_status: optionalText,
	/** When an order is to be paid that ships before, e.g. in 30 days. */
	payment_terms: object({
		payment_schedules: list(
			object({ due_at: ifReadable(optionalText), completed_at: ifReadable(optionalText) }),
		).catch([]),
	})
		.nullish()
		.catch(undefined),
	total_outstanding: decimal,
	current_total_price: optionalAmount,
	total_price: optionalAmount,
	total_outstanding_set: amounts,
	current_total_price_set: amounts,
	total_price_set: amounts,
	shipping_address: orderAddressSchema,
	/** The shipping methods, or the pickup location, without those that were removed by editing. */
	shipping_lines: list(
		object({
			title: ifReadable(optionalText),
			code: ifReadable(optionalText),
			/** The phone number of a local delivery. */
			phone: ifReadable(optionalText),
			is_removed: flag.catch(undefined),
		}),
	)
		.catch([])
		.transform((lines) => lines.filter(({ is_removed }) => is_removed !== true)),
	billing_address: orderAddressSchema.catch(undefined),
	customer: customer.nullish().catch(undefined),
	line_items: list(lineItem),
	refunds: listIfGiven(
		object({
			refund_line_items: list(
				object({
					line_item_id: optionalText,
					quantity: required(optionalCount),
					restock_type: ifReadable(optionalText),
				}).transform(({ line_item_id: id, ...entry }) => ({ id, ...entry })),
			),
		}),
	),
	fulfillments: listIfGiven(
		object({
			status: ifReadable(optionalText),
			line_items: list(object({ id: optionalText, quantity: required(optionalCount) })),
		}),
	).catch(undefined),
});
