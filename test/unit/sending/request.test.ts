import { RateLimit, sendWithinLimit } from '../../../nodes/DeliveryService/sending/request';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import { respondWith } from '../../support/creations';
import { VirtualTime } from '../../support/virtualTime';

const seconds = 1000;

let time: VirtualTime;
let rateLimit: RateLimit;
/** When requests arrived, in milliseconds since the test began. */
let arrivedAt: number[];

beforeEach(() => {
	time = new VirtualTime();
	rateLimit = new RateLimit(100, 60 * seconds);
	arrivedAt = [];
});

/** Sends a request to a service that requests pauses while it is busy; returns the last status. */
async function request(
	maxRetryMs: number,
	{
		pauseMs,
		busyForMs = Infinity,
		clock = time,
		signal,
	}: { pauseMs: number; busyForMs?: number; clock?: Clock; signal?: AbortSignal },
): Promise<number | undefined> {
	const began = time.now();
	const send = async (): Promise<Exchange> => {
		arrivedAt.push(time.now() - began);
		const isBusy = time.now() - began < busyForMs;
		const headers: Record<string, string> = isBusy
			? { 'retry-after': String(pauseMs / seconds) }
			: {};
		return await Promise.resolve(respondWith(isBusy ? 429 : 200, {}, headers));
	};
	const response = await sendWithinLimit(
		{ deliveries: [] },
		{ send, rateLimit, clock, random: () => 0.5, signal, maxRetryMs },
		() => undefined,
	);
	return response?.kind === 'response' ? response.status : undefined;
}

test('a pause that one execution accepted does not delay another beyond its own Max Retry Time', async () => {
	const pause = { pauseMs: 3000 * seconds, busyForMs: 3000 * seconds };
	let otherEndedAt = 0;
	const began = time.now();
	const longRetry = request(3600 * seconds, pause);
	const other = time.wait(seconds).then(async () => {
		const status = await request(300 * seconds, pause);
		otherEndedAt = time.now() - began;
		return status;
	});
	expect(await time.until(Promise.all([longRetry, other]))).toEqual([200, 429]);
	expect(otherEndedAt).toBeLessThanOrEqual(301 * seconds);
});

test('a pause ends with the execution that accepted it', async () => {
	const stop = new AbortController();
	const began = time.now();
	const stopped = request(3600 * seconds, { pauseMs: 3000 * seconds, signal: stop.signal });
	const stopping = time.wait(20 * seconds).then(() => stop.abort());
	let otherEndedAt = 0;
	const other = time.wait(seconds).then(async () => {
		const status = await request(3600 * seconds, { pauseMs: seconds, busyForMs: 0 });
		otherEndedAt = time.now() - began;
		return status;
	});
	expect(await time.until(Promise.all([stopped, other, stopping]))).toEqual([
		undefined,
		200,
		undefined,
	]);
	expect(otherEndedAt).toBeGreaterThanOrEqual(20 * seconds);
	expect(otherEndedAt).toBeLessThanOrEqual(30 * seconds);
});

test('a clock that is set back does not extend Max Retry Time', async () => {
	const began = time.now();
	const clock: Clock = {
		now: () => time.now() - (time.now() - began > 150 * seconds ? 3600 * seconds : 0),
		wait: async (ms, signal) => await time.wait(ms, signal),
	};
	expect(await time.until(request(300 * seconds, { pauseMs: 100 * seconds, clock }))).toBe(429);
	expect(arrivedAt.length).toBeGreaterThan(2);
	expect(time.now() - began).toBeLessThanOrEqual(400 * seconds);
});

test('a service that was busy for long is retried when it is briefly unreachable', async () => {
	const unreachable: Exchange = { kind: 'noResponse', code: 'ECONNREFUSED' };
	const busy = respondWith(429, {}, { 'retry-after': '20' });
	const exchanges = [busy, unreachable, unreachable, busy, unreachable, respondWith(200)];
	const response = await time.until(
		sendWithinLimit(
			{ deliveries: [] },
			{
				send: async () => await Promise.resolve(exchanges.shift() ?? respondWith(500)),
				...{ rateLimit, clock: time, random: () => 0.5, maxRetryMs: 300 * seconds },
			},
			() => undefined,
		),
	);
	expect(response).toMatchObject({ status: 200 });
});
