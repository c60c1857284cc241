/** Runs: how deliveries share requests, what stops a run, and what the ledger remembers. */
import type { Store } from '../../../nodes/DeliveryService/ledger/store';
import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { ProcessMemory } from '../../../nodes/DeliveryService/ledger/processMemory';
import type { Job } from '../../../nodes/DeliveryService/sending/job';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import { lookUpJobs, lookUpUnsent } from '../../../nodes/DeliveryService/sending/claim';
import { sendJobs, type SendingOptions } from '../../../nodes/DeliveryService/sending/send';
import { deliverySchema } from '../../../nodes/DeliveryService/service/schemas';
import { FakeService, job, jobsOf, noResponse, respondWith } from '../../support/creations';
import { entriesOf, noTime, storeOf, type Row } from '../../support/memoryStore';
import { delivery as sampleDelivery } from '../../support/sampleDelivery';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let row: Row;
let store: Store;
let accesses: number;
let maxSeen: number;
/** The number of the first access to the store that fails, and how many do. */
let failing: { from: number; count: number };

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
	accesses = 0;
	maxSeen = 0;
	failing = { from: Infinity, count: 0 };
	const entries = entriesOf(row, time, () => noTime);
	const access = async <Result>(work: () => Promise<Result>): Promise<Result> => {
		const number = ++accesses;
		if (number >= failing.from && number < failing.from + failing.count)
			throw new Error('no database');
		return await work();
	};
	store = storeOf({
		record: async (wanted) => await access(async () => await entries.record(wanted)),
		remove: async (unwanted) => await access(async () => await entries.remove(unwanted)),
	});
});

/** @returns whether the ledger has recorded everything */
async function send(...run: Parameters<typeof start>): Promise<boolean> {
	return await time.until(start(...run));
}

/** Starts a run, which waits until the time advances. */
async function start(
	service: FakeService,
	jobs: readonly Job[],
	{ latencyMs = 0, ...options }: Partial<SendingOptions> & { latencyMs?: number } = {},
): Promise<boolean> {
	let inFlight = 0;
	return await sendJobs(jobs, {
		send: async (body) => {
			maxSeen = Math.max(maxSeen, ++inFlight);
			const exchange = await service.send(body);
			await time.wait(latencyMs);
			inFlight--;
			return exchange;
		},
		rateLimit: new RateLimit(100, 60_000),
		clock: time,
		random: () => 0.5,
		sendsOthers: true,
		ledger: new Ledger(store, time),
		...options,
	});
}

const kindsOf = (jobs: readonly Job[]) => jobs.map(({ outcome }) => outcome?.kind);

function reasonsOf(jobs: readonly Job[]): Array<string | undefined> {
	return jobs.map(({ outcome }) =>
		outcome && 'why' in outcome ? outcome.why.code : outcome?.kind,
	);
}

const sizesOf = ({ requests }: FakeService) => requests.map(({ length }) => length);

const part = (orderReferenceId: string, id: string, units = 1, quantity = units) => ({
	orderReferenceId,
	lines: [{ id, quantity, units }],
});

