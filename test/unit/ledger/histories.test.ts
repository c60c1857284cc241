/**
 * Random histories of one order and its neighbors: sent whole and in parts, split and replaced, by
 * several executions, with crashes and failures of the store at any access. No unit is ever sent twice,
 * whatever is not known to be created or free is unknown. The order also changes, and back: a delivery
 * that looks unchanged has what the order has now. A unit that is added to a sent part, which is then
 * reported, is not sent with another part. An order that was seen is never taken for a new one.
 */
import fc from 'fast-check';

import type { Entries, Store } from '../../../nodes/DeliveryService/ledger/store';
import type { SentAs } from '../../../nodes/DeliveryService/ledger/changes';
import type { Claim, ClaimState, Found } from '../../../nodes/DeliveryService/ledger/claims';
import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import type { Trace } from '../../../nodes/DeliveryService/ledger/traces';

const seed = Number(process.env.SEQUENCES_SEED ?? Date.now() % 2 ** 31);
const count = Number(process.env.SEQUENCES ?? 1500);

const quantities = { shirt: 2, mug: 1, socks: 60 };

type Line = keyof typeof quantities;

/** A delivery that some execution wants to send. */
interface Wanted extends Claim {
	/** The units that it contains. */
	units: Units;
	/** Whether it gets a unit that is added to the order. */
	isGrowing?: boolean;
}

type Units = Partial<Record<Line, number>>;

const whole = { ...quantities };

function part(referenceId: string, units: Wanted['units'], lines: readonly Line[]): Wanted {
	const counted = lines.map((id) => ({ id, quantity: quantities[id], units: units[id] ?? 0 }));
	return { referenceId, orderId: 'A', units, part: { orderReferenceId: '#1', lines: counted } };
}

const small: Line[] = ['shirt', 'mug'];
const large: Line[] = ['shirt', 'mug', 'socks'];

/** An order, its fulfillment orders before and after changes in Shopify, and others of the same name. */
const wanted: readonly Wanted[] = [
	{ referenceId: '#1', orderId: 'A', units: whole },
	{ ...part('#1-1', { shirt: 2, mug: 1 }, small), isGrowing: true },
	part('#1-2', { shirt: 1 }, small),
	part('#1-3', { shirt: 1, mug: 1 }, small),
	part('#1-4', { socks: 60 }, large),
	part('#1-5', { socks: 31, mug: 1 }, large),
	part('#1-6', { socks: 29 }, large),
	{ referenceId: '#1', orderId: 'B', units: whole },
	{ ...part('#1-7', { shirt: 1 }, small), orderId: 'B' },
	{ referenceId: '#1', units: whole },
	{ referenceId: '#1', orderId: 'A', companyId: 8, units: whole },
];

const lines: Line[] = ['shirt', 'mug', 'socks'];

type Step =
	| { kind: 'send'; process: number; numbers: number[]; outcomes: boolean[] }
	| { kind: 'lookUp'; numbers: number[] }
	| { kind: 'flush'; process: number }
	| { kind: 'edit'; sentAs: SentAs | undefined }
	| { kind: 'add'; added: number }
	| { kind: 'report'; process: number; numbers: number[] }
	| { kind: 'remember'; process: number; trace: Trace; number: number }
	| { kind: 'allow'; reference: string };

const numbersFrom = (number: fc.Arbitrary<number>) =>
	fc.uniqueArray(number, {
		minLength: 1,
		maxLength: 4,
		// Two deliveries with one reference never reach the ledger together.
		selector: (one) => `${wanted[one]?.companyId} ${wanted[one]?.referenceId}`,
	});

/** Often those that have the same units. */
const numbers = fc.oneof(
	numbersFrom(fc.nat(wanted.length - 1)),
	numbersFrom(fc.integer({ min: 1, max: 3 })),
);

const steps: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constant('send' as const),
			process: fc.nat(1),
			numbers,
			outcomes: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('lookUp' as const), numbers }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const), process: fc.nat(1) }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('edit' as const),
			sentAs: fc.constantFrom<Array<SentAs | undefined>>(
				{ rest: 'a', cash: '10' },
				{ rest: 'b', cash: '10' },
				{ rest: 'a', cash: '6' },
				{ rest: 'a' },
				{ rest: 'b' },
				undefined,
			),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ kind: fc.constant('add' as const), added: fc.nat(1) }),
	},
	{
		weight: 3,
		arbitrary: fc.record({ kind: fc.constant('report' as const), process: fc.nat(1), numbers }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('remember' as const),
			process: fc.nat(1),
			trace: fc.constantFrom<Trace[]>('seen', 'named'),
			number: fc.nat(wanted.length - 1),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('allow' as const),
			reference: fc.constantFrom('#1', '#1-2', '#1-5'),
		}),
	},
);

