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

/** The members of a value, none when it is not an object. */
export function asRecord(value: unknown): Record<string, unknown> {
	return recordSchema.parse(value);
}

/** The members that the user added to a collection. */
export function collectionParameter(
	parameters: ParameterReader,
	name: string,
	item: number,
): Record<string, unknown> {
	return asRecord(parameters.get(name, item, {}));
}

/** What a resource locator names: the choice in its list, or the value of an expression. */
export function resourceLocatorValue(value: unknown): unknown {
	const { mode, value: chosen } = asRecord(value);
	return mode === undefined ? value : chosen;
}

/** The entries that the user added to a repeatable group of fields. */
export function collectionEntries(group: unknown, entry: string): Array<Record<string, unknown>> {
	const entries = asRecord(group)[entry];
	return z.array(recordSchema).catch([]).parse(entries);
}

/** The members that are not empty: an empty field in the editor means "not given". */
export function omitBlank(members: object): Record<string, unknown> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => !isBlank(value)));
}

/** A list from comma-separated text or from an array; empty entries are left out. */
export function toList(value: unknown): unknown[] {
	const entries: unknown[] =
		typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
	return entries.filter((entry) => !isBlank(entry));
}

/**
 * What a JSON field holds: the value of an expression, or the text in it parsed.
 *
 * @param label the field's name in the editor, for the message when it is empty or not JSON
 */
export function readJson(value: unknown, label: string): Result<unknown> {
	if (isBlank(value))
		return {
			ok: false,
			problem: {
				message: `${label} is empty`,
				description:
					'Fill it in. If it is filled in, the expression finds nothing in this item: drag the data from the input panel to make a new one.',
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

/** Reads a node's parameters for its input items, exactly as n8n gives them. */
export interface ParameterReader {
	/**
	 * The value of a parameter for an item. It may be shared with other items, with the item itself or
	 * with the workflow, so it must not be changed.
	 *
	 * @param name the parameter, or a path to a member of it, such as `options.companyId`
	 * @param item the item's number, counted from 0
	 * @param fallback what a parameter that the node does not have counts as; no expression
	 * @throws what n8n throws, for instance when an expression fails
	 */
	get(name: string, item: number, fallback?: unknown): unknown;
}

/** How the value of a parameter is found for an item's data. */
type ParameterGetter = (json: IDataObject) => unknown;

/** What a reading gives for a value that only n8n knows. */
const notResolvable = Symbol('known to n8n');

/**
 * Reads each parameter no more often than needed. n8n's expression engine takes a millisecond or two
 * for each expression and item. So what holds no expression is read once, and plain paths of the
 * input item, such as `{{ $json.order }}`, are read from the item itself. All else is left to n8n.
 */
export function parameterReader(
	context: Pick<IExecuteFunctions, 'getInputData' | 'getNodeParameter'>,
): ParameterReader {
	// An AI agent's tool has no items here: there, $json is not what comes in.
	const items = context.getInputData(0, 'main');
	const missing = {};
	const readings = new Map<string, ParameterGetter | undefined>();
	const readingOf = (name: string): ParameterGetter | undefined => {
		const raw: unknown = context.getNodeParameter(name, 0, missing, { rawExpressions: true });
		return raw === missing ? () => missing : compileGetter(raw);
	};
	return {
		get(name, item, fallback) {
			if (!readings.has(name)) readings.set(name, readingOf(name));
			const json = items[item]?.json;
			const value = json ? readings.get(name)?.(json) : notResolvable;
			if (value === missing && fallback !== undefined) return fallback;
			if (value !== undefined && value !== missing && value !== notResolvable) return value;
			return context.getNodeParameter(name, item, fallback);
		},
	};
}

/**
 * The value of a parameter of a node that has no input items, such as a trigger. It may be shared
 * with the workflow, so it must not be changed.
 *
 * @throws what n8n throws, for instance when an expression fails
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

/** How a parameter is read without n8n; undefined where it holds an expression that only n8n knows. */
function compileGetter(raw: unknown): ParameterGetter | undefined {
	if (typeof raw === 'string' && raw.startsWith('=')) return compilePath(raw);
	if (typeof raw !== 'object' || raw === null || !containsExpression(raw)) return () => raw;
	const readings: Array<[string, ParameterGetter]> = [];
	for (const [name, member] of Object.entries(raw)) {
		const reading = compileGetter(member);
		if (!reading) return undefined;
		readings.push([name, reading]);
	}
	return (json) => {
		const members = readings.map(([name, reading]): [string, unknown] => [name, reading(json)]);
		if (members.some(([, value]) => value === notResolvable)) return notResolvable;
		return Array.isArray(raw) ? members.map(([, value]) => value) : Object.fromEntries(members);
	};
}

/**
 * Text that is nothing but a path of the item: `={{ $json }}`, `={{ $json.order.id }}`,
 * `={{ $json["shipping address"] }}`. A space outside of the braces would make it text.
 */
const plainPath =
	/^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\["[^"\\\n{}]*"\]|\['[^'\\\n{}]*'\]|\[\d{1,9}\])*)\s*\}\}$/;

const pathSteps = /\.(\w+)|\["([^"]*)"\]|\['([^']*)'\]|\[(\d+)\]/g;

/** n8n refuses to look these up, for safety. */
const forbiddenNames =
	/constructor|[pP]rototype|StackTrace|^(caller|callee|arguments|binding|_linkedBinding|_load|mainModule|getBuiltinModule|dlopen|execve|loadEnvFile|getOwn\w+|defineProp\w+)$/;

/** These mean something to n8n's expression engine, also deep inside of a value. */
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

/** Whether a value is what JSON can hold: n8n turns others, such as dates, into something else. */
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
	const isOfNoClass = prototype !== null && Object.getPrototypeOf(prototype) === null;
	return isOfNoClass && !Object.keys(value).some(isSpecial);
}
