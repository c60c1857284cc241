/**
 * Random sequences of executions against random API variants, with faults, crashes and overlapping
 * orders. Each order must be created exactly once, and every reported outcome must be true.
 */
import fc from 'fast-check';

import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import type { Store } from '../../../nodes/DeliveryService/ledger/store';
import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { withLock } from '../../../nodes/DeliveryService/ledger/lock';
import { ProcessMemory } from '../../../nodes/DeliveryService/ledger/processMemory';
import { describeUnknown } from '../../../nodes/DeliveryService/messages/failures';
import type { Job, Skipped } from '../../../nodes/DeliveryService/sending/job';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import { sendJobs } from '../../../nodes/DeliveryService/sending/send';
import { job } from '../../support/creations';
import {
	entriesOf,
	memoryLock,
	noTime,
	storeOf,
	type AccessTimes,
	type LockRow,
	type Row,
} from '../../support/memoryStore';
import {
	documented,
	faults,
	modelVariants,
	orderOf,
	ServiceModel,
	type Existing,
	type Fault,
	type ModelVariant,
} from '../../support/serviceModel';
import { VirtualTime } from '../../support/virtualTime';

const seed = Number(process.env.SEQUENCES_SEED ?? Date.now() % 2 ** 31);
const count = Number(process.env.SEQUENCES ?? 1500);

/** An order that a shop wants delivered; several executions may contain it. */
interface Order {
	/** Two orders may share it. Without it, nothing prevents duplicates of a delivery. */
	reference?: string;
	company?: number;
	type?: Job['type'];
	/** Shopify's ID of the order. */
	orderId?: string;
	/** Whether the service rejects it. */
	isInvalid?: boolean;
	/** The reference of the whole order, if this is a fulfillment order. */
	whole?: string;
	/** The line of which the fulfillment order takes the only unit. */
	line?: string;
}

/** Orders whose references are easily confused. */
const orders: readonly Order[] = [
	{ reference: '#1001' },
	{ reference: '1002', isInvalid: true },
	{ reference: 'R3' },
	{ reference: 'r3' },
	{ reference: '#5' },
	{ reference: '5' },
	{ reference: '0006' },
	{ reference: '#1001', company: 8 },
	{ reference: 'X8', type: 'express' },
	{ reference: ' 9 9' },
	{ reference: 'B10', isInvalid: true },
	{ reference: 'S11', orderId: "one shop's" },
	{ reference: 'S11', orderId: "another shop's" },
	{},
	{ reference: 'W14', orderId: 'W' },
	{ reference: 'W14-1', orderId: 'W', whole: 'W14', line: 'a' },
	{ reference: 'W14-2', orderId: 'W', whole: 'W14', line: 'b' },
	{ reference: 'W14-3', orderId: 'W', whole: 'W14', line: 'c', isInvalid: true },
	// The first one after a move: the same unit.
	{ reference: 'W14-4', orderId: 'W', whole: 'W14', line: 'a' },
	{ reference: 'W14', orderId: "another shop's W" },
	{ reference: 'W14-5', orderId: "another shop's W", whole: 'W14', line: 'x', type: 'express' },
	{ reference: 'W14', company: 8 },
	{ reference: 'W14-6', company: 8, whole: 'W14', line: 'y' },
];

/** Whether a reference is of an order that is sent whole and by fulfillment order. */
const isSplitReference = (reference = '') => reference.startsWith('W14');

/** The whole order of each fulfillment order, by name; of no other order. */
const wholeByPart = new Map(
	orders.flatMap(({ whole, company, orderId }, number) => {
		const found = orders.findIndex(
			(one) => one.reference === whole && one.company === company && one.orderId === orderId,
		);
		return whole === undefined ? [] : [[nameOf(number), nameOf(found)]];
	}),
);

function isPartOf(part: string, whole: string): boolean {
	return wholeByPart.get(part) === whole;
}

