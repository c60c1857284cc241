/** Runs with several requests in flight: limits, order of results, halting and the ledger. */
import { openLedger, type Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { Semaphore } from '../../../nodes/DeliveryService/sending/semaphore';
import { sendCreations } from '../../../nodes/DeliveryService/sending/creations';
import type { Report, SendingOptions } from '../../../nodes/DeliveryService/sending/options';
import { RateLimit, totalWait } from '../../../nodes/DeliveryService/sending/rateLimit';
import { respondWith, creation, creationsOf, FakeService } from '../../support/creations';
import { entriesOf, noTime, storeOf, type Row } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let row: Row;
let accesses: number;
let executions: number;
let inFlight: number;
let maxInFlightSeen: number;
/** When each request arrived at the service. */
let arrivals: number[];

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
	accesses = 0;
	executions = 0;
	inFlight = 0;
	maxInFlightSeen = 0;
	arrivals = [];
});

/** Opens ledgers on the row; the callback runs after each access. */
function ledgerOver(afterAccess: () => void = () => undefined): () => Ledger {
	const entries = entriesOf(row, time, () => noTime);
	const count = async <Result>(work: () => Promise<Result>): Promise<Result> => {
		accesses++;
		const result = await work();
		afterAccess();
		return result;
	};
	const store = storeOf({
		record: async (wanted) => await count(async () => await entries.record(wanted)),
		remove: async (unwanted) => await count(async () => await entries.remove(unwanted)),
	});
	return () => openLedger(store, 'company', `execution ${++executions}`, time);
}

/** Sends creations to a service with this latency. */
async function run(
	service: FakeService,
	count: number,
	more: Partial<SendingOptions> & { latencyMs?: number } = {},
): Promise<Report> {
	const { latencyMs = 2000, ...sending } = more;
	const send: SendingOptions['send'] = async (body) => {
		maxInFlightSeen = Math.max(maxInFlightSeen, ++inFlight);
		arrivals.push(time.now());
		// The service creates the deliveries when the request arrives.
		const exchange = await service.send(body);
		await time.wait(latencyMs);
		inFlight--;
		return exchange;
	};
	return await time.until(
		sendCreations(creationsOf(count), {
			send,
			rateLimit: new RateLimit(100, 60_000),
			clock: time,
			random: () => 0.5,
			ledgerFor: ledgerOver(),
			maxRetryMs: 300_000,
			continueOnFail: true,
			...sending,
		}),
	);
}

const kindsOf = ({ results }: Report) =>
	results.map(({ outcome }) => (outcome.kind === 'skipped' ? outcome.reason : outcome.kind));

const many = (count: number, kind: string) => Array.from({ length: count }, () => kind);

