import fc from 'fast-check';

import type { Entries, Store } from '../../../nodes/DeliveryService/ledger/entries';
import { openLedger, type Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import {
	forgetReferences,
	type Claim,
	type Claimant,
	type ReferenceState,
} from '../../../nodes/DeliveryService/ledger/references';
import { whileHeld, withLock } from '../../../nodes/DeliveryService/ledger/lock';
import { claimWith, confirmWith } from '../../support/ledger';
import {
	entriesOf,
	memoryLock,
	memoryStore,
	noTime,
	storeOf,
	type AccessTimes,
	type Row,
	type LockRow,
} from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

const scope = 'service and company';

let time: VirtualTime;
let row: Row;
let executions: number;

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
	executions = 0;
});

/** Opens a ledger as a new execution does. */
function newLedger(times: () => AccessTimes = () => noTime, ledgerScope = scope): Ledger {
	return openLedger(memoryStore(row, time, times), ledgerScope, `execution ${++executions}`, time);
}

/**
 * Parses claimants from "reference" or "reference@order". The fulfillment orders of the whole order
 * "P" are "P-1", "P-2" and so on.
 */
function claimantsOf(...names: string[]): Claimant[] {
	return names.map((name) => {
		const [referenceId = '', orderId] = name.split('@');
		const [orderReferenceId, part] = referenceId.split(/-(?=\d+$)/);
		return { referenceId, orderId, ...(part !== undefined && { orderReferenceId }) };
	});
}

async function claim(ledger: Ledger, ...names: string[]): Promise<Record<string, Claim>> {
	return Object.fromEntries(await time.until(claimWith(ledger, claimantsOf(...names))));
}

/** Looks up references as a new execution. */
async function lookUp(...names: string[]): Promise<Record<string, ReferenceState>> {
	return Object.fromEntries(await time.until(newLedger().lookUp(claimantsOf(...names))));
}

/** Claims and confirms references, each as a new execution. */
async function create(...names: string[]): Promise<void> {
	for (const name of names) {
		const ledger = newLedger();
		await claim(ledger, name);
		await time.until(confirmWith(ledger, claimantsOf(name)));
	}
}

/** Forgets references, and returns those that were remembered. */
async function forget(...names: string[]): Promise<string[]> {
	const store = memoryStore(row, time);
	return [...(await time.until(forgetReferences(store, scope, names)))];
}

type Action = (ledger: Ledger, claimants: Claimant[]) => Promise<unknown>;

const actions: Readonly<Record<'claim' | 'lookUp', Action>> = {
	claim: claimWith,
	lookUp: async (ledger, claimants) => await ledger.lookUp(claimants),
};

/** An interrupted look-up may leave either of them. */
const unknown: Claim[] = ['unknown', 'lost'];

/** The crash of a process during a store access. */
class Crash extends Error {}

/** A store whose process crashes before or after an access has taken effect. */
function crashingStore(crashAt: number, when: 'before' | 'after'): Store {
	const entries = entriesOf(row, time, () => noTime);
	let accesses = 0;
	const access = async <Result>(work: () => Promise<Result>): Promise<Result> => {
		const crashes = accesses++ === crashAt;
		if (crashes && when === 'before') throw new Crash();
		const result = await work();
		if (crashes) throw new Crash();
		return result;
	};
	return storeOf({
		record: async (wanted) => await access(async () => await entries.record(wanted)),
		remove: async (unwanted) => await access(async () => await entries.remove(unwanted)),
	});
}

describe('claiming', () => {
	test('claims references that were never sent', async () => {
		expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'claimed', B: 'claimed' });
	});

	test('reports a reference as unknown to other executions between claim and confirmation', async () => {
		await claim(newLedger(), 'A');
		expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'unknown', B: 'claimed' });
		expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'unknown', B: 'unknown' });
	});

	test('reports a confirmed reference as created forever', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A', 'B');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		for (let run = 0; run < 3; run++)
			expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'created', B: 'unknown' });
	});

	test('claims a reference again after its release', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A', 'B');
		await time.until(ledger.release(claimantsOf('A')));
		expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'claimed', B: 'unknown' });
	});

	test('claims references again after forgetting them, whatever their state', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A', 'B');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		expect(await forget('A', 'B', 'C')).toEqual(['A', 'B']);
		expect(await claim(newLedger(), 'A', 'B', 'C')).toEqual({
			A: 'claimed',
			B: 'claimed',
			C: 'claimed',
		});
	});

	test('leaves no entries when forgetting a reference that was never sent', async () => {
		await create('A');
		const before = row.entries;
		expect(await forget('B')).toEqual([]);
		expect(row.entries).toEqual(before);
	});

	test('returns forgotten references separately for each scope', async () => {
		await create('A');
		expect(await time.until(forgetReferences(memoryStore(row, time), 'other', ['A']))).toEqual(
			new Set(),
		);
		expect(await claim(newLedger(), 'A')).toEqual({ A: 'created' });
	});

	test.each<['before' | 'after', number]>([
		['before', 0],
		['after', 0],
		['before', 1],
		['after', 1],
	])(
		'never reports an unsent reference as created when forgetting is interrupted %s access %i',
		async (when, access) => {
			await create('A');
			const interrupted = forgetReferences(crashingStore(access, when), scope, ['A', 'B']);
			await time.until(expect(interrupted).rejects.toThrow(Crash));
			const isRemoved = access === 1 && when === 'after';
			const stateOfB = access === 0 && when === 'before' ? 'claimed' : 'unknown';
			expect(await claim(newLedger(), 'A', 'B')).toEqual(
				isRemoved ? { A: 'claimed', B: 'claimed' } : { A: 'created', B: stateOfB },
			);
			// Forgetting once more completes it.
			await forget('A', 'B');
			expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'claimed', B: 'claimed' });
		},
	);

	test('distinguishes references of different scopes', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		expect(await claim(newLedger(undefined, 'other company'), 'A')).toEqual({ A: 'claimed' });
	});

	test('distinguishes references, whatever they contain', async () => {
		const text = fc.stringMatching(/^[AB\n]*(claim|pending|created|execution 1)?[AB\n]*$/);
		await fc.assert(
			fc.asyncProperty(fc.uniqueArray(text, { minLength: 2, maxLength: 4 }), async (references) => {
				row = { entries: new Set() };
				executions = 0;
				for (const reference of references) {
					const ledger = newLedger();
					expect(await claim(ledger, reference)).toEqual({ [reference]: 'claimed' });
					await time.until(confirmWith(ledger, claimantsOf(reference)));
				}
				for (const reference of references)
					expect(await claim(newLedger(), reference)).toEqual({ [reference]: 'created' });
			}),
			{
				examples: [
					[['A', 'A\npending', 'A\nclaim execution 1']],
					[['A', 'pending\nA', 'created\nA']],
				],
			},
		);
	});
});

