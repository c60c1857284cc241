/**
 * API variants: possible behavior of a real service where the API document says "not shown". The local
 * service simulates one at a time (`npm run service -- --variant <name>`, or the setting `variant`),
 * or else does what openapi.yaml says. test/engine/variants.test.ts runs the operations under each.
 */
import { z } from 'zod';

import type {
	Call,
	CreationRequest,
	DeliveryRequest,
	ServiceResponse,
	SubscriptionRequest,
	UpdateRequest,
} from './shapes';
import type { State } from './state';

/** Handles a request as openapi.yaml documents. */
type Next<Input> = (input: Input) => ServiceResponse;

interface HandlerContext {
	readonly state: State;
	/** Whether the same request was received before. Calling it marks the request as received. */
	readonly isRepeated: () => boolean;
}

/** Handles a request in place of `next`, which it may call any number of times. */
export type Handler<Input> = (
	input: Input,
	next: Next<Input>,
	context: HandlerContext,
) => ServiceResponse;

/** The service handles everything as openapi.yaml documents, except where the variant has a handler. */
export interface ApiVariant {
	/** What the service does, in one sentence. */
	readonly description: string;
	/** What the nodes must do, in one sentence. */
	readonly rule: string;
	/** Create deliveries (docs/api.md, section 4.1). */
	readonly create?: Handler<CreationRequest>;
	/** Update deliveries (docs/api.md, section 4.2). */
	readonly update?: Handler<UpdateRequest>;
	/** List subscriptions (docs/api.md, section 4.4). */
	readonly list?: Handler<undefined>;
	/** Subscribe (docs/api.md, section 4.3). */
	readonly subscribe?: Handler<SubscriptionRequest>;
	/** Unsubscribe (docs/api.md, section 4.5). */
	readonly unsubscribe?: Handler<SubscriptionRequest>;
	/** The call to a subscribed URL when an event happens (docs/api.md, section 6). */
	readonly eventCall?: (payload: unknown) => Call;
}

type CreatedRecord = Record<string, unknown>;
type GeneralHandler = <Input>(
	input: Input,
	next: Next<Input>,
	context: HandlerContext,
) => ServiceResponse;

const onEveryChange = (handler: GeneralHandler) => ({
	create: handler,
	update: handler,
	subscribe: handler,
	unsubscribe: handler,
});

const onEveryRequest = (response: ServiceResponse) => ({
	...onEveryChange(() => response),
	list: () => response,
});

/** A response of `code` and `message` (docs/api.md, section 7). */
const message = (status: number, code: string, text: string): ServiceResponse => ({
	status,
	body: { code, message: text },
});

const noContent: ServiceResponse = { status: 204, body: '' };

const htmlPage = (status: number, title: string): ServiceResponse => ({
	status,
	body: `<!doctype html><title>${title}</title>`,
	headers: { 'Content-Type': 'text/html; charset=utf-8' },
});

const creationBodyShape = z.object({ payload: z.array(z.record(z.unknown())) }).passthrough();
const listShape = z.array(z.unknown());
const payloadShape = z.record(z.unknown());

const changeRecords =
	(change: (records: CreatedRecord[]) => unknown): Handler<CreationRequest> =>
	(request, next) => {
		const response = next(request);
		const body = creationBodyShape.parse(response.body);
		return { ...response, body: { ...body, payload: change(body.payload) } };
	};

const changeEachRecord = (change: (record: CreatedRecord) => CreatedRecord) =>
	changeRecords((records) => records.map(change));

const without = (record: CreatedRecord, ...names: string[]): CreatedRecord =>
	Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** Marks an invalid delivery: one whose dropoff contains this word. */
const invalidMarker = 'Unserved';

const isValid = ({ dropoff }: DeliveryRequest): boolean =>
	!JSON.stringify(dropoff).includes(invalidMarker);

const notServed = { code: 'NOT_SERVED', message: 'Nobody drives to this address' };

const jsonCall = (payload: unknown): Call => ({
	headers: { 'Content-Type': 'application/json' },
	body: JSON.stringify(payload),
});

const busyAtFirst: GeneralHandler = (request, next, { isRepeated }) =>
	isRepeated()
		? next(request)
		: { ...message(429, 'BUSY', 'Too many requests'), headers: { 'Retry-After': '1' } };