describe('concurrent requests', () => {
	test.each([
		[1000, 1, 1],
		[1000, 3, 3],
		[1100, 10, 10],
		[300, 10, 2],
		[1000, undefined, 1],
		[2500, undefined, 1],
		[5000, undefined, 2],
		[10_000, undefined, 4],
		[10, undefined, 4],
		[20, 10, 10],
	])(
		'sends %i deliveries (maxInFlight: %s) with at most %i requests in flight',
		async (count, maxInFlight, expected) => {
			const service = new FakeService();
			const report = await run(service, count, {
				maxInFlight,
				rateLimit: new RateLimit(1000, 60_000),
				ledgerFor: undefined,
			});
			expect(maxInFlightSeen).toBe(expected);
			expect(report.results.map((result) => result.creation.item)).toEqual(
				creationsOf(count).map(({ item }) => item),
			);
			expect(new Set(kindsOf(report))).toEqual(new Set(['created']));
			expect(new Set(service.existing).size).toBe(count);
		},
	);

	test.each([
		[20, 4],
		[1000, 4],
		[2000, 4],
		[2000, 10],
	])(
		'uses at least 95 percent of the rate limit, and never exceeds it, with %i ms latency and %i in flight',
		async (latencyMs, maxInFlight) => {
			// In batches of 10 instead of 100: the limit counts requests.
			const count = 3000;
			const report = await run(new FakeService(), count, {
				latencyMs,
				maxInFlight,
				batchSize: 10,
			});
			expect(new Set(kindsOf(report))).toEqual(new Set(['created']));
			for (const [number, at] of arrivals.entries())
				if (number >= 100) expect(at - (arrivals[number - 100] ?? 0)).toBeGreaterThan(60_000);
			const [first = 0] = arrivals;
			const last = arrivals.at(-1) ?? 0;
			expect(last - first).toBeLessThan(((count / 1000) * 60_000) / 0.95);
		},
	);

	test('returns results in input order, whatever response arrives first', async () => {
		let requests = 0;
		const service = new FakeService();
		const send: SendingOptions['send'] = async (body) => {
			const exchange = await service.send(body);
			await time.wait(1000 - 100 * requests++);
			return exchange;
		};
		const report = await run(service, 50, { send, batchSize: 10, maxInFlight: 10 });
		expect(report.results.map((result) => result.creation.item)).toEqual(
			creationsOf(50).map(({ item }) => item),
		);
		for (const { creation: sent, outcome } of report.results)
			expect(outcome).toMatchObject({ record: { referenceId: sent.delivery.referenceId } });
	});

	test('sends the requests of one company and type after those of another', async () => {
		const service = new FakeService();
		const mixed = Array.from({ length: 8 }, (_, item) =>
			creation(item, `R${item}`, item % 2 ? { type: 'express' } : {}),
		);
		const report = await time.until(
			sendCreations(mixed, {
				send: service.send,
				rateLimit: new RateLimit(100, 60_000),
				clock: time,
				random: () => 0.5,
				ledgerFor: ledgerOver(),
				batchSize: 2,
				maxInFlight: 10,
				maxRetryMs: 0,
				continueOnFail: true,
			}),
		);
		expect(service.requests).toEqual([
			...[
				['R0', 'R2'],
				['R4', 'R6'],
			],
			...[
				['R1', 'R3'],
				['R5', 'R7'],
			],
		]);
		expect(kindsOf(report)).toEqual(many(8, 'created'));
	});
});

describe('the duration of a small run', () => {
	test.each([
		[1, undefined, 3],
		[5, undefined, 6],
		[10, undefined, 12],
		[10, 1, 12],
		[20, undefined, 18],
		[50, undefined, 42],
	])(
		'creates %i deliveries (batch size %s) in %i seconds when a response takes 3 seconds',
		async (count, batchSize, seconds) => {
			const start = time.now();
			await run(new FakeService(), count, { latencyMs: 3000, batchSize });
			expect(maxInFlightSeen).toBe(Math.min(count, count < 5 ? 1 : 4));
			expect(time.now() - start).toBeLessThan(1000 * seconds + 500);
		},
	);
});