/**
 * What happens at an access to the store: it fails before or after its effect, also several times in a
 * row, or the process ends.
 */
type Fault = 'failsBefore' | 'failsAfter' | 'outage' | 'crashesBefore' | 'crashesAfter' | undefined;

/** An outage outlasts all attempts. */
const accessesInOutage = 9;

const faults: fc.Arbitrary<Fault[]> = fc.array(
	fc.oneof(
		{ weight: 12, arbitrary: fc.constant(undefined) },
		{
			weight: 1,
			arbitrary: fc.constantFrom<Fault[]>(
				'failsBefore',
				'failsAfter',
				'outage',
				'crashesBefore',
				'crashesAfter',
			),
		},
	),
	{ maxLength: 60 },
);

/** More than any history needs. */
const maxAccesses = 10_000;

class Crash extends Error {}

class World {
	readonly entries = new Set<string>();
	readonly problems: string[] = [];
	/** What exists at the service, since Allow Resending was last used for the order. */
	created: Wanted[] = [];
	/** Everything that was ever created. */
	readonly everCreated = new Set<Wanted>();
	/** The units that each delivery was created with, or that its reported changes have added. */
	readonly units = new Map<Wanted, Units>();
	/** How many shirts were added to each order. */
	added = 0;
	/** What the orders' deliveries would be sent as now, apart from what was added. */
	private edited: SentAs | undefined = { rest: 'a', cash: '10' };
	/** What each delivery was sent as, or was last reported as. */
	readonly reported = new Map<Wanted, SentAs | undefined>();
	readonly withoutCash = new Set<Wanted>();
	/** The orders and deliveries that were remembered, certainly and maybe, with their trace. */
	readonly remembered = new Set<string>();
	readonly maybeRemembered = new Set<string>();
	faultCount = 0;
	private failuresLeft = 0;
	private accesses = 0;

	constructor(private readonly faults: readonly Fault[]) {}

	/** The store of a process, which does nothing more after it has crashed. */
	openStore(): Store {
		let isCrashed = false;
		const access = async <Result>(work: () => Result): Promise<Result> => {
			await Promise.resolve();
			if (isCrashed) throw new Crash();
			const fault = this.faults[this.accesses++];
			if (this.accesses > maxAccesses) throw new Error('The ledger never ends');
			if (fault !== undefined || this.failuresLeft > 0) this.faultCount++;
			if (fault === 'outage') this.failuresLeft = accessesInOutage;
			if (fault === 'failsBefore' || this.failuresLeft-- > 0) throw new Error('no database');
			isCrashed = fault === 'crashesBefore' || fault === 'crashesAfter';
			if (fault === 'crashesBefore') throw new Crash();
			const result = work();
			if (fault === 'failsAfter') throw new Error('no database');
			if (fault === 'crashesAfter') throw new Crash();
			return result;
		};
		const entries: Entries = {
			record: async (some) =>
				await access(() => {
					const added = some.filter((entry) => !this.entries.has(entry));
					for (const entry of some) this.entries.add(entry);
					return new Set(added);
				}),
			remove: async (some) =>
				await access(() => {
					for (const entry of some) this.entries.delete(entry);
				}),
		};
		return async (work) => await work(entries);
	}

	/** The service creates a delivery that was claimed. */
	create(one: Wanted): void {
		const others = this.created.filter((other) => isSameOrder(one, other));
		if (one.part) {
			this.expect(!others.some((other) => !other.part), `${nameOf(one)} after its whole order`);
			this.expect(!others.includes(one), `${nameOf(one)} twice`);
			this.units.set(one, this.unitsNow(one));
			for (const line of lines) {
				const sum = this.sum([one, ...others], line);
				const ordered = this.ordered(line);
				this.expect(!one.units[line] || sum <= ordered, `${sum} of ${ordered} units of ${line}`);
			}
		} else this.expect(others.length === 0, `${nameOf(one)} again, whole`);
		this.created.push(one);
		this.everCreated.add(one);
		this.reported.set(one, one.orderId === undefined ? undefined : this.sentAs);
		if (this.sentAs?.cash === undefined) this.withoutCash.add(one);
		else this.withoutCash.delete(one);
	}

	edit(sentAs: SentAs | undefined): void {
		this.edited = sentAs;
	}

	/** What the orders' deliveries would be sent as now. */
	get sentAs(): SentAs | undefined {
		return this.edited && { ...this.edited, rest: `${this.edited.rest} ${this.added}` };
	}

