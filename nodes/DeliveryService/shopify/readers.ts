import { z } from 'zod/v4';

import { valueAt } from '../common/json';
import { isBlank } from '../common/text';
import { parseDecimal, sign, toNumber } from './decimal';

/*
 * Schemas for single values of an order. Shopify writes decimals as text, and expressions turn
 * numbers into text and back, so both are accepted. Null, empty and blank text count as missing.
 */

/**
 * A schema for text or a number, or nothing.
 *
 * @param expected what the value should be, for the message
 * @param read returns what the value means, or undefined when it is not as expected
 */
function reader<Output>(expected: string, read: (value: string | number) => Output | undefined) {
	return z
		.transform((value, { issues }) => {
			if (isBlank(value)) return undefined;
			const isScalar = typeof value === 'string' || typeof value === 'number';
			const output = isScalar ? read(value) : undefined;
			if (output === undefined)
				issues.push({ code: 'custom', message: `should be ${expected}`, input: value });
			return output;
		})
		.optional();
}

type Reader<Output> = ReturnType<typeof reader<Output>>;

/** A value that counts as missing when it is not as expected. */
export function ifReadable<Output>(schema: Reader<Output>) {
	return schema.catch(undefined);
}

/** A value that must not be missing. */
export function required<Output>(schema: Reader<Output>) {
	return schema.transform((value, { issues }) => {
		if (value !== undefined) return value;
		issues.push({ code: 'custom', message: 'is missing', input: value });
		return z.NEVER;
	});
}

function readWholeNumber(value: string | number): number | undefined {
	const optionalDecimal = parseDecimal(value);
	const number = optionalDecimal && toNumber(optionalDecimal);
	return Number.isSafeInteger(number) ? number : undefined;
}

/** Text, trimmed; a number becomes its text. */
export const optionalText = reader('text', (value) => String(value).trim());

/** An exact decimal number. */
export const decimal = reader('a number', parseDecimal);

/** An exact decimal number of 0 or more. */
export const optionalAmount = reader('a number of 0 or more', (value) => {
	const parsed = parseDecimal(value);
	return parsed && sign(parsed) >= 0 ? parsed : undefined;
});

/** A whole number. */
export const optionalWholeNumber = reader('a whole number', readWholeNumber);

/** A whole number of 0 or more. */
export const optionalCount = reader('a whole number of 0 or more', (value) => {
	const number = readWholeNumber(value);
	return number !== undefined && number >= 0 ? number : undefined;
});

/** The discount on a line. Without `amount` it can't be read, which is not the same as none. */
export const optionalDiscount = z.transform((value) =>
	isBlank(value) ? undefined : { amount: optionalAmount.safeParse(value).data },
);

/** Tags, from a list or from comma-separated text; entries that are not text are left out. */
export const tags = z.transform((value) => {
	const entries: unknown[] =
		typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
	return entries.flatMap((entry) => optionalText.safeParse(entry).data ?? []);
});

/** Additional details as a shop's apps and themes write them: names and values, as text. */
export const noteAttributes = z.transform((value) => {
	const entries: unknown[] = Array.isArray(value) ? value : [];
	return entries.flatMap((entry) => {
		const name = optionalText.safeParse(valueAt(entry, ['name'])).data;
		const written = asText(valueAt(entry, ['value']));
		return name && written ? [{ name, value: written }] : [];
	});
});

/** A value of any kind as a person would write it, or undefined when it says nothing. */
function asText(value: unknown): string | undefined {
	if (typeof value === 'boolean') return String(value);
	if (typeof value !== 'object' || value === null) return optionalText.safeParse(value).data;
	const parts: unknown[] = Array.isArray(value) ? value : [value];
	const texts = parts.flatMap((part) =>
		typeof part === 'object' ? (jsonOf(part) ?? []) : (asText(part) ?? []),
	);
	return texts.join(', ') || undefined;
}

function jsonOf(value: unknown): string | undefined {
	try {
		const json: unknown = JSON.stringify(value);
		return typeof json === 'string' && !['null', '{}', '[]'].includes(json) ? json : undefined;
	} catch {
		return undefined;
	}
}

/** True or false. */
export const flag = z.boolean(expectedError('true or false')).nullish();

/** An object with these fields; others are ignored. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
	return z.object(shape, expectedError('an object'));
}

/** A list; empty when it is missing. */
export function list<Item extends z.ZodType>(item: Item) {
	return z
		.array(item, expectedError('a list'))
		.nullish()
		.transform((items) => items ?? []);
}

/** The messages of a schema. Blank values are told apart from wrong ones. */
function expectedError(expected: string) {
	return {
		error: ({ input }: { input?: unknown }) =>
			input === undefined ? 'is missing' : `should be ${expected}`,
	};
}
