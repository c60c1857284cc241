import { z } from 'zod';

import type { Answer, DeliveryRequest } from '../shapes';
import type { Act, CreationRequest, Reading, Work } from './reading';
import { afterwards, atFirst, bare, instead, saying } from './reading';

type Entry = Record<string, unknown>;

/** How many deliveries a service takes that refuses longer lists half-way. */
const maxTaken = 3;
const floodOfRecords = 40_000;

const answerShape = z.object({ payload: z.array(z.record(z.unknown())) }).passthrough();

/** A delivery that the service cannot take: its dropoff names this word, in any case. */
const marker = 'unserved';

/** What the service says of such a delivery. */
const notServed = { code: 'NOT_SERVED', message: 'Nobody drives to this address' };

function isServed({ dropoff }: DeliveryRequest): boolean {
	return !JSON.stringify(dropoff).toLowerCase().includes(marker);
}

/** The list is worked through until a delivery cannot be taken; that one's refusal is the answer. */
function untilRefused(status: number, shows = false): Act<CreationRequest> {
	return (request, work) => {
		const stop = request.deliveries.findIndex((delivery) => !isServed(delivery));
		if (stop < 0) return work(request);
		const payload = recordsOf(work, request, request.deliveries.slice(0, stop));
		return { status, body: { ...notServed, ...(shows && { payload }) } };
	};
}

/** Deliveries that can't be taken are left out; `recordFor` makes what stands in their place. */
function leftOut(recordFor: (index: number) => Entry[]): Act<CreationRequest> {
	return (request, work) => {
		const served = request.deliveries.filter(isServed);
		const records = recordsOf(work, request, served);
		const payload = request.deliveries.flatMap((delivery, index): Entry[] => {
			if (!isServed(delivery)) return recordFor(index);
			const record = records.shift();
			return record === undefined ? [] : [{ ...record, index }];
		});
		return { status: 200, body: { code: 'OK', message: 'Success', payload } };
	};
}

/** The records of the answer to a request for some of its deliveries. */
function recordsOf(
	work: Work<CreationRequest>,
	request: CreationRequest,
	deliveries: DeliveryRequest[],
): Entry[] {
	return answerShape.parse(work({ ...request, deliveries }).body).payload;
}

/** The records of the answer are changed, one by one or all together. */
const eachRecord = (change: (record: Entry, index: number) => Entry): Act<CreationRequest> =>
	allRecords((records) => records.map(change));

function allRecords(change: (records: Entry[]) => unknown): Act<CreationRequest> {
	return afterwards((answer) => {
		const body = answerShape.parse(answer.body);
		return { ...answer, body: { ...body, payload: change(body.payload) } };
	});
}

/** A record without these members. */
const without = (record: Entry, ...names: string[]): Entry =>
	Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** How a service may give a reference back in another form, by name. */
const echoes = {
	'lower-case': ['in lower case', (reference: string) => reference.toLowerCase()],
	trimmed: ['without the spaces around it', (reference: string) => reference.trim()],
	'without-hash': ['without #', (reference: string) => reference.replace('#', '')],
	number: [
		'as a number, when it has only digits after a #',
		(reference: string) =>
			/^#?\d+$/.test(reference) ? Number(reference.replace('#', '')) : reference,
	],
} as const;

function echoReadings(): Record<string, Reading> {
	const readings: Record<string, Reading> = {};
	for (const [name, [form, echo]] of Object.entries(echoes)) {
		const change = (record: Entry): Entry =>
			typeof record.referenceId === 'string'
				? { ...record, referenceId: echo(record.referenceId) }
				: record;
		readings[`reference-${name}`] = {
			says: `A record gives the reference back ${form}.`,
			create: eachRecord(change),
		};
		readings[`reference-${name}-alone`] = {
			says: `A record gives the reference back ${form}, and has no index.`,
			create: eachRecord((record) => without(change(record), 'index')),
		};
	}
	return readings;
}

const dropConnection = (answer: Answer): Answer => ({ ...answer, lost: true });

