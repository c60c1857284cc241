import { once, setMaxListeners } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import express from 'express';
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';

import { pageRouter } from '../page/serve';
import { Api, basicAuth, limitRequests, readFormInteger } from './api';
import { Control, controlRouter, onlyFromHere } from './control';
import type { Settings } from './control';
import { nextStatus } from './delivery';
import { Events } from './events';
import { Exchanges, failureAnswer } from './exchange';
import { Faults } from './faults';
import { Feed } from './feed';
import { SlidingWindow } from './limit';
import type { CreationLimit } from './limit';
import type { Answer } from './shapes';
import { State } from './state';
import { activateVariant, variantNameSchema } from './variants';

const host = '127.0.0.1';
/** A client may open thousands at once; the system may allow fewer. */
const maxWaitingConnections = 16_384;
const maxBodyBytes = 20_000_000;
const maxShownOnPage = 100;
/** Longer than clients keep an idle connection, so that they never write to a closing one. */
const keepAliveMs = 120_000;

/** How to start the service; every member has a default. */
export interface ServiceOptions {
	/** 0 (default): a port that is free. */
	readonly port?: number;
	readonly apiKeyId?: string;
	readonly apiSecret?: string;
	/** The own company first, then its children. */
	readonly companyIds?: number[];
	/** Default: 100 requests in 60 seconds (section 8). */
	readonly creationLimit?: CreationLimit;
	/** Clock of the limit and of all recorded times; default the machine's. */
	readonly now?: () => number;
	/** How long every request waits before it is looked at; default 0. */
	readonly latencyMs?: number;
	/** The API variant to simulate, see variants/; default: what openapi.yaml says. */
	readonly variant?: string;
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
	/** Opens another address of the same service: a client that counts by address counts anew. */
	anotherAddress(): Promise<string>;
	/** Ends it at once, hanging requests too; resolves when nothing is left. */
	close(): Promise<void>;
}

/**
 * Starts the local service on the loopback address and gives it once it listens.
 * Rejects when the port is taken (error code EADDRINUSE) or the API variant is unknown (ZodError).
 */
export async function startService(options: ServiceOptions = {}): Promise<LocalService> {
	const { apiKeyId = 'local-key', apiSecret = 'local-secret', now = Date.now } = options;
	const [companyId = 1001, ...children] = options.companyIds ?? [1001, 1002];
	const companyIds = [companyId, ...children] as const;
	const startSettings: Settings = {
		retryAfter: 'seconds',
		creationLimit: options.creationLimit ?? { requests: 100, perMs: 60_000 },
		latencyMs: options.latencyMs ?? 0,
		variant: variantNameSchema.parse(options.variant ?? null),
	};
	const settings = { current: startSettings };
	const closing = new AbortController();
	// Every waiting request listens to it; their number is no sign of a leak.
	setMaxListeners(0, closing.signal);
	const pause = async (ms: number) =>
		await sleep(ms, true, { signal: closing.signal }).catch(() => false);

	const feed: Feed = new Feed(() => ({
		totals: {
			deliveries: state.deliveries().length,
			webhooks: state.webhooks().length,
			events: events.count,
			requests: exchanges.count,
		},
		deliveries: state
			.deliveries()
			.slice(-maxShownOnPage)
			.reverse()
			.map((delivery) => ({ ...delivery, next: nextStatus(delivery.record.statusDelivery) })),
		webhooks: state.webhooks().slice(-maxShownOnPage).reverse(),
		events: events.latest(maxShownOnPage),
		variant: settings.current.variant,
	}));
	const { changed } = feed;
	const state = new State(changed);
	const variant = { current: activateVariant(startSettings.variant) };
	const events = new Events({
		webhooks: (company) => state.webhooks(company),
		now,
		variant: () => variant.current,
		blacklist: ({ url, action }) => state.ban(url, action),
		changed,
	});
	const faults = new Faults();
	const window = new SlidingWindow();
	const latencyMs = () => settings.current.latencyMs;
	const exchanges = new Exchanges({ faults, now, latencyMs, pause, changed });
	const parts = {
		state,
		events,
		faults,
		exchanges,
		window,
		settings,
		variant,
		companyIds,
		now,
		changed,
	};
	const control = new Control(parts);

	const app = express().disable('x-powered-by').disable('etag');
	app.use('/control', onlyFromHere, controlRouter(control, feed));
	app.use(pageRouter(__dirname, onlyFromHere));
	addService(app, {
		api: new Api({ state, events, companyIds, now, variant: () => variant.current }),
		exchanges,
		authenticate: basicAuth(apiKeyId, apiSecret),
		limit: limitRequests({ window, now, settings: () => settings.current }),
	});

	const servers: http.Server[] = [];
	const listen = async (port: number) => {
		const server = http.createServer(app);
		server.keepAliveTimeout = keepAliveMs;
		// A client that opens thousands at once may take minutes until it has sent them all.
		server.headersTimeout = 0;
		server.requestTimeout = 0;
		server.listen({ port, host, backlog: maxWaitingConnections });
		await once(server, 'listening');
		servers.push(server);
		return addressOf(server).port;
	};
	const port = await listen(options.port ?? 0);
	const urlAt = (ownPort: number) => `http://${host}:${ownPort}`;
	const url = urlAt(port);
	const close = async () => {
		closing.abort();
		feed.close();
		events.close();
		for (const server of servers) {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		}
	};
	let closed: Promise<void> | undefined;
	return {
		url,
		port,
		credential: { baseUrl: url, apiKeyId, apiSecret, companyId },
		control,
		anotherAddress: async () => urlAt(await listen(0)),
		close: () => (closed ??= close()),
	};
}

/** The five endpoints; the order of the steps is the order in which a request is judged. */
function addService(
	app: Express,
	parts: { api: Api; exchanges: Exchanges; authenticate: RequestHandler; limit: RequestHandler },
): void {
	const { api, exchanges } = parts;
	const answerWith =
		(work: (req: Request) => Promise<Answer>): RequestHandler =>
		async (req, res) =>
			exchanges.send(req, res, await work(req));
	const answerFailure: ErrorRequestHandler = (error, req, res, next) => {
		// Express itself ends an answer that was already begun.
		if (res.headersSent) next(error);
		else exchanges.send(req, res, failureAnswer(error));
	};

	app.use(exchanges.begin);
	app.use(express.json({ limit: maxBodyBytes }));
	app.use(express.urlencoded({ extended: false, limit: maxBodyBytes }));
	app.use(exchanges.intervene);
	app.use(parts.authenticate);
	app.post('/v1/deliveries', parts.limit);
	app.use(readFormInteger);
	app.use(
		OpenApiValidator.middleware({
			apiSpec: path.join(__dirname, 'openapi.yaml'),
			ajvFormats: { mode: 'full' },
			fileUploader: false,
			validateRequests: true,
			validateResponses: false,
			validateSecurity: false,
		}),
	);
	app.post(
		'/v1/deliveries',
		exchanges.refuseReferences,
		answerWith((req) => api.create(req)),
	);
	app.patch(
		'/v1/deliveries/dropoff',
		answerWith((req) => api.update(req)),
	);
	app
		.route('/hooks/companies/:company_id')
		.get(answerWith((req) => api.listHooks(req)))
		.post(answerWith((req) => api.subscribe(req)))
		.delete(answerWith((req) => api.unsubscribe(req)));
	app.use(answerFailure);
}

function addressOf(server: http.Server): AddressInfo {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('Not listening on a port');
	return address;
}