/** Every API variant by its name. */
export const variants = {
	'success-201': {
		description: 'Responds 201 with code CREATED instead of 200 with OK.',
		rule: 'A delivery with a record exists, whatever the code of the response.',
		...onEveryChange((request, next) => {
			const { body } = next(request);
			return { status: 201, body: { ...payloadShape.parse(body), code: 'CREATED' } };
		}),
	},
	'accepted-202': {
		description: 'Responds 202 without records or a job, and works later.',
		rule: 'A delivery without a record is unknown.',
		create: (request, next) => {
			next(request);
			return message(202, 'ACCEPTED', 'The deliveries will be created');
		},
		update: (request, next) => {
			next(request);
			return message(202, 'ACCEPTED', 'The deliveries will be updated');
		},
	},
	'success-204': {
		description: 'Responds 204 without a body to every change.',
		rule: 'A response without a body confirms webhooks, but no deliveries.',
		...onEveryChange((request, next) => {
			next(request);
			return noContent;
		}),
	},
	'response-lost': {
		description: 'Makes a change, then drops the connection before its first response.',
		rule: 'A creation without a response is unknown and not sent again.',
		...onEveryChange((request, next, { isRepeated }) => {
			const isLost = !isRepeated();
			return { ...next(request), isLost };
		}),
	},
	'gateway-504': {
		description: 'Makes a change, but a gateway responds 504 with an HTML page.',
		rule: 'A creation with a 5xx response is unknown and not sent again.',
		...onEveryChange((request, next) => {
			next(request);
			return htmlPage(504, '504 Gateway Timeout');
		}),
	},
	'busy-at-first': {
		description:
			'Responds 429 with a Retry-After of 1 second to the first attempt with deliveries.',
		rule: 'A creation or an update with the response 429 is sent again.',
		create: busyAtFirst,
		update: busyAtFirst,
	},
	'code-error': {
		description: 'Responds 200 with an error code to every change, and changes nothing.',
		rule: 'A response with an error code is no success.',
		...onEveryChange(() => message(200, 'ERROR', 'Your plan does not allow this')),
	},
	'rejected-batch': {
		description:
			'Rejects a request that contains an invalid delivery with 422, and creates nothing.',
		rule: 'A delivery that was sent alone is rejected; those of a rejected batch are unknown.',
		create: (request, next) =>
			request.deliveries.every(isValid) ? next(request) : { status: 422, body: notServed },
	},
	'rejected-partly': {
		description: 'Creates the deliveries before an invalid one, then responds 400.',
		rule: 'A rejected batch may have created deliveries, so none of them is sent again.',
		create: (request, next) => {
			const end = request.deliveries.findIndex((delivery) => !isValid(delivery));
			if (end < 0) return next(request);
			next({ ...request, deliveries: request.deliveries.slice(0, end) });
			return { status: 400, body: notServed };
		},
	},
	'rejected-record': {
		description: 'Creates the valid deliveries, and returns an error record for an invalid one.',
		rule: 'A delivery whose record has no ID is unknown.',
		create: (request, next) => {
			const valid = { ...request, deliveries: request.deliveries.filter(isValid) };
			const { payload } = creationBodyShape.parse(next(valid).body);
			const records = request.deliveries.map((delivery, index) =>
				isValid(delivery) ? { ...payload.shift(), index } : { ...notServed, index },
			);
			return { status: 200, body: { code: 'OK', message: 'Success', payload: records } };
		},
	},
	'records-without-index': {
		description: 'Returns records without an index.',
		rule: 'The only record belongs to the only delivery; otherwise all deliveries are unknown.',
		create: changeEachRecord((record) => without(record, 'index')),
	},
	'records-with-changed-references': {
		description: 'Returns reference IDs without signs, e.g. 1001 for #1001.',
		rule: 'A record belongs to the delivery at its index, also with a changed reference ID.',
		create: changeEachRecord((record) => ({
			...record,
			referenceId: String(record.referenceId).replaceAll(/\W/g, ''),
		})),
	},
	'records-in-other-forms': {
		description: 'Returns records in reverse order, with numeric IDs and undocumented fields.',
		rule: 'A record belongs to the delivery at its index, whatever its position and other fields.',
		create: changeRecords((records) =>
			records
				.map((record) => ({ ...record, id: numericId(record.id), zone: { id: 4 }, driver: null }))
				.reverse(),
		),
	},
	'index-from-1': {
		description: 'Counts the index of records from 1.',
		rule: 'A record with the reference ID of another delivery of the request belongs to none.',
		create: changeEachRecord((record) => ({ ...record, index: Number(record.index) + 1 })),
	},
	'update-partly': {
		description: 'Responds 404 if a delivery of an update does not exist, but updates the others.',
		rule: 'A delivery of a rejected update may have been updated.',
		update: (request, next, { state }) => {
			const { deliveryIds, referenceIds } = request;
			const existing = {
				...request,
				deliveryIds: deliveryIds?.filter((id) => state.delivery(id) !== undefined),
				referenceIds: referenceIds?.filter((id) => state.deliveriesWithReference(id).length > 0),
			};
			const response = next(existing);
			const isComplete = JSON.stringify(existing) === JSON.stringify(request);
			return isComplete ? response : message(404, 'NOT_FOUND', 'A delivery is not known');
		},
	},
	'list-other-entries': {
		description: 'Lists webhooks with undocumented fields, and entries in other forms.',
		rule: 'Unknown fields and entries of the list are ignored.',
		list: (input, next) => {
			const response = next(input);
			const hooks = listShape.parse(response.body);
			return {
				...response,
				body: [
					{ url: 'https://other.example/hook', events: ['task.created'] },
					...hooks.map((hook, id) => ({ ...payloadShape.parse(hook), id, owner: null })),
					{ url: null, action: 3 },
					'https://other.example/hook',
					null,
				],
			};
		},
	},
	'subscribe-again-409': {
		description: 'Rejects a URL that is subscribed to the event with 409.',
		rule: 'A webhook is created once.',
		subscribe: (wanted, next, { state }) =>
			state.webhooks().some(({ url, action }) => url === wanted.url && action === wanted.action)
				? message(409, 'EXISTS', 'This URL is already subscribed')
				: next(wanted),
	},
	'event-form': {
		description: 'Posts events as form data.',
		rule: 'A form with the fields of an event starts the workflow.',
		eventCall: (payload) => ({
			headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
			body: new URLSearchParams(
				Object.entries(payloadShape.parse(payload)).map(([name, value]): [string, string] => [
					name,
					typeof value === 'string' ? value : JSON.stringify(value),
				]),
			).toString(),
		}),
	},
	'event-list': {
		description: 'Posts an event as a list with one entry, which has undocumented fields.',
		rule: 'An event in a list starts the workflow, and unknown fields are passed on.',
		eventCall: (payload) =>
			jsonCall([{ ...payloadShape.parse(payload), version: 2, extra: { a: [1] } }]),
	},
	'all-401': {
		description: 'Responds 401 to every request.',
		rule: 'A rejected key is an error, and no delivery is sent.',
		...onEveryRequest(message(401, 'UNAUTHORIZED', 'The key was revoked')),
	},
	'all-404-page': {
		description: 'Responds 404 with an HTML page to every request, as with a wrong Base URL.',
		rule: 'A response of another server is an error.',
		...onEveryRequest(htmlPage(404, 'Not Found')),
	},
	'all-308': {
		description: 'Redirects every request to another host with 308.',
		rule: 'A redirect is not followed and is an error.',
		...onEveryRequest({
			status: 308,
			body: '',
			headers: { Location: 'https://new.delivery-service.example/' },
		}),
	},
	'all-503': {
		description: 'Responds 503 with a Retry-After of 3,000 seconds to every request.',
		rule: 'A request is not repeated after a longer time than five minutes.',
		...onEveryRequest({
			...message(503, 'MAINTENANCE', 'Back in an hour'),
			headers: { 'Retry-After': '3000' },
		}),
	},
	'all-html': {
		description: 'Responds 200 with an HTML page to every request, as behind a login page.',
		rule: 'A page is no success.',
		...onEveryRequest(htmlPage(200, 'Log in')),
	},
} as const satisfies Readonly<Record<string, ApiVariant>>;

function numericId(id: unknown): number {
	return parseInt(String(id), 16);
}

export type VariantName = keyof typeof variants;

const isVariantName = (name: string): name is VariantName => Object.hasOwn(variants, name);

/** The name of an API variant, or null for what openapi.yaml says. */
export const variantNameSchema = z
	.string()
	.transform((name, context) => {
		if (isVariantName(name)) return name;
		const known = Object.keys(variants).join(', ');
		const text = `Unknown API variant "${name}". Known variants: ${known}`;
		context.addIssue({ code: 'custom', message: text });
		return z.NEVER;
	})
	.nullable();

/** The variant that the service simulates, with the requests that it has received meanwhile. */
export interface ActiveVariant extends Partial<ApiVariant> {
	/** The keys of received requests. */
	readonly received: Set<string>;
}

/** Starts a variant, or with null what openapi.yaml says. */
export function activateVariant(name: VariantName | null): ActiveVariant {
	return { ...(name === null ? {} : variants[name]), received: new Set() };
}
