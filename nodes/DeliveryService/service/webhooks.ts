import type { INode } from 'n8n-workflow';
import { z } from 'zod/v4';

import { isSuccess, type ServiceResponse, type Exchange, type ServiceClient } from './client';
import { serviceDetail, explainFailure, isSuccessCode, notADeliveryService } from './errors';
import { eventForCode, type EventName } from './events';
import { apiError } from './nodeErrors';
import * as requests from './requests';
import type { Subscription } from './requests';
import { codeAndMessageSchema, listedWebhookSchema } from './schemas';

/** A subscription as the service lists it, with what it means beside what was said. */
export interface Webhook extends Subscription {
	/** Undefined for a code that the document does not name. */
	event?: EventName;
	/** `active`, `blacklisted`, or what else the service said, in lower case. */
	status: string;
	/** The status as the service spelled it. */
	rawStatus?: string;
	/** Members that the document does not name, and everything else as it came. */
	raw: Record<string, unknown>;
}

/** What the service answers when it is asked for its list. */
export interface WebhookList {
	webhooks: Webhook[];
	/** Entries without a URL or an event's code: somebody else's, whatever they are. */
	unreadable: unknown[];
	/** What the service said when it answered 404: it has none yet, or knows no such company. */
	notFoundDetail?: string;
}

/** What came of asking for a change that the service may find made already. */
export interface SubscriptionChange {
	isDone: boolean;
	/** The service's words, empty when it had none. */
	detail: string;
}

/** The webhook subscriptions of one company. */
export interface Webhooks {
	list(): Promise<WebhookList>;
	/**
	 * Subscribes; any success counts, since the document shows no response body (section 4.3).
	 *
	 * @returns that it is not done when the service names a conflict (409): it has this subscription
	 *   already, or another in its place
	 */
	subscribe(subscription: Subscription): Promise<SubscriptionChange>;
	/**
	 * Unsubscribes.
	 *
	 * @returns that it is not done when the service knows no such subscription (404)
	 */
	unsubscribe(subscription: Subscription): Promise<SubscriptionChange>;
}

/**
 * The subscriptions of a company (sections 4.3 to 4.5).
 *
 * Every method waits for the response and throws a NodeApiError when the service rejects the
 * request or cannot be reached.
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
			const answer = requireSuccess(node, exchange);
			const listing = readWebhookList(answer);
			if (listing) return listing;
			const description = [notADeliveryService.description, serviceDetail(answer)]
				.filter(Boolean)
				.join(' ');
			throw apiError(node, { ...notADeliveryService, description }, answer.status);
		},
		async subscribe(subscription) {
			const exchange = await send(requests.subscribeRequest(companyId, subscription));
			const said = serviceDetail(exchange);
			if (exchange.kind === 'response' && exchange.status === 409) return { isDone: false, detail: said };
			requireDone(node, requireSuccess(node, exchange));
			return { isDone: true, detail: said };
		},
		async unsubscribe(subscription) {
			const exchange = await send(requests.unsubscribeRequest(companyId, subscription));
			const said = serviceDetail(exchange);
			if (exchange.kind === 'response' && exchange.status === 404) return { isDone: false, detail: said };
			requireDone(node, requireSuccess(node, exchange));
			return { isDone: true, detail: said };
		},
	};
}

/**
 * The subscriptions in the answer to a listing (section 4.4), entry by entry: one that cannot be
 * read must not hide the others. The list may be wrapped in an object, and no content is an empty
 * list.
 *
 * @returns undefined when there is no list in it
 */
export function readWebhookList(answer: ServiceResponse): WebhookList | undefined {
	const entries = isEmptyResponse(answer) ? [] : findList(answer.body);
	if (!entries) return undefined;
	const webhooks: Webhook[] = [];
	const others: unknown[] = [];
	for (const entry of entries) {
		const { success: isReadable, data } = listedWebhookSchema.safeParse(entry);
		if (!isReadable) {
			others.push(entry);
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
	return { webhooks, unreadable: others };
}

function isEmptyResponse({ status, headers, body }: ServiceResponse): boolean {
	if (body !== undefined) return false;
	return status === 204 || headers['content-length'] === '0' || !headers['content-type'];
}

const listSchema = z.array(z.unknown());

/** Members that say how it went, and hold no list of webhooks. */
const statusFields = new Set(['code', 'message', 'error', 'errors']);

/** The one list in a body or in an object of it; none at all in an object is an empty list. */
function findList(body: unknown, deepest = 2): unknown[] | undefined {
	const list = listSchema.safeParse(body);
	if (list.success) return list.data;
	if (body === null) return [];
	if (typeof body !== 'object' || deepest === 0) return undefined;
	if ('error' in body || 'errors' in body) return undefined;
	const said = codeAndMessageSchema.parse(body).code;
	const members = Object.entries(body).filter(([name]) => !statusFields.has(name));
	if (members.length === 0) return !said || isSuccessCode(said) ? [] : undefined;
	const lists = members.flatMap(([, member]) => {
		const inner = member === null ? undefined : findList(member, deepest - 1);
		return inner ? [inner] : [];
	});
	if (lists.length > 0) return lists.length === 1 ? lists[0] : undefined;
	return members.every(([, member]) => member === null) ? [] : undefined;
}

/** @throws NodeApiError when a success is a web page, or its code says that it is none */
function requireDone(node: INode, answer: ServiceResponse): void {
	if (/html/i.test(answer.headers['content-type'] ?? ''))
		throw apiError(node, notADeliveryService, answer.status);
	const { code } = codeAndMessageSchema.parse(answer.body);
	if (!code || isSuccessCode(code)) return;
	const message = `The Delivery Service did not do what was asked for (code ${code})`;
	throw apiError(node, { message, description: serviceDetail(answer) });
}

/** Both spellings of the document (sections 2.7 and 3), in any case, come out as one. */
function normalizeStatus(status: string | undefined): string {
	const lower = (status ?? '').trim().toLowerCase();
	return lower === 'banned' ? 'blacklisted' : lower;
}

/**
 * The answer, when it is a success.
 *
 * @throws NodeApiError that says what happened and what to do
 */
export function requireSuccess(node: INode, exchange: Exchange): ServiceResponse {
	if (exchange.kind === 'response' && isSuccess(exchange)) return exchange;
	throw apiError(
		node,
		explainFailure(exchange),
		exchange.kind === 'response' ? exchange.status : undefined,
	);
}
