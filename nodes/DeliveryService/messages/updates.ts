/** The sentences about deliveries that were not updated, or may not have been. */
import { problemText, type Problem } from '../common/result';
import { endSentence, joinSentences, lowerFirst } from '../common/text';
import type { Cause, FailedUpdate, Update, UpdateOutcome, UpdateResult } from '../sending/updates';
import { isSuccess, type Exchange } from '../service/client';
import { explainFailure, notADeliveryService, serviceDetail } from '../service/errors';
import type { TargetKind } from '../service/schemas';
import { executionStopped, unexpectedError } from './causes';
import { listNames } from './lists';

/** What happened to a delivery that was not updated, or may not have been, and what to do. */
export function updateProblem({ id, targetKind, outcome }: FailedUpdate): Problem {
	const { message, description } = explainCause(outcome.cause, targetKind);
	const cause = lowerFirst(message);
	const isReference = targetKind === 'referenceIds';
	if (outcome.kind === 'unknown') {
		const name = isReference ? id : `delivery ${id}`;
		return {
			message: `It is unknown whether ${name} was updated: ${cause}`,
			description: unknownAdvice(outcome, targetKind),
		};
	}
	const name = isReference ? id : `Delivery ${id}`;
	return { message: `${name} was not updated: ${cause}`, description };
}

/**
 * Why the delivery of a changed order was not updated, or may not have been. A later run does not try again,
 * so the owner corrects the delivery, and needs no advice about the run.
 */
export function failedUpdateText(failed: FailedUpdate): string {
	const { cause } = failed.outcome;
	const isExchange = cause.kind === 'response' || cause.kind === 'noResponse';
	const description = isExchange ? serviceDetail(cause) : undefined;
	return problemText({ message: updateProblem(failed).message, description });
}

/** Trying again is the wrong advice if the delivery may have another reference ID by now. */
function unknownAdvice(
	{ cause, isRepeatable, rejection }: Extract<UpdateOutcome, { kind: 'unknown' }>,
	targetKind: TargetKind,
): string {
	// Services may reject a change that was already made.
	if (rejection)
		return `Look at the delivery in the Delivery Service: the update was retried and then rejected. ${problemText(explainExchange(rejection, targetKind))}`;
	const advice = isRepeatable
		? 'It is safe to run the update again.'
		: 'Look in the Delivery Service under both the old and the new reference ID. Run the update again only if the delivery still has the old one; if it has the new one, the update was made.';
	if (cause.kind !== 'response' && cause.kind !== 'noResponse') return advice;
	const detail = serviceDetail(cause) || (isSuccess(cause) ? notADeliveryService.description : '');
	return detail ? `${advice} ${detail}` : advice;
}

function explainCause(cause: Cause, targetKind: TargetKind): Problem {
	const description = 'Run the workflow again to update it.';
	switch (cause.kind) {
		case 'stopped':
			return { message: executionStopped, description };
		case 'unexpected':
			return { message: unexpectedError(cause.error), description };
		case 'response':
			if (isSuccess(cause))
				return { message: `the response does not confirm it (status ${cause.status})` };
	}
	return explainExchange(cause, targetKind);
}

function explainExchange(exchange: Exchange, targetKind: TargetKind): Problem {
	return explainFailure(exchange, targetKind === 'referenceIds' ? 'reference ID' : 'delivery ID');
}

/** Why the fields of an item are no update. */
type InputProblem =
	{ code: 'noChange' } | { code: 'emptyChange'; field: string } | { code: 'sharedReference' };

/** Words why the fields of an item are no update. */
export function inputProblem(problem: InputProblem): Problem {
	switch (problem.code) {
		case 'noChange':
			return {
				message: 'There is nothing to change',
				description: 'Add at least one field under Changes.',
			};
		case 'emptyChange':
			return {
				message: `${problem.field} is empty`,
				description: 'Enter a value, or remove the field from Changes to leave it unchanged.',
			};
		case 'sharedReference':
			return {
				message: "A new reference ID can't be assigned to several deliveries",
				description:
					'A reference ID must identify one delivery. Use one input item per delivery, and an expression in New Reference ID.',
			};
	}
}

type UpdatesByOutcome = Record<UpdateOutcome['kind'], Array<{ item: number; id: string }>>;

/**
 * The error of a run that ends with a failed update. It lists all deliveries by outcome, since n8n
 * keeps no other output of a failed node.
 *
 * @param results the results so far, in the order of the updates; the other updates were not sent
 * @param failed the problem of the failed update
 */
export function runProblem(
	updates: readonly Update[],
	results: readonly UpdateResult[],
	failed: Problem,
): { problem: Problem; lists: UpdatesByOutcome } {
	const lists: UpdatesByOutcome = { updated: [], rejected: [], unknown: [], notSent: [] };
	for (const { update, id, outcome } of results)
		lists[outcome.kind].push({ item: update.item, id });
	const targets = updates.flatMap(({ item, ids }) => ids.map((id) => ({ item, id })));
	lists.notSent.push(...targets.slice(results.length));
	const idsOf = (kind: UpdateOutcome['kind']) => lists[kind].map(({ id }) => id);
	const sentences = [
		endSentence(failed.description),
		listNames('Rejected', idsOf('rejected')),
		listNames('Possibly updated', idsOf('unknown')),
		listNames('Not sent', idsOf('notSent')),
		`Deliveries updated in this run: ${lists.updated.length}.`,
	];
	return { problem: { ...failed, description: joinSentences(sentences) }, lists };
}
