/** The fields of an order that are used, and how each kind of value is read. */
import { z } from 'zod/v4';

import { valueAt } from '../common/data';
import { isBlank, oneLine, stripInvisible, withPlainDigits } from '../common/text';
import { streetAndRest } from './houseNumber';
import { parseDecimal, sign, toNumber } from './money';
import { isHidden, isPlaceholder, withoutMissingPart } from './placeholders';

/** The invisible character between the parts of an address line (Shopify's "worldwide" library). */
const wordJoiner = '\u2060';

/*
 * Schemas for single fields of an order. Shopify returns decimals as text, and expressions convert
 * numbers to text and back, so both are accepted. Null, empty text and blank text count as missing.
 */

/**
 * Creates a schema for an optional text or number.
 *
 * @param expected the expected kind of value, for the message
 * @param parse returns the parsed value, or undefined if it is not as expected
 */
function optionalScalar<Output>(
	expected: string,
	parse: (value: string | number) => Output | undefined,
) {
	return z
		.transform((value, { issues }) => {
			if (isBlank(value)) return undefined;
			const isScalar = typeof value === 'string' || typeof value === 'number';
			const output = isScalar ? parse(value) : undefined;
			if (output === undefined)
				issues.push({ code: 'custom', message: `should be ${expected}`, input: value });
			return output;
		})
		.optional();
}

type OptionalScalar<Output> = ReturnType<typeof optionalScalar<Output>>;

/** Treats an unexpected value as missing. */
export function ifReadable<Output>(schema: OptionalScalar<Output>) {
	return schema.catch(undefined);
}

/** Rejects a missing value. */
export function required<Output>(schema: OptionalScalar<Output>) {
	return schema.transform((value, { issues }) => {
		if (value !== undefined) return value;
		issues.push({ code: 'custom', message: 'is missing', input: value });
		return z.NEVER;
	});
}

function parseWholeNumber(value: string | number): number | undefined {
	const parsed = parseDecimal(value);
	const number = parsed && toNumber(parsed);
	return Number.isSafeInteger(number) ? number : undefined;
}

/** Trimmed text without invisible characters; numbers are converted to text. */
export const optionalLines = optionalScalar('text', (value) =>
	stripInvisible(String(value)).trim(),
);

/** The same in one line, so that messages can quote it. */
export const optionalText = optionalScalar('text', (value) =>
	oneLine(stripInvisible(String(value))),
);

/** A value of a fixed list, as REST writes it: "PARTIALLY_PAID" and "Partially Paid" are "partially_paid". */
export function toCode(text: string): string {
	return oneLine(stripInvisible(text))
		.toLowerCase()
		.replace(/[\s-]+/g, '_');
}

export const optionalCode = optionalScalar('text', (value) => toCode(String(value)));

/** Text that may contain the word joiners with which Shopify separates additional address fields. */
const optionalAddressLine = optionalScalar('text', (value) =>
	String(value)
		.split(wordJoiner)
		.map((part) => oneLine(stripInvisible(part)))
		.join(wordJoiner),
);

/** A name or a part of an address; what stands for a missing one counts as missing. */
function withoutPlaceholder(schema: OptionalScalar<string>) {
	return schema.transform((text) => (text === undefined || isPlaceholder(text) ? undefined : text));
}

/** An email or a phone number; one that the sales channel hides counts as missing, too. */
const optionalContact = withoutPlaceholder(optionalText)
	.transform((text) => (text === undefined || isHidden(text) ? undefined : text))
	.catch(undefined);

/** A phone number in digits that a phone dials; without a number, it counts as missing, and "000-0000000" or "050-XXX-XX12", too. */
export const optionalPhone = optionalContact.transform((text) => {
	const phone = text === undefined ? '' : withPlainDigits(text);
	const lastDigits = phone.replace(/\D/g, '').slice(-7);
	return /[1-9]/.test(lastDigits) && !/xx/i.test(phone) ? phone : undefined;
});

/** An exact decimal number. */
export const decimal = optionalScalar('a number', parseDecimal);

/** An exact decimal number of 0 or more. */
export const optionalAmount = optionalScalar('a number of 0 or more', (value) => {
	const parsed = parseDecimal(value);
	return parsed && sign(parsed) >= 0 ? parsed : undefined;
});

/** A whole number. */
export const optionalWholeNumber = optionalScalar('a whole number', parseWholeNumber);

/** A whole number of 0 or more. */
export const optionalCount = optionalScalar('a whole number of 0 or more', (value) => {
	const number = parseWholeNumber(value);
	return number !== undefined && number >= 0 ? number : undefined;
});

