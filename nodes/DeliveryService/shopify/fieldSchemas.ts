/**
 * How each kind of value in an order is read. Shopify returns decimals as text, and expressions convert numbers to
 * text and back, so both are accepted. Null, empty text and blank text count as missing.
 */
import { z } from 'zod/v4';

import { tryParseJson, valueAt } from '../common/data';
import { isBlank, oneLine, stripInvisible, withPlainDigits } from '../common/text';
import { parseDecimal, sign, toNumber } from './money';
import { isHidden, isPlaceholder } from './placeholders';

/**
 * Creates a schema for an optional text or number.
 *
 * @param expected the expected kind of value, for the message
 * @param parse returns the parsed value, or undefined if it is not as expected
 */
export function optionalScalar<Output>(
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

/** A name or a part of an address; what stands for a missing one counts as missing. */
export function withoutPlaceholder(schema: OptionalScalar<string>) {
	return schema.transform((text) => (text === undefined || isPlaceholder(text) ? undefined : text));
}

/** An email or a phone number; one that the sales channel hides counts as missing, too. */
export const optionalContact = withoutPlaceholder(optionalText)
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
export const optionalDiscount = z.transform((value) =>
	isBlank(value) ? undefined : { amount: optionalAmount.safeParse(value).data },
);

/** A time that begins with the year, as by ISO 8601. */
export const optionalTime = optionalScalar('a time such as 2026-12-24T09:00:00Z', (value) => {
	const text = String(value).trim();
	const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(time) ? undefined : new Date(time).toISOString();
});

/** A list or an object: n8n's Edit Fields node writes it as JSON into a field of the type String. */
export function structure(value: unknown): unknown {
	return typeof value === 'string' && /^\s*[[{]/.test(value)
		? (tryParseJson(value) ?? value)
		: value;
}

/** Tags as a list or comma-separated text; entries that are not text are left out. */
export const tags = z.transform((given) => {
	const value = structure(given);
	const entries: unknown[] =
		typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
	return entries.flatMap((entry) => optionalText.safeParse(entry).data ?? []);
});

/** Additional details as written by apps and themes: names and values as text, without empty ones. */
export const noteAttributes = z.transform((details) => {
	const value = structure(details);
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
	return z.preprocess(structure, z.object(shape, expectedError('an object')));
}

/** A list whose absence differs from an empty one. */
export function listIfGiven<Item extends z.ZodType>(item: Item) {
	return z.preprocess(structure, z.array(item, expectedError('a list')).nullish());
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
