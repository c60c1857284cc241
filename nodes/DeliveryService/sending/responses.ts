import type { Problem } from '../common/result';
import { isSuccess, type Answer, type Exchange } from '../service/client';
import {
	detailOf,
	explain,
	isAboutAllRequests,
	isSuccessCode,
	notTheService,
} from '../service/errors';
import { codeAndMessageSchema, creationAnswerSchema } from '../service/schemas';
import { classifyCreation, type ExchangeClass } from './classify';
import {
	unknownOutcome,
	type Creation,
	type CreationResult,
	type Failed,
	type Outcome,
} from './outcomes';
import { matchRecords, type CreatedRecord } from './records';

/** What the editor calls the option, and messages too. */
export const refusedCreateNothingLabel = 'Refused Requests Create Nothing';

/** The response to a creation request, or the failure in its place. */
export interface CreationResponse {
	exchange: Exchange;
	/** What the status or the failure says about the request. */
	class: ExchangeClass;
	/** The records in the payload; undefined when there is no payload. */
	records?: CreatedRecord[];
	code?: string | null;
	message?: string | null;
}

/** Reads a response once, for all that is decided about it. */
export function readResponse(exchange: Exchange): CreationResponse {
	const response = { exchange, class: classifyCreation(exchange) };
	if (exchange.kind === 'noAnswer') return response;
	const { code, message } = codeAndMessageSchema.parse(exchange.body);
	const { data } = creationAnswerSchema.safeParse(exchange.body);
	return { ...response, records: data?.payload, code, message };
}

/** Whether a response names created deliveries, whatever its status. */
export function namesCreated({ records = [] }: CreationResponse): boolean {
	return records.some(({ id }) => isId(id));
}

/** What a response means for the deliveries of its batch. */
export interface BatchResult {
	/** The result of each creation of the batch, in order. */
	results: CreationResult[];
	/** Why not all of them were created; undefined when they were. */
	failure?: BatchFailure;
}

export interface BatchFailure {
	problem: Problem;
	/** Whether every later request would fail in the same way. */
	isFatal: boolean;
	/** Whether the request may have been rejected for some of its deliveries only. */
	canSplit: boolean;
	/** Whether the Base URL is probably wrong, unless the service has responded before. */
	isProbablyWrongUrl: boolean;
}

/** What is known about requests whatever the response. */
export interface Known {
	/** Whether references are kept from being sent again until the user allows it. */
	isRemembered: boolean;
	/** The user's word that a rejected request creates nothing. */
	refusedCreateNothing: boolean;
}

/**
 * Finds the outcome of each delivery of a batch. Records count whatever the status: a delivery with
 * an ID was created. When the request was rejected, only a single delivery is known not to exist:
 * the document does not say that a rejected request creates nothing (section 7).
 */
export function interpretResponse(
	batch: readonly Creation[],
	response: CreationResponse,
	known: Known,
): BatchResult {
	const { exchange, records: payload = [] } = response;
	const isDone = response.class === 'done';
	// A failure that lists an ID without a delivery may mean the ID of an error.
	const isNamed = (record: object) => isDone || 'index' in record || 'referenceId' in record;
	const { records, withoutId, leftOver } = matchRecords(
		batch.map(({ delivery }) => delivery),
		payload.filter(isNamed),
	);
	const toResults = (outcomeAt: (position: number) => Outcome): CreationResult[] =>
		batch.map((creation, position) => {
			const record = records[position];
			return { creation, outcome: record ? { kind: 'created', ...record } : outcomeAt(position) };
		});
	const hasRecord = records.some((record) => record !== undefined);
	const isComplete = records.every((record) => record !== undefined);
	const strays = [...leftOver, ...payload.filter((record) => !isNamed(record))];
	const strayIds = strays.flatMap(({ id }) => (isId(id) ? [String(id)] : []));
	if (isDone && isComplete) return { results: toResults(() => unknown(noRecord, [])) };

	const rest = outcomeOfRest(batch.length, response, hasRecord || strayIds.length > 0, known);
	return {
		results: toResults((position) => {
			if ('problem' in rest) return rest;
			const own = withoutId[position];
			const words = own ? wordsOfRecord(own) : '';
			return words ? unknown(noId, [words]) : unknown(rest.cause, rest.details);
		}),
		failure: {
			problem: problemOf(response),
			isFatal:
				rest.kind === 'notSent' || (exchange.kind === 'answer' && isAboutAllRequests(exchange)),
			canSplit: rest.kind === 'refused' && batch.length > 1 && isAboutContent(exchange),
			isProbablyWrongUrl: rest.kind === 'unknown' && isNotFoundPage(response),
		},
	};

	function unknown(cause: string, details: readonly string[]): Failed {
		const detail = [...details, strayIdsSentence(strayIds)].filter(Boolean).join(' ');
		return unknownOutcome(cause, known.isRemembered, detail);
	}
}

