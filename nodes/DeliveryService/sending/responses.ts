import type { Problem } from '../common/result';
import { isSuccess, type ServiceResponse, type Exchange } from '../service/client';
import {
	serviceDetail,
	explainFailure,
	isAboutAllRequests,
	isSuccessCode,
	notADeliveryService,
} from '../service/errors';
import { codeAndMessageSchema, creationResponseSchema } from '../service/schemas';
import { classifyCreation, type ExchangeClass } from './classify';
import { unknownOutcome, type Creation, type CreationResult, type Failed } from './outcomes';
import { matchRecords, type CreatedRecord } from './records';

/** What the editor calls the option, and messages too. */
export const retryRejectedBatchesLabel = 'Retry Rejected Batches';

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
	if (exchange.kind === 'noResponse') return response;
	const { code, message } = codeAndMessageSchema.parse(exchange.body);
	const { data } = creationResponseSchema.safeParse(exchange.body);
	return { ...response, records: data?.payload, code, message };
}

/** Whether a response names created deliveries, whatever its status. */
export function namesCreated({ records = [] }: CreationResponse): boolean {
	return records.some(({ id }) => isId(id));
}

/** What is known about requests whatever the response. */
export interface RunFacts {
	/** Whether references are kept from being sent again until the user allows it. */
	isRemembered: boolean;
	/** The user's word that a rejected request creates nothing. */
	retryRejectedBatches: boolean;
}

/**
 * The result of each delivery of a batch, in order. Records count whatever the status: a delivery
 * with an ID was created. When the request was rejected, only a single delivery is known not to
 * exist: the document does not say that a rejected request creates nothing (section 7).
 */
export function interpretResponse(
	batch: readonly Creation[],
	response: CreationResponse,
	known: RunFacts,
): CreationResult[] {
	const { records: payload = [] } = response;
	// A failure that lists an ID without a delivery may mean the ID of an error.
	const isNamed = (record: object) =>
		response.class === 'done' || 'index' in record || 'referenceId' in record;
	const { records, withoutId, leftOver } = matchRecords(
		batch.map(({ delivery }) => delivery),
		payload.filter(isNamed),
	);
	const strays = [...leftOver, ...payload.filter((record) => !isNamed(record))];
	const strayIds = strays.flatMap(({ id }) => (isId(id) ? [String(id)] : []));
	const hasCreated = strayIds.length > 0 || records.some((record) => record !== undefined);
	let rest: RestOutcome | undefined;
	return batch.map((creation, position) => {
		const record = records[position];
		if (record) return { creation, outcome: { kind: 'created', ...record } };
		rest ??= outcomeOfRest(batch.length, response, hasCreated, known);
		if ('problem' in rest) return { creation, outcome: rest };
		const own = withoutId[position];
		const words = own ? recordDetails(own) : '';
		const { cause, details } = words ? { cause: noId, details: [words] } : rest;
		const detail = [...details, strayIdsSentence(strayIds)].filter(Boolean).join(' ');
		return { creation, outcome: unknownOutcome(cause, known.isRemembered, detail) };
	});
}

/** Why deliveries of a batch were not created, and what that means for other requests. */
export interface BatchFailure {
	problem: Problem;
	/** Whether every later request would fail in the same way. */
	isFatal: boolean;
	/** Whether the request may have been rejected for some of its deliveries only. */
	canSplit: boolean;
	/** Whether the Base URL is probably wrong, unless the service has responded before. */
	isProbablyWrongUrl: boolean;
}

/**
 * Explains a response whose batch was not created as a whole.
 *
 * @param results what {@link interpretResponse} found
 * @returns undefined when everything was created
 */
export function failureOf(
	response: CreationResponse,
	results: readonly CreationResult[],
): BatchFailure | undefined {
	const failed = results.find(({ outcome }) => outcome.kind !== 'created')?.outcome.kind;
	if (failed === undefined && response.class === 'done') return undefined;
	const { exchange } = response;
	return {
		problem: batchProblem(response),
		isFatal: failed === 'notSent' || (exchange.kind === 'response' && isAboutAllRequests(exchange)),
		canSplit: failed === 'rejected' && results.length > 1 && isContentStatus(exchange),
		isProbablyWrongUrl: failed === 'unknown' && isNotFoundPage(response),
	};
}

/** The outcome of deliveries without a record: known, or unknown for this cause. */
type RestOutcome = Failed | { kind: 'unknown'; cause: string; details: string[] };

