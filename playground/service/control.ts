import { randomUUID } from 'node:crypto';

import express, { Router } from 'express';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { z } from 'zod';

import { nextStatus } from './delivery';
import type { Events, FiredEvent, Posting } from './events';
import { createRoutePayload, loopbackHosts, updateTaskPayload } from './events';
import type { Exchanges, RecordedRequest } from './exchange';
import { errorResponse, writeResponse } from './exchange';
import type { Fault, FaultInput, Faults } from './faults';
import { faultSchema } from './faults';
import type { Feed } from './feed';
import type { SlidingWindow } from './limit';
import { creationLimitSchema, retryAfterSchema } from './limit';
import { problems, type ProblemName } from './problems';
import type { Action, StoredDelivery, Webhook } from './shapes';
import { actionShape, Rejection } from './shapes';
import { savedStateShape, type State } from './state';
import type { ActiveVariant } from './variants';
import { activateVariant, variantNameSchema } from './variants';

const deliveriesPerRoute = 5;

/** What can be changed while the service runs. */
const settingsSchema = z
	.object({
		/** The form of `Retry-After` in a 429. */
		retryAfter: retryAfterSchema,
		/** The rate limit of create requests in a sliding window (docs/api.md, section 8). */
		creationLimit: creationLimitSchema,
		/** How long every request waits before it is handled. */
		latencyMs: z.number().int().min(0).max(3_600_000),
		/** The API variant to simulate, see variants.ts; null for the documented API. */
		variant: variantNameSchema,
	})
	.strict();

const settingsChangeSchema = settingsSchema.partial();

export type Settings = z.infer<typeof settingsSchema>;

/** The new status of a delivery, and the calls of its event. */
export interface AdvanceResult {
	readonly id: string;
	readonly status: string;
	readonly postings: Posting[];
}

/** The parts of the service that the control uses. */
export interface ControlDependencies {
	readonly state: State;
	readonly events: Events;
	readonly faults: Faults;
	readonly exchanges: Exchanges;
	readonly window: SlidingWindow;
	readonly settings: { current: Settings };
	readonly variant: { current: ActiveVariant };
	readonly now: () => number;
	/** Called when a problem starts or ends. */
	readonly onChange: () => void;
}

const savedShape = savedStateShape.extend({ events: z.array(z.custom<FiredEvent>()) });

const problemNames = z.enum(['rejection', 'lostResponse', 'outage', 'wrongKey']);

/** Controls and inspects the local service. Also available over HTTP under /control. */
export class Control {
	private readonly initialSettings: Settings;
	/** The faults of the problems that were started. */
	private readonly started = new Map<ProblemName, Fault>();

	constructor(private readonly dependencies: ControlDependencies) {
		this.initialSettings = dependencies.settings.current;
	}

	/** Deletes all data and faults, and restores the initial settings. */
	reset(): void {
		const { state, events, faults, exchanges, window, settings } = this.dependencies;
		settings.current = this.initialSettings;
		this.dependencies.variant.current = activateVariant(settings.current.variant);
		faults.clear();
		window.clear();
		events.clear();
		exchanges.clear();
		state.clear();
	}

	/** What {@link restore} needs to go on after a restart: all data, without requests and faults. */
	save(): z.input<typeof savedShape> {
		const { state, events } = this.dependencies;
		return { deliveries: state.deliveries(), webhooks: state.webhooks(), events: events.list() };
	}

	/** Adds saved data. Throws a ZodError if it was not saved by {@link save}. */
	restore(saved: unknown): void {
		const { events, ...data } = savedShape.parse(saved);
		this.dependencies.state.restore(data);
		this.dependencies.events.restore(events);
	}

	/** Adds a fault after the pending ones. Throws a ZodError if it is invalid. */
	addFault(fault: FaultInput): void {
		this.dependencies.faults.add(fault);
	}

	/** Starts a problem, or ends it if it is active. */
	toggleProblem(name: ProblemName): void {
		const { faults, onChange } = this.dependencies;
		const fault = this.started.get(name);
		if (fault && faults.isPending(fault)) faults.remove(fault);
		else this.started.set(name, faults.add(problems[name].fault));
		onChange();
	}

	/** The problems that the page offers, and which are active. */
	problems() {
		const { faults } = this.dependencies;
		return problemNames.options.map((name) => {
			const { label, text } = problems[name];
			const fault = this.started.get(name);
			return { name, label, text, isActive: fault !== undefined && faults.isPending(fault) };
		});
	}

	/** The received requests, oldest first. */
	requests(): RecordedRequest[] {
		return this.dependencies.exchanges.list();
	}

	/** All deliveries, in the order of their creation. */
	deliveries(): StoredDelivery[] {
		return this.dependencies.state.deliveries();
	}

