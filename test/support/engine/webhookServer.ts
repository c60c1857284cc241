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

const methods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/** The registered methods that n8n lists in an error, in its order: without HEAD for a test URL. */
const listedMethods = {
	webhook: methods,
	'webhook-test': ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
};

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
		if (method === 'OPTIONS') return this.#respondToOptions(kind, path, request, response);
		if (!methods.includes(method)) throw new Error(`The method ${method} is not supported.`);
		const route = this.#routes.get(routeKey(kind, method, path));
		if (route === undefined) throw this.#notFound(kind, method, path);
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

	/** Lists the methods of a webhook for a call with an origin; there are none for an unknown path. */
	#respondToOptions(
		kind: WebhookRoute['kind'],
		path: string,
		request: Request,
		response: Response,
	): void {
		const registered = [...this.#routes.values()]
			.filter((route) => route.kind === kind && route.path === path)
			.map(({ method }) => method);
		if (request.headers.origin !== undefined) {
			if (kind === 'webhook-test' && registered.length === 0)
				throw this.#notFound(kind, request.method, path);
			response.header('Access-Control-Allow-Methods', ['OPTIONS', ...registered].join(', '));
		}
		response.status(204).json({});
	}

	/** n8n's error for a path or a method that no webhook has. */
	#notFound(kind: WebhookRoute['kind'], method: string, path: string): ResponseError {
		const registered = listedMethods[kind].filter((one) =>
			this.#routes.has(routeKey(kind, one, path)),
		);
		const last = registered.pop();
		if (last === undefined) {
			const what = kind === 'webhook' ? `${method} ${path}` : path;
			return new ResponseError(
				404,
				`The requested webhook "${what}" is not registered.`,
				kind === 'webhook' ? notActiveHint : notListeningHint,
			);
		}
		const wanted = registered.length > 0 ? `${registered.join(', ')} or ${last}` : last;
		return new ResponseError(
			404,
			`This webhook is not registered for ${method} requests. Did you mean to make a ${wanted} request?`,
		);
	}
}

const notActiveHint =
	"The workflow must be active for a production URL to run successfully. You can activate the workflow using the toggle in the top-right of the editor. Note that unlike test URL calls, production URL calls aren't shown on the canvas (only in the executions list)";
const notListeningHint =
	"Click the 'Execute workflow' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)";

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