/** The discount of a line. An undefined `amount` means an unreadable discount, not a missing one. */
const optionalDiscount = z.transform((value) =>
	isBlank(value) ? undefined : { amount: optionalAmount.safeParse(value).data },
);

/** Tags as a list or comma-separated text; entries that are not text are left out. */
export const tags = z.transform((value) => {
	const entries: unknown[] =
		typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
	return entries.flatMap((entry) => optionalText.safeParse(entry).data ?? []);
});

/** Additional details as written by apps and themes: names and values as text, without empty ones. */
const noteAttributes = z.transform((value) => {
	const entries: unknown[] = Array.isArray(value) ? value : [];
	return entries.flatMap((entry) => {
		const [given, content] = [valueAt(entry, ['name']), valueAt(entry, ['value'])];
		const name = optionalText.safeParse(given).data;
		const text = typeof content === 'boolean' ? content : optionalLines.safeParse(content).data;
		return name && text !== undefined ? [{ name, value: String(text) }] : [];
	});
});

const flagTexts = new Map<unknown, boolean>([
	['true', true],
	['false', false],
]);

/** True or false; an expression or a spreadsheet returns it as text. */
export const flag = z.preprocess(
	(value) => {
		if (isBlank(value)) return null;
		return typeof value === 'string' ? (flagTexts.get(value.trim().toLowerCase()) ?? value) : value;
	},
	z.boolean(expectedError('true or false')).nullish(),
);

/** An object with these fields; others are ignored. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
	return z.object(shape, expectedError('an object'));
}

/** A list whose absence differs from an empty one. */
function listIfGiven<Item extends z.ZodType>(item: Item) {
	return z.array(item, expectedError('a list')).nullish();
}

/** A list; empty if missing. */
export function list<Item extends z.ZodType>(item: Item) {
	return listIfGiven(item).transform((items) => items ?? []);
}

/** The error messages of a schema; they distinguish missing from unexpected values. */
export function expectedError(expected: string) {
	return {
		error: ({ input }: { input?: unknown }) =>
			input === undefined ? 'is missing' : `should be ${expected}`,
	};
}

/*
 * The fields of a Shopify order that are used (the REST resource). An optional value that can't be read
 * counts as missing, so that it never blocks an order.
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
 * number in the first line, and apartment and neighborhood in the second one. If the customer
 * wrote the lines in another way, the first one becomes the street.
 *
 * @param address is changed: a copy of each address would take longer than the rest
 */
function splitAddressLines<Lines extends { address1?: string; address2?: string; zip?: string }>(
	address: Lines,
) {
	const [apartment = '', ...neighborhood] = splitLine(address.address2);
	const [first, second] = [joinLine(splitLine(address.address1)), joinLine([apartment])];
	const [address1, address2] =
		first && second ? streetAndRest(first, second, address.zip) : [first, second];
	return Object.assign(address, {
		address1,
		address2,
		neighborhood: joinLine(neighborhood),
	});
}

/** An address, or undefined or null. */
export const orderAddressSchema = object({
	name: withoutPlaceholder(optionalText).transform((name) => name && withoutMissingPart(name)),
	first_name: withoutPlaceholder(optionalText),
	last_name: withoutPlaceholder(optionalText),
	company: withoutPlaceholder(optionalText).catch(undefined),
	phone: optionalPhone,
	/** Only destinations of fulfillment orders have one. */
	email: optionalContact,
	address1: withoutPlaceholder(optionalAddressLine),
	address2: withoutPlaceholder(optionalAddressLine).catch(undefined),
	city: withoutPlaceholder(optionalText),
	province: optionalText,
	province_code: optionalText,
	zip: withoutPlaceholder(optionalText),
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

/** Statuses of fulfillments whose units ship again. */
const undone = new Set(['cancelled', 'error', 'failure']);

/** The used fields of an order, as REST names them. */
export const orderSchema = object({
	id: optionalText,
	name: optionalText,
	order_number: optionalText,
	/** On a domain of the shop. */
	order_status_url: ifReadable(optionalText),
	cancelled_at: optionalText,
	created_at: ifReadable(optionalText),
	updated_at: ifReadable(optionalText),
	test: flag,
	source_name: ifReadable(optionalText),
	email: optionalContact,
	contact_email: optionalContact,
	phone: optionalPhone,
	note: ifReadable(optionalLines),
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
	shipping_address: orderAddressSchema,
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
	billing_address: orderAddressSchema.catch(undefined),
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
