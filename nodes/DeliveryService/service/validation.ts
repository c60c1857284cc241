import type { z } from 'zod/v4';

import { valueAt } from '../common/json';
import type { Result } from '../common/result';
import { truncate } from '../common/text';
import { fieldLabel, type Labels } from './labels';

/**
 * Checks a value against a rule of the API document before anything is sent.
 *
 * Fields and list entries that are null or undefined count as missing.
 *
 * @param schema the rule
 * @param value the user's value
 * @param subject the name of the whole value, e.g. `Delivery`
 * @param labels the labels of its fields; `{}` when the schema has no fields
 * @returns the normalized value, or a problem: the first broken rule as its message, the others in
 *   its description
 */
export function validate<Output>(
	schema: z.ZodType<Output>,
	value: unknown,
	subject: string,
	labels: Labels<Output>,
): Result<Output> {
	const present = removeMissing(value);
	const result = schema.safeParse(present);
	if (result.success) return { ok: true, value: result.data };
	const [first, ...others] = result.error.issues
		.flatMap(flattenUnion)
		.map((issue) => describeIssue(issue, present, subject, labels));
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

function removeMissing(value: unknown): unknown {
	if (Array.isArray(value)) return value.filter(isSet).map(removeMissing);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([, field]) => isSet(field))
			.map(([name, field]) => [name, removeMissing(field)]),
	);
}

function isSet(value: unknown): boolean {
	return value !== null && value !== undefined;
}

/** The issues of a union's option that fits the value's type best. */
function flattenUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
	if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
	const hasThisType = (issues: readonly z.core.$ZodIssue[]) =>
		issues.every(({ code, path }) => code !== 'invalid_type' || path.length > 0);
	const issues = issue.errors.find(hasThisType) ?? issue.errors[0] ?? [];
	return issues.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** A broken rule as a sentence: the field's label, the value and the rule. */
function describeIssue(
	issue: z.core.$ZodIssue,
	root: unknown,
	subject: string,
	labels: Readonly<Record<string, string>>,
): string {
	const value = valueAt(root, issue.path);
	const label = fieldLabel(issue.path, labels, root) || subject;
	const labelAndValue = `${label} ${quotedValue(value)}`;
	const isMissing = value === undefined;
	switch (issue.code) {
		case 'invalid_type':
			if (isMissing) return `${label} is missing`;
			if (issue.expected === 'array' && typeof value === 'object')
				return `${label} must be a list, not a single object. Put it in square brackets: [ ... ]`;
			return `${labelAndValue} is not ${typeNames[issue.expected] ?? issue.expected}`;
		case 'invalid_value':
			return isMissing
				? `${label} is missing`
				: `${labelAndValue} is not one of ${issue.values.join(', ')}`;
		case 'invalid_format':
			return `${labelAndValue} is not an email address`;
		case 'too_small':
			if (issue.origin === 'array') return `${label}: at least one is required`;
			return issue.origin === 'string'
				? `${label} is empty`
				: `${labelAndValue} is less than ${issue.minimum}`;
		case 'too_big':
			return issue.origin === 'string'
				? `${labelAndValue} is longer than ${issue.maximum} characters`
				: `${labelAndValue} is more than ${issue.maximum}`;
		default:
			return `${label} ${issue.message}`;
	}
}

const typeNames: Readonly<Record<string, string>> = {
	number: 'a number',
	int: 'a whole number',
	string: 'text',
	boolean: 'true or false',
	object: 'an object',
	array: 'a list',
};

/** The value as shown in a message: text quoted and shortened, lists and objects by their type. */
function quotedValue(value: unknown): string {
	if (typeof value === 'string') return `"${truncate(value, 60)}"`;
	if (Array.isArray(value)) return '(a list)';
	return typeof value === 'object' && value !== null ? '(an object)' : String(value);
}
