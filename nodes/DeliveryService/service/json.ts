/** The value that a JSON text stands for, or undefined when the text is not JSON. */
export function parsedJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}