/** Readings of the creation of deliveries (sections 2.6, 4.1, 7 and 8). */
export const creatingReadings: Readonly<Record<string, Reading>> = {
	'refused-400': {
		says: 'A list with a delivery that cannot be taken is refused with 400 as a whole: nothing of it is created.',
		create: (request, work) =>
			request.deliveries.every(isServed) ? work(request) : { status: 400, body: notServed },
	},
	...Object.fromEntries(
		[400, 404, 409, 422].map((status): [string, Reading] => [
			`refused-${status}-partly`,
			{
				says: `A list is worked through in order; at a delivery that cannot be taken the answer is ${status}, and those before it stay created.`,
				create: untilRefused(status),
			},
		]),
	),
	'refused-413-partly': {
		says: `Of a list with more than ${maxTaken} deliveries the first ${maxTaken} are created, and the answer is 413.`,
		create: (request, work) => {
			if (request.deliveries.length <= maxTaken) return work(request);
			work({ ...request, deliveries: request.deliveries.slice(0, maxTaken) });
			return saying(413, 'TOO_LARGE', `The list is too long: the most is ${maxTaken}`);
		},
	},
	'refused-400-others-created': {
		says: 'When a delivery of a list cannot be taken the answer is 400, and all others of the list are created.',
		create: (request, work) => {
			if (request.deliveries.every(isServed)) return work(request);
			recordsOf(work, request, request.deliveries.filter(isServed));
			return { status: 400, body: notServed };
		},
	},
	'refused-400-with-records': {
		says: 'A list is worked through in order; at a delivery that cannot be taken the answer is 400, with the records of those before it.',
		create: untilRefused(400, true),
	},
	'refused-code-error': {
		says: 'A list with a delivery that cannot be taken is answered 200 with a code and a message that tell of an error, and an empty payload; nothing of it is created.',
		create: (request, work) =>
			request.deliveries.every(isServed)
				? work(request)
				: { status: 200, body: { ...notServed, payload: [] } },
	},
	'refused-record-error': {
		says: 'A delivery that cannot be taken has a record with its index, an error and no ID; the others are created.',
		create: leftOut((index) => [{ index, ...notServed }]),
	},
	'refused-no-record': {
		says: 'A delivery that cannot be taken has no record, and nothing tells why; the others are created.',
		create: leftOut(() => []),
	},
	'code-error': {
		says: 'Every creation is answered 200 with code ERROR, a message and an empty payload; nothing is created.',
		create: instead({
			status: 200,
			body: { code: 'ERROR', message: 'Warehouse 7 does not exist', payload: [] },
		}),
	},
	'code-error-without-payload': {
		says: 'Every creation is answered 200 with code ERROR and a message only; nothing is created.',
		create: instead(saying(200, 'ERROR', 'Warehouse 7 does not exist')),
	},
	'code-created': {
		says: 'A success has another code than OK, and another message.',
		create: afterwards((answer) => ({
			...answer,
			body: { ...answerShape.parse(answer.body), code: 'DELIVERIES_CREATED', message: 'Created' },
		})),
	},
	'code-number': {
		says: 'A success has a number as its code, and no message.',
		create: afterwards((answer) => ({
			...answer,
			body: { ...answerShape.parse(answer.body), code: 200, message: null },
		})),
	},
	'created-201': {
		says: 'A creation is answered 201 in place of 200.',
		create: afterwards((answer) => ({ ...answer, status: 201 })),
	},
	'created-202': {
		says: 'A creation is answered 202 without records: it is done later.',
		create: afterwards(() => saying(202, 'ACCEPTED', 'The deliveries will be created')),
	},
	'created-204': {
		says: 'A creation is answered 204, without a body.',
		create: afterwards(() => bare(204)),
	},
	'created-empty': {
		says: 'A creation is answered 200, without a body.',
		create: afterwards(() => bare(200)),
	},
	'created-text': {
		says: 'A creation is answered 200 with the text OK.',
		create: afterwards(() => ({ status: 200, body: 'OK' })),
	},
	'created-303': {
		says: 'A creation is done, and answered 303 with the address of the result.',
		create: afterwards(() => bare(303, { Location: '/v1/deliveries/latest' })),
	},
	'created-500': {
		says: 'A creation is done, and answered 500.',
		create: afterwards(() => saying(500, 'INTERNAL', 'The notification could not be sent')),
	},
	'created-503-page': {
		says: 'A creation is done, but a gateway does not wait for it: it answers 503 with a page, and with a Retry-After of a second.',
		create: afterwards(() => ({
			status: 503,
			body: '<!DOCTYPE html><title>503 Backend fetch failed</title>',
			headers: { 'Retry-After': '1' },
		})),
	},
	'reference-unique': {
		says: 'A reference that a delivery has already is refused with 409, and the whole list with it.',
		create: (request, work, { state }) => {
			const known = request.deliveries.flatMap(({ referenceId }) =>
				referenceId !== undefined && state.deliveriesWithReference(referenceId).length > 0
					? [referenceId]
					: [],
			);
			return known.length === 0
				? work(request)
				: saying(409, 'EXISTS', `There is a delivery with this reference: ${known.join(', ')}`);
		},
	},
	'answer-lost': {
		says: 'A creation is done, and the connection is cut before the answer.',
		create: afterwards(dropConnection),
	},
	'busy-at-first': {
		says: 'A creation is answered 429 with a Retry-After of a second, and taken when it comes again.',
		create: atFirst({
			...saying(429, 'BUSY', 'Too many requests'),
			headers: { 'Retry-After': '1' },
		}),
	},
	'busy-for-long': {
		says: 'Every creation is answered 429 with a Retry-After of 3,000 seconds.',
		create: instead({
			...saying(429, 'BUSY', 'Too many requests'),
			headers: { 'Retry-After': '3000' },
		}),
	},
	'index-text': {
		says: 'The index of a record is text.',
		create: eachRecord((record) => ({ ...record, index: String(record.index) })),
	},
	'index-from-1': {
		says: 'The index of records counts from 1.',
		create: eachRecord((record) => ({ ...record, index: Number(record.index) + 1 })),
	},
	'index-from-1-alone': {
		says: 'The index of records counts from 1, and they have no reference.',
		create: eachRecord((record) => ({
			...without(record, 'referenceId'),
			index: Number(record.index) + 1,
		})),
	},
	'index-null': {
		says: 'The index of a record is null.',
		create: eachRecord((record) => ({ ...record, index: null })),
	},
	'index-none': {
		says: 'Records have no index.',
		create: eachRecord((record) => without(record, 'index')),
	},
	'index-none-reference-none': {
		says: 'Records have neither an index nor a reference.',
		create: eachRecord((record) => without(record, 'index', 'referenceId')),
	},
	...echoReadings(),
	'records-shuffled': {
		says: 'Records come in another order than the deliveries.',
		create: allRecords((records) => [...records].reverse()),
	},
	'records-too-many': {
		says: `There are ${floodOfRecords.toLocaleString('en')} records for the first delivery of a list, two for a single delivery, each with another ID.`,
		create: allRecords(([first = {}, ...records]) => [
			...Array.from({ length: records.length > 0 ? floodOfRecords : 2 }, (_, number) => ({
				...first,
				id: `D-${number}`,
			})),
			...records,
		]),
	},
	'records-foreign': {
		says: 'There is also a record of a delivery that was not asked for.',
		create: allRecords((records) => [
			{ ...records[0], index: records.length + 7, id: 'D-FOREIGN', referenceId: 'FOREIGN-1' },
			...records,
		]),
	},
	'id-number': {
		says: 'The ID of a record is a number.',
		create: eachRecord((record) => ({ ...record, id: parseInt(String(record.id), 16) })),
	},
	'id-none': {
		says: 'Records have no ID.',
		create: eachRecord((record) => without(record, 'id')),
	},
	'payload-wrapped': {
		says: 'The payload is an object that holds the list of records.',
		create: allRecords((deliveries) => ({ deliveries, total: deliveries.length })),
	},
	'payload-by-index': {
		says: 'The payload is an object that holds each record under its index.',
		create: allRecords((records) => ({ ...records })),
	},
	'payload-single': {
		says: 'The payload for a single delivery is its record, not a list.',
		create: allRecords((records) => (records.length === 1 ? records[0] : records)),
	},
	'payload-only': {
		says: 'The answer is the list of records itself.',
		create: afterwards((answer) => ({ ...answer, body: answerShape.parse(answer.body).payload })),
	},
};
