/** What happens when the trigger's webhook URL is called. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { z } from 'zod/v4';

import { tryParseJson } from '../common/data';
import { asRecord } from '../common/parameters';
import { republishHint } from '../common/text';
import { passesFilters } from './filters';
import { logRejection } from './messages';
import { readEvents, type EmittedEvent } from './payload';
import { readSettings, type TriggerSettings } from './settings';
import { callSigner, savedDigests } from './signers';
import { eventInQuery, isAuthentic } from './urls';

/** The methods of events and of checks whether the URL responds; n8n also registers another one. */
const callMethods = ['POST', 'GET', 'HEAD'];

const jsonType = 'application/json';
const formType = 'application/x-www-form-urlencoded';

/** How n8n says that a body is larger than it reads. */
const tooLargeSchema = z.object({ status: z.literal(413) });

/** The response to every authentic call without an error, whether it starts the workflow or not. */
const acknowledged = { webhookResponse: { message: 'Received' } };

/** A call that starts nothing. */
class Rejection {
	constructor(
		readonly status: number,
		readonly message: string,
		readonly advice?: string,
	) {}
}

/**
 * Handles a call of the trigger's webhook URL. An authentic call with events triggers the workflow, with
 * one item per event (docs/api.md, section 6). Other calls get a response and start nothing:
 *
 * - 405 for another method than POST, GET and HEAD
 * - 401 when the signature is missing or invalid, 503 when it can't be checked
 * - 413 when the body is larger than n8n's limit, 400 when it contains something other than events
 * - 200 when the body is empty, as when a service checks that the URL responds, and when the node's
 *   settings filter out all events
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const settings = readSettings(context);
	const result = await readCall(context, settings);
	if (result instanceof Rejection) {
		const { status, message, advice } = result;
		logRejection(context, status, message, advice);
		context.getResponseObject().status(status).json({ message });
		return { noWebhookResponse: true };
	}
	const emitted = applyFilters(settings, result);
	if (emitted.length === 0) return acknowledged;
	// n8n's own helper would treat parts of a payload as item settings.
	const items = emitted.map((event: object) => ({ json: { ...event } }));
	return { ...acknowledged, workflowData: [items] };
}

async function readCall(
	context: IWebhookFunctions,
	settings: TriggerSettings,
): Promise<EmittedEvent[] | Rejection> {
	const { method } = context.getRequestObject();
	if (!callMethods.includes(method)) return new Rejection(405, 'Events arrive as POST requests');
	const query = asRecord(context.getQueryData());
	if (settings.verifiesCaller) {
		const signer = await callSigner(context, settings.options);
		if (!signer)
			return new Rejection(
				503,
				"The signature can't be checked: the credential is missing or incomplete",
			);
		if (!isAuthentic(query, signer, savedDigests(context) ?? []))
			return new Rejection(
				401,
				'The URL signature is missing or invalid',
				`If the Delivery Service made this call, publish the workflow again: ${republishHint}. The API secret, company or Base URL has changed, or a proxy rewrites URLs.`,
			);
	}
	if (method !== 'POST') return [];
	const body = await readBody(context);
	if (body instanceof Rejection) return body;
	return readEvents(body, eventInQuery(query)) ?? new Rejection(400, 'The body contains no event');
}

/**
 * The content of a body: JSON as n8n parsed it, JSON of another content type, or the flat fields of a
 * form. Undefined for anything else.
 */
async function readBody(context: IWebhookFunctions): Promise<unknown> {
	const request = context.getRequestObject();
	const { contentType } = request;
	const parsed: unknown = context.getBodyData();
	try {
		// n8n reads only the types that it can parse.
		if (request.rawBody === undefined) await request.readRawBody();
	} catch (error) {
		return tooLargeSchema.safeParse(error).success
			? new Rejection(413, "The body is larger than n8n's limit")
			: new Rejection(400, "The body can't be read");
	}
	const text = request.rawBody?.toString('utf8').trim() ?? '';
	if (text === '') return {};
	if (contentType === jsonType) return parsed;
	return tryParseJson(text) ?? (contentType === formType ? parsed : undefined);
}

/**
 * Drops events that are not selected or do not pass the filters. Unknown events pass: otherwise no
 * one would ever see them.
 */
function applyFilters(
	{ events, filters }: TriggerSettings,
	received: EmittedEvent[],
): EmittedEvent[] {
	return received.filter(
		(emitted) =>
			(emitted.event === 'unknown' || events.includes(emitted.event)) &&
			passesFilters(emitted, filters),
	);
}
