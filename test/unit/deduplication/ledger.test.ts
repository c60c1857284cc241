import fc from 'fast-check';

import {
	forgetReferences,
	openLedger,
	type Claim,
	type Claimant,
	type Entries,
	type Ledger,
	type ReferenceState,
	type Store,
} from '../../../nodes/DeliveryService/deduplication/ledger';
import { withLock } from '../../../nodes/DeliveryService/deduplication/lock';
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

/** A ledger as a new execution opens it. */
function execution(times: () => AccessTimes = () => noTime, scopeOfIt = scope): Ledger {
	return openLedger(memoryStore(row, time, times), scopeOfIt, `execution ${++executions}`, time);
}

/** Claimants as a test writes them: a reference, or "reference@order". */
function claimantsOf(...names: string[]): Claimant[] {
	return names.map((name) => {
		const [referenceId = '', orderId] = name.split('@');
		return { referenceId, orderId };
	});
}

async function claim(ledger: Ledger, ...names: string[]): Promise<Record<string, Claim>> {
	return Object.fromEntries(await time.until(claimWith(ledger, claimantsOf(...names))));
}

/** What a new execution would be told that only looks. */
async function lookUp(...names: string[]): Promise<Record<string, ReferenceState>> {
	return Object.fromEntries(await time.until(execution().lookUp(claimantsOf(...names))));
}

/** Lets deliveries be created, each by an execution of its own. */
async function create(...names: string[]): Promise<void> {
	for (const name of names) {
		const ledger = execution();
		await claim(ledger, name);
		await time.until(confirmWith(ledger, claimantsOf(name)));
	}
}

/** Forgets references, and gives those that were remembered. */
async function forget(...names: string[]): Promise<string[]> {
	const store = memoryStore(row, time);
	return [...(await time.until(forgetReferences(store, scope, names)))];
}

type Action = (ledger: Ledger, claimants: Claimant[]) => Promise<unknown>;

const doing: Readonly<Record<'claim' | 'lookUp', Action>> = {
	claim: claimWith,
	lookUp: async (ledger, claimants) => await ledger.lookUp(claimants),
};

/** An access to the store during which the process dies, before or after it was written. */
class Killed extends Error {}

function killedAt(access: number, when: 'before' | 'after'): Store {
	const entries = entriesOf(row, time, () => noTime);
	let accesses = 0;
	const dying = async <Result>(work: () => Promise<Result>): Promise<Result> => {
		const dies = accesses++ === access;
		if (dies && when === 'before') throw new Killed();
		const result = await work();
		if (dies) throw new Killed();
		return result;
	};
	return storeOf({
		record: async (wanted) => await dying(async () => await entries.record(wanted)),
		remove: async (unwanted) => await dying(async () => await entries.remove(unwanted)),
	});
}

