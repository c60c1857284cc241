import { z } from 'zod';

import type { ServiceResponse, Call } from '../shapes';
import type { Handler, ServiceVariant, SubscriptionRequest } from './variant';
import { alwaysRespond, changeResponse, emptyResponse, messageResponse } from './variant';

const hooksShape = z.array(z.object({ url: z.string(), action: z.number(), status: z.string() }));

type Hook = z.infer<typeof hooksShape>[number];

const changeList = (change: (hooks: Hook[]) => unknown): Handler<undefined> =>
	changeResponse((response) => ({ ...response, body: change(hooksShape.parse(response.body)) }));

const changeEachHook = (change: (hook: Hook) => unknown): Handler<undefined> =>
	changeList((hooks) => hooks.map(change));

const respondToEmptyList = (response: ServiceResponse): Handler<undefined> =>
	changeResponse((listed) => (hooksShape.parse(listed.body).length > 0 ? listed : response));

/** Undocumented entries, half of which the list shows before the documented ones. */
const undocumentedEntries = [
	{ url: 'https://other.example/hook', action: 1, status: null },
	{ url: 'https://other.example/hook', action: 'createTask', status: { name: 'Active' } },
	{ url: null, action: 3 },
	{ id: 12, target: 'https://other.example/hook', events: ['task.created'] },
	'https://other.example/hook',
	['https://other.example/hook', 2],
	7,
	null,
];

/** Rejects a subscribe or unsubscribe request that conflicts with a subscription of the company. */
const rejectIf =
	(
		conflicts: (hook: Hook, wanted: SubscriptionRequest) => boolean,
		response: ServiceResponse,
	): Handler<SubscriptionRequest> =>
	(wanted, next, { state, companyId }) =>
		state.webhooks(companyId).some((hook) => conflicts(hook, wanted)) ? response : next(wanted);

const conflict = (message: string) => messageResponse(409, 'EXISTS', message);

/** Lists a URL that is subscribed again a second time. */
const addDuplicate: Handler<SubscriptionRequest> = (wanted, next, { state, companyId }) => {
	state.subscribeDuplicate(companyId, wanted.url, wanted.action);
	return next(wanted);
};

const respondToMissing =
	(response: ServiceResponse): Handler<SubscriptionRequest> =>
	(wanted, next, { state, companyId }) =>
		state.webhooks(companyId).some((hook) => isSame(hook, wanted)) ? next(wanted) : response;

const isSame = (hook: Pick<Hook, 'url' | 'action'>, wanted: SubscriptionRequest): boolean =>
	hook.url === wanted.url && hook.action === wanted.action;

const isBlacklisted = (hook: Hook, wanted: SubscriptionRequest): boolean =>
	isSame(hook, wanted) && hook.status === 'Banned';

const rejectBlacklisted = (status: number): Handler<SubscriptionRequest> =>
	rejectIf(isBlacklisted, messageResponse(status, 'BANNED', 'Banned hooks cannot be removed'));

/**
 * Calls the URL before responding, and blacklists it unless it responds with 2xx. A URL that the
 * local service must not call stays active.
 */
const testUrl =
	(call: Call): Handler<SubscriptionRequest> =>
	async (wanted, next, { state, call: callUrl }) => {
		const status = await callUrl(wanted.url, call);
		const response = next(wanted);
		if (status !== null && (status < 200 || status > 299)) state.ban(wanted.url, wanted.action);
		return response;
	};

function urlTestVariant(form: string, call: Call): ServiceVariant {
	return {
		description: `Tests a URL with ${form} when it is subscribed, and blacklists it unless it responds 2xx.`,
		subscribe: testUrl(call),
	};
}

const json = { 'Content-Type': 'application/json' };

/** Splits a URL into the part before the query and the query's parameters as written. */
function splitQuery(url: string): [string, string[]] {
	const [start = '', ...query] = url.split('?');
	return [start, query.length === 0 ? [] : query.join('?').split('&')];
}

const changeQuery = (url: string, change: (parameters: string[]) => string): string => {
	const [start, parameters] = splitQuery(url);
	return parameters.length === 0 ? url : `${start}?${change(parameters)}`;
};

const dropQuery = (url: string): string => splitQuery(url)[0];
const reorderQuery = (url: string): string =>
	changeQuery(url, (parameters) => [...parameters].reverse().join('&'));