function outcomeOfRest(
	count: number,
	response: CreationResponse,
	hasCreated: boolean,
	{ retryRejectedBatches }: RunFacts,
): RestOutcome {
	const { exchange } = response;
	const problem = explainResponse(response);
	if (exchange.kind === 'noResponse')
		return response.class === 'unknown'
			? { kind: 'unknown', cause: problem.message, details: [serviceDetail(exchange)] }
			: { kind: 'notSent', problem };
	const details = [serviceDetails(response)];
	if (response.class === 'done')
		return isFromService(response)
			? { kind: 'unknown', cause: noRecord, details }
			: {
					kind: 'unknown',
					cause: notADeliveryService.message,
					details: [notADeliveryService.description ?? ''],
				};
	if (response.class === 'notProcessed' && !hasCreated) return { kind: 'notSent', problem };
	if (response.class !== 'rejected') return { kind: 'unknown', cause: problem.message, details };
	const isCertain = count === 1 || retryRejectedBatches || isAboutAllRequests(exchange);
	if (isCertain && !hasCreated) return { kind: 'rejected', problem };
	return {
		kind: 'unknown',
		cause: count > 1 ? sharedRejection(exchange, count - 1) : problem.message,
		details: [count > 1 ? sendIndividuallyAdvice : '', problem.description ?? ''],
	};
}

const noRecord = 'the answer of the service holds no record of it';

const noId = 'its record in the answer of the service has no ID';

const sendIndividuallyAdvice = `So that a refusal touches one delivery only, set the option Batch Size to 1; or, if you know that the service creates nothing when it refuses a request, turn on the option ${retryRejectedBatchesLabel}.`;

function sharedRejection({ status }: ServiceResponse, others: number): string {
	const company = others === 1 ? 'another' : `${others} others`;
	return `the Delivery Service refused the request that it shared with ${company} (status ${status})`;
}

/**
 * A 404 without the service's own words: the Base URL is probably wrong. Whether something was
 * created is still not certain.
 */
function isNotFoundPage({ exchange, code, message }: CreationResponse): boolean {
	return exchange.kind === 'response' && exchange.status === 404 && !code && !message;
}

/** Statuses that may be about one delivery of several; all others concern the whole request. */
const contentStatuses = new Set([400, 404, 409, 413, 422]);

function isContentStatus(exchange: Exchange): boolean {
	return exchange.kind === 'response' && contentStatuses.has(exchange.status);
}

function batchProblem(response: CreationResponse): Problem {
	if (response.class !== 'done') return explainResponse(response);
	if (!isFromService(response)) return notADeliveryService;
	return {
		message: 'The Delivery Service does not say what it created',
		description: [checkUnknownAdvice, serviceDetails(response)].filter(Boolean).join(' '),
	};
}

const checkUnknownAdvice =
	'See what it says of the deliveries whose outcome is unknown, then run the workflow again.';

/** Whether a success comes from the service at all: it has records, or says at least something. */
function isFromService({ records, code, message }: CreationResponse): boolean {
	return records !== undefined || Boolean(code ?? message);
}

function isId(value: unknown): value is string | number {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

const maxListedIds = 20;

function strayIdsSentence(ids: readonly string[]): string {
	if (ids.length === 0) return '';
	const more = ids.length > maxListedIds ? ` and ${ids.length - maxListedIds} more` : '';
	return `The answer also holds records that cannot be told to be of one delivery: ID ${ids.slice(0, maxListedIds).join(', ')}${more}.`;
}

/** What the service says besides its records, unless that is only that all went well. */
function serviceDetails(response: CreationResponse): string {
	const { exchange, code } = response;
	if (exchange.kind === 'response' && isSuccess(exchange) && (!code || isSuccessCode(code)))
		return '';
	return serviceDetail(withoutRecords(response));
}

/** The exchange without the list of created deliveries, which may be long. */
function withoutRecords({ exchange, records = [] }: CreationResponse): Exchange {
	if (exchange.kind === 'noResponse') return exchange;
	const { body } = exchange;
	const isOnlyRecords = records.length === 0 || records.some(({ id }) => isId(id));
	if (typeof body !== 'object' || body === null || Array.isArray(body) || !isOnlyRecords)
		return exchange;
	return { ...exchange, body: { ...body, payload: null } };
}

/** Why a request did not succeed, in the user's words. */
function explainResponse(response: CreationResponse): Problem {
	return explainFailure(withoutRecords(response), 'Company ID and warehouse IDs');
}

/** What a record without an ID says, which is most likely why there is none. */
function recordDetails(record: CreatedRecord): string {
	const { error } = record;
	const words = typeof error === 'string' ? { message: error, ...record, error: null } : record;
	const body = { ...words, id: null, index: null, referenceId: null };
	return serviceDetail({ kind: 'response', status: 200, headers: {}, body });
}
