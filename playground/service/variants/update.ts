import { z } from 'zod';

import type { UpdateRequest } from '../shapes';
import type { HandlerContext, ServiceVariant } from './variant';
import {
	alwaysRespond,
	changeResponse,
	emptyResponse,
	messageResponse,
	respondToFirst,
} from './variant';

const responseShape = z.object({ data: z.object({ jobs: z.string() }) }).passthrough();

/** The request without the deliveries that do not exist. */
function existingOnly(request: UpdateRequest, { state }: HandlerContext): UpdateRequest {
	const { deliveryIds, referenceIds } = request;
	return {
		...request,
		deliveryIds: deliveryIds?.filter((id) => state.delivery(id) !== undefined),
		referenceIds: referenceIds?.filter((id) => state.deliveriesWithReference(id).length > 0),
	};
}

const countTargets = ({ deliveryIds = [], referenceIds = [] }: UpdateRequest) =>
	deliveryIds.length + referenceIds.length;

const notFound = (status: number) =>
	messageResponse(status, 'NOT_FOUND', 'A delivery is not known');

/** Variants of updating deliveries (section 4.2). */
export const updateVariants: Readonly<Record<string, ServiceVariant>> = {
	'update-202': {
		description: 'Applies an update, but responds 202 without a job.',
		update: changeResponse(() => messageResponse(202, 'ACCEPTED', 'The changes will be made')),
	},
	'update-204': {
		description: 'Applies an update, but responds 204 without a body.',
		update: changeResponse(() => emptyResponse(204)),
	},
	'update-no-body': {
		description: 'Applies an update, but responds 200 without a body.',
		update: changeResponse(() => emptyResponse(200)),
	},
	'update-302': {
		description: 'Applies an update, but redirects to the result with 302.',
		update: changeResponse(() => emptyResponse(302, { Location: '/v1/deliveries/latest' })),
	},
	'update-303': {
		description: 'Applies an update, but redirects to the result with 303.',
		update: changeResponse(() => emptyResponse(303, { Location: '/v1/deliveries/latest' })),
	},
	'update-code-error': {
		description: 'Responds 200 with code ERROR to every update, and changes nothing.',
		update: alwaysRespond(messageResponse(200, 'ERROR', 'The route has left already')),
	},
	'update-jobs-list': {
		description: 'Returns the jobs of an update as a list of numbers.',
		update: changeResponse((response) => {
			const body = responseShape.parse(response.body);
			return { ...response, body: { ...body, data: { jobs: [1, 2] } } };
		}),
	},
	'update-payload': {
		description: 'Returns the data of an update as payload.',
		update: changeResponse((response) => {
			const { data, ...body } = responseShape.parse(response.body);
			return { ...response, body: { ...body, payload: data } };
		}),
	},
	'update-unknown-400': {
		description: 'Rejects an update with 400 if one of its deliveries does not exist.',
		update: (request, next, context) =>
			countTargets(existingOnly(request, context)) < countTargets(request)
				? notFound(400)
				: next(request),
	},
	'update-unknown-partly': {
		description: 'Responds 404 if a delivery of an update does not exist, but updates the others.',
		update: (request, next, context) => {
			const existing = existingOnly(request, context);
			const response = next(existing);
			return countTargets(existing) < countTargets(request) ? notFound(404) : response;
		},
	},
	'update-unknown-skipped': {
		description: 'Silently leaves out deliveries of an update that do not exist.',
		update: (request, next, context) => next(existingOnly(request, context)),
	},
	'update-busy-at-first': {
		description:
			'Responds 429 with a Retry-After of 1 second to the first attempt of an update, and accepts the second.',
		update: respondToFirst({
			...messageResponse(429, 'BUSY', 'Too many requests'),
			headers: { 'Retry-After': '1' },
		}),
	},
	'update-adds-packages': {
		description: 'Adds the packages of an update to those of the delivery.',
		update: (request, next, { state }) => {
			const { deliveryIds, referenceIds, deliveryChanges } = request;
			const { packages } = deliveryChanges;
			const [delivery] = deliveryIds
				? deliveryIds.flatMap((id) => state.delivery(id) ?? [])
				: (referenceIds ?? []).flatMap((id) => state.deliveriesWithReference(id));
			if (packages === undefined || delivery === undefined) return next(request);
			const all = [...delivery.request.packages, ...packages];
			return next({ ...request, deliveryChanges: { ...deliveryChanges, packages: all } });
		},
	},
	'update-lost': {
		description:
			'Applies the first attempt of an update, but drops the connection before the response.',
		update: (request, next, context) => {
			const response = next(request);
			return context.isRepeated(request) ? response : { ...response, lost: true };
		},
	},
};