describe('a delivery whose outcome will stay unknown', () => {
	async function lose(...names: string[]): Promise<void> {
		await time.until(newLedger().proceed({ lost: claimantsOf(...names) }));
	}

	test('reports a lost reference as lost, not as possibly in flight', async () => {
		await claim(newLedger(), 'A', 'B');
		await lose('A');
		for (let run = 0; run < 2; run++) {
			expect(await lookUp('A', 'B')).toEqual({ A: 'lost', B: 'unknown' });
			expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'lost', B: 'unknown' });
		}
	});

	test('reports a lost reference as created once it is confirmed after all', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A@1');
		await lose('A@1');
		await time.until(confirmWith(ledger, claimantsOf('A@1')));
		expect(await lookUp('A@1')).toEqual({ A: 'created' });
		expect(await claim(newLedger(), 'A@2')).toEqual({ A: 'anotherOrder' });
	});

	test('leaves nothing of a lost reference when it is forgotten', async () => {
		const before = row.entries;
		await claim(newLedger(), 'A');
		await lose('A');
		await forget('A');
		expect([...row.entries].filter((entry) => entry.endsWith('A'))).toEqual([...before]);
	});
});

describe('two orders with the same reference', () => {
	test.each([
		['the same order', 'A@1', 'created'],
		['another order', 'A@2', 'anotherOrder'],
		['an order that is not known', 'A', 'created'],
	] as const)('reports the state of a created reference to %s', async (_order, name, state) => {
		await create('A@1');
		for (let run = 0; run < 2; run++) {
			expect(await lookUp(name)).toEqual({ A: state });
			expect(await claim(newLedger(), name)).toEqual({ A: state });
		}
		expect(await claim(newLedger(), 'A@1')).toEqual({ A: 'created' });
	});

	test('reports a reference as unknown to both orders until one is confirmed', async () => {
		await claim(newLedger(), 'A@1');
		expect(await lookUp('A@1')).toEqual({ A: 'unknown' });
		expect(await claim(newLedger(), 'A@2')).toEqual({ A: 'unknown' });
	});

	test('assigns a forgotten reference to the next order', async () => {
		await create('A@1');
		await forget('A');
		await create('A@2');
		expect(await claim(newLedger(), 'A@2')).toEqual({ A: 'created' });
		expect(await claim(newLedger(), 'A@3')).toEqual({ A: 'anotherOrder' });
	});

	test('distinguishes orders of several references in one call', async () => {
		await create('A@1', 'B@2', 'C');
		expect(await claim(newLedger(), 'A@1', 'B@1', 'C@1', 'D@1')).toEqual({
			A: 'created',
			B: 'anotherOrder',
			C: 'created',
			D: 'claimed',
		});
	});

	test('leaves the store unchanged when references of other orders are looked up or claimed', async () => {
		await create('A@1', 'B');
		const before = [...row.entries];
		await lookUp('A@2', 'B@2', 'C@2');
		await claim(newLedger(), 'A@2', 'B@2');
		expect([...row.entries]).toEqual(before);
	});

	test('stores three entries per created reference and one per claim', async () => {
		await create('A@1');
		expect(row.entries.size).toBe(4);
		const ledger = newLedger();
		await claim(ledger, 'B', 'C');
		await time.until(confirmWith(ledger, claimantsOf('B', 'C')));
		expect(row.entries.size).toBe(11);
	});

	test('never reports a reference as free, or created for the wrong order, whenever a process crashes', async () => {
		const crashes = fc.record({
			name: fc.constantFrom('A', 'A@1', 'A@2'),
			action: fc.constantFrom('claim', 'lookUp'),
			access: fc.nat(3),
			when: fc.constantFrom('before' as const, 'after' as const),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom('A', 'A@1'),
				fc.boolean(),
				fc.array(crashes, { maxLength: 4 }),
				async (name, isConfirmed, list) => {
					row = { entries: new Set() };
					const ledger = newLedger();
					await claim(ledger, name);
					if (isConfirmed) await time.until(confirmWith(ledger, claimantsOf(name)));
					for (const { name, action, access, when } of list) {
						const crashing = openLedger(crashingStore(access, when), scope, 'crashing', time);
						await time.until(actions[action](crashing, claimantsOf(name))).catch(() => undefined);
					}
					const { A } = await claim(newLedger(), name);
					expect(isConfirmed ? ['created', ...unknown] : unknown).toContain(A);
					const { A: other } = await claim(newLedger(), 'A@2');
					if (!isConfirmed) expect(unknown).toContain(other);
					else if (name === 'A@1') expect(['anotherOrder', ...unknown]).toContain(other);
				},
			),
		);
	});

	test.each(['claim', 'lookUp'] as const)(
		'keeps doubt until the end of an interrupted %s, however many references it looks up',
		async (action) => {
			const names = (orderId: number) =>
				Array.from({ length: 150 }, (_, number) => `R${number}@${orderId}`);
			for (const isConfirmed of [true, false])
				for (let access = 1; access < 6; access++) {
					row = { entries: new Set() };
					const ledger = newLedger();
					await claim(ledger, ...names(1));
					if (isConfirmed) await time.until(confirmWith(ledger, claimantsOf(...names(1))));
					const crashing = openLedger(crashingStore(access, 'after'), scope, 'crashing', time);
					await time
						.until(actions[action](crashing, claimantsOf(...names(2))))
						.catch(() => undefined);
					const found = new Set(Object.values(await claim(newLedger(), ...names(2))));
					if (isConfirmed) found.delete('anotherOrder');
					expect([...found].filter((one) => !unknown.includes(one))).toEqual([]);
				}
		},
	);
});

