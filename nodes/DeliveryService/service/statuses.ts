/**
 * Comparing the statuses of deliveries. The API document names two of them, in words
 * (docs/api.md, section 3); services and their clients spell them as codes, too, e.g. "pending_to_review".
 */
import { normalizeName } from '../common/text';

/** A longer text is compared as it is: folding one of 15 MB would stop n8n for a second. */
const maxLength = 200;

/** A status without case, accents, spaces and punctuation, unless it has nothing else. */
function keyOf(status: string): string {
	if (status.length > maxLength) return status;
	return normalizeName(status).replaceAll(' ', '') || status;
}

/** Whether the service could not find the address of a delivery (docs/api.md, section 3). */
export function isPendingReview(status: string): boolean {
	const key = keyOf(status);
	return key.includes('pending') && key.includes('review');
}

/** Whether two texts are the same status in any spelling. */
export function isSameStatus(one: string, other: string): boolean {
	return keyOf(one) === keyOf(other) || (isPendingReview(one) && isPendingReview(other));
}
