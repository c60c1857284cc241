/** The webhook subscriptions of a company: lists, creates and removes them. */
import type { INode } from 'n8n-workflow';
import type { z } from 'zod/v4';

import { type Problem, apiError } from '../common/result';
import { joinSentences } from '../common/text';
import {
	isSuccess,
	webhookRequest,
	type Exchange,
	type ServiceClient,
	type Subscription,
} from './client';
import {
	serviceDetail,
	explainFailure,
	isHtml,
	isSuccessCode,
	notADeliveryService,
} from './errors';
import { eventForCode, eventLabel, type EventName } from './events';
import { shownText, type ServiceResponse } from './response';
import { codeAndMessageSchema, listedWebhookSchema } from './schemas';

/** A listed subscription, with the meaning of its fields next to their raw values. */
export interface Webhook extends Subscription {
	/** Undefined for an undocumented code. */
	event?: EventName;
	/** `active`, `blacklisted`, or another status of the service in lowercase. */
	status: string;
	/** The status as spelled by the service. */
	rawStatus?: string;
	/** The listed entry, unchanged, including undocumented fields. */
	raw: Record<string, unknown>;
}

/** The webhook subscriptions of one company. */
export type Webhooks = ReturnType<typeof companyWebhooksClient>;

/**
 * A client for the subscriptions of a company (docs/api.md, sections 4.3 to 4.5).
 *
 * Every method waits for the response and throws a NodeApiError when the service rejects the request or
 * can't be reached.
 */
export function companyWebhooksClient(
	node: INode,
	{ send }: Pick<ServiceClient, 'send'>,
	companyId: number,
) {
	const request = async () => await send(webhookRequest('GET', companyId));
	return {
		async list() {
			return requireList(node, await request());
		},
		/**
		 * The same, but none when the service has no list of the company: it may have no webhooks yet.
		 * Otherwise, subscribing fails for the same reason.
		 */
		async listForTrigger() {
			const exchange = await request();
			return isListMissing(exchange) ? noWebhooks : requireList(node, exchange);
		},
		/**
		 * Any success counts, since the API document shows no response body (docs/api.md, section 4.3).
		 */
		async subscribe(subscription: Subscription) {
			const exchange = await send(webhookRequest('POST', companyId, subscription));
			if (exchange.status === 409)
				throw apiError(node, conflictProblem(serviceDetail(exchange)), 409);
			if (exchange.status === 404) throw apiError(node, notFoundProblem(exchange), 404);
			requireDone(node, exchange);
		},
		/** @returns whether it existed (no 404 of the service), and the service's message */
		async unsubscribe(subscription: Subscription) {
			const exchange = await send(webhookRequest('DELETE', companyId, subscription));
			const existed = exchange.status !== 404;
			if (existed) requireDone(node, exchange);
			else if (isHtml(exchange.body)) throw apiError(node, notFoundProblem(exchange), 404);
			return { existed, detail: serviceDetail(exchange) };
		},
	};
}

function conflictProblem(detail: string): Problem {
	return {
		message:
			'The Delivery Service already has this webhook, or one that conflicts with it (status 409)',
		description: joinSentences([
			'Check with Webhook > Get Many. If this webhook is blacklisted, run Webhook > Reactivate; if another one is in its place, delete that one first with Webhook > Delete.',
			detail,
		]),
	};
}

/**
 * Whether the service itself has no list of the company (404). The API document shows no such response
 * (docs/api.md, section 4.4): the company may be unknown or have no webhooks. An empty body or a web page
 * does not come from the service.
 */
function isListMissing(exchange: Exchange): boolean {
	return exchange.status === 404 && serviceDetail(exchange) !== '';
}

/**
 * What a 404 to a webhook request means.
 *
 * @param otherwise what holds if Company ID and Base URL are right, as a sentence
 */
export function notFoundProblem(exchange: Exchange, otherwise = ''): Problem {
	const detail = serviceDetail(exchange);
	return {
		message: 'The Delivery Service responded, but this company or URL was not found',
		description: detail
			? joinSentences(['Check Company ID and Base URL.', otherwise, detail])
			: 'Check the Base URL: its host responded, but not as the Delivery Service.',
	};
}

const noWebhooks = { webhooks: [], unreadable: [] };

/** @throws NodeApiError that explains why a request was not successful, and what to do */
function requireSuccess(node: INode, exchange: Exchange): ServiceResponse {
	if (exchange.kind === 'response' && isSuccess(exchange)) return exchange;
	throw apiError(node, explainFailure(exchange), exchange.status);
}