	/** All subscriptions of all companies. */
	webhooks(): Webhook[] {
		return this.dependencies.state.webhooks();
	}

	/** The fired events with their calls, oldest first. */
	events(): FiredEvent[] {
		return this.dependencies.events.list();
	}

	/**
	 * Blacklists a URL for an event (docs/api.md, section 2.7). Throws a Rejection (404) if it is not
	 * subscribed.
	 */
	blacklist(url: string, action: Action): void {
		if (this.dependencies.state.ban(url, action) === 0) {
			throw new Rejection(404, 'NOT_FOUND', `No subscription of ${url} to event ${action}`);
		}
	}

	/**
	 * Moves a delivery to its next status and fires event 3. Resolves when its subscribers have
	 * responded. Throws a Rejection: 404 for an unknown delivery, 409 if there is no next status.
	 */
	async advance(deliveryId: string): Promise<AdvanceResult> {
		const { state, events } = this.dependencies;
		const delivery = state.delivery(deliveryId);
		if (delivery === undefined) {
			throw new Rejection(404, 'NOT_FOUND', `Unknown delivery ${deliveryId}`);
		}
		const status = nextStatus(delivery.record.statusDelivery);
		if (status === undefined) {
			const last = delivery.record.statusDelivery;
			throw new Rejection(409, 'CONFLICT', `There is no status after "${last}"`);
		}
		const advanced = { ...delivery, record: { ...delivery.record, statusDelivery: status } };
		state.put(advanced);
		const postings = await events.fire(3, updateTaskPayload(advanced), delivery.companyId);
		return { id: deliveryId, status, postings };
	}

	/**
	 * Posts an event to its active subscribers and resolves when they have responded.
	 *
	 * @param action the event code
	 * @param payload any payload; by default, event 2 gets a route of the newest deliveries
	 * @param options the company whose subscribers to call; by default those of all companies
	 * @returns the calls
	 * @throws Rejection (400) if another event than 2 has no payload
	 */
	async fireEvent(
		action: Action,
		payload?: unknown,
		{ companyId }: { companyId?: number } = {},
	): Promise<Posting[]> {
		if (payload === undefined && action !== 2) {
			throw new Rejection(400, 'BAD_REQUEST', `Event ${action} needs a payload`);
		}
		return await this.dependencies.events.fire(action, payload ?? this.newestRoute(), companyId);
	}

	/** Changes settings and returns all of them. Throws a ZodError if one is invalid. */
	settings(change: z.input<typeof settingsChangeSchema>): Settings {
		const { settings, variant } = this.dependencies;
		const changes = settingsChangeSchema.parse(change);
		settings.current = { ...settings.current, ...changes };
		if (changes.variant !== undefined) variant.current = activateVariant(changes.variant);
		return settings.current;
	}

	private newestRoute(): Record<string, unknown> {
		const { state, now } = this.dependencies;
		const deliveries = state.deliveries().slice(-deliveriesPerRoute);
		return createRoutePayload(randomUUID(), deliveries, now());
	}
}

const eventShape = z
	.object({ action: actionShape, payload: z.unknown(), companyId: z.number().int().optional() })
	.strict();

/** The control over HTTP: JSON without authentication. */
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
	router.post('/problems/:name', (req, res) => {
		control.toggleProblem(problemNames.parse(req.params.name));
		res.json({});
	});
	router.get('/requests', (_req, res) => void res.json(control.requests()));
	router.post('/deliveries/:id/advance', async (req, res) => {
		res.json(await control.advance(req.params.id));
	});
	router.post('/events', async (req, res) => {
		const { action, payload, companyId } = eventShape.parse(req.body);
		res.json(await control.fireEvent(action, payload, { companyId }));
	});
	router.put('/settings', (req, res) => {
		res.json(control.settings(settingsChangeSchema.parse(req.body)));
	});
	router.get('/stream', (_req, res) => feed.watch(res));
	router.use((req) => {
		throw new Rejection(404, 'NOT_FOUND', `No control endpoint ${req.method} ${req.path}`);
	});
	router.use(handleError);
	return router;
}

const handleError: ErrorRequestHandler = (error, _req, res, next) => {
	// Express ends a response that has already started.
	if (res.headersSent) next(error);
	else writeResponse(res, errorResponse(error));
};

/**
 * Protects endpoints without authentication from other websites: the host must be a loopback name,
 * and the origin, if any, must be this server. Other requests get 403.
 */
export const allowLocalOnly: RequestHandler = (req, res, next) => {
	const own = `http://${req.headers.host ?? ''}`;
	const { origin = own } = req.headers;
	if (URL.canParse(own) && loopbackHosts.has(new URL(own).hostname) && origin === own) {
		return next();
	}
	writeResponse(
		res,
		errorResponse(new Rejection(403, 'FORBIDDEN', 'Allowed from this machine only')),
	);
};
