import { z } from 'zod/v4';

import type { ServiceResponse, Exchange, NoResponse } from './client';
import type { Problem } from '../common/result';
import { retryAfterText, readRetryAfter } from './retryAfter';
import { codeAndMessageSchema } from './schemas';

const unreachable: Problem = {
	message: 'The Delivery Service could not be reached',
	description:
		'Check the Base URL in the credential and whether this n8n may connect to it, then try again.',
};

/** What to do about the statuses that people can act on. */
const problemsByStatus: Readonly<Record<number, Problem>> = {
	303: {
		message: 'The Delivery Service gave its answer at another address (status 303)',
		description:
			'Most likely it did what it was asked to. Look on the service before you try again.',
	},
	401: {
		message: 'The Delivery Service did not accept the API key',
		description:
			'Check API Key ID and API Secret in the credential. If they were changed on the service, enter the new ones.',
	},
	403: {
		message: 'The Delivery Service does not allow this with the API key',
		description:
			'Check the Company ID: for a child company, the parent company must be authorized on the service.',
	},
	407: {
		message:
			'The proxy between n8n and the Delivery Service wants a user name and password (status 407)',
		description:
			'Nothing has reached the Delivery Service. Whoever runs this n8n must enter what the proxy wants in the setting HTTPS_PROXY or HTTP_PROXY of n8n.',
	},
	404: {
		message: 'The Delivery Service did not find what was asked for (status 404)',
		description: 'Check the Base URL and the Company ID, in the credential and in the node.',
	},
};

/** What an operation asks for by ID: that is what the service may not have found. */
export type RequestedIds = 'delivery IDs or reference IDs' | 'Company ID and warehouse IDs';

/** Whether an answer is one that every other request meets too, whatever it asks for. */
export function isAboutAllRequests({ status }: ServiceResponse): boolean {
	return status === 401 || status === 407 || (status >= 300 && status < 400);
}

/**
 * Says what came of a request that did not succeed, and what to do: the status in the user's
 * words, with the code and message that the service gave (service document, section 7).
 *
 * @param askedFor which IDs of the user's the request held, for the advice when one is not found
 */
export function explainFailure(exchange: Exchange, askedFor?: RequestedIds): Problem {
	if (exchange.kind === 'noResponse') return explainNoResponse(exchange);
	const { status, headers, body } = exchange;
	const said = serviceMessage(body);
	const known = problemsByStatus[status];
	if (known) {
		const advice =
			status === 404 && askedFor
				? `Check the ${askedFor}, and the Base URL in the credential.`
				: known.description;
		return { ...known, description: [advice, said].filter(Boolean).join(' ') };
	}
	if (status === 429)
		return {
			message: 'The Delivery Service has had too many requests for now',
			description: [retryAfterAdvice(exchange) ?? 'Wait a minute, then try again.', said]
				.filter(Boolean)
				.join(' '),
		};
	if (status >= 300 && status < 400)
		return {
			message: 'The Delivery Service has moved to another address',
			description: `Enter the new address as Base URL in the credential${redirectTarget(headers.location)}`,
		};
	if (status >= 400 && status < 500)
		return {
			message: `The Delivery Service refused the request (status ${status})`,
			description: said ?? 'The service gave no reason. Check the values that you entered.',
		};
	return {
		message: `The Delivery Service failed (status ${status})`,
		description: [retryAfterAdvice(exchange) ?? 'Try again later.', said].filter(Boolean).join(' '),
	};
}

/** The advice that the service gives itself: when it wants to be asked again. */
function retryAfterAdvice(answer: ServiceResponse): string | undefined {
	const retryAfter = readRetryAfter(answer);
	return retryAfter && `Wait ${retryAfterText(retryAfter)}, as the service asks, then try again.`;
}

/** Where a redirection leads, without the path: that is the request's, not the service's. */
function redirectTarget(location = ''): string {
	const { success, data } = z.url().safeParse(location);
	return success ? `. The service named ${new URL(data).origin}` : '';
}

/**
 * What else is known of an exchange, without the advice of `explain`: to try again is the wrong advice
 * where the service may have done what it was asked to.
 */