	/** What a claim would be now, of a late order. */
	claimOf(one: Wanted): Claim {
		const now = this.unitsNow(one);
		const linesNow = one.part?.lines.map((line) => {
			const id = lines.find((each) => each === line.id) ?? 'mug';
			return { id, quantity: this.ordered(id), units: now[id] ?? 0 };
		});
		const own = one.part && linesNow && { ...one.part, lines: linesNow };
		return { ...one, part: own, sentAs: this.sentAs, isLate: true };
	}

	private unitsNow({ units, isGrowing }: Wanted): Units {
		return isGrowing ? { ...units, shirt: (units.shirt ?? 0) + this.added } : units;
	}

	private ordered(line: Line): number {
		return quantities[line] + (line === 'shirt' ? this.added : 0);
	}

	private sum(deliveries: readonly Wanted[], line: Line): number {
		return deliveries
			.filter(({ part: isPart }) => isPart)
			.reduce((total, each) => total + (this.units.get(each)?.[line] ?? 0), 0);
	}

	/** A change of a delivery was reported: it has the units that were added, unless another one has them. */
	report(one: Wanted): void {
		const { shirt: before } = this.units.get(one) ?? {};
		const others = this.created.filter((other) => isSameOrder(one, other));
		if (!one.part || before === undefined || !others.includes(one)) return;
		const added = (this.unitsNow(one).shirt ?? 0) - before;
		const free = this.ordered('shirt') - this.sum(others, 'shirt');
		const shirt = before + Math.max(0, Math.min(added, free));
		this.units.set(one, { ...this.units.get(one), shirt });
	}

	/** Checks that what was found is true. */
	check(one: Wanted, found: Found | undefined): void {
		const { state = 'unknown', change, trace = 'seen' } = found ?? {};
		const known = this.reported.get(one);
		const isEqual = known?.rest === this.sentAs?.rest && known?.cash === this.sentAs?.cash;
		// The cash of a delivery that was sent without any is not compared.
		const isUnchanged = isEqual || (known?.rest === this.sentAs?.rest && this.withoutCash.has(one));
		const isOwn = state === 'created' && this.created.includes(one);
		if (isOwn && this.sentAs && known && !change)
			this.expect(isUnchanged, `the change of ${nameOf(one)} is lost`);
		const hasTrace = this.remembered.has(traceOf(one, 'seen')) || this.created.includes(one);
		this.expect(trace === 'seen' || !hasTrace, `${nameOf(one)} is not seen`);
		const isNamed = trace === 'named';
		this.expect(!isNamed || this.maybeRemembered.has(traceOf(one, 'named')), 'named by nobody');
		const ever = [...this.everCreated].filter((other) => isSameOrder(one, other));
		const isTrue: Partial<Record<ClaimState, boolean>> = {
			created: ever.some(({ referenceId }) => referenceId === one.referenceId),
			wholeCreated: ever.some((other) => !other.part),
			anotherOrder: [...this.everCreated].some((other) => other.referenceId === one.referenceId),
			grown: (this.unitsNow(one).shirt ?? 0) > (this.units.get(one)?.shirt ?? 0),
		};
		this.expect(isTrue[state] ?? true, `${nameOf(one)} is ${state}`);
	}

	expect(isTrue: boolean, problem: string): void {
		if (!isTrue) this.problems.push(problem);
	}
}

/** Whether two deliveries are of the same order; one without an order ID may be of any. */
function isSameOrder(one: Wanted, other: Wanted): boolean {
	if (one.companyId !== other.companyId) return false;
	const [a, b] = [one.orderId, other.orderId];
	return a === undefined || b === undefined || a === b;
}

/** That an order was seen, or a delivery named. */
function traceOf({ companyId, referenceId, orderId, part: own }: Wanted, trace: Trace): string {
	const ofOrder = own?.orderReferenceId ?? referenceId;
	return JSON.stringify([trace, companyId, trace === 'seen' ? ofOrder : referenceId, orderId]);
}

function nameOf({ referenceId, orderId, companyId }: Wanted): string {
	return `${referenceId} of order ${orderId} in company ${companyId ?? 'own'}`;
}

const noWait = { now: () => 0, wait: async () => await Promise.resolve() };

