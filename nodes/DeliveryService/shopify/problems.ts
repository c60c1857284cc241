import type { Problem } from '../common/result';

/** Combines messages into one problem: the first becomes its message, the others its description. */
export function problemFrom(messages: readonly string[]): Problem {
	const [message = 'This is not a Shopify order', ...others] = messages;
	return { message, ...(others.length > 0 && { description: others.join(' ') }) };
}
