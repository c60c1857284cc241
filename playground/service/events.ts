import { setMaxListeners } from 'node:events';
import http from 'node:http';
import https from 'node:https';

import axios from 'axios';

import { currencySign } from './delivery';
import type { Action, Call, StoredDelivery, Webhook } from './shapes';
import type { ApiVariant } from './variants';

const responseTimeoutMs = 60_000;
const maxConnections = 20;
const maxResponseBytes = 1_000_000;

/** Host names that events may be posted to and that control requests may use. */
export const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The call of one URL for an event. */
export interface Posting {
	readonly url: string;
	/** The HTTP status of the response, or null if there was none. */
	readonly status: number | null;
	/** Why there was no response. */
	readonly error?: string;
}

/** A fired event. `postings` grows as subscribers respond. */
export interface FiredEvent {
	readonly id: number;
	readonly at: number;
	readonly action: Action;
	readonly payload: unknown;
	readonly postings: readonly Posting[];
}

/** Returns the payload of the create-task event (docs/api.md, section 6, event 1). */
export function createTaskPayload({ record }: StoredDelivery): Record<string, unknown> {
	const { id, distance, price } = record;
	return { id, distance, price, currencySign };
}

/**
 * Returns the payload of the create-route event (docs/api.md, section 6, event 2) for these deliveries.
 */
export function createRoutePayload(
	routeId: string,
	deliveries: readonly StoredDelivery[],
	nowMs: number,
): Record<string, unknown> {
	const distance = deliveries.reduce((sum, { record }) => sum + record.distance, 0);
	return {
		route_id: routeId,
		distance: Math.round(distance * 100) / 100,
		date: String(Math.floor(nowMs / 1000)),
		prices: deliveries.map(({ record }) => ({ id: record.id, price: record.price.toFixed(2) })),
	};
}

/** Returns the payload of the update-task event (docs/api.md, section 6, event 3). */
export function updateTaskPayload({ record, companyId }: StoredDelivery): Record<string, unknown> {
	return {
		id: record.id,
		status: record.statusDelivery,
		company_id: String(companyId),
		city_id: String(record.destinationCityId),
	};
}

interface EventsOptions {
	/** Returns the subscriptions of a company, or all. */
	readonly webhooks: (companyId?: number) => Webhook[];
	readonly now: () => number;
	readonly variant: () => Pick<ApiVariant, 'eventCall'>;
	/** Called after every change. */
	readonly onChange: () => void;
}

/** Posts events to their subscribers, without retries, and records them. */
export class Events {
	private fired: FiredEvent[] = [];
	private lastId = 0;
	// Connections are not kept: a busy n8n may close one just when it is used again.
	private readonly agents = {
		httpAgent: new http.Agent({ maxSockets: maxConnections }),
		httpsAgent: new https.Agent({ maxSockets: maxConnections }),
	};
	private abortController = createAbortController();

	constructor(private readonly options: EventsOptions) {}

	/** The fired events, oldest first. */
	list(): FiredEvent[] {
		return this.fired.map((event) => ({ ...event, postings: [...event.postings] }));
	}

	/** Adds saved events. */
	restore(events: readonly FiredEvent[]): void {
		for (const { postings, ...event } of events)
			this.fired.push({ ...event, postings: [...postings] });
		this.lastId = this.fired.at(-1)?.id ?? 0;
	}

	/** The last events, newest first. */
	latest(count: number): FiredEvent[] {
		return this.fired.slice(-count).reverse();
	}

	/**
	 * Posts an event as JSON to its active subscriptions (docs/api.md, section 6), of one company or of
	 * all. Resolves when all calls have finished or failed. Never rejects.
	 */
	async fire(action: Action, payload: unknown, companyId?: number): Promise<Posting[]> {
		const postings: Posting[] = [];
		this.lastId += 1;
		const { now, onChange, webhooks } = this.options;
		this.fired.push({ id: this.lastId, at: now(), action, payload, postings });
		onChange();
		const subscribers = webhooks(companyId).filter(
			(webhook) => webhook.action === action && webhook.status === 'Active',
		);
		const { eventCall = documentedCall } = this.options.variant();
		const call = eventCall(payload);
		await Promise.all(
			subscribers.map(async ({ url }) => {
				postings.push(await this.call(url, call));
				onChange();
			}),
		);
		return [...postings];
	}

	/** Deletes the recorded events and aborts calls in flight. */
	clear(): void {
		this.abortController.abort();
		this.abortController = createAbortController();
		this.fired = [];
		this.options.onChange();
	}

	/** Aborts calls in flight and closes the connections. */
	close(): void {
		this.abortController.abort();
		this.agents.httpAgent.destroy();
		this.agents.httpsAgent.destroy();
	}

	/** Calls a URL on the loopback address and returns the result. Never rejects. */
	private async call(url: string, { headers, body }: Call): Promise<Posting> {
		if (!URL.canParse(url) || !loopbackHosts.has(new URL(url).hostname)) {
			return { url, status: null, error: 'The local service posts to the loopback address only' };
		}
		try {
			const { status } = await axios.request<unknown>({
				...this.agents,
				url,
				method: 'POST',
				data: body,
				headers,
				maxContentLength: maxResponseBytes,
				maxRedirects: 0,
				proxy: false,
				responseType: 'text',
				signal: this.abortController.signal,
				timeout: responseTimeoutMs,
				validateStatus: null,
			});
			return { url, status };
		} catch (error) {
			return { url, status: null, error: error instanceof Error ? error.message : String(error) };
		}
	}
}

/** Returns the documented call for an event: a POST of JSON (docs/api.md, section 6). */
function documentedCall(payload: unknown): Call {
	return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(payload) };
}

function createAbortController(): AbortController {
	const controller = new AbortController();
	// Every call in flight listens to it, so many listeners are not a leak.
	setMaxListeners(0, controller.signal);
	return controller;
}
