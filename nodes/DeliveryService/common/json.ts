/** The value that a JSON text stands for, or undefined when the text is not JSON. */
export function parsedJson(text: string): unknown {
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
