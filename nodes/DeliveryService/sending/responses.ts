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

/** The label of the option, which messages mention too. */
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

/** Parses the response to a creation request. */
export function readResponse(exchange: Exchange): CreationResponse {
	const response = { exchange, class: classifyCreation(exchange) };
	if (exchange.kind === 'noResponse') return response;
	const { code, message } = codeAndMessageSchema.parse(exchange.body);
	const { data } = creationResponseSchema.safeParse(exchange.body);
	return { ...response, records: data?.payload, code, message };
}

/** Whether a response names a created delivery, whatever its status. */
export function namesCreatedDelivery({ records = [] }: CreationResponse): boolean {
	return records.some(({ id }) => isId(id));
}

/** The settings of a run that affect how its responses are interpreted. */
export interface RunSettings {
	/** Whether references are kept from being sent again until the user allows it. */
	isRemembered: boolean;
	/** Whether the user states that a rejected request creates nothing. */
	retryRejectedBatches: boolean;
}

/**
 * Determines the result of each delivery of a batch, in order. Records count whatever the status: a
 * delivery with an ID was created. After a rejection, only a delivery that was sent individually is
 * known not to exist: the API document does not say that a rejected request creates nothing
 * (section 7).
 */
export function interpretResponse(
	batch: readonly Creation[],
	response: CreationResponse,
	settings: RunSettings,
): CreationResult[] {
	const { records: payload = [] } = response;
	// In a failure, an ID without a delivery may be the ID of an error.
	const namesDelivery = (record: object) =>
		response.class === 'done' || 'index' in record || 'referenceId' in record;
	const { records, withoutId, unmatched } = matchRecords(
		batch.map(({ delivery }) => delivery),
		payload.filter(namesDelivery),
	);
	const strays = [...unmatched, ...payload.filter((record) => !namesDelivery(record))];
	const strayIds = strays.flatMap(({ id }) => (isId(id) ? [String(id)] : []));
	const hasCreated = strayIds.length > 0 || records.some((record) => record !== undefined);
	let remaining: RemainingOutcome | undefined;
	return batch.map((creation, position) => {
		const record = records[position];
		if (record) return { creation, outcome: { kind: 'created', ...record } };
		remaining ??= remainingOutcome(batch.length, response, hasCreated, settings);
		if ('problem' in remaining) return { creation, outcome: remaining };
		const ownRecord = withoutId[position];
		const ownDetails = ownRecord ? recordDetails(ownRecord) : '';
		const { cause, details } = ownDetails ? { cause: noId, details: [ownDetails] } : remaining;
		const detail = [...details, strayIdsSentence(strayIds)].filter(Boolean).join(' ');
		return { creation, outcome: unknownOutcome(cause, settings.isRemembered, detail) };
	});
}

/** Why deliveries of a batch were not created, and what that means for other requests. */
export interface BatchFailure {
	problem: Problem;
	/** Whether every later request would fail in the same way. */
	isFatal: boolean;
	/** Whether the request may have been rejected because of only some of its deliveries. */
	canSplit: boolean;
	/** Whether the service rejected a whole batch, so that smaller requests leave fewer unknown. */
	isRejectedBatch: boolean;
	/** Whether the Base URL is probably wrong, unless the service has responded before. */
	isProbablyWrongUrl: boolean;
}

/**
 * Explains a response that did not create the whole batch.
 *
 * @param results the return value of {@link interpretResponse}
 * @returns undefined when everything was created
 */
export function batchFailure(
	response: CreationResponse,
	results: readonly CreationResult[],
): BatchFailure | undefined {
	const failed = results.find(({ outcome }) => outcome.kind !== 'created')?.outcome.kind;
	const isDone = response.class === 'done';
	if (failed === undefined && isDone) return undefined;
	const has = (kind: CreationResult['outcome']['kind']) =>
		results.some(({ outcome }) => outcome.kind === kind);
	const isRejected = response.class === 'rejected';
	const { exchange } = response;
	return {
		problem: batchProblem(response),
		isFatal: failed === 'notSent' || (exchange.kind === 'response' && isAboutAllRequests(exchange)),
		isRejectedBatch:
			results.length > 1 && has('unknown') && (isRejected || (isDone && !has('created'))),
		canSplit: failed === 'rejected' && results.length > 1 && isContentStatus(exchange),
		isProbablyWrongUrl: failed === 'unknown' && isNotFoundPage(response),
	};
}