const rejectedOrders = new Set(
	orders.flatMap(({ isInvalid }, number) => (isInvalid ? [nameOf(number)] : [])),
);

function nameOf(number: number): string {
	return `order ${number}`;
}

/** An execution of the node. */
interface Execution {
	/** Positions in the list of orders; may contain duplicates. */
	orders: number[];
	/** Undefined for the automatic choice. */
	batchSize: number | undefined;
	sendsOthers: boolean;
	startMs: number;
	/** After how many steps its process crashes, if it does. */
	crashesAfter: number | undefined;
	/** After how many milliseconds the user stops it, if at all. */
	stopsAfterMs: number | undefined;
}

/** Executions that run concurrently. */
interface Round {
	executions: Execution[];
	/** Whether each runs in its own process, like n8n's workers. */
	haveOwnProcesses: boolean;
	/** Whether a person then checks unknown deliveries, and allows resending those that don't exist. */
	isChecked: boolean;
}

/** Whether a store access fails before or after it has taken effect. */
type StoreFailure = 'before' | 'after';

interface Sequence {
	variant: ModelVariant;
	faults: Array<Fault | undefined>;
	rounds: Round[];
	latencyMs: number;
	requestsPerMinute: number;
	storeFailuresByAccess: Array<StoreFailure | undefined>;
	storeMs: number;
	/** Whether references are remembered. */
	isRemembered: boolean;
}

/** The value once in this many cases, else undefined. */
const rarely = <Value>(
	value: fc.Arbitrary<Value>,
	cases: number,
): fc.Arbitrary<Value | undefined> =>
	fc.oneof(
		{ arbitrary: fc.constant(undefined), weight: cases - 1 },
		{ arbitrary: value, weight: 1 },
	);

const executions: fc.Arbitrary<Execution> = fc.record({
	orders: fc.array(fc.nat(orders.length - 1), { minLength: 1, maxLength: 9 }),
	batchSize: fc.constantFrom(undefined, 1, 2, 3, 5, 100),
	sendsOthers: fc.boolean(),
	startMs: fc.constantFrom(0, 0, 10, 60, 200),
	crashesAfter: rarely(fc.nat(60), 4),
	stopsAfterMs: rarely(fc.nat(2000), 8),
});

const rounds: fc.Arbitrary<Round> = fc.record({
	executions: fc.oneof(
		{ arbitrary: executions.map((one) => [one]), weight: 2 },
		{ arbitrary: fc.tuple(executions, executions).map((both) => [...both]), weight: 1 },
	),
	haveOwnProcesses: rarely(fc.constant(true), 4).map(Boolean),
	isChecked: rarely(fc.constant(true), 3).map(Boolean),
});

const storeFailures = fc.constantFrom<StoreFailure[]>('before', 'after');

const sequences: fc.Arbitrary<Sequence> = fc.record({
	variant: fc.oneof(
		{ arbitrary: fc.constant(documented), weight: 1 },
		{ arbitrary: modelVariants, weight: 4 },
	),
	faults: fc.array(rarely(faults, 3), { maxLength: 10 }),
	rounds: fc.array(rounds, { minLength: 1, maxLength: 3 }),
	latencyMs: fc.constantFrom(0, 0, 1, 90),
	requestsPerMinute: fc.constantFrom(2, 100, 100),
	storeFailuresByAccess: rarely(fc.array(rarely(storeFailures, 8), { maxLength: 20 }), 5).map(
		(failures) => failures ?? [],
	),
	storeMs: fc.constantFrom(0, 0, 0, 1, 40),
	isRemembered: rarely(fc.constant(false), 8).map((value) => value ?? true),
});

/** Everything that outlives a process. */
class World {
	readonly time = new VirtualTime();
	readonly row: Row = { entries: new Set() };
	readonly lockRow: LockRow = {};
	readonly service: ServiceModel;
	readonly problems: string[] = [];
	/** What was sent to the service, unless it was then reported as rejected. */
	readonly sent = new Set<string>();
	/** The references for which a person has allowed resending. */
	readonly resendAllowed = new Set<string>();
	/** Whether there may be a leftover claim of something that was never sent. */
	mayHaveLeftovers = false;
	/** How many deliveries existed when the round started. */
	existedBefore = 0;
	/** Whether several executions run concurrently, so that one may find another's fresh claim. */
	isConcurrent = false;
	accesses = 0;

