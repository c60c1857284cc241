import type { Exchange } from '../service/client';
import type { CreationBody } from '../service/schemas';
import type { RateLimit, Waited } from './rateLimit';
import { namesCreated, readResponse, type CreationResponse } from './responses';
import { sendWithRetries, type Retrying } from './retry';

/** What sending a creation request needs. */
export interface Requesting extends Retrying {
	send: (body: CreationBody) => Promise<Exchange>;
	rateLimit: RateLimit;
	/** Aborted when the user or a timeout stops the execution. */
	signal?: AbortSignal;
}

/**
 * Sends a creation request within the rate limit, and again while the service did not process it.
 *
 * @param count called each time that the request is sent, with how long it waited
 * @returns undefined when the execution was stopped before the request was sent
 */
export async function sendWithinLimit(
	body: CreationBody,
	requesting: Requesting,
	count: (waited: Waited) => void,
): Promise<CreationResponse | undefined> {
	const { send, rateLimit, clock, signal } = requesting;
	let response: CreationResponse | undefined;
	const last = await sendWithRetries(
		requesting,
		async (pauseMs, leftMs) =>
			await rateLimit.run(
				async (waited) => {
					count(waited);
					const sentAt = clock.now();
					const exchange = await send(body);
					return { exchange, tookMs: waited.forServiceMs + Math.max(0, clock.now() - sentAt) };
				},
				{ clock, signal, pauseMs, maxPauseMs: leftMs },
			),
		(exchange) => {
			response = readResponse(exchange);
			// A delivery that was created must not be sent again, whatever the status.
			return response.class === 'notProcessed' && !namesCreated(response);
		},
	);
	return last && response;
}
