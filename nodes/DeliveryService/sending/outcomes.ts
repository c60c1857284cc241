import type { Problem } from '../common/result';
import type { CreationBody, Delivery } from '../service/schemas';
import { lowerFirst } from '../common/text';

/** A valid delivery to create for an input item. */
export interface Creation {
	item: number;
	delivery: Delivery;
	companyId?: CreationBody['companyId'];
	type?: CreationBody['type'];
	/** Shopify's ID of the order, which is unique across all shops. */
	orderId?: string;
	/** The reference ID that the whole order would have, if the delivery is for a fulfillment order. */
	orderReferenceId?: string;
}

/** The outcome of a creation. */
export type Outcome = Created | Skipped | Failed;

export interface Created {
	kind: 'created';
	id: string;
	record: Record<string, unknown>;
}

/** Not sent, for a reason that is not an error. */
export interface Skipped {
	kind: 'skipped';
	/** A keyword for later nodes. */
	reason: string;
	/** An explanation for people. */
	message: string;
}

export interface Failed {
	/** Not created, and final; possibly created; or not processed by the service. */
	kind: 'rejected' | 'unknown' | 'notSent';
	problem: Problem;
}

/** A creation and its outcome. */
export interface CreationResult {
	creation: Creation;
	outcome: Outcome;
}

/** Skips a creation whose delivery was created in an earlier run. */
export function alreadyCreated({ delivery: { referenceId } }: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'alreadyCreated',
		message: `${referenceId} was skipped: this workflow has already created a delivery with this reference ID. Later changes are not sent; use the Update operation for them.`,
	};
}

/** Skips a fulfillment order whose whole order was created in an earlier run. */
export function wholeAlreadyCreated({ delivery, orderReferenceId }: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'alreadyCreated',
		message: `${delivery.referenceId} was skipped: this workflow has already created a delivery for the whole order (${orderReferenceId}). Later changes are not sent; to send them, use the Update operation with the whole order and ${orderReferenceId} as its reference ID.`,
	};
}

/** Skips a creation whose reference ID an earlier item of the same input has. */
export function sameReferenceInInput({ delivery: { referenceId } }: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'sameReferenceInInput',
		message: `${referenceId} was skipped: an earlier item has the same reference ID. If they are separate deliveries, give each its own reference ID.`,
	};
}

/** Skips a fulfillment order whose whole order is an earlier item of the same input. */
export function sameOrderInInput({ delivery, orderReferenceId }: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'sameOrderInInput',
		message: `${delivery.referenceId} was skipped: an earlier item is the whole order (${orderReferenceId}). Pass either the order or its fulfillment orders to this node.`,
	};
}

/** The dry run's outcome for a creation that a run would report as unknown without sending it. */
export function dryRunUnknown(creation: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'unknown',
		message: `${creation.delivery.referenceId} would be reported as unknown: ${maybeSentElsewhere}. Look for ${inDashboard(creation)} in the Delivery Service dashboard.`,
	};
}

/** Like {@link dryRunUnknown}, for a fulfillment order whose whole order is unknown. */
export function dryRunUnknownWhole({ delivery, orderReferenceId = '' }: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'unknown',
		message: `${delivery.referenceId} would be reported as unknown: ${maybeSentWhole(orderReferenceId)}. Check the Delivery Service dashboard for ${orderReferenceId}.`,
	};
}

/** The dry run's outcome for a creation that a run would report as {@link anotherOrder}. */
export function dryRunAnotherOrder({ delivery: { referenceId } }: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'anotherOrder',
		message: `${referenceId} would not be sent: another order has the same reference ID. ${differentReferencesAdvice}`,
	};
}

/** The dry run's outcome for a whole order that a run would report as {@link sentInParts}. */
export function dryRunInParts({ delivery: { referenceId } }: Creation): Skipped {
	return {
		kind: 'skipped',
		reason: 'sentInParts',
		message: `${referenceId} would not be sent: ${startedInParts}. ${passPartsAdvice}`,
	};
}

/**
 * The outcome of a whole order whose fulfillment orders were claimed, in this run or an earlier one.
 * Not all of them may have a delivery.
 */
export function sentInParts(): Failed {
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: ${startedInParts}`,
			description: passPartsAdvice,
		},
	};
}

const startedInParts = 'this workflow has already started to send it by fulfillment order';

const passPartsAdvice =
	'Pass its fulfillment orders to this node; those with a delivery are skipped.';

const differentReferencesAdvice =
	'In the workflow of one shop, set Reference ID From to Order ID under Reference ID. Leave out its orders that were already sent: they get new reference IDs and would be sent again.';

/**
 * The outcome of a creation that has the reference ID of another order: its delivery would be
 * indistinguishable from the other order's.
 */
export function anotherOrder({ delivery: { referenceId } }: Creation): Failed {
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: another order has the same reference ID "${referenceId}"`,
			description: `Two shops can use the same order numbers. ${differentReferencesAdvice}`,
		},
	};
}

