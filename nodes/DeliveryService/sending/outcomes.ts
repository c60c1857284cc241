import type { Problem } from '../common/result';
import type { CreationBody, Delivery } from '../service/schemas';
import { lowerFirst } from '../common/text';

/** A valid delivery that is to be created for an input item. */
export interface Creation {
	item: number;
	delivery: Delivery;
	companyId?: CreationBody['companyId'];
	type?: CreationBody['type'];
	/** Shopify's own ID of the order, which no other order has, of whatever shop. */
	orderId?: string;
}

/** What became of a delivery. */
export type Outcome = Created | Skipped | Failed;

export interface Created {
	kind: 'created';
	id: string;
	record: Record<string, unknown>;
}

/** Not sent, for a reason that is no fault. */
export interface Skipped {
	kind: 'skipped';
	/** A word for later nodes, and a sentence for people. */
	reason: string;
	message: string;
}

export interface Failed {
	/** Not created and final; perhaps created; or never given to the service. */
	kind: 'rejected' | 'unknown' | 'notSent';
	problem: Problem;
}

/** A delivery and what became of it. */
export interface CreationResult {
	creation: Creation;
	outcome: Outcome;
}

/** A delivery with its reference was created in an earlier run. */
export const alreadyCreated: Skipped = {
	kind: 'skipped',
	reason: 'alreadyCreated',
	message:
		'This workflow has created a delivery with this reference ID before. Changes since then are not sent: make them with the operation Update.',
};

/** A delivery before it in the same input has its reference. */
export const sameReferenceInInput: Skipped = {
	kind: 'skipped',
	reason: 'sameReferenceInInput',
	message:
		'An item before this one has the same reference ID, so this one was not sent. If they are two deliveries, give each a reference ID of its own.',
};

/** What a dry run says of a delivery that a run would not send, and tell as unknown. */
export const unknownBefore: Skipped = {
	kind: 'skipped',
	reason: 'unknown',
	message:
		'It was sent before, and whether it was created is unknown: look it up in the dashboard of the Delivery Service',
};

/** What a dry run says of a delivery that a run would tell as {@link anotherOrder}. */
export const anotherOrderBefore: Skipped = {
	kind: 'skipped',
	reason: 'anotherOrder',
	message:
		'Another order has the same reference ID, and a delivery was created for that one. For the orders of one of the shops, set Reference ID From to Order ID.',
};

/**
 * That a delivery would bear the reference ID of another order, so that it could not be told from
 * that order's.
 */
export function anotherOrder({ delivery: { referenceId } }: Creation): Failed {
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: another order has the same reference ID "${referenceId}"`,
			description:
				'Two shops may both begin at the same order number. Give the orders of one of them other reference IDs: under Order Options, set Reference ID From to Order ID, or fill in Reference ID, for example with the name of the shop before that of the order. Orders of that shop that were sent before are sent again under their new reference IDs, so leave them out.',
		},
	};
}

/**
 * @param cause why nothing more is sent
 * @param isRemembered whether running the workflow again skips what was created
 */
export function notSent(cause: Problem, isRemembered: boolean): Failed {
	const again = isRemembered
		? 'Run the workflow again to send it.'
		: 'Run the workflow again for what was not sent.';
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: ${lowerFirst(cause.message)}`,
			description: cause.description ?? again,
		},
	};
}

/**
 * That nobody knows what became of a delivery. What is usually advised after a failure, to try
 * again, could here make a second one.
 *
 * @param isRemembered whether the ledger keeps the reference from being sent again
 * @param detail what else is known
 */
export function unknownOutcome(cause: string, isRemembered: boolean, detail?: string): Failed {
	return {
		kind: 'unknown',
		problem: {
			message: `Whether this delivery was created is unknown: ${lowerFirst(cause)}`,
			description: [checkDashboard, isRemembered && allowResendingAdvice, detail]
				.filter(Boolean)
				.join(' '),
		},
	};
}

const checkDashboard =
	'Look it up in the dashboard of the Delivery Service before you send it again.';

const allowResendingAdvice =
	'If it was not created, run the operation "Allow Resending" for its reference ID, then send it again.';

/** Why a delivery is unknown that this run did not send. */
export const sentElsewhere =
	'it was sent before without an answer, or another execution is sending it now';

/** Why nothing more is sent: the user's or a timeout's wish, or an earlier failure. */
export const stoppedByUser: Problem = { message: 'the execution was stopped' };

export const stoppedByFailure: Problem = { message: 'a delivery before it failed' };

/** What it means that the ledger's store failed when references were looked up. */
export function storeProblem(error: unknown): Problem {
	const cause = error instanceof Error ? `: ${error.message}` : '';
	return {
		message: `n8n could not look up which references were sent already${cause}`,
		description:
			'Save the workflow and run it again. If that does not help, turn off "Skip Already Sent", but know that deliveries may then be created twice.',
	};
}
