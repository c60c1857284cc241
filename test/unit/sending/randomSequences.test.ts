/**
 * Random sequences of executions against random API variants, with faults, crashes and overlapping
 * orders. Each order must be created exactly once, and every reported outcome must be true.
 */
import fc from 'fast-check';

import type { Store } from '../../../nodes/DeliveryService/ledger/entries';
import { openLedger } from '../../../nodes/DeliveryService/ledger/ledger';
import { forgetReferences } from '../../../nodes/DeliveryService/ledger/references';
import { whileHeld, withLock } from '../../../nodes/DeliveryService/ledger/lock';
import { sendCreations } from '../../../nodes/DeliveryService/sending/creations';
import type { Report } from '../../../nodes/DeliveryService/sending/options';
import type { Creation, Skipped } from '../../../nodes/DeliveryService/sending/outcomes';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import { creation } from '../../support/creations';
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
const count = Number(process.env.SEQUENCES ?? 10_000);

const ownCompany = 7;

/** An order that a shop wants delivered; several executions may contain it. */
interface Order {
	/** Two orders may share it. Without it, nothing prevents duplicates of a delivery. */
	reference?: string;
	company?: number;
	type?: Creation['type'];
	/** Shopify's ID of the order. */
	orderId?: string;
	/** Whether the service rejects it. */
	isInvalid?: boolean;
	/** The reference of the whole order, if this is a fulfillment order. */
	whole?: string;
}

/** Orders whose references are easily confused. */
const orders: readonly Order[] = [
	{ reference: '#1001' },
	{ reference: '1002', isInvalid: true },
	{ reference: 'R3' },
	{ reference: 'r3' },
	{ reference: '#5' },
	{ reference: '5' },
	{ reference: '0006', company: ownCompany },
	{ reference: '#1001', company: 8 },
	{ reference: 'X8', type: 'express' },
	{ reference: ' 9 9' },
	{ reference: 'B10', isInvalid: true },
	{ reference: 'S11', orderId: "one shop's" },
	{ reference: 'S11', orderId: "another shop's" },
	{},
	{ reference: 'W14', orderId: 'W' },
	{ reference: 'W14-1', orderId: 'W', whole: 'W14' },
	{ reference: 'W14-2', orderId: 'W', whole: 'W14' },
	{ reference: 'W14-3', orderId: 'W', whole: 'W14', isInvalid: true },
	{ reference: 'W14', orderId: "another shop's W" },
	{ reference: 'W14-5', orderId: "another shop's W", whole: 'W14', type: 'express' },
	{ reference: 'W14', company: 8 },
	{ reference: 'W14-6', company: 8, whole: 'W14' },
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
	/** Undefined for the automatic choice. */
	maxInFlight: number | undefined;
	continueOnFail: boolean;
	maxRetryMs: number;
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
	/** Whether the option is on; the service then rejects batches as a whole. */
	retryRejectedBatches: boolean;
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
	maxInFlight: fc.constantFrom(undefined, 1, 2, 10),
	continueOnFail: fc.boolean(),
	maxRetryMs: fc.constantFrom(0, 30_000, 300_000),
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
	retryRejectedBatches: fc.boolean(),
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
	marks = 0;

	readonly sequence: Sequence;

	constructor(sequence: Sequence) {
		this.sequence = { ...sequence };
		const { variant, faults: sequenceFaults, retryRejectedBatches } = sequence;
		this.service = new ServiceModel(variant, sequenceFaults, rejectedOrders, retryRejectedBatches);
	}

	expect(isTrue: boolean, problem: string): void {
		if (!isTrue) this.problems.push(problem);
	}
}

/** A process of n8n, which may crash at any asynchronous step. */
class Process {
	readonly rateLimit: RateLimit;