/**
 * The outcome of a creation that was not sent.
 *
 * @param cause why nothing more is sent
 * @param isRemembered whether running the workflow again skips created deliveries
 */
export function notSent(cause: Problem, isRemembered: boolean): Failed {
	const advice = isRemembered
		? 'Run the workflow again to send it.'
		: 'Run the workflow again with only the deliveries that were not sent.';
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: ${lowerFirst(cause.message)}`,
			description: cause.description ?? advice,
		},
	};
}

/**
 * The outcome of a creation that the service may or may not have processed. The usual advice after a
 * failure, to try again, could create a second delivery here.
 *
 * @param isRemembered whether the ledger prevents the reference from being sent again
 * @param detail what else is known
 */
export function unknownOutcome(cause: string, isRemembered: boolean, detail?: string): Failed {
	return {
		kind: 'unknown',
		problem: {
			message: `It is unknown whether this delivery was created: ${lowerFirst(cause)}`,
			description: [checkDashboard, isRemembered && allowResendingAdvice, detail]
				.filter(Boolean)
				.join(' '),
		},
	};
}

/**
 * The outcome of a creation that another execution has claimed without recording an outcome: it may be
 * sending it, or have crashed before or after that.
 *
 * @param claimedReference the reference ID that was claimed: the creation's own, or its whole order's
 */
export function unknownElsewhere(
	creation: Creation,
	claimedReference = creation.delivery.referenceId,
): Failed {
	const { orderReferenceId } = creation;
	if (claimedReference !== undefined && claimedReference === orderReferenceId)
		return {
			kind: 'unknown',
			problem: {
				message: `It is unknown whether this delivery was created: ${maybeSentWhole(orderReferenceId)}`,
				description: `Wait until no other execution of this workflow is running, then look for ${orderReferenceId} in the Delivery Service dashboard. If it was not created, run the operation "Allow Resending" for ${orderReferenceId}, then send this delivery again.`,
			},
		};
	return {
		kind: 'unknown',
		problem: {
			message: `It is unknown whether this delivery was created: ${maybeSentElsewhere}`,
			description: `Wait until no other execution of this workflow is running, then look for ${inDashboard(creation)} in the Delivery Service dashboard. ${allowResendingAdvice}`,
		},
	};
}

/** What to look for: an order may have been sent whole or by fulfillment order. */
function inDashboard({
	delivery: { referenceId = '' },
	orderId,
	orderReferenceId,
}: Creation): string {
	const isWholeOrder = orderId !== undefined && orderReferenceId === undefined;
	return isWholeOrder
		? `${referenceId} and for reference IDs that start with "${referenceId}-"`
		: 'it';
}

const maybeSentElsewhere = 'another execution may have sent it';

const maybeSentWhole = (orderReferenceId: string) =>
	`another execution may have sent the whole order (${orderReferenceId})`;

const checkDashboard = 'Check the Delivery Service dashboard before you send it again.';

const allowResendingAdvice =
	'If it was not created, run the operation "Allow Resending" for its reference ID, then send it again.';

/** Why nothing more is sent when a person or a timeout stops the execution. */
export const stoppedByUser: Problem = { message: 'the execution was stopped' };

/** Why nothing more is sent after a failure, unless On Error is set to continue. */
export const stoppedByFailure: Problem = { message: 'an earlier delivery failed' };

/** Why nothing more is sent after an error that no response explains, e.g. a bug. */
export function unexpectedProblem(error: unknown): Problem {
	const cause = error instanceof Error ? `: ${error.message}` : '';
	return { message: `an unexpected error occurred${cause}` };
}

/** The problem when the ledger's store fails while references are checked. */
export function storeProblem(error: unknown): Problem {
	if (error instanceof Error && tooLongForMySql.test(error.message)) return storeFull;
	const cause = error instanceof Error ? `: ${error.message}` : '';
	return {
		message: `n8n could not check which reference IDs were already sent${cause}`,
		description:
			'Save the workflow and run it again. If that does not help, ask your n8n administrator to check the n8n database.',
	};
}

/**
 * The error of MySQL and MariaDB when the memory exceeds 64 KB, since n8n 1 stores it in a TEXT column.
 */
const tooLongForMySql = /data too long for column/i;

const storeFull: Problem = {
	message: "n8n's MySQL or MariaDB database has no room for more reference IDs",
	description:
		'Ask your n8n administrator to change the column "value" of n8n\'s table "processed_data" to LONGTEXT, or to move n8n to PostgreSQL. Then run the workflow again.',
};

/** Gives all creations the same outcome. */
export function withOutcome(creations: readonly Creation[], outcome: Outcome): CreationResult[] {
	return creations.map((creation) => ({ creation, outcome }));
}
