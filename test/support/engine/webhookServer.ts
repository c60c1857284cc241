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

/** n8n's default limit for a webhook body. */
const maximumBody = 16 * 1024 * 1024;

/** The header by which `receive` finds what its own request led to. The node never sees it. */
export const correlationHeader = 'x-engine-request';

/** An answer of n8n itself, in place of the node's: its status, and the body that n8n sends. */
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

/** How a registered webhook answers. */
export interface WebhookAnswer {
	/** Undefined: the node has written the response itself. */
	body?: { value: unknown; status: number };
}

/** A webhook that is registered with the server. */
export interface WebhookRoute {
	kind: 'webhook' | 'webhook-test';
	method: string;
	/** The path after `/webhook/`. */
	path: string;
	/** The version of the node: n8n reads every body for 1, for later ones what it can parse. */
	typeVersion: number;
	/**
	 * Handles a request whose body was parsed. It calls `answer` once; what it does after that
	 * (running the workflow) does not hold up the response.
	 */
	handle(
		request: Request,
		response: Response,
		answer: (answer: WebhookAnswer) => void,
		correlation: string | undefined,
	): Promise<void>;
}

/**
 * A web server that takes webhook requests as n8n's does: `/webhook/` and `/webhook-test/` paths,
 * bodies parsed by content type and kept raw, n8n's own answers for unknown paths and broken bodies.
 * It listens on the loopback address only.
 */
export class WebhookServer {
	#server: Server | undefined;
	#url: Promise<string> | undefined;
	readonly #routes = new Map<string, WebhookRoute>();

	/** Starts the server when it is not running, and gives its address without a slash at the end. */
	async url(): Promise<string> {
		this.#url ??= this.#listen();
		return await this.#url;
	}

	/** Registers a webhook; a former one of the same kind, method and path gives way. */
	register(route: WebhookRoute): void {
		this.#routes.set(routeKey(route.kind, route.method, route.path), route);
	}

	/** Takes a webhook off, whether it is registered or not. */
	deregister({ kind, method, path }: Pick<WebhookRoute, 'kind' | 'method' | 'path'>): void {
		this.#routes.delete(routeKey(kind, method, path));
	}

	/** Stops the server and forgets all webhooks. */
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
			const answer = ({ body }: WebhookAnswer) => {
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
					answer,
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

/** Gives the request the members that n8n's requests have: content type, charset, the raw body. */
function prepareBody(request: Request): void {
	const [type, ...parameters] = (request.headers['content-type'] ?? '').split(';');
	if (type) request.contentType = type.toLowerCase();
	const charset = parameters
		.map((text) => /^\s*charset="?([^"]+)"?\s*$/i.exec(text)?.[1])
		.find(Boolean);
	const encoding = (charset ?? 'utf-8').toLowerCase();
	// n8n takes the charset as it comes, and fails at the body when it is none that Node.js knows.
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
		if (size > maximumBody) throw new Error('request entity too large');
		chunks.push(buffer);
	}
	return Buffer.concat(chunks);
}

/** As n8n has it; forms of several parts it reads in another way. */
function isParsable(type = ''): boolean {
	const beginnings = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];
	return beginnings.some((beginning) => type.startsWith(beginning)) || /[/+]xml$/.test(type);
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

/** n8n's XML parser, found from where n8n-workflow finds it. */
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