	readonly store: Store;

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
			: {
					runExclusive: async (access) =>
						await withLock(
							lock,
							`turn ${++world.marks}`,
							this.clock,
							() => 0.5,
							async (assertHeld) =>
								await store.runExclusive(
									async (entries) => await access(whileHeld(entries, assertHeld)),
								),
						),
				};
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

/** The creations of an execution; each one without duplicate protection is its own order. */
function creationsFor(name: string, numbers: readonly number[], isRemembered: boolean): Creation[] {
	return numbers.map((number, item) => {
		const { reference, company: companyId, type, orderId, whole } = orders[number] ?? {};
		const { delivery, ...rest } = creation(item, reference, {
			companyId,
			type,
			orderId,
			orderReferenceId: whole,
		});
		const isProtected = isRemembered && reference !== undefined;
		const order = isProtected ? nameOf(number) : `${nameOf(number)}, item ${item} of ${name}`;
		const { dropoff } = delivery;
		const contact = { ...dropoff.contact, name: order };
		return { ...rest, delivery: { ...delivery, dropoff: { ...dropoff, contact } } };
	});
}

/** Runs an execution. @returns undefined when its process crashed */
async function execute(
	world: World,
	process: Process,
	name: string,
	creations: readonly Creation[],
	{ batchSize, maxInFlight, continueOnFail, maxRetryMs, startMs, stopsAfterMs }: Execution,
): Promise<Report | undefined> {
	const { time, service, sequence } = world;
	const { clock, store } = process;
	const stop = new AbortController();
	if (stopsAfterMs !== undefined) void time.wait(stopsAfterMs).then(() => stop.abort());
	const running = async () => {
		await clock.wait(startMs);
		return await sendCreations(creations, {
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
			maxInFlight,
			maxRetryMs,
			continueOnFail,
			ownCompanyId: ownCompany,
			retryRejectedBatches: sequence.retryRejectedBatches,
			...(sequence.isRemembered && {
				ledgerFor: (company) =>
					openLedger(store, scopeOf(company), `${name}, ledger ${++world.marks}`, clock),
			}),
		});
	};
	return await Promise.race([running(), process.crashed.then(() => undefined)]);
}

function scopeOf(company = ownCompany): string {
	return `company ${company}`;
}

/** Compares what an execution reports with what the service has created. */
function checkReport(
	world: World,
	name: string,
	creations: readonly Creation[],
	report: Report,
): void {
	const { service, existedBefore } = world;
	const { existing } = service;
	const items = report.results.map((result) => result.creation.item);
	const isComplete = items.length === creations.length && items.every((item, at) => item === at);
	world.expect(
		isComplete,
		`${name}: does not have one outcome per creation, in order: ${items.join()}`,
	);
	for (const { creation: sent, outcome } of report.results) {
		const order = orderOf(sent.delivery);
		const isProtected = world.sequence.isRemembered && sent.delivery.referenceId !== undefined;
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
				if (isProtected && !world.isConcurrent) world.sent.delete(keyOf(sent));
				world.expect(own.length === 0, `${claim}, but this execution has created it`);
				world.expect(
					!existing.slice(0, existedBefore).some(isOfOrder),
					`${claim}, but existed before`,
				);
				break;
			case 'notSent':
				world.expect(own.length === 0, `${claim}, but this execution has created it`);
				break;
			case 'unknown':
				world.expect(
					world.mayHaveLeftovers ||
						world.isConcurrent ||
						[...world.sent].some((key) => isOfSameOrder(key, keyOf(sent))) ||
						// The run ended while it waited for another shop's whole order.
						creations.some(
							(one) => one.orderId !== sent.orderId && isOfSameOrder(keyOf(one), keyOf(sent)),
						),
					`${claim}, but was never sent, or rejected`,
				);
				break;
			case 'skipped':
				world.expect(
					isTrueSkip(world, sent, outcome, report),
					`${claim} (${outcome.reason}), which is wrong`,
				);
		}
	}
}

/** What the key of the whole order consists of. */
function wholeOf({ orderReferenceId, companyId }: Creation): Order {
	return { reference: orderReferenceId, company: companyId };
}

