import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { z } from 'zod';

import { listOf } from '../shared/parameters';
import { credentialType } from '../service/client';
import { credentialSchema } from '../service/credential';
import type { EventName } from '../service/events';
import { eventInQuery, isSigned } from './address';
import { passes } from './filters';
import { readBody, type EmittedEvent } from './payload';
import { chosenEvents, signerOf, signsAddresses, triggerOptions } from './settings';

/** Bodies above that are no event of the service: the documented ones are far below (section 6). */
const largestBody = 1_000_000;

const querySchema = z.record(z.unknown()).catch({});
const secretSchema = credentialSchema.pick({ apiSecret: true });

/**
 * Takes a call of the trigger's address. What is authentic and an event starts the workflow with an
 * item an event (service document, section 6); all else is answered without starting anything:
 *
 * - 401 when the signature is missing or wrong, 503 when it can't be checked;
 * - 413 when the body is larger than 1 MB, 400 when there is no event in it;
 * - 200 when the node's settings leave out what came.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const refuse = (status: number, message: string): IWebhookResponseData => {
		context.logger.warn(
			`A call of the node "${context.getNode().name}" was refused with status ${status}: ${message}`,
		);
		context.getResponseObject().status(status).json({ message });
		return { noWebhookResponse: true };
	};
	const query = querySchema.parse(context.getQueryData());
	if (signsAddresses(context)) {
		const secret = await readSecret(context);
		if (secret === undefined)
			return refuse(503, 'The signature cannot be checked: the credential is gone or incomplete');
		if (!isSigned(query, signerOf(context, secret)))
			return refuse(401, 'The signature of the address is missing or wrong');
	}
	if (sizeOfBody(context) > largestBody) return refuse(413, 'The body is larger than 1 MB');
	const named = eventInQuery(query);
	const received = readBody(bodyOf(context), named);
	if (!received) return refuse(400, 'The body holds no event');

	const emitted = leaveOut(context, received, named);
	if (emitted.length === 0) return { webhookResponse: { message: 'Received' } };
	return { workflowData: [emitted.map(toItem)] };
}

/** The secret that addresses are signed with; undefined when there is none to be had. */
async function readSecret(context: IWebhookFunctions): Promise<string | undefined> {
	try {
		return secretSchema.parse(await context.getCredentials(credentialType)).apiSecret;
	} catch {
		return undefined;
	}
}

function sizeOfBody(context: IWebhookFunctions): number {
	const { rawBody, headers } = context.getRequestObject();
	return rawBody?.length ?? Number(headers['content-length'] ?? 0);
}

/** The body as n8n has read it, or its text where n8n does not know the content type. */
function bodyOf(context: IWebhookFunctions): unknown {
	const body: unknown = context.getBodyData();
	const { rawBody } = context.getRequestObject();
	const isRead = typeof body !== 'object' || (body !== null && Object.keys(body).length > 0);
	return (isRead && body !== undefined) || !rawBody ? body : rawBody.toString('utf8');
}

/** Leaves out events that the user did not choose or that the filters stop. */
function leaveOut(
	context: IWebhookFunctions,
	received: EmittedEvent[],
	named: EventName | undefined,
): EmittedEvent[] {
	if (named && !chosenEvents(context).includes(named)) return [];
	const { statuses, companies, cities } = triggerOptions(context);
	const filters = {
		status: listOf(statuses).map(String),
		company: listOf(companies).map(String),
		city: listOf(cities).map(String),
	};
	return received.filter((event) => passes(event, filters));
}

/** An item of nothing but data: n8n's own helper would take parts of a payload for item settings. */
function toItem(event: object): INodeExecutionData {
	return { json: { ...event } };
}
