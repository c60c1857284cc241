import { NodeApiError, type INode } from 'n8n-workflow';

import { isSuccess, type Answer, type Exchange, type ServiceClient } from './client';
import { companyOf } from './company';
import { explain, notTheService } from './errors';
import { eventOfCode } from './events';
import * as requests from './requests';
import type { Subscription } from './requests';
import { webhookListSchema } from './schemas';

/** A subscription as the service lists it, with what it means beside what was said. */
export interface Webhook extends Subscription {
	/** The event's name; undefined for a code that the document does not name. */
	event?: string;
	/** `active`, `blacklisted`, or what else the service said, in lower case. */
	status: string;
	/** The status as the service spelled it. */
	rawStatus?: string;
	/** Members that the document does not name, and everything else as it came. */
	raw: Record<string, unknown>;
}

/** The webhook subscriptions of one company. */
export interface Webhooks {
	list(): Promise<Webhook[]>;
	/** Subscribes; any success counts, since the document shows no response body (section 4.3). */
	subscribe(subscription: Subscription): Promise<void>;
	/**
	 * Unsubscribes.
	 *
	 * @returns false when the service knows no such subscription
	 */
	unsubscribe(subscription: Subscription): Promise<boolean>;
}

/**
 * The subscriptions of the given company, else of the credential's (sections 4.3 to 4.5).
 *
 * Every method waits for the answer and throws a NodeApiError when the service refuses or cannot
 * be reached.
 *
 * @throws NodeOperationError when there is no company, or it is not valid
 */
export function webhooksOf(node: INode, client: ServiceClient, company: unknown): Webhooks {
	const companyId = companyOf(node, client, company);
	const { send } = client;
	return {
		async list() {
			const answer = success(node, await send(requests.subscriptionList(companyId)));
			const parsed = webhookListSchema.safeParse(answer.body);
			if (!parsed.success)
				throw new NodeApiError(node, {}, { ...notTheService, httpCode: String(answer.status) });
			return parsed.data.map((hook) => ({
				url: hook.url,
				action: hook.action,
				event: eventOfCode(hook.action),
				status: normalised(hook.status),
				rawStatus: hook.status,
				raw: hook,
			}));
		},
		async subscribe(subscription) {
			success(node, await send(requests.subscription(companyId, subscription)));
		},
		async unsubscribe(subscription) {
			const exchange = await send(requests.unsubscription(companyId, subscription));
			if (exchange.kind === 'answer' && exchange.status === 404) return false;
			success(node, exchange);
			return true;
		},
	};
}

/** Both spellings of the document (sections 2.7 and 3), in any case, come out as one. */
function normalised(status: string | undefined): string {
	const lower = (status ?? '').trim().toLowerCase();
	return lower === 'banned' ? 'blacklisted' : lower;
}

/**
 * The answer, when it is a success.
 *
 * @throws NodeApiError that says what happened and what to do
 */
export function success(node: INode, exchange: Exchange): Answer {
	if (exchange.kind === 'answer' && isSuccess(exchange)) return exchange;
	throw new NodeApiError(
		node,
		{},
		{
			...explain(exchange),
			...(exchange.kind === 'answer' && { httpCode: String(exchange.status) }),
		},
	);
}
