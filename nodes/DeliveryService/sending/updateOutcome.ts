import type { Answer, Exchange } from '../service/client';
import { detailOf, explain, isSuccessCode, notTheService } from '../service/errors';
import type { Problem, Result } from '../service/result';
import { updateAnswerSchema } from '../service/schemas';
import { lowerFirst } from '../service/text';
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
export interface Verdict {
	outcome: UpdateOutcome;
	/** Whether it may have failed for one of its deliveries only. */
	mayBeAboutOne?: true;
	/** Why no further request would fare better. */
	halt?: Problem;
	/** Why the outcome is unknown; several of those in a row are a service out of order. */
	unknownBecause?: Problem;
}

/** What an exchange means for the deliveries of an update request. */
export function verdictOn(exchange: Exchange): Verdict {
	const problem = explain(exchange, 'delivery IDs or reference IDs');
	const exchangeClass = classifyExchange(exchange);
	if (exchangeClass === 'notProcessed')
		return { outcome: { kind: 'notSent', problem }, halt: problem };
	if (exchange.kind === 'noAnswer')
		return exchangeClass === 'refused'
			? { outcome: { kind: 'notSent', problem }, halt: problem }
			: { outcome: unknownUpdate(exchange), unknownBecause: problem };
	if (exchangeClass === 'done') {
		const said = readAnswer(exchange);
		return said.ok
			? { outcome: { kind: 'updated', said: said.value } }
			: { outcome: { kind: 'refused', problem: said.problem }, mayBeAboutOne: true };
	}
	if (exchangeClass === 'unknown') {
		const verdict = { outcome: unknownUpdate(exchange), unknownBecause: problem };
		return exchange.status === 303 ? verdict : { ...verdict, mayBeAboutOne: true };
	}
	const isAboutAll = exchange.status === 401 || exchange.status < 400;
	return {
		outcome: { kind: 'refused', problem },
		...(isAboutAll ? { halt: problem } : { mayBeAboutOne: true }),
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

function unknownUpdate(exchange: Exchange): Failed {
	return {
		kind: 'unknown',
		problem: {
			message: `Whether this delivery was updated is unknown: ${lowerFirst(explain(exchange).message)}`,
			description: ['Update it again: that does no harm.', detailOf(exchange)]
				.filter(Boolean)
				.join(' '),
		},
	};
}

/** What a success says (section 4.2): nothing at all is a success too, a code of failure is none. */
function readAnswer({ status, body }: Answer): Result<Updated['said']> {
	if (body === undefined || body === null || (typeof body === 'string' && isSuccessCode(body)))
		return { ok: true, value: {} };
	const answer = updateAnswerSchema.safeParse(body);
	if (!answer.success) return { ok: false, problem: notTheService };
	const { code, message, data, payload } = answer.data;
	if (code && !isSuccessCode(code))
		return {
			ok: false,
			problem: {
				message: `The Delivery Service answered the update with the code "${code.slice(0, 60)}"`,
				description: detailOf({ kind: 'answer', status, headers: {}, body }),
			},
		};
	const jobId = (data ?? payload)?.jobs;
	return { ok: true, value: { jobId, ...(code && { code }), ...(message && { message }) } };
}