describe('fulfillment orders', () => {
	test.each(['@1', ''])(
		'claims all fulfillment orders of an order%s, in any step',
		async (order) => {
			const ledger = newLedger();
			const step = async (...wanted: string[]) =>
				Object.fromEntries(await time.until(ledger.proceed({ wanted: claimantsOf(...wanted) })));
			expect(await step(`P-1${order}`, `P-2${order}`)).toEqual({});
			expect(await step(`P-3${order}`)).toEqual({ 'P-1': 'claimed', 'P-2': 'claimed' });
			expect(await step(`P-4${order}`)).toEqual({ 'P-3': 'claimed' });
			expect(await step()).toEqual({ 'P-4': 'claimed' });
			expect(await claim(newLedger(), `P-4${order}`, `P-5${order}`, `P-6${order}`)).toEqual({
				...{ 'P-4': 'unknown', 'P-5': 'claimed', 'P-6': 'claimed' },
			});
		},
	);

	test.each([
		['created', 'P@1', 'P-1@1', 'wholeCreated'],
		['created for an unknown order', 'P', 'P-1@1', 'wholeCreated'],
		['created, while the order of the fulfillment order is unknown', 'P@1', 'P-1', 'wholeCreated'],
		['created for another order', 'P@2', 'P-1@1', 'free'],
	] as const)(
		'reports a fulfillment order when the whole order was %s',
		async (_, whole, part, state) => {
			await create(whole);
			const before = [...row.entries];
			expect(await lookUp(part)).toEqual({ 'P-1': state });
			expect([...row.entries]).toEqual(before);
			const claimed = state === 'free' ? 'claimed' : state;
			expect(await claim(newLedger(), part)).toEqual({ 'P-1': claimed });
			if (claimed !== 'claimed') expect([...row.entries]).toEqual(before);
			// The whole order is as before.
			expect(await lookUp(whole)).toEqual({ P: 'created' });
		},
	);

	test('reports a fulfillment order as unknown or lost while the whole order is', async () => {
		const ledger = newLedger();
		await claim(ledger, 'P@1');
		const before = [...row.entries];
		expect(await lookUp('P-1@1')).toEqual({ 'P-1': 'wholeUnknown' });
		expect(await claim(newLedger(), 'P-1@1')).toEqual({ 'P-1': 'wholeUnknown' });
		expect([...row.entries]).toEqual(before);
		await time.until(newLedger().proceed({ lost: claimantsOf('P') }));
		expect(await claim(newLedger(), 'P-1@1')).toEqual({ 'P-1': 'wholeLost' });
		await time.until(ledger.release(claimantsOf('P@1')));
		expect(await claim(newLedger(), 'P-1@1')).toEqual({ 'P-1': 'claimed' });
	});

	test.each([
		['of the same order', 'P-1@1', 'P@1'],
		['of an unknown order', 'P-1', 'P@1'],
		['while its own order is unknown', 'P-1@1', 'P'],
		['of another order', 'P-1@2', 'P@1'],
	] as const)(
		'reports a whole order after fulfillment orders %s were claimed, created or released',
		async (_, part, whole) => {
			const state = 'inParts';
			const ledger = newLedger();
			await claim(ledger, part);
			const check = async () => {
				const before = [...row.entries];
				expect(await lookUp(whole)).toEqual({ P: state });
				expect(await claim(newLedger(), whole)).toEqual({ P: state });
				expect([...row.entries]).toEqual(before);
				expect(await claim(newLedger(), 'P-9@1')).toEqual({ 'P-9': 'claimed' });
				await forget('P-9');
			};
			await check();
			await time.until(confirmWith(ledger, claimantsOf(part)));
			await check();
			await time.until(ledger.release(claimantsOf(part)));
			await check();
		},
	);

	test('reports a whole order as in parts to the steps of the same ledger', async () => {
		const ledger = newLedger();
		const step = async (...wanted: string[]) =>
			Object.fromEntries(await time.until(ledger.proceed({ wanted: claimantsOf(...wanted) })));
		await step('P-1@1');
		expect(await step('P@1')).toEqual({ 'P-1': 'claimed', P: 'inParts' });
	});

	test('never claims a whole order and its fulfillment order in one step', async () => {
		for (const names of [
			['P@1', 'P-1@1'],
			['P-1@1', 'P@1'],
		]) {
			row = { entries: new Set() };
			expect(await claim(newLedger(), ...names)).toEqual({ P: 'claimed', 'P-1': 'wholeUnknown' });
			expect(await lookUp('P-1@1')).toEqual({ 'P-1': 'wholeUnknown' });
		}
	});

	test('reports the fulfillment order of another order as unknown until the whole order is created', async () => {
		const ledger = newLedger();
		await claim(ledger, 'P@1');
		// If the whole order were released, nothing would prevent sending the other order whole.
		expect(await claim(newLedger(), 'P-1@2')).toEqual({ 'P-1': 'wholeUnknown' });
		await time.until(confirmWith(ledger, claimantsOf('P@1')));
		expect(await claim(newLedger(), 'P-1@2')).toEqual({ 'P-1': 'claimed' });
		expect(await claim(newLedger(), 'P@2')).toEqual({ P: 'anotherOrder' });
	});

	test('reports the fulfillment order of another execution as unknown until its claim is verified', async () => {
		const first = newLedger();
		await time.until(first.proceed({ wanted: claimantsOf('P-1@1') }));
		expect(await claim(newLedger(), 'P-2@1', 'P@1')).toEqual({
			'P-2': 'wholeUnknown',
			P: 'unknown',
		});
		expect(Object.fromEntries(await time.until(first.proceed({})))).toEqual({ 'P-1': 'claimed' });
		expect(await claim(newLedger(), 'P-2@1', 'P@1')).toEqual({ 'P-2': 'claimed', P: 'inParts' });
	});

	test('finds the fulfillment orders of its own unverified claims free', async () => {
		const ledger = newLedger();
		await time.until(ledger.proceed({ wanted: claimantsOf('P-1@1') }));
		expect(Object.fromEntries(await time.until(ledger.lookUp(claimantsOf('P-2@1'))))).toEqual({
			'P-2': 'free',
		});
		expect(Object.fromEntries(await time.until(ledger.proceed({})))).toEqual({ 'P-1': 'claimed' });
	});

	test('leaves nothing of the whole order when the fulfillment order is known', async () => {
		await create('P-1@1');
		await forget('P');
		const before = [...row.entries];
		expect(await claim(newLedger(), 'P-1@1')).toEqual({ 'P-1': 'created' });
		expect([...row.entries]).toEqual(before);
	});

	test('forgets whole orders and fulfillment orders separately', async () => {
		await create('P-1@1', 'P-2@1');
		expect(await forget('P-1')).toEqual(['P-1']);
		expect(await lookUp('P-1@1')).toEqual({ 'P-1': 'free' });
		expect(await lookUp('P@1')).toEqual({ P: 'inParts' });
		expect(await forget('P')).toEqual(['P']);
		expect(await lookUp('P@1')).toEqual({ P: 'free' });
		expect(await lookUp('P-2@1')).toEqual({ 'P-2': 'created' });
		await claim(newLedger(), 'P@1');
		expect(await lookUp('P-3@1', 'P@1')).toEqual({ 'P-3': 'wholeUnknown', P: 'unknown' });
	});

	test('stores two entries per created fulfillment order, two per order and one per claim', async () => {
		await create('P-1@1');
		expect(row.entries.size).toBe(5);
		await create('P-2@1');
		expect(row.entries.size).toBe(8);
	});

	test('needs no more accesses for 10,000 new fulfillment orders than for whole orders', async () => {
		const accessesFor = async (nameOf: (number: number) => string) => {
			row = { entries: new Set() };
			const entries = entriesOf(row, time, () => noTime);
			const record = jest.fn(async (wanted: string[]) => await entries.record(wanted));
			const remove = jest.fn(async (unwanted: string[]) => await entries.remove(unwanted));
			const ledger = openLedger(storeOf({ record, remove }), scope, 'counting', time);
			let confirmed: Claimant[] = [];
			for (let start = 0; start < 10_000; start += 400) {
				const wanted = claimantsOf(
					...Array.from({ length: 400 }, (_, index) => nameOf(start + index)),
				);
				const claims = await time.until(ledger.proceed({ wanted, confirmed }));
				expect(new Set(claims.values())).toEqual(new Set(start === 0 ? [] : ['claimed']));
				confirmed = [...claims.keys()].flatMap((name) => claimantsOf(name));
			}
			await time.until(ledger.proceed({ confirmed }));
			return { recorded: record.mock.calls.length, removed: remove.mock.calls.length };
		};
		const expected = { recorded: 26, removed: 0 };
		expect(await accessesFor((number) => `P${number}@${number}`)).toEqual(expected);
		expect(await accessesFor((number) => `P${number}-1@${number}`)).toEqual(expected);
		// Three fulfillment orders per order, some of them in the next step.
		const third = (number: number) => Math.floor(number / 3);
		expect(await accessesFor((number) => `P${third(number)}-${number}@${third(number)}`)).toEqual(
			expected,
		);
	});

	test('claims an overwritten order again, together with its fulfillment orders', async () => {
		const ledger = newLedger();
		await time.until(ledger.proceed({ wanted: claimantsOf('P-1@1') }));
		row.entries = new Set();
		expect(await time.until(ledger.proceed({ wanted: claimantsOf('P-2@1') }))).toEqual(new Map());
		expect(Object.fromEntries(await time.until(ledger.proceed({})))).toEqual({
			...{ 'P-1': 'claimed', 'P-2': 'claimed' },
		});
		expect(await lookUp('P@1')).toEqual({ P: 'inParts' });
	});

	test('leaves an overwritten order to the execution that has claimed it', async () => {
		const ledger = newLedger();
		await time.until(ledger.proceed({ wanted: claimantsOf('P-1@1', 'Q-1@2') }));
		row.entries = new Set();
		const other = newLedger();
		await claim(other, 'P@1');
		const before = new Set([...row.entries]);
		const wanted = claimantsOf('P-2@1', 'Q-2@2');
		expect(Object.fromEntries(await time.until(ledger.proceed({ wanted })))).toEqual({
			...{ 'P-1': 'wholeUnknown', 'P-2': 'wholeUnknown' },
		});
		const isOfP = (entry: string) => /\nP/.test(entry);
		expect([...row.entries].filter(isOfP)).toEqual([...before].filter(isOfP));
		expect(Object.fromEntries(await time.until(ledger.proceed({})))).toEqual({
			...{ 'Q-1': 'claimed', 'Q-2': 'claimed' },
		});
		await time.until(confirmWith(other, claimantsOf('P@1')));
		expect(await claim(newLedger(), 'P-1@1')).toEqual({ 'P-1': 'wholeCreated' });
	});

	test("sends a fulfillment order after another order's whole order took the reference", async () => {
		await create('P-1@1');
		await forget('P');
		await create('P@2');
		expect(await claim(newLedger(), 'P-2@1')).toEqual({ 'P-2': 'claimed' });
		expect(await claim(newLedger(), 'P-3@2')).toEqual({ 'P-3': 'wholeCreated' });
	});

	test.each(['P-1@1', 'Q@1'])(
		'claims %s again if another execution removes the claim before it is verified',
		async (name) => {
			const ledger = newLedger();
			await time.until(ledger.proceed({ wanted: claimantsOf(name) }));
			row.entries = new Set([...row.entries].filter((entry) => !entry.includes('pending')));
			expect(await time.until(ledger.proceed({}))).toEqual(new Map());
			const [reference = ''] = name.split('@');
			expect(Object.fromEntries(await time.until(ledger.proceed({})))).toEqual({
				[reference]: 'claimed',
			});
		},
	);

	test('never frees a whole order and its fulfillment order, whenever a process crashes', async () => {
		const crashes = fc.record({
			names: fc.subarray(['P@1', 'P-1@1', 'P-2@1', 'P-1@2'], { minLength: 1, maxLength: 2 }),
			action: fc.constantFrom('claim', 'lookUp'),
			access: fc.nat(5),
			when: fc.constantFrom('before' as const, 'after' as const),
		});
		const found = new Set<string | undefined>();
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom('P@1', 'P-1@1'),
				fc.boolean(),
				fc.array(crashes, { maxLength: 4 }),
				async (name, isConfirmed, list) => {
					row = { entries: new Set() };
					const ledger = newLedger();
					await claim(ledger, name);
					if (isConfirmed) await time.until(confirmWith(ledger, claimantsOf(name)));
					for (const { names, action, access, when } of list) {
						const references = names.map((one) => one.split('@')[0]);
						if (new Set(references).size < names.length) continue;
						const crashing = openLedger(crashingStore(access, when), scope, 'crashing', time);
						await time
							.until(actions[action](crashing, claimantsOf(...names)))
							.catch(() => undefined);
					}
					const whole = await lookUp('P@1');
					const parts = await lookUp('P-1@1', 'P-2@1');
					found.add(whole.P).add(parts['P-1']).add(parts['P-2']);
					if (name === 'P@1') {
						expect(isConfirmed ? ['created', ...unknown] : unknown).toContain(whole.P);
						const state = isConfirmed ? 'wholeCreated' : 'wholeUnknown';
						for (const part of Object.values(parts))
							expect([state, 'wholeUnknown', 'wholeLost', ...unknown]).toContain(part);
					} else {
						expect(['inParts', ...unknown]).toContain(whole.P);
						expect(isConfirmed ? ['created', ...unknown] : unknown).toContain(parts['P-1']);
						expect(['free', 'wholeUnknown', 'wholeLost', ...unknown]).toContain(parts['P-2']);
					}
				},
			),
			{ numRuns: 1000 },
		);
		expect(found.size).toBeGreaterThanOrEqual(7);
	});

	test.each(
		[0, 1, 2].flatMap((access) =>
			(['before', 'after'] as const).map((when) => [when, access] as const),
		),
	)('never frees the whole order of a crashed claim (%s access %i)', async (when, access) => {
		const crashing = openLedger(crashingStore(access, when), scope, 'crashing', time);
		const claims = await time
			.until(claimWith(crashing, claimantsOf('P-1@1')))
			.catch(() => undefined);
		const { P } = await lookUp('P@1');
		if (access === 0 && when === 'before') expect(P).toBe('free');
		else if (claims || (access === 1 && when === 'after')) expect(P).toBe('inParts');
		else expect(P).toBe('unknown');
	});
});