export function serviceDetail(exchange: Exchange): string {
	if (exchange.kind === 'response') return serviceMessage(exchange.body) ?? '';
	const { code } = exchange;
	if (timeoutCodes.has(code)) return 'To wait longer for answers, raise the option Timeout.';
	return code === '' || code === 'ERR_CANCELED' ? '' : codeSentence(code);
}

function codeSentence(code: string): string {
	return `The error code is ${code}.`;
}

/** A success whose body cannot be read: something else than the service answered, most likely. */
export const notADeliveryService: Problem = {
	message: 'The answer did not come from the Delivery Service, or cannot be read',
	description:
		'Check the Base URL in the credential: it must be the address of the service itself.',
};

const certificateErrorCode = /^(CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;

/** Whether an error code says that the service's certificate prevented the connection. */
export function isCertificateError(code: string): boolean {
	return certificateErrorCode.test(code);
}

/** A time-out of our own, and one of the connection. */
const timeoutCodes = new Set(['ECONNABORTED', 'ETIMEDOUT']);

const connectionRefused: Problem = {
	...unreachable,
	message: 'Nothing answers at the Base URL of the Delivery Service',
};

function explainNoResponse({ code, neverConnected, blockedReason: prevented }: NoResponse): Problem {
	if (prevented !== undefined)
		return {
			message: 'n8n does not allow requests to the Delivery Service',
			description: `Check the Base URL in the credential. n8n says: ${prevented}`,
		};
	if (isCertificateError(code))
		return {
			message: 'The certificate of the Delivery Service is not trusted',
			description: `Check that the Base URL in the credential is the address of the service itself. If it is, whoever runs this n8n must let it trust the certificate. ${codeSentence(code)}`,
		};
	if (timeoutCodes.has(code))
		return neverConnected
			? connectionRefused
			: {
					message: 'The Delivery Service did not answer in time',
					description: 'Try again later.',
				};
	switch (code) {
		case 'ENOTFOUND':
		case 'EAI_AGAIN':
			return {
				...unreachable,
				message: 'The host in the Base URL of the Delivery Service was not found',
			};
		case 'ECONNREFUSED':
			return connectionRefused;
		case 'EPROTO':
			return {
				message: 'No secure connection to the Delivery Service could be made',
				description: `Check the Base URL in the credential: with https:// the service must speak HTTPS at this host and port. The address of a service that does not begins with http://. ${codeSentence(code)}`,
			};
		case 'ERR_CANCELED':
			return { message: 'The execution was stopped before the Delivery Service answered' };
		default:
			// Not in the message: n8n puts words of its own in the place of one that holds such a code.
			return code
				? {
						message: 'The connection to the Delivery Service failed',
						description: `${unreachable.description} ${codeSentence(code)}`,
					}
				: unreachable;
	}
}

/**
 * Whether the `code` of an answer says that all went well: `OK` in the document's samples, or what
 * else services say in its place.
 */
export function isSuccessCode(code: string): boolean {
	return /^(ok|success|successful|succeeded|accepted|created|updated|done|0|2\d\d)$/i.test(
		code.trim(),
	);
}

/** The service's own words, cut to a readable length: its message and code, and what else it says. */
function serviceMessage(body: unknown): string | undefined {
	const { code, message } = codeAndMessageSchema.parse(body);
	const known = [...(message ? ['message'] : []), ...(code ? ['code'] : [])];
	const words = [message, code && `(${code})`, otherFields(known, body)].filter(Boolean).join(' ');
	return words ? `The service says: ${words.slice(0, 500)}` : undefined;
}

/** Whether a body is a web page: something else's answer, and nothing to read in a message. */
export function isHtml(body: unknown): boolean {
	return typeof body === 'string' && body.trimStart().startsWith('<');
}

/** The rest of a body as JSON: which fields were refused, for example, is in no documented form. */
function otherFields(known: readonly string[], body: unknown): string {
	if (typeof body === 'string') return isHtml(body) ? '' : body;
	if (typeof body !== 'object' || body === null) return '';
	if (Array.isArray(body)) return body.length > 0 ? JSON.stringify(body) : '';
	const others = Object.entries(body).filter(
		([name, value]) => !known.includes(name) && value !== null && value !== '',
	);
	return others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : '';
}