/** The outcome of the deliveries without a record: certain, or unknown for this cause. */
type RemainingOutcome = Failed | { kind: 'unknown'; cause: string; details: string[] };

function remainingOutcome(
	count: number,
	response: CreationResponse,
	hasCreated: boolean,
	{ retryRejectedBatches }: RunSettings,
): RemainingOutcome {
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
	const isSingleConflict = count === 1 && isConflict(response);
	const isCertain =
		!isSingleConflict && (count === 1 || retryRejectedBatches || isAboutAllRequests(exchange));
	if (isCertain && !hasCreated)
		return { kind: isAboutAllRequests(exchange) ? 'notSent' : 'rejected', problem };
	if (isSingleConflict) return { kind: 'unknown', cause: conflict, details };
	return {
		kind: 'unknown',
		cause: count > 1 ? sharedRejection(exchange, count - 1) : problem.message,
		details: [count > 1 ? sendIndividuallyAdvice : '', problem.description ?? ''],
	};
}

const conflict = 'the Delivery Service reported a conflict (status 409), so it may already exist';

const noRecord = 'the response contains no record of it';

const noId = 'its record in the response has no ID';

const sendIndividuallyAdvice = `For later runs, set the option Batch Size to 1, so that a rejection affects only one delivery. Turn on the option ${retryRejectedBatchesLabel} only if you know that the service creates nothing when it rejects a batch.`;

function sharedRejection({ status }: ServiceResponse, others: number): string {
	const company = others === 1 ? 'another one' : `${others} others`;
	return `the Delivery Service rejected the batch of this delivery and ${company} (status ${status})`;
}

/**
 * Whether a response is a 404 without an error body from the service: the Base URL is probably
 * wrong. Whether something was created is still not certain.
 */
function isNotFoundPage({ exchange, code, message }: CreationResponse): boolean {
	return exchange.kind === 'response' && exchange.status === 404 && !code && !message;
}

/**
 * Whether the service reports a conflict, most likely with an existing delivery. That says nothing
 * about other deliveries, while other unknown outcomes in a row mean that the service is broken.
 */
export function isConflict({ exchange }: CreationResponse): boolean {
	return exchange.kind === 'response' && exchange.status === 409;
}

/** Statuses that may be about one of several deliveries; all others concern the whole request. */
const contentStatuses = new Set([400, 404, 409, 413, 422]);

function isContentStatus(exchange: Exchange): boolean {
	return exchange.kind === 'response' && contentStatuses.has(exchange.status);
}

function batchProblem(response: CreationResponse): Problem {
	if (response.class !== 'done') return explainResponse(response);
	if (!isFromService(response)) return notADeliveryService;
	return {
		message: 'The Delivery Service did not return the created deliveries',
		description: [checkUnknownAdvice, serviceDetails(response)].filter(Boolean).join(' '),
	};
}

const checkUnknownAdvice =
	'Check the deliveries with an unknown outcome before you run the workflow again.';

/** Whether a success comes from the service: it has records, or at least a code or a message. */
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
	const records = ids.length === 1 ? 'a record' : 'records';
	return `The response also contains ${records} that can't be matched to a delivery: ID ${ids.slice(0, maxListedIds).join(', ')}${more}.`;
}

/** What the service says besides its records, unless it only confirms the success. */
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

/** Explains to the user why a request did not succeed. */
function explainResponse(response: CreationResponse): Problem {
	return explainFailure(withoutRecords(response), 'Company ID and warehouse IDs');
}

/** What a record without an ID says: most likely the reason why it has none. */
function recordDetails(record: CreatedRecord): string {
	const { error } = record;
	const details = typeof error === 'string' ? { message: error, ...record, error: null } : record;
	const body = { ...details, id: null, index: null, referenceId: null };
	return serviceDetail({ kind: 'response', status: 200, headers: {}, body });
}
