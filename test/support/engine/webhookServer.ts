import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { parse as parseForm } from 'node:querystring';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import express, { type Request, type Response } from 'express';
import { jsonParse, sanitizeXmlName, UnexpectedError } from 'n8n-workflow';
import { z } from 'zod';

/** n8n's default size limit for a webhook body. */
const maxBodyBytes = 16 * 1024 * 1024;

/** The header by which `receive` finds the execution of its request. The node never sees it. */
export const correlationHeader = 'x-engine-request';

/** A response that n8n sends instead of the node: its status and its body. */
class WebhookError extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly hint?: string,
	) {
		super(message);
		this.name = 'WebhookError';
	}
}

/** The response of a registered webhook. */
export interface WebhookResponse {
	/** Undefined if the node has written the response. */
	body?: { value: unknown; status: number };
}

/** A webhook that is registered with the server. */
export interface WebhookRoute {
	kind: 'webhook' | 'webhook-test';
	method: string;
	/** The path after `/webhook/`. */
	path: string;
	/** The version of the node: n8n reads every body for version 1, else only those that it can parse. */
	typeVersion: number;
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
 * and raw bodies, and n8n's own responses to unknown paths and invalid bodies. It listens on 127.0.0.1
 * only.
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
					await this.#handle(kind, request, response);
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

	async #handle(kind: WebhookRoute['kind'], request: Request, response: Response): Promise<void> {
		const path = decodeURIComponent(request.path)
			.slice(kind.length + 2)
			.replace(/\/$/, '');
		const { method } = request;
		const route = this.#routes.get(routeKey(kind, method, path));
		if (route === undefined) {
			const message = `The requested webhook "${method} ${path}" is not registered.`;
			throw new WebhookError(404, message);
		}
		const { [correlationHeader]: correlation } = request.headers;
		delete request.headers[correlationHeader];
		request.params = {};
		prepareBody(request);
		if (route.typeVersion === 1 || isParsable(request.contentType)) await parseBody(request);
		await new Promise<void>((resolve, reject) => {
			const respond = ({ body }: WebhookResponse) => {
				if (body !== undefined) {
					response.status(body.status);
					if (typeof body.value === 'string') response.send(body.value);
					else response.json(body.value);
				}
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
	if (error instanceof WebhookError) {
		const { status, message, hint } = error;
		response.status(status).json({ code: status, message, hint });
		return;
	}
	const message =
		error instanceof UnexpectedError ? error.message : 'There was a problem executing the workflow';
	response.status(500).json({ code: 0, message });
}

/** Adds the properties of n8n's requests: content type, encoding and raw body. */
function prepareBody(request: Request): void {
	const [type, ...parameters] = (request.headers['content-type'] ?? '').split(';');
	if (type) request.contentType = type.toLowerCase();
	const charset = parameters
		.map((text) => /^\s*charset="?([^"]+)"?\s*$/i.exec(text)?.[1])
		.find(Boolean);
	const encoding = (charset ?? 'utf-8').toLowerCase();
	// n8n uses any charset, and fails to parse the body if Node.js does not know it.
	if (Buffer.isEncoding(encoding)) request.encoding = encoding;
	request.readRawBody = async () => {
		if (request.rawBody === undefined) request.rawBody = await readStream(decompressed(request));
	};
}

function decompressed(request: Request): Readable {
	switch (request.headers['content-encoding']) {
		case 'gzip':
			return request.pipe(createGunzip());
		case 'deflate':
			return request.pipe(createInflate());
		default:
			return request;
	}
}

async function readStream(stream: Readable): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		const buffer = Buffer.from(z.instanceof(Uint8Array).parse(chunk));
		size += buffer.length;
		if (size > maxBodyBytes) throw new Error('request entity too large');
		chunks.push(buffer);
	}
	return Buffer.concat(chunks);
}

/** Whether n8n parses a body of this type. It reads multipart forms in another way. */
function isParsable(type = ''): boolean {
	const prefixes = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];
	return prefixes.some((prefix) => type.startsWith(prefix)) || /[/+]xml$/.test(type);
}

async function parseBody(request: Request): Promise<void> {
	const { contentType } = request;
	if (contentType?.startsWith('multipart/')) return;
	await request.readRawBody();
	const { rawBody } = request;
	if (rawBody.length === 0) return;
	try {
		const text = rawBody.toString(request.encoding).replace(/^\uFEFF/, '');
		if (contentType === 'application/json') request.body = jsonParse<unknown>(text);
		else if (contentType === 'application/x-www-form-urlencoded') request.body = parseForm(text);
		else if (contentType === 'text/plain') request.body = text;
		else if (/[/+]xml$/.test(contentType ?? '')) request.body = await parseXml(text);
	} catch (error) {
		const hint = error instanceof Error ? error.message : undefined;
		throw new WebhookError(422, 'Failed to parse request body', hint);
	}
}

type XmlParser = new (options: object) => { parseStringPromise(xml: string): Promise<unknown> };

/** n8n's XML parser, as n8n-workflow resolves it. */
const { Parser } = z
	.object({ Parser: z.custom<XmlParser>((value) => typeof value === 'function') })
	.parse(createRequire(require.resolve('n8n-workflow'))('xml2js'));

async function parseXml(text: string): Promise<unknown> {
	const parser = new Parser({
		async: true,
		normalize: true,
		normalizeTags: true,
		explicitArray: false,
		tagNameProcessors: [sanitizeXmlName],
		attrNameProcessors: [sanitizeXmlName],
	});
	return await parser.parseStringPromise(text);
}