/** Whether two keys are equal, or one is a fulfillment order of the other. */
function isOfSameOrder(one: string, other: string): boolean {
	return one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`);
}

/** Whether a creation was skipped for a true reason. */
function isTrueSkip(
	{ service: { existing }, resendAllowed }: World,
	sent: Creation,
	{ reason }: Skipped,
	{ results }: Report,
): boolean {
	const order = orderOf(sent.delivery);
	const isRelated = (other: string) => isPartOf(order, other) || isPartOf(other, order);
	// Allowing resending leaves the entry of the order behind: a limit that docs/decisions.md explains.
	const isReusedReference = (one: Existing) =>
		[keyOf(sent), keyIn(wholeOf(sent))].some((key) => keyIn(one) === key && resendAllowed.has(key));
	if (reason === 'alreadyCreated')
		return existing.some(
			(one) => one.order === order || isPartOf(order, one.order) || isReusedReference(one),
		);
	return results.some(
		({ creation, outcome }) =>
			creation.item < sent.item &&
			(reason === 'sameOrderInInput'
				? isRelated(orderOf(creation.delivery))
				: orderOf(creation.delivery) === order) &&
			['created', 'skipped'].includes(outcome.kind),
	);
}

/** The key by which a delivery can be found at the service. */
function keyOf({ delivery, companyId }: Creation): string {
	return keyIn({ reference: delivery.referenceId, company: companyId });
}

function keyIn({ reference, company = ownCompany }: Order): string {
	return `${company}/${reference}`;
}

/** What a person does about unknown deliveries: allows resending those that don't exist. */
async function checkUnknown(
	{ time, row, service, resendAllowed }: World,
	reports: readonly Report[],
): Promise<void> {
	const store = storeOf(entriesOf(row, time, () => noTime));
	for (const { results } of reports)
		for (const { creation: sent, outcome } of results) {
			if (outcome.kind !== 'unknown') continue;
			const { message, description = '' } = outcome.problem;
			if (!description.includes('Allow Resending')) continue;
			const reference = message.includes('the whole order')
				? sent.orderReferenceId
				: sent.delivery.referenceId;
			if (reference === undefined) continue;
			const key = keyIn({ reference, company: sent.companyId });
			// The person also finds the fulfillment orders of an order.
			const isFound = (one: Existing) =>
				keyIn(one) === key ||
				(reference === sent.delivery.referenceId && keyIn(one).startsWith(`${key}-`));
			if (service.existing.some(isFound)) continue;
			await forgetReferences(store, scopeOf(sent.companyId), [reference]);
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
			const creations = creationsFor(name, execution.orders, isRemembered);
			const report = await execute(world, process, name, creations, execution);
			return { name, creations, report };
		}),
	);
	for (const { name, creations, report } of reports)
		if (report) checkReport(world, name, creations, report);
	if (round.isChecked)
		await checkUnknown(
			world,
			reports.flatMap(({ report }) => report ?? []),
		);
}

const normalExecution: Execution = {
	orders: [],
	batchSize: undefined,
	maxInFlight: undefined,
	continueOnFail: true,
	maxRetryMs: 0,
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
		const creations = creationsFor(name, wanted, sequence.isRemembered);
		world.existedBefore = service.existing.length;
		const report = await execute(world, new Process(world), name, creations, normalExecution);
		if (!report) throw new Error('The process crashed unexpectedly');
		checkReport(world, name, creations, report);
		for (const { creation: sent, outcome } of report.results) {
			const isShared = sent.orderId !== undefined || isSplitReference(sent.delivery.referenceId);
			world.expect(
				outcome.kind !== 'rejected' && (outcome.kind !== 'notSent' || isShared),
				`${orderOf(sent.delivery)} is ${outcome.kind} although nothing failed`,
			);
			if (['notSent', 'unknown'].includes(outcome.kind) && isShared)
				reported.add(orderOf(sent.delivery));
		}
		if (report.results.every(({ outcome }) => outcome.kind !== 'unknown')) break;
		await checkUnknown(world, [report]);
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

test(`creates each order once and reports true outcomes in ${count} random sequences (SEQUENCES_SEED=${seed})`, async () => {
	await fc.assert(
		fc.asyncProperty(sequences, async (sequence) => {
			const problems = await problemsOf(sequence);
			// An expect() for each would take as long as the sequences themselves.
			if (problems.length > 0) throw new Error(problems.join('; '));
		}),
		{ seed, numRuns: count },
	);
});
