/** Several requests of a run under way at once: what of it may show, and what may not. */
import { openLedger, type Ledger } from '../../../nodes/DeliveryService/deduplication/ledger';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { Semaphore } from '../../../nodes/DeliveryService/sending/semaphore';
import {
	sendCreations,
	type Report,
	type SendingOptions,
} from '../../../nodes/DeliveryService/sending/creations';
import { RateLimit, totalWait } from '../../../nodes/DeliveryService/sending/rateLimit';
import { answer, creation, creationsOf, FakeService } from '../../support/creations';
import { entriesOf, noTime, storeOf, type Row } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let row: Row;
let accesses: number;
let executions: number;
let underWay: number;
let mostUnderWay: number;
/** When each request came to the service. */
let came: number[];

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
	accesses = 0;
	executions = 0;
	underWay = 0;
	mostUnderWay = 0;
	came = [];
});

/** A ledger over the row, and what is to be done after each of its accesses. */
function ledgerOver(afterAccess: () => void = () => undefined): () => Ledger {
	const entries = entriesOf(row, time, () => noTime);
	const counted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
		accesses++;
		const result = await work();
		afterAccess();
		return result;
	};
	const store = storeOf({
		record: async (wanted) => await counted(async () => await entries.record(wanted)),
		remove: async (unwanted) => await counted(async () => await entries.remove(unwanted)),
	});
	return () => openLedger(store, 'company', `execution ${++executions}`, time);
}

/** Sends to a service that takes so long for each answer. */
async function run(
	service: FakeService,
	count: number,
	more: Partial<SendingOptions> & { latencyMs?: number } = {},
): Promise<Report> {
	const { latencyMs = 2000, ...sending } = more;
	const send: SendingOptions['send'] = async (body) => {
		mostUnderWay = Math.max(mostUnderWay, ++underWay);
		came.push(time.now());
		// What a service creates, it creates when the request comes.
		const exchange = await service.send(body);
		await time.wait(latencyMs);
		underWay--;
		return exchange;
	};
	return await time.until(
		sendCreations(creationsOf(count), {
			send,
			rateLimit: new RateLimit(100, 60_000),
			clock: time,
			random: () => 0.5,
			ledgerFor: ledgerOver(),
			maximumWaitMs: 300_000,
			continueOnFail: true,
			...sending,
		}),
	);
}

const kindsOf = ({ results }: Report) =>
	results.map(({ outcome }) => (outcome.kind === 'skipped' ? outcome.reason : outcome.kind));

const many = (count: number, kind: string) => Array.from({ length: count }, () => kind);

