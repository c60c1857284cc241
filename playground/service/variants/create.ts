import { z } from 'zod';

import type { ServiceResponse, DeliveryRequest } from '../shapes';
import type { CreateRequest, Handler, Next, ServiceVariant } from './variant';
import {
	alwaysRespond,
	changeResponse,
	emptyResponse,
	messageResponse,
	respondToFirst,
} from './variant';

type CreatedRecord = Record<string, unknown>;

/** The longest batch that the variant with status 413 accepts. */
const maxBatchSize = 3;
const excessRecords = 40_000;

const responseShape = z.object({ payload: z.array(z.record(z.unknown())) }).passthrough();

/** Marks an invalid delivery: one whose dropoff contains this word, in upper or lower case. */
const invalidMarker = 'unserved';

/** The response to an invalid delivery. */
const notServed = { code: 'NOT_SERVED', message: 'Nobody drives to this address' };

function isValid({ dropoff }: DeliveryRequest): boolean {
	return !JSON.stringify(dropoff).toLowerCase().includes(invalidMarker);
}

/** Creates the deliveries before the first invalid one, then rejects the batch. */
function createUntilInvalid(
	status: number,
	{ returnsRecords = false } = {},
): Handler<CreateRequest> {
	return (request, next) => {
		const end = request.deliveries.findIndex((delivery) => !isValid(delivery));
		if (end < 0) return next(request);
		const payload = createSome(next, request, request.deliveries.slice(0, end));
		return { status, body: { ...notServed, ...(returnsRecords && { payload }) } };
	};
}

/** Creates the valid deliveries and returns `recordsFor` in place of each invalid one's record. */
function createValid(recordsFor: (index: number) => CreatedRecord[]): Handler<CreateRequest> {
	return (request, next) => {
		const records = createSome(next, request, request.deliveries.filter(isValid));
		const payload = request.deliveries.flatMap((delivery, index): CreatedRecord[] => {
			if (!isValid(delivery)) return recordsFor(index);
			const record = records.shift();
			return record === undefined ? [] : [{ ...record, index }];
		});
		return { status: 200, body: { code: 'OK', message: 'Success', payload } };
	};
}

/** Creates some of the deliveries of a request and returns their records. */
function createSome(
	next: Next<CreateRequest>,
	request: CreateRequest,
	deliveries: DeliveryRequest[],
): CreatedRecord[] {
	return responseShape.parse(next({ ...request, deliveries }).body).payload;
}

const changeEachRecord = (
	change: (record: CreatedRecord) => CreatedRecord,
): Handler<CreateRequest> => changeRecords((records) => records.map(change));

function changeRecords(change: (records: CreatedRecord[]) => unknown): Handler<CreateRequest> {
	return changeResponse((response) => {
		const body = responseShape.parse(response.body);
		return { ...response, body: { ...body, payload: change(body.payload) } };
	});
}

/** A record without these fields. */
const without = (record: CreatedRecord, ...names: string[]): CreatedRecord =>
	Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** The forms in which a service may return a reference, by name. */
const referenceForms = {
	'lower-case': ['in lower case', (reference: string) => reference.toLowerCase()],
	trimmed: ['without surrounding spaces', (reference: string) => reference.trim()],
	'without-hash': ['without #', (reference: string) => reference.replace('#', '')],
	number: [
		'as a number if it consists of digits after an optional #',
		(reference: string) =>
			/^#?\d+$/.test(reference) ? Number(reference.replace('#', '')) : reference,
	],
} as const;

function referenceVariants(): Record<string, ServiceVariant> {
	const variants: Record<string, ServiceVariant> = {};
	for (const [name, [form, convert]] of Object.entries(referenceForms)) {
		const change = (record: CreatedRecord): CreatedRecord =>
			typeof record.referenceId === 'string'
				? { ...record, referenceId: convert(record.referenceId) }
				: record;
		variants[`reference-${name}`] = {
			description: `Returns the reference ${form}.`,
			create: changeEachRecord(change),
		};
		variants[`reference-${name}-no-index`] = {
			description: `Returns the reference ${form}, and no index.`,
			create: changeEachRecord((record) => without(change(record), 'index')),
		};
	}
	return variants;
}

const dropConnection = (response: ServiceResponse): ServiceResponse => ({
	...response,
	lost: true,
});