describe('store accesses', () => {
	test('leaves the store unchanged when references are looked up', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A', 'B');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		const before = row.entries;
		await claim(newLedger(), 'A', 'B');
		expect(row.entries).toEqual(before);
	});

	test('removes nothing in the normal case, since n8n searches all entries for that', async () => {
		const entries = entriesOf(row, time, () => noTime);
		const remove = jest.fn(async (unwanted: string[]) => await entries.remove(unwanted));
		const store = storeOf({ ...entries, remove });
		for (const name of ['A', 'B@1']) {
			const ledger = openLedger(store, scope, name, time);
			await claim(ledger, name);
			await time.until(confirmWith(ledger, claimantsOf(name)));
		}
		expect(remove).not.toHaveBeenCalled();
		expect(await lookUp('A', 'B@1')).toEqual({ A: 'created', B: 'created' });
	});

	test('leaves no entries of released references', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A', 'B');
		await time.until(ledger.release(claimantsOf('A', 'B')));
		expect(row.entries.size).toBe(0);
	});

	test('needs as many accesses for a hundred references as for one', async () => {
		let accesses = 0;
		const countAccess = () => {
			accesses++;
			return noTime;
		};
		await claim(newLedger(countAccess), 'A');
		const forOne = accesses;
		await claim(
			newLedger(countAccess),
			...Array.from({ length: 100 }, (_, number) => `B${number}`),
		);
		expect(accesses - forOne).toBe(forOne);
	});

	test('reports references as created to all concurrent executions of one process', async () => {
		const ledger = newLedger();
		await claim(ledger, 'A', 'B');
		await time.until(confirmWith(ledger, claimantsOf('A', 'B')));

		const store = memoryStore(row, time, () => ({ before: 3, between: 5, after: 2 }));
		const claims = await time.until(
			Promise.all(
				['one', 'two', 'three'].map(
					async (mark) =>
						await claimWith(openLedger(store, scope, mark, time), claimantsOf('A', 'B')),
				),
			),
		);
		for (const found of claims) expect([...found.values()]).toEqual(['created', 'created']);
	});

	test('does not access the store to confirm or release nothing', async () => {
		const accesses = jest.fn(() => noTime);
		const ledger = newLedger(accesses);
		await time.until(confirmWith(ledger, claimantsOf()));
		await time.until(ledger.release(claimantsOf()));
		expect(accesses).not.toHaveBeenCalled();
	});
});

