import { z } from 'zod/v4';

import { anyObject } from './json';
import type { Result } from './result';
import { isBlank } from './text';
import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

const recordSchema = anyObject.catch({});

/** The fields of a value; none when it is not an object. */
export function asRecord(value: unknown): Record<string, unknown> {
	return recordSchema.parse(value);
}

/** The fields that the user added to a collection. */
export function collectionParameter(
	parameters: ParameterReader,
	name: string,
	item: number,
): Record<string, unknown> {
	return asRecord(parameters.get(name, item, {}));
}

/** The value of a resource locator: the selected list entry, or the result of an expression. */
export function resourceLocatorValue(value: unknown): unknown {
	const { mode, value: selected } = asRecord(value);
	return mode === undefined ? value : selected;
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
	const entries: unknown[] =
		typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
	return entries.filter((entry) => !isBlank(entry));
}

/**
 * The value of a JSON field: the result of its expression, or its parsed text.
 *
 * @param label the field's label in the editor, for the message when it is empty or not JSON
 */
export function readJson(value: unknown, label: string): Result<unknown> {
	if (isBlank(value))
		return {
			ok: false,
			problem: {
				message: `${label} is empty`,
				description:
					"Enter a value. If it's an expression, it returned nothing for this item: drag the data from the input panel to create a new one.",
			},
		};
	if (typeof value !== 'string') return { ok: true, value };
	try {
		const parsed: unknown = JSON.parse(value);
		return { ok: true, value: parsed };
	} catch {
		return {
			ok: false,
			problem: {
				message: `${label} is not valid JSON`,
				description:
					'Check quotes, commas and brackets, or drag the data from the input panel to use an expression.',
			},
		};
	}
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
}

/** Returns the value of a parameter for an item's data. */
type ParameterGetter = (json: IDataObject) => unknown;

/** Returned by a getter for a value that only n8n can resolve. */
const notResolvable = Symbol('only n8n can resolve this');

/**
 * Reads each parameter no more often than needed. n8n's expression engine takes a millisecond or two
 * per expression and item, so a value without an expression is read once, and a plain path of the
 * input item, e.g. `{{ $json.order }}`, is read from the item. Everything else is left to n8n.
 */
export function parameterReader(
	context: Pick<IExecuteFunctions, 'getInputData' | 'getNodeParameter'>,
): ParameterReader {
	// An AI agent's tool has no items here: its $json is not the input item.
	const items = context.getInputData(0, 'main');
	const missing = {};
	const getters = new Map<string, ParameterGetter | undefined>();
	const getterFor = (name: string): ParameterGetter | undefined => {
		const raw: unknown = context.getNodeParameter(name, 0, missing, { rawExpressions: true });
		return raw === missing ? () => missing : compileGetter(raw);
	};
	return {
		get(name, item, fallback) {
			if (!getters.has(name)) getters.set(name, getterFor(name));
			const json = items[item]?.json;
			const value = json ? getters.get(name)?.(json) : notResolvable;
			if (value === missing && fallback !== undefined) return fallback;
			if (value !== undefined && value !== missing && value !== notResolvable) return value;
			return context.getNodeParameter(name, item, fallback);
		},
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
	return containsExpression(raw) ? context.getNodeParameter(name, fallback) : raw;
}

function containsExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	return typeof raw === 'object' && raw !== null && Object.values(raw).some(containsExpression);
}

/** A getter that reads a parameter without n8n; undefined when only n8n can evaluate it. */
function compileGetter(raw: unknown): ParameterGetter | undefined {
	if (typeof raw === 'string' && raw.startsWith('=')) return compilePath(raw);
	if (typeof raw !== 'object' || raw === null || !containsExpression(raw)) return () => raw;
	const getters: Array<[string, ParameterGetter]> = [];
	for (const [name, value] of Object.entries(raw)) {
		const getter = compileGetter(value);
		if (!getter) return undefined;
		getters.push([name, getter]);
	}
	return (json) => {
		const fields = getters.map(([name, getter]): [string, unknown] => [name, getter(json)]);
		if (fields.some(([, value]) => value === notResolvable)) return notResolvable;
		return Array.isArray(raw) ? fields.map(([, value]) => value) : Object.fromEntries(fields);
	};
}

/**
 * An expression that is only a path of the item: `={{ $json }}`, `={{ $json.order.id }}`,
 * `={{ $json["shipping address"] }}`. A space outside the braces would make it text.
 */
const plainPath =
	/^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\["[^"\\\n{}]*"\]|\['[^'\\\n{}]*'\]|\[\d{1,9}\])*)\s*\}\}$/;

const pathSteps = /\.(\w+)|\["([^"]*)"\]|\['([^']*)'\]|\[(\d+)\]/g;

/** n8n blocks these names for security. */
const forbiddenNames =
	/constructor|[pP]rototype|StackTrace|^(caller|callee|arguments|binding|_linkedBinding|_load|mainModule|getBuiltinModule|dlopen|execve|loadEnvFile|getOwn\w+|defineProp\w+)$/;

/** Names that n8n's expression engine treats specially, at any depth of a value. */
function isSpecial(name: string): boolean {
	return name in Object.prototype || name.startsWith('__');
}

function compilePath(expression: string): ParameterGetter | undefined {
	const [, path] = plainPath.exec(expression) ?? [];
	if (path === undefined) return undefined;
	const steps = [...path.matchAll(pathSteps)].map(
		([, dotted, double, single, index]) => dotted ?? double ?? single ?? index ?? '',
	);
	if (steps.some((step) => isSpecial(step) || forbiddenNames.test(step))) return undefined;
	return (json) => {
		let value: unknown = json;
		for (const step of steps) {
			if (typeof value !== 'object' || value === null) return notResolvable;
			value = Object.getOwnPropertyDescriptor(value, step)?.value;
		}
		return isPlain(value) ? value : notResolvable;
	};
}

/** Whether JSON can contain the value: n8n converts others, e.g. dates. */
function isPlain(value: unknown): boolean {
	switch (typeof value) {
		case 'string':
		case 'number':
		case 'boolean':
			return true;
		case 'object':
			return value === null || (isPlainObject(value) && Object.values(value).every(isPlain));
		default:
			return false;
	}
}

function isPlainObject(value: object): boolean {
	if (Array.isArray(value)) return true;
	const prototype: unknown = Object.getPrototypeOf(value);
	const hasNoClass = prototype !== null && Object.getPrototypeOf(prototype) === null;
	return hasNoClass && !Object.keys(value).some(isSpecial);
}
