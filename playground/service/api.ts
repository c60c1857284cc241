import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';

import type { Request, RequestHandler } from 'express';
import { z } from 'zod';

import { changeDelivery, createDelivery } from './delivery';
import type { Events } from './events';
import { createTaskPayload, updateTaskPayload } from './events';
import type { CreationLimit, RetryAfter, SlidingWindow } from './limit';
import { retryAfterHeader } from './limit';
import type { Answer, StoredDelivery, UpdateRequest } from './shapes';
import { creationShape, Refusal, subscriptionShape, updateShape } from './shapes';
import type { State } from './state';
import type { ActiveVariant } from './variants';
import type { CreateRequest, HandlerContext, SubscriptionRequest } from './variants/variant';
import { passThrough } from './variants/variant';

const success = { code: 'OK', message: 'Success' };

interface ApiOptions {
	readonly state: State;
	readonly events: Events;
	/** The companies that the key may act for, the own one first. */
	readonly companyIds: readonly [number, ...number[]];
	readonly now: () => number;
	readonly variant: () => ActiveVariant;
}

/** The five endpoints, each from a request that openapi.yaml allows to its answer. */
export class Api {
	constructor(private readonly options: ApiOptions) {}

	/**
	 * Creates deliveries (section 4.1) and fires event 1 for each. Throws a Refusal (403) for a
	 * company that the key may not act for.
	 */
	async create(req: Request): Promise<Answer> {
		const { companyIds } = this.options;
		const request = creationShape.parse(req.body);
		const { companyId = companyIds[0] } = request;
		if (!companyIds.includes(companyId)) {
			throw new Refusal(403, 'FORBIDDEN', `Not authorized for company ${companyId}`);
		}
		const { create = passThrough } = this.options.variant();
		const next = (part: CreateRequest) => this.carryOutCreation(part, companyId);
		return await create(request, next, this.context(companyId));
	}

	private carryOutCreation({ deliveries, type }: CreateRequest, companyId: number): Answer {
		const { state, events, now } = this.options;
		const nowMs = now();
		const created = deliveries.map((request, index) =>
			createDelivery(request, { index, companyId, type, nowMs }),
		);
		for (const delivery of created) state.put(delivery);
		for (const delivery of created) void events.fire(1, createTaskPayload(delivery), companyId);
		return { status: 200, body: { ...success, payload: created.map(({ record }) => record) } };
	}

	/**
	 * Updates deliveries (section 4.2) and fires event 3 for each. Throws a Refusal (404) when one
	 * of them does not exist; then nothing is changed.
	 */
	async update(req: Request): Promise<Answer> {
		const [companyId] = this.options.companyIds;
		const { update = passThrough } = this.options.variant();
		const next = (part: UpdateRequest) => this.carryOutUpdate(part);
		return await update(updateShape.parse(req.body), next, this.context(companyId));
	}

	private carryOutUpdate(update: UpdateRequest): Answer {
		const { state, events } = this.options;
		for (const delivery of this.targetsOf(update)) {
			const changed = changeDelivery(delivery, update);
			state.put(changed);
			void events.fire(3, updateTaskPayload(changed), changed.companyId);
		}
		return { status: 200, body: { ...success, data: { jobs: randomUUID() } } };
	}

	/** Lists the company's subscriptions (section 4.4). Throws a Refusal (404). */
	async listHooks(req: Request): Promise<Answer> {
		const companyId = this.companyOf(req);
		const { list = passThrough, listedUrl = unchanged } = this.options.variant();
		const next = () => {
			const hooks = this.options.state.webhooks(companyId);
			const body = hooks.map(({ url, action, status }) => ({
				url: listedUrl(url),
				action,
				status,
			}));
			return { status: 200, body };
		};
		return await list(undefined, next, this.context(companyId));
	}

	/** Subscribes a URL to an event (section 4.3). Throws a Refusal (404: company). */
	async subscribe(req: Request): Promise<Answer> {
		const companyId = this.companyOf(req);
		const { subscribe = passThrough } = this.options.variant();
		const next = ({ url, action }: SubscriptionRequest) => {
			this.options.state.subscribe(companyId, url, action);
			return { status: 200, body: success };
		};
		return await subscribe(this.subscriptionIn(req), next, this.context(companyId));
	}

