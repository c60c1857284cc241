import type { ServiceResponse, Exchange } from '../service/client';
import {
	serviceDetail,
	explainFailure,
	isAboutAllRequests,
	isSuccessCode,
	notADeliveryService,
} from '../service/errors';
import type { Problem } from '../common/result';
import { updateResponseSchema } from '../service/schemas';
import { lowerFirst } from '../common/text';
import { classifyExchange } from './classify';
import type { Failed } from './outcomes';

/** What became of an update. */
export type UpdateOutcome = Updated | Failed;

export interface Updated {
	kind: 'updated';
	/** The service's job, code and message, as far as it gave them (service document, section 4.2). */
	said: { jobId?: unknown; code?: string; message?: string };
}

/** What a request came to, and what follows for others. */
export interface UpdateVerdict {
	outcome: UpdateOutcome;
	/** Whether it may have failed for one of its deliveries only. */
	mayBeAboutOne?: true;
	/** Why no further request would fare better. */
	halt?: Problem;
	/** Why the outcome is unknown; several of those in a row are a service out of order. */
	unknownBecause?: Problem;
}

/**
 * What an exchange means for the deliveries of an update request.
 *
 * @param again what to do where it is unknown whether the update was made
 */
export function updateVerdict(exchange: Exchange, again: string): UpdateVerdict {
	const problem = explainFailure(exchange, 'delivery IDs or reference IDs');
	const exchangeClass = classifyExchange(exchange);
	if (exchangeClass === 'notProcessed')
		return { outcome: { kind: 'notSent', problem }, halt: problem };
	if (exchange.kind === 'noResponse')
		return exchangeClass === 'rejected'
			? { outcome: { kind: 'notSent', problem }, halt: problem }
			: lostResponseVerdict(exchange, again);
	if (exchangeClass === 'done') return successVerdict(exchange, again);
	if (exchangeClass === 'unknown') {
		const verdict = lostResponseVerdict(exchange, again);
		return exchange.status === 303 ? verdict : { ...verdict, mayBeAboutOne: true };
	}
	return {
		outcome: { kind: 'rejected', problem },
		...(isAboutAllRequests(exchange) ? { halt: problem } : { mayBeAboutOne: true }),
	};
}

/** @param cause why nothing more is sent */
export function notUpdated({ message, description }: Problem): Failed {
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not updated: ${lowerFirst(message)}`,
			description: description ?? 'Run the workflow again to update it.',
		},
	};
}

/** What an exchange means of which nobody can tell whether the service did what it was asked to. */
export function lostResponseVerdict(exchange: Exchange, again: string): UpdateVerdict {
	return unknownUpdate(explainFailure(exchange), again, serviceDetail(exchange));
}

/**
 * What a verdict means when the same was sent before, and what became of that is not known: unless it
 * is made now, it may have been made then.
 *
 * @param lost what is known of the request before
 * @param later what came of it this time
 */
export function afterLostResponse(
	{ outcome: lost, unknownBecause }: UpdateVerdict,
	later: UpdateVerdict,
): UpdateVerdict {
	const { outcome } = later;
	if (lost.kind === 'updated' || outcome.kind === 'updated' || outcome.kind === 'unknown')
		return later;
	const problem =
		outcome.kind === 'rejected' ? rejectedLater(lost.problem, outcome.problem) : lost.problem;
	return { ...later, outcome: { kind: 'unknown', problem }, unknownBecause };
}

/** A change that was made is often refused the second time, so that it is no use to send it once more. */
function rejectedLater(lost: Problem, { message, description }: Problem): Problem {
	const advice =
		'Look it up in the dashboard of the Delivery Service: the update was sent again, and was refused then.';
	const refusal = description ? `${message}. ${description}` : message;
	return { message: lost.message, description: `${advice} ${refusal}` };
}

function unknownUpdate(cause: Problem, again: string, detail = ''): UpdateVerdict {
	return {
		outcome: {
			kind: 'unknown',
			problem: {
				message: `Whether this delivery was updated is unknown: ${lowerFirst(cause.message)}`,
				description: [again, detail].filter(Boolean).join(' '),
			},
		},
		unknownBecause: cause,
	};
}

/**
 * What a success means (section 4.2): nothing at all is a success too, and a code of failure is none.
 * What else cannot be read may be the service's word for a success.
 */
function successVerdict({ status, body }: ServiceResponse, again: string): UpdateVerdict {
	if (body === undefined || body === null || (typeof body === 'string' && isSuccessCode(body)))
		return { outcome: { kind: 'updated', said: {} } };
	const answer = updateResponseSchema.safeParse(body);
	if (!answer.success)
		return unknownUpdate(notADeliveryService, again, notADeliveryService.description);
	const { code, message, data, payload } = answer.data;
	if (code && !isSuccessCode(code))
		return {
			outcome: {
				kind: 'rejected',
				problem: {
					message: `The Delivery Service answered the update with the code "${code.slice(0, 60)}"`,
					description: serviceDetail({ kind: 'response', status, headers: {}, body }),
				},
			},
			mayBeAboutOne: true,
		};
	const jobId = (data ?? payload)?.jobs;
	const said = { jobId, ...(code && { code }), ...(message && { message }) };
	return { outcome: { kind: 'updated', said } };
}
