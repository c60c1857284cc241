import { randomUUID } from 'node:crypto';

import express, { Router } from 'express';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { z } from 'zod';

import { nextStatus } from './delivery';
import type { Events, FiredEvent, Posting } from './events';
import { createRoutePayload, loopbackHosts, updateTaskPayload } from './events';
import type { Exchanges, RecordedRequest } from './exchange';
import { failureAnswer, writeAnswer } from './exchange';
import type { FaultInput, Faults } from './faults';
import { faultSchema } from './faults';
import type { Feed } from './feed';
import type { SlidingWindow } from './limit';
import { creationLimitSchema, retryAfterSchema } from './limit';
import type { Action, StoredDelivery, Webhook } from './shapes';
import { actionShape, Refusal, subscriptionShape } from './shapes';
import type { State } from './state';
import type { ActiveVariant } from './variants';
import { activateVariant, variantNameSchema, variants } from './variants';

const deliveriesPerRoute = 5;

/** What can be changed while the service runs. */
const settingsSchema = z
	.object({
		/** How a 429 tells when to come back. */
		retryAfter: retryAfterSchema,
		/** Creation requests in a sliding window (section 8). */
		creationLimit: creationLimitSchema,
		/** How long every request waits before it is looked at. */
		latencyMs: z.number().int().min(0).max(3_600_000),
		/** The API variant to simulate, see variants/; null for what openapi.yaml says. */
		variant: variantNameSchema,
	})
	.strict();

export type Settings = z.infer<typeof settingsSchema>;

/** What an advanced delivery became, and what became of its event. */
export interface Advanced {
	readonly id: string;
	readonly status: string;
	readonly postings: Posting[];
}

/** What the control works on. */
export interface ControlParts {
	readonly state: State;
	readonly events: Events;
	readonly faults: Faults;
	readonly exchanges: Exchanges;
	readonly window: SlidingWindow;
	readonly settings: { current: Settings };
	readonly variant: { current: ActiveVariant };
	readonly companyIds: readonly [number, ...number[]];
	readonly now: () => number;
	/** Called when what the page shows has changed. */
	readonly changed: () => void;
}

/** Steers the local service and tells what happened in it; over HTTP under /control as well. */
export class Control {
	private readonly settingsAtStart: Settings;

	constructor(private readonly parts: ControlParts) {
		this.settingsAtStart = parts.settings.current;
	}

	/** Empties everything, removes faults, and puts the settings back to those of the start. */
	reset(): void {
		const { state, events, faults, exchanges, window, settings } = this.parts;
		settings.current = this.settingsAtStart;
		this.parts.variant.current = activateVariant(settings.current.variant);
		faults.clear();
		window.clear();
		events.clear();
		exchanges.clear();
		state.clear();
	}

	/** Adds a fault behind those that wait. Throws a ZodError when it is none. */
	addFault(fault: FaultInput): void {
		this.parts.faults.add(fault);
	}

	/** Sends the answers that the fault `holdAfter` holds back. */
	release(): void {
		this.parts.exchanges.release();
	}

	/** The requests received, oldest first. */
	requests(): RecordedRequest[] {
		return this.parts.exchanges.list();
	}

	/** All deliveries, in the order of their creation. */
	deliveries(): StoredDelivery[] {
		return this.parts.state.deliveries();
	}

	/** All subscriptions of all companies. */
	webhooks(): Webhook[] {
		return this.parts.state.webhooks();
	}

	/** The events that happened, oldest first, with what became of posting them. */
	events(): FiredEvent[] {
		return this.parts.events.list();
	}

	/** Bans a subscribed URL from an event (section 2.7). Throws a Refusal (404). */
	blacklist(url: string, action: Action): void {
		if (this.parts.state.ban(url, action) === 0) {
			throw new Refusal(404, 'NOT_FOUND', `No subscription of ${url} to event ${action}`);
		}
	}

	/**
	 * Moves a delivery to its next status and fires event 3; resolves when its subscribers have
	 * answered. Rejects with a Refusal: 404 unknown, 409 when there is no next status.
	 */
	async advance(deliveryId: string): Promise<Advanced> {
		const { state, events } = this.parts;
		const delivery = state.delivery(deliveryId);
		if (delivery === undefined) {
			throw new Refusal(404, 'NOT_FOUND', `Unknown delivery ${deliveryId}`);
		}
		const status = nextStatus(delivery.record.statusDelivery);
		if (status === undefined) {
			const last = delivery.record.statusDelivery;
			throw new Refusal(409, 'CONFLICT', `Nothing comes after the status "${last}"`);
		}
		const advanced = { ...delivery, record: { ...delivery.record, statusDelivery: status } };
		state.put(advanced);
		const postings = await events.fire(3, updateTaskPayload(advanced), delivery.companyId);
		return { id: deliveryId, status, postings };
	}

