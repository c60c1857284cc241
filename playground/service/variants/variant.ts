import type { z } from 'zod';

import type {
	ServiceResponse,
	Call,
	creationShape,
	subscriptionShape,
	UpdateRequest,
} from '../shapes';
import type { State } from '../state';

/** A create request that openapi.yaml allows. */
export type CreateRequest = z.infer<typeof creationShape>;

/** A subscribe or unsubscribe request that openapi.yaml allows. */
export type SubscriptionRequest = z.infer<typeof subscriptionShape>;

/** Handles a request, or a part of it, as openapi.yaml documents. */
export type Next<Input> = (input: Input) => ServiceResponse;

/** Handles a request in place of `next`, which it may call any number of times. */
export type Handler<Input> = (
	input: Input,
	next: Next<Input>,
	context: HandlerContext,
) => ServiceResponse | Promise<ServiceResponse>;

/** What a handler may use besides the request. */
export interface HandlerContext {
	readonly state: State;
	/** The company that the request is for. */
	readonly companyId: number;
	/** Whether the same request was received before. Calling it marks the request as received. */
	readonly isRepeated: (input: unknown) => boolean;
	/** Calls a URL and returns the status of its response, or null if there is none. */
	readonly call: (url: string, call: Call) => Promise<number | null>;
}

/**
 * An API variant: one interpretation of what the API document leaves open. The service handles
 * everything as openapi.yaml documents, except where the variant has a handler.
 */
export interface ServiceVariant {
	/** What the service does, in one sentence whose subject is the service. */
	readonly description: string;
	/** Create deliveries (section 4.1). */
	readonly create?: Handler<CreateRequest>;
	/** Update deliveries (section 4.2). */
	readonly update?: Handler<UpdateRequest>;
	/** List subscriptions (section 4.4). */
	readonly list?: Handler<undefined>;
	/** Subscribe (section 4.3). */
	readonly subscribe?: Handler<SubscriptionRequest>;
	/** Unsubscribe (section 4.5). */
	readonly unsubscribe?: Handler<SubscriptionRequest>;
	/** The form in which the service stores, lists and calls a URL. */
	readonly storedUrl?: (url: string) => string;
	/** The form in which the list shows a stored URL. */
	readonly listedUrl?: (url: string) => string;
	/** The calls to a subscribed URL when an event happens (section 6). */
	readonly eventCalls?: (payload: unknown) => Call[];
	/** Whether a subscriber's response to an event keeps its URL from being blacklisted. */
	readonly acceptsStatus?: (status: number | null) => boolean;
}

/** Handles a request as openapi.yaml documents. */
export function passThrough<Input>(input: Input, next: Next<Input>): ServiceResponse {
	return next(input);
}

/** Handles the request, but changes the response. */
export function changeResponse<Input>(
	change: (response: ServiceResponse) => ServiceResponse,
): Handler<Input> {
	return (input, next) => change(next(input));
}

/** Responds to every request without handling it. */
export function alwaysRespond<Input>(response: ServiceResponse): Handler<Input> {
	return () => response;
}

/** Responds to the first attempt without handling it, and handles the same request after that. */
export function respondToFirst<Input>(response: ServiceResponse): Handler<Input> {
	return (input, next, context) => (context.isRepeated(input) ? next(input) : response);
}

/** A response without a body. */
export const emptyResponse = (
	status: number,
	headers: Record<string, string> = {},
): ServiceResponse => ({
	status,
	headers,
	body: '',
});

/** A response of `code` and `message` (section 7). */
export const messageResponse = (
	status: number,
	code: string,
	message: string,
): ServiceResponse => ({
	status,
	body: { code, message },
});

/** Responds to every request of every endpoint without handling it. */
export function onEveryEndpoint(response: ServiceResponse): Omit<ServiceVariant, 'description'> {
	const handler = () => response;
	return {
		create: handler,
		update: handler,
		list: handler,
		subscribe: handler,
		unsubscribe: handler,
	};
}