	readonly sequence: Sequence;

	constructor(sequence: Sequence) {
		this.sequence = { ...sequence };
		const { variant, faults: sequenceFaults } = sequence;
		this.service = new ServiceModel(variant, sequenceFaults, rejectedOrders);
	}

	expect(isTrue: boolean, problem: string): void {
		if (!isTrue) this.problems.push(problem);
	}
}

/** A process of n8n, which may crash at any asynchronous step. */
class Process {
	readonly rateLimit: RateLimit;

	readonly store: Store;

	readonly memory = new ProcessMemory();

	readonly clock: Clock;

	readonly crashed: Promise<void>;

	private crash: () => void = () => undefined;

	private isCrashed = false;

	constructor(
		private readonly world: World,
		private stepsLeft = Infinity,
		hasLock = false,
	) {
		const { time, row, lockRow, sequence } = world;
		this.crashed = new Promise((resolve) => (this.crash = resolve));
		this.rateLimit = new RateLimit(sequence.requestsPerMinute, 60_000);
		this.clock = {
			now: () => time.now(),
			wait: async (ms, signal) => {
				if (ms > 0) await time.wait(ms, signal);
				await this.step();
			},
		};
		const times = (): AccessTimes => {
			const ms = sequence.storeMs;
			return { before: ms, between: ms, after: 0 };
		};
		const entries = entriesOf(row, this.clock, times);
		const store = storeOf({
			record: async (wanted) => await this.access(async () => await entries.record(wanted)),
			remove: async (unwanted) => await this.access(async () => await entries.remove(unwanted)),
		});
		const lock = memoryLock(lockRow, this.clock, times);
		this.store = !hasLock
			? store
			: async (access) =>
					await store(
						async (own) =>
							await withLock(lock, own, access, { clock: this.clock, random: () => 0.5 }),
					);
	}

	/** A point where the process may crash: then it never continues. */
	async step(): Promise<void> {
		if (this.stepsLeft-- <= 0 && !this.isCrashed) {
			this.isCrashed = true;
			this.world.mayHaveLeftovers = true;
			this.crash();
		}
		if (this.isCrashed) await new Promise<never>(() => undefined);
	}

	private async access<Result>(access: () => Promise<Result>): Promise<Result> {
		const failure = this.world.sequence.storeFailuresByAccess[this.world.accesses++];
		if (failure !== undefined) this.world.mayHaveLeftovers = true;
		if (failure === 'before') throw new Error('no database');
		const result = await access();
		if (failure === 'after') throw new Error('no database');
		return result;
	}
}

/** The jobs of an execution; each one without duplicate protection is its own order. */
function jobsFor(name: string, numbers: readonly number[], isRemembered: boolean): Job[] {
	return numbers.map((number, item) => {
		const { reference, company: companyId, type, orderId, whole, line } = orders[number] ?? {};
		const part =
			whole !== undefined && line !== undefined
				? { orderReferenceId: whole, lines: [{ id: line, quantity: 1, units: 1 }] }
				: undefined;
		const { delivery, claim, ...rest } = job(item, reference, { companyId, type, orderId, part });
		if (!delivery) throw new Error('no delivery');
		const isProtected = isRemembered && reference !== undefined;
		const order = isProtected ? nameOf(number) : `${nameOf(number)}, item ${item} of ${name}`;
		const { dropoff } = delivery;
		const contact = { ...dropoff.contact, name: order };
		return {
			...rest,
			claim: isRemembered ? claim : undefined,
			delivery: { ...delivery, dropoff: { ...dropoff, contact } },
		};
	});
}

