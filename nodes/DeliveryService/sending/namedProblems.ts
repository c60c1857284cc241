import type { Problem } from '../common/result';
import type { CreationResult } from './outcomes';

/** The problem with the name of the delivery in its message, in place of "this delivery". */
export function nameDelivery(problem: Problem, name: string): Problem {
	const message = problem.message.replace(/\bthis delivery\b/i, (words) =>
		// A reference ID keeps its case, since it may be copied from here.
		words.startsWith('T') ? name.replace(/^delivery /, 'Delivery ') : name,
	);
	return { ...problem, message };
}

/**
 * The result with the reference ID in the message of its problem. One problem often applies to many
 * deliveries, so it is named last.
 */
export function withReference(result: CreationResult): CreationResult {
	const { creation, outcome } = result;
	const { referenceId } = creation.delivery;
	if (referenceId === undefined || !('problem' in outcome)) return result;
	return { creation, outcome: { ...outcome, problem: nameDelivery(outcome.problem, referenceId) } };
}
