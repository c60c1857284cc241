import type { INode } from 'n8n-workflow';
import type { z } from 'zod/v4';

import { type Problem, apiError } from '../common/result';
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
import type { ServiceResponse } from './response';
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
 * A client for the subscriptions of a company (sections 4.3 to 4.5).
 *
 * Every method waits for the response and throws a NodeApiError when the service rejects the
 * request or can't be reached.
 */
export function companyWebhooksClient(
	node: INode,
	{ send }: Pick<ServiceClient, 'send'>,
	companyId: number,
) {
	return {
		async list() {
			const exchange = await send(webhookRequest('GET', companyId));
			if (exchange.status === 404)
				throw apiError(node, listNotFoundProblem(serviceDetail(exchange)), 404);
			const response = requireSuccess(node, exchange);
			const list = readWebhookList(response);
			if (list) return list;
			throw apiError(node, notADeliveryService, response.status);
		},
		/** Any success counts, since the API document shows no response body (section 4.3). */
		async subscribe(subscription: Subscription) {
			const exchange = await send(webhookRequest('POST', companyId, subscription));
			if (exchange.status === 409)
				throw apiError(node, conflictProblem(serviceDetail(exchange)), 409);
			requireDone(node, requireSuccess(node, exchange));
		},
		/** @returns whether it existed (no 404), and the service's message */
		async unsubscribe(subscription: Subscription) {
			const exchange = await send(webhookRequest('DELETE', companyId, subscription));
			const isDone = exchange.status !== 404;
			if (isDone) requireDone(node, requireSuccess(node, exchange));
			return { isDone, detail: serviceDetail(exchange) };
		},
	};
}

function conflictProblem(detail: string): Problem {
	return {
		message:
			'The Delivery Service already has this webhook, or one that conflicts with it (status 409)',
		description:
			`Check with Webhook > Get Many. If this webhook is blacklisted, run Webhook > Reactivate; if another one is in its place, delete that one first with Webhook > Delete. ${detail}`.trim(),
	};
}

/**
 * What a 404 to a listing means. The API document shows none (section 4.4): the company may be unknown
 * or have no webhooks. An empty body or a web page does not come from the service.
 *
 * @param detail the service's own message; empty when it sent none
 * @param nextStep what to do if nothing is wrong, for the end of a sentence
 */
export function listNotFoundProblem(detail: string, nextStep = ''): Problem {
	const description = detail
		? `Check Company ID and Base URL. If both are right, the company may not have any webhooks yet${nextStep}. ${detail}`
		: 'Check the Base URL: its host responded, but not as the Delivery Service.';
	return {
		message: 'The Delivery Service responded, but this company or URL was not found',
		description,
	};
}

/**
 * The subscriptions in the response to a listing (section 4.4), parsed one by one: an unreadable entry
 * must not hide the others.
 *
 * @returns undefined when the response is not a list
 */
export function readWebhookList({ body }: ServiceResponse) {
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

/** @throws NodeApiError when a success is a web page, or its code reports a failure */
function requireDone(node: INode, response: ServiceResponse): void {
	const { headers, body } = response;
	if (/html/i.test(headers['content-type'] ?? '') && isHtml(body))
		throw apiError(node, notADeliveryService, response.status);
	const { code } = codeAndMessageSchema.parse(body);
	if (!code || isSuccessCode(code)) return;
	throw apiError(node, {
		message: 'The Delivery Service did not complete the request',
		description: serviceDetail(response),
	});
}

/** Host, path and event of a webhook. Never the query, which may contain a signature. */
export function webhookName({ url, action }: Subscription): string {
	const page = URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : url.split('?')[0];
	return `${page} for ${eventLabel(action)}`;
}

/** Unifies the spellings of the API document (sections 2.7 and 3), ignoring case. */
function normalizeStatus(status: string | undefined): string {
	const lower = (status ?? '').trim().toLowerCase();
	return lower === 'banned' ? 'blacklisted' : lower;
}

/**
 * Returns the response of a successful request.
 *
 * @throws NodeApiError that explains the failure and what to do
 */
export function requireSuccess(node: INode, exchange: Exchange): ServiceResponse {
	if (exchange.kind === 'response' && isSuccess(exchange)) return exchange;
	throw apiError(node, explainFailure(exchange), exchange.status);
}
