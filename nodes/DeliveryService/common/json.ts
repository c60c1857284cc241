import { z } from 'zod/v4';

/** The value that a JSON text stands for, or undefined when the text is not JSON. */
export function tryParseJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/** The value at a path, or undefined where the path leads nowhere. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce(fieldOf, root);
}

/** A value's own field, never one that it inherits. */
export function fieldOf(value: unknown, key: PropertyKey): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/**
 * An object with any fields, as it is. `z.record` accepts plain objects only: not the headers of an
 * HTTP client, nor content with a field "constructor".
 */
export const anyObject = z.custom<Record<string, unknown>>(
	(value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
