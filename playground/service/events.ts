import { setMaxListeners } from 'node:events';
import http from 'node:http';
import https from 'node:https';

import axios from 'axios';

import { currencySign } from './delivery';
import type { Action, Call, StoredDelivery, Webhook } from './shapes';
import type { ServiceVariant } from './variants/variant';

const answerTimeoutMs = 10_000;
const maxConnections = 20;
const maxAnswerBytes = 1_000_000;

/** Host names that an event may be posted to, or a control request may be sent to. */
export const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** What became of posting an event to one URL. */
export interface Posting {
	readonly url: string;
	/** The subscriber's status, whatever it was; null when there was no answer. */
	readonly status: number | null;
	/** Why there was no answer. */
	readonly error?: string;
}

/** An event that happened, with what became of it; `postings` fills as subscribers answer. */
export interface FiredEvent {
	readonly id: number;
	readonly at: number;
	readonly action: Action;
	readonly payload: unknown;
	readonly postings: readonly Posting[];
}

/** Payload of the create-task event (section 6, event 1). */
export function createTaskPayload({ record }: StoredDelivery): Record<string, unknown> {
	const { id, distance, price } = record;
	return { id, distance, price, currencySign };
}

/** Payload of the create-route event (section 6, event 2) for a route of these deliveries. */
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

/** Payload of the update-task event (section 6, event 3). */
export function updateTaskPayload({ record, companyId }: StoredDelivery): Record<string, unknown> {
	return {
		id: record.id,
		status: record.statusDelivery,
		company_id: String(companyId),
		city_id: String(record.destinationCityId),
	};
}

interface EventsOptions {
	/** The subscriptions of a company, or all. */
	readonly webhooks: (companyId?: number) => Webhook[];
	readonly now: () => number;
	readonly variant: () => Pick<ServiceVariant, 'eventCalls' | 'acceptsStatus'>;
	/** Called when an answer has a subscription blacklisted. */
	readonly blacklist: (webhook: Webhook) => void;
	/** Called after every change of the list. */
	readonly changed: () => void;
}

/** Posts events to their subscribers, once each, and keeps a list of what happened. */
export class Events {
	private fired: FiredEvent[] = [];
	private lastId = 0;
	private readonly agents = {
		httpAgent: new http.Agent({ keepAlive: true, maxSockets: maxConnections }),
		httpsAgent: new https.Agent({ keepAlive: true, maxSockets: maxConnections }),
	};
	private stop = newStop();

	constructor(private readonly options: EventsOptions) {}

	/** The events so far, oldest first. */
	list(): FiredEvent[] {
		return this.fired.map((event) => ({ ...event, postings: [...event.postings] }));
	}

	/** The newest events, newest first. */
	latest(count: number): FiredEvent[] {
		return this.fired.slice(-count).reverse();
	}

	/** How many events there were. */
	get count(): number {
		return this.fired.length;
	}

	/**
	 * Posts an event as JSON to each active subscription of it (section 6), of one company when
	 * given; resolves when all have answered or failed. Never rejects.
	 */
	async fire(action: Action, payload: unknown, companyId?: number): Promise<Posting[]> {
		const postings: Posting[] = [];
		this.lastId += 1;
		const { now, changed, webhooks, blacklist } = this.options;
		this.fired.push({ id: this.lastId, at: now(), action, payload, postings });
		changed();
		const subscribers = webhooks(companyId).filter(
			(hook) => hook.action === action && hook.status === 'Active',
		);
		const { eventCalls = documentedCalls, acceptsStatus = () => true } = this.options.variant();
		const { signal } = this.stop;
		await Promise.all(
			subscribers.map(async (webhook) => {
				for (const call of eventCalls(payload)) {
					const posting = await this.call(webhook.url, call, signal);
					postings.push(posting);
					if (!acceptsStatus(posting.status)) blacklist(webhook);
					changed();
				}
			}),
		);
		return [...postings];
	}

	/** Forgets the list and ends what is being posted. */
	clear(): void {
		this.stop.abort();
		this.stop = newStop();
		this.fired = [];
		this.options.changed();
	}

	/** Ends what is being posted and closes the connections. */
	close(): void {
		this.stop.abort();
		this.agents.httpAgent.destroy();
		this.agents.httpsAgent.destroy();
	}

	/** Calls a URL on the loopback address and gives what became of it. Never rejects. */
	async call(
		url: string,
		{ method, headers = {}, body }: Call,
		signal = this.stop.signal,
	): Promise<Posting> {
		if (!URL.canParse(url) || !loopbackHosts.has(new URL(url).hostname)) {
			return { url, status: null, error: 'The local service posts to the loopback address only' };
		}
		try {
			const { status } = await axios.request<unknown>({
				...this.agents,
				url,
				method,
				data: body,
				headers,
				maxContentLength: maxAnswerBytes,
				maxRedirects: 0,
				proxy: false,
				responseType: 'text',
				signal,
				timeout: answerTimeoutMs,
				validateStatus: null,
			});
			return { url, status };
		} catch (error) {
			return { url, status: null, error: error instanceof Error ? error.message : String(error) };
		}
	}
}

/** The documented calls for an event: one POST of JSON (section 6). */
function documentedCalls(payload: unknown): Call[] {
	const headers = { 'Content-Type': 'application/json' };
	return [{ method: 'POST', headers, body: JSON.stringify(payload) }];
}

function newStop(): AbortController {
	const controller = new AbortController();
	// Every posting under way listens to it; their number is no sign of a leak.
	setMaxListeners(0, controller.signal);
	return controller;
}
