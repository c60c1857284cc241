import type {
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	IWebhookFunctions,
	ILoadOptionsFunctions,
	IDataObject,
} from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { z } from 'zod/v4';

import { anyObject } from '../common/json';
import { operationError } from './nodeErrors';
import { readCredential, type Credential } from './credential';

/** The name of the credential type; saved workflows hold it. */
export const credentialType = 'deliveryServiceApi';

/** Where n8n runs code that may call the service. */
export type CallingContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** The path below the base URL, beginning with a slash. */
	path: string;
	/** A JSON body. */
	json?: object;
	/** Form fields, sent as key=value pairs. */
	form?: Readonly<Record<string, string>>;
	/** Milliseconds to wait for the answer. */
	timeoutMs?: number;
}

/** What the service answered. */
export interface ServiceResponse {
	kind: 'response';
	status: number;
	/** Header names are in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The parsed body; its text when it is not JSON, or undefined when it is empty. */
	body: unknown;
}

/** No answer came: the connection failed, broke or timed out. */
export interface NoResponse {
	kind: 'noResponse';
	/** The error code of the connection, such as ECONNREFUSED, or empty when there is none. */
	code: string;
	/** Only when it is certain, whatever the code: there was no connection to send anything through. */
	neverConnected?: true;
	/** Why n8n itself did not let the request out, in its words. */
	blockedReason?: string;
}

export type Exchange = ServiceResponse | NoResponse;

/** Whether an answer is a success: the document names 200, and all 2xx mean it in HTTP. */
export function isSuccess({ status }: ServiceResponse): boolean {
	return status >= 200 && status < 300;
}

/** Sends one request and tells what came of it; never throws for what the service or network does. */
export type Send = (request: ServiceRequest) => Promise<Exchange>;

export interface ServiceClient {
	credential: Credential;
	send: Send;
}

const responseSchema = z.object({
	statusCode: z.number(),
	headers: anyObject.catch({}),
	body: z.unknown().optional(),
});

/** n8n's errors have that of the HTTP client as their cause, and that one the connection's. */
const httpErrorSchema = z
	.object({
		httpCode: z.string().nullish().catch(null),
		code: z.string().optional().catch(undefined),
		message: z.string().optional().catch(undefined),
		syscall: z.string().optional().catch(undefined),
		/** One for each address of a host that has several. */
		errors: z.array(z.unknown()).optional().catch(undefined),
		cause: z.unknown().optional(),
	})
	.catch({ cause: undefined });

/** How Node.js says that a connection ended before anything could be sent; the code does not tell. */
const tlsAbortedMessage = 'before secure TLS connection was established';

/**
 * A client for one credential. Requests go through n8n's own HTTP helper (its proxy, TLS and
 * domain settings apply) with the Basic authentication of the credential (service document,
 * section 5). Redirects are not followed: a POST would become a GET on the way.
 *
 * @param baseUrl another address of the service than the credential's
 * @throws NodeOperationError when the credential is not complete, or its Base URL is wrong
 */
export async function openClient(
	context: CallingContext,
	baseUrl?: string,
): Promise<ServiceClient> {
	const read = readCredential(await context.getCredentials(credentialType));
	if (!read.ok) throw operationError(context.getNode(), read.problem);
	const credential = { ...read.value, ...(baseUrl !== undefined && { baseUrl }) };
	const send: Send = async (request) => {
		try {
			const response: unknown = await context.helpers.httpRequestWithAuthentication.call(
				context,
				credentialType,
				{
					method: request.method,
					url: `${credential.baseUrl}${request.path}`,
					headers: requestHeaders(request),
					body: request.form ? new URLSearchParams(request.form).toString() : request.json,
					timeout: request.timeoutMs,
					encoding: 'text',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				},
			);
			return toResponse(response);
		} catch (error) {
			return toNoResponse(error);
		}
	};
	return { credential, send };
}

/** The answer in a full response of n8n's HTTP helpers. */
export function toResponse(response: unknown): ServiceResponse {
	const { statusCode, headers, body } = responseSchema.parse(response);
	return {
		kind: 'response',
		status: statusCode,
		headers: plainHeaders(headers),
		body: parseBody(body),
	};
}

/** What is known of a request for which n8n's HTTP helpers threw. */
export function toNoResponse(error: unknown): NoResponse {
	const { httpCode, code, cause } = httpErrorSchema.parse(error);
	const prevented = blockedReasonIn(error);
	return {
		kind: 'noResponse',
		code: httpErrorSchema.parse(cause).code ?? code ?? httpCode ?? '',
		...(wasNeverConnected(error) && { neverConnected: true }),
		...(prevented !== undefined && { blockedReason: prevented }),
	};
}

/** What n8n says when its settings forbid requests to this address; it throws before it sends. */
function blockedReasonIn(error: unknown, mostCauses = 3): string | undefined {
	if (error instanceof UserError)
		return [error.message, error.description].filter(Boolean).join('. ');
	if (mostCauses === 0) return undefined;
	const { cause } = httpErrorSchema.parse(error);
	return cause === undefined ? undefined : blockedReasonIn(cause, mostCauses - 1);
}

/** Whether an error, or one that caused it, tells that there was no connection. */
function wasNeverConnected(error: unknown, mostCauses = 3): boolean {
	const { message = '', syscall, errors = [], cause } = httpErrorSchema.parse(error);
	if (syscall === 'connect' || message.includes(tlsAbortedMessage)) return true;
	if (errors.length > 0) return errors.every((one) => wasNeverConnected(one, 0));
	return mostCauses > 0 && wasNeverConnected(cause, mostCauses - 1);
}

function requestHeaders(request: ServiceRequest): IDataObject {
	const accept = { Accept: 'application/json' };
	if (!request.form) return accept;
	return {
		...accept,
		'Content-Type': 'application/x-www-form-urlencoded',
		'Accept-Charset': 'utf-8',
	};
}

function plainHeaders(headers: Record<string, unknown>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
}

function parseBody(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	if (body.trim() === '') return undefined;
	try {
		const value: unknown = JSON.parse(body);
		return value;
	} catch {
		return body;
	}
}
