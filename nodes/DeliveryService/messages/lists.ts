/** Lists in a sentence. */
import { listUpTo, maxListedNames } from '../common/text';

/**
 * Deliveries in a sentence such as "Created: #1001." or "Created (2): #1001, #1002."; empty without names.
 *
 * @param max how many names are listed
 */
export function listNames(title: string, names: readonly string[], max = maxListedNames): string {
	if (names.length === 0) return '';
	const count = names.length > 1 ? ` (${names.length})` : '';
	const where = names.length > max ? ', listed in the error details' : '';
	return `${title}${count}: ${listUpTo(max, names)}${where}.`;
}

/** Names in quotation marks, such as `"Gift wrap", "Mug"`. */
export function quoted(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(', ');
}
