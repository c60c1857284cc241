import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';

import type { Request, RequestHandler } from 'express';
import { z } from 'zod';

import { updateDelivery, createDelivery } from './delivery';
import type { Events } from './events';
import { createTaskPayload, updateTaskPayload } from './events';
import type { CreationLimit, RetryAfter, SlidingWindow } from './limit';
import { retryAfterHeader } from './limit';
import type {
	CreationRequest,
	ServiceResponse,
	StoredDelivery,
	SubscriptionRequest,
	UpdateRequest,
} from './shapes';
import { creationShape, Rejection, subscriptionShape, updateShape } from './shapes';
import type { State } from './state';
import type { ActiveVariant, Handler } from './variants';

const success = { code: 'OK', message: 'Success' };

interface ApiOptions {
	readonly state: State;
	readonly events: Events;
	/** The companies that the key has access to: its own company, then child companies. */
	readonly companyIds: readonly [number, ...number[]];
	readonly now: () => number;
	readonly variant: () => ActiveVariant;
}

/** The five endpoints. Each takes a request that openapi.yaml allows and returns the response. */
export class Api {
	constructor(private readonly options: ApiOptions) {}

	/**
	 * Creates deliveries (docs/api.md, section 4.1) and fires event 1 for each. Throws a Rejection (403)
	 * for a company that the key has no access to.
	 */
	create(req: Request): ServiceResponse {
		const { companyIds } = this.options;
		const request = creationShape.parse(req.body);
		const { companyId = companyIds[0] } = request;
		if (!companyIds.includes(companyId)) {
			throw new Rejection(403, 'FORBIDDEN', `Not authorized for company ${companyId}`);
		}
		const next = (input: CreationRequest) => this.createDeliveries(input, companyId);
		return this.handle('create', request, next, this.options.variant().create);
	}

	private createDeliveries(
		{ deliveries, type }: CreationRequest,
		companyId: number,
	): ServiceResponse {
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
	 * Updates deliveries (docs/api.md, section 4.2) and fires event 3 for each. Throws a Rejection (404)
	 * and changes nothing if one of them does not exist.
	 */
	update(req: Request): ServiceResponse {
		const next = (input: UpdateRequest) => this.updateDeliveries(input);
		return this.handle('update', updateShape.parse(req.body), next, this.options.variant().update);
	}

	private updateDeliveries(update: UpdateRequest): ServiceResponse {
		const { state, events } = this.options;
		for (const delivery of this.findTargets(update)) {
			const updated = updateDelivery(delivery, update);
			state.put(updated);
			void events.fire(3, updateTaskPayload(updated), updated.companyId);
		}
		return { status: 200, body: { ...success, data: { jobs: randomUUID() } } };
	}

	/**
	 * Lists a company's subscriptions (docs/api.md, section 4.4). Throws a Rejection (404) for an unknown
	 * company.
	 */
	listWebhooks(req: Request): ServiceResponse {
		const companyId = this.requireCompanyId(req);
		const next = () => {
			const webhooks = this.options.state.webhooks(companyId);
			return {
				status: 200,
				body: webhooks.map(({ url, action, status }) => ({ url, action, status })),
			};
		};
		return this.handle('list', undefined, next, this.options.variant().list);
	}

	/**
	 * Subscribes a URL to an event (docs/api.md, section 4.3). Throws a Rejection (404) for an unknown
	 * company.
	 */
	subscribe(req: Request): ServiceResponse {
		const companyId = this.requireCompanyId(req);
		const next = ({ url, action }: SubscriptionRequest) => {
			this.options.state.subscribe(companyId, url, action);
			return { status: 200, body: success };
		};
		const wanted = subscriptionShape.parse(req.body);
		return this.handle('subscribe', wanted, next, this.options.variant().subscribe);
	}

	/**
	 * Unsubscribes a URL from an event (docs/api.md, section 4.5). Throws a Rejection (404) if it is not
	 * subscribed.
	 */
	unsubscribe(req: Request): ServiceResponse {
		const companyId = this.requireCompanyId(req);
		const next = ({ url, action }: SubscriptionRequest) => {
			if (!this.options.state.unsubscribe(companyId, url, action)) {
				throw new Rejection(404, 'NOT_FOUND', `No subscription of ${url} to event ${action}`);
			}
			return { status: 200, body: success };
		};
		const unwanted = subscriptionShape.parse(req.body);
		return this.handle('unsubscribe', unwanted, next, this.options.variant().unsubscribe);
	}

	/** Handles a request as the variant does, otherwise as documented. */
	private handle<Input>(
		endpoint: string,
		input: Input,
		next: (input: Input) => ServiceResponse,
		handler: Handler<Input> | undefined,
	): ServiceResponse {
		if (handler === undefined) return next(input);
		const { received } = this.options.variant();
		const key = JSON.stringify([endpoint, input]);
		const isRepeated = () => {
			const wasReceived = received.has(key);
			received.add(key);
			return wasReceived;
		};
		return handler(input, next, { state: this.options.state, isRepeated });
	}

	private findTargets({ deliveryIds = [], referenceIds = [] }: UpdateRequest): Set<StoredDelivery> {
		const { state } = this.options;
		const unknown: string[] = [];
		const targets = new Map<string, StoredDelivery>();
		const add = (id: string, deliveries: StoredDelivery[]) => {
			if (deliveries.length === 0) unknown.push(id);
			for (const delivery of deliveries) targets.set(delivery.record.id, delivery);
		};
		for (const id of deliveryIds) add(id, [state.delivery(id) ?? []].flat());
		for (const id of referenceIds) add(id, state.deliveriesWithReference(id));
		if (unknown.length > 0) {
			throw new Rejection(404, 'NOT_FOUND', `Unknown deliveries: ${unknown.join(', ')}`);
		}
		return new Set(targets.values());
	}

	private requireCompanyId(req: Request): number {
		const companyId = z.coerce.number().int().min(1).parse(req.params.company_id);
		if (!this.options.companyIds.includes(companyId)) {
			throw new Rejection(404, 'NOT_FOUND', `Unknown company ${companyId}`);
		}
		return companyId;
	}
}

/** Allows only requests with one of these keys (docs/api.md, section 5); others get 401. */
export function basicAuth(apiKeyIds: ReadonlySet<string>, apiSecret: string): RequestHandler {
	const isExpected = (actual: Buffer) =>
		[...apiKeyIds].some((id) => timingSafeEqual(actual, digest(`${id}:${apiSecret}`)));
	return (req, _res, next) => {
		const [, credentials = ''] = /^basic +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? [];
		const actual = digest(Buffer.from(credentials, 'base64').toString('utf8'));
		if (isExpected(actual)) return next();
		throw new Rejection(401, 'UNAUTHORIZED', 'Credentials missing or invalid', {
			'WWW-Authenticate': 'Basic realm="Delivery Service", charset="UTF-8"',
		});
	};
}

/** Applies the rate limit (docs/api.md, section 8); requests over the limit get 429. */
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
		throw new Rejection(429, 'TOO_MANY_REQUESTS', 'Too many creation requests', headers);
	};
}

/**
 * Converts `action` of a form to the documented integer (docs/api.md, section 4.3); form values are text.
 */
export const parseFormAction: RequestHandler = (req, _res, next) => {
	const form = z
		.object({ action: z.string().regex(/^\d+$/) })
		.passthrough()
		.safeParse(req.body);
	if (req.is('application/x-www-form-urlencoded') && form.success) {
		req.body = { ...form.data, action: Number(form.data.action) };
	}
	next();
};

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