describe('proceed', () => {
	/** A ledger on a store that counts its accesses, some of which fail. */
	function countingLedger(fails: (access: number) => boolean = () => false) {
		const entries = entriesOf(row, time, () => noTime);
		const counter = { accesses: 0 };
		const access = async <Result>(work: () => Promise<Result>): Promise<Result> => {
			if (fails(counter.accesses++)) throw new Error('no database');
			return await work();
		};
		const store = storeOf({
			record: async (wanted) => await access(async () => await entries.record(wanted)),
			remove: async (unwanted) => await access(async () => await entries.remove(unwanted)),
		});
		return { ledger: openLedger(store, scope, `execution ${++executions}`, time), counter };
	}

	test('confirms, verifies previous claims and makes the next ones in one access', async () => {
		const { ledger, counter } = countingLedger();
		const step = async (wanted: string[], confirmed: string[]) => {
			const before = counter.accesses;
			const found = await time.until(
				ledger.proceed({ wanted: claimantsOf(...wanted), confirmed: claimantsOf(...confirmed) }),
			);
			expect(counter.accesses - before).toBe(1);
			return Object.fromEntries(found);
		};
		expect(await step(['A', 'B'], [])).toEqual({});
		expect(await step(['C'], [])).toEqual({ A: 'claimed', B: 'claimed' });
		expect(await step(['D'], ['A'])).toEqual({ C: 'claimed' });
		expect(await step([], ['B'])).toEqual({ D: 'claimed' });
		expect(await lookUp('A', 'B', 'C', 'D', 'E')).toEqual({
			...{ A: 'created', B: 'created', C: 'unknown', D: 'unknown', E: 'free' },
		});
	});

	test('does not access the store when there is nothing to do', async () => {
		const { ledger, counter } = countingLedger();
		expect(await ledger.proceed({})).toEqual(new Map());
		await claim(ledger, 'A');
		const before = counter.accesses;
		await ledger.proceed({ wanted: [], confirmed: [] });
		expect(counter.accesses).toBe(before);
	});

	test('returns known states immediately, and claims one step later', async () => {
		await create('A');
		const { ledger } = countingLedger();
		const proceed = async (...wanted: string[]) =>
			Object.fromEntries(await time.until(ledger.proceed({ wanted: claimantsOf(...wanted) })));
		expect(await proceed('A', 'B')).toEqual({ A: 'created' });
		expect(await proceed()).toEqual({ B: 'claimed' });
	});

	test('claims nothing without a result when a step rejects', async () => {
		const { ledger, counter } = countingLedger((access) => access === 1);
		await time.until(ledger.proceed({ wanted: claimantsOf('A') }));
		const failed = ledger.proceed({ wanted: claimantsOf('B') });
		await expect(time.until(failed)).rejects.toThrow('no database');
		expect(await ledger.proceed({})).toEqual(new Map());
		expect(counter.accesses).toBe(2);
		expect(await lookUp('A', 'B')).toEqual({ A: 'unknown', B: 'free' });
	});

	test('repeats overwritten claims with the next ones, and returns them one step later', async () => {
		const { ledger } = countingLedger();
		await time.until(ledger.proceed({ wanted: claimantsOf('A', 'B') }));
		// Another process overwrites the entries, and has claimed B.
		row.entries = new Set([`${scope}\npending\nB`]);
		const again = await time.until(ledger.proceed({ wanted: claimantsOf('C') }));
		expect(Object.fromEntries(again)).toEqual({ B: 'unknown' });
		expect(Object.fromEntries(await time.until(ledger.proceed({})))).toEqual({
			A: 'claimed',
			C: 'claimed',
		});
	});
});

