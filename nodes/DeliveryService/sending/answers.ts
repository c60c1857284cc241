import { isSuccess, type Answer, type Exchange } from '../service/client';
import {
	detailOf,
	explain,
	isAboutAllRequests,
	isSuccessCode,
	notTheService,
} from '../service/errors';
import type { Problem } from '../common/result';
import { codeAndMessageSchema, creationAnswerSchema } from '../service/schemas';
import { classifyCreation } from './classify';
import {
	unknownOutcome,
	type Creation,
	type CreationResult,
	type Failed,
	type Outcome,
} from './outcomes';
import { matchRecords } from './records';

/** What the editor calls the option, and messages too. */
export const refusedCreateNothingLabel = 'Refused Requests Create Nothing';

/** What came of a request. */
export interface Reading {
	/** What became of each creation of the batch, in order. */
	results: CreationResult[];
	/** What keeps others from being sent, if they are not. */
	problem: Problem;
	/** Whether every further request would meet the same. */
	endsRun: boolean;
	/** Whether the request may have been refused for some of its deliveries only. */
	mayBeSplit: boolean;
	/** Whether every further request may meet the same, unless the service has answered before. */
	mayBeElsewhere: boolean;
}

/** What is known of requests whatever comes of them. */
export interface Known {
	/** Whether references are kept from being sent again until somebody forgets them. */
	isRemembered: boolean;
	/** The user's word that a refused request has created nothing. */
	refusedCreateNothing: boolean;
}

/**
 * Tells what became of the deliveries of a request. Records are read whatever the status: what has
 * an ID was created. Of the others, when the request was refused, only a single one is known not to
 * be created: the document does not say that a refused request has created nothing (section 7).
 */
export function readExchange(
	batch: readonly Creation[],
	exchange: Exchange,
	known: Known,
): Reading {
	// What a failure lists without naming a delivery may be an error with an ID of its own.
	const isNamed = (record: object) =>
		isSuccessOf(exchange) || 'index' in record || 'referenceId' in record;
	const payload = payloadOf(exchange);
	const { records, withoutId, leftOver } = matchRecords(
		batch.map(({ delivery }) => delivery),
		payload.filter(isNamed),
	);
	const strays = [...leftOver, ...payload.filter((record) => !isNamed(record))];
	const strayIds = strays.flatMap(({ id }) => (isId(id) ? [String(id)] : []));
	const hasCreated = strayIds.length > 0 || records.some((record) => record !== undefined);
	const rest = restOf(batch.length, exchange, hasCreated, known);
	const unknown = (cause: string, details: string[]) =>
		unknownOutcome(
			cause,
			known.isRemembered,
			[...details, strayIdsSentence(strayIds)].filter(Boolean).join(' '),
		);
	const outcomeAt = (position: number): Outcome => {
		const record = records[position];
		if (record) return { kind: 'created', ...record };
		if ('problem' in rest) return rest;
		const own = withoutId[position];
		const words = own ? wordsOfRecord(own) : '';
		return words ? unknown(noId, [words]) : unknown(rest.cause, rest.details);
	};
	return {
		results: batch.map((creation, position) => ({ creation, outcome: outcomeAt(position) })),
		problem: problemOf(exchange),
		endsRun:
			rest.kind === 'notSent' || (exchange.kind === 'answer' && isAboutAllRequests(exchange)),
		mayBeSplit: rest.kind === 'refused' && batch.length > 1 && isAboutContent(exchange),
		mayBeElsewhere: rest.kind === 'unknown' && isNotFoundPage(exchange),
	};
}

/** Whether an answer names deliveries that were created, whatever its status. */
export function holdsRecords(exchange: Exchange): boolean {
	return payloadOf(exchange).some(({ id }) => isId(id));
}

/** What became of the deliveries that have no record: known, or unknown for this cause. */
type Rest = Failed | { kind: 'unknown'; cause: string; details: string[] };

function restOf(
	count: number,
	exchange: Exchange,
	hasCreated: boolean,
	{ refusedCreateNothing }: Known,
): Rest {
	const problem = explained(exchange);
	const exchangeClass = classifyCreation(exchange);
	if (exchange.kind === 'noAnswer')
		return exchangeClass === 'unknown'
			? { kind: 'unknown', cause: problem.message, details: [detailOf(exchange)] }
			: { kind: 'notSent', problem };
	const details = [wordsOf(exchange)];
	if (exchangeClass === 'done')
		return isFromService(exchange)
			? { kind: 'unknown', cause: noRecord, details }
			: {
					kind: 'unknown',
					cause: notTheService.message,
					details: [notTheService.description ?? ''],
				};
	if (exchangeClass === 'notProcessed' && !hasCreated) return { kind: 'notSent', problem };
	if (exchangeClass !== 'refused') return { kind: 'unknown', cause: problem.message, details };
	const isCertain = count === 1 || refusedCreateNothing || isAboutAllRequests(exchange);
	if (isCertain && !hasCreated) return { kind: 'refused', problem };
	return {
		kind: 'unknown',
		cause: count > 1 ? sharedRefusal(exchange, count - 1) : problem.message,
		details: [count > 1 ? sendAlone : '', problem.description ?? ''],
	};
}

