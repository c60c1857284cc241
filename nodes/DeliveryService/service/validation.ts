import type { z } from 'zod';

import { fieldLabel, valueAt, type Labels } from './labels';
import { quickParse } from './quick';
import type { Result } from './result';
import { shortened } from './text';

/**
 * Checks a value against a rule of the service's document before anything is sent.
 *
 * Members and entries of lists that are null or undefined count as not given.
 *
 * @param schema the rule
 * @param value what the user gave
 * @param subject what the value as a whole is called, e.g. `Delivery`
 * @param labels what its members are called, from whoever owns the schema; `{}` when it has none
 * @returns the checked value, normalised; or the first broken rule as message, with further ones
 *   in the description
 */
export function check<Output>(
	schema: z.ZodType<Output, z.ZodTypeDef, unknown>,
	value: unknown,
	subject: string,
	labels: Labels<Output>,
): Result<Output> {
	const given = withoutMissing(value);
	const result = quickParse(schema, given);
	if (result.success) return { ok: true, value: result.data };
	const [first, ...others] = result.error.issues.map((issue) =>
		brokenRule(issue, given, subject, labels),
	);
	return {
		ok: false,
		problem: {
			message: first ?? `${subject} is not valid`,
			description: [
				...others.map((other) => `Also: ${other}.`),
				'Nothing was sent for this item.',
			].join(' '),
		},
	};
}

function withoutMissing(value: unknown): unknown {
	if (Array.isArray(value)) return value.filter(isGiven).map(withoutMissing);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([, member]) => isGiven(member))
			.map(([name, member]) => [name, withoutMissing(member)]),
	);
}

function isGiven(value: unknown): boolean {
	return value !== null && value !== undefined;
}

/** One broken rule as a sentence: the field by its label, the value, the rule. */
function brokenRule(
	issue: z.ZodIssue,
	root: unknown,
	subject: string,
	labels: Readonly<Record<string, string>>,
): string {
	const value = valueAt(root, issue.path);
	const label = fieldLabel(issue.path, labels, root) || subject;
	const labelAndValue = `${label} ${quoted(value)}`;
	switch (issue.code) {
		case 'invalid_type':
			if (issue.received === 'undefined') return `${label} is missing`;
			if (issue.expected === 'array' && issue.received === 'object')
				return `${label}: a list is needed, not a single object. Put it in square brackets: [ ... ]`;
			return `${labelAndValue} is not ${kindNames[issue.expected] ?? oneOf(issue.expected)}`;
		case 'not_finite':
			return `${labelAndValue} is not a number`;
		case 'invalid_enum_value':
			return `${labelAndValue} is not one of ${issue.options.join(', ')}`;
		case 'invalid_string':
			return `${labelAndValue} is not an e-mail address`;
		case 'too_small':
			if (issue.type === 'number') return `${labelAndValue} is less than ${issue.minimum}`;
			return issue.type === 'array' ? `${label}: at least one is needed` : `${label} is empty`;
		case 'too_big':
			if (issue.type === 'number') return `${labelAndValue} is more than ${issue.maximum}`;
			return `${labelAndValue} is longer than ${issue.maximum} characters`;
		default:
			return `${label} ${issue.message}`;
	}
}

const kindNames: Readonly<Record<string, string>> = {
	number: 'a number',
	integer: 'a whole number',
	string: 'text',
	boolean: 'true or false',
	object: 'an object',
	array: 'a list',
};

/** The values of an enumeration, which zod names as a TypeScript type when no text came. */
function oneOf(expected: string): string {
	return `one of ${expected.replaceAll("'", '').replaceAll(' | ', ', ')}`;
}

/** The value as a person would recognise it: text in quotes and cut short, lists by their kind. */
function quoted(value: unknown): string {
	if (typeof value === 'string') return `"${shortened(value, 60)}"`;
	if (Array.isArray(value)) return '(a list)';
	return typeof value === 'object' && value !== null ? '(an object)' : String(value);
}
