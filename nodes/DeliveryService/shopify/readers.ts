import { z } from 'zod';

import { valueAt } from '../service/labels';
import { leftToZod, quickParse, QuickType } from '../service/quick';
import { parseDecimal, sign, toNumber } from './decimal';

/*
 * How single values are read. Shopify writes decimals as text, and expressions turn numbers into
 * text and back, so either is taken. Null, empty and blank text count as not given.
 */

/**
 * A schema for one value, or none. It is a class, and not a chain of zod's own transforms, since an
 * order has about a hundred such values and those take three times as long.
 */
class Reader<Output> extends QuickType<Output | undefined> {
	/**
	 * @param expected what the value should be, for the message
	 * @param read gives what the value means, or undefined for one that is not as expected
	 * @param isLenient whether the latter counts as not given
	 */
	constructor(
		readonly expected: string,
		readonly read: (value: string | number) => Output | undefined,
		private readonly isLenient = false,
	) {
		super({});
	}

	/** What zod calls for each value. */
	override _parse(input: z.ParseInput): z.SyncParseReturnType<Output | undefined> {
		const read = this.readAny(input.data);
		if (read) return z.OK(read.value);
		const message = `should be ${this.expected}`;
		z.addIssueToContext(this._getOrReturnCtx(input), { code: 'custom', message });
		return z.INVALID;
	}

	override quick(value: unknown): unknown {
		const read = this.readAny(value);
		return read ? read.value : leftToZod;
	}

	/** What a value of any kind means; undefined when it is refused. */
	private readAny(value: unknown): { value: Output | undefined } | undefined {
		if (isMissing(value)) return { value: undefined };
		const output =
			typeof value === 'string' || typeof value === 'number' ? this.read(value) : undefined;
		return output !== undefined || this.isLenient ? { value: output } : undefined;
	}
}

/** A reader for which a value that is not as expected counts as not given. */
export function ifReadable<Output>({ expected, read }: Reader<Output>): Reader<Output> {
	return new Reader(expected, read, true);
}

/** Whether a value counts as not given. */
export function isMissing(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}

/** A reader that refuses a value that is not given. */
export function required<Output>(schema: Reader<Output>) {
	return schema.transform((value, context) => {
		if (value !== undefined) return value;
		context.addIssue({ code: 'custom', message: 'is missing' });
		return z.NEVER;
	});
}

function readWholeNumber(value: string | number): number | undefined {
	const decimal = parseDecimal(value);
	const number = decimal && toNumber(decimal);
	return Number.isSafeInteger(number) ? number : undefined;
}

/** Text, trimmed; a number becomes its text. */
export const text = new Reader('text', (value) => String(value).trim());

/** An exact decimal number. */
export const decimal = new Reader('a number', parseDecimal);

/** An exact decimal number of 0 or more. */
export const amount = new Reader('a number of 0 or more', (value) => {
	const parsed = parseDecimal(value);
	return parsed && sign(parsed) >= 0 ? parsed : undefined;
});

/** A whole number. */
export const wholeNumber = new Reader('a whole number', readWholeNumber);

/** A whole number of 0 or more. */
export const count = new Reader('a whole number of 0 or more', (value) => {
	const number = readWholeNumber(value);
	return number !== undefined && number >= 0 ? number : undefined;
});

/**
 * The discount on a line of an order, without a value when it can't be read: that is something else
 * than no discount.
 */
export const discount = z.unknown().transform((value) => {
	if (isMissing(value)) return undefined;
	return { amount: quickParse(amount, value).data };
});

/** Tags, from a list or from text with commas; what is no text is left out. */
export const tags = z.unknown().transform((value) => {
	const entries: unknown[] =
		typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
	return entries.flatMap((entry) => quickParse(text, entry).data ?? []);
});

/** Additional details as a shop's apps and themes write them: names and values, as text. */
export const noteAttributes = z.unknown().transform((value) => {
	const entries: unknown[] = Array.isArray(value) ? value : [];
	return entries.flatMap((entry) => {
		const name = quickParse(text, valueAt(entry, ['name'])).data;
		const written = asText(valueAt(entry, ['value']));
		return name && written ? [{ name, value: written }] : [];
	});
});

/** A value of any kind as a person would write it, or undefined when it says nothing. */
function asText(value: unknown): string | undefined {
	if (typeof value === 'boolean') return String(value);
	if (typeof value !== 'object' || value === null) return quickParse(text, value).data;
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
export const flag = z.boolean(words('true or false')).nullish();

/** An object with these members; others are ignored. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
	return z.object(shape, words('an object'));
}

/** A list; empty when it is not given. */
export function list<Item extends z.ZodTypeAny>(item: Item) {
	return z
		.array(item, words('a list'))
		.nullish()
		.transform((items) => items ?? []);
}

function words(expected: string) {
	return { invalid_type_error: `should be ${expected}`, required_error: 'is missing' };
}
