import { once, setMaxListeners } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import express from 'express';
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';

import { pageRouter, portOf, type PageLink } from '../page/serve';
import { Api, basicAuth, limitRequests, parseFormAction } from './api';
import { Control, controlRouter, allowLocalOnly } from './control';
import type { Settings } from './control';
import { nextStatus } from './delivery';
import { Events } from './events';
import { Exchanges, errorResponse } from './exchange';
import { Faults } from './faults';
import { Feed } from './feed';
import { SlidingWindow } from './limit';
import type { CreationLimit } from './limit';
import type { ServiceResponse } from './shapes';
import { State } from './state';
import { rejectMethod, rejectPath, rejectQuery, validateBody } from './validation';
import { activateVariant, variantNameSchema } from './variants';

const host = '127.0.0.1';
/** A client may open thousands of connections at once; the system may allow fewer. */
const maxQueuedConnections = 16_384;
const maxBodyBytes = 20_000_000;
const maxShownOnPage = 100;
/** Longer than clients keep idle connections, so that they never use one that is closing. */
const keepAliveMs = 120_000;

/** How to start the service. */
export interface ServiceOptions {
	/** Defaults to 0, a free port. */
	readonly port?: number;
	readonly apiKeyId?: string;
	readonly apiSecret?: string;
	/** The key's own company first, then its child companies. */
	readonly companyIds?: number[];
	/** Defaults to 100 requests in 60 seconds (docs/api.md, section 8). */
	readonly creationLimit?: CreationLimit;
	/** The clock of the limit and of all recorded times. Defaults to Date.now. */
	readonly now?: () => number;
	/** How long every request waits before it is handled. Defaults to 0. */
	readonly latencyMs?: number;
	/** The API variant to simulate, see variants.ts. Defaults to the documented API. */
	readonly variant?: string;
	/** Links at the top of the page. Defaults to none. */
	readonly links?: readonly PageLink[];
}

/** The running service. */
export interface LocalService {
	readonly url: string;
	readonly port: number;
	readonly credential: {
		readonly baseUrl: string;
		readonly apiKeyId: string;
		readonly apiSecret: string;
		readonly companyId: number;
	};
	readonly control: Control;
	/** Adds an API key with the same secret, which a client's rate limit counts separately. */
	addApiKeyId(): string;
	/** Calls a function after every change of the data on the page. */
	onChange(listener: () => void): void;
	/** Stops it immediately, including hanging requests. Resolves when everything is closed. */
	close(): Promise<void>;
}

/**
 * Starts the local service on the loopback address.
 *
 * @param options how to start it
 * @returns the running service
 * @throws Error with the code EADDRINUSE if the port is in use; ZodError for an unknown API variant
 */
