import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { types } from 'node:util';
import express, { type Request, type Response } from 'express';
import { OperationalError } from 'n8n-workflow';
import { z } from 'zod';
import { parseRequestBody, prepareRequest, ResponseError, type N8nLine } from './requestBody';

/** The header by which `receive` finds the execution of its request. The node never sees it. */
export const correlationHeader = 'x-engine-request';

/** The response of a registered webhook: no body if the node has written it. */
export interface WebhookResponse {
	body?: unknown;
}

/** A webhook that is registered with the server. */
export interface WebhookRoute {
	kind: 'webhook' | 'webhook-test';
	method: string;
	/** The path after `/webhook/`. */
	path: string;
	/** The n8n that serves the webhook. */
	n8n: N8nLine;
	/**
	 * Handles a request with a parsed body. Calls `respond` once; what it does after that (running the
	 * workflow) does not delay the response.
	 */
	handle(
		request: Request,
		response: Response,
		respond: (webhookResponse: WebhookResponse) => void,
		correlation: string | undefined,
	): Promise<void>;
}

/**
 * A web server that handles webhook requests like n8n: `/webhook/` and `/webhook-test/` paths, parsed
 * and raw bodies, and n8n's own responses to unknown paths, invalid bodies and nodes that throw. The
 * end-to-end group `harness` compares it with real n8n. It listens on 127.0.0.1 only.
 */
export class WebhookServer {
	#server: Server | undefined;
	#url: Promise<string> | undefined;
	readonly #routes = new Map<string, WebhookRoute>();

	/** Starts the server if it is not running. @returns its URL without a trailing slash */
	async url(): Promise<string> {
		this.#url ??= this.#listen();
		return await this.#url;
	}

	/** Registers a webhook, in place of one with the same kind, method and path. */
	register(route: WebhookRoute): void {
		this.#routes.set(routeKey(route.kind, route.method, route.path), route);
	}

	/** Deregisters a webhook if it is registered. */
	deregister({ kind, method, path }: Pick<WebhookRoute, 'kind' | 'method' | 'path'>): void {
		this.#routes.delete(routeKey(kind, method, path));
	}

	/** Stops the server and deregisters all webhooks. */
	async close(): Promise<void> {
		this.#routes.clear();
		const server = this.#server;
		this.#server = undefined;
		this.#url = undefined;
		if (server === undefined) return;
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}

	async #listen(): Promise<string> {
		const app = express();
		app.disable('x-powered-by');
		app.set('query parser', 'extended');
		for (const kind of ['webhook', 'webhook-test'] as const) {
			app.all(`/${kind}/*path`, async (request, response) => {
				try {
					const path = z.array(z.string()).parse(request.params.path).join('/');
					await this.#handle(kind, path.replace(/\/$/, ''), request, response);
				} catch (error) {
					sendError(response, error);
				}
			});
		}
		this.#server = createServer(app).listen(0, '127.0.0.1');
		await once(this.#server, 'listening');
		const { port } = z.object({ port: z.number() }).parse(this.#server.address());
		return `http://127.0.0.1:${port}`;
	}

	async #handle(
		kind: WebhookRoute['kind'],
		path: string,
		request: Request,
		response: Response,
	): Promise<void> {
		const { method } = request;
		const route = this.#routes.get(routeKey(kind, method, path));
		if (route === undefined) throw new ResponseError(404, 'This webhook is not registered.');
		const { [correlationHeader]: correlation } = request.headers;
		delete request.headers[correlationHeader];
		request.params = {};
		prepareRequest(request, route.n8n);
		await readBody(request, route);
		await new Promise<void>((resolve, reject) => {
			const respond = ({ body }: WebhookResponse) => {
				if (body !== undefined) response.json(body);
				resolve();
			};
			route
				.handle(
					request,
					response,
					respond,
					correlation === undefined ? undefined : String(correlation),
				)
				.catch(reject);
		});
	}
}

/** Reads the body. n8n hides errors other than its own behind a general one. */
async function readBody(request: Request, { n8n }: WebhookRoute): Promise<void> {
	try {
		await parseRequestBody(request, n8n);
	} catch (cause) {
		if (cause instanceof ResponseError) throw cause;
		throw new OperationalError('There was a problem executing the workflow', { cause });
	}
}

/** A new value for the correlation header. */
export function newCorrelation(): string {
	return randomUUID();
}

function routeKey(kind: string, method: string, path: string): string {
	return `${kind} ${method} ${path}`;
}

function sendError(response: Response, error: unknown): void {
	if (response.headersSent) {
		response.end();
		return;
	}
	const { message } = types.isNativeError(error) ? error : new Error(String(error));
	if (error instanceof ResponseError)
		response.status(error.status).json({ code: error.status, message, hint: error.hint });
	else response.status(500).json({ code: 0, message });
}
