import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

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

/** Bodies above that are no event of the service: the documented ones are far below (section 6). */
const maxBodyBytes = 1_000_000;

const formType = 'application/x-www-form-urlencoded';

const querySchema = anyObject.catch({});
const signingSchema = credentialSchema.pick({ apiSecret: true, baseUrl: true, companyId: true });

/** What a caller gets for what is authentic and starts nothing. */
const acknowledged = { webhookResponse: { message: 'Received' } };

/**
 * Takes a call of the trigger's address. What is authentic and an event starts the workflow with an
 * item an event (service document, section 6); all else is answered without starting anything:
 *
 * - 401 when the signature is missing or wrong, 503 when it can't be checked;
 * - 413 when the body is larger than 1 MB, 400 when there is something else than an event in it;
 * - 200 when there is no content, as when a service tries out whether the address answers, and when
 *   the node's settings leave out what came.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const refuse = (status: number, message: string, advice?: string): IWebhookResponseData => {
		const { name, id } = context.getWorkflow();
		const node = `the node "${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''})`;
		const text = `A call of ${node} was refused with status ${status}: ${message}`;
		context.logger.warn([text, advice].filter(Boolean).join('. '));
		context.getResponseObject().status(status).json({ message });
		return { noWebhookResponse: true };
	};
	const query = decodeQuery(querySchema.parse(context.getQueryData()));
	if (verifiesCaller(context)) {
		const isGenuine = await isAuthentic(context, query);
		if (isGenuine === undefined)
			return refuse(503, 'The signature cannot be checked: the credential is gone or incomplete');
		if (!isGenuine)
			return refuse(
				401,
				'The signature of the address is missing or wrong',
				`If the Delivery Service itself made this call, ${republishHint}: its API secret, company or Base URL was changed, or something on the way changes addresses.`,
			);
	}
	if (context.getRequestObject().method !== 'POST') return acknowledged;
	if (!(await isWithinSize(context, maxBodyBytes)))
		return refuse(413, 'The body is larger than 1 MB');
	const named = eventInQuery(query);
	const body = eventBody(context);
	if (hasNoEvent(body) && !isUnparsed(context)) return acknowledged;
	const read = readBody(body, named);
	if (!read) return refuse(400, 'The body holds no event');

	const emitted = applyFilters(context, read);
	return emitted.length === 0 ? acknowledged : { workflowData: [emitted.map(toEventItem)] };
}

/**
 * Whether a call carries a signature of this node: one that it remembers to have subscribed, so that
 * events arrive after the API secret was changed until it subscribes anew; or one that
 * the credential makes, since n8n may lose what the node remembers, or not have saved it yet.
 *
 * @returns undefined when it is not remembered and the credential is gone or incomplete
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

/** Whether the body is not larger than that. n8n reads only those that it can parse; we the others. */
async function isWithinSize(context: IWebhookFunctions, largest: number): Promise<boolean> {
	if (bodySize(context) > largest) return false;
	const request = context.getRequestObject();
	if (request.rawBody === undefined && !request.contentType?.startsWith('multipart/'))
		await request.readRawBody();
	return bodySize(context) <= largest;
}

function bodySize(context: IWebhookFunctions): number {
	const { rawBody, headers } = context.getRequestObject();
	return rawBody?.length ?? Number(headers['content-length'] ?? 0);
}

/** Whether there is a body that n8n has not read: it leaves forms of several parts to the node. */
function isUnparsed(context: IWebhookFunctions): boolean {
	const { rawBody } = context.getRequestObject();
	return rawBody === undefined && bodySize(context) > 0;
}

/**
 * The body as n8n has read it, or its text where n8n does not know the content type, or has read JSON
 * as a form.
 */
function eventBody(context: IWebhookFunctions): unknown {
	const body: unknown = context.getBodyData();
	const { rawBody, contentType } = context.getRequestObject();
	const text = rawBody?.toString('utf8') ?? '';
	if (contentType === formType && /^\s*[[{]/.test(text) && tryParseJson(text) !== undefined)
		return text;
	const isRead = typeof body !== 'object' || (body !== null && Object.keys(body).length > 0);
	return (isRead && body !== undefined) || !rawBody ? body : text;
}

/**
 * Leaves out events that the user did not choose, by the address or by their shape, or that the
 * filters stop. What may be any event passes: nobody else would see it.
 */
function applyFilters(context: IWebhookFunctions, read: EmittedEvent[]): EmittedEvent[] {
	const chosen = selectedEvents(context);
	const filters = triggerFilters(context);
	return read.filter(
		(emitted) =>
			(emitted.event === 'unknown' || chosen.includes(emitted.event)) &&
			passesFilters(emitted, filters),
	);
}

/** An item of nothing but data: n8n's own helper would take parts of a payload for item settings. */
function toEventItem(event: object): INodeExecutionData {
	return { json: { ...event } };
}
