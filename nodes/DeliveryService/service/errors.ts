/** What a failed request means, in words for the user. */
import type { Problem } from '../common/result';
import { joinSentences, pluralize } from '../common/text';
import type { Exchange, NoResponse } from './client';
import { shownText, type ServiceResponse } from './response';
import { codeAndMessageSchema } from './schemas';
import { fieldLabel, serviceLabels } from './validation';

const unreachableAdvice =
	'Check the Base URL in the credential and whether this n8n instance can reach it, then try again.';

/** Statuses that users can act on. */
const problemsByStatus: Readonly<Record<number, Problem>> = {
	401: {
		message: 'The Delivery Service rejected the API key',
		description:
			'Check API Key ID and API Secret in the credential. If the key was changed in the Delivery Service, enter the new one.',
	},
	403: {
		message: 'The Delivery Service does not allow this request with this API key',
		description:
			'Check the Company ID: for a child company, your company must be authorized in the Delivery Service.',
	},
	407: {
		message: 'The proxy between n8n and the Delivery Service requires authentication (status 407)',
		description:
			"The request did not reach the Delivery Service. Ask your n8n administrator to add the proxy's user name and password to HTTPS_PROXY or HTTP_PROXY.",
	},
	404: {
		message: 'The Delivery Service could not find the requested resource (status 404)',
		description: 'Check the Base URL and the Company ID, in the credential and in the node.',
	},
};

/** The IDs in an operation's request: the ones that the service may not have found. */
type RequestedIds = 'delivery ID' | 'reference ID' | 'Company ID and warehouse IDs';

/** Whether a response refers to another URL. Redirects are not followed. */
export function isRedirect({ status = 0 }: Exchange): boolean {
	return status >= 300 && status < 400;
}

/** Whether every other request would get this response too, regardless of its content. */
export function isAboutAllRequests(exchange: Exchange): boolean {
	return exchange.status === 401 || exchange.status === 407 || isRedirect(exchange);
}

/**
 * Explains a failed request and what to do, including the code and message of the service
 * (docs/api.md, section 7).
 *
 * @param requestedIds the IDs that the user entered, for the advice on 403 and 404
 */
export function explainFailure(exchange: Exchange, requestedIds?: RequestedIds): Problem {
	if (exchange.kind === 'noResponse') return explainNoResponse(exchange);
	const { status } = exchange;
	const detail = serviceMessage(exchange);
	const known = problemsByStatus[status];
	if (known) {
		const advice = (requestedIds && adviceForIds(status, requestedIds)) ?? known.description;
		return { ...known, description: joinSentences([advice, detail]) };
	}
	if (status === 429)
		return {
			message: 'Rate limit of the Delivery Service exceeded (status 429)',
			description: joinSentences([
				retryAfterAdvice(exchange) ?? 'Wait a minute, then try again.',
				detail,
			]),
		};
	if (isRedirect(exchange))
		return {
			message: 'The Delivery Service redirects to a different URL',
			description: redirectAdvice(exchange),
		};
	if (status >= 400 && status < 500)
		return {
			message: `The Delivery Service rejected the request (status ${status})`,
			description: detail ?? 'The service gave no reason. Check the values that you entered.',
		};
	return {
		message: `The Delivery Service returned a server error (status ${status})`,
		description: joinSentences([retryAfterAdvice(exchange) ?? 'Try again later.', detail]),
	};
}

/** What to do about a status of a request with these IDs. An update has no company ID. */
function adviceForIds(status: number, requestedIds: RequestedIds): string | undefined {
	if (status === 404) return `Check the ${requestedIds}, and the Base URL in the credential.`;
	if (status === 403 && requestedIds !== 'Company ID and warehouse IDs')
		return 'The delivery may belong to another company: use the API key of that company.';
	return undefined;
}

/** The service's own advice on when to retry (`Retry-After`). */
function retryAfterAdvice(response: ServiceResponse): string | undefined {
	const retryAfter = readRetryAfter(response);
	return (
		retryAfter && `Wait ${retryAfterText(retryAfter)}, as the service requests, then try again.`
	);
}

/**
 * What to do about a redirect. Its target is named only if it is the same host with HTTPS: another
 * could be somebody else's, who would receive the API secret.
 */
function redirectAdvice({ baseUrl, headers }: ServiceResponse): string {
	const { protocol, hostname, host } = new URL(baseUrl);
	const { location = '' } = headers;
	const target = URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : undefined;
	return protocol === 'http:' && target?.protocol === 'https:' && target.hostname === hostname
		? `In the credential, change the Base URL so that it starts with ${target.origin}.`
		: `Ask the Delivery Service for its API URL, and enter it as the Base URL in place of ${host}.`;
}

/**
 * Details of a failed request without the advice of `explainFailure`: trying again is wrong advice
 * when the service may have processed the request.
 */
export function serviceDetail(exchange: Exchange): string {
	if (exchange.kind === 'response')
		return joinSentences([
			isRedirect(exchange) && redirectAdvice(exchange),
			serviceMessage(exchange),
		]);
	const { code } = exchange;
	return code === '' || code === 'ERR_CANCELED' || timeoutCodes.has(code) ? '' : codeSentence(code);
}

function codeSentence(code: string): string {
	return `The error code is ${code}.`;
}

/** A success whose body can't be read; most likely it came from another server. */
export const notADeliveryService: Problem = {
	message: 'The response is not a valid Delivery Service response',
	description:
		'Check the Base URL in the credential: it must be the URL of the Delivery Service itself.',
};