/** The outcome of deliveries without a record: known, or unknown for this cause. */
type Rest = Failed | { kind: 'unknown'; cause: string; details: string[] };

function outcomeOfRest(
	count: number,
	response: CreationResponse,
	hasCreated: boolean,
	{ refusedCreateNothing }: Known,
): Rest {
	const { exchange } = response;
	const problem = explained(response);
	if (exchange.kind === 'noAnswer')
		return response.class === 'unknown'
			? { kind: 'unknown', cause: problem.message, details: [detailOf(exchange)] }
			: { kind: 'notSent', problem };
	const details = [wordsOf(response)];
	if (response.class === 'done')
		return isFromService(response)
			? { kind: 'unknown', cause: noRecord, details }
			: {
					kind: 'unknown',
					cause: notTheService.message,
					details: [notTheService.description ?? ''],
				};
	if (response.class === 'notProcessed' && !hasCreated) return { kind: 'notSent', problem };
	if (response.class !== 'refused') return { kind: 'unknown', cause: problem.message, details };
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
 * A 404 without the service's own words: the Base URL is probably wrong. Whether something was
 * created is still not certain.
 */
function isNotFoundPage({ exchange, code, message }: CreationResponse): boolean {
	return exchange.kind === 'answer' && exchange.status === 404 && !code && !message;
}

/** Statuses that may be about one delivery of several; all others concern the whole request. */
const contentStatuses = new Set([400, 404, 409, 413, 422]);

function isAboutContent(exchange: Exchange): boolean {
	return exchange.kind === 'answer' && contentStatuses.has(exchange.status);
}

function problemOf(response: CreationResponse): Problem {
	if (response.class !== 'done') return explained(response);
	if (!isFromService(response)) return notTheService;
	return {
		message: 'The Delivery Service does not say what it created',
		description: [lookAtTheOthers, wordsOf(response)].filter(Boolean).join(' '),
	};
}

const lookAtTheOthers =
	'See what it says of the deliveries whose outcome is unknown, then run the workflow again.';

/** Whether a success comes from the service at all: it has records, or says at least something. */
function isFromService({ records, code, message }: CreationResponse): boolean {
	return records !== undefined || Boolean(code ?? message);
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
function wordsOf(response: CreationResponse): string {
	const { exchange, code } = response;
	if (exchange.kind === 'answer' && isSuccess(exchange) && (!code || isSuccessCode(code)))
		return '';
	return detailOf(withoutRecords(response));
}

/** The exchange without the list of created deliveries, which may be long. */
function withoutRecords({ exchange, records = [] }: CreationResponse): Exchange {
	if (exchange.kind === 'noAnswer') return exchange;
	const { body } = exchange;
	const isOnlyRecords = records.length === 0 || records.some(({ id }) => isId(id));
	if (typeof body !== 'object' || body === null || Array.isArray(body) || !isOnlyRecords)
		return exchange;
	return { ...exchange, body: { ...body, payload: null } };
}

/** Why a request did not succeed, in the user's words. */
function explained(response: CreationResponse): Problem {
	return explain(withoutRecords(response), 'Company ID and warehouse IDs');
}

/** What a record without an ID says, which is most likely why there is none. */
function wordsOfRecord(record: CreatedRecord): string {
	const { error } = record;
	const words = typeof error === 'string' ? { message: error, ...record, error: null } : record;
	const body = { ...words, id: null, index: null, referenceId: null };
	return detailOf({ kind: 'answer', status: 200, headers: {}, body });
}
