import { STATUS_CODES } from 'node:http';

import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';

import type { Fault, Faults } from './faults';
import { faultResponse, applyFault } from './faults';
import type { ServiceResponse } from './shapes';
import { Rejection } from './shapes';

/** A request that the service received, without the secret in `authorization`. */
export interface RecordedRequest {
	readonly method: string;
	readonly path: string;
	readonly query: unknown;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	/** The parsed body, unchanged; undefined if there was none. */
	body?: unknown;
	/** The HTTP status of the response; null if none was sent yet, or ever. */
	status: number | null;
	/** The body of the response; undefined if none was sent yet, or ever. */
	responseBody?: unknown;
	readonly at: number;
}

interface Exchange {
	readonly entry: RecordedRequest;
	fault?: Fault;
}

interface ExchangeOptions {
	readonly faults: Faults;
	readonly now: () => number;
	readonly latencyMs: () => number;
	/** Waits. Returns false if the service was closed meanwhile. */
	readonly pause: (ms: number) => Promise<boolean>;
}

const referencesShape = z.object({
	deliveries: z.array(z.object({ referenceId: z.string().optional().catch(undefined) }).catch({})),
});

/** Records requests and injects faults, before and after a request is handled. */
export class Exchanges {
	private recorded: RecordedRequest[] = [];
	private readonly exchanges = new WeakMap<Request, Exchange>();

	constructor(private readonly options: ExchangeOptions) {}

	/** The received requests, oldest first. */
	list(): RecordedRequest[] {
		return [...this.recorded];
	}

	/** Deletes the recorded requests. */
	clear(): void {
		this.recorded = [];
	}

	/** First step of a request: records it and waits for the configured latency. */
	readonly begin: RequestHandler = async (req, _res, next) => {
		const entry: RecordedRequest = {
			method: req.method,
			path: req.path,
			query: req.query,
			headers: redacted(req.headers),
			status: null,
			at: this.options.now(),
		};
		this.recorded.push(entry);
		this.exchanges.set(req, { entry });
		const latencyMs = this.options.latencyMs();
		if (latencyMs === 0 || (await this.options.pause(latencyMs))) next();
	};

	/** Second step, with the parsed body: records it and injects a fault, if one matches. */
	readonly injectFault: RequestHandler = async (req, res, next) => {
		const exchange = this.exchanges.get(req);
		const body: unknown = req.body;
		if (exchange === undefined) return next();
		exchange.entry.body = body;
		const fault = this.options.faults.take({
			method: req.method,
			path: req.path,
			references: collectReferences(req.method, req.path, body),
		});
		exchange.fault = fault;
		switch (fault?.kind) {
			case 'status':
				return this.write(req, res, faultResponse(fault));
			case 'resetBefore':
				req.socket.resetAndDestroy();
				return;
			case 'hang':
				return;
			case 'delay':
				if (await this.options.pause(fault.ms)) next();
				return;
			default:
				next();
		}
	};

	/** Last step of a request: sends the response, unless a fault prevents it. */
	send(req: Request, res: Response, response: ServiceResponse): void {
		const fault = this.exchanges.get(req)?.fault;
		if (fault?.kind === 'hangAfter') return;
		if (fault?.kind === 'resetAfter' || response.isLost === true) req.socket.resetAndDestroy();
		else this.write(req, res, applyFault(fault, response));
	}

	private write(req: Request, res: Response, response: ServiceResponse): void {
		const exchange = this.exchanges.get(req);
		if (exchange !== undefined) {
			exchange.entry.status = response.status;
			exchange.entry.responseBody = response.body;
		}
		writeResponse(res, response);
	}
}

/** Sends a response: text unchanged, other bodies as JSON. */
export function writeResponse(
	res: Response,
	{ status, headers = {}, body }: ServiceResponse,
): void {
	res.status(status);
	if (typeof body === 'string') res.type('text/plain').set(headers).send(body);
	else res.set(headers).json(body);
}

const httpErrorShape = z.object({
	status: z.number().int().min(400).max(499),
	message: z.string(),
	headers: z.record(z.string()).optional(),
});

/** Returns the response for an error: `code` and `message` (docs/api.md, section 7). */
export function errorResponse(error: unknown): ServiceResponse {
	if (error instanceof Rejection) return responseWithCode(error.status, error.message, error);
	if (error instanceof z.ZodError) {
		const issues = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
		return responseWithCode(400, issues.join('; '));
	}
	const httpError = httpErrorShape.safeParse(error);
	if (httpError.success)
		return responseWithCode(httpError.data.status, httpError.data.message, httpError.data);
	return responseWithCode(500, error instanceof Error ? error.message : String(error));
}

function responseWithCode(
	status: number,
	message: string,
	{ code, headers = {} }: { code?: string; headers?: Readonly<Record<string, string>> } = {},
): ServiceResponse {
	const reason = STATUS_CODES[status] ?? 'Error';
	return {
		status,
		headers,
		body: { code: code ?? reason.toUpperCase().replaceAll(' ', '_'), message },
	};
}

function collectReferences(method: string, path: string, body: unknown): Set<string> {
	if (method !== 'POST' || path !== '/v1/deliveries') return new Set();
	const parsed = referencesShape.safeParse(body);
	const deliveries = parsed.success ? parsed.data.deliveries : [];
	return new Set(deliveries.flatMap(({ referenceId }) => referenceId ?? []));
}

function redacted(headers: Request['headers']): RecordedRequest['headers'] {
	const { authorization, ...rest } = headers;
	if (authorization === undefined) return rest;
	const [scheme, secret] = authorization.split(' ', 2);
	return { ...rest, authorization: secret === undefined ? '***' : `${scheme} ***` };
}