describe('requests', () => {
	test.each([
		['1 delivery', 1, undefined, [1]],
		['500 deliveries one per request', 500, undefined, Array<number>(500).fill(1)],
		['501 in full batches', 501, undefined, [100, 100, 100, 100, 100, 1]],
		['5 in batches of Batch Size', 5, 2, [2, 2, 1]],
	])('sends %s', async (_, count, batchSize, sizes) => {
		const service = new FakeService();
		const jobs = jobsOf(count);
		await send(service, jobs, { batchSize });
		expect(sizesOf(service)).toEqual(sizes);
		expect(service.existing).toHaveLength(count);
		expect(new Set(kindsOf(jobs))).toEqual(new Set(['created']));
	});

	test('never mixes companies and delivery types in one request', async () => {
		const service = new FakeService();
		const jobs = [
			job(0, 'A', { companyId: 1 }),
			job(1, 'B', { companyId: 2 }),
			job(2, 'C', { companyId: 1, type: 'express' }),
			job(3, 'D', { companyId: 1 }),
			job(4, 'E', { companyId: 1, type: 'slot' }),
		];
		await send(service, jobs, { batchSize: 100 });
		expect(service.requests).toEqual([['A', 'D'], ['B'], ['C'], ['E']]);
	});

	test('are full batches if the companies and types of the run together have more than 500', async () => {
		const service = new FakeService();
		const jobs = [...jobsOf(300), ...jobsOf(300, 'X').map((one) => ({ ...one, companyId: 8 }))];
		await send(service, jobs);
		expect(sizesOf(service)).toEqual(Array(6).fill(100));
	});

	test('stay batches if deliveries that were sent before show only after the first request', async () => {
		await send(
			new FakeService(),
			jobsOf(600).filter(({ item }) => item >= 200 && item < 400),
		);
		const service = new FakeService();
		await send(service, jobsOf(600));
		expect(sizesOf(service)).toEqual([100, 100, 100, 100]);
	});

	test('is one at a time until something was created, then up to four', async () => {
		const started: number[] = [];
		const service = new FakeService((_, number) => {
			started[number] = time.now();
			return undefined;
		});
		await send(service, jobsOf(40), { latencyMs: 100 });
		expect(started[2]).toBeGreaterThan(started[1] ?? Infinity);
		expect(maxSeen).toBe(4);
	});

	test('fills batches across deliveries that were already created', async () => {
		await send(
			new FakeService(),
			jobsOf(1200).filter(({ item }) => item % 2 === 0),
		);
		const service = new FakeService();
		await send(service, jobsOf(1325));
		expect(sizesOf(service)).toEqual([...Array<number>(7).fill(100), 25]);
	});

	test('claims a tenth of a run at once, at most 800', async () => {
		const entriesAtFirst: number[] = [];
		const claims: number[] = [];
		for (const count of [50, 1000, 20_000]) {
			row.entries = new Set();
			let first: number | undefined;
			const accessesBefore = new Set<number>();
			const service = new FakeService(() => {
				first ??= row.entries.size;
				accessesBefore.add(accesses);
				return undefined;
			});
			await send(service, jobsOf(count), { rateLimit: new RateLimit(10_000, 60_000) });
			entriesAtFirst.push(first ?? 0);
			claims.push(accessesBefore.size);
		}
		expect(entriesAtFirst).toEqual([5, 100, 800]);
		expect(claims).toEqual([10, 10, 25]);
	});
});

test.each([
	[51, { created: 50, rejected: 1 }],
	[300, { created: 299, rejected: 1 }],
	[600, { created: 500, unknown: 100 }],
])('of %i deliveries with a rejected one, as many as possible are created', async (...row) => {
	const [count, expected] = row;
	const service = new FakeService((references) =>
		references.includes('R20') ? respondWith(422, { code: 'E' }) : undefined,
	);
	const jobs = jobsOf(count);
	await send(service, jobs);
	const counts: Record<string, number> = {};
	for (const kind of kindsOf(jobs)) counts[kind ?? ''] = (counts[kind ?? ''] ?? 0) + 1;
	expect(counts).toEqual(expected);
});

test('a run of 500 takes about five minutes', async () => {
	const began = time.now();
	await send(new FakeService(), jobsOf(500), { latencyMs: 300 });
	expect(time.now() - began).toBeLessThan(300_000);
});

