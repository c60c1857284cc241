import type { Exchange } from '../service/client';
import type { CreationBody } from '../service/schemas';
import type { Clock } from '../common/clock';
import { holdsRecords } from './answers';
import { classifyCreation } from './classify';
import type { RateLimit, Waited } from './rateLimit';
import { nextPauseMs } from './retry';

/** What sending a request needs from outside. */
export interface Requesting {
	send: (body: CreationBody) => Promise<Exchange>;
	rateLimit: RateLimit;
	clock: Clock;
	/** A number from 0 up to 1, different each time. */
	random: () => number;
	/** Tells that the user or a timeout stopped the execution. */
	signal?: AbortSignal;
	/**
	 * The longest that one request is tried again while the service does not take it, without the
	 * time that it waits for the limit.
	 */
	maximumWaitMs: number;
}

/**
 * Sends one request within the limit, again and again while the service did not process it.
 *
 * @param count told of each time that it is sent, and of how long that waited
 * @returns undefined when the execution was stopped before it was sent
 */
export async function sendWithinLimit(
	body: CreationBody,
	{ send, rateLimit, clock, random, signal, maximumWaitMs }: Requesting,
	count: (waited: Waited) => void,
): Promise<Exchange | undefined> {
	/** How long it is tried since the first refusal, without waiting for the limit. */
	let triedMs = 0;
	let pause = 0;
	for (let attempt = 0; ; attempt++) {
		const exchange = await rateLimit.run(
			async (waited) => {
				count(waited);
				const sentAt = clock.now();
				const answer = await send(body);
				if (attempt > 0) triedMs += waited.forServiceMs + Math.max(0, clock.now() - sentAt);
				return answer;
			},
			{ clock, signal, pauseMs: pause, maxPauseMs: maximumWaitMs - triedMs },
		);
		if (!exchange || classifyCreation(exchange) !== 'notProcessed') return exchange;
		// What was created must not be sent again.
		if (holdsRecords(exchange)) return exchange;
		const patience = { triedMs, maximumWaitMs };
		const next = nextPauseMs(exchange, attempt, patience, clock.now(), random());
		if (next === undefined) return exchange;
		pause = next;
	}
}
