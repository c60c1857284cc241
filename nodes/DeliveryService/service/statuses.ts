/**
 * Comparing the statuses of deliveries. The API document names two of them, in words
 * (docs/api.md, section 3); services and their clients spell them as codes, too, e.g. "pending_to_review".
 */
import { foldWords } from '../common/text';

/** Whether the service could not find the address of a delivery (docs/api.md, section 3). */
export function isPendingReview(status: string): boolean {
	const folded = foldWords(status);
	return folded.includes('pending') && folded.includes('review');
}

/** Whether two texts are the same status in any spelling. */
export function isSameStatus(one: string, other: string): boolean {
	return foldWords(one) === foldWords(other) || (isPendingReview(one) && isPendingReview(other));
}
