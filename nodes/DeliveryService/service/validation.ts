import type { z } from 'zod/v4';

import { valueAt } from '../common/json';
import type { Result } from '../common/result';
import { truncate } from '../common/text';
import { fieldLabel, type Labels } from './labels';

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
export function validate<Output>(
	schema: z.ZodType<Output>,
	value: unknown,
	subject: string,
	labels: Labels<Output>,
): Result<Output> {
	const given = removeMissing(value);
	const result = schema.safeParse(given);
	if (result.success) return { ok: true, value: result.data };
	const [first, ...others] = result.error.issues
		.flatMap(flattenUnion)
		.map((issue) => ruleSentence(issue, given, subject, labels));
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
			.filter(([, member]) => isSet(member))
			.map(([name, member]) => [name, removeMissing(member)]),
	);
}

function isSet(value: unknown): boolean {
	return value !== null && value !== undefined;
}

/** The issues of the form that the value was meant in, where several forms are accepted. */
function flattenUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
	if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
	const isOfThisKind = (issues: readonly z.core.$ZodIssue[]) =>
		issues.every(({ code, path }) => code !== 'invalid_type' || path.length > 0);
	const issues = issue.errors.find(isOfThisKind) ?? issue.errors[0] ?? [];
	return issues.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** One broken rule as a sentence: the field by its label, the value, the rule. */
function ruleSentence(
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
				return `${label}: a list is needed, not a single object. Put it in square brackets: [ ... ]`;
			return `${labelAndValue} is not ${typeNames[issue.expected] ?? issue.expected}`;
		case 'invalid_value':
			return isMissing
				? `${label} is missing`
				: `${labelAndValue} is not one of ${issue.values.join(', ')}`;
		case 'invalid_format':
			return `${labelAndValue} is not an e-mail address`;
		case 'too_small':
			if (issue.origin === 'array') return `${label}: at least one is needed`;
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

/** The value as a person would recognise it: text in quotes and cut short, lists by their kind. */
function quotedValue(value: unknown): string {
	if (typeof value === 'string') return `"${truncate(value, 60)}"`;
	if (Array.isArray(value)) return '(a list)';
	return typeof value === 'object' && value !== null ? '(an object)' : String(value);
}