describe('a run stops', () => {
	test.each([
		[401, 1],
		[407, 1],
		[302, 1],
		[429, 1],
		// A rejection of a delivery that was sent alone says nothing about the others.
		[404, 10],
		[500, 3],
	])('after status %i without a body: of %i deliveries', async (status, requests) => {
		const service = new FakeService(() => respondWith(status));
		const jobs = jobsOf(10);
		await send(service, jobs);
		expect(new Set(service.requests.map(String)).size).toBe(requests);
	});

	test('after a web page with status 404 to a batch, unless something was created before', async () => {
		const service = new FakeService(() => respondWith(404, '<html>'));
		await send(service, jobsOf(10), { batchSize: 2 });
		expect(service.requests).toHaveLength(1);
		const later = new FakeService((_, number) =>
			number === 2 ? respondWith(404, '<html>') : undefined,
		);
		await send(later, jobsOf(10, 'X'), { batchSize: 2 });
		expect(later.requests).toHaveLength(5);
	});

	test('not after responses that leave deliveries unknown, and create others', async () => {
		const service = new FakeService((references, _, own) =>
			respondWith(200, own.create(references.slice(0, 1))),
		);
		const jobs = jobsOf(10);
		await send(service, jobs, { batchSize: 2 });
		expect(kindsOf(jobs)).toEqual(Array(5).fill(['created', 'unknown']).flat());
	});

	test.each([
		['whole orders', (id: string) => job(0, `#${id}`, { orderId: id })],
		[
			'fulfillment orders',
			(id: string) => job(0, `#${id}-1`, { orderId: id, part: part(`#${id}`, 'x') }),
		],
	])('without taking %s for not sent that were sent before', async (_, jobOf) => {
		await send(new FakeService(), [jobOf('old')]);
		const all = () => [
			...Array.from({ length: 9 }, (_none, id) => jobOf(`new${id}`)),
			jobOf('old'),
		];
		const jobs = all();
		const halting = new FakeService(() => respondWith(401));
		await send(halting, jobs);
		expect(halting.requests).toHaveLength(1);
		expect(reasonsOf(jobs)).toEqual([...Array<string>(9).fill('exchange'), 'alreadyCreated']);
		const later = new FakeService();
		await send(later, all());
		expect(later.existing).toHaveLength(9);
	});

	test('and leaves the changes of sent orders to a later run, which may update their deliveries', async () => {
		const sent = (rest: string) => job(0, '#old', { orderId: 'old', sentAs: { rest } });
		await send(new FakeService(), [sent('before')]);
		const changed = [sent('after'), sent('after')];
		const halting = new FakeService(() => respondWith(401));
		await send(halting, [...jobsOf(9), changed[0]!]);
		await send(new FakeService(), [changed[1]!]);
		expect(changed.map(({ change }) => change?.number)).toEqual([undefined, 1]);
	});

	test.each([
		['the memory', 'store', () => (failing = { from: accesses + 1, count: Infinity })],
		['the stop', 'stopped', (stop: AbortController) => stop.abort()],
	])('and names %s where that kept it from looking up, not what halted the run', async (...row) => {
		const [, code, prevent] = row;
		const stop = new AbortController();
		const service = new FakeService(() => {
			prevent(stop);
			return respondWith(401);
		});
		const jobs = jobsOf(10);
		await send(service, jobs, { signal: stop.signal });
		const reasons = reasonsOf(jobs);
		expect([reasons[0], reasons.at(-1)]).toEqual(['exchange', code]);
		expect(service.requests).toHaveLength(1);
	});

	test('without taking a fulfillment order for sent whose units another one would have got', async () => {
		const jobs = ['#1-1', '#1-2'].map((id, item) =>
			job(item, id, { orderId: 'A', part: part('#1', 'x') }),
		);
		const moved = job(2, '#2-2', { orderId: 'B', part: part('#2', 'x') });
		await send(new FakeService(), [job(0, '#2-1', { orderId: 'B', part: part('#2', 'x') })]);
		const all = [...jobsOf(4), ...jobs, moved];
		const halting = new FakeService(() => respondWith(401));
		await send(halting, all);
		expect(halting.requests).toHaveLength(1);
		expect(reasonsOf(all)).toEqual([...Array<string>(6).fill('exchange'), 'unitsSent']);
	});

	test('when the user stops it: what was not sent may be sent again', async () => {
		const stop = new AbortController();
		const service = new FakeService((_, number) => {
			if (number === 2) stop.abort();
			return undefined;
		});
		const jobs = jobsOf(10);
		await send(service, jobs, { signal: stop.signal });
		expect(new Set(kindsOf(jobs))).toEqual(new Set(['created', 'notSent']));
		const later = new FakeService();
		await send(later, jobsOf(10));
		expect(later.existing.length + service.existing.length).toBe(10);
	});

	test('at an unexpected error, which leaves only its delivery unknown', async () => {
		const service = new FakeService((_, number) => {
			if (number === 2) throw new TypeError('a bug');
			return undefined;
		});
		const jobs = jobsOf(10);
		await send(service, jobs);
		expect(kindsOf(jobs).slice(0, 2)).toEqual(['created', 'unknown']);
		expect(kindsOf(jobs).slice(-1)).toEqual(['notSent']);
	});

	test('and names the error of a request that fails unexpectedly after it, not what halted the run', async () => {
		const service = new FakeService((_, number) => (number === 2 ? respondWith(401) : undefined));
		const jobs = jobsOf(10);
		await send(service, jobs, {
			send: async (body) => {
				const exchange = await service.send(body);
				if (service.requests.length < 3 || exchange.status === 401) return exchange;
				await time.wait(10);
				throw new TypeError('a bug');
			},
		});
		expect(kindsOf(jobs).slice(0, 3)).toEqual(['created', 'notSent', 'unknown']);
		expect(reasonsOf(jobs).slice(1, 3)).toEqual(['exchange', 'unexpected']);
	});

	test('not after rejections of deliveries that were sent alone', async () => {
		const service = new FakeService((_, number) =>
			number < 9 ? respondWith(422, { code: 'E' }) : undefined,
		);
		const jobs = jobsOf(9);
		await send(service, jobs, { sendsOthers: false });
		expect(kindsOf(jobs)).toEqual([...Array.from({ length: 8 }, () => 'rejected'), 'created']);
	});
});