describe('a process that crashes', () => {
	const points = [0, 1, 2, 3].flatMap((access) =>
		(['before', 'after'] as const).map((when) => ({ access, when })),
	);

	test.each(points)(
		'never frees a created reference when it crashes $when access $access of the look-up',
		async ({ access, when }) => {
			const ledger = newLedger();
			await claim(ledger, 'A');
			await time.until(confirmWith(ledger, claimantsOf('A')));

			const crashing = openLedger(crashingStore(access, when), scope, 'crashing', time);
			await time.until(claimWith(crashing, claimantsOf('A'))).catch(() => undefined);

			const { A } = await claim(newLedger(), 'A');
			expect(['created', ...unknown]).toContain(A);
		},
	);

	test.each(points)(
		'never frees a claimed reference when it crashes $when access $access of the claim',
		async ({ access, when }) => {
			const crashing = openLedger(crashingStore(access, when), scope, 'crashing', time);
			const claims = await time.until(claimWith(crashing, claimantsOf('A'))).catch(() => undefined);

			const { A } = await claim(newLedger(), 'A');
			if (claims?.get('A') === 'claimed') expect(A).toBe('unknown');
			else expect(['claimed', 'unknown']).toContain(A);
		},
	);

	test.each(points.slice(0, 2))(
		'leaves the reference created or unknown when it crashes $when access $access of the confirmation',
		async ({ access, when }) => {
			const mark = 'crashing';
			await claim(openLedger(memoryStore(row, time), scope, mark, time), 'A');

			const crashing = openLedger(crashingStore(access, when), scope, mark, time);
			await time.until(confirmWith(crashing, claimantsOf('A'))).catch(() => undefined);

			const isDone = when === 'after';
			expect(await claim(newLedger(), 'A')).toEqual({ A: isDone ? 'created' : 'unknown' });
		},
	);
});

