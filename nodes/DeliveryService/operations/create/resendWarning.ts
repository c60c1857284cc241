import type { CreationResult } from '../../sending/outcomes';
import { endSentence } from '../items';

/** The advice for running a workflow again that doesn't remember its created deliveries. */
export const excludeCreatedAdvice =
	'Exclude the created and possibly created deliveries before you run this again, or they may be created twice.';

/**
 * Adds to every unsent delivery the warning to exclude the created ones: most of these problems
 * advise to run the workflow again, which sends all items again.
 *
 * @param results of a run without Skip Already Sent
 */
export function withResendWarning(results: readonly CreationResult[]): readonly CreationResult[] {
	const mayExist = results.some(
		({ outcome: { kind } }) => kind === 'created' || kind === 'unknown',
	);
	return mayExist ? results.map(addWarning) : results;
}

function addWarning(result: CreationResult): CreationResult {
	const { creation, outcome } = result;
	if (outcome.kind !== 'notSent') return result;
	const { message, description } = outcome.problem;
	const advice = [endSentence(description), excludeCreatedAdvice].filter(Boolean).join(' ');
	return { creation, outcome: { kind: 'notSent', problem: { message, description: advice } } };
}