describe('halting', () => {
	const threeInFlight = { maxInFlight: 3, ledgerFor: undefined, batchSize: 100 };

	test('starts no more requests after a failure, and reports those in flight', async () => {
		const service = new FakeService((_, number) => (number === 2 ? respondWith(403) : undefined));
		const report = await run(service, 1000, { ...threeInFlight, continueOnFail: false });
		expect(service.requests).toHaveLength(4);
		expect(kindsOf(report)).toEqual([
			...many(100, 'created'),
			...many(100, 'unknown'),
			...many(200, 'created'),
			...many(600, 'notSent'),
		]);
	});

	test.each([
		['leads to a 404 page', () => respondWith(404, '<html>Not found</html>'), 1],
		['breaks every connection', (): Exchange => ({ kind: 'noResponse', code: 'ECONNRESET' }), 3],
	])('sends only one request at a time while the Base URL %s', async (_, exchange, requests) => {
		const service = new FakeService(exchange);
		const report = await run(service, 2000, { ...threeInFlight, maxInFlight: 10 });
		expect(maxInFlightSeen).toBe(1);
		expect(service.requests).toHaveLength(requests);
		expect(kindsOf(report)).toEqual([
			...many(requests * 100, 'unknown'),
			...many(2000 - requests * 100, 'notSent'),
		]);
	});

	test('waits for requests in flight after the user stops the execution, and reports them', async () => {
		const stop = new AbortController();
		const service = new FakeService((_, number) => {
			if (number === 2) stop.abort();
			return undefined;
		});
		const report = await run(service, 1000, { ...threeInFlight, signal: stop.signal });
		const sent = service.requests.length;
		expect(sent).toBeLessThanOrEqual(3);
		expect(inFlight).toBe(0);
		expect(kindsOf(report)).toEqual([
			...many(sent * 100, 'created'),
			...many(1000 - sent * 100, 'notSent'),
		]);
	});

	test('leaves at most the requests in flight unknown after three consecutive unknown ones', async () => {
		const service = new FakeService((_, number) =>
			number === 1 ? undefined : { kind: 'noResponse', code: 'ECONNRESET' },
		);
		const report = await run(service, 1000, threeInFlight);
		const unknown = service.requests.length - 1;
		expect(unknown).toBeLessThanOrEqual(3 + 2);
		expect(kindsOf(report)).toEqual([
			...many(100, 'created'),
			...many(unknown * 100, 'unknown'),
			...many(900 - unknown * 100, 'notSent'),
		]);
	});

	test('cancels the wait of a request that is to be retried', async () => {
		const started = time.now();
		const service = new FakeService((_, number) =>
			number === 2
				? respondWith(429, {}, { 'retry-after': '200' })
				: number === 1
					? undefined
					: respondWith(401),
		);
		const report = await run(service, 400, threeInFlight);
		expect(kindsOf(report)).toEqual([...many(100, 'created'), ...many(300, 'notSent')]);
		expect(time.now() - started).toBeLessThan(10_000);
	});

	test('does not send a request that waits for the rate limit', async () => {
		const service = new FakeService((_, number) => (number === 2 ? respondWith(401) : undefined));
		const report = await run(service, 400, {
			...threeInFlight,
			rateLimit: new RateLimit(2, 60_000),
		});
		expect(service.requests).toHaveLength(2);
		expect(kindsOf(report).slice(200)).toEqual(many(200, 'notSent'));
		expect(report.waited.forLimitMs).toBe(0);
	});

	test('still sends the other deliveries of a batch that is sent individually', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'R3' ? respondWith(400) : undefined,
		);
		const report = await run(service, 20, { continueOnFail: false, maxInFlight: 10 });
		expect(kindsOf(report)).toEqual([...many(3, 'created'), 'rejected', ...many(16, 'created')]);
	});
});

