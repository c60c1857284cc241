/** The client of the service: the only code that sends requests with the credential. */
import {
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	UserError,
} from 'n8n-workflow';
import { z } from 'zod/v4';

import { unwrap } from '../common/result';
import { readCredential, type Credential } from './credential';
import { readResponse, type ServiceResponse } from './response';
import type { CreationBody, UpdateBody } from './schemas';
import { secretRemover } from './secrets';

/** The name of the credential type; saved workflows contain it. */
export const credentialType = 'deliveryServiceApi';

export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** The path below the Base URL, starting with a slash. */
	path: string;
	/** A JSON body. */
	json?: object;
	/** Form fields, sent as key=value pairs. */
	form?: Readonly<Record<string, string>>;
	/** Milliseconds to wait for the whole response; a minute by default. */
	timeoutMs?: number;
}

/** No response: the connection failed, broke or timed out. */
export interface NoResponse {
	kind: 'noResponse';
	status?: undefined;
	/** The error code of the connection, e.g. ECONNREFUSED; empty when there is none. */
	code: string;
	/** Set only when it is certain, regardless of the code, that no connection was established. */
	neverConnected?: true;
	/** The reason, when n8n blocked the request. */
	blockedReason?: string;
	/** The Base URL of the request. */
	baseUrl: string;
}

/** The result of a request. */
export type Exchange = ServiceResponse | NoResponse;

/** Whether a response is a success: the API document lists 200, and HTTP defines every 2xx as one. */
export function isSuccess({ status = 0 }: Exchange): boolean {
	return status >= 200 && status < 300;
}

/** Sends one request and returns its result; never throws on HTTP or network errors. */
type Send = (request: ServiceRequest) => Promise<Exchange>;

export interface ServiceClient {
	credential: Credential;
	send: Send;
}

/** The cause of n8n's error is the HTTP client's error, whose cause is the connection error. */
const httpErrorSchema = z
	.object({
		httpCode: z.string().nullish().catch(null),
		code: z.string().optional().catch(undefined),
		message: z.string().optional().catch(undefined),
		syscall: z.string().optional().catch(undefined),
		/** One error per IP address, for a host with several. */
		errors: z.array(z.unknown()).optional().catch(undefined),
		cause: z.unknown().optional(),
	})
	.catch({ cause: undefined });

/** Node.js's message for a connection that ended before anything could be sent; the code doesn't show it. */
const tlsAbortedMessage = 'before secure TLS connection was established';

/**
 * Creates a client for one credential. Requests use n8n's HTTP helper, so its proxy and TLS settings
 * apply, with the credential's Basic authentication (docs/api.md, section 5). Redirects are not followed:
 * a POST would become a GET.
 *
 * @throws NodeOperationError when the credential is incomplete or its Base URL is invalid
 */
export async function openClient(
	context: IExecuteFunctions | IHookFunctions,
): Promise<ServiceClient> {
	const data: unknown = await context.getCredentials(credentialType);
	const credential = unwrap(context.getNode(), readCredential(data));
	const { baseUrl } = credential;
	const withoutSecrets = secretRemover(credential);
	const send: Send = async ({ timeoutMs = 60_000, ...request }) =>
		await exchange(
			() =>
				context.helpers.httpRequestWithAuthentication.call(context, credentialType, {
					method: request.method,
					url: `${baseUrl}${request.path}`,
					headers: { Accept: 'application/json', ...(request.form && formHeaders) },
					body: request.form ? new URLSearchParams(request.form).toString() : request.json,
					timeout: timeoutMs,
					encoding: 'stream',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				}),
			{ baseUrl, timeoutMs, withoutSecrets },
		);
	return { credential, send };
}

/**
 * Sends a request with one of n8n's HTTP helpers. The helpers' own timeout ends with the headers, and they
 * replace an abort signal by their own, so a body that never ends needs this one. Never throws.
 */