describe('requests at once', () => {
	test.each([
		[1000, 1, 1],
		[1000, 3, 3],
		[1100, 10, 10],
		[300, 10, 2],
		[1000, undefined, 1],
		[2000, undefined, 2],
		[10_000, undefined, 4],
		[20, undefined, 2],
		[20, 10, 10],
	])('for %i deliveries, %s wanted: there are never more than %i', async (count, wanted, most) => {
		const service = new FakeService();
		const report = await run(service, count, {
			maxInFlight: wanted,
			rateLimit: new RateLimit(1000, 60_000),
			ledgerFor: undefined,
		});
		expect(mostUnderWay).toBe(most);
		expect(report.results.map((result) => result.creation.item)).toEqual(
			creationsOf(count).map(({ item }) => item),
		);
		expect(new Set(kindsOf(report))).toEqual(new Set(['created']));
		expect(new Set(service.existing).size).toBe(count);
	});

	test.each([
		[20, 4],
		[1000, 4],
		[2000, 4],
		[2000, 10],
	])(
		'with %i ms an answer and %i at once use at least 95 % of the limit, and no more than all of it',
		async (latencyMs, maxInFlight) => {
			// In requests of 10 instead of 100: the limit is on requests.
			const count = 3000;
			const report = await run(new FakeService(), count, {
				latencyMs,
				maxInFlight,
				batchSize: 10,
			});
			expect(new Set(kindsOf(report))).toEqual(new Set(['created']));
			for (const [number, at] of came.entries())
				if (number >= 100) expect(at - (came[number - 100] ?? 0)).toBeGreaterThan(60_000);
			const [first = 0] = came;
			const last = came.at(-1) ?? 0;
			expect(last - first).toBeLessThan(((count / 1000) * 60_000) / 0.95);
		},
	);

	test('come out in the order of the input, whatever answer comes first', async () => {
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

	test('are those of one company and type after those of another', async () => {
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
				maximumWaitMs: 0,
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

describe('when nothing more is to be sent', () => {
	const three = { maxInFlight: 3, ledgerFor: undefined, batchSize: 100 };

	test('since one failed, no further one begins, and those under way are told', async () => {
		const service = new FakeService((_, number) => (number === 2 ? answer(403) : undefined));
		const report = await run(service, 1000, { ...three, continueOnFail: false });
		expect(service.requests).toHaveLength(4);
		expect(kindsOf(report)).toEqual([
			...many(100, 'created'),
			...many(100, 'unknown'),
			...many(200, 'created'),
			...many(600, 'notSent'),
		]);
	});

	test.each([
		['leads elsewhere', () => answer(404, '<html>Not found</html>'), 1],
		['answers nothing', (): Exchange => ({ kind: 'noResponse', code: 'ECONNRESET' }), 3],
	])(
		'since the address %s, no request is under way beside another',
		async (_, exchange, requests) => {
			const service = new FakeService(exchange);
			const report = await run(service, 2000, { ...three, maxInFlight: 10 });
			expect(mostUnderWay).toBe(1);
			expect(service.requests).toHaveLength(requests);
			expect(kindsOf(report)).toEqual([
				...many(requests * 100, 'unknown'),
				...many(2000 - requests * 100, 'notSent'),
			]);
		},
	);

	test('since the user stopped it, those under way are waited for and told', async () => {
		const stop = new AbortController();
		const service = new FakeService((_, number) => {
			if (number === 2) stop.abort();
			return undefined;
		});
		const report = await run(service, 1000, { ...three, signal: stop.signal });
		const sent = service.requests.length;
		expect(sent).toBeLessThanOrEqual(3);
		expect(underWay).toBe(0);
		expect(kindsOf(report)).toEqual([
			...many(sent * 100, 'created'),
			...many(1000 - sent * 100, 'notSent'),
		]);
	});

	test('since three in a row left their deliveries unknown, at most those under way are unknown too', async () => {
		const service = new FakeService((_, number) =>
			number === 1 ? undefined : { kind: 'noResponse', code: 'ECONNRESET' },
		);
		const report = await run(service, 1000, three);
		const unknown = service.requests.length - 1;
		expect(unknown).toBeLessThanOrEqual(3 + 2);
		expect(kindsOf(report)).toEqual([
			...many(100, 'created'),
			...many(unknown * 100, 'unknown'),
			...many(900 - unknown * 100, 'notSent'),
		]);
	});

	test('one that waits to be sent again waits no longer', async () => {
		const started = time.now();
		const service = new FakeService((_, number) =>
			number === 2
				? answer(429, {}, { 'retry-after': '200' })
				: number === 1
					? undefined
					: answer(401),
		);
		const report = await run(service, 400, three);
		expect(kindsOf(report)).toEqual([
			...many(100, 'created'),
			...many(100, 'notSent'),
			...many(200, 'rejected'),
		]);
		expect(time.now() - started).toBeLessThan(10_000);
	});

	test('one that waits for the limit is not sent', async () => {
		const service = new FakeService((_, number) => (number === 2 ? answer(401) : undefined));
		const report = await run(service, 400, { ...three, rateLimit: new RateLimit(2, 60_000) });
		expect(service.requests).toHaveLength(2);
		expect(kindsOf(report).slice(200)).toEqual(many(200, 'notSent'));
		expect(report.waited.forLimitMs).toBe(0);
	});

	test('deliveries that are sent alone are sent all the same, and what comes after is not', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'R3' ? answer(400) : undefined,
		);
		const report = await run(service, 20, { continueOnFail: false, maxInFlight: 10 });
		expect(kindsOf(report)).toEqual([...many(3, 'created'), 'rejected', ...many(16, 'created')]);
	});
});

describe('the memory of sent references', () => {
	/** How many references read as claimed and not as created, at most, after any access. */
	async function mostUnknown(count: number, more: Partial<SendingOptions> = {}): Promise<number> {
		let most = 0;
		const look = () => {
			const states = [...row.entries].map((entry) => entry.split('\n')[1]);
			const of = (state: string) => states.filter((one) => one === state).length;
			most = Math.max(most, of('pending') - of('created'));
		};
		await run(new FakeService(), count, { ledgerFor: ledgerOver(look), ...more });
		return most;
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
		'of a run of %i, %s at once, a killed process leaves no more than %i unknown',
		async (count, maxInFlight, most) => {
			expect(await mostUnknown(count, { maxInFlight })).toBeLessThanOrEqual(most);
		},
	);

	test.each([
		[1, 3],
		[100, 3],
		[1000, 12],
		[10_000, 27],
	])('is accessed for %i new ones %i times', async (count, times) => {
		await run(new FakeService(), count, { latencyMs: 20, maxInFlight: 4 });
		expect(accesses).toBeLessThanOrEqual(times);
	});

	test('is looked at in larger and larger parts where all was created before', async () => {
		await run(new FakeService(), 3000, { latencyMs: 0 });
		const before = [...row.entries];
		accesses = 0;
		const service = new FakeService();
		expect(new Set(kindsOf(await run(service, 3000)))).toEqual(new Set(['alreadyCreated']));
		expect(service.requests).toEqual([]);
		expect([...row.entries]).toEqual(before);
		const removals = 3000 / 200 + 6;
		// 100, 200, 400, 800, 800 and the rest: each is claimed, and asked for.
		expect(accesses).toBeLessThanOrEqual(2 * 6 + removals);
	});
});

test('a time in which several requests waited counts once', () => {
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

test('work begins in its order, also when one piece fails', async () => {
	const atOnce = new Semaphore(2);
	atOnce.open();
	const begun: number[] = [];
	const work = [0, 1, 2, 3, 4].map(
		async (number) =>
			await atOnce.run(async () => {
				begun.push(number);
				await time.wait(10);
				if (number === 1) throw new Error('no');
				return number;
			}),
	);
	const done = await time.until(Promise.allSettled(work));
	expect(begun).toEqual([0, 1, 2, 3, 4]);
	expect(done.map(({ status }) => status)).toEqual([
		...['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
	]);
});