	/** Unsubscribes a URL from an event (section 4.5). Throws a Refusal (404). */
	async unsubscribe(req: Request): Promise<Answer> {
		const companyId = this.companyOf(req);
		const { unsubscribe = passThrough } = this.options.variant();
		const next = ({ url, action }: SubscriptionRequest) => {
			if (!this.options.state.unsubscribe(companyId, url, action)) {
				throw new Refusal(404, 'NOT_FOUND', `No subscription of ${url} to event ${action}`);
			}
			return { status: 200, body: success };
		};
		return await unsubscribe(this.subscriptionIn(req), next, this.context(companyId));
	}

	/** The subscription that a request names, with its URL in the form in which it is stored. */
	private subscriptionIn(req: Request): SubscriptionRequest {
		const { url, action } = subscriptionShape.parse(req.body);
		const { storedUrl = unchanged } = this.options.variant();
		return { url: storedUrl(url), action };
	}

	private context(companyId: number): HandlerContext {
		const { state, events } = this.options;
		const { isRepeated } = this.options.variant();
		return {
			state,
			companyId,
			isRepeated,
			call: async (url, call) => (await events.call(url, call)).status,
		};
	}

	private targetsOf({ deliveryIds = [], referenceIds = [] }: UpdateRequest): Set<StoredDelivery> {
		const { state } = this.options;
		const unknown: string[] = [];
		const targets = new Map<string, StoredDelivery>();
		const found = (name: string, deliveries: StoredDelivery[]) => {
			if (deliveries.length === 0) unknown.push(name);
			for (const delivery of deliveries) targets.set(delivery.record.id, delivery);
		};
		for (const id of deliveryIds) found(id, [state.delivery(id) ?? []].flat());
		for (const id of referenceIds) found(id, state.deliveriesWithReference(id));
		if (unknown.length > 0) {
			throw new Refusal(404, 'NOT_FOUND', `Unknown deliveries: ${unknown.join(', ')}`);
		}
		return new Set(targets.values());
	}

	private companyOf(req: Request): number {
		const companyId = z.coerce.number().parse(req.params.company_id);
		if (!this.options.companyIds.includes(companyId)) {
			throw new Refusal(404, 'NOT_FOUND', `Unknown company ${companyId}`);
		}
		return companyId;
	}
}

/** Lets only requests with this key through (section 5); others become a Refusal (401). */
export function basicAuth(apiKeyId: string, apiSecret: string): RequestHandler {
	const wanted = digest(`${apiKeyId}:${apiSecret}`);
	return (req, _res, next) => {
		const [, credentials = ''] = /^basic +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? [];
		const given = digest(Buffer.from(credentials, 'base64').toString('utf8'));
		if (timingSafeEqual(given, wanted)) return next();
		throw new Refusal(401, 'UNAUTHORIZED', 'Credentials missing or invalid', {
			'WWW-Authenticate': 'Basic realm="Delivery Service", charset="UTF-8"',
		});
	};
}

/** Lets only as many requests through as the limit allows (section 8); others become a 429. */
export function limitRequests(options: {
	window: SlidingWindow;
	now: () => number;
	settings: () => { creationLimit: CreationLimit; retryAfter: RetryAfter };
}): RequestHandler {
	return (_req, _res, next) => {
		const { creationLimit, retryAfter } = options.settings();
		const nowMs = options.now();
		const waitMs = options.window.admit(nowMs, creationLimit);
		if (waitMs === 0) return next();
		const headers = retryAfterHeader(retryAfter, nowMs, waitMs);
		throw new Refusal(429, 'TOO_MANY_REQUESTS', 'Too many creation requests', headers);
	};
}

/** Form values are text; the action is documented as an integer (section 4.3). */
export const readFormInteger: RequestHandler = (req, _res, next) => {
	const form = z
		.object({ action: z.string().regex(/^\d+$/) })
		.passthrough()
		.safeParse(req.body);
	if (req.is('application/x-www-form-urlencoded') && form.success) {
		req.body = { ...form.data, action: Number(form.data.action) };
	}
	next();
};

const unchanged = (url: string): string => url;

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