describe('two concurrent processes', () => {
	/** The durations of the first accesses; later ones take no time. */
	function slow(...accesses: Array<Partial<AccessTimes>>): () => AccessTimes {
		return () => ({ ...noTime, ...accesses.shift() });
	}

	test.each([
		['the later one overwrites the earlier', slow({ between: 10 }), slow({ between: 20 })],
		['the earlier one overwrites the later', slow({ between: 20 }), slow({ between: 10 })],
		['both write at the same time', slow({ between: 10 }), slow({ between: 10 })],
		['one is as slow as the settling time allows', slow({ between: 1 }), slow({ between: 49 })],
		[
			'both are always slow',
			() => ({ before: 100, between: 200, after: 100 }),
			() => ({ before: 150, between: 300, after: 0 }),
		],
	])('never both claim a reference when %s', async (_case, timesOfOne, timesOfOther) => {
		const [one, other] = await time.until(
			Promise.all([
				claimWith(newLedger(timesOfOne), claimantsOf('A')),
				claimWith(newLedger(timesOfOther), claimantsOf('A')),
			]),
		);
		expect([one.get('A'), other.get('A')].sort()).toEqual(['claimed', 'unknown']);
		// Whoever has it, no one else gets it.
		expect(await claim(newLedger(), 'A')).toEqual({ A: 'unknown' });
	});

	test('repeat a claim that another process overwrote unknowingly', async () => {
		const claims = await time.until(
			Promise.all([
				claimWith(newLedger(slow({ between: 10 })), claimantsOf('A')),
				claimWith(newLedger(slow({ between: 20 })), claimantsOf('B')),
			]),
		);
		expect(claims.map((map) => [...map])).toEqual([[['A', 'claimed']], [['B', 'claimed']]]);
		expect(await claim(newLedger(), 'A', 'B')).toEqual({ A: 'unknown', B: 'unknown' });
	});

	test('leave the reference to the process that overwrote the claim of the other', async () => {
		const first = newLedger(slow({ between: 10 }));
		const second = newLedger(slow({ between: 20 }));
		const [one, other] = await time.until(
			Promise.all([claimWith(first, claimantsOf('A')), claimWith(second, claimantsOf('A'))]),
		);
		expect([one.get('A'), other.get('A')]).toEqual(['unknown', 'claimed']);
		await time.until(confirmWith(second, claimantsOf('A')));
		expect(await claim(newLedger(), 'A')).toEqual({ A: 'created' });
		// Its three entries, and the marks of both claims.
		expect(row.entries.size).toBe(5);
	});

	test('do not claim when the store loses all entries', async () => {
		const losingEntries: Entries = {
			record: async (wanted) => await Promise.resolve(new Set(wanted)),
			remove: async () => await Promise.resolve(),
		};
		const ledger = openLedger(storeOf(losingEntries), scope, 'mark', time);
		expect(await claim(ledger, 'A')).toEqual({ A: 'unknown' });
	});

	test.each([
		['at least 50 ms', { before: 1, between: 1, after: 1 }, 50],
		['three times as long as the store took', { before: 30, between: 10, after: 60 }, 300],
	])(
		'let a claim settle for %s before they verify it',
		async (_duration, times, settlingTimeMs) => {
			const reads: number[] = [];
			const ledger = newLedger(() => {
				reads.push(time.now());
				return times;
			});
			await claim(ledger, 'A');
			const [first = 0, second = 0] = reads;
			const took = times.before + times.between + times.after;
			expect(second - first - took).toBe(settlingTimeMs);
		},
	);
});

test('rejects when the store rejects', async () => {
	const broken: Entries = {
		record: async () => await Promise.reject(new Error('no database')),
		remove: async () => await Promise.reject(new Error('no database')),
	};
	const ledger = openLedger(storeOf(broken), scope, 'mark', time);
	await expect(claimWith(ledger, claimantsOf('A'))).rejects.toThrow('no database');
	await expect(confirmWith(ledger, claimantsOf('A'))).rejects.toThrow('no database');
	await expect(ledger.release(claimantsOf('A'))).rejects.toThrow('no database');
});