/** Variants of creating deliveries (sections 2.6, 4.1, 7 and 8). */
export const createVariants: Readonly<Record<string, ServiceVariant>> = {
	'rejected-400': {
		description: 'Rejects a batch that contains an invalid delivery with 400, and creates nothing.',
		create: (request, next) =>
			request.deliveries.every(isValid) ? next(request) : { status: 400, body: notServed },
	},
	...Object.fromEntries(
		[400, 404, 409, 422].map((status): [string, ServiceVariant] => [
			`rejected-${status}-partly`,
			{
				description: `Creates the deliveries before an invalid one, then responds ${status}.`,
				create: createUntilInvalid(status),
			},
		]),
	),
	'rejected-413-partly': {
		description: `Creates the first ${maxBatchSize} deliveries of a longer batch, then responds 413.`,
		create: (request, next) => {
			if (request.deliveries.length <= maxBatchSize) return next(request);
			next({ ...request, deliveries: request.deliveries.slice(0, maxBatchSize) });
			return messageResponse(413, 'TOO_LARGE', `The list is too long: the most is ${maxBatchSize}`);
		},
	},
	'rejected-400-others-created': {
		description:
			'Creates all valid deliveries of a batch, but responds 400 because of an invalid one.',
		create: (request, next) => {
			if (request.deliveries.every(isValid)) return next(request);
			createSome(next, request, request.deliveries.filter(isValid));
			return { status: 400, body: notServed };
		},
	},
	'rejected-400-with-records': {
		description:
			'Creates the deliveries before an invalid one, then responds 400 with their records.',
		create: createUntilInvalid(400, { returnsRecords: true }),
	},
	'rejected-code-error': {
		description:
			'Responds 200 with an error code to a batch that contains an invalid delivery, and creates nothing.',
		create: (request, next) =>
			request.deliveries.every(isValid)
				? next(request)
				: { status: 200, body: { ...notServed, payload: [] } },
	},
	'rejected-record-error': {
		description: 'Creates the valid deliveries and returns an error record for an invalid one.',
		create: createValid((index) => [{ index, ...notServed }]),
	},
	'rejected-no-record': {
		description: 'Creates the valid deliveries and silently leaves out an invalid one.',
		create: createValid(() => []),
	},
	'code-error': {
		description: 'Responds 200 with code ERROR and an empty payload, and creates nothing.',
		create: alwaysRespond({
			status: 200,
			body: { code: 'ERROR', message: 'Warehouse 7 does not exist', payload: [] },
		}),
	},
	'code-error-without-payload': {
		description: 'Responds 200 with code ERROR and no payload, and creates nothing.',
		create: alwaysRespond(messageResponse(200, 'ERROR', 'Warehouse 7 does not exist')),
	},
	'code-created': {
		description: 'Reports success with a code and message other than OK and Success.',
		create: changeResponse((response) => ({
			...response,
			body: {
				...responseShape.parse(response.body),
				code: 'DELIVERIES_CREATED',
				message: 'Created',
			},
		})),
	},
	'code-number': {
		description: 'Reports success with a numeric code and no message.',
		create: changeResponse((response) => ({
			...response,
			body: { ...responseShape.parse(response.body), code: 200, message: null },
		})),
	},
	'created-201': {
		description: 'Responds 201 instead of 200.',
		create: changeResponse((response) => ({ ...response, status: 201 })),
	},
	'created-202': {
		description: 'Creates the deliveries, but responds 202 without records.',
		create: changeResponse(() =>
			messageResponse(202, 'ACCEPTED', 'The deliveries will be created'),
		),
	},
	'created-204': {
		description: 'Creates the deliveries, but responds 204 without a body.',
		create: changeResponse(() => emptyResponse(204)),
	},
	'created-no-body': {
		description: 'Creates the deliveries, but responds 200 without a body.',
		create: changeResponse(() => emptyResponse(200)),
	},
	'created-text': {
		description: 'Creates the deliveries, but responds 200 with the text OK.',
		create: changeResponse(() => ({ status: 200, body: 'OK' })),
	},
	'created-303': {
		description: 'Creates the deliveries, but redirects to the result with 303.',
		create: changeResponse(() => emptyResponse(303, { Location: '/v1/deliveries/latest' })),
	},
	'created-302': {
		description: 'Creates the deliveries, but redirects to the result with 302.',
		create: changeResponse(() => emptyResponse(302, { Location: '/v1/deliveries/latest' })),
	},
	'created-307': {
		description: 'Creates the deliveries, but redirects to another host with 307.',
		create: changeResponse(() =>
			emptyResponse(307, { Location: 'https://new.delivery-service.example/v1/deliveries' }),
		),
	},
	'created-409': {
		description: 'Creates the deliveries, but responds 409.',
		create: changeResponse(() => messageResponse(409, 'CONFLICT', 'The request was repeated')),
	},
	'created-500': {
		description: 'Creates the deliveries, but responds 500.',
		create: changeResponse(() =>
			messageResponse(500, 'INTERNAL', 'The notification could not be sent'),
		),
	},
	'created-503-page': {
		description:
			'Creates the deliveries, but a gateway responds 503 with an HTML page and a Retry-After of 1 second.',
		create: changeResponse(() => ({
			status: 503,
			body: '<!DOCTYPE html><title>503 Backend fetch failed</title>',
			headers: { 'Retry-After': '1' },
		})),
	},
	'created-503-no-body': {
		description:
			'Creates the deliveries, but a gateway responds 503 without a body and with a Retry-After of 1 second.',
		create: changeResponse(() => emptyResponse(503, { 'Retry-After': '1' })),
	},
	'reference-unique': {
		description: 'Rejects a batch with 409 if it contains a reference that already exists.',
		create: (request, next, { state }) => {
			const known = request.deliveries.flatMap(({ referenceId }) =>
				referenceId !== undefined && state.deliveriesWithReference(referenceId).length > 0
					? [referenceId]
					: [],
			);
			return known.length === 0
				? next(request)
				: messageResponse(
						409,
						'EXISTS',
						`There is a delivery with this reference: ${known.join(', ')}`,
					);
		},
	},
	'response-lost': {
		description: 'Creates the deliveries, then drops the connection before the response.',
		create: changeResponse(dropConnection),
	},
	'busy-at-first': {
		description:
			'Responds 429 with a Retry-After of 1 second to the first attempt, and accepts the second.',
		create: respondToFirst({
			...messageResponse(429, 'BUSY', 'Too many requests'),
			headers: { 'Retry-After': '1' },
		}),
	},
	'busy-for-long': {
		description: 'Responds 429 with a Retry-After of 3,000 seconds to every create request.',
		create: alwaysRespond({
			...messageResponse(429, 'BUSY', 'Too many requests'),
			headers: { 'Retry-After': '3000' },
		}),
	},
	'index-text': {
		description: 'Returns the index of a record as text.',
		create: changeEachRecord((record) => ({ ...record, index: String(record.index) })),
	},
	'index-from-1': {
		description: 'Counts the index of records from 1.',
		create: changeEachRecord((record) => ({ ...record, index: Number(record.index) + 1 })),
	},
	'index-from-1-no-reference': {
		description: 'Counts the index of records from 1, and returns no reference.',
		create: changeEachRecord((record) => ({
			...without(record, 'referenceId'),
			index: Number(record.index) + 1,
		})),
	},
	'index-null': {
		description: 'Returns null as the index of a record.',
		create: changeEachRecord((record) => ({ ...record, index: null })),
	},
	'index-missing': {
		description: 'Returns records without an index.',
		create: changeEachRecord((record) => without(record, 'index')),
	},
	'index-and-reference-missing': {
		description: 'Returns records without an index and without a reference.',
		create: changeEachRecord((record) => without(record, 'index', 'referenceId')),
	},
	...referenceVariants(),
	'records-reversed': {
		description: 'Returns the records in reverse order.',
		create: changeRecords((records) => [...records].reverse()),
	},
	'records-too-many': {
		description: `Returns ${excessRecords.toLocaleString('en')} records for the first delivery of a batch, or two for a single delivery, each with its own ID.`,
		create: changeRecords(([first = {}, ...records]) => [
			...Array.from({ length: records.length > 0 ? excessRecords : 2 }, (_, number) => ({
				...first,
				id: `D-${number}`,
			})),
			...records,
		]),
	},
	'records-unrelated': {
		description: 'Also returns a record of a delivery that the request does not contain.',
		create: changeRecords((records) => [
			{ ...records[0], index: records.length + 7, id: 'D-FOREIGN', referenceId: 'FOREIGN-1' },
			...records,
		]),
	},
	'id-number': {
		description: 'Returns the ID of a record as a number.',
		create: changeEachRecord((record) => ({ ...record, id: parseInt(String(record.id), 16) })),
	},
	'id-missing': {
		description: 'Returns records without an ID.',
		create: changeEachRecord((record) => without(record, 'id')),
	},
	'payload-wrapped': {
		description: 'Wraps the list of records in an object.',
		create: changeRecords((deliveries) => ({ deliveries, total: deliveries.length })),
	},
	'payload-by-index': {
		description: 'Returns the records as an object with their index as key.',
		create: changeRecords((records) => ({ ...records })),
	},
	'payload-single': {
		description: 'Returns the record of a single delivery instead of a list.',
		create: changeRecords((records) => (records.length === 1 ? records[0] : records)),
	},
	'payload-only': {
		description: 'Returns the list of records as the whole response body.',
		create: changeResponse((response) => ({
			...response,
			body: responseShape.parse(response.body).payload,
		})),
	},
};
