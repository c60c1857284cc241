import type { Problem } from '../common/result';

/** Several sentences as one problem: the first is its message, the others are its description. */
export function problemFrom(sentences: readonly string[]): Problem {
	const [message = 'This is not a Shopify order', ...others] = sentences;
	return { message, ...(others.length > 0 && { description: others.join(' ') }) };
}