describe('interleaved executions', () => {
	/** An execution: it claims references, then ends in one of three ways. */
	const runArbitrary = fc.record({
		start: fc.oneof(fc.nat(50), fc.nat(400)),
		references: fc.subarray(['A', 'B', 'C'], { minLength: 1 }),
		order: fc.constantFrom('', '@1', '@2'),
		ending: fc.constantFrom('confirm', 'release', 'crash'),
		sendingMs: fc.nat(200),
		process: fc.nat(2),
	});
	type Run = typeof runArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

	const runsArbitrary = fc.array(runArbitrary, { minLength: 2, maxLength: 5 });

	/** Access times of up to this many milliseconds, many of them close to zero. */
	function timesArbitrary(maxMs: number): fc.Arbitrary<fc.Stream<AccessTimes>> {
		const milliseconds = fc.oneof(fc.nat(2), fc.nat(maxMs));
		return fc.infiniteStream(
			fc.record({ before: milliseconds, between: milliseconds, after: milliseconds }),
		);
	}

	function nextTimes(stream: fc.Stream<AccessTimes>): () => AccessTimes {
		return () => {
			const next: IteratorResult<AccessTimes, AccessTimes> = stream.next();
			return next.value;
		};
	}

	/** The times of the first access; later ones take no time. */
	function once(first: AccessTimes): () => AccessTimes {
		const rest = [first];
		return () => rest.shift() ?? noTime;
	}

	/** The result; undefined when the run gave up because its accesses were slow. */
	async function unlessTooSlow<Result>(run: Promise<Result>): Promise<Result | undefined> {
		return await run.catch((error: unknown) => {
			if (String(error).includes('too slow')) return undefined;
			throw error;
		});
	}

	let marks = 0;

	/** The store of a process, under the lock of a node. */
	function lockedStore(
		lockRow: LockRow,
		times: () => AccessTimes,
		lockTimes: () => AccessTimes = times,
	): Store {
		const entries = entriesOf(row, time, times);
		const lock = memoryLock(lockRow, time, lockTimes);
		const inTurn = storeOf(entries);
		return {
			runExclusive: async (access) =>
				await inTurn.runExclusive(
					async () =>
						await withLock(
							lock,
							`mark ${++marks}`,
							time,
							() => 0.5,
							async (assertHeld) => await access(whileHeld(entries, assertHeld)),
						),
				),
		};
	}

	/**
	 * Runs executions concurrently.
	 *
	 * @param openStore opens the store for a process
	 * @returns what went wrong, and the final states of confirmed references
	 */
	async function interleave(
		runs: readonly Run[],
		openStore: (process: number) => Store,
	): Promise<{ problems: string[]; created: Array<Claim | undefined> }> {
		const holders = new Map<string, number>();
		const confirmed = new Set<string>();
		const problems: string[] = [];
		const stores: Store[] = [];
		await time.until(
			Promise.all(
				runs.map(async ({ start, references, order, ending, sendingMs, process }, number) => {
					await time.wait(start);
					const store = (stores[process] ??= openStore(process));
					const ledger = openLedger(store, scope, `execution ${number}`, time);
					const claimants = references.map((name) => `${name}${order}`);
					const claims = await unlessTooSlow(claimWith(ledger, claimantsOf(...claimants)));
					if (!claims) return;
					const claimed = references.filter((name) => claims.get(name) === 'claimed');
					for (const name of claimed) {
						if (holders.has(name)) problems.push(`${name} is claimed twice`);
						if (confirmed.has(name)) problems.push(`${name} is claimed after it was created`);
						holders.set(name, number);
					}
					await time.wait(sendingMs);
					if (ending === 'crash') return;
					// From here on others may claim the reference, or see it as created.
					for (const name of claimed) {
						holders.delete(name);
						if (ending === 'confirm') confirmed.add(name);
					}
					const ended = claimantsOf(...claimed.map((name) => `${name}${order}`));
					await unlessTooSlow(
						ending === 'confirm' ? confirmWith(ledger, ended) : ledger.release(ended),
					);
				}),
			),
		);
		const later = await time.until(claimWith(newLedger(), claimantsOf('A', 'B', 'C')));
		for (const name of [...confirmed, ...holders.keys()])
			if (later.get(name) === 'claimed') problems.push(`${name} is free at the end`);
		return { problems, created: [...confirmed].map((name) => later.get(name)) };
	}

	test.each([
		['1 second', 1000, ['created']],
		// Then a run may give up, but what it has sent never reads as free.
		['2 minutes', 120_000, ['created', 'unknown', 'lost']],
	])(
		'never claims a reference twice, or after it was created, when accesses of several processes of one node take up to %s',
		async (_name, maxMs, states) => {
			let createdCount = 0;
			await fc.assert(
				fc.asyncProperty(
					runsArbitrary,
					timesArbitrary(Math.floor(maxMs / 3)),
					async (runs, stream) => {
						time = new VirtualTime();
						row = { entries: new Set() };
						const lockRow: LockRow = {};
						const times = nextTimes(stream);
						const { problems, created } = await interleave(runs, () => lockedStore(lockRow, times));
						expect(problems).toEqual([]);
						for (const claim of created) expect(states).toContain(claim);
						createdCount += created.filter((claim) => claim === 'created').length;
					},
				),
				{ numRuns: 300 },
			);
			expect(createdCount).toBeGreaterThan(0);
		},
	);

	test.each([16, 60, 120])(
		'keeps what others confirm while an access stalls for %d s between reading and writing',
		async (seconds) => {
			const lockRow: LockRow = {};
			const stall = { ...noTime, between: seconds * 1000 };
			const stalling = openLedger(
				lockedStore(lockRow, once(stall), () => noTime),
				scope,
				'stalling',
				time,
			);
			const other = openLedger(
				lockedStore(lockRow, () => noTime),
				scope,
				'other',
				time,
			);
			const claimed = claimWith(stalling, claimantsOf('A'));
			const confirmed = (async () => {
				await time.wait(1000);
				expect((await claimWith(other, claimantsOf('B'))).get('B')).toBe('claimed');
				await confirmWith(other, claimantsOf('B'));
			})();
			const [claims] = await time.until(Promise.all([claimed, confirmed]));
			expect([...claims]).toEqual([['A', 'claimed']]);
			expect(await lookUp('A', 'B')).toEqual({ A: 'unknown', B: 'created' });
		},
	);
});