export async function startService(options: ServiceOptions = {}): Promise<LocalService> {
	const { apiKeyId = 'local-key', apiSecret = 'local-secret', now = Date.now } = options;
	const [companyId = 1001, ...children] = options.companyIds ?? [1001, 1002];
	const companyIds = [companyId, ...children] as const;
	const initialSettings: Settings = {
		retryAfter: 'seconds',
		creationLimit: options.creationLimit ?? { requests: 100, perMs: 60_000 },
		latencyMs: options.latencyMs ?? 0,
		variant: variantNameSchema.parse(options.variant ?? null),
	};
	const settings = { current: initialSettings };
	const closing = new AbortController();
	// Every waiting request listens to it, so many listeners are not a leak.
	setMaxListeners(0, closing.signal);
	const pause = async (ms: number) =>
		await sleep(ms, true, { signal: closing.signal }).catch(() => false);

	const feed: Feed = new Feed(() => ({
		deliveryCount: state.deliveries().length,
		deliveries: state
			.deliveries()
			.slice(-maxShownOnPage)
			.reverse()
			.map((delivery) => ({ ...delivery, next: nextStatus(delivery.record.statusDelivery) })),
		webhooks: state.webhooks().slice(-maxShownOnPage).reverse(),
		events: events.latest(maxShownOnPage),
		problems: control.problems(),
	}));
	const listeners: Array<() => void> = [feed.scheduleUpdate];
	const onChange = () => listeners.forEach((listener) => listener());
	const state = new State(onChange);
	const variant = { current: activateVariant(initialSettings.variant) };
	const events = new Events({
		webhooks: (company) => state.webhooks(company),
		now,
		variant: () => variant.current,
		onChange,
	});
	const faults = new Faults();
	const window = new SlidingWindow();
	const latencyMs = () => settings.current.latencyMs;
	const exchanges = new Exchanges({ faults, now, latencyMs, pause });
	const control = new Control({
		state,
		events,
		faults,
		exchanges,
		window,
		settings,
		variant,
		now,
		onChange,
	});
	const apiKeyIds = new Set([apiKeyId]);

	const app = express().disable('x-powered-by').disable('etag');
	app.use('/control', allowLocalOnly, controlRouter(control, feed));
	app.use(pageRouter(__dirname, allowLocalOnly, options.links));
	addEndpoints(app, {
		api: new Api({ state, events, companyIds, now, variant: () => variant.current }),
		exchanges,
		authenticate: basicAuth(apiKeyIds, apiSecret),
		limit: limitRequests({ window, now, settings: () => settings.current }),
	});

	const server = http.createServer(app);
	server.keepAliveTimeout = keepAliveMs;
	// A client that opens thousands of requests may need minutes to send them all.
	server.headersTimeout = 0;
	server.requestTimeout = 0;
	server.listen({ port: options.port ?? 0, host, backlog: maxQueuedConnections });
	await once(server, 'listening');
	const port = portOf(server);
	const url = `http://${host}:${port}`;
	const close = async () => {
		closing.abort();
		feed.close();
		events.close();
		server.close();
		server.closeAllConnections();
		await once(server, 'close');
	};
	let closed: Promise<void> | undefined;
	return {
		url,
		port,
		credential: { baseUrl: url, apiKeyId, apiSecret, companyId },
		control,
		addApiKeyId: () => {
			const added = `${apiKeyId}-${apiKeyIds.size}`;
			apiKeyIds.add(added);
			return added;
		},
		onChange: (listener) => void listeners.push(listener),
		close: () => (closed ??= close()),
	};
}

/** Adds the five endpoints. A request is checked in the order of the middleware. */
function addEndpoints(
	app: Express,
	parts: { api: Api; exchanges: Exchanges; authenticate: RequestHandler; limit: RequestHandler },
): void {
	const { api, exchanges } = parts;
	const respondWith =
		(handle: (req: Request) => ServiceResponse): RequestHandler =>
		(req, res) =>
			exchanges.send(req, res, handle(req));
	const handleError: ErrorRequestHandler = (error, req, res, next) => {
		// Express ends a response that has already started.
		if (res.headersSent) next(error);
		else exchanges.send(req, res, errorResponse(error));
	};

	app.use(exchanges.begin);
	app.use(express.json({ limit: maxBodyBytes }));
	app.use(express.urlencoded({ extended: false, limit: maxBodyBytes }));
	app.use(exchanges.injectFault);
	app.use(parts.authenticate);
	app.post('/v1/deliveries', parts.limit);
	app.use(parseFormAction);
	app.use(rejectQuery);
	const form = validateBody('application/x-www-form-urlencoded', 'Subscription');
	app
		.route('/v1/deliveries')
		.post(
			validateBody('application/json', 'CreationRequest'),
			respondWith((req) => api.create(req)),
		)
		.all(rejectMethod);
	app
		.route('/v1/deliveries/dropoff')
		.patch(
			validateBody('application/json', 'UpdateRequest'),
			respondWith((req) => api.update(req)),
		)
		.all(rejectMethod);
	app
		.route('/hooks/companies/:company_id')
		.get(respondWith((req) => api.listWebhooks(req)))
		.post(
			form,
			respondWith((req) => api.subscribe(req)),
		)
		.delete(
			form,
			respondWith((req) => api.unsubscribe(req)),
		)
		.all(rejectMethod);
	app.use(rejectPath);
	app.use(handleError);
}