	/**
	 * Posts an event to all active subscribers, or to one company's, with any payload; resolves
	 * when they have answered. Without a payload, event 2 gets a route of the newest deliveries;
	 * rejects with a Refusal (400) for the other events.
	 */
	async fireEvent(
		action: Action,
		payload?: unknown,
		{ companyId }: { companyId?: number } = {},
	): Promise<Posting[]> {
		if (payload === undefined && action !== 2) {
			throw new Refusal(400, 'BAD_REQUEST', `Event ${action} needs a payload`);
		}
		return await this.parts.events.fire(action, payload ?? this.newestRoute(), companyId);
	}

	/** Changes settings and gives all of them. Throws a ZodError. */
	settings(change: Partial<Settings>): Settings {
		const { settings, variant } = this.parts;
		const changes = settingsSchema.partial().parse(change);
		settings.current = { ...settings.current, ...changes };
		if (changes.variant !== undefined) {
			variant.current = activateVariant(changes.variant);
			this.parts.changed();
		}
		return settings.current;
	}

	private newestRoute(): Record<string, unknown> {
		const { state, now } = this.parts;
		const deliveries = state.deliveries().slice(-deliveriesPerRoute);
		return createRoutePayload(randomUUID(), deliveries, now());
	}
}

const eventShape = z
	.object({ action: actionShape, payload: z.unknown(), companyId: z.number().int().optional() })
	.strict();

/** The control over HTTP: JSON, without authentication; see each route. */
export function controlRouter(control: Control, feed: Feed): Router {
	const router = Router();
	router.use(express.json({ limit: '20mb' }));
	router.post('/reset', (_req, res) => {
		control.reset();
		res.json({ reset: true });
	});
	router.post('/faults', (req, res) => {
		const fault = faultSchema.parse(req.body);
		control.addFault(fault);
		res.status(201).json(fault);
	});
	router.post('/release', (_req, res) => {
		control.release();
		res.json({ released: true });
	});
	router.get('/requests', (_req, res) => void res.json(control.requests()));
	router.get('/deliveries', (_req, res) => void res.json(control.deliveries()));
	router.get('/webhooks', (_req, res) => void res.json(control.webhooks()));
	router.get('/events', (_req, res) => void res.json(control.events()));
	router.post('/blacklist', (req, res) => {
		const { url, action } = subscriptionShape.strict().parse(req.body);
		control.blacklist(url, action);
		res.json(control.webhooks());
	});
	router.post('/deliveries/:id/advance', async (req, res) => {
		res.json(await control.advance(req.params.id));
	});
	router.post('/events', async (req, res) => {
		const { action, payload, companyId } = eventShape.parse(req.body);
		res.json(await control.fireEvent(action, payload, { companyId }));
	});
	router.put('/settings', (req, res) => {
		res.json(control.settings(settingsSchema.partial().parse(req.body)));
	});
	router.get('/variants', (_req, res) => {
		const descriptions = Object.entries(variants).map(([name, { description }]) => [
			name,
			description,
		]);
		res.json(Object.fromEntries(descriptions));
	});
	router.get('/stream', (_req, res) => feed.watch(res));
	router.use((req) => {
		throw new Refusal(404, 'NOT_FOUND', `No control at ${req.method} ${req.path}`);
	});
	router.use(answerFailure);
	return router;
}

const answerFailure: ErrorRequestHandler = (error, _req, res, next) => {
	// Express itself ends an answer that was already begun.
	if (res.headersSent) next(error);
	else writeAnswer(res, failureAnswer(error));
};

/**
 * Keeps other web sites out of what needs no authentication: the request must name this machine
 * by a loopback name, and a page that makes it must come from here. Others get 403.
 */
export const onlyFromHere: RequestHandler = (req, res, next) => {
	const own = `http://${req.headers.host ?? ''}`;
	const { origin = own } = req.headers;
	if (URL.canParse(own) && loopbackHosts.has(new URL(own).hostname) && origin === own) {
		return next();
	}
	writeAnswer(res, failureAnswer(new Refusal(403, 'FORBIDDEN', 'Only from this machine')));
};
