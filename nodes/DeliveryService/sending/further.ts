import type { Further } from '../deduplication/sameReference';
import {
	sameReferenceInInput,
	unknownOutcome,
	type Creation,
	type CreationResult,
	type Failed,
	type Outcome,
} from './outcomes';

/**
 * What becomes of further creations of a reference, which only a ledger tells apart: they are
 * skipped, unless the first one failed. To call them skipped then would pass over an order of which
 * there is no delivery.
 *
 * @param results of the first ones
 */
export function resultsOfFurther(
	further: readonly Further[],
	results: readonly CreationResult[],
): CreationResult[] {
	if (further.length === 0) return [];
	const outcomes = new Map(results.map(({ creation, outcome }) => [creation.item, outcome]));
	return further.map(({ creation, first }) => ({
		creation,
		outcome: outcomeAfter(first, outcomes.get(first.item)),
	}));
}

function outcomeAfter(first: Creation, outcome: Outcome | undefined): Outcome {
	switch (outcome?.kind) {
		case 'created':
		case 'skipped':
			return sameReferenceInInput;
		case 'unknown':
			// Not "not sent", which says that there is no such delivery.
			return unknownOutcome(
				`so it is for item ${first.item}, which has the same reference ID`,
				true,
			);
		default:
			return notSentAfter(first);
	}
}

function notSentAfter({ item }: Creation): Failed {
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: item ${item} has the same reference ID, and was not created`,
			description: `See what is said of item ${item}, then run the workflow again. If they are two deliveries, give each a reference ID of its own.`,
		},
	};
}