/** @throws NodeApiError that explains why a response contains no list */
function requireList(node: INode, exchange: Exchange): WebhookList {
	if (exchange.status === 404) {
		const otherwise = 'If both are right, the company does not have any webhooks yet.';
		throw apiError(node, notFoundProblem(exchange, otherwise), 404);
	}
	const response = requireSuccess(node, exchange);
	const list = readWebhookList(response);
	if (list) return list;
	throw apiError(node, reportedFailure(response) ?? notAList(response), response.status);
}

/** A success without a list, with what it says. */
export function notAList(response: ServiceResponse): Problem {
	const { message, description } = notADeliveryService;
	return { message, description: joinSentences([description, serviceDetail(response)]) };
}

/** The webhooks in a response, and the entries that are none. */
interface WebhookList {
	webhooks: Webhook[];
	unreadable: unknown[];
}

/**
 * The subscriptions in the response to a listing (docs/api.md, section 4.4), parsed one by one: an
 * unreadable entry must not hide the others. A success without a body lists none.
 *
 * @returns undefined when the response is not a list
 */
export function readWebhookList({ body, unreadable }: ServiceResponse): WebhookList | undefined {
	if (body === undefined && unreadable === undefined) return noWebhooks;
	if (!Array.isArray(body)) return undefined;
	const entries = body.map((entry: unknown) => ({
		entry,
		parsed: listedWebhookSchema.safeParse(entry),
	}));
	return {
		webhooks: entries.flatMap(({ parsed: { data } }) => (data ? [toWebhook(data)] : [])),
		unreadable: entries.flatMap(({ entry, parsed }) => (parsed.success ? [] : [entry])),
	};
}

function toWebhook(raw: z.infer<typeof listedWebhookSchema>): Webhook {
	const { url, action } = raw;
	const rawStatus = typeof raw.status === 'string' ? raw.status : undefined;
	return {
		url,
		action,
		event: eventForCode(action),
		status: normalizeStatus(rawStatus),
		rawStatus,
		raw,
	};
}

/**
 * @throws NodeApiError unless the service has done what was requested: a success may be a web page, or its
 *   code report a failure
 */
function requireDone(node: INode, exchange: Exchange): void {
	const response = requireSuccess(node, exchange);
	const { headers, body } = response;
	if (/html/i.test(headers['content-type'] ?? '') && isHtml(body))
		throw apiError(node, notADeliveryService, response.status);
	const failure = reportedFailure(response);
	if (failure) throw apiError(node, failure);
}

/** The failure that the code of a success reports. */
export function reportedFailure(response: ServiceResponse): Problem | undefined {
	const { code } = codeAndMessageSchema.parse(response.body);
	if (!code || isSuccessCode(code)) return undefined;
	return {
		message: 'The Delivery Service did not complete the request',
		description: serviceDetail(response),
	};
}

/** The query parameters of the URLs that a trigger subscribes. */
export const urlParameters = {
	event: 'event',
	workflow: 'workflow',
	signature: 'signature',
} as const;

/** Whether a trigger has made this URL, which then also responds to requests that start nothing. */
export function isTriggerUrl(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { searchParams } = new URL(url);
	return searchParams.has(urlParameters.event) && searchParams.has(urlParameters.workflow);
}

/** Whether two URLs are the same one, however spelled. The service may list it without the user and password in it. */
export function isSameUrl(one: string, other: string): boolean {
	return plainUrl(one) === plainUrl(other);
}

/** A URL in one spelling, without user and password. */
export function plainUrl(url: string): string {
	if (!URL.canParse(url)) return url;
	const parsed = new URL(url);
	parsed.username = '';
	parsed.password = '';
	return parsed.href;
}

/** Host and path of a URL as messages show it. Never the query, which may contain a signature. */
export function shownUrl(url: string): string {
	const page = URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : url.split('?')[0];
	return shownText(page ?? '', 200);
}

/** URL and event of a webhook. */
export function webhookName({ url, action }: Subscription): string {
	return `${shownUrl(url)} for ${eventLabel(action)}`;
}

/** Unifies the spellings of the API document (docs/api.md, sections 2.7 and 3), ignoring case. */
function normalizeStatus(status: string | undefined): string {
	const lower = (status ?? '').trim().toLowerCase();
	return lower === 'banned' ? 'blacklisted' : lower;
}
