import { z } from 'zod';

import type { UpdateRequest } from '../shapes';
import type { Inside, Reading } from './reading';
import { afterwards, atFirst, bare, instead, saying } from './reading';

const answerShape = z.object({ data: z.object({ jobs: z.string() }) }).passthrough();

/** The request for those of its deliveries that exist. */
function knownOf(request: UpdateRequest, { state }: Inside): UpdateRequest {
	const { deliveryIds, referenceIds } = request;
	return {
		...request,
		deliveryIds: deliveryIds?.filter((id) => state.delivery(id) !== undefined),
		referenceIds: referenceIds?.filter((id) => state.deliveriesWithReference(id).length > 0),
	};
}

const count = ({ deliveryIds = [], referenceIds = [] }: UpdateRequest) =>
	deliveryIds.length + referenceIds.length;

const notKnown = (status: number) => saying(status, 'NOT_FOUND', 'A delivery is not known');

/** Readings of the update of deliveries (section 4.2). */
export const updatingReadings: Readonly<Record<string, Reading>> = {
	'update-202': {
		says: 'An update is answered 202 without a job.',
		update: afterwards(() => saying(202, 'ACCEPTED', 'The changes will be made')),
	},
	'update-204': {
		says: 'An update is answered 204, without a body.',
		update: afterwards(() => bare(204)),
	},
	'update-empty': {
		says: 'An update is answered 200, without a body.',
		update: afterwards(() => bare(200)),
	},
	'update-303': {
		says: 'An update is done, and answered 303 with the address of the result.',
		update: afterwards(() => bare(303, { Location: '/v1/deliveries/latest' })),
	},
	'update-code-error': {
		says: 'Every update is answered 200 with code ERROR and a message; nothing is changed.',
		update: instead(saying(200, 'ERROR', 'The route has left already')),
	},
	'update-jobs-list': {
		says: 'The answer to an update names its jobs in a list of numbers.',
		update: afterwards((answer) => {
			const body = answerShape.parse(answer.body);
			return { ...answer, body: { ...body, data: { jobs: [1, 2] } } };
		}),
	},
	'update-payload': {
		says: 'The answer to an update has its data under payload.',
		update: afterwards((answer) => {
			const { data, ...body } = answerShape.parse(answer.body);
			return { ...answer, body: { ...body, payload: data } };
		}),
	},
	'update-unknown-400': {
		says: 'An update that names a delivery that does not exist is answered 400, and nothing is changed.',
		update: (request, work, service) =>
			count(knownOf(request, service)) < count(request) ? notKnown(400) : work(request),
	},
	'update-unknown-partly': {
		says: 'An update that names a delivery that does not exist is answered 404, and the others are changed.',
		update: (request, work, service) => {
			const known = knownOf(request, service);
			const answer = work(known);
			return count(known) < count(request) ? notKnown(404) : answer;
		},
	},
	'update-unknown-left-out': {
		says: 'An update leaves out a delivery that does not exist without a word, and changes the others.',
		update: (request, work, service) => work(knownOf(request, service)),
	},
	'update-busy-at-first': {
		says: 'An update is answered 429 with a Retry-After of a second, and taken when it comes again.',
		update: atFirst({
			...saying(429, 'BUSY', 'Too many requests'),
			headers: { 'Retry-After': '1' },
		}),
	},
	'update-adds-packages': {
		says: 'An update adds its packages to those that a delivery has.',
		update: (request, work, { state }) => {
			const { deliveryIds, referenceIds, deliveryChanges } = request;
			const { packages } = deliveryChanges;
			const [delivery] = deliveryIds
				? deliveryIds.flatMap((id) => state.delivery(id) ?? [])
				: (referenceIds ?? []).flatMap((id) => state.deliveriesWithReference(id));
			if (packages === undefined || delivery === undefined) return work(request);
			const all = [...delivery.request.packages, ...packages];
			return work({ ...request, deliveryChanges: { ...deliveryChanges, packages: all } });
		},
	},
	'update-lost': {
		says: 'An update is done, and the connection is cut before the answer.',
		update: (request, work, service) => {
			const answer = work(request);
			return service.cameBefore(request) ? answer : { ...answer, lost: true };
		},
	},
};
