/** Checks values against a schema, and words what is wrong with the labels of the panel. */
import type { z } from 'zod/v4';

import { fieldOf, valueAt } from '../common/data';
import { failure, type Result } from '../common/result';
import { excerpt } from '../common/text';

/**
 * Checks a value against a rule of the API document before anything is sent.
 *
 * Fields and list entries that are null or undefined count as missing.
 *
 * @param schema the rule
 * @param value the user's value
 * @param subject the name of the whole value, e.g. `Delivery`
 * @param labels the labels of its fields; `{}` when the schema has no fields. A map need not have all:
 *   the others have their names.
 * @returns the normalized value, or a problem: the first broken rule as its message, the others in
 *   its description
 */
export function validate<Output>(
	schema: z.ZodType<Output>,
	value: unknown,
	subject: string,
	labels: Labels<Output> | Map<string, string>,
): Result<Output> {
	const names = labels instanceof Map ? Object.fromEntries(labels) : labels;
	const present = removeMissing(value);
	const result = schema.safeParse(present);
	if (result.success) return { ok: true, value: result.data };
	const [first, ...others] = result.error.issues
		.flatMap(flattenUnion)
		.map((issue) => describeIssue(issue, present, subject, names));
	return failure({
		message: first ?? `${subject} is not valid`,
		description: others.map((other) => `Also: ${other}.`).join(' ') || undefined,
	});
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
			if (issue.expected === 'object' && Array.isArray(value))
				return `${label} must be a single object, not a list`;
			return `${labelAndValue} is not ${typeNames[issue.expected] ?? issue.expected}${hasComma(value) ? '. Write decimals with a point, without commas' : ''}`;
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

/** Whether a text is a number as it is written in other countries. */
function hasComma(value: unknown): boolean {
	return typeof value === 'string' && value.includes(',') && /^[-+\d.,\s]+$/.test(value);
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
	if (typeof value === 'string') return `"${excerpt(value, 60)}"`;
	if (Array.isArray(value)) return '(a list)';
	return typeof value === 'object' && value !== null ? '(an object)' : String(value);
}

/** The names of all fields that a value of this type may have, at any depth. */
type FieldOf<Value> = Value extends readonly unknown[]
	? FieldOf<Value[number]>
	: Value extends object
		? { [Name in keyof Value & string]-?: Name | FieldOf<Value[Name]> }[keyof Value & string]
		: never;

/**
 * The label of each field of a value, as in the editor but in lowercase. Fields that only group other
 * fields ("contact", "location") have an empty label: messages name them only when they are missing
 * or have the wrong type.
 *
 * Missing labels are a compile error, so that no message shows a name like "qty".
 */
type Labels<Value> = Readonly<Record<FieldOf<Value>, string>>;

/** The labels of the documented fields (docs/api.md, sections 2.1 to 2.5, 4.1 and 4.2). */
export const serviceLabels = {
	pickup: 'pickup',
	dropoff: 'dropoff',
	contact: '',
	location: '',
	name: 'name',
	email: 'email',
	phonenumber: 'phone',
	address: 'address',
	streetName: 'street',
	neighborhood: 'neighborhood',
	city: 'city',
	state: 'state',
	zipcode: 'ZIP code',
	country: 'country',
	instructions: 'instructions',
	lat: 'latitude',
	lng: 'longitude',
	warehouse: 'warehouse ID',
	packages: 'package',
	id: 'ID',
	qty: 'quantity',
	weight: 'weight',
	size: 'size',
	price: 'price',
	referenceId: 'reference ID',
	tags: 'tag',
	extraData: 'extra data',
	value: 'value',
	searchable: 'searchable',
	cod: 'cash on delivery',
	companyId: 'company ID',
	type: 'delivery type',
	deliveryIds: 'delivery ID',
	referenceIds: 'reference ID',
	deliveryChanges: '',
	addTags: 'tag ID to add',
	removeTags: 'tag ID to remove',
	recalculatePrice: 'recalculate price',
	reorderRoute: 'reorder route',
	recalculateCity: 'recalculate city',
} as const;

/**
 * The label of a field: `['packages', 0, 'size']` is `Package size`, and with several packages
 * `Package 1 size`.
 *
 * @param path the field names and list indexes that lead to the field
 * @param labels the labels of the fields
 * @param root the value at the start of the path, which shows how many entries a list has
 */
export function fieldLabel(
	path: readonly PropertyKey[],
	labels: Readonly<Record<string, string>>,
	root?: unknown,
): string {
	const parts: string[] = [];
	let value = root;
	for (const [position, step] of path.entries()) {
		const isLast = position === path.length - 1;
		const next = fieldOf(value, step);
		if (typeof step === 'number') {
			if (Array.isArray(value) && value.length > 1) parts.push(String(step + 1));
		} else if (isLast && typeof next !== 'object') {
			parts.push(labelForStep(step, labels) || String(step));
		} else if (isLast || step !== 'address') {
			const stepLabel = editorLabel(path, position) ?? labelForStep(step, labels);
			if (stepLabel) parts.push(stepLabel);
		}
		value = next;
	}
	const label = parts.join(' ');
	return label.charAt(0).toUpperCase() + label.slice(1);
}

/** The editor's words for the person and the place of what the service calls a dropoff. */
const dropoffLabels = { contact: 'recipient', location: 'delivery' };

/** The editor's words for a step, by the step after it. */
const editorLabels: Readonly<Record<PropertyKey, Readonly<Record<PropertyKey, string>>>> = {
	dropoff: dropoffLabels,
	deliveryChanges: { ...dropoffLabels, referenceId: 'new' },
};

function editorLabel(path: readonly PropertyKey[], position: number): string | undefined {
	return editorLabels[path[position] ?? '']?.[path[position + 1] ?? ''];
}

/** A step without a label is not a field of the schema but a name that the user wrote. */
function labelForStep(step: PropertyKey, labels: Readonly<Record<string, string>>): string {
	const name = String(step);
	return Object.hasOwn(labels, name) ? (labels[name] ?? name) : name;
}