const certificateErrorCode =
	/^(CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;

/** Whether an error code means that the connection failed because of the service's certificate. */
export function isCertificateError(code: string): boolean {
	return certificateErrorCode.test(code);
}

/** The timeout of a request, and that of the connection. */
const timeoutCodes = new Set(['ECONNABORTED', 'ETIMEDOUT']);

function explainNoResponse({ code, neverConnected, blockedReason, baseUrl }: NoResponse): Problem {
	const service = `Delivery Service at ${new URL(baseUrl).host}`;
	if (blockedReason !== undefined)
		return {
			message: `n8n does not allow requests to the ${service}`,
			description: `Check the Base URL in the credential. n8n says: ${blockedReason}`,
		};
	if (code === 'ERR_CANCELED')
		return { message: 'The execution was stopped before the Delivery Service responded' };
	if (timeoutCodes.has(code) && !neverConnected)
		return {
			message: 'The Delivery Service did not respond in time',
			description: 'Try again later.',
		};
	if (isCertificateError(code))
		return {
			message: `The certificate of the ${service} is not trusted`,
			description: `Check the Base URL in the credential. If it is right, ask your n8n administrator. ${codeSentence(code)}`,
		};
	// The code is not in the message: n8n would replace the message with its own text for that code.
	return {
		message: `The connection to the ${service} failed`,
		description: joinSentences([unreachableAdvice, code && codeSentence(code)]),
	};
}

/**
 * Whether the `code` of a response means success: `OK` in the samples of the API document, or a
 * common equivalent.
 */
export function isSuccessCode(code: string): boolean {
	return /^(ok|success|successful|succeeded|accepted|created|updated|done|0|2\d\d)$/i.test(
		code.trim(),
	);
}

/** The service's message, code and other fields, cut to a readable length. */
function serviceMessage({ body, unreadable }: ServiceResponse): string | undefined {
	if (unreadable !== undefined) return `The response is ${unreadable}.`;
	const { code, message } = codeAndMessageSchema.parse(body);
	const shown = [...(message ? ['message'] : []), ...(code ? ['code'] : [])];
	const parts = [message, code && `(${code})`, otherFields(shown, body)];
	const text = shownText(parts.filter(Boolean).join(' '), 500);
	if (!text) return undefined;
	const labels = fieldsIn(text);
	const check = labels.length > 0 ? `Check ${labels.join(', ')}. ` : '';
	return `${check}The service says: ${text}`;
}

/** The labels of the fields that a text names by their path, e.g. dropoff.contact.phonenumber. */
function fieldsIn(text: string): string[] {
	const labels = text.split(/[^\w.[\]]/).flatMap((path) => {
		const steps = path.split(/[.[\]]/).filter((step) => !/^(|\d+|deliveries)$/.test(step));
		return steps.length > 1 && steps.every((step) => Object.hasOwn(serviceLabels, step))
			? fieldLabel(steps, serviceLabels)
			: [];
	});
	return [...new Set(labels)];
}

/** Who responded instead of the service, for a response that can't be its own. */
export function otherServer({ baseUrl, headers, body }: ServiceResponse): string {
	const [, title = ''] =
		(isHtml(body) && /<title[^>]{0,100}>([^<]{0,300})/i.exec(String(body))) || [];
	const page = shownText(title, 60);
	const names = [shownText(headers.server ?? '', 60), page && `page "${page}"`].filter(Boolean);
	return `${new URL(baseUrl).host} responded${names.length > 0 ? ` (${names.join(', ')})` : ''}.`;
}

/** Whether a body is a web page: it came from another server, and no message can quote it. */
export function isHtml(body: unknown): boolean {
	return typeof body === 'string' && body.trimStart().startsWith('<');
}

/** The other fields of a body as JSON: for example, the format of rejected fields is undocumented. */
function otherFields(shown: readonly string[], body: unknown): string {
	if (typeof body === 'string') return isHtml(body) ? '' : body;
	if (typeof body !== 'object' || body === null) return '';
	if (Array.isArray(body)) return body.length > 0 ? JSON.stringify(body) : '';
	const others = Object.entries(body).filter(
		([name, value]) => !shown.includes(name) && value !== null && value !== '',
	);
	return others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : '';
}

/** When to retry, from HTTP's `Retry-After` header. */
export type RetryAfter = { seconds: number } | { date: Date };

/** Parses `Retry-After`: seconds or a date; undefined when it is missing or invalid. */
export function readRetryAfter({ headers }: ServiceResponse): RetryAfter | undefined {
	const value = (headers['retry-after'] ?? '').trim();
	if (/^\d+$/.test(value)) return Number(value) > 0 ? { seconds: Number(value) } : undefined;
	// JavaScript parses "1.5" as a day in 2001.
	const date = new Date(/[a-z]/i.test(value) ? value : NaN);
	return Number.isNaN(date.getTime()) ? undefined : { date };
}

/** How long to wait, as text to follow "wait" in a sentence. */
function retryAfterText(retryAfter: RetryAfter): string {
	if ('date' in retryAfter) return `until ${retryAfter.date.toISOString()}`;
	const { seconds } = retryAfter;
	return seconds <= 120
		? pluralize(seconds, 'second', 'seconds')
		: pluralize(Math.ceil(seconds / 60), 'minute', 'minutes');
}
