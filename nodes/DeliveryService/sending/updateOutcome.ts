import type { ServiceResponse, Exchange } from '../service/client';
import {
	serviceDetail,
	explainFailure,
	isAboutAllRequests,
	isRedirect,
	isSuccessCode,
	notADeliveryService,
} from '../service/errors';
import type { Problem } from '../common/result';
import { updateResponseSchema } from '../service/schemas';
import { lowerFirst } from '../common/text';
import type { ExchangeClass } from './classify';
import type { Failed } from './outcomes';

/** The outcome of an update. */
export type UpdateOutcome = Updated | Failed;

export interface Updated {
	kind: 'updated';
	/** The service's job, code and message, if it returned them (API document, section 4.2). */
	response: { jobId?: unknown; code?: string; message?: string };
}

/** The outcome of a request, and what follows for other requests. */
export interface UpdateVerdict {
	outcome: UpdateOutcome;
	/** Whether it may have failed because of only one of its deliveries. */
	mayConcernOne?: true;
	/** Why every later request would fail too. */
	halt?: Problem;
	/** Why the outcome is unknown; several of these in a row mean that the service is broken. */
	unknownCause?: Problem;
}

/**
 * What an exchange means for the deliveries of an update request.
 *
 * @param exchangeClass what the exchange says about the request
 * @param advice what to do when it is unknown whether the update was made
 */
export function updateVerdict(
	exchange: Exchange,
	exchangeClass: ExchangeClass,
	advice: string,
): UpdateVerdict {
	const problem = explainFailure(exchange, 'delivery IDs or reference IDs');
	if (exchangeClass === 'notProcessed')
		return { outcome: { kind: 'notSent', problem }, halt: problem };
	if (exchange.kind === 'noResponse')
		return exchangeClass === 'rejected'
			? { outcome: { kind: 'notSent', problem }, halt: problem }
			: lostResponseVerdict(exchange, advice);
	if (exchangeClass === 'done') return successVerdict(exchange, advice);
	if (exchangeClass === 'unknown') {
		const verdict = lostResponseVerdict(exchange, advice);
		return isRedirect(exchange) ? verdict : { ...verdict, mayConcernOne: true };
	}
	if (isAboutAllRequests(exchange)) return { outcome: { kind: 'notSent', problem }, halt: problem };
	return { outcome: { kind: 'rejected', problem }, mayConcernOne: true };
}

/**
 * The outcome of an update that was not sent.
 *
 * @param cause why nothing more is sent
 */
export function notUpdated({ message, description }: Problem): Failed {
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not updated: ${lowerFirst(message)}`,
			description: description ?? 'Run the workflow again to update it.',
		},
	};
}

/** The verdict when the service may or may not have processed a request. */
export function lostResponseVerdict(exchange: Exchange, advice: string): UpdateVerdict {
	return unknownUpdate(explainFailure(exchange), advice, serviceDetail(exchange));
}

/**
 * The verdict on a repeated request when the outcome of the first one is unknown: unless the second
 * one succeeds, the first one may have made the update.
 *
 * @param first the unknown verdict on the first request
 * @param later the verdict on the repeated request
 */
export function afterLostResponse(
	{ outcome: first, unknownCause }: UpdateVerdict,
	later: UpdateVerdict,
): UpdateVerdict {
	const { outcome } = later;
	if (first.kind === 'updated' || outcome.kind === 'updated' || outcome.kind === 'unknown')
		return later;
	const problem =
		outcome.kind === 'rejected' ? rejectedLater(first.problem, outcome.problem) : first.problem;
	return { ...later, outcome: { kind: 'unknown', problem }, unknownCause };
}

/** Services often reject a change that was already made, so sending it once more would not help. */
function rejectedLater(first: Problem, { message, description }: Problem): Problem {
	const advice =
		'Check the delivery in the Delivery Service dashboard: the update was retried and then rejected.';
	const rejection = description ? `${message}. ${description}` : message;
	return { message: first.message, description: `${advice} ${rejection}` };
}

/** The verdict when it is unknown, for this cause, whether an update was made. */
export function unknownUpdate(cause: Problem, advice: string, detail = ''): UpdateVerdict {
	return {
		outcome: {
			kind: 'unknown',
			problem: {
				message: `It is unknown whether this delivery was updated: ${lowerFirst(cause.message)}`,
				description: [advice, detail].filter(Boolean).join(' '),
			},
		},
		unknownCause: cause,
	};
}

/**
 * The verdict on a success status (API document, section 4.2): an empty body is a success too, an
 * error code is not. Any other unreadable body may be the service's way to report a success.
 */
function successVerdict({ status, body }: ServiceResponse, advice: string): UpdateVerdict {
	if (body === undefined || body === null || (typeof body === 'string' && isSuccessCode(body)))
		return { outcome: { kind: 'updated', response: {} } };
	const parsed = updateResponseSchema.safeParse(body);
	if (!parsed.success)
		return unknownUpdate(notADeliveryService, advice, notADeliveryService.description);
	const { code, message, data, payload } = parsed.data;
	if (code && !isSuccessCode(code))
		return {
			outcome: {
				kind: 'rejected',
				problem: {
					message: `The Delivery Service responded to the update with the code "${code.slice(0, 60)}"`,
					description: serviceDetail({ kind: 'response', status, headers: {}, body }),
				},
			},
			mayConcernOne: true,
		};
	const jobId = (data ?? payload)?.jobs;
	const response = { jobId, ...(code && { code }), ...(message && { message }) };
	return { outcome: { kind: 'updated', response } };
}
