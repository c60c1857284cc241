import type { INode } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { Problem } from '../common/result';
import { isSuccess, type ServiceResponse, type Exchange, type ServiceClient } from './client';
import { serviceDetail, explainFailure, isSuccessCode, notADeliveryService } from './errors';
import { eventForCode, type EventName } from './events';
import { apiError } from './nodeErrors';
import * as requests from './requests';
import type { Subscription } from './requests';
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

/** The service's response to a listing. */
export interface WebhookList {
	webhooks: Webhook[];
	/** Entries without a URL or an event code. */
	unreadable: unknown[];
	/** Set when the response contained no list, which counts as an empty one. */
	isInferred?: true;
	/** The details of a 404: the company has no webhooks yet or is unknown. */
	notFoundDetail?: string;
}

/** The outcome of a change that may already be in effect. */
export interface SubscriptionChange {
	isDone: boolean;
	/** The service's message, empty when it sent none. */
	detail: string;
}

/** The webhook subscriptions of one company. */
export interface Webhooks {
	list(): Promise<WebhookList>;
	/**
	 * Subscribes. Any success counts, since the API document shows no response body (section 4.3).
	 *
	 * @returns `isDone: false` on a conflict (409): this subscription exists, or another one conflicts
	 *   with it
	 */
	subscribe(subscription: Subscription): Promise<SubscriptionChange>;
	/**
	 * Unsubscribes.
	 *
	 * @returns `isDone: false` when the service has no such subscription (404)
	 */
	unsubscribe(subscription: Subscription): Promise<SubscriptionChange>;
}

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
): Webhooks {
	return {
		async list() {
			const exchange = await send(requests.listWebhooksRequest(companyId));
			if (exchange.kind === 'response' && exchange.status === 404)
				return { webhooks: [], unreadable: [], notFoundDetail: serviceDetail(exchange) };
			const response = requireSuccess(node, exchange);
			const list = readWebhookList(response);
			if (list) return list;
			const description = [notADeliveryService.description, serviceDetail(response)]
				.filter(Boolean)
				.join(' ');
			throw apiError(node, { ...notADeliveryService, description }, response.status);
		},
		async subscribe(subscription) {
			const exchange = await send(requests.subscribeRequest(companyId, subscription));
			const detail = serviceDetail(exchange);
			if (exchange.kind === 'response' && exchange.status === 409) return { isDone: false, detail };
			requireDone(node, requireSuccess(node, exchange));
			return { isDone: true, detail };
		},
		async unsubscribe(subscription) {
			const exchange = await send(requests.unsubscribeRequest(companyId, subscription));
			const detail = serviceDetail(exchange);
			if (exchange.kind === 'response' && exchange.status === 404) return { isDone: false, detail };
			requireDone(node, requireSuccess(node, exchange));
			return { isDone: true, detail };
		},
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
 * must not hide the others. The list may be wrapped in an object, and no content is an empty list.
 *
 * @returns undefined when the response contains no list
 */
export function readWebhookList(response: ServiceResponse): WebhookList | undefined {
	const entries = isEmptyResponse(response) ? [] : findList(response.body);
	if (!entries) return undefined;
	const webhooks: Webhook[] = [];
	const unreadable: unknown[] = [];
	for (const entry of entries) {
		const { success: isReadable, data } = listedWebhookSchema.safeParse(entry);
		if (!isReadable) {
			unreadable.push(entry);
			continue;
		}
		const { url, action, status } = data;
		const rawStatus = typeof status === 'string' ? status : undefined;
		webhooks.push({
			...{
				url,
				action,
				event: eventForCode(action),
				status: normalizeStatus(rawStatus),
				rawStatus,
			},
			raw: data,
		});
	}
	return { webhooks, unreadable, ...(!containsList(response.body) && { isInferred: true }) };
}

function isEmptyResponse({ status, headers, body }: ServiceResponse): boolean {
	if (body !== undefined) return false;
	return status === 204 || headers['content-length'] === '0' || !headers['content-type'];
}

const listSchema = z.array(z.unknown());

/** Fields that report the outcome and contain no list of webhooks. */
const statusFields = new Set(['code', 'message', 'error', 'errors']);

/** The only list in a body, at most `maxDepth` levels deep; an object without any is an empty list. */
function findList(body: unknown, maxDepth = 2): unknown[] | undefined {
	const list = listSchema.safeParse(body);
	if (list.success) return list.data;
	if (body === null) return [];
	if (typeof body !== 'object' || maxDepth === 0) return undefined;
	if ('error' in body || 'errors' in body) return undefined;
	const { code } = codeAndMessageSchema.parse(body);
	const fields = Object.entries(body).filter(([name]) => !statusFields.has(name));
	if (fields.length === 0) return !code || isSuccessCode(code) ? [] : undefined;
	const lists = fields.flatMap(([, field]) => {
		const inner = field === null ? undefined : findList(field, maxDepth - 1);
		return inner ? [inner] : [];
	});
	if (lists.length > 0) return lists.length === 1 ? lists[0] : undefined;
	return fields.every(([, field]) => field === null) ? [] : undefined;
}

function containsList(body: unknown, maxDepth = 2): boolean {
	if (Array.isArray(body)) return true;
	if (typeof body !== 'object' || body === null || maxDepth === 0) return false;
	return Object.values(body).some((field) => containsList(field, maxDepth - 1));
}

/** @throws NodeApiError when a success is a web page, or its code reports a failure */
function requireDone(node: INode, response: ServiceResponse): void {
	if (/html/i.test(response.headers['content-type'] ?? ''))
		throw apiError(node, notADeliveryService, response.status);
	const { code } = codeAndMessageSchema.parse(response.body);
	if (!code || isSuccessCode(code)) return;
	const message = `The Delivery Service did not complete the request (code ${code})`;
	throw apiError(node, { message, description: serviceDetail(response) });
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
	throw apiError(
		node,
		explainFailure(exchange),
		exchange.kind === 'response' ? exchange.status : undefined,
	);
}
