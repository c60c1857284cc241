import { parse as parseForm } from 'node:querystring';
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { createGunzip, createInflate } from 'node:zlib';
import { parseIncomingMessage } from '@n8n/backend-network';
import type { Request } from 'express';
import { jsonParse } from 'n8n-workflow';
import rawBody from 'raw-body';
import { z } from 'zod';

/** The n8n versions that differ in what happens to a webhook call: 1.123.81 and 2.41.1. */
export type N8nLine = '1' | '2';

/** n8n's default size limit of a body. */
const maxBody = '16mb';

/** An error with a status, which n8n sends to the caller. */
export class ResponseError extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly hint?: string,
	) {
		super(message);
		this.name = 'ResponseError';
	}
}

/** Adds n8n's properties to a request: content type, encoding and the reader of the raw body. */
export function prepareRequest(request: Request, n8n: N8nLine): void {
	if (n8n === '1') parseTypeOfVersion1(request);
	else parseIncomingMessage(request);
	request.readRawBody = async () => {
		// An empty body is read once more, as in n8n, where that ends at once.
		request.rawBody ||= await readRawBody(request, n8n);
	};
}

/** n8n 1 reads parameters of the content type in another way: without "=", a charset is "undefined". */
function parseTypeOfVersion1(request: Request): void {
	const [type, ...parameters] = (request.headers['content-type'] ?? '').split(';');
	if (!type) return;
	const values = parameters.map((parameter): [string, string] => {
		const [name = '', value = 'undefined'] = parameter.split('=');
		const decoded = decodeURIComponent(value).trim();
		return [name.toLowerCase().trim(), /^".*"$/s.test(decoded) ? decoded.slice(1, -1) : decoded];
	});
	const { charset = 'utf-8' } = Object.fromEntries(values);
	request.contentType = type.toLowerCase();
	// Any charset, as n8n does.
	Object.assign(request, { encoding: charset.toLowerCase() });
}

async function readRawBody(request: Request, n8n: N8nLine): Promise<Buffer> {
	const { 'content-encoding': encoding, 'content-length': length } = request.headers;
	const stream = decompressed(request, encoding);
	const isCompressed = stream !== request;
	if (n8n === '2' && (request.destroyed || !stream.readable))
		throw new ResponseError(400, 'Request body stream was aborted or is not readable');
	try {
		return await rawBody(stream, { length: isCompressed ? undefined : length, limit: maxBody });
	} catch (error) {
		const aborted = z.object({ type: z.enum(['stream.not.readable', 'request.aborted']) });
		if (n8n === '2' && aborted.safeParse(error).success)
			throw new ResponseError(400, 'Request body stream was aborted mid-read or is not readable');
		throw error;
	}
}

function decompressed(request: Request, encoding: string | undefined): Readable {
	if (encoding === 'gzip') return request.pipe(createGunzip());
	if (encoding === 'deflate') return request.pipe(createInflate());
	return request;
}

/**
 * Parses the body as n8n does before it calls the node. Other types stay unread here; n8n also parses
 * XML and multipart forms, which the trigger rejects.
 *
 * @throws ResponseError that the caller gets; other errors become status 500
 */
export async function parseRequestBody(request: Request, n8n: N8nLine): Promise<void> {
	const { contentType } = request;
	if (!parsedTypes.some((type) => contentType?.startsWith(type))) return;
	await request.readRawBody();
	const { rawBody: bytes, encoding } = request;
	if (bytes.length === 0) return;
	const withoutMark = (text: string) => (n8n === '2' ? text.replace(/^\uFEFF/, '') : text);
	try {
		if (contentType === 'application/json')
			request.body = jsonParse<unknown>(withoutMark(bytes.toString(encoding)));
		else if (contentType === 'application/x-www-form-urlencoded')
			request.body = parseForm(withoutMark(bytes.toString(encoding)), undefined, undefined, {
				maxKeys: 1000,
			});
		else if (contentType === 'text/plain') request.body = bytes.toString(encoding);
	} catch (error) {
		const hint = types.isNativeError(error) ? error.message : undefined;
		throw new ResponseError(422, 'Failed to parse request body', hint);
	}
}

const parsedTypes = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];