describe('the memory of a run', () => {
	test('skips what was created, and sends individually what is left, e.g. after a rejection', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'R1' ? respondWith(422, { code: 'E' }) : undefined,
		);
		await send(service, jobsOf(50));
		const jobs = jobsOf(549);
		await send(service, jobs, { sendsOthers: false });
		expect(new Set(sizesOf(service))).toEqual(new Set([1]));
		expect(reasonsOf(jobs).slice(0, 3)).toEqual(['alreadyCreated', 'exchange', 'alreadyCreated']);
		expect(service.existing).toHaveLength(548);
	});

	test('never sends a delivery again after a lost response', async () => {
		const lost = new FakeService(() => noResponse('ECONNRESET'));
		await send(lost, jobsOf(1));
		const jobs = jobsOf(1);
		const service = new FakeService();
		const before = time.now();
		await send(service, jobs);
		expect(reasonsOf(jobs)).toEqual(['elsewhere']);
		expect(service.requests).toEqual([]);
		// It waits for the other execution, which may be sending it.
		expect(time.now() - before).toBeGreaterThan(30_000);
		expect(time.now() - before).toBeLessThan(90_000);
	});

	test('waits for another execution, and skips what that one creates', async () => {
		const [first, second] = [jobsOf(5), jobsOf(5)];
		const service = new FakeService();
		const runs = [first, second].map(
			async (jobs) => await start(service, jobs, { latencyMs: 3000 }),
		);
		await time.until(Promise.all(runs));
		expect(service.existing).toHaveLength(5);
		expect(kindsOf([...first, ...second]).sort()).toEqual([
			...Array.from({ length: 5 }, () => 'created'),
			...Array.from({ length: 5 }, () => 'skipped'),
		]);
	});

	test('waits for no claim that an earlier run of its process has left unknown', async () => {
		const memory = new ProcessMemory();
		const run = async (jobs: readonly Job[]) =>
			await send(new FakeService(() => respondWith(500)), jobs, {
				ledger: new Ledger(store, time, memory),
			});
		const [first, second] = [jobsOf(1), jobsOf(1)];
		await run(first);
		const before = time.now();
		await run(second);
		expect(kindsOf([...first, ...second])).toEqual(['unknown', 'unknown']);
		expect(time.now() - before).toBe(0);
	});

	test('waits for an execution of its process as long as that one retries, and takes over', async () => {
		const memory = new ProcessMemory();
		const from = time.now();
		const minutesDown = 6;
		const service = new FakeService(() =>
			time.now() - from < minutesDown * 60_000 ? respondWith(429) : undefined,
		);
		const runs = [jobsOf(2), jobsOf(2)];
		const ledger = () => new Ledger(store, time, memory);
		await time.until(
			Promise.all(runs.map(async (jobs) => await start(service, jobs, { ledger: ledger() }))),
		);
		expect(runs.map(kindsOf)).toEqual([Array(2).fill('notSent'), Array(2).fill('created')]);
		expect(service.existing).toHaveLength(2);
	});

	test('sends nothing when the store fails before the first request', async () => {
		failing = { from: 1, count: Infinity };
		const service = new FakeService();
		const jobs = jobsOf(3);
		await send(service, jobs);
		expect(service.requests).toEqual([]);
		expect(kindsOf(jobs)).toEqual(['notSent', 'notSent', 'notSent']);
	});

	test.each([
		['confirms', () => undefined, ['alreadyCreated']],
		['releases', () => respondWith(422, { code: 'E' }), ['created']],
	])('%s after a brief failure of the store', async (_, respond, expected) => {
		// The claim is one access.
		failing = { from: 2, count: 2 };
		const service = new FakeService(respond);
		expect(await send(service, jobsOf(1))).toBe(true);
		const jobs = jobsOf(1);
		await send(new FakeService(), jobs);
		expect(reasonsOf(jobs)).toEqual(expected);
	});

	test('reports a store that keeps failing; the delivery is unknown later', async () => {
		const memory = new ProcessMemory();
		const ledger = () => new Ledger(store, time, memory);
		failing = { from: 2, count: Infinity };
		const jobs = jobsOf(1);
		expect(await send(new FakeService(), jobs, { ledger: ledger() })).toBe(false);
		expect(kindsOf(jobs)).toEqual(['created']);
		// Otherwise, the next execution would wait for it forever.
		expect(memory.holders).toEqual(new Map());
		failing = { from: Infinity, count: 0 };
		const later = jobsOf(1);
		await send(new FakeService(), later, { ledger: ledger() });
		expect(reasonsOf(later)).toEqual(['elsewhere']);
	});
});