describe('the ledger', () => {
	/** The maximum number of references that are pending and not created, after any access. */
	async function maxPending(count: number, more: Partial<SendingOptions> = {}): Promise<number> {
		let max = 0;
		const check = () => {
			const states = [...row.entries].map((entry) => entry.split('\n')[1]);
			const countOf = (state: string) => states.filter((one) => one === state).length;
			max = Math.max(max, countOf('pending') - countOf('created'));
		};
		await run(new FakeService(), count, { ledgerFor: ledgerOver(check), ...more });
		return max;
	}

	test.each([
		[100, undefined, 100],
		[1000, undefined, 300],
		[2000, undefined, 400],
		[5000, undefined, 800],
		[10_000, undefined, 1200],
		[10_000, 1, 900],
		[10_000, 10, 1800],
	])(
		'leaves at most the allowed references unknown after a crash in a run of %i (maxInFlight: %s, limit: %i)',
		async (count, maxInFlight, limit) => {
			expect(await maxPending(count, { maxInFlight })).toBeLessThanOrEqual(limit);
		},
	);

	test('leaves only the requests in flight and one claim window unknown, whenever a run of 12 is killed', async () => {
		const latencyMs = 1500;
		const service = new FakeService();
		let isDone = false;
		/** The references that the next run would report as unknown. */
		const countUnknown = () => {
			const names = (state: string) =>
				[...row.entries].flatMap((entry) => (entry.split('\n')[1] === state ? [entry] : []));
			return names('pending').length - names('created').length;
		};
		const samples: Array<{ seconds: number; unknown: number; inFlight: number }> = [];
		const start = time.now();
		const sample = async () => {
			await time.wait(100);
			while (!isDone) {
				const seconds = (time.now() - start) / 1000;
				samples.push({ seconds, unknown: countUnknown(), inFlight });
				await time.wait(100);
			}
		};
		const sampling = sample();
		await run(service, 12, { latencyMs }).finally(() => (isDone = true));
		await time.until(sampling);
		expect(samples.length).toBeGreaterThan(50);
		expect(samples.filter(({ unknown, inFlight }) => unknown > inFlight + 4)).toEqual([]);
		expect(countUnknown()).toBe(0);
	});

	test.each([
		[1, 3],
		[4, 4],
		[20, 8],
		[50, 16],
	])('creates %i deliveries individually with at most %i ledger accesses', async (count, limit) => {
		await run(new FakeService(), count);
		expect(accesses).toBeLessThanOrEqual(limit);
	});

	test.each([
		['all were', 50, 50],
		['the first ones were', 40, 50],
		['every second one was', 25, 50],
	])(
		'looks up the rest of a small run at once when %s already created',
		async (which, known, count) => {
			const isKnown = (item: number) => (which.startsWith('every') ? item % 2 === 0 : item < known);
			const all = creationsOf(count);
			const service = new FakeService();
			const options: SendingOptions = {
				send: service.send,
				rateLimit: new RateLimit(1000, 60_000),
				clock: time,
				random: () => 0.5,
				ledgerFor: ledgerOver(),
				maxRetryMs: 0,
				continueOnFail: true,
			};
			await time.until(
				sendCreations(
					all.filter(({ item }) => isKnown(item)),
					options,
				),
			);
			accesses = 0;
			const report = await time.until(sendCreations(all, options));
			expect(kindsOf(report)).toEqual(
				all.map(({ item }) => (isKnown(item) ? 'alreadyCreated' : 'created')),
			);
			expect(service.existing).toHaveLength(count);
			// Each look-up records, looks for details and removes what it recorded.
			expect(accesses).toBeLessThanOrEqual(9 + (count - known) / 4);
		},
	);

	test.each([
		[1, 3],
		[100, 3],
		[1000, 12],
		[10_000, 27],
	])('creates %i deliveries with at most %i ledger accesses', async (count, limit) => {
		await run(new FakeService(), count, { latencyMs: 20, maxInFlight: 4 });
		expect(accesses).toBeLessThanOrEqual(limit);
	});

	test('claims larger and larger parts of a run in which everything was already created', async () => {
		await run(new FakeService(), 3000, { latencyMs: 0 });
		const before = [...row.entries];
		accesses = 0;
		const service = new FakeService();
		expect(new Set(kindsOf(await run(service, 3000)))).toEqual(new Set(['alreadyCreated']));
		expect(service.requests).toEqual([]);
		expect([...row.entries]).toEqual(before);
		const removals = 3000 / 200 + 6;
		// 100, 200, 400, 800, 800 and the rest: each is claimed and looked up.
		expect(accesses).toBeLessThanOrEqual(2 * 6 + removals);
	});
});

test('counts time during which several requests waited only once', () => {
	const second = 1000;
	const wait = (endedAt: number, forLimitMs: number, forServiceMs = 0) => ({
		endedAt: endedAt * second,
		forLimitMs: forLimitMs * second,
		forServiceMs: forServiceMs * second,
	});
	const seconds = (...waits: Array<ReturnType<typeof wait>>) => {
		const { forLimitMs, forServiceMs } = totalWait(waits);
		return [forLimitMs / second, forServiceMs / second];
	};
	expect(seconds()).toEqual([0, 0]);
	expect(seconds(wait(10, 5), wait(20, 0, 4))).toEqual([5, 4]);
	expect(seconds(wait(60, 60), wait(60, 60), wait(60, 60))).toEqual([60, 0]);
	expect(seconds(wait(60, 0), wait(60, 30), wait(50, 0, 30))).toEqual([10, 30]);
	expect(seconds(wait(40, 10), wait(100, 100))).toEqual([100, 0]);
});

test('starts tasks in order, even when one fails', async () => {
	const semaphore = new Semaphore();
	semaphore.allow(2);
	const started: number[] = [];
	const tasks = [0, 1, 2, 3, 4].map(
		async (number) =>
			await semaphore.run(async () => {
				started.push(number);
				await time.wait(10);
				if (number === 1) throw new Error('no');
				return number;
			}),
	);
	const results = await time.until(Promise.allSettled(tasks));
	expect(started).toEqual([0, 1, 2, 3, 4]);
	expect(results.map(({ status }) => status)).toEqual([
		...['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
	]);
});
