import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { z } from 'zod/v4';

import { credentialType } from '../service/client';
import { credentialSchema } from '../service/credential';
import { anyObject, tryParseJson } from '../common/json';
import { republishHint } from '../common/republish';
import { eventInQuery, hasKnownSignature, isSigned, decodeQuery } from './eventUrls';
import { passesFilters } from './filters';
import { hasNoEvent, readBody, type EmittedEvent } from './payload';
import {
	selectedEvents,
	triggerFilters,
	triggerState,
	callSigner,
	verifiesCaller,
} from './settings';

/** Larger bodies are not events of the service: documented payloads are far smaller (section 6). */
const maxBodyBytes = 1_000_000;

/** The methods of events and of checks whether the URL responds; n8n also registers another one. */
const callMethods = ['POST', 'GET', 'HEAD'];

const formType = 'application/x-www-form-urlencoded';
const multipartType = 'multipart/form-data';

/** What n8n makes of a multipart form: its fields, and files apart from them. */
const multipartSchema = z.object({ data: z.unknown() });

/** How n8n says that a body is larger than it reads. */
const tooLargeSchema = z.object({ status: z.literal(413) });

const querySchema = anyObject.catch({});
const signingSchema = credentialSchema.pick({ apiSecret: true, baseUrl: true, companyId: true });

/** The response to every authentic call without an error, whether it starts the workflow or not. */
const acknowledged = { webhookResponse: { message: 'Received' } };

/**
 * Handles a call of the trigger's webhook URL. An authentic call with events triggers the workflow,
 * with one item per event (API document, section 6). Other calls get a response and start
 * nothing:
 *
 * - 405 for another method than POST, GET and HEAD
 * - 401 when the signature is missing or invalid, 503 when it can't be checked
 * - 413 when the body is larger than 1 MB, 400 when it can't be read or contains something other than
 *   events
 * - 200 when the body is empty, as when a service checks that the URL responds, and when the node's
 *   settings filter out all events
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const reject = (status: number, message: string, advice?: string): IWebhookResponseData => {
		const { name, id } = context.getWorkflow();
		const node = `Node "${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''})`;
		const text = `${node} rejected a call (status ${status}): ${message}`;
		context.logger.warn([text, advice].filter(Boolean).join('. '));
		context.getResponseObject().status(status).json({ message });
		return { noWebhookResponse: true };
	};
	const { method } = context.getRequestObject();
	if (!callMethods.includes(method)) return reject(405, 'Events arrive as POST requests');
	const query = decodeQuery(querySchema.parse(context.getQueryData()));
	if (verifiesCaller(context)) {
		const isGenuine = await isAuthentic(context, query);
		if (isGenuine === undefined)
			return reject(503, "The signature can't be checked: the credential is missing or incomplete");
		if (!isGenuine)
			return reject(
				401,
				'The URL signature is missing or invalid',
				`If the Delivery Service made this call, ${republishHint}: the API secret, company or Base URL has changed, or a proxy rewrites URLs.`,
			);
	}
	if (method !== 'POST') return acknowledged;
	const problem = await readRawBody(context);
	if (problem) return reject(problem.status, problem.message);
	const named = eventInQuery(query);
	const body = eventBody(context);
	if (hasNoEvent(body) && !isFormWithoutFields(context)) return acknowledged;
	const received = readBody(body, named);
	if (!received) return reject(400, 'The body contains no event');

	const emitted = applyFilters(context, received);
	if (emitted.length === 0) return acknowledged;
	return { ...acknowledged, workflowData: [emitted.map(toEventItem)] };
}

/**
 * Whether a call contains a signature of this node. Either the saved state has its digest, so that
 * events keep arriving after the API secret has changed, until the node resubscribes; or it matches
 * the credential, since n8n may lose the state or not have saved it yet.
 *
 * @returns undefined when the state does not have it and the credential is missing or incomplete
 */
async function isAuthentic(
	context: IWebhookFunctions,
	query: Readonly<Record<string, unknown>>,
): Promise<boolean | undefined> {
	if (hasKnownSignature(query, triggerState(context).digests)) return true;
	const credential = await signingCredential(context);
	const signer = credential && callSigner(context, credential);
	if (!signer) return undefined;
	return isSigned(query, signer);
}

async function signingCredential(context: IWebhookFunctions) {
	try {
		return signingSchema.parse(await context.getCredentials(credentialType));
	} catch {
		return undefined;
	}
}

/**
 * Reads a body that n8n has not read because it can't parse its type.
 *
 * @returns the response when the body is too large or can't be read, e.g. because it is not compressed
 *   as announced
 */
async function readRawBody(
	context: IWebhookFunctions,
): Promise<{ status: 400 | 413; message: string } | undefined> {
	const tooLarge = { status: 413, message: 'The body is larger than 1 MB' } as const;
	const request = context.getRequestObject();
	if (bodySize(context) > maxBodyBytes) return tooLarge;
	try {
		if (request.rawBody === undefined && request.contentType !== multipartType)
			await request.readRawBody();
	} catch (error) {
		if (tooLargeSchema.safeParse(error).success) return tooLarge;
		return { status: 400, message: "The body can't be read" };
	}
	return bodySize(context) > maxBodyBytes ? tooLarge : undefined;
}

/** The size of the body in bytes; for a multipart form of unannounced length that of its fields. */
function bodySize(context: IWebhookFunctions): number {
	const { rawBody, headers, contentType } = context.getRequestObject();
	const size = rawBody?.length ?? headers['content-length'];
	if (size === undefined && contentType === multipartType)
		return JSON.stringify(multipartFields(context))?.length ?? 0;
	return Number(size ?? 0);
}

/** The fields of a multipart form. Files are left out. */
function multipartFields(context: IWebhookFunctions): unknown {
	return multipartSchema.parse(context.getBodyData()).data;
}

/** Whether there may be an event that n8n could not read: n8n 1 ignores errors in multipart forms. */
function isFormWithoutFields(context: IWebhookFunctions): boolean {
	if (context.getRequestObject().contentType !== multipartType) return false;
	return Object.keys(anyObject.catch({}).parse(multipartFields(context))).length === 0;
}

/**
 * The body as n8n parsed it, or its text if n8n does not know the content type or has parsed JSON as
 * a form.
 */
function eventBody(context: IWebhookFunctions): unknown {
	const body: unknown = context.getBodyData();
	const { rawBody, contentType } = context.getRequestObject();
	if (contentType === multipartType) return multipartFields(context);
	const text = rawBody?.toString('utf8') ?? '';
	if (contentType === formType && /^\s*[[{]/.test(text) && tryParseJson(text) !== undefined)
		return text;
	const isParsed = typeof body !== 'object' || (body !== null && Object.keys(body).length > 0);
	return (isParsed && body !== undefined) || !rawBody ? body : text;
}

/**
 * Drops events that are not selected or do not pass the filters. Unknown events pass: otherwise no
 * one would ever see them.
 */
function applyFilters(context: IWebhookFunctions, received: EmittedEvent[]): EmittedEvent[] {
	const selected = selectedEvents(context);
	const filters = triggerFilters(context);
	return received.filter(
		(emitted) =>
			(emitted.event === 'unknown' || selected.includes(emitted.event)) &&
			passesFilters(emitted, filters),
	);
}

/** An item with data only: n8n's own helper would treat parts of a payload as item settings. */
function toEventItem(event: object): INodeExecutionData {
	return { json: { ...event } };
}