/** Runs an execution. @returns undefined when its process crashed */
async function execute(
	world: World,
	process: Process,
	name: string,
	jobs: readonly Job[],
	{ batchSize, sendsOthers, startMs, stopsAfterMs }: Execution,
): Promise<readonly Job[] | undefined> {
	const { time, service, sequence } = world;
	const { clock, store, memory } = process;
	const stop = new AbortController();
	if (stopsAfterMs !== undefined) void time.wait(stopsAfterMs).then(() => stop.abort());
	const running = async () => {
		await clock.wait(startMs);
		await sendJobs(jobs, {
			send: async (body) => {
				for (const { referenceId: reference } of body.deliveries)
					world.sent.add(keyIn({ reference, company: body.companyId }));
				await clock.wait(sequence.latencyMs);
				const exchange = service.handle(body, name);
				await clock.wait(sequence.latencyMs);
				return exchange;
			},
			rateLimit: process.rateLimit,
			clock,
			random: () => 0.5,
			signal: stop.signal,
			batchSize,
			sendsOthers,
			ledger: sequence.isRemembered ? new Ledger(store, clock, memory) : undefined,
		});
		return jobs;
	};
	return await Promise.race([running(), process.crashed.then(() => undefined)]);
}

/** Compares what an execution reports with what the service has created. */
function checkReport(world: World, name: string, jobs: readonly Job[]): void {
	const { service, existedBefore } = world;
	const { existing } = service;
	for (const sent of jobs) {
		const { outcome } = sent;
		const order = orderNameOf(sent);
		if (!outcome) {
			world.expect(false, `${name}: ${order} has no outcome`);
			continue;
		}
		const claim = `${name}: ${order} is reported as ${outcome.kind}`;
		const isOfOrder = (one: Existing) => one.order === order;
		const own = existing.filter((one) => isOfOrder(one) && one.execution === name);
		switch (outcome.kind) {
			case 'created':
				world.expect(
					own.some(({ id }) => id === outcome.id),
					`${claim} with the ID ${outcome.id}, which is another delivery's`,
				);
				break;
			case 'rejected':
				if (sent.claim && !world.isConcurrent) world.sent.delete(keyOf(sent));
				world.expect(own.length === 0, `${claim}, but this execution has created it`);
				world.expect(
					!existing.slice(0, existedBefore).some(isOfOrder),
					`${claim}, but existed before`,
				);
				break;
			case 'notSent':
				world.expect(own.length === 0, `${claim}, but this execution has created it`);
				if (sent.claim && outcome.why.code === 'exchange')
					world.expect(
						!existing.slice(0, existedBefore).some(isOfOrder),
						`${claim}, but existed before`,
					);
				break;
			case 'unknown':
				world.expect(
					world.mayHaveLeftovers ||
						world.isConcurrent ||
						[...world.sent].some((key) => isOfSameOrder(key, keyOf(sent))) ||
						// The run ended while it waited for another shop's whole order.
						jobs.some(
							(one) =>
								one.claim?.orderId !== sent.claim?.orderId &&
								isOfSameOrder(keyOf(one), keyOf(sent)),
						),
					`${claim}, but was never sent, or rejected`,
				);
				break;
			case 'skipped':
				world.expect(
					isTrueSkip(world, sent, outcome, jobs),
					`${claim} (${outcome.why.code}), which is wrong`,
				);
				break;
			case 'invalid':
				world.expect(false, `${claim}, which sending never does`);
		}
	}
}

function orderNameOf({ delivery }: Job): string {
	return delivery ? orderOf(delivery) : '';
}

