/**
 * Sending in bulk to the local service, over real HTTP and with virtual time: service and sender
 * share a clock that jumps to the next event.
 */
import axios from 'axios';

import { Ledger } from '../../nodes/DeliveryService/ledger/ledger';
import { RateLimit } from '../../nodes/DeliveryService/sending/request';
import { sendJobs, type SendingOptions } from '../../nodes/DeliveryService/sending/send';
import {
	toResponse,
	toNoResponse,
	type Exchange,
} from '../../nodes/DeliveryService/service/client';
import { limits, type CreationBody } from '../../nodes/DeliveryService/service/schemas';
import { startService, type LocalService } from '../../playground/service/server';
import { memoryStore } from '../support/memoryStore';
import { jobsOf } from '../support/creations';
import { VirtualTime } from '../support/virtualTime';

let time: VirtualTime;
let service: LocalService;

beforeEach(async () => {
	time = new VirtualTime();
	service = await startService({ now: () => time.now() });
});

afterEach(async () => await service.close());

/** Sends a request over HTTP as the nodes do. Virtual time stops while it is in flight. */
async function send(body: CreationBody): Promise<Exchange> {
	const { baseUrl, apiKeyId, apiSecret } = service.credential;
	return await time.during(async () => {
		try {
			const { status, headers, data } = await axios.post<string>(`${baseUrl}/v1/deliveries`, body, {
				auth: { username: apiKeyId, password: apiSecret },
				responseType: 'text',
				transformResponse: (text: string) => text,
				validateStatus: () => true,
			});
			return toResponse({ statusCode: status, headers, body: data });
		} catch (error) {
			return toNoResponse(error);
		}
	});
}

const createRateLimit = () =>
	new RateLimit(limits.creationRequestsPerWindow, limits.creationWindowMs);

function sendingOptions(overrides: Partial<SendingOptions> = {}): SendingOptions {
	return {
		send,
		rateLimit: createRateLimit(),
		clock: time,
		random: () => 0.5,
		ledger: new Ledger(memoryStore({ entries: new Set() }, time), time),
		batchSize: limits.deliveriesPerRequest,
		maxRetryMs: 300_000,
		continueOnFail: true,
		...overrides,
	};
}

const statuses = () => service.control.requests().map(({ status }) => status);

test('sends 12,000 deliveries in 120 requests without a 429, within 5% of the minimum time', async () => {
	const started = time.now();
	const report = await time.until(sendJobs(jobsOf(12_000), sendingOptions()));
	expect(report.requests).toBe(120);
	expect(new Set(statuses())).toEqual(new Set([200]));
	expect(service.control.deliveries()).toHaveLength(12_000);
	// 100 requests immediately, and the other 20 as soon as the first minute is over.
	const minimumMs = 60_000;
	expect(time.now() - started).toBeGreaterThanOrEqual(minimumMs);
	expect(time.now() - started).toBeLessThanOrEqual(minimumMs * 1.05);
});

test('two concurrent executions stay within the shared rate limit', async () => {
	const rateLimit = createRateLimit();
	const [one, other] = await time.until(
		Promise.all([
			sendJobs(jobsOf(120, 'a'), sendingOptions({ rateLimit, batchSize: 1 })),
			sendJobs(jobsOf(120, 'b'), sendingOptions({ rateLimit, batchSize: 1 })),
		]),
	);
	expect(one.requests + other.requests).toBe(240);
	expect(new Set(statuses())).toEqual(new Set([200]));
	expect(service.control.deliveries()).toHaveLength(240);
});

test('retries after a 429 and creates all deliveries when another process uses the same key', async () => {
	const [one, other] = [jobsOf(90, 'a'), jobsOf(90, 'b')];
	await time.until(
		Promise.all([
			sendJobs(one, sendingOptions({ batchSize: 1 })),
			sendJobs(other, sendingOptions({ batchSize: 1 })),
		]),
	);
	expect(statuses()).toContain(429);
	const kinds = [...one, ...other].map(({ outcome }) => outcome?.kind);
	expect(kinds.filter((kind) => kind === 'created')).toHaveLength(180);
	expect(service.control.deliveries()).toHaveLength(180);
});
