import { z } from 'zod';

import type { Answer, Call } from '../shapes';
import type { Act, Reading, SubscriptionRequest } from './reading';
import { afterwards, bare, instead, saying } from './reading';

const hooksShape = z.array(z.object({ url: z.string(), action: z.number(), status: z.string() }));

type Hook = z.infer<typeof hooksShape>[number];

/** The list is given in another form. */
const listed = (change: (hooks: Hook[]) => unknown): Act<undefined> =>
	afterwards((answer) => ({ ...answer, body: change(hooksShape.parse(answer.body)) }));

const eachHook = (change: (hook: Hook) => unknown): Act<undefined> =>
	listed((hooks) => hooks.map(change));

/** An empty list is answered otherwise. */
const whenNone = (status: number): Act<undefined> =>
	afterwards((answer) =>
		hooksShape.parse(answer.body).length > 0
			? answer
			: status === 204
				? bare(status)
				: saying(status, 'NOT_FOUND', 'There are no hooks yet'),
	);

/** Other entries than the document shows, before and after those that it does. */
const oddEntries = [
	{ url: 'https://other.example/hook', action: 1, status: null },
	{ url: 'https://other.example/hook', action: 'createTask', status: { name: 'Active' } },
	{ url: null, action: 3 },
	{ id: 12, target: 'https://other.example/hook', events: ['task.created'] },
	'https://other.example/hook',
	['https://other.example/hook', 2],
	7,
	null,
];

/** A subscription, or the end of one, that a rule of the service forbids is refused. */
const refusedWhen =
	(
		isForbidden: (hook: Hook, wanted: SubscriptionRequest) => boolean,
		status: number,
		message: string,
		code = 'EXISTS',
	): Act<SubscriptionRequest> =>
	(wanted, work, { state, companyId }) =>
		state.webhooks(companyId).some((hook) => isForbidden(hook, wanted))
			? saying(status, code, message)
			: work(wanted);

/** A URL that is subscribed already is in the list once more. */
const againAnew: Act<SubscriptionRequest> = (wanted, work, { state, companyId }) => {
	state.subscribeAnew(companyId, wanted.url, wanted.action);
	return work(wanted);
};

/** An unsubscription of what is not there is answered so. */
const unknownAnswered =
	(answer: Answer): Act<SubscriptionRequest> =>
	(wanted, work, { state, companyId }) =>
		state.webhooks(companyId).some((hook) => isSame(hook, wanted)) ? work(wanted) : answer;

const isSame = (hook: Pick<Hook, 'url' | 'action'>, wanted: SubscriptionRequest): boolean =>
	hook.url === wanted.url && hook.action === wanted.action;

const isBanned = (hook: Hook, wanted: SubscriptionRequest): boolean =>
	isSame(hook, wanted) && hook.status === 'Banned';

/**
 * The URL is called before the subscription is answered. One that answers with anything but a
 * success is blacklisted from the start; one that cannot be reached from here is let be.
 */
const tested =
	(call: Call): Act<SubscriptionRequest> =>
	async (wanted, work, { state, call: callUrl }) => {
		const status = await callUrl(wanted.url, call);
		const answer = work(wanted);
		if (status !== null && (status < 200 || status > 299)) state.ban(wanted.url, wanted.action);
		return answer;
	};

function testReading(form: string, call: Call): Reading {
	return {
		says: `A URL is called at once when it is subscribed, ${form}, and blacklisted when the answer is no success.`,
		subscribe: tested(call),
	};
}

const json = { 'Content-Type': 'application/json' };

/** The parts of a URL: what stands before the query, and its parameters as they are written. */
function partsOf(url: string): [string, string[]] {
	const [start = '', ...query] = url.split('?');
	return [start, query.length === 0 ? [] : query.join('?').split('&')];
}

const withQuery = (url: string, change: (parameters: string[]) => string): string => {
	const [start, parameters] = partsOf(url);
	return parameters.length === 0 ? url : `${start}?${change(parameters)}`;
};

