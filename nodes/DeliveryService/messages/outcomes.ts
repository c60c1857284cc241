/** The sentences about the result of a delivery: each is written here once. */
import { problemText, type Problem } from '../common/result';
import { endSentence, joinSentences, listUpTo, lowerFirst, pluralize } from '../common/text';
import type {
	Created,
	Halt,
	Job,
	NotSent,
	Outcome,
	Rejected,
	Skipped,
	Unknown,
	UnknownReason,
	Updated,
} from '../sending/job';
import type { Exchange } from '../service/client';
import { explainFailure, notADeliveryService, serviceDetail } from '../service/errors';
import { shownText } from '../service/response';
import { codeAndMessageSchema, type Delivery } from '../service/schemas';
import { isPendingReview } from '../service/statuses';
import type { Action } from '../shopify/decide';
import type { OrderInfo } from '../shopify/toDelivery';
import { causeOf } from './causes';
import { helpUrl, helpWithFailure, helpWithInvalid, type Need } from './help';
import { actionNeeds, sendAnyway, skipMessage, skipNeed } from './orders';
import { updateProblem } from './updates';

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

/**
 * What happened to an item and what to do.
 *
 * @param isRemembered whether running the workflow again skips created deliveries
 */
export function describe(job: Job, outcome: Outcome, isRemembered: boolean): Problem {
	switch (outcome.kind) {
		case 'created':
			return { message: createdMessage(job, outcome) };
		case 'updated':
			return { message: updatedMessage(job, outcome) };
		case 'skipped':
			return { message: skippedMessage(job, outcome) };
		case 'invalid':
			return outcome.problem;
		case 'rejected':
			return describeRejected(job, outcome);
		case 'unknown':
			return describeUnknown(job, outcome, isRemembered);
		case 'notSent':
			return describeNotSent(job, outcome, isRemembered);
	}
}

function createdMessage({ referenceId = '' }: Job, created: Created): string {
	const forWhat = referenceId && ` for ${referenceId}`;
	return `Created a delivery${forWhat}${needsReview(created) ? ', but it is pending review' : ''}`;
}

/** The name of an item in a list: its reference ID if it has one. */
export function itemName({ item, referenceId }: Pick<Job, 'item' | 'referenceId'>): string {
	return referenceId ?? `item ${item}`;
}

/** What a person must do about an item, besides what its failure says; empty if nothing. */
export function neededFor(job: Job): string {
	return joinSentences(needsOf(job).map(({ text }) => text));
}