describe('a reference', () => {
	test('that was never sent is claimed', async () => {
		expect(await claim(execution(), 'A', 'B')).toEqual({ A: 'claimed', B: 'claimed' });
	});

	test('is unknown to other executions from its claim to its confirmation', async () => {
		await claim(execution(), 'A');
		expect(await claim(execution(), 'A', 'B')).toEqual({ A: 'unknown', B: 'claimed' });
		expect(await claim(execution(), 'A', 'B')).toEqual({ A: 'unknown', B: 'unknown' });
	});

	test('is created once it was confirmed, for ever', async () => {
		const ledger = execution();
		await claim(ledger, 'A', 'B');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		for (let run = 0; run < 3; run++)
			expect(await claim(execution(), 'A', 'B')).toEqual({ A: 'created', B: 'unknown' });
	});

	test('is free again once it was released', async () => {
		const ledger = execution();
		await claim(ledger, 'A', 'B');
		await time.until(ledger.release(claimantsOf('A')));
		expect(await claim(execution(), 'A', 'B')).toEqual({ A: 'claimed', B: 'unknown' });
	});

	test('is free again once its entries were removed, whatever its state', async () => {
		const ledger = execution();
		await claim(ledger, 'A', 'B');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		expect(await forget('A', 'B', 'C')).toEqual(['A', 'B']);
		expect(await claim(execution(), 'A', 'B', 'C')).toEqual({
			A: 'claimed',
			B: 'claimed',
			C: 'claimed',
		});
	});

	test('leaves nothing of itself when it was never sent and is forgotten', async () => {
		await create('A');
		const before = row.entries;
		expect(await forget('B')).toEqual([]);
		expect(row.entries).toEqual(before);
	});

	test('is told to have been remembered for each scope by itself', async () => {
		await create('A');
		expect(await time.until(forgetReferences(memoryStore(row, time), 'other', ['A']))).toEqual(
			new Set(),
		);
		expect(await claim(execution(), 'A')).toEqual({ A: 'created' });
	});

	test.each<['before' | 'after', number]>([
		['before', 0],
		['after', 0],
		['before', 1],
		['after', 1],
	])(
		'is never taken for created when forgetting it is cut off %s access %i',
		async (when, access) => {
			await create('A');
			const dying = forgetReferences(killedAt(access, when), scope, ['A', 'B']);
			await time.until(expect(dying).rejects.toThrow(Killed));
			const isRemoved = access === 1 && when === 'after';
			const wasNoted = access === 0 && when === 'before' ? 'claimed' : 'unknown';
			expect(await claim(execution(), 'A', 'B')).toEqual(
				isRemoved ? { A: 'claimed', B: 'claimed' } : { A: 'created', B: wasNoted },
			);
			// Forgetting once more makes good what was cut off.
			await forget('A', 'B');
			expect(await claim(execution(), 'A', 'B')).toEqual({ A: 'claimed', B: 'claimed' });
		},
	);

	test('is another one for another scope', async () => {
		const ledger = execution();
		await claim(ledger, 'A');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		expect(await claim(execution(undefined, 'other company'), 'A')).toEqual({ A: 'claimed' });
	});

	test('is never taken for another one, whatever the references hold', async () => {
		const text = fc.stringMatching(/^[AB\n]*(claim|pending|created|execution 1)?[AB\n]*$/);
		await fc.assert(
			fc.asyncProperty(fc.uniqueArray(text, { minLength: 2, maxLength: 4 }), async (references) => {
				row = { entries: new Set() };
				executions = 0;
				for (const reference of references) {
					const ledger = execution();
					expect(await claim(ledger, reference)).toEqual({ [reference]: 'claimed' });
					await time.until(confirmWith(ledger, claimantsOf(reference)));
				}
				for (const reference of references)
					expect(await claim(execution(), reference)).toEqual({ [reference]: 'created' });
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

describe('a reference that two orders share', () => {
	test.each([
		['the same order', 'A@1', 'created'],
		['another order', 'A@2', 'anotherOrder'],
		['an order that is not known', 'A', 'created'],
	] as const)('and that was created for one of them is told to %s', async (_who, name, state) => {
		await create('A@1');
		for (let run = 0; run < 2; run++) {
			expect(await lookUp(name)).toEqual({ A: state });
			expect(await claim(execution(), name)).toEqual({ A: state });
		}
		expect(await claim(execution(), 'A@1')).toEqual({ A: 'created' });
	});

	test('is unknown to both while one of them is sent, or its answer was not seen', async () => {
		await claim(execution(), 'A@1');
		expect(await lookUp('A@1')).toEqual({ A: 'unknown' });
		expect(await claim(execution(), 'A@2')).toEqual({ A: 'unknown' });
	});

	test('is that of the other one once it was forgotten', async () => {
		await create('A@1');
		await forget('A');
		await create('A@2');
		expect(await claim(execution(), 'A@2')).toEqual({ A: 'created' });
		expect(await claim(execution(), 'A@3')).toEqual({ A: 'anotherOrder' });
	});

	test('is told apart among others in one call', async () => {
		await create('A@1', 'B@2', 'C');
		expect(await claim(execution(), 'A@1', 'B@1', 'C@1', 'D@1')).toEqual({
			A: 'created',
			B: 'anotherOrder',
			C: 'created',
			D: 'claimed',
		});
	});

	test('leaves the store as it was, whoever looks', async () => {
		await create('A@1', 'B');
		const before = [...row.entries];
		await lookUp('A@2', 'B@2', 'C@2');
		await claim(execution(), 'A@2', 'B@2');
		expect([...row.entries]).toEqual(before);
	});

	test('has three entries once it was created, and each claim leaves one', async () => {
		await create('A@1');
		expect(row.entries.size).toBe(4);
		const ledger = execution();
		await claim(ledger, 'B', 'C');
		await time.until(confirmWith(ledger, claimantsOf('B', 'C')));
		expect(row.entries.size).toBe(11);
	});

	test('is never free, nor created for the order that it was not created for, whenever a process is killed', async () => {
		const kills = fc.record({
			name: fc.constantFrom('A', 'A@1', 'A@2'),
			action: fc.constantFrom('claim', 'lookUp'),
			access: fc.nat(3),
			when: fc.constantFrom('before' as const, 'after' as const),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom('A', 'A@1'),
				fc.boolean(),
				fc.array(kills, { maxLength: 4 }),
				async (name, isConfirmed, list) => {
					row = { entries: new Set() };
					const ledger = execution();
					await claim(ledger, name);
					if (isConfirmed) await time.until(confirmWith(ledger, claimantsOf(name)));
					for (const { name, action, access, when } of list) {
						const dying = openLedger(killedAt(access, when), scope, 'dying', time);
						await time.until(doing[action](dying, claimantsOf(name))).catch(() => undefined);
					}
					const { A } = await claim(execution(), name);
					expect(isConfirmed ? ['created', 'unknown'] : ['unknown']).toContain(A);
					const { A: other } = await claim(execution(), 'A@2');
					if (!isConfirmed) expect(other).toBe('unknown');
					else if (name === 'A@1') expect(['anotherOrder', 'unknown']).toContain(other);
				},
			),
		);
	});

	test.each(['claim', 'lookUp'] as const)(
		'is doubted to the last, however many are looked up at once by %s',
		async (action) => {
			const names = (orderId: number) =>
				Array.from({ length: 150 }, (_, number) => `R${number}@${orderId}`);
			for (const isConfirmed of [true, false])
				for (let access = 1; access < 6; access++) {
					row = { entries: new Set() };
					const ledger = execution();
					await claim(ledger, ...names(1));
					if (isConfirmed) await time.until(confirmWith(ledger, claimantsOf(...names(1))));
					const dying = openLedger(killedAt(access, 'after'), scope, 'dying', time);
					await time.until(doing[action](dying, claimantsOf(...names(2)))).catch(() => undefined);
					const found = new Set(Object.values(await claim(execution(), ...names(2))));
					if (isConfirmed) found.delete('anotherOrder');
					expect([...found].filter((one) => one !== 'unknown')).toEqual([]);
				}
		},
	);
});

describe('looking references up', () => {
	test('leaves the store as it was', async () => {
		const ledger = execution();
		await claim(ledger, 'A', 'B');
		await time.until(confirmWith(ledger, claimantsOf('A')));
		const before = row.entries;
		await claim(execution(), 'A', 'B');
		expect(row.entries).toEqual(before);
	});

	test('removes nothing when all goes well, since n8n looks through all entries for that', async () => {
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

	test('leaves nothing of what was released', async () => {
		const ledger = execution();
		await claim(ledger, 'A', 'B');
		await time.until(ledger.release(claimantsOf('A', 'B')));
		expect(row.entries.size).toBe(0);
	});

	test('takes as many accesses for a hundred references as for one', async () => {
		let accesses = 0;
		const counting = () => {
			accesses++;
			return noTime;
		};
		await claim(execution(counting), 'A');
		const forOne = accesses;
		await claim(execution(counting), ...Array.from({ length: 100 }, (_, number) => `B${number}`));
		expect(accesses - forOne).toBe(forOne);
	});

	test('at once in one process finds them created for every execution', async () => {
		const ledger = execution();
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

	test('does not access the store to confirm or release none', async () => {
		const accesses = jest.fn(() => noTime);
		const ledger = execution(accesses);
		await time.until(confirmWith(ledger, claimantsOf()));
		await time.until(ledger.release(claimantsOf()));
		expect(accesses).not.toHaveBeenCalled();
	});
});

describe('a step', () => {
	/** A store that counts its accesses, of which some fail. */
	function counting(fails: (access: number) => boolean = () => false) {
		const entries = entriesOf(row, time, () => noTime);
		const seen = { accesses: 0 };
		const access = async <Result>(work: () => Promise<Result>): Promise<Result> => {
			if (fails(seen.accesses++)) throw new Error('no database');
			return await work();
		};
		const store = storeOf({
			record: async (wanted) => await access(async () => await entries.record(wanted)),
			remove: async (unwanted) => await access(async () => await entries.remove(unwanted)),
		});
		return { ledger: openLedger(store, scope, `execution ${++executions}`, time), seen };
	}

	test('confirms, tries the claims of the one before and makes the next, in one access', async () => {
		const { ledger, seen } = counting();
		const step = async (wanted: string[], confirmed: string[]) => {
			const before = seen.accesses;
			const found = await time.until(
				ledger.proceed({ wanted: claimantsOf(...wanted), confirmed: claimantsOf(...confirmed) }),
			);
			expect(seen.accesses - before).toBe(1);
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

	test('with nothing to do does not access the store', async () => {
		const { ledger, seen } = counting();
		expect(await ledger.proceed({})).toEqual(new Map());
		await claim(ledger, 'A');
		const before = seen.accesses;
		await ledger.proceed({ wanted: [], confirmed: [] });
		expect(seen.accesses).toBe(before);
	});

	test('tells at once what is known, and later what is claimed', async () => {
		await create('A');
		const { ledger } = counting();
		const proceed = async (...wanted: string[]) =>
			Object.fromEntries(await time.until(ledger.proceed({ wanted: claimantsOf(...wanted) })));
		expect(await proceed('A', 'B')).toEqual({ A: 'created' });
		expect(await proceed()).toEqual({ B: 'claimed' });
	});

	test('that rejects makes nothing ours that was not told', async () => {
		const { ledger, seen } = counting((access) => access === 1);
		await time.until(ledger.proceed({ wanted: claimantsOf('A') }));
		const failed = ledger.proceed({ wanted: claimantsOf('B') });
		await expect(time.until(failed)).rejects.toThrow('no database');
		expect(await ledger.proceed({})).toEqual(new Map());
		expect(seen.accesses).toBe(2);
		expect(await lookUp('A', 'B')).toEqual({ A: 'unknown', B: 'free' });
	});

	test('makes claims again that were written over together with the next, and then tells them', async () => {
		const { ledger } = counting();
		await time.until(ledger.proceed({ wanted: claimantsOf('A', 'B') }));
		// Another writes back what it read before, and has claimed B.
		row.entries = new Set([`${scope}\npending\nB`]);
		const again = await time.until(ledger.proceed({ wanted: claimantsOf('C') }));
		expect(Object.fromEntries(again)).toEqual({ B: 'unknown' });
		expect(Object.fromEntries(await time.until(ledger.proceed({})))).toEqual({
			A: 'claimed',
			C: 'claimed',
		});
	});
});

describe('a process that is killed', () => {
	const points = [0, 1, 2, 3].flatMap((access) =>
		(['before', 'after'] as const).map((when) => ({ access, when })),
	);

	test.each(points)(
		'$when access $access while it looks a created reference up never frees it',
		async ({ access, when }) => {
			const ledger = execution();
			await claim(ledger, 'A');
			await time.until(confirmWith(ledger, claimantsOf('A')));

			const dying = openLedger(killedAt(access, when), scope, 'dying', time);
			await time.until(claimWith(dying, claimantsOf('A'))).catch(() => undefined);

			const { A } = await claim(execution(), 'A');
			expect(['created', 'unknown']).toContain(A);
		},
	);

	test.each(points)(
		'$when access $access while it claims leaves the reference free only if it was not claimed',
		async ({ access, when }) => {
			const dying = openLedger(killedAt(access, when), scope, 'dying', time);
			const claims = await time.until(claimWith(dying, claimantsOf('A'))).catch(() => undefined);

			const { A } = await claim(execution(), 'A');
			if (claims?.get('A') === 'claimed') expect(A).toBe('unknown');
			else expect(['claimed', 'unknown']).toContain(A);
		},
	);

	test.each(points.slice(0, 2))(
		'$when access $access while it confirms leaves the reference created or unknown',
		async ({ access, when }) => {
			const mark = 'dying';
			await claim(openLedger(memoryStore(row, time), scope, mark, time), 'A');

			const dying = openLedger(killedAt(access, when), scope, mark, time);
			await time.until(confirmWith(dying, claimantsOf('A'))).catch(() => undefined);

			const isDone = when === 'after';
			expect(await claim(execution(), 'A')).toEqual({ A: isDone ? 'created' : 'unknown' });
		},
	);
});

describe('two processes at once', () => {
	/** Each access as slow as the list says, in order, then without any time. */
	function slow(...accesses: Array<Partial<AccessTimes>>): () => AccessTimes {
		return () => ({ ...noTime, ...accesses.shift() });
	}

	test.each([
		['the later writes over the earlier', slow({ between: 10 }), slow({ between: 20 })],
		['the earlier writes over the later', slow({ between: 20 }), slow({ between: 10 })],
		['both write at once', slow({ between: 10 }), slow({ between: 10 })],
		['one is as slow as is allowed for', slow({ between: 1 }), slow({ between: 49 })],
		[
			'both are slow all the time',
			() => ({ before: 100, between: 200, after: 100 }),
			() => ({ before: 150, between: 300, after: 0 }),
		],
	])('never both claim a reference when %s', async (_how, timesOfOne, timesOfOther) => {
		const [one, other] = await time.until(
			Promise.all([
				claimWith(execution(timesOfOne), claimantsOf('A')),
				claimWith(execution(timesOfOther), claimantsOf('A')),
			]),
		);
		expect([one.get('A'), other.get('A')].sort()).toEqual(['claimed', 'unknown']);
		// Whoever has it, nobody else gets it.
		expect(await claim(execution(), 'A')).toEqual({ A: 'unknown' });
	});

	test('make a claim again that was written over by one that did not know of it', async () => {
		const claims = await time.until(
			Promise.all([
				claimWith(execution(slow({ between: 10 })), claimantsOf('A')),
				claimWith(execution(slow({ between: 20 })), claimantsOf('B')),
			]),
		);
		expect(claims.map((map) => [...map])).toEqual([[['A', 'claimed']], [['B', 'claimed']]]);
		expect(await claim(execution(), 'A', 'B')).toEqual({ A: 'unknown', B: 'unknown' });
	});

	test('leave the reference to the one that the other was written over by', async () => {
		const first = execution(slow({ between: 10 }));
		const second = execution(slow({ between: 20 }));
		const [one, other] = await time.until(
			Promise.all([claimWith(first, claimantsOf('A')), claimWith(second, claimantsOf('A'))]),
		);
		expect([one.get('A'), other.get('A')]).toEqual(['unknown', 'claimed']);
		await time.until(confirmWith(second, claimantsOf('A')));
		expect(await claim(execution(), 'A')).toEqual({ A: 'created' });
		// Its own three, and the marks of both claims.
		expect(row.entries.size).toBe(5);
	});

	test('do not claim when the store never keeps what is written', async () => {
		const forgetful: Entries = {
			record: async (wanted) => await Promise.resolve(new Set(wanted)),
			remove: async () => await Promise.resolve(),
		};
		const ledger = openLedger(storeOf(forgetful), scope, 'mark', time);
		expect(await claim(ledger, 'A')).toEqual({ A: 'unknown' });
	});

	test.each([
		['50 ms at least', { before: 1, between: 1, after: 1 }, 50],
		['three times as long as the store took', { before: 30, between: 10, after: 60 }, 300],
	])('let a claim stand for %s before they trust it', async (_howLong, times, leastMs) => {
		const reads: number[] = [];
		const ledger = execution(() => {
			reads.push(time.now());
			return times;
		});
		await claim(ledger, 'A');
		const [first = 0, second = 0] = reads;
		const took = times.before + times.between + times.after;
		expect(second - first - took).toBe(leastMs);
	});
});

test('rejects when the store does', async () => {
	const broken: Entries = {
		record: async () => await Promise.reject(new Error('no database')),
		remove: async () => await Promise.reject(new Error('no database')),
	};
	const ledger = openLedger(storeOf(broken), scope, 'mark', time);
	await expect(claimWith(ledger, claimantsOf('A'))).rejects.toThrow('no database');
	await expect(confirmWith(ledger, claimantsOf('A'))).rejects.toThrow('no database');
	await expect(ledger.release(claimantsOf('A'))).rejects.toThrow('no database');
});

describe('however the accesses of several executions interleave', () => {
	/** What executions do one after the other: claim references, then end in one of three ways. */
	const runArbitrary = fc.record({
		start: fc.oneof(fc.nat(50), fc.nat(400)),
		references: fc.subarray(['A', 'B', 'C'], { minLength: 1 }),
		order: fc.constantFrom('', '@1', '@2'),
		ending: fc.constantFrom('confirm', 'release', 'die'),
		sendingMs: fc.nat(200),
		process: fc.nat(2),
	});
	type Run = typeof runArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

	const runsArbitrary = fc.array(runArbitrary, { minLength: 2, maxLength: 5 });

	/** Accesses whose parts take up to so many milliseconds, many of them hardly any. */
	function timesArbitrary(mostMs: number): fc.Arbitrary<fc.Stream<AccessTimes>> {
		const milliseconds = fc.oneof(fc.nat(2), fc.nat(mostMs));
		return fc.infiniteStream(
			fc.record({ before: milliseconds, between: milliseconds, after: milliseconds }),
		);
	}

	function oneAfterTheOther(stream: fc.Stream<AccessTimes>): () => AccessTimes {
		return () => {
			const next: IteratorResult<AccessTimes, AccessTimes> = stream.next();
			return next.value;
		};
	}

	/**
	 * Lets executions run at once.
	 *
	 * @param storeOfProcess gives the store as a process sees it
	 * @returns what went wrong, and how references that were created read afterwards
	 */
	async function interleave(
		runs: readonly Run[],
		storeOfProcess: (process: number) => Store,
	): Promise<{ problems: string[]; created: Array<Claim | undefined> }> {
		const holders = new Map<string, number>();
		const confirmed = new Set<string>();
		const problems: string[] = [];
		const stores: Store[] = [];
		await time.until(
			Promise.all(
				runs.map(async ({ start, references, order, ending, sendingMs, process }, number) => {
					await time.wait(start);
					const store = (stores[process] ??= storeOfProcess(process));
					const ledger = openLedger(store, scope, `execution ${number}`, time);
					const claimants = references.map((name) => `${name}${order}`);
					const claims = await claimWith(ledger, claimantsOf(...claimants));
					const claimed = references.filter((name) => claims.get(name) === 'claimed');
					for (const name of claimed) {
						if (holders.has(name)) problems.push(`${name} is held twice`);
						if (confirmed.has(name)) problems.push(`${name} is claimed after all`);
						holders.set(name, number);
					}
					await time.wait(sendingMs);
					if (ending === 'die') return;
					// From here on the reference may be given to others, or read as created.
					for (const name of claimed) {
						holders.delete(name);
						if (ending === 'confirm') confirmed.add(name);
					}
					const ended = claimantsOf(...claimed.map((name) => `${name}${order}`));
					if (ending === 'confirm') await confirmWith(ledger, ended);
					else await ledger.release(ended);
				}),
			),
		);
		const later = await time.until(claimWith(execution(), claimantsOf('A', 'B', 'C')));
		for (const name of [...confirmed, ...holders.keys()])
			if (later.get(name) === 'claimed') problems.push(`${name} is free at the end`);
		return { problems, created: [...confirmed].map((name) => later.get(name)) };
	}

	test('no reference is held twice, or claimed once it was created, by one node in any number of processes, however slow; what was created reads so', async () => {
		await fc.assert(
			fc.asyncProperty(runsArbitrary, timesArbitrary(1000), async (runs, stream) => {
				time = new VirtualTime();
				row = { entries: new Set() };
				const lockRow: LockRow = {};
				const times = oneAfterTheOther(stream);
				const lock = memoryLock(lockRow, time, times);
				let turns = 0;
				const locked = (): Store => {
					const store = memoryStore(row, time, times);
					return {
						runExclusive: async (access) =>
							await withLock(
								lock,
								`turn ${++turns}`,
								time,
								() => 0.5,
								async () => await store.runExclusive(access),
							),
					};
				};
				const { problems, created } = await interleave(runs, locked);
				expect(problems).toEqual([]);
				for (const claim of created) expect(claim).toBe('created');
			}),
			{ numRuns: 300 },
		);
	});
});