export async function exchange(
	send: () => Promise<unknown>,
	options: { baseUrl: string; timeoutMs: number; withoutSecrets: (text: string) => string },
): Promise<Exchange> {
	const { baseUrl, timeoutMs, withoutSecrets } = options;
	const noResponse: NoResponse = { kind: 'noResponse', code: '', baseUrl };
	const settled = new AbortController();
	const { signal } = settled;
	const response = async () => ({
		...(await readResponse(await send(), withoutSecrets, () => signal.aborted)),
		baseUrl,
	});
	// Such a timer keeps no process from exiting, e.g. when n8n stops.
	const timeout = new Promise<NoResponse>((resolve) => {
		const end = () => resolve({ ...noResponse, code: 'ECONNABORTED' });
		AbortSignal.timeout(timeoutMs).addEventListener('abort', end, { signal });
	});
	try {
		return await Promise.race([response(), timeout]);
	} catch (error) {
		return { ...noResponse, ...causeOfFailure(error) };
	} finally {
		settled.abort();
	}
}

/** What an error of n8n's HTTP helpers says about the connection. */
function causeOfFailure(
	error: unknown,
): Pick<NoResponse, 'code' | 'neverConnected' | 'blockedReason'> {
	const { httpCode, code, cause } = httpErrorSchema.parse(error);
	const blockedReason = blockedReasonIn(error);
	return {
		code: httpErrorSchema.parse(cause).code ?? code ?? httpCode ?? '',
		...(wasNeverConnected(error) && { neverConnected: true }),
		...(blockedReason !== undefined && { blockedReason }),
	};
}

/** n8n's message when its settings block requests to this URL; n8n throws before it sends. */
function blockedReasonIn(error: unknown, maxCauses = 3): string | undefined {
	if (error instanceof UserError)
		return [error.message, error.description].filter(Boolean).join('. ');
	if (maxCauses === 0) return undefined;
	const { cause } = httpErrorSchema.parse(error);
	return cause === undefined ? undefined : blockedReasonIn(cause, maxCauses - 1);
}

/** Whether an error or one of its causes shows that no connection was established. */
function wasNeverConnected(error: unknown, maxCauses = 3): boolean {
	const { message = '', syscall, errors = [], cause } = httpErrorSchema.parse(error);
	if (syscall === 'connect' || message.includes(tlsAbortedMessage)) return true;
	if (errors.length > 0) return errors.every((each) => wasNeverConnected(each, 0));
	return maxCauses > 0 && wasNeverConnected(cause, maxCauses - 1);
}

const formHeaders = {
	'Content-Type': 'application/x-www-form-urlencoded',
	'Accept-Charset': 'utf-8',
};

/** A URL subscribed to an event of a company (docs/api.md, section 2.7). */
export interface Subscription {
	url: string;
	/** The event's code. */
	action: number;
}

/** A creation waits longer than other requests: after a timeout, its deliveries must be looked up. */
const creationTimeoutMs = 120_000;

/** Creates deliveries (docs/api.md, section 4.1). */
export function creationRequest(body: CreationBody): ServiceRequest {
	return {
		method: 'POST',
		path: '/v1/deliveries',
		json: body,
		timeoutMs: creationTimeoutMs,
	};
}

/** Updates deliveries (docs/api.md, section 4.2). */
export function updateRequest(body: UpdateBody): ServiceRequest {
	return { method: 'PATCH', path: '/v1/deliveries/dropoff', json: body };
}

/**
 * Lists a company's subscriptions, subscribes a URL, or unsubscribes it (docs/api.md, sections 4.3 to
 * 4.5).
 */
export function webhookRequest(
	method: 'GET' | 'POST' | 'DELETE',
	companyId: number,
	subscription?: Subscription,
): ServiceRequest {
	const form = subscription && { url: subscription.url, action: String(subscription.action) };
	return { method, path: `/hooks/companies/${companyId}`, form };
}
