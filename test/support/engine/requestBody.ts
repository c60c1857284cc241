import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parse as parseForm } from 'node:querystring';
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { createGunzip, createInflate } from 'node:zlib';
import { parseIncomingMessage } from '@n8n/backend-network';
import type { Request } from 'express';
import formidable, { type Fields, type Files } from 'formidable';
import { jsonParse, sanitizeXmlName } from 'n8n-workflow';
import rawBody from 'raw-body';
import { z } from 'zod';

/** The n8n versions that differ in what happens to a webhook call: 1.123.81 and 2.41.1. */
export type N8nLine = '1' | '2';

/** n8n's default size limits: of a body in megabytes, and of a file in a form in bytes. */
const maxBody = '16mb';
const maxFileBytes = 200 * 1024 * 1024;

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
 * Parses the body as n8n does before it calls the node. A type that n8n does not parse stays unread,
 * unless the node has version 1.
 *
 * @returns deletes the files of a form
 * @throws ResponseError that the caller gets; other errors become status 500
 */
export async function parseRequestBody(
	request: Request,
	nodeVersion: number,
	n8n: N8nLine,
): Promise<() => Promise<void>> {
	const { contentType } = request;
	if (contentType === 'multipart/form-data') return await parseMultipart(request, n8n);
	if ((nodeVersion === 1 || isParsable(contentType)) && !contentType?.startsWith('multipart/'))
		await parseBody(request, n8n);
	return async () => await Promise.resolve();
}

function isParsable(type = ''): boolean {
	const prefixes = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];
	return prefixes.some((prefix) => type.startsWith(prefix)) || isXml(type);
}

function isXml(type = ''): boolean {
	return type.endsWith('/xml') || type.endsWith('+xml');
}

async function parseBody(request: Request, n8n: N8nLine): Promise<void> {
	await request.readRawBody();
	const { rawBody: bytes, contentType, encoding } = request;
	if (bytes.length === 0) return;
	const withoutMark = (text: string) => (n8n === '2' ? text.replace(/^\uFEFF/, '') : text);
	try {
		if (contentType === 'application/json')
			request.body = jsonParse<unknown>(withoutMark(bytes.toString(encoding)));
		else if (isXml(contentType)) request.body = await parseXml(bytes.toString(encoding));
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

/** The body of a form is `{ data, files }`. */
async function parseMultipart(request: Request, n8n: N8nLine): Promise<() => Promise<void>> {
	const options = {
		multiples: true,
		maxFileSize: maxFileBytes,
		...(n8n === '2' && { allowEmptyFiles: true, minFileSize: 0 }),
	};
	// Any charset, as n8n does.
	Object.assign(options, { encoding: request.encoding });
	const form = formidable(options);
	const paths = new Set<string>();
	form.on('fileBegin', (_name, { filepath }) => paths.add(filepath));
	const cleanUp = async () => {
		await Promise.all([...paths].map(async (path) => await rm(path, { force: true })));
	};
	try {
		const [data, files] =
			n8n === '1' ? await parseDespiteErrors(form, request) : await form.parse(request);
		const kept = n8n === '2' ? filled(files) : files;
		unwrap(data);
		unwrap(kept);
		request.body = { data, files: kept };
		return cleanUp;
	} catch (error) {
		await cleanUp();
		throw formError(error);
	}
}

/**
 * n8n 1 ignores errors and goes on with what was read. Without a boundary, it never calls the node, and
 * the caller gets no response.
 */
async function parseDespiteErrors(
	form: ReturnType<typeof formidable>,
	request: Request,
): Promise<[Fields, Files]> {
	return await new Promise((resolve) => {
		const parsing: unknown = form.parse(request, (_error, data, files) => resolve([data, files]));
		Promise.resolve(parsing).catch(() => undefined);
	});
}

function formError(error: unknown): unknown {
	const { httpCode } = z.object({ httpCode: z.number() }).catch({ httpCode: 0 }).parse(error);
	if (httpCode === 413)
		return new ResponseError(413, 'The submitted form data exceeds the allowed size.');
	if (httpCode === 400)
		return new ResponseError(400, 'The submitted form data could not be parsed.');
	return error;
}

/** n8n 2 drops file inputs that were left empty. */
function filled(files: Files): Files {
	const kept = Object.entries(files).map(([name, list = []]): [string, Files[string]] => [
		name,
		list.filter(({ originalFilename, size }) => originalFilename !== '' || size > 0),
	]);
	return Object.fromEntries(kept.filter(([, list = []]) => list.length > 0));
}

/** Lists of one value become this value: in place, since n8n 1 may go on while it reads the form. */
function unwrap(values: Record<string, unknown>): void {
	for (const [name, value] of Object.entries(values)) {
		const list = z.array(z.unknown()).length(1).safeParse(value);
		if (list.success) values[name] = list.data[0];
	}
}

type XmlParser = new (options: object) => { parseStringPromise(xml: string): Promise<unknown> };

/** n8n's XML parser, as n8n-workflow resolves it. */
const { Parser } = z
	.object({ Parser: z.custom<XmlParser>((value) => typeof value === 'function') })
	.parse(createRequire(require.resolve('n8n-workflow'))('xml2js'));

/**
 * A parser for each call, unlike in n8n, which has one for all: after malformed XML, that one may accept
 * the next malformed one or never finish. Tests must not depend on earlier calls.
 */
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