async function run(world: World, history: readonly Step[]): Promise<void> {
	const processes = [0, 1].map(() => new Ledger(world.openStore(), noWait));
	const restart = (number: number) => (processes[number] = new Ledger(world.openStore(), noWait));
	for (const step of history) {
		const process = 'process' in step ? step.process : 0;
		const ledger = processes[process] ?? restart(process);
		const some = 'numbers' in step ? step.numbers.flatMap((number) => wanted[number] ?? []) : [];
		try {
			if (step.kind === 'flush') await ledger.flush();
			else if (step.kind === 'edit') world.edit(step.sentAs);
			else if (step.kind === 'add') world.added = step.added;
			else if (step.kind === 'remember') await remember(world, ledger, step);
			else if (step.kind === 'report') {
				// Until then, what another one has released still has its units.
				for (const each of processes) await each.flush();
				await report(world, ledger, some);
			} else if (step.kind === 'lookUp') {
				const before = [...world.entries].sort().join();
				const faultsBefore = world.faultCount;
				for (const one of some) {
					const claims = some.map((each) => world.claimOf(each));
					const found = await new Ledger(world.openStore(), noWait).lookUp(claims);
					world.check(one, found.get(claims[some.indexOf(one)] ?? one));
				}
				if (world.faultCount === faultsBefore)
					world.expect([...world.entries].sort().join() === before, 'a look-up changed something');
			} else if (step.kind === 'send') {
				const claims = some.map((each) => world.claimOf(each));
				const states = await ledger.claim(claims);
				for (const [index, one] of some.entries()) {
					const claim = claims[index] ?? one;
					const found = states.get(claim);
					world.check(one, found);
					if (found?.state !== 'free') continue;
					if (step.outcomes[index]) {
						world.create(one);
						ledger.confirm(claim);
					} else ledger.release(claim);
				}
			} else {
				// A person makes sure that nothing is being sent.
				for (const each of processes) await each.flush();
				const isFreed = (one: Wanted) =>
					one.companyId === undefined &&
					(step.reference === '#1' || one.referenceId === step.reference);
				const existed = world.created.some(isFreed);
				// Also if this is interrupted: the person wanted it.
				world.created = world.created.filter((one) => !isFreed(one));
				const person = new Ledger(world.openStore(), noWait);
				const remembered = await person.allowResending(undefined, [step.reference]);
				const isTold =
					remembered.get(step.reference) === 'freed' || !existed || world.faultCount > 0;
				world.expect(isTold, `${step.reference} is not remembered`);
			}
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			if (error instanceof Crash) restart(process);
			else if (!/^(no database|Released claims could not be removed)$/.test(error.message))
				throw error;
		}
	}
}

async function remember(
	world: World,
	ledger: Ledger,
	{ trace, number }: Extract<Step, { kind: 'remember' }>,
): Promise<void> {
	const one = wanted[number];
	if (!one) return;
	world.maybeRemembered.add(traceOf(one, trace));
	ledger.remember([one], trace);
	await ledger.flush();
	world.remembered.add(traceOf(one, trace));
}

/** Reports the changes of created deliveries. One that another process has claimed is waited for in vain. */
async function report(world: World, ledger: Ledger, some: readonly Wanted[]): Promise<void> {
	const claims = new Map(some.map((one) => [world.claimOf(one), one]));
	const found = await ledger.lookUp([...claims.keys()]);
	for (const [claim, one] of claims) world.check(one, found.get(claim));
	const owned = await ledger.claimChanges([...claims.keys()]);
	for (const [claim, one] of claims) {
		const { change } = found.get(claim) ?? {};
		world.expect(owned.has(claim) === Boolean(change) || world.faultCount > 0, 'not claimed');
		if (!owned.has(claim)) continue;
		const known = world.reported.get(one);
		const isRepeated = known?.rest === claim.sentAs?.rest && known?.cash === claim.sentAs?.cash;
		const isNeeded = !isRepeated || change?.claimedElsewhere !== undefined || world.faultCount > 0;
		world.expect(isNeeded || !world.created.includes(one), `${nameOf(one)} is reported twice`);
		world.reported.set(one, claim.sentAs);
		if (change?.rest) world.report(one);
		ledger.recordChange(claim);
	}
}

test(`no unit is sent twice in ${count} random histories (SEQUENCES_SEED=${seed})`, async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(steps, { maxLength: 12 }), faults, async (history, some) => {
			const world = new World(some);
			await run(world, history);
			if (world.problems.length > 0) throw new Error(world.problems.join('; '));
		}),
		{ seed, numRuns: count },
	);
});

test('after any history, Allow Resending for the order lets every delivery of it go out again', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(steps, { maxLength: 8 }),
			faults,
			fc.nat(wanted.length - 1),
			async (history, some, number) => {
				const one = wanted[number];
				if (!one || one.companyId !== undefined) return;
				const world = new World(some);
				await run(world, history);
				const calm = new World([]);
				for (const entry of world.entries) calm.entries.add(entry);
				const later = new Ledger(calm.openStore(), noWait);
				await later.allowResending(undefined, ['#1', one.referenceId]);
				const states = await later.claim([one]);
				const { state } = states.get(one) ?? {};
				if (state !== 'free') throw new Error(`${nameOf(one)} is ${state}`);
			},
		),
		{ seed, numRuns: Math.ceil(count / 3) },
	);
});
