/** What happened to an item: created, updated or skipped. Failures are in failures.ts. */
import type { Problem } from '../common/result';
import type { Created, Job, Outcome, SettledJob, Skipped, Updated } from '../sending/job';
import { describeNotSent, describeRejected, describeUnknown } from './failures';
import { orderReference } from './names';
import { helpFor, needsOf, needsReview, textOf, unseenText } from './needs';
import { skipMessage, skippedFor } from './skips';

/** The keyword of an item that was not sent now, for later nodes; empty for another. */
export function skipReason(outcome: Outcome): string {
	if (outcome.kind === 'updated') return reasonNames.alreadyCreated;
	if (outcome.kind !== 'skipped') return '';
	const { why } = outcome;
	return why.code === 'order' ? why.skip.code : reasonNames[why.code];
}

const reasonNames = {
	alreadyCreated: 'alreadyCreated',
	grown: 'alreadyCreated',
	wholeCreated: 'alreadyCreated',
	unitsSent: 'alreadyCreated',
	sameReference: 'sameReferenceInInput',
	sameOrder: 'sameOrderInInput',
	outdated: 'outdated',
	unseen: 'unseen',
} as const;

/** The reason of a skipped item in words, with the name that it is about, so that reports can count by it. */
export function reasonText({ why }: Skipped): string {
	if (why.code === 'unseen') return 'unseen: placed too long ago';
	if (why.code !== 'order') return reasonWords(reasonNames[why.code]);
	return [reasonWords(why.skip.code), skippedFor(why.skip)].filter(Boolean).join(': ');
}

/** A keyword as words: "testOrder" as "test order". */
export function reasonWords(reason: string): string {
	if (reason === 'cancelled') return 'canceled';
	return reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** All that is said about an item. */
export interface Wording {
	/** What happened to it, and what to do. */
	problem: Problem;
	/** What a person must do besides; empty if nothing. */
	needed: string;
	/** The URL of the docs about what a person must do; empty if nothing. */
	help: string;
}

/** Words what happened to an item, and what a person must do. */
export function wordingOf(job: SettledJob): Wording {
	const needs = needsOf(job);
	const needed = textOf(needs);
	const problem = problemOf(job, needed);
	return { problem, needed, help: helpFor(job, needs) };
}

function problemOf(job: SettledJob, needed: string): Problem {
	const { outcome } = job;
	switch (outcome.kind) {
		case 'created':
			return { message: createdMessage(job, outcome) };
		case 'updated':
			return { message: updatedMessage(job, outcome) };
		case 'skipped':
			return { message: skippedMessage(job, outcome, needed) };
		case 'invalid':
			return outcome.problem;
		case 'rejected':
			return describeRejected(job, outcome);
		case 'unknown':
			return describeUnknown(job, outcome);
		case 'notSent':
			return describeNotSent(job, outcome);
	}
}

function createdMessage({ referenceId = '' }: Job, created: Created): string {
	const forWhat = referenceId && ` for ${referenceId}`;
	return `Created a delivery${forWhat}${needsReview(created) ? ', but it is pending review' : ''}`;
}

/** The job of an update is not done yet when the service accepts it, and no call reads a delivery. */
function updatedMessage({ referenceId = '' }: Job, { changes }: Updated): string {
	const { contact, location, packages, cod } = changes;
	const changed = [
		(contact ?? location) && 'recipient and address',
		packages && 'items',
		cod !== undefined && `cash ${cod.toFixed(2)}`,
	];
	return `${referenceId} was changed in Shopify after it was sent. Change accepted: ${changed.filter(Boolean).join(', ')}`;
}

function skippedMessage(job: Job, { why }: Skipped, needed: string): string {
	const { referenceId = '' } = job;
	const order = orderReference(job);
	const end = needed === '' ? ' Nothing to do.' : '';
	switch (why.code) {
		case 'order':
			return `${skipMessage(why.skip, job.order?.label ?? referenceId)}${end}`;
		case 'alreadyCreated':
		case 'grown':
			return `${referenceId} was already sent.${end}`;
		case 'wholeCreated':
			return `${referenceId} was already sent with the whole order (${order}).${end}`;
		case 'unitsSent':
			return `${referenceId} was skipped: its items were sent, or may have been, with another fulfillment order of ${order}.${end}`;
		case 'sameReference':
			return `${referenceId} was skipped: an earlier item is the same delivery. If they are separate deliveries, give each its own reference ID.`;
		case 'sameOrder':
			return `${referenceId} was skipped: another item is the whole order (${order}). Pass either the order or its fulfillment orders to this node.`;
		case 'outdated':
			return `${referenceId} was not sent: this is an earlier state of the order, and a later one has already arrived. Nothing to do.`;
		case 'unseen':
			return unseenText(job);
	}
}
