import type { z } from 'zod';

import type { Answer, Call, creationShape, subscriptionShape, UpdateRequest } from '../shapes';
import type { State } from '../state';

/** A creation request that openapi.yaml allows. */
export type CreationRequest = z.infer<typeof creationShape>;

/** A subscribe or unsubscribe request that openapi.yaml allows. */
export type SubscriptionRequest = z.infer<typeof subscriptionShape>;

/** Carries a request, or a part of it, out as openapi.yaml says, and gives the answer to it. */
export type Work<Input> = (input: Input) => Answer;

/** What the service does with a request in place of `work`, which it may call as often as it likes. */
export type Act<Input> = (
	input: Input,
	work: Work<Input>,
	service: Inside,
) => Answer | Promise<Answer>;

/** What an act may use besides the request. */
export interface Inside {
	readonly state: State;
	/** The company that the request is for. */
	readonly companyId: number;
	/** Whether the same request came before; from then on it has. */
	readonly cameBefore: (input: unknown) => boolean;
	/** Calls a URL, and gives the status of its answer; null without one. */
	readonly call: (url: string, call: Call) => Promise<number | null>;
}

/**
 * One way to read what the document leaves open, acted out. What an act is not given for, the
 * service does as openapi.yaml says.
 */
export interface Reading {
	/** What the service does, in a sentence. */
	readonly says: string;
	/** Creation of deliveries (section 4.1). */
	readonly create?: Act<CreationRequest>;
	/** Update of deliveries (section 4.2). */
	readonly update?: Act<UpdateRequest>;
	/** List of subscriptions (section 4.4). */
	readonly list?: Act<undefined>;
	/** Subscription (section 4.3). */
	readonly subscribe?: Act<SubscriptionRequest>;
	/** Unsubscription (section 4.5). */
	readonly unsubscribe?: Act<SubscriptionRequest>;
	/** The form in which a URL is kept, listed and called. */
	readonly keeps?: (url: string) => string;
	/** The form in which a URL that is kept is listed. */
	readonly lists?: (url: string) => string;
	/** The calls that an event makes of a subscribed URL (section 6). */
	readonly posts?: (payload: unknown) => Call[];
	/** Whether an answer to an event keeps the subscription from being blacklisted. */
	readonly accepts?: (status: number | null) => boolean;
}

/** The act that is none: as openapi.yaml says. */
export function asDocumented<Input>(input: Input, work: Work<Input>): Answer {
	return work(input);
}

/** The request is carried out, and answered otherwise. */
export function afterwards<Input>(answer: (answer: Answer) => Answer): Act<Input> {
	return (input, work) => answer(work(input));
}

/** The request is not carried out, whatever it is. */
export function instead<Input>(answer: Answer): Act<Input> {
	return () => answer;
}

/** The first time that a request comes it is answered so; when it comes again, it is carried out. */
export function atFirst<Input>(answer: Answer): Act<Input> {
	return (input, work, service) => (service.cameBefore(input) ? work(input) : answer);
}

/** An answer without a body. */
export const bare = (status: number, headers: Record<string, string> = {}): Answer => ({
	status,
	headers,
	body: '',
});

/** An answer of `code` and `message` (section 7). */
export const saying = (status: number, code: string, message: string): Answer => ({
	status,
	body: { code, message },
});

/** Every request is answered so; none is carried out. */
export function everywhere(answer: Answer): Omit<Reading, 'says'> {
	const act = () => answer;
	return { create: act, update: act, list: act, subscribe: act, unsubscribe: act };
}
