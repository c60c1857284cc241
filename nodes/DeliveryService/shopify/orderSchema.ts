/**
 * The fields of a Shopify order that are used (the REST resource). An optional value that can't be read counts as
 * missing, so that it never blocks an order.
 */
import { addressSchema } from './addressSchema';
import {
	decimal,
	flag,
	ifReadable,
	list,
	listIfGiven,
	noteAttributes,
	object,
	optionalAmount,
	optionalCode,
	optionalContact,
	optionalCount,
	optionalDiscount,
	optionalLines,
	optionalPhone,
	optionalText,
	optionalTime,
	optionalWholeNumber,
	required,
	tags,
	withoutPlaceholder,
} from './fieldSchemas';

const lineItem = object({
	id: optionalText,
	name: ifReadable(optionalText),
	title: ifReadable(optionalText),
	/** What the customer chose for this item, e.g. an engraving. */
	properties: noteAttributes,
	quantity: required(optionalCount),
	/** `quantity` without the refunded and removed units. */
	current_quantity: optionalWholeNumber,
	/** The units that are not refunded, fulfilled or assigned to a fulfillment service. */
	fulfillable_quantity: optionalWholeNumber,
	fulfillment_status: optionalCode,
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
	first_name: withoutPlaceholder(optionalText),
	last_name: withoutPlaceholder(optionalText),
	email: optionalContact,
	phone: optionalPhone,
});

/** An amount in the shop's currency, and the same in the customer's. */
const amounts = object({
	shop_money: object({ amount: optionalAmount }),
	presentment_money: object({ amount: optionalAmount }),
})
	.nullish()
	.catch(undefined)
	.transform((value) => {
		const shop = value?.shop_money.amount;
		const presentment = value?.presentment_money.amount;
		return shop && presentment && { shop, presentment };
	});

/** Statuses of fulfillments whose units ship again. */
const undone = new Set(['cancelled', 'error', 'failure']);

/** The used fields of an order, as REST names them. */
export const orderSchema = object({
	id: optionalText,
	name: optionalText,
	order_number: optionalText,
	/** On a domain of the shop. */
	order_status_url: ifReadable(optionalText),
	cancelled_at: optionalTime,
	created_at: optionalTime,
	updated_at: ifReadable(optionalText),
	test: flag,
	source_name: ifReadable(optionalText),
	email: optionalContact,
	contact_email: optionalContact,
	phone: optionalPhone,
	note: withoutPlaceholder(optionalLines).catch(undefined),
	note_attributes: noteAttributes,
	tags,
	currency: ifReadable(optionalText),
	/** The currency that the customer owes. */
	presentment_currency: ifReadable(optionalText),
	gateway: optionalText,
	payment_gateway_names: list(optionalText),
	financial_status: optionalCode,
	/** When an order is to be paid that ships before, e.g. in 30 days. */
	payment_terms: object({
		/** E.g. "receipt", "fulfillment" or "net". */
		payment_terms_type: ifReadable(optionalCode),
		payment_terms_name: ifReadable(optionalText),
		/** Only in GraphQL. */
		overdue: flag.catch(undefined),
		payment_schedules: list(
			object({ due_at: ifReadable(optionalText), completed_at: ifReadable(optionalText) }),
		).catch([]),
	})
		.nullish()
		.catch(undefined),
	total_outstanding: decimal,
	/** What is authorized and not captured yet. Only in GraphQL. */
	total_capturable: ifReadable(optionalAmount),
	total_capturable_set: amounts,
	current_total_price: optionalAmount,
	total_price: optionalAmount,
	total_outstanding_set: amounts,
	current_total_price_set: amounts,
	total_price_set: amounts,
	shipping_address: addressSchema,
	/** The shipping methods, or the pickup location, without those that were removed by editing. */
	shipping_lines: list(
		object({
			title: ifReadable(optionalText),
			code: ifReadable(optionalText),
			/** The phone number of a local delivery. */
			phone: optionalPhone,
			is_removed: flag.catch(undefined),
		}),
	)
		.catch([])
		.transform((lines) => lines.filter(({ is_removed }) => is_removed !== true)),
	billing_address: addressSchema.catch(undefined),
	customer: customer.nullish().catch(undefined),
	line_items: list(lineItem),
	returns: list(
		object({
			status: ifReadable(optionalCode),
			return_line_items: list(
				object({ line_item_id: ifReadable(optionalText), quantity: required(optionalCount) }),
			).catch([]),
		}),
	).catch([]),
	/** The state of all returns. Only in GraphQL. */
	return_status: ifReadable(optionalCode),
	refunds: listIfGiven(
		object({
			refund_line_items: list(
				object({
					line_item_id: optionalText,
					quantity: required(optionalCount),
					restock_type: ifReadable(optionalCode),
				}).transform(({ line_item_id: id, ...entry }) => ({ id, ...entry })),
			),
		}),
	),
	fulfillments: listIfGiven(
		object({
			status: ifReadable(optionalCode),
			line_items: list(object({ id: optionalText, quantity: required(optionalCount) })),
		}),
	)
		.catch(undefined)
		.transform((all) => all?.filter(({ status = '' }) => !undone.has(status))),
});
