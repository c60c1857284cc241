/** An input item on its way to its output item, and its outcome. Reasons are data: `messages/` words them. */
import type { Problem } from '../common/result';
import type { Change } from '../ledger/changes';
import type { Claim } from '../ledger/claims';
import type { Exchange } from '../service/client';
import type { CreationBody, Delivery, DeliveryChanges } from '../service/schemas';
import type { OrderInfo } from '../shopify/orderInfo';
import type { OrderProblem } from '../shopify/problems';
import type { Skip } from '../shopify/skipping';
import type { FailedUpdate } from './updates';

/** An input item on its way from its order to its output item: what was read of it, then what happens to it. */
export interface Job {
	/** The number of the input item, from 0. */
	readonly item: number;
	/** The reference ID; also of an invalid delivery, if it is readable. */
	readonly referenceId?: string;
	/** The recipient's name; also of an invalid delivery, if it is readable. */
	readonly recipient?: string;
	/** What is known about its Shopify order. */
	readonly order?: OrderInfo;
	/** The delivery to create; undefined for an item that is skipped or invalid. */
	readonly delivery?: Delivery;
	readonly companyId?: CreationBody['companyId'];
	readonly type?: CreationBody['type'];
	/** What the ledger records; undefined if it may be sent any number of times. */
	readonly claim?: Claim;
	/** How long ago its order was placed, if that is known. */
	readonly ageHours?: number;
	/** How long ago Shopify first called the webhook that reported it, if one did. */
	readonly calledHoursAgo?: number;

	/** The job on whose outcome that of this duplicate depends. */
	first?: Job;
	/** Whether it is not sent now, and may have been sent before: that is not known. */
	mayHaveDelivery?: boolean;
	/** How its order has changed since it was sent: only if this execution reports it. */
	change?: Change;
	/** Why its delivery was not updated with that change, or may not have been. */
	failedUpdate?: FailedUpdate;
	/** Undefined as long as it is not known: it may be sent. */
	outcome?: Outcome;
}

/** A job whose delivery the ledger records. */
export interface RememberedJob extends Job {
	readonly claim: Claim;
}

/** Whether the ledger records a job's delivery. */
export function isRemembered(job: Job): job is RememberedJob {
	return job.claim !== undefined;
}

/** A job whose outcome is known. */
export interface SettledJob extends Job {
	outcome: Outcome;
}

/** Whether a job's outcome is known. */
export function isSettled(job: Job): job is SettledJob {
	return job.outcome !== undefined;
}

/** The result for an item. */
export type Outcome = Created | Updated | Skipped | Invalid | Failure;

/** Whether a job has failed: there is no delivery, or perhaps none, and a person or a later run is needed. */
export function isFailed({ outcome }: SettledJob): boolean {
	return !['created', 'updated', 'skipped'].includes(outcome.kind);
}

/** Against a rule of the service, or not readable. */
export interface Invalid {
	kind: 'invalid';
	problem: Problem;
	/** What is wrong with a Shopify order, or that it has no pickup; undefined for a rule of the service. */
	cause?: OrderProblem['code'] | 'noPickup';
}

export interface Created {
	kind: 'created';
	id: string;
	/** The service's record of the delivery, with unknown fields (docs/api.md, section 2.6). */
	record: Record<string, unknown>;
}

/** Already sent, and updated because its order has changed since then. */
export interface Updated {
	kind: 'updated';
	changes: DeliveryChanges;
}

/** Not sent, for a reason that is not an error. */
export interface Skipped {
	kind: 'skipped';
	why:
		| {
				code:
					'alreadyCreated' | 'grown' | 'wholeCreated' | 'unitsSent' | 'sameReference' | 'sameOrder';
		  }
		/** It is an earlier state of an order, e.g. before that was canceled. */
		| { code: 'outdated' }
		| { code: 'order'; skip: Skip }
		/** Its late order was not seen in time. `isNamed`: the user was already asked to look for it. */
		| { code: 'unseen'; isNamed: boolean };
}

/** Why there is no delivery, or perhaps none. */
export type Failure = Rejected | Unknown | NotSent;

/** What the service, or the connection to it, did with the request. */
interface ByExchange {
	code: 'exchange';
	exchange: Exchange;
}

/** An error that no code expects. */
interface Unexpected {
	code: 'unexpected';
	error: unknown;
}

/** It is of the same order as another item, whose delivery was not created for certain. */
interface FirstFailed {
	code: 'firstFailed';
	first: Job;
}

/** Not created, and final: the service rejected it. */
export interface Rejected {
	kind: 'rejected';
	why: ByExchange;
}

/** Possibly created: it is not sent again. */
export interface Unknown {
	kind: 'unknown';
	why: UnknownReason;
}

export type UnknownReason =
	| ByExchange
	| Unexpected
	| FirstFailed
	/** The request of this and other deliveries was rejected. */
	| { code: 'batchRejected'; exchange: Exchange; others: number }
	/** The success response has no record that belongs to the delivery. */
	| { code: 'noRecord'; exchange: Exchange; otherIds: readonly string[] }
	/** Another execution has claimed the delivery, or its whole order. */
	| { code: 'elsewhere'; isWhole: boolean };

/** Not created: the service has not processed it, and it may be sent later. */
export interface NotSent {
	kind: 'notSent';
	why: NotSentReason;
}

export type NotSentReason =
	| Halt
	| FirstFailed
	/** The run failed before it sent anything. */
	| { code: 'notStarted'; problem: Problem }
	/** Dry Run is on in a published workflow. */
	| { code: 'dryRun' }
	/** The reference ID is used by another order, or by another item of the input. */
	| { code: 'anotherOrder' }
	| { code: 'anotherDelivery'; first: Job }
	/** The order was sent by fulfillment order, or some of its units were. */
	| { code: 'inParts' | 'unitsPartlySent' };

/** Why a run sends nothing more, which is also the reason of every job that it then does not send. */
export type Halt =
	| ByExchange
	| Unexpected
	| { code: 'stopped' | 'earlierFailure' }
	| { code: 'store'; error: unknown };
