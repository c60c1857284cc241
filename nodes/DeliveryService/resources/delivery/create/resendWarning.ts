import type { CreationResult } from '../../../sending/outcomes';
import { endSentence } from '../../items';

/** What whoever runs a workflow again must know when it does not remember what it created. */
export const excludeCreatedAdvice =
	'What was created, or may have been, would be created a second time: leave it out when you run this again.';

/**
 * Has everything that was not sent say what not to send again with it: most reasons for which it was
 * not sent come with the advice to try again, and that would be with all items.
 *
 * @param results of a run of which nothing is remembered
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
	const said = [endSentence(description), excludeCreatedAdvice].filter(Boolean).join(' ');
	return { creation, outcome: { kind: 'notSent', problem: { message, description: said } } };
}