const withoutQuery = (url: string): string => partsOf(url)[0];
const reordered = (url: string): string => withQuery(url, (all) => [...all].reverse().join('&'));
const asHtml = (url: string): string => url.replaceAll('&', '&amp;');
const encodedQuery = (url: string): string =>
	withQuery(url, (all) => encodeURIComponent(all.join('&')));

/** Everything of the path after its first part is encoded: `/webhook/a%2Fb`. */
function encodedPath(url: string): string {
	if (!URL.canParse(url)) return url;
	const { origin, pathname, search } = new URL(url);
	const [, first = '', ...rest] = pathname.split('/');
	return rest.length === 0 ? url : `${origin}/${first}/${rest.join('%2F')}${search}`;
}

/** Readings of the webhook subscriptions (sections 2.7 and 4.3 to 4.5). */
export const webhookReadings: Readonly<Record<string, Reading>> = {
	'list-odd-entries': {
		says: 'The list holds other entries too, some without a status, some of forms that the document does not show.',
		list: listed((hooks) => [...oddEntries.slice(0, 4), ...hooks, ...oddEntries.slice(4)]),
	},
	'list-wrapped': {
		says: 'The list stands under payload, beside code and message.',
		list: listed((payload) => ({ code: 'OK', message: 'Success', payload })),
	},
	'list-wrapped-deeply': {
		says: 'The list stands under data.hooks.',
		list: listed((hooks) => ({ data: { hooks, count: hooks.length } })),
	},
	'list-action-text': {
		says: 'The event codes in the list are text.',
		list: eachHook((hook) => ({ ...hook, action: String(hook.action) })),
	},
	'list-lower-case': {
		says: 'The statuses in the list are active and blacklisted, as in the field list.',
		list: eachHook((hook) => ({
			...hook,
			status: hook.status === 'Active' ? 'active' : 'blacklisted',
		})),
	},
	'list-without-status': {
		says: 'The entries of the list have no status.',
		list: eachHook(({ url, action }) => ({ url, action })),
	},
	'list-none-204': {
		says: 'An empty list is answered 204, without a body.',
		list: whenNone(204),
	},
	'list-none-404': {
		says: 'An empty list is answered 404.',
		list: whenNone(404),
	},
	'list-none-null': {
		says: 'An empty list is null.',
		list: listed((hooks) => (hooks.length > 0 ? hooks : null)),
	},
	'list-empty': {
		says: 'The list is answered 200 without a body, whatever is subscribed.',
		list: instead(bare(200)),
	},
	'list-403': {
		says: 'The list is answered 403: the key may subscribe, not list.',
		list: instead(saying(403, 'FORBIDDEN', 'This key may not list hooks')),
	},
	'subscribed-201': {
		says: 'A subscription is answered 201 with the hook.',
		subscribe: (wanted, work) => {
			work(wanted);
			return { status: 201, body: { ...wanted, status: 'Active' } };
		},
	},
	'subscribed-204': {
		says: 'A subscription is answered 204, without a body.',
		subscribe: afterwards(() => bare(204)),
	},
	'subscribed-500': {
		says: 'A subscription is made, and answered 500.',
		subscribe: afterwards(() => saying(500, 'INTERNAL', 'The notification could not be sent')),
	},
	'subscribe-code-error': {
		says: 'Every subscription is answered 200 with code ERROR and a message; nothing is subscribed.',
		subscribe: instead(saying(200, 'ERROR', 'Webhooks are not part of your plan')),
	},
	'subscribe-403': {
		says: 'Every subscription is refused with 403.',
		subscribe: instead(saying(403, 'FORBIDDEN', 'Webhooks are not part of your plan')),
	},
	'subscribe-again-409': {
		says: 'A URL that is subscribed to the event already is refused with 409.',
		subscribe: refusedWhen(isSame, 409, 'This URL is subscribed already'),
	},
	'subscribe-url-409': {
		says: 'A URL that is subscribed to any event already is refused with 409.',
		subscribe: refusedWhen(
			(hook, wanted) => hook.url === wanted.url,
			409,
			'This URL is subscribed already',
		),
	},
	'subscribe-event-409': {
		says: 'An event to which another URL of the company is subscribed is refused with 409.',
		subscribe: refusedWhen(
			(hook, wanted) => hook.action === wanted.action,
			409,
			'Another URL is subscribed to this event',
		),
	},
	'subscribe-again-twice': {
		says: 'A URL that is subscribed again is in the list twice; an unsubscription takes off one of the two.',
		subscribe: againAnew,
	},
	'subscribe-revives': {
		says: 'A blacklisted URL that is subscribed again is active again.',
		subscribe: (wanted, work, { state, companyId }) => {
			state.unsubscribe(companyId, wanted.url, wanted.action);
			return work(wanted);
		},
	},
	'test-post-empty': testReading('by a POST without a body', { method: 'POST' }),
	'test-post-object': testReading('by a POST of {}', { method: 'POST', headers: json, body: '{}' }),
	'test-post-ping': testReading('by a POST of the text ping', {
		method: 'POST',
		headers: { 'Content-Type': 'text/plain' },
		body: 'ping',
	}),
	'test-get': testReading('by a GET', { method: 'GET' }),
	'test-head': testReading('by a HEAD', { method: 'HEAD' }),
	'test-event': testReading('by a POST of an event', {
		method: 'POST',
		headers: json,
		body: JSON.stringify({ id: 'T-TEST', status: 'processing', company_id: '1', city_id: '1' }),
	}),
	'query-dropped': {
		says: 'The query of a subscribed URL is dropped: it is listed and called without.',
		keeps: withoutQuery,
	},
	'query-dropped-in-list': {
		says: 'The list shows URLs without their query; they are called with it.',
		lists: withoutQuery,
	},
	'query-reordered': {
		says: 'The query of a subscribed URL is put in another order.',
		keeps: reordered,
	},
	'query-encoded-in-list': {
		says: 'The list shows URLs with their query encoded (%3D, %26).',
		lists: encodedQuery,
	},
	'path-encoded-in-list': {
		says: 'The list shows URLs with the slashes of their path encoded (%2F).',
		lists: encodedPath,
	},
	'url-encoded-in-list': {
		says: 'The list shows URLs encoded as a whole.',
		lists: encodeURIComponent,
	},
	'url-html': {
		says: 'The & of a subscribed URL becomes &amp;: so it is listed and called.',
		keeps: asHtml,
	},
	'url-html-in-list': {
		says: 'The list shows the & of URLs as &amp;.',
		lists: asHtml,
	},
	'unsubscribed-204': {
		says: 'An unsubscription is answered 204, without a body.',
		unsubscribe: afterwards(() => bare(204)),
	},
	'unsubscribe-ignored': {
		says: 'The body of an unsubscription is ignored: the answer is 200, and nothing is taken off.',
		unsubscribe: instead(saying(200, 'OK', 'Success')),
	},
	'unsubscribe-400': {
		says: 'The body of an unsubscription is not read: the answer is 400, since no URL is given.',
		unsubscribe: instead(saying(400, 'BAD_REQUEST', 'url is required')),
	},
	'unsubscribe-banned-403': {
		says: 'What is blacklisted cannot be taken off (403). Subscribed again, the URL is in the list a second time, and active.',
		subscribe: againAnew,
		unsubscribe: refusedWhen(isBanned, 403, 'Banned hooks cannot be removed', 'BANNED'),
	},
	'unsubscribe-banned-400': {
		says: 'What is blacklisted cannot be taken off (400), and stays so when it is subscribed again.',
		unsubscribe: refusedWhen(isBanned, 400, 'Banned hooks cannot be removed', 'BANNED'),
	},
	'unsubscribe-unknown-400': {
		says: 'An unsubscription of what is not there is answered 400.',
		unsubscribe: unknownAnswered(saying(400, 'BAD_REQUEST', 'There is no such hook')),
	},
	'unsubscribe-unknown-200': {
		says: 'An unsubscription of what is not there is answered 200.',
		unsubscribe: unknownAnswered(saying(200, 'OK', 'Success')),
	},
};