/** The address of the docs about what a person must do about an item; empty if nothing. */
export function helpFor(job: Job): string {
	const { outcome } = job;
	if (outcome?.kind === 'invalid') return job.order ? helpUrl(helpWithInvalid(outcome)) : '';
	if (outcome && 'why' in outcome && outcome.kind !== 'skipped')
		return helpUrl(helpWithFailure(outcome));
	const [need] = needsOf(job);
	return need ? helpUrl(need.help) : '';
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

function needsOf(job: Job): Need[] {
	const { outcome, order, claim } = job;
	const label = order?.label ?? itemName(job);
	const ofOrder = actionNeeds(order?.actions, label);
	const review: Need = { text: reviewText(job, label), help: 'pending-review' };
	if (outcome?.kind === 'updated') return changeNeeds(job);
	if (outcome?.kind !== 'skipped')
		return outcome?.kind === 'created' && needsReview(outcome) ? [review, ...ofOrder] : ofOrder;
	const { why } = outcome;
	switch (why.code) {
		case 'order': {
			const need = skipNeed(why.skip, label);
			return ofOrder.length > 0 || !need ? ofOrder : [need];
		}
		case 'sameReference':
		case 'sameOrder':
		case 'outdated':
			return [];
		case 'unseen':
			return why.isNamed ? [] : [{ text: unseenText(job), help: 'older-order' }];
		default: {
			// What else an order needs was said when it was sent: a nightly run would say it every night.
			const isCompared = claim?.sentAs && (why.code === 'alreadyCreated' || why.code === 'grown');
			const needs = isCompared ? changeNeeds(job) : actionNeeds(stopActions(order), label);
			const changed = changedAfterSending(job, outcome);
			const { failedUpdate: failed } = job;
			const failure = failed && problemText(updateProblem(failed, failed.outcome));
			return [
				...(failure === undefined ? [] : [{ text: failure, help: 'changed-order' as const }]),
				...(changed === '' ? [] : [{ text: changed, help: 'changed-order' as const }]),
				...needs,
			];
		}
	}
}

/** What to do about the changes of a sent order that this run reports. */
function changeNeeds({ order, referenceId, change }: Job): Need[] {
	const { cash = [], rest = [] } = order?.laterChanges ?? {};
	const actions = [...(change?.cash ? cash : []), ...(change?.rest ? rest : [])];
	const label = order?.label ?? referenceId;
	const released = change?.wasHeld && !order?.stop ? [releasedNeed(label)] : [];
	const needs = [...released, ...actionNeeds(actions, label)];
	if (!change || needs.length === 0) return [];
	const again = change.number > 1 && `This is change ${change.number} of the order.`;
	return again ? [...needs, { text: again, help: 'changed-order' }] : needs;
}

function releasedNeed(label = 'The order'): Need {
	return {
		text: `${label} is no longer on hold. If you had its delivery stopped, ask the Delivery Service to go on.`,
		help: 'delivery-to-stop',
	};
}

/** If a sent order is not compared, each run says that its delivery is to be stopped. */
function stopActions({ stop }: OrderInfo = {}): Action[] {
	return stop ? [{ code: 'stopDelivery', why: stop }] : [];
}

/** What to do if a fulfillment order was changed in Shopify after its items were sent. */
function changedAfterSending({ referenceId = '', order }: Job, { why }: Skipped): string {
	const { name = 'the right location' } = order?.location ?? {};
	switch (why.code) {
		case 'unitsSent':
			return `The items of ${referenceId} were sent with another fulfillment order. Check whether that delivery starts at ${name} and has all items; if items are missing, send them with the operation Create.`;
		case 'grown':
			return `${referenceId} has more items than when it was sent. Send them with the operation Create, or add them to its delivery with the operation Update.`;
		default:
			return '';
	}
}

/** What to do about an order that another workflow may have sent; said once. */
function unseenText(job: Job): string {
	return `${orderName(job)} was placed ${ageText(job)} ago, and this workflow meets it for the first time. ${unseenAdvice}`;
}

const unseenAdvice = `Look for it in the Delivery Service; if it is not there, ${sendAnyway}.`;

const orderName = ({ order, referenceId = '' }: Job) => order?.shopifyOrder?.name ?? referenceId;

function ageText({ ageHours = 0 }: Job): string {
	return ageHours < 48
		? pluralize(Math.floor(ageHours), 'hour', 'hours')
		: pluralize(Math.floor(ageHours / 24), 'day', 'days');
}

function reviewText(job: Job, label: string): string {
	return `${label} is pending review: the Delivery Service did not find an address, and no driver comes. Is this the right delivery address: ${addressOf(job)}? If not, correct it with the operation Update. If it is, tell the Delivery Service.`;
}

/** Where a delivery goes, for a person. */
export function addressOf({ order, delivery }: Job): string {
	return order?.address ?? (delivery ? placeText(delivery.dropoff.location) : '');
}

/** A place as text. */
export function placeText({ address, warehouse }: Delivery['dropoff']['location']): string {
	if (address === undefined) return `Warehouse ${warehouse}`;
	if (typeof address === 'string') return address;
	const { streetName, neighborhood, city, state, zipcode, country } = address;
	return [streetName, neighborhood, city, state, zipcode, country].filter(Boolean).join(', ');
}

function needsReview({ record: { statusDelivery } }: Created): boolean {
	return typeof statusDelivery === 'string' && isPendingReview(statusDelivery);
}

function skippedMessage(job: Job, { why }: Skipped): string {
	const { referenceId = '', claim, order: info } = job;
	const order = claim?.part?.orderReferenceId ?? referenceId;
	const end = neededFor(job) === '' ? ' Nothing to do.' : '';
	switch (why.code) {
		case 'order':
			return skipMessage(why.skip, info?.label ?? referenceId);
		case 'alreadyCreated':
		case 'grown':
			return `${referenceId} was already sent.${end}`;
		case 'wholeCreated':
			return `${referenceId} was already sent with the whole order (${order}).${end}`;
		case 'unitsSent':
			return `${referenceId} was already sent: its items went with another fulfillment order of ${order}.${end}`;
		case 'sameReference':
			return `${referenceId} was skipped: an earlier item is the same delivery. If they are separate deliveries, give each its own reference ID.`;
		case 'sameOrder':
			return `${referenceId} was skipped: another item is the whole order (${order}). Pass either the order or its fulfillment orders to this node.`;
		case 'outdated':
			return `${referenceId} was not sent: this is an earlier state of the order, and a later one has already arrived. Nothing to do.`;
		case 'unseen':
			return `${orderName(job)} was not sent: it was placed ${ageText(job)} ago, and this workflow did not meet it in time. ${unseenAdvice}`;
	}
}

function describeRejected({ referenceId }: Job, { why }: Rejected): Problem {
	const { message, description } = explainExchange(why.exchange);
	const named = `${referenceId} was not created: ${lowerFirst(message)}`;
	return { message: referenceId === undefined ? message : named, description };
}

function describeUnknown(job: Job, { why }: Unknown, isRemembered: boolean): Problem {
	const { cause, detail } = unknownCause(job, why);
	return {
		message: `${unknownMessage(job)}: ${cause}`,
		description: joinSentences([unknownAdvice(job, why, isRemembered), detail]),
	};
}

/** Without a period. */
function unknownMessage({ referenceId = 'this delivery' }: Job): string {
	return `It is unknown whether ${referenceId} was created`;
}

/**
 * What a failed delivery says to the owner of the shop. That of an unknown one leaves the cause out: each
 * execution of the order knows another one, and the same text is emailed once a day.
 *
 * @param text what happened to it, with what to do about it
 */
export function failedText(job: Job, text: string, isRemembered: boolean): string {
	const { outcome } = job;
	const isRejected = outcome?.kind === 'rejected';
	if (outcome?.kind !== 'unknown')
		return joinSentences([endSentence(text), isRejected && 'Correct this, then send it again.']);
	const description = unknownAdvice(job, outcome.why, isRemembered);
	return problemText({ message: unknownMessage(job), description });
}

/** The usual advice after a failure, to try again, could create an unknown delivery twice. */
function unknownAdvice(job: Job, why: UnknownReason, isRemembered: boolean): string {
	const { referenceId = 'it', claim } = job;
	if (why.code === 'firstFailed') return `Start with the message of item ${why.first.item}.`;
	if (!isRemembered) return 'Look for it in the Delivery Service before you send it again.';
	const isWhole = why.code === 'elsewhere' && why.isWhole;
	const name = isWhole ? (claim?.part?.orderReferenceId ?? referenceId) : referenceId;
	// An order may have been sent whole or by fulfillment order.
	const parts =
		claim?.orderId !== undefined && !claim.part
			? ` and reference IDs that start with "${name}-"`
			: '';
	return `Wait until no other execution of this workflow is running, then look for ${name}${parts} in the Delivery Service. If it was not created, run the operation "Allow Resending" for ${name}, then send it again.`;
}

/** Why a delivery is unknown. */
function unknownCause({ referenceId, claim }: Job, why: UnknownReason): UnknownCause {
	switch (why.code) {
		case 'exchange':
			return {
				cause: lowerFirst(explainExchange(why.exchange).message),
				detail: serviceDetail(why.exchange),
			};
		case 'batchRejected':
			return {
				cause: `the Delivery Service rejected the request for it and ${why.others === 1 ? 'another one' : `${why.others} others`}${statusOf(why.exchange)}`,
				detail: joinSentences([
					why.exchange.status === 413
						? 'For later runs, set the option Batch Size to a smaller number: the request was too large.'
						: 'For later runs, set the option Batch Size to 1, so that a rejection affects only one delivery.',
					explainExchange(why.exchange).description,
				]),
			};
		case 'noRecord':
			return isFromService(why.exchange)
				? {
						cause: 'the response contains no record of it',
						detail: otherIdsSentence(why.otherIds) || serviceDetail(why.exchange),
					}
				: {
						cause: lowerFirst(notADeliveryService.message),
						detail: notADeliveryService.description,
					};
		case 'elsewhere':
			return {
				cause: why.isWhole
					? `another execution may have sent the whole order (${claim?.part?.orderReferenceId ?? referenceId})`
					: 'another execution may have sent it',
			};
		case 'firstFailed':
			return {
				cause: `item ${why.first.item} is the same delivery or its whole order, and its outcome is unknown`,
			};
		case 'halted':
			return { cause: haltProblem(why.halt).message };
	}
}

interface UnknownCause {
	cause: string;
	detail?: string;
}

function describeNotSent(job: Job, { why }: NotSent, isRemembered: boolean): Problem {
	const { referenceId, claim } = job;
	const name = referenceId ?? 'This delivery';
	const order = claim?.part?.orderReferenceId ?? referenceId ?? '';
	const notSent = (cause: string, description: string) => ({
		message: `${name} was not sent: ${cause}`,
		description,
	});
	switch (why.code) {
		case 'anotherOrder':
			return notSent(
				'another order has the same reference ID',
				'If two shops use the same order numbers, set Reference ID From to Order ID in the workflow of one shop; its orders that were already sent get new reference IDs, so leave them out. If there is no other shop, look for it in the Delivery Service. Use Allow Resending only if it is not there.',
			);
		case 'anotherDelivery':
			return notSent(
				`item ${why.first.item} has the same reference ID, but is a different delivery`,
				'Give each delivery its own reference ID.',
			);
		case 'firstFailed':
			return notSent(
				`item ${why.first.item} is the same delivery or its whole order, and was not created`,
				`Start with the message of item ${why.first.item}.`,
			);
		case 'inParts':
			return notSent(
				'this workflow has already started to send it by fulfillment order',
				`Pass its fulfillment orders to this node; those with a delivery are skipped. To send the whole order, make sure that the Delivery Service has no delivery for it, then use Allow Resending for ${order}.`,
			);
		case 'unitsPartlySent':
			return notSent(
				`some of its items were already sent with another fulfillment order of ${order}`,
				'In Shopify, split it so that the items that are not sent yet have a fulfillment order of their own, then send that one.',
			);
		case 'dryRun':
			return notSent(
				'Dry Run is on',
				'If you created this order only as a test, it worked: cancel it in Shopify. For a real order, turn off Dry Run under Options, publish the workflow, and send the order again.',
			);
		case 'notStarted':
			return why.problem;
		case 'halted':
		case 'exchange': {
			const { message, description } = haltProblem(why.code === 'halted' ? why.halt : why);
			return notSent(lowerFirst(message), description ?? againAdvice(isRemembered));
		}
	}
}

function againAdvice(isRemembered: boolean): string {
	return isRemembered
		? 'Run the workflow again to send it.'
		: 'Run the workflow again with only the deliveries that were not sent.';
}

/** Why a run sends nothing more. */
function haltProblem(halt: Halt): Problem {
	switch (halt.code) {
		case 'stopped':
			return { message: 'the execution was stopped' };
		case 'earlierFailure':
			return { message: 'an earlier delivery failed' };
		case 'unexpected':
			return { message: `an unexpected error occurred${causeOf(halt.error)}` };
		case 'store':
			return storeProblem(halt.error);
		case 'exchange':
			return explainExchange(halt.exchange);
	}
}

/** The problem when n8n's database fails while references are checked. */
export function storeProblem(error: unknown): Problem {
	return {
		message: `n8n could not check which reference IDs were already sent${causeOf(error)}`,
		description:
			'Save the workflow and run it again. If that does not help, ask your n8n administrator to check the n8n database.',
	};
}

/** Explains to the user why a request did not succeed, without the list of created deliveries. */
function explainExchange(exchange: Exchange): Problem {
	return explainFailure(exchange, 'Company ID and warehouse IDs');
}

function statusOf(exchange: Exchange): string {
	return exchange.status === undefined ? '' : ` (status ${exchange.status})`;
}

/** Whether a success comes from the service: it has records, or at least a code or a message. */
function isFromService(exchange: Exchange): boolean {
	if (exchange.kind === 'noResponse') return false;
	const { body } = exchange;
	const { code, message } = codeAndMessageSchema.parse(body);
	return (
		Boolean(code ?? message) || (typeof body === 'object' && body !== null && 'payload' in body)
	);
}

function otherIdsSentence(ids: readonly string[]): string {
	return ids.length > 0
		? `The response has records that belong to no delivery of the request: ID ${shownText(listUpTo(20, ids), 500)}.`
		: '';
}
