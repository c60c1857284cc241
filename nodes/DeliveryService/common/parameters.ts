/** How the nodes read their parameters, each no more often than needed. */
import type { IExecuteFunctions, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { anyObject, tryParseJson, valueAt } from './data';
import { failure, type Result } from './result';
import { isBlank } from './text';

const recordSchema = anyObject.catch({});

/** The fields of a value; none when it is not an object. */
export function asRecord(value: unknown): Record<string, unknown> {
	return recordSchema.parse(value);
}

/** One object, so that {@link oncePerRun} recognizes it. */
const noFields = {};

/** The fields that the user added to a collection. */
export function collectionParameter(
	parameters: ParameterReader,
	name: string,
	item: number,
): Record<string, unknown> {
	return asRecord(parameters.get(name, item, noFields));
}

/** The entries that the user added to a repeatable field group. */
export function collectionEntries(group: unknown, entry: string): Array<Record<string, unknown>> {
	const entries = asRecord(group)[entry];
	return z.array(recordSchema).catch([]).parse(entries);
}

/** The fields that are not blank: an empty field in the editor means "not set". */
export function omitBlank(fields: object): Record<string, unknown> {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isBlank(value)));
}

/** A list from comma-separated text or an array, without empty entries. */
export function toList(value: unknown): unknown[] {
	const entries =
		typeof value === 'string' ? value.split(',').map((entry) => entry.trim()) : [value].flat();
	return entries.filter((entry) => !isBlank(entry));
}

/** A list from text with one entry per line, or an array, without empty entries. */
export function toLines(value: unknown): unknown[] {
	return toList(typeof value === 'string' ? value.split('\n') : value);
}

/**
 * The value of a JSON field: the result of its expression, or its parsed text.
 *
 * @param label the field's label in the editor, for the message when it is empty or not JSON
 */
export function readJson(value: unknown, label: string): Result<unknown> {
	if (isBlank(value))
		return failure({
			message: `${label} is empty`,
			description:
				"Enter a value. If it's an expression, it returned nothing for this item: drag the data from the input panel to create a new one.",
		});
	if (typeof value !== 'string') return { ok: true, value };
	const parsed = tryParseJson(value);
	if (parsed !== undefined) return { ok: true, value: parsed };
	return failure({
		message: `${label} is not valid JSON`,
		description:
			'Check quotes, commas and brackets, or drag the data from the input panel to use an expression.',
	});
}

/** Reads a node's parameters for its input items, exactly as n8n returns them. */
export interface ParameterReader {
	/**
	 * The value of a parameter for an item. Do not modify it: it may be shared with other items, with
	 * the item itself or with the workflow.
	 *
	 * @param name the parameter, or a path into it, e.g. `options.companyId`
	 * @param item the index of the item, from 0
	 * @param fallback the value of a parameter that the node does not have; not an expression
	 * @throws what n8n throws, e.g. when an expression fails
	 */
	get(name: string, item: number, fallback?: unknown): unknown;
	/** The time zone of the workflow. */
	timeZone(): string;
}

/**
 * Reads each parameter no more often than needed. n8n's expression engine takes a millisecond or two
 * per expression and item, so a value without an expression is read once, and fields of the input
 * item, e.g. `{{ $json.order }}`, are read from the item. Everything else is left to n8n.
 */
export function parameterReader(
	context: Pick<IExecuteFunctions, 'getInputData' | 'getNodeParameter' | 'getTimezone'>,
): ParameterReader {
	// An AI agent's tool has no items here: its $json is not the input item.
	const items = context.getInputData(0, 'main');
	const missing = {};
	const rawValues = new Map<string, unknown>();
	return {
		get(name, item, fallback) {
			if (!rawValues.has(name))
				rawValues.set(name, context.getNodeParameter(name, 0, missing, { rawExpressions: true }));
			const raw = rawValues.get(name);
			const json = items[item]?.json;
			const value = json && (raw === missing ? fallback : evaluate(raw, json));
			return value === undefined ? context.getNodeParameter(name, item, fallback) : value;
		},
		timeZone: () => context.getTimezone(),
	};
}

/**
 * What a function makes of the values of parameters, e.g. validated settings. Without an expression, all
 * items share these values, so it is made once per run; else again for each item whose values differ.
 * Do not modify it.
 */
export function oncePerRun<Values extends readonly unknown[], Made>(
	make: (...values: Values) => Made,
): (parameters: ParameterReader, ...values: Values) => Made {
	const lastOf = new WeakMap<ParameterReader, { values: Values; made: Made }>();
	return (parameters, ...values) => {
		const last = lastOf.get(parameters);
		if (last && values.every((value, index) => value === last.values[index])) return last.made;
		const made = make(...values);
		lastOf.set(parameters, { values, made });
		return made;
	};
}

/**
 * The value of a parameter of a node without input items, e.g. a trigger. Do not modify it: it may be
 * shared with the workflow.
 *
 * @throws what n8n throws, e.g. when an expression fails
 */
export function nodeParameter(
	context: IHookFunctions | IWebhookFunctions,
	name: string,
	fallback: unknown,
): unknown {
	const raw: unknown = context.getNodeParameter(name, fallback, { rawExpressions: true });
	return evaluate(raw, undefined) ?? context.getNodeParameter(name, fallback);
}

/** The value of a parameter for an item's data; undefined when only n8n can evaluate it. */
function evaluate(raw: unknown, json: unknown): unknown {
	if (typeof raw === 'string' && raw.startsWith('=')) return valueAtPath(raw, json);
	if (typeof raw !== 'object' || raw === null) return raw;
	const fields = Object.entries(raw).map(([name, field]): [string, unknown] => [
		name,
		evaluate(field, json),
	]);
	if (fields.some(([, value]) => value === undefined)) return undefined;
	// Without an expression, all items share one object, which then has to be read only once.
	if (Object.values(raw).every((field, index) => field === fields[index]?.[1])) return raw;
	return Array.isArray(raw) ? fields.map(([, value]) => value) : Object.fromEntries(fields);
}

/** An expression that is only a path of the item. A space outside the braces would make it text. */
const plainPath = /^=\{\{\s*\$json((?:\.[A-Za-z_]\w*)*)\s*\}\}$/;

/** Names that n8n's expression engine blocks, or treats specially at any depth of a value. */
const specialNames =
	/^__|constructor|prototype|StackTrace|^(caller|callee|arguments|binding|_linkedBinding|_load|mainModule|getBuiltinModule|dlopen|execve|loadEnvFile|getOwn\w+|defineProp\w+)$/i;

function isSpecial(name: string): boolean {
	return name in Object.prototype || specialNames.test(name);
}

function valueAtPath(expression: string, json: unknown): unknown {
	const [, path] = plainPath.exec(expression) ?? [];
	if (path === undefined) return undefined;
	const steps = path.split('.').slice(1);
	const value = steps.some(isSpecial) ? undefined : valueAt(json, steps);
	return isPlain(value) ? value : undefined;
}

/** Whether JSON can contain the value: n8n converts others, e.g. dates. */
function isPlain(value: unknown): boolean {
	if (typeof value !== 'object' || value === null)
		return value === null || ['string', 'number', 'boolean'].includes(typeof value);
	const prototype: unknown = Object.getPrototypeOf(value);
	const hasNoClass = prototype !== null && Object.getPrototypeOf(prototype) === null;
	return (
		(Array.isArray(value) || (hasNoClass && !Object.keys(value).some(isSpecial))) &&
		Object.values(value).every(isPlain)
	);
}