describe('deliveries of one input with the same reference ID', () => {
	const order = (item: number, orderId?: string) => job(item, '#1', { orderId });

	test('are sent once if they are the same order, or equal without an order', async () => {
		const service = new FakeService();
		const jobs = [order(0, 'A'), order(1, 'A'), job(2, 'R'), job(3, 'R')];
		await send(service, jobs);
		expect(service.existing).toEqual(['#1', 'R']);
		expect(reasonsOf(jobs)).toEqual(['created', 'sameReference', 'created', 'sameReference']);
	});

	test('are errors if they are other orders or other deliveries', async () => {
		const service = new FakeService();
		const delivery = deliverySchema.parse(sampleDelivery({ referenceId: 'R', cod: 5 }));
		const jobs = [order(0, 'A'), order(1, 'B'), job(2, 'R'), job(3, 'R', { delivery })];
		await send(service, jobs);
		expect(service.existing).toEqual(['#1', 'R']);
		expect(reasonsOf(jobs)).toEqual(['created', 'anotherOrder', 'created', 'anotherDelivery']);
	});

	test.each([
		[respondWith(422, { code: 'E' }), 'notSent'],
		[respondWith(500), 'unknown'],
	])('follow the first one if it was not created for certain', async (response, kind) => {
		const jobs = [job(0, 'R'), job(1, 'R')];
		await send(new FakeService(() => response), jobs);
		expect(jobs[1]?.outcome).toMatchObject({ kind, why: { code: 'firstFailed' } });
	});

	test('may be sent repeatedly without a memory', async () => {
		const service = new FakeService();
		const jobs = [job(0, 'R'), job(1, 'R')].map((one) => ({ ...one, claim: undefined }));
		await send(service, jobs, { ledger: undefined });
		expect(service.existing).toEqual(['R', 'R']);
	});
});