const noRecord = 'the answer of the service holds no record of it';

const noId = 'its record in the answer of the service has no ID';

const sendAlone = `So that a refusal touches one delivery only, set the option Batch Size to 1; or, if you know that the service creates nothing when it refuses a request, turn on the option ${refusedCreateNothingLabel}.`;

function sharedRefusal({ status }: Answer, others: number): string {
	const company = others === 1 ? 'another' : `${others} others`;
	return `the Delivery Service refused the request that it shared with ${company} (status ${status})`;
}

/**
 * An address that is not found, in no words of the service's: most likely the Base URL leads past it.
 * That nothing was created is not certain all the same.
 */
function isNotFoundPage(exchange: Exchange): boolean {
	if (exchange.kind === 'noAnswer' || exchange.status !== 404) return false;
	const { code, message } = codeAndMessageSchema.parse(exchange.body);
	return !code && !message;
}

/** Refusals that may be about one delivery among several; all others concern the whole request. */
const contentStatuses = new Set([400, 404, 409, 413, 422]);

function isAboutContent(exchange: Exchange): boolean {
	return exchange.kind === 'answer' && contentStatuses.has(exchange.status);
}

function problemOf(exchange: Exchange): Problem {
	if (!isSuccessOf(exchange)) return explained(exchange);
	if (!isFromService(exchange)) return notTheService;
	return {
		message: 'The Delivery Service does not say what it created',
		description: [lookAtTheOthers, wordsOf(exchange)].filter(Boolean).join(' '),
	};
}

const lookAtTheOthers =
	'See what it says of the deliveries whose outcome is unknown, then run the workflow again.';

function isSuccessOf(exchange: Exchange): exchange is Answer {
	return exchange.kind === 'answer' && isSuccess(exchange);
}

function payloadOf(exchange: Exchange): Array<Record<string, unknown>> {
	if (exchange.kind === 'noAnswer') return [];
	const answer = creationAnswerSchema.safeParse(exchange.body);
	return answer.success ? answer.data.payload : [];
}

/** Whether a success is one of the service at all: it has records, or says at least something. */
function isFromService({ body }: Answer): boolean {
	const { code, message } = codeAndMessageSchema.parse(body);
	return creationAnswerSchema.safeParse(body).success || Boolean(code ?? message);
}

function isId(value: unknown): value is string | number {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

const maxNamed = 20;

function strayIdsSentence(ids: readonly string[]): string {
	if (ids.length === 0) return '';
	const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : '';
	return `The answer also holds records that cannot be told to be of one delivery: ID ${ids.slice(0, maxNamed).join(', ')}${more}.`;
}

/** What the service says besides its records, unless that is only that all went well. */
function wordsOf(answer: Answer): string {
	const { code } = codeAndMessageSchema.parse(answer.body);
	if (isSuccess(answer) && (!code || isSuccessCode(code))) return '';
	return detailOf(withoutRecords(answer));
}

/** An answer without the list of what was created, which is read apart and may be long. */
function withoutRecords<Some extends Exchange>(exchange: Some): Some {
	if (exchange.kind === 'noAnswer') return exchange;
	const { body } = exchange;
	const isOnlyRecords = payloadOf(exchange).length === 0 || holdsRecords(exchange);
	if (typeof body !== 'object' || body === null || Array.isArray(body) || !isOnlyRecords)
		return exchange;
	return { ...exchange, body: { ...body, payload: null } };
}

/** Why a request did not succeed, in the user's words. */
function explained(exchange: Exchange): Problem {
	return explain(withoutRecords(exchange), 'Company ID and warehouse IDs');
}

/** What a record without an ID says, which is most likely why there is none. */
function wordsOfRecord(record: Record<string, unknown>): string {
	const { error } = record;
	const words = typeof error === 'string' ? { message: error, ...record, error: null } : record;
	const body = { ...words, id: null, index: null, referenceId: null };
	return detailOf({ kind: 'answer', status: 200, headers: {}, body });
}