const escapeHtml = (url: string): string => url.replaceAll('&', '&amp;');
const encodeQuery = (url: string): string =>
	changeQuery(url, (parameters) => encodeURIComponent(parameters.join('&')));

/** Encodes the slashes of the path after its first segment: `/webhook/a%2Fb`. */
function encodePath(url: string): string {
	if (!URL.canParse(url)) return url;
	const { origin, pathname, search } = new URL(url);
	const [, first = '', ...rest] = pathname.split('/');
	return rest.length === 0 ? url : `${origin}/${first}/${rest.join('%2F')}${search}`;
}

/** Variants of webhook subscriptions (sections 2.7 and 4.3 to 4.5). */
export const webhookVariants: Readonly<Record<string, ServiceVariant>> = {
	'list-odd-entries': {
		description: 'Also lists entries without a status and entries in undocumented forms.',
		list: changeList((hooks) => [
			...undocumentedEntries.slice(0, 4),
			...hooks,
			...undocumentedEntries.slice(4),
		]),
	},
	'list-wrapped': {
		description: 'Returns the list of webhooks as payload, next to code and message.',
		list: changeList((payload) => ({ code: 'OK', message: 'Success', payload })),
	},
	'list-wrapped-deeply': {
		description: 'Returns the list of webhooks as data.hooks.',
		list: changeList((hooks) => ({ data: { hooks, count: hooks.length } })),
	},
	'list-action-text': {
		description: 'Lists event codes as text.',
		list: changeEachHook((hook) => ({ ...hook, action: String(hook.action) })),
	},
	'list-lower-case': {
		description: 'Lists the statuses as active and blacklisted.',
		list: changeEachHook((hook) => ({
			...hook,
			status: hook.status === 'Active' ? 'active' : 'blacklisted',
		})),
	},
	'list-without-status': {
		description: 'Lists webhooks without their status.',
		list: changeEachHook(({ url, action }) => ({ url, action })),
	},
	'list-empty-204': {
		description: 'Responds 204 without a body when there are no webhooks.',
		list: respondToEmptyList(emptyResponse(204)),
	},
	'list-empty-404': {
		description: 'Responds 404 when there are no webhooks.',
		list: respondToEmptyList(messageResponse(404, 'NOT_FOUND', 'There are no hooks yet')),
	},
	'list-empty-null': {
		description: 'Returns null when there are no webhooks.',
		list: changeList((hooks) => (hooks.length > 0 ? hooks : null)),
	},
	'list-no-body': {
		description: 'Responds 200 without a body to every list request.',
		list: alwaysRespond(emptyResponse(200)),
	},
	'list-403': {
		description: 'Rejects list requests with 403, but allows subscribing.',
		list: alwaysRespond(messageResponse(403, 'FORBIDDEN', 'This key may not list hooks')),
	},
	'subscribed-201': {
		description: 'Subscribes a URL and responds 201 with the webhook.',
		subscribe: (wanted, next) => {
			next(wanted);
			return { status: 201, body: { ...wanted, status: 'Active' } };
		},
	},
	'subscribed-204': {
		description: 'Subscribes a URL and responds 204 without a body.',
		subscribe: changeResponse(() => emptyResponse(204)),
	},
	'subscribed-500': {
		description: 'Subscribes a URL, but responds 500.',
		subscribe: changeResponse(() =>
			messageResponse(500, 'INTERNAL', 'The notification could not be sent'),
		),
	},
	'subscribe-code-error': {
		description: 'Responds 200 with code ERROR to every subscribe request, and subscribes nothing.',
		subscribe: alwaysRespond(messageResponse(200, 'ERROR', 'Webhooks are not part of your plan')),
	},
	'subscribe-ignored': {
		description: 'Responds 200 to every subscribe request, but stores nothing.',
		subscribe: alwaysRespond(messageResponse(200, 'OK', 'Success')),
	},
	'subscribe-403': {
		description: 'Rejects every subscribe request with 403.',
		subscribe: alwaysRespond(
			messageResponse(403, 'FORBIDDEN', 'Webhooks are not part of your plan'),
		),
	},
	'subscribe-again-409': {
		description: 'Rejects a URL that is already subscribed to the event with 409.',
		subscribe: rejectIf(isSame, conflict('This URL is subscribed already')),
	},
	'subscribe-url-409': {
		description: 'Rejects a URL that is already subscribed to any event with 409.',
		subscribe: rejectIf(
			(hook, wanted) => hook.url === wanted.url,
			conflict('This URL is subscribed already'),
		),
	},
	'subscribe-event-409': {
		description: 'Rejects a second URL of the company for the same event with 409.',
		subscribe: rejectIf(
			(hook, wanted) => hook.action === wanted.action,
			conflict('Another URL is subscribed to this event'),
		),
	},
	'subscribe-again-duplicate': {
		description:
			'Lists a URL twice when it is subscribed again, and removes one of the two on unsubscribe.',
		subscribe: addDuplicate,
	},
	'subscribe-reactivates': {
		description: 'Reactivates a blacklisted URL when it is subscribed again.',
		subscribe: (wanted, next, { state, companyId }) => {
			state.unsubscribe(companyId, wanted.url, wanted.action);
			return next(wanted);
		},
	},
	'test-post-empty': urlTestVariant('a POST without a body', { method: 'POST' }),
	'test-post-object': urlTestVariant('a POST of {}', {
		method: 'POST',
		headers: json,
		body: '{}',
	}),
	'test-post-ping': urlTestVariant('a POST of the text ping', {
		method: 'POST',
		headers: { 'Content-Type': 'text/plain' },
		body: 'ping',
	}),
	'test-get': urlTestVariant('a GET', { method: 'GET' }),
	'test-head': urlTestVariant('a HEAD', { method: 'HEAD' }),
	'test-event': urlTestVariant('a POST of an event', {
		method: 'POST',
		headers: json,
		body: JSON.stringify({ id: 'T-TEST', status: 'processing', company_id: '1', city_id: '1' }),
	}),
	'query-dropped': {
		description: 'Stores, lists and calls URLs without their query.',
		storedUrl: dropQuery,
	},
	'query-dropped-in-list': {
		description: 'Lists URLs without their query, but calls them with it.',
		listedUrl: dropQuery,
	},
	'query-reordered': {
		description: 'Stores, lists and calls URLs with their query parameters in another order.',
		storedUrl: reorderQuery,
	},
	'query-encoded-in-list': {
		description: 'Lists URLs with their query encoded (%3D, %26).',
		listedUrl: encodeQuery,
	},
	'path-encoded-in-list': {
		description: 'Lists URLs with the slashes of their path encoded (%2F).',
		listedUrl: encodePath,
	},
	'url-encoded-in-list': {
		description: 'Lists URLs entirely encoded.',
		listedUrl: encodeURIComponent,
	},
	'url-html': {
		description: 'Stores, lists and calls URLs with & replaced by &amp;.',
		storedUrl: escapeHtml,
	},
	'url-html-in-list': {
		description: 'Lists URLs with & replaced by &amp;, but calls them unchanged.',
		listedUrl: escapeHtml,
	},
	'unsubscribed-204': {
		description: 'Unsubscribes a URL and responds 204 without a body.',
		unsubscribe: changeResponse(() => emptyResponse(204)),
	},
	'unsubscribe-ignored': {
		description: 'Responds 200 to every unsubscribe request, but removes nothing.',
		unsubscribe: alwaysRespond(messageResponse(200, 'OK', 'Success')),
	},
	'unsubscribe-400': {
		description:
			'Ignores the body of an unsubscribe request and responds 400 because the URL is missing.',
		unsubscribe: alwaysRespond(messageResponse(400, 'BAD_REQUEST', 'url is required')),
	},
	'unsubscribe-banned-403': {
		description:
			'Rejects unsubscribing a blacklisted URL with 403, and adds an active one when it is subscribed again.',
		subscribe: addDuplicate,
		unsubscribe: rejectBlacklisted(403),
	},
	'unsubscribe-banned-400': {
		description:
			'Rejects unsubscribing a blacklisted URL with 400, and keeps it blacklisted when it is subscribed again.',
		unsubscribe: rejectBlacklisted(400),
	},
	'unsubscribe-unknown-400': {
		description: 'Responds 400 to unsubscribing a webhook that does not exist.',
		unsubscribe: respondToMissing(messageResponse(400, 'BAD_REQUEST', 'There is no such hook')),
	},
	'unsubscribe-unknown-200': {
		description: 'Responds 200 to unsubscribing a webhook that does not exist.',
		unsubscribe: respondToMissing(messageResponse(200, 'OK', 'Success')),
	},
};
