/** The sentences about deliveries that were rejected, are unknown or were not sent. */
import { problemText, type Problem } from '../common/result';
import { endSentence, joinSentences, listUpTo, lowerFirst } from '../common/text';
import type {
	Halt,
	Job,
	NotSent,
	Rejected,
	SettledJob,
	Unknown,
	UnknownReason,
} from '../sending/job';
import type { Exchange } from '../service/client';
import { explainFailure, notADeliveryService, serviceDetail } from '../service/errors';
import { shownText } from '../service/response';
import { codeAndMessageSchema } from '../service/schemas';
import { causeOf, executionStopped, unexpectedError } from './causes';
import { orderReference, partsOf } from './names';

/** Why the service created no delivery. */
export function describeRejected({ referenceId }: Job, { why }: Rejected): Problem {
	const { message, description } = explainExchange(why.exchange);
	const named = `${referenceId} was not created: ${lowerFirst(message)}`;
	return { message: referenceId === undefined ? message : named, description };
}

/** Why it is unknown whether there is a delivery, and how to find out. */
export function describeUnknown(job: Job, { why }: Unknown): Problem {
	const { cause, detail } = unknownCause(job, why);
	return {
		message: `${unknownMessage(job)}: ${cause}`,
		description: joinSentences([unknownAdvice(job, why), detail]),
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
export function failedText(job: SettledJob, text: string): string {
	const { outcome } = job;
	if (outcome.kind !== 'unknown')
		return joinSentences([
			endSentence(text),
			outcome.kind === 'rejected' && 'Correct this, then send it again.',
			outcome.kind === 'invalid' && 'Until this is corrected, it is not sent.',
		]);
	const description = unknownAdvice(job, outcome.why);
	return problemText({ message: unknownMessage(job), description });
}

/** The usual advice after a failure, to try again, could create an unknown delivery twice. */
function unknownAdvice(job: Job, why: UnknownReason): string {
	const { claim } = job;
	if (why.code === 'firstFailed') return startAdvice(why.first);
	if (!claim) return 'Look for it in the Delivery Service before you send it again.';
	const isWhole = why.code === 'elsewhere' && why.isWhole;
	const name = isWhole ? orderReference(job) : claim.referenceId;
	// An order may have been sent whole or by fulfillment order. If a delivery without an order is unknown from
	// before, its reference ID may be that of an order.
	const mayBeOrder = claim.orderId !== undefined || why.code === 'elsewhere';
	const mayHaveParts = isWhole || (mayBeOrder && !claim.part);
	const parts = mayHaveParts ? ` and ${partsOf(job)}` : '';
	const isAbsent = mayHaveParts ? 'none of them exists' : 'it was not created';
	return `Wait until no other execution of this workflow is running, then look for ${name}${parts} in the Delivery Service. If ${isAbsent}, run the operation "Allow Resending" for ${name}, then send it again.`;
}

/** Why a delivery is unknown. */
function unknownCause(job: Job, why: UnknownReason): UnknownCause {
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
						: 'For later runs, set the option Batch Size to 1, so that a rejection leaves no other delivery unknown.',
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
					? `another execution may have sent the whole order (${orderReference(job)})`
					: 'another execution may have sent it',
			};
		case 'firstFailed':
			return {
				cause: `${sameDelivery(why.first)}, and its outcome is unknown`,
			};
		case 'unexpected':
			return { cause: unexpectedError(why.error) };
	}
}

interface UnknownCause {
	cause: string;
	detail?: string;
}

/** Why a delivery was not sent. */
export function describeNotSent(job: Job, { why }: NotSent): Problem {
	const { referenceId: name = 'This delivery' } = job;
	const order = orderReference(job);
	const notSent = (cause: string, description: string) => ({
		message: `${name} was not sent: ${cause}`,
		description,
	});
	switch (why.code) {
		case 'anotherOrder':
			return notSent(
				'another order has the same reference ID',
				'Look in the Delivery Service for a delivery to its customer. If there is none, create it with the operation Create and another reference ID. If this workflow gets the orders of two shops, give those of one a prefix in Shopify, under Settings > General > Order ID.',
			);
		case 'anotherDelivery':
			return notSent(
				`item ${why.first.item} has the same reference ID, but is a different delivery`,
				`Look for ${name} in the Delivery Service. If one of the two was sent, leave its reference ID as it is, and give only the other one another reference ID.`,
			);
		case 'firstFailed':
			return notSent(`${sameDelivery(why.first)}, and was not created`, startAdvice(why.first));
		case 'inParts':
			return notSent(
				'this workflow has already started to send it by fulfillment order',
				`Pass its fulfillment orders to this node; those with a delivery are skipped. To send the whole order, make sure that the Delivery Service has no delivery for it, then use Allow Resending for ${order}.`,
			);
		case 'unitsPartlySent':
			return notSent(
				`some of its items were sent, or may have been, with another fulfillment order of ${order}`,
				'In Shopify, split it so that the items that are not sent yet have a fulfillment order of their own, then send that one.',
			);
		case 'dryRun':
			return notSent(
				'Dry Run is on',
				'If you created this order only as a test, it worked: cancel it in Shopify. For a real order, turn off Dry Run under Options, publish the workflow, and send the order again.',
			);
		case 'notStarted':
			return why.problem;
		default: {
			const { message, description } = haltProblem(why);
			return notSent(lowerFirst(message), description ?? againAdvice(job));
		}
	}
}

/** Why a delivery depends on that of another item, as a clause. */
function sameDelivery({ item }: Job): string {
	return `item ${item} is the same delivery or its whole order`;
}

function startAdvice({ item }: Job): string {
	return `Start with the message of item ${item}.`;
}

/** Running the workflow again skips what was created only if that is remembered. */
function againAdvice({ claim }: Job): string {
	return claim
		? 'Run the workflow again to send it.'
		: 'Run the workflow again with only the deliveries that were not sent.';
}

/** Why a run sends nothing more. */
function haltProblem(halt: Halt): Problem {
	switch (halt.code) {
		case 'stopped':
			return { message: executionStopped };
		case 'earlierFailure':
			return { message: 'an earlier delivery failed' };
		case 'unexpected':
			return { message: unexpectedError(halt.error) };
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