describe('fulfillment orders', () => {
	test.each([
		[undefined, ['sameOrder', 'sameReference', 'created']],
		[respondWith(422, { code: 'E' }), ['firstFailed', 'firstFailed', 'exchange']],
	])('that are twice in the input follow the whole order (%#)', async (response, reasons) => {
		const twice = [0, 1].map((item) => job(item, '#1-1', { orderId: 'A', part: part('#1', 'x') }));
		const jobs = [...twice, job(2, '#1', { orderId: 'A' })];
		await send(new FakeService(() => response), jobs);
		expect(reasonsOf(jobs)).toEqual(reasons);
	});

	test('are skipped when the input contains the whole order', async () => {
		const service = new FakeService();
		const jobs = [
			job(0, '#1-1', { orderId: 'A', part: part('#1', 'x') }),
			job(1, '#1', { orderId: 'A' }),
		];
		await send(service, jobs);
		expect(service.existing).toEqual(['#1']);
		expect(reasonsOf(jobs)).toEqual(['sameOrder', 'created']);
	});

	test('with the same units are sent once, also in one input', async () => {
		const service = new FakeService(([reference]) =>
			['#2-1', '#3-1'].includes(reference ?? '') ? respondWith(422, { code: 'E' }) : undefined,
		);
		const jobs = [
			job(0, '#1-1', { orderId: 'A', part: part('#1', 'x') }),
			job(1, '#1-2', { orderId: 'A', part: part('#1', 'x') }),
			// The first one is rejected, so the other one may be sent.
			job(2, '#2-1', { orderId: 'B', part: part('#2', 'y') }),
			job(3, '#2-2', { orderId: 'B', part: part('#2', 'y') }),
			job(4, '#3-1', { orderId: 'C', part: part('#3', 'z', 1, 3) }),
			job(5, '#3-2', { orderId: 'C', part: part('#3', 'z', 3) }),
		];
		await send(service, jobs);
		expect(service.existing).toEqual(['#1-1', '#2-2', '#3-2']);
		const [sent, rejected] = ['created', 'exchange'];
		expect(reasonsOf(jobs)).toEqual([sent, 'unitsSent', rejected, sent, rejected, sent]);
	});

	test('with some units that were sent are an error', async () => {
		const [one, all] = [part('#1', 'x', 1, 3), part('#1', 'x', 3)];
		await send(new FakeService(), [job(0, '#1-1', { orderId: 'A', part: one })]);
		const jobs = [job(0, '#1-2', { orderId: 'A', part: all })];
		await send(new FakeService(), jobs);
		expect(jobs[0]?.outcome).toEqual({ kind: 'notSent', why: { code: 'unitsPartlySent' } });
	});
});

test('a look-up shows what would not be sent, and changes nothing', async () => {
	await send(new FakeService(), [
		job(0, '#1', { orderId: 'A' }),
		job(1, '#2-1', { orderId: 'B', part: part('#2', 'x') }),
	]);
	const before = [...row.entries];
	const jobs = [
		job(0, '#1', { orderId: 'A' }),
		job(1, '#1-1', { orderId: 'A', part: part('#1', 'y') }),
		job(2, '#2', { orderId: 'B' }),
		job(3, '#2-2', { orderId: 'B', part: part('#2', 'x') }),
		job(4, '#3'),
		job(5, '#3'),
	];
	await time.until(lookUpJobs(jobs, new Ledger(store, time)));
	expect(reasonsOf(jobs)).toEqual([
		'alreadyCreated',
		'sameOrder',
		'inParts',
		// The input asks for both.
		'firstFailed',
		undefined,
		'sameReference',
	]);
	expect([...row.entries].sort()).toEqual(before.sort());
});

test('takes no unsent fulfillment order for sent whose units another unsent one has', async () => {
	const jobs = ['#1-1', '#1-2'].map((id, item): Job => ({
		...job(item, id, { orderId: 'A', part: part('#1', 'x') }),
		delivery: undefined,
		outcome: { kind: 'skipped', why: { code: 'order', skip: { code: 'onHold', holds: [] } } },
	}));
	await time.until(lookUpUnsent(jobs, new Ledger(store, time)));
	expect(reasonsOf(jobs)).toEqual(['order', 'order']);
});

test('looks up each of two canceled orders whose shops use the same reference ID', async () => {
	await send(new FakeService(), [job(0, '#1', { orderId: 'A' })]);
	const canceled = (item: number, orderId: string): Job => ({
		...job(item, '#1', { orderId }),
		delivery: undefined,
		outcome: { kind: 'skipped', why: { code: 'order', skip: { code: 'cancelled' } } },
	});
	const jobs = [canceled(0, 'A'), canceled(1, 'B')];
	await time.until(lookUpUnsent(jobs, new Ledger(store, time)));
	expect(reasonsOf(jobs)).toEqual(['alreadyCreated', 'order']);
});
