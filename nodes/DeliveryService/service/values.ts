/**
 * The types of values in requests. Each accepts the formats of the editor, of JSON and of
 * expressions.
 */
import { z } from 'zod/v4';

import { isBlank, isLongerThan, stripInvisible } from '../common/text';

const numericText = /^[+-]?\d+(\.\d+)?$/;

/** Plain numeric text becomes its number; the rule rejects anything else. */
function numberFromText(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	const trimmed = value.trim();
	return numericText.test(trimmed) ? Number(trimmed) : value;
}

/**
 * A number becomes text, since IDs can be numbers; text is trimmed, also of invisible characters. The last
 * digits of an unsafe integer may be those of another ID, so the rule rejects it.
 */
export function textFromNumber(value: unknown): unknown {
	if (typeof value === 'number' && isExact(value)) return String(value);
	return typeof value === 'string' ? stripInvisible(value).trim() : value;
}

function isExact(value: number): boolean {
	return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

/** Trims text and converts it to lowercase; the rule rejects anything else. */
export function lowerCase(value: unknown): unknown {
	return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/** A number with a rule. An expression may return it as text. */
export const numeric = (rule: z.ZodNumber) => z.preprocess(numberFromText, rule);

export const number = numeric(z.number());

/** A number of 0 or more. */
export const amount = numeric(z.number().min(0));

/** A whole number of 0 or more. */
export const wholeNumber = numeric(z.int().min(0));

/** A whole number of 1 or more. */
export const identifier = numeric(z.int().min(1));

/** True or false. An expression may return it as text. */
export const flag = z.preprocess(
	(value) => (value === 'true' ? true : value === 'false' ? false : value),
	z.boolean(),
);

/** Text that is not empty. */
export const text = z.preprocess(textFromNumber, z.string().min(1));

/** Text or a number as the service and users write it, as text. See `textFromNumber` for unsafe integers. */
export const textOrNumber = z.union([
	z.string().min(1),
	z.number().refine(isExact).transform(String),
]);

/** The same; anything else counts as missing. */
export const readableText = textOrNumber.optional().catch(undefined);

/** Text that may be empty. */
export const possiblyEmptyText = z.preprocess(textFromNumber, z.string());

/** An email address (docs/api.md, section 2.3). */
export const email = z.preprocess(
	textFromNumber,
	z
		.string()
		.min(1)
		.check(({ value, issues }) => {
			if (value !== '' && !isEmailAddress(value))
				issues.push({ code: 'invalid_format', format: 'email', input: value });
		}),
);

/** ASCII letters, digits and the symbols that mail servers accept, separated by dots. */
const localPart = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

const domainLabel = /^[a-z\d]([a-z\d-]*[a-z\d])?$/i;

/**
 * Whether text is an email address of the format email (docs/api.md, section 2.3), which is ASCII. Quoted
 * names and IP addresses are rejected.
 */
export function isEmailAddress(address: string): boolean {
	const [local = '', domain = '', ...others] = address.split('@');
	if (others.length > 0) return false;
	if (local.length > 64 || !localPart.test(local)) return false;
	return isDomain(domain);
}

function isDomain(domain: string): boolean {
	const labels = domain.split('.');
	if (domain.length > 253 || labels.length < 2) return false;
	if (!labels.every((label) => label.length <= 63 && domainLabel.test(label))) return false;
	const topLevel = labels.at(-1) ?? '';
	return topLevel.length > 1 && !/^\d+$/.test(topLevel);
}

/** In degrees (docs/api.md, section 2.4). */
export const latitude = numeric(z.number().min(-90).max(90));

/** In degrees (docs/api.md, section 2.4). */
export const longitude = numeric(z.number().min(-180).max(180));

/** Text with at most `maximum` characters (Unicode code points). */
export function textUpTo(maximum: number) {
	return z.preprocess(
		textFromNumber,
		z
			.string()
			.min(1)
			.check(({ value, issues }) => {
				if (isLongerThan(value, maximum))
					issues.push({
						code: 'too_big',
						origin: 'string',
						maximum,
						inclusive: true,
						input: value,
					});
			}),
	);
}

/** An object that rejects unknown fields; the message lists the known ones. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
	const known = Object.keys(shape);
	return z.strictObject(shape, {
		error: (issue) => {
			if (issue.code !== 'unrecognized_keys') return undefined;
			const unknown = issue.keys.map((key) => `"${key}"`);
			const fields = unknown.length === 1 ? 'an unknown field' : 'unknown fields';
			return `has ${fields} ${unknown.join(', ')}. Known fields: ${known.join(', ')}`;
		},
	});
}

/**
 * A strict object whose optional fields count as missing when they are blank. Fields are optional
 * when `optional()` comes last.
 */
export function strictObjectIgnoringBlanks<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
	const optional = new Set(
		Object.keys(shape).filter((name) => shape[name] instanceof z.ZodOptional),
	);
	return z.preprocess((value) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const fields = Object.entries(value);
		const kept = fields.filter(([name, field]) => !optional.has(name) || !isEmptyValue(field));
		return kept.length === fields.length ? value : Object.fromEntries(kept);
	}, strictObject(shape));
}

/** Whether a value is blank, or a list of only blank entries. */
export function isEmptyValue(value: unknown): boolean {
	return Array.isArray(value) ? value.every(isEmptyValue) : isBlank(value);
}

/** The entries of a list that are not empty. */
export function removeEmptyEntries(value: unknown): unknown {
	return Array.isArray(value) ? value.filter((entry) => !isEmptyValue(entry)) : value;
}