/** Whether two keys are equal, or one is a fulfillment order of the other. */
function isOfSameOrder(one: string, other: string): boolean {
	return one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`);
}

/** Whether a job was skipped for a true reason. */
function isTrueSkip(
	{ service: { existing }, resendAllowed, mayHaveLeftovers, isConcurrent, sent: everSent }: World,
	sent: Job,
	{ why }: Skipped,
	jobs: readonly Job[],
): boolean {
	const order = orderNameOf(sent);
	const wholeKey = keyIn({
		reference: sent.claim?.part?.orderReferenceId,
		company: sent.companyId,
	});
	const isRelated = (other: string) => isPartOf(order, other) || isPartOf(other, order);
	switch (why.code) {
		case 'alreadyCreated':
		case 'wholeCreated':
			return existing.some(
				(one) =>
					one.order === order ||
					isPartOf(order, one.order) ||
					// Allow Resending leaves the entry of the order behind.
					[keyOf(sent), wholeKey].some((key) => keyIn(one) === key && resendAllowed.has(key)),
			);
		case 'unitsSent':
			// By another fulfillment order with the same unit, or another execution has claimed it; that one
			// may have crashed, or not have sent it in the end.
			return (
				mayHaveLeftovers ||
				isConcurrent ||
				[...everSent].some((key) => key.startsWith(`${wholeKey}-`))
			);
		default:
			return jobs.some(
				(one) =>
					one !== sent &&
					(why.code === 'sameOrder'
						? isRelated(orderNameOf(one))
						: orderNameOf(one) === order && one.item < sent.item) &&
					['created', 'skipped'].includes(one.outcome?.kind ?? ''),
			);
	}
}

/** The key by which a delivery can be found at the service. */
function keyOf({ delivery, companyId }: Job): string {
	return keyIn({ reference: delivery?.referenceId, company: companyId });
}

function keyIn({ reference, company }: Order): string {
	return `${company ?? 'own'}/${reference}`;
}

/** What the message about an unknown delivery tells a person to look for, and to allow. */
const advice =
	/ look for (.+?)(?: and reference IDs that start with "(.+)")? in the Delivery Service\. .*"Allow Resending" for (.+), then /;

/** What a person does about unknown deliveries: allows resending those that are not found. */
async function checkUnknown(
	{ time, row, service, resendAllowed }: World,
	jobs: readonly Job[],
): Promise<void> {
	const store = storeOf(entriesOf(row, time, () => noTime));
	for (const sent of jobs) {
		const { outcome, companyId: company } = sent;
		if (outcome?.kind !== 'unknown') continue;
		const { description = '' } = describeUnknown(sent, outcome);
		const [, wanted, start, reference] = advice.exec(description) ?? [];
		if (reference === undefined) {
			// No other text may hide what to look for.
			expect(outcome.why.code === 'firstFailed' || !sent.claim).toBe(true);
			continue;
		}
		const key = keyIn({ reference, company });
		const isFound = (one: Existing) =>
			keyIn(one) === keyIn({ reference: wanted, company }) ||
			(start !== undefined && keyIn(one).startsWith(keyIn({ reference: start, company })));
		if (service.existing.some(isFound)) continue;
		await new Ledger(store, time).allowResending(sent.companyId, [reference]);
		resendAllowed.add(key);
	}
}

/** Runs the executions of a round concurrently, and checks their reports. */
async function runRound(world: World, round: Round, number: number): Promise<void> {
	const { isRemembered } = world.sequence;
	world.existedBefore = world.service.existing.length;
	world.isConcurrent = round.executions.length > 1;
	const shared = new Process(world, round.executions[0]?.crashesAfter);
	const reports = await Promise.all(
		round.executions.map(async (execution, index) => {
			const process = round.haveOwnProcesses
				? new Process(world, execution.crashesAfter, true)
				: shared;
			const name = `execution ${number}.${index}`;
			const jobs = jobsFor(name, execution.orders, isRemembered);
			return { name, jobs: await execute(world, process, name, jobs, execution) };
		}),
	);
	for (const { name, jobs } of reports) if (jobs) checkReport(world, name, jobs);
	if (round.isChecked)
		await checkUnknown(
			world,
			reports.flatMap(({ jobs }) => jobs ?? []),
		);
}

const normalExecution: Execution = {
	orders: [],
	batchSize: undefined,
	sendsOthers: true,
	startMs: 0,
	crashesAfter: undefined,
	stopsAfterMs: undefined,
};

/** Without any more failures, every valid order is eventually created exactly once. */
async function finish(world: World): Promise<void> {
	const { service, sequence } = world;
	service.variant = documented;
	service.faults = [];
	world.sequence.storeFailuresByAccess = [];
	world.isConcurrent = false;
	const used = new Set(
		sequence.rounds.flatMap((round) => round.executions.flatMap((one) => one.orders)),
	);
	const wanted = [...used].filter(
		(number) => orders[number]?.reference !== undefined && !orders[number].isInvalid,
	);
	const reported = new Set<string>();
	for (const name of ['the second to last execution', 'the last execution']) {
		reported.clear();
		const jobs = jobsFor(name, wanted, sequence.isRemembered);
		world.existedBefore = service.existing.length;
		if (!(await execute(world, new Process(world), name, jobs, normalExecution)))
			throw new Error('The process crashed unexpectedly');
		checkReport(world, name, jobs);
		for (const one of jobs) {
			const { kind } = one.outcome ?? {};
			const isShared =
				one.claim?.orderId !== undefined || isSplitReference(one.delivery?.referenceId);
			world.expect(
				kind !== 'rejected' && (kind !== 'notSent' || isShared),
				`${orderNameOf(one)} is ${kind} although nothing failed`,
			);
			// Another fulfillment order has its unit, or an execution that crashed had.
			const hasUnit = one.outcome?.kind === 'skipped' && one.outcome.why.code === 'unitsSent';
			if ((kind === 'notSent' || kind === 'unknown' || hasUnit) && isShared)
				reported.add(orderNameOf(one));
		}
		if (jobs.every(({ outcome }) => outcome?.kind !== 'unknown')) break;
		await checkUnknown(world, jobs);
	}
	for (const number of wanted) {
		const name = keyIn(orders[number] ?? {});
		const isSettled = service.existing.some(
			(one) =>
				keyIn(one) === name ||
				isPartOf(nameOf(number), one.order) ||
				isPartOf(one.order, nameOf(number)),
		);
		const { reference, whole = reference, company } = orders[number] ?? {};
		// See isTrueSkip: two orders with this reference are no longer distinguished.
		const isShared = isSplitReference(reference);
		const hadResent = isShared && world.resendAllowed.has(keyIn({ reference: whole, company }));
		world.expect(
			isSettled || hadResent === true || reported.has(nameOf(number)),
			`${nameOf(number)} was not created`,
		);
	}
}

/** Runs a sequence, and returns what went wrong. */
async function problemsOf(sequence: Sequence): Promise<string[]> {
	const world = new World(sequence);
	await world.time.until(
		(async () => {
			for (const [number, round] of sequence.rounds.entries()) await runRound(world, round, number);
			await finish(world);
		})(),
	);
	const seen = new Set<string>();
	for (const { order } of world.service.existing) {
		world.expect(!seen.has(order), `${order} was created twice`);
		seen.add(order);
	}
	for (const one of world.service.existing)
		for (const other of world.service.existing)
			world.expect(
				!sequence.isRemembered ||
					!isPartOf(one.order, other.order) ||
					[...world.resendAllowed].some((key) => isOfSameOrder(key, keyIn(other))),
				`${one.order} was created, and so was its whole order`,
			);
	return world.problems;
}

test(
	`creates each order once and reports true outcomes in ${count} random sequences (SEQUENCES_SEED=${seed})`,
	async () => {
		await fc.assert(
			fc.asyncProperty(sequences, async (sequence) => {
				const problems = await problemsOf(sequence);
				// An expect() for each would take as long as the sequences themselves.
				if (problems.length > 0) throw new Error(problems.join('; '));
			}),
			{ seed, numRuns: count },
		);
	},
	// Each takes some 6 ms: 100,000 take longer than any other test may.
	600_000 + 20 * count,
);
