import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import { sendWithinLimit } from '../../../nodes/DeliveryService/sending/request';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { noResponse, respondWith } from '../../support/creations';
import { VirtualTime } from '../../support/virtualTime';

const seconds = 1000;

let time: VirtualTime;

beforeEach(() => {
	time = new VirtualTime();
});

const busyFor = (pauseSeconds: number) =>
	respondWith(429, {}, { 'retry-after': String(pauseSeconds) });

/** Sends a request to which the service responds with each exchange in turn; returns the pauses before. */
async function send(exchanges: readonly Exchange[], clock: Clock = time, isInEditor = false) {
	const waits: number[] = [];
	let sentAt = time.now();
	const response = await time.until(
		sendWithinLimit(
			{ deliveries: [] },
			{
				send: async () => {
					const next = exchanges[waits.length] ?? respondWith(500);
					waits.push(time.now() - sentAt);
					sentAt = time.now();
					return await Promise.resolve(next);
				},
				rateLimit: new RateLimit(100, 60 * seconds),
				clock,
				random: () => 0.5,
				isInEditor,
			},
		),
	);
	return { status: response?.kind === 'response' ? response.status : undefined, waits };
}

test('a clock that is set back does not extend the retry time', async () => {
	const began = time.now();
	const clock: Clock = {
		now: () => time.now() - (time.now() - began > 150 * seconds ? 3600 * seconds : 0),
		wait: async (ms, signal) => await time.wait(ms, signal),
	};
	const { status, waits } = await send(Array<Exchange>(9).fill(busyFor(100)), clock);
	expect({ status, waits }).toEqual({ status: 429, waits: [0, 1, 1, 1].map((one) => one * 1e5) });
});

const unreachable: Exchange = noResponse('ECONNREFUSED');

test('an outage of a minute is waited out', async () => {
	const { status, waits } = await send([...Array<Exchange>(6).fill(unreachable), respondWith(200)]);
	expect(status).toBe(200);
	expect(waits).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 32_000]);
});

test('a service that is busy, then unreachable, is retried for 300 seconds in all', async () => {
	const { status, waits } = await send([
		...Array<Exchange>(10).fill(busyFor(20)),
		...Array<Exchange>(20).fill(unreachable),
	]);
	expect(status).toBeUndefined();
	expect(waits.reduce((sum, waitedMs) => sum + waitedMs, 0)).toBe(300 * seconds);
});

test('an unreachable service is called once in the editor, a busy one is waited for', async () => {
	expect((await send([unreachable, respondWith(200)], time, true)).waits).toEqual([0]);
	expect((await send([busyFor(20), respondWith(200)], time, true)).status).toBe(200);
});

test('a service whose response was lost is not called again', async () => {
	const lost: Exchange = noResponse('ECONNRESET');
	expect((await send([lost, respondWith(200)])).waits).toEqual([0]);
});
