import { STATUS_CODES } from 'node:http';

import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';

import type { Fault, Faults } from './faults';
import { faultAnswer, spoiled } from './faults';
import type { Answer } from './shapes';
import { Refusal } from './shapes';

/** A request that the service received; the secret in `authorization` is never kept. */
export interface RecordedRequest {
	readonly method: string;
	readonly path: string;
	readonly query: unknown;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	/** The parsed body as it arrived; undefined without one. */
	body?: unknown;
	/** The status that was sent; null while, or when, nothing was. */
	status: number | null;
	/** The body that was sent; undefined while, or when, nothing was. */
	answer?: unknown;
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
	/** Waits; false when the service was closed meanwhile. */
	readonly pause: (ms: number) => Promise<boolean>;
	/** Called when a request arrived or was answered. */
	readonly changed: () => void;
}

const referencesShape = z.object({
	deliveries: z.array(z.object({ referenceId: z.string().optional().catch(undefined) }).catch({})),
});

/** Records requests and lets faults act on them, before and after the work is done. */
export class Exchanges {
	private recorded: RecordedRequest[] = [];
	private readonly open = new WeakMap<Request, Exchange>();
	private readonly held: Array<() => void> = [];

	constructor(private readonly options: ExchangeOptions) {}

	/** The requests received so far, in the order of their arrival. */
	list(): RecordedRequest[] {
		return [...this.recorded];
	}

	/** How many requests were received. */
	get count(): number {
		return this.recorded.length;
	}

	/** Forgets the recorded requests. */
	clear(): void {
		this.recorded = [];
		this.held.length = 0;
		this.options.changed();
	}

	/** Sends the answers that a fault holds back. */
	release(): void {
		for (const answer of this.held.splice(0)) answer();
	}

	/** First step of a request: records it and lets the latency pass. */
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
		this.open.set(req, { entry });
		this.options.changed();
		const latencyMs = this.options.latencyMs();
		if (latencyMs === 0 || (await this.options.pause(latencyMs))) next();
	};

	/** Once the body is parsed: records it, finds the fault, and carries out what comes before. */
	readonly intervene: RequestHandler = async (req, res, next) => {
		const exchange = this.open.get(req);
		const body: unknown = req.body;
		if (exchange === undefined) return next();
		// A copy, since the validation fills defaults into the body itself.
		exchange.entry.body = structuredClone(body);
		const fault = this.options.faults.take({
			method: req.method,
			path: req.path,
			references: referencesOf(req.method, req.path, body),
		});
		exchange.fault = fault;
		switch (fault?.kind) {
			case 'status':
				return this.write(req, res, faultAnswer(fault));
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

	/** Before the work of a creation: refuses it when a fault asks for that. */
	readonly refuseReferences: RequestHandler = (req, _res, next) => {
		const fault = this.open.get(req)?.fault;
		if (fault?.kind !== 'rejectReference') return next();
		const held = referencesOf(req.method, req.path, req.body);
		const refused = fault.referenceIds.filter((referenceId) => held.has(referenceId));
		throw new Refusal(fault.status, 'REJECTED', `Delivery rejected: ${refused.join(', ')}`);
	};

	/** Last step of a request: answers it, as far as its fault lets that happen. */
	send(req: Request, res: Response, answer: Answer): void {
		const fault = this.open.get(req)?.fault;
		if (fault?.kind === 'hangAfter') return;
		if (fault?.kind === 'holdAfter') {
			this.held.push(() => this.write(req, res, answer));
			return;
		}
		if (fault?.kind === 'resetAfter' || answer.lost === true) req.socket.resetAndDestroy();
		else this.write(req, res, spoiled(fault, answer));
	}

	private write(req: Request, res: Response, answer: Answer): void {
		const exchange = this.open.get(req);
		if (exchange !== undefined) {
			exchange.entry.status = answer.status;
			exchange.entry.answer = answer.body;
		}
		writeAnswer(res, answer);
		this.options.changed();
	}
}

/** Sends an answer: text as it is, anything else as JSON. */
export function writeAnswer(res: Response, { status, headers = {}, body }: Answer): void {
	res.status(status);
	if (typeof body === 'string') res.type('text/plain').set(headers).send(body);
	else res.set(headers).json(body);
}

const httpErrorShape = z.object({
	status: z.number().int().min(400).max(499),
	message: z.string(),
	headers: z.record(z.string()).optional(),
});

/** The answer of `code` and `message` (section 7) that an error becomes. */
export function failureAnswer(error: unknown): Answer {
	if (error instanceof Refusal) return failure(error.status, error.message, error);
	if (error instanceof z.ZodError) {
		const issues = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
		return failure(400, issues.join('; '));
	}
	const httpError = httpErrorShape.safeParse(error);
	if (httpError.success)
		return failure(httpError.data.status, httpError.data.message, httpError.data);
	return failure(500, error instanceof Error ? error.message : String(error));
}

function failure(
	status: number,
	message: string,
	{ code, headers = {} }: { code?: string; headers?: Readonly<Record<string, string>> } = {},
): Answer {
	const reason = STATUS_CODES[status] ?? 'Error';
	return {
		status,
		headers,
		body: { code: code ?? reason.toUpperCase().replaceAll(' ', '_'), message },
	};
}

function referencesOf(method: string, path: string, body: unknown): Set<string> {
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
