/** The sentences about settings and items with which a run can't start. */
import type { Problem } from '../common/result';
import { joinSentences, pluralize } from '../common/text';

/** What keeps a run, or an item of it, from being sent. */
export const settingsProblems = {
	retryOnFail: { message: 'This node already retries. Turn off Retry On Fail in its settings.' },
	unsafeRetry: {
		message: 'Without "Skip Already Sent", retrying this execution could create deliveries twice',
		description: `If the first execution failed before this node, turn on "Skip Already Sent", save the workflow, and choose Retry with currently saved workflow. If it failed in this node, run the workflow again without the created and possibly created deliveries: its error lists them, or n8n's log if it was stopped. This retry sent nothing.`,
	},
	executeOnce: {
		message:
			'Execute Once would send only the first order. Turn it off in the settings of this node.',
	},
	noSource: { message: 'Choose a source under Create From' },
	noReference: {
		message: 'Reference ID is missing',
		description: 'Enter one: "Skip Already Sent" recognizes sent deliveries by it.',
	},
	unreadableItem: { message: 'The item could not be read' },
} satisfies Record<string, Problem>;

/**
 * The problem of a run that sends nothing because of invalid items.
 *
 * @param first that of the first invalid item
 * @param others how many other items are invalid
 */
export function invalidItems({ message, description }: Problem, others: number): Problem {
	const also =
		others > 0 && `${pluralize(others, 'other item is', 'other items are')} also invalid.`;
	return { message, description: joinSentences([description, also, 'No delivery was created.']) };
}
