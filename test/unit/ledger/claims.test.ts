/** What the ledger answers about orders and fulfillment orders, and which entries it leaves behind. */
import type { Claim } from '../../../nodes/DeliveryService/ledger/claims';
import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { ProcessMemory } from '../../../nodes/DeliveryService/ledger/processMemory';
import type { Entries } from '../../../nodes/DeliveryService/ledger/store';

let entries: Set<string>;
/** Each access to the store: how many entries it recorded or removed. */
let accesses: Array<['record' | 'remove', number]>;
/** The numbers of the first and of the last access at which the store fails. */
let failsFrom: number;
let failsUpTo: number;
let ledger: Ledger;

const clock = { now: () => 0, wait: async () => await Promise.resolve() };

function open(memory?: ProcessMemory): Ledger {
	const access = async (kind: 'record' | 'remove', some: readonly string[]) => {
		await Promise.resolve();
		const number = accesses.push([kind, some.length]);
		if (number >= failsFrom && number <= failsUpTo) throw new Error('no database');
	};
	const store: Entries = {
		record: async (some) => {
			await access('record', some);
			const added = new Set(some.filter((entry) => !entries.has(entry)));
			for (const entry of some) entries.add(entry);
			return added;
		},
		remove: async (some) => {
			await access('remove', some);
			for (const entry of some) entries.delete(entry);
		},
	};
	return new Ledger(async (work) => await work(store), clock, memory);
}

beforeEach(() => {
	entries = new Set();
	accesses = [];
	failsFrom = Infinity;
	failsUpTo = Infinity;
	ledger = open();
});

const order = (referenceId: string, orderId?: string, companyId?: number): Claim => ({
	referenceId,
	orderId,
	companyId,
});

/** A fulfillment order of order A: of each line, the ordered quantity and the units that it takes. */
const part = (referenceId: string, ...lines: Array<[quantity: number, units: number]>): Claim => ({
	referenceId,
	orderId: 'A',
	part: {
		orderReferenceId: '#1',
		lines: lines.map(([quantity, units], line) => ({ id: `L${line}`, quantity, units })),
	},
});

/** An order that is sent in parts is claimed, and a first part has a number. */
const orderEntries = 2;
/** It is claimed and created, and knows its number. */
const partEntries = 3;

test('looks up in portions, which drop few entries of a full store', async () => {
	await ledger.lookUp(Array.from({ length: 250 }, (_, index) => order(`#${index}`)));
	const counts = accesses.flatMap(([kind, count]) => (kind === 'record' ? count : []));
	expect([counts, entries.size]).toEqual([[100, 100, 50], 0]);
});

/** Claims deliveries, and returns what each was before. */
async function claim(...claims: Claim[]): Promise<unknown[]> {
	const found = await ledger.claim(claims);
	return claims.map((one) => found.get(one)?.state);
}

async function lookUp(...claims: Claim[]): Promise<unknown[]> {
	const found = await ledger.lookUp(claims);
	return claims.map((one) => found.get(one)?.state);
}

/** Claims deliveries that are free, and confirms that they were created. */
async function create(...claims: Claim[]): Promise<void> {
	expect(await claim(...claims)).toEqual(claims.map(() => 'free'));
	for (const one of claims) ledger.confirm(one);
	await ledger.flush();
}

/** Uses Allow Resending, and returns the references that it has freed. */
async function allow(...references: string[]): Promise<string[]> {
	const states = await ledger.allowResending(undefined, references);
	return references.filter((reference) => states.get(reference) === 'freed');
}

test('an order is created, another one of its name is not, and a claim alone is unknown', async () => {
	await create(order('#1', 'A'));
	expect(entries.size).toBe(3);
	const others = [order('#1', 'A'), order('#1', 'B'), order('#1'), order('#1', 'A', 8)];
	const states: unknown[] = [];
	for (const one of others) states.push(...(await lookUp(one)));
	expect(states).toEqual(['created', 'anotherOrder', 'created', 'free']);
	expect(await claim(order('#2', 'C'))).toEqual(['free']);
	expect(await claim(order('#2', 'C'))).toEqual(['unknown']);
	expect(entries.size).toBe(4);
});

test('a released delivery is free again, also when it was claimed and released many times', async () => {
	const [one, other] = [order('#5'), part('#1-1', [2, 2])];
	expect(await claim(one, other)).toEqual(['free', 'free']);
	ledger.release(one);
	ledger.release(other);
	await ledger.flush();
	// The order stays an order that is sent in parts, and the part keeps its number.
	expect(entries.size).toBe(orderEntries + 1);
	for (let times = 0; times < 3; times++) {
		expect(await claim(one, other)).toEqual(['free', 'free']);
		ledger.release(one);
		ledger.release(other);
		await ledger.flush();
	}
	expect(entries.size).toBe(orderEntries + 1);
	expect(await lookUp(order('#1', 'A'))).toEqual(['inParts']);
});

test('an order is sent whole or in parts, also while its outcome is unknown', async () => {
	expect(await claim(order('#1', 'A'))).toEqual(['free']);
	expect(await claim(part('#1-1', [1, 1]))).toEqual(['wholeUnknown']);
	ledger = open();
	entries.clear();
	await create(order('#1', 'A'));
	const before = [...entries];
	expect(await claim(part('#1-1', [1, 1]))).toEqual(['wholeCreated']);
	expect([...entries]).toEqual(before);
	entries.clear();
	await create(part('#1-1', [2, 1]));
	expect(await claim(order('#1', 'A'))).toEqual(['inParts']);
	expect(await claim(part('#1-2', [2, 1]))).toEqual(['free']);
});

test('each unit goes out once, and a fulfillment order that is not sent takes none', async () => {
	await create(part('#1-1', [2, 2], [3, 1]));
	const before = [...entries];
	expect(entries.size).toBe(orderEntries + partEntries + 2);
	expect(await claim(part('#1-2', [2, 1]))).toEqual(['unitsSent']);
	expect(await claim(part('#1-3', [2, 1], [3, 2]))).toEqual(['unitsPartlySent']);
	expect(await claim(part('#1-4', [2, 0], [3, 3]))).toEqual(['unitsPartlySent']);
	expect([...entries]).toEqual(before);
	// In one claim, the first one gets the units.
	const both = [part('#1-5', [2, 0], [3, 2]), part('#1-6', [2, 0], [3, 1])];
	expect(await claim(...both)).toEqual(['free', 'unitsSent']);
	expect(entries.size).toBe(before.length + 3 + 1);
});

test.each<[number, Array<[number, number]>]>([
	[2, [[45, 24]]],
	[5, [[60, 31]]],
	[1, [[64, 64]]],
	[
		4 + 2,
		[
			[240, 240],
			[10, 10],
		],
	],
	// More units than were ordered.
	[2, [[2, 3]]],
])('takes %i entries for the units of %j', async (count, lines) => {
	await create(part('#1-1', ...lines));
	expect(entries.size).toBe(orderEntries + partEntries + count);
	const rest = lines.map(([quantity, units]): [number, number] => [
		quantity,
		Math.max(quantity - units, 0) + 1,
	]);
	expect(await claim(part('#1-2', ...rest))).not.toEqual(['free']);
});

test.each<[number, Claim]>([
	[5, { ...order('#1', 'A'), sentAs: { rest: 'a', cash: '10' } }],
	[4, { ...order('#1', 'A'), sentAs: { rest: 'a' } }],
	[2, order('#1')],
	[10, { ...part('#1-1', [2, 2], [1, 1], [4, 4]), sentAs: { rest: 'a', cash: '10' } }],
	[9, { ...part('#1-1', [2, 2], [1, 1], [4, 4]), sentAs: { rest: 'a' } }],
])('a created delivery takes %i entries: %j', async (count, one) => {
	await create(one);
	expect(entries.size).toBe(count);
	expect(await lookUp(one)).toEqual(['created']);
	expect(entries.size).toBe(count);
});

test('Allow Resending for an order frees its deliveries, and for a fulfillment order only that one', async () => {
	await create(part('#1-1', [2, 1]), part('#1-2', [2, 1]));
	expect(await allow('#1-1', '#9')).toEqual(['#1-1']);
	expect(await lookUp(part('#1-1', [2, 1]), part('#1-2', [2, 1]))).toEqual(['free', 'created']);
	expect(await ledger.allowResending(8, ['#1'])).toEqual(new Map([['#1', 'notRemembered']]));
	for (let times = 0; times < 3; times++) {
		expect(await allow('#1')).toEqual(['#1']);
		await create(part('#1-1', [2, 1]), part('#1-2', [2, 1]));
	}
	expect(await allow('#1-2')).toEqual(['#1-2']);
	await create(part('#1-2', [2, 1]));
	expect(await allow('#1')).toEqual(['#1']);
	await create(order('#1', 'B'));
	expect(await lookUp(order('#1', 'B'))).toEqual(['created']);
	expect(await allow('#1')).toEqual(['#1']);
	expect(await allow('#1')).toEqual([]);
});

test('Allow Resending for a fulfillment order lets its units go out with another one, however often', async () => {
	for (let times = 0; times < 12; times++) {
		await create(part('#1-1', [60, 31]), part('#1-2', [60, 29]));
		expect(await claim(part('#1-3', [60, 31]))).toEqual(['unitsSent']);
		expect(await allow('#1-3', '#1-1')).toEqual(['#1-1']);
		expect(await lookUp(part('#1-4', [60, 32]))).toEqual(['unitsPartlySent']);
		expect(await lookUp(part('#1-3', [60, 31]))).toEqual(['free']);
		await create(part('#1-1', [60, 31]));
		expect(await allow('#1')).toEqual(['#1']);
	}
	await create(part('#1-1', [60, 31]));
	const ofAnother = await ledger.allowResending(undefined, ['#1-1'], '#2');
	expect(ofAnother.get('#1-1')).toBe('notRemembered');
});

test('Allow Resending frees a fulfillment order whose name another shop sent whole meanwhile', async () => {
	await create(order('#1', 'A'));
	await allow('#1');
	await create(order('#1', 'B'));
	await create(part('#1-5', [60, 31]));
	expect(await claim(part('#1-6', [60, 31]))).toEqual(['unitsPartlySent']);
	expect(await allow('#1-5')).toEqual(['#1-5']);
	expect(await lookUp(part('#1-6', [60, 31]))).toEqual(['free']);
});

test('Allow Resending finds the order by the text before the last hyphen', async () => {
	await create(part('#1-6789', [1, 1]));
	expect(await allow('#1-6789')).toEqual(['#1-6789']);
	await create(part('#1-6789', [1, 1]));
});

test('Allow Resending does not free a fulfillment order whose whole order may have been sent meanwhile', async () => {
	await create(part('#1-1', [2, 1]));
	await allow('#1');
	await claim(order('#1', 'A'));
	expect(await ledger.allowResending(undefined, ['#1-1'])).toEqual(
		new Map([['#1-1', 'orderSent']]),
	);
});

test('Allow Resending names an order that was sent whole, or may have been', async () => {
	await create(order('#1', 'A'));
	await claim(order('#2', 'B'));
	const states = await ledger.allowResending(undefined, ['#1-1', '#2-1', '#3-1']);
	expect([...states.values()]).toEqual(['orderSent', 'orderSent', 'notRemembered']);
});

test('counts fulfilled units as claimed, and leaves out canceled ones', async () => {
	const line = { id: 'L', quantity: 10, canceled: 1 };
	const taking = (referenceId: string, units: number, fulfilled: number): Claim => ({
		referenceId,
		orderId: 'A',
		part: { orderReferenceId: '#1', lines: [{ ...line, units, fulfilled }] },
	});
	// Four were fulfilled without a claim.
	expect(await lookUp(taking('#1-1', 6, 4))).toEqual(['unitsPartlySent']);
	const [first, second] = [taking('#1-1', 3, 4), taking('#1-2', 2, 4)];
	expect(await claim(first)).toEqual(['free']);
	ledger.release(first);
	expect(await claim(second)).toEqual(['free']);
	ledger.confirm(second);
	// Then those of the second one were fulfilled, too.
	expect(await lookUp(taking('#1-3', 4, 6))).toEqual(['unitsPartlySent']);
	await create(taking('#1-3', 2, 6));
	await create(taking('#1-5', 1, 6));
	expect(await claim(taking('#1-4', 1, 6))).toEqual(['unitsSent']);
});

test('an order counts as sent in parts, even if only units that were fulfilled before are asked for', async () => {
	const lines = [{ id: 'L', quantity: 2, fulfilled: 2, units: 1 }];
	const fulfilled = { referenceId: '#1-1', orderId: 'A', part: { orderReferenceId: '#1', lines } };
	expect(await claim(fulfilled)).toEqual(['unitsSent']);
	expect(await claim(order('#1', 'A'))).toEqual(['inParts']);
});

test('counts all claimed units of a line, even if an item of the run has an earlier state of the order', async () => {
	await create(part('#1-1', [4, 4]));
	// Before an edit, the order had one unit of the line.
	expect(await claim(part('#1-2', [4, 1]), part('#1-3', [1, 1]))).toEqual([
		'unitsSent',
		'unitsSent',
	]);
});

test('a sent fulfillment order has grown if it has more units of any line now', async () => {
	await create(part('#1-1', [5, 2], [5, 1]));
	const states: unknown[] = [];
	for (const [first, second] of [
		[2, 1],
		[1, 0],
		[3, 1],
		[2, 2],
	] as const)
		states.push(...(await lookUp(part('#1-1', [5, first], [5, second]))));
	expect(states).toEqual(['created', 'created', 'grown', 'grown']);
});

test('a line of which a fulfillment order has no units does not keep it from being sent', async () => {
	const lines = [
		{ id: 'L0', quantity: 2, units: 0, canceled: 2 },
		{ id: 'L1', quantity: 3, units: 2 },
	];
	await create(part('#1-1', [2, 2], [3, 1]));
	const other = { referenceId: '#1-2', orderId: 'A', part: { orderReferenceId: '#1', lines } };
	expect(await claim(other)).toEqual(['free']);
});

test('recognizes a delivery of more units than its item says were ordered', async () => {
	const grown = part('#1-1', [4, 9]);
	await create(grown);
	expect(await lookUp(grown)).toEqual(['created']);
});

test('accesses the store once for a claim, and not at all when there is nothing to note', async () => {
	await ledger.flush();
	expect(accesses).toEqual([]);
	const [one, other] = [order('#1', 'A'), order('#2', 'B')];
	await claim(one, other);
	expect(accesses).toEqual([['record', 2]]);
	ledger.confirm(one);
	ledger.release(other);
	// Of a delivery that was not claimed, there is nothing to note.
	ledger.confirm(order('#3'));
	ledger.release(order('#3'));
	await ledger.flush();
	expect(accesses.slice(1)).toEqual([
		['remove', 1],
		['record', 2],
	]);
	expect(await lookUp(one, other)).toEqual(['created', 'free']);
});

test('a look-up that fails after its first record leaves that one behind, as a claim', async () => {
	await create(order('#1', 'A'));
	const before = entries.size;
	failsFrom = accesses.length + 2;
	await expect(ledger.lookUp([order('#1', 'A'), order('#2', 'B')])).rejects.toThrow('no database');
	failsFrom = Infinity;
	expect(entries.size).toBe(before + 1);
	const later = open();
	const found = await later.lookUp([order('#1', 'A')]);
	expect([...found.values()]).toMatchObject([{ state: 'created' }]);
});

test('a claim that fails at its second access claims nothing', async () => {
	const [sent, unsent] = [order('#1', 'A'), order('#2', 'B')];
	await create(sent);
	failsFrom = failsUpTo = accesses.length + 2;
	await expect(ledger.claim([sent, unsent])).rejects.toThrow('no database');
	expect(await lookUp(unsent)).toEqual(['free']);
});

test('what could not be released stays claimed, and is unknown', async () => {
	const one = order('#1', 'A');
	await claim(one);
	ledger.release(one);
	failsFrom = accesses.length + 1;
	await expect(ledger.flush()).rejects.toThrow('no database');
	failsFrom = Infinity;
	await ledger.flush();
	expect(await lookUp(one)).toEqual(['unknown']);
});

test('a delivery without an order, e.g. created by hand, counts for the order of its reference', async () => {
	await create(order('#1'));
	expect(await claim(order('#1', 'A'))).toEqual(['created']);
	expect(await claim(part('#1-1', [1, 1]))).toEqual(['wholeCreated']);
});

test('Allow Resending frees a reference also after an interrupted claim of its next number', async () => {
	const one = order('#1', 'A');
	await create(one);
	await ledger.allowResending(undefined, ['#1']);
	const allowed = entries.size;
	failsFrom = accesses.length + 5;
	await expect(ledger.claim([one])).rejects.toThrow('no database');
	expect(entries.size).toBeGreaterThan(allowed);
	failsFrom = Infinity;
	expect(await lookUp(one)).toEqual(['unknown']);
	expect(await allow('#1')).toEqual(['#1']);
	expect(await lookUp(one)).toEqual(['free']);
});

test('an interrupted look-up leaves the reference unknown', async () => {
	const one = order('#1', 'A');
	await create(one);
	failsFrom = accesses.length + 3;
	await expect(ledger.lookUp([one])).rejects.toThrow('no database');
	failsFrom = Infinity;
	expect(await lookUp(one)).toEqual(['unknown']);
	expect(await allow('#1')).toEqual(['#1']);
	await create(one);
	expect(await lookUp(one)).toEqual(['created']);
});

test('a claim is known to other executions of its process, until it is settled', async () => {
	const memory = new ProcessMemory();
	const other = open(memory);
	ledger = open(memory);
	const one = order('#1', 'A');
	await claim(one, order('#2', 'B'));
	const isAtWork = async (each: Claim) => (await other.lookUp([each])).get(each)?.holder?.isAtWork;
	expect(await isAtWork(one)).toBe(true);
	ledger.abandon(one);
	expect(await isAtWork(one)).toBe(false);
	// Its fulfillment orders wait for the same claim.
	expect(await isAtWork(part('#1-1', [1, 1]))).toBe(false);
	other.end();
	expect(await isAtWork(order('#2', 'B'))).toBe(true);
	ledger.end();
	expect(await isAtWork(order('#2', 'B'))).toBeUndefined();
	expect(await isAtWork(one)).toBe(false);
});

test('the end of an execution ends no claim that another one took over from it', async () => {
	const memory = new ProcessMemory();
	const [one, other] = [order('#1', 'A'), open(memory)];
	ledger = open(memory);
	await claim(one);
	ledger.release(one);
	await ledger.flush();
	expect((await other.claim([one])).get(one)?.state).toBe('free');
	ledger.end();
	expect((await ledger.lookUp([one])).get(one)?.holder).toEqual({ isAtWork: true });
});

test('an execution does not wait for itself if another process claims what it has released', async () => {
	const one = order('#1', 'A');
	await claim(one);
	ledger.release(one);
	await ledger.flush();
	await open().claim([one]);
	const found = (await ledger.lookUp([one])).get(one);
	expect([found?.state, found?.holder]).toEqual(['unknown', undefined]);
});

test('an execution does not wait for itself if a lookup of what it has created was interrupted', async () => {
	const one = order('#1', 'A');
	await claim(one);
	ledger.confirm(one);
	failsFrom = accesses.length + 3;
	await expect(open().lookUp([one])).rejects.toThrow('no database');
	failsFrom = Infinity;
	const found = (await ledger.lookUp([one])).get(one);
	expect([found?.state, found?.holder]).toEqual(['unknown', undefined]);
});

test('a state is older than those of its own order only: another shop may use its reference ID', async () => {
	const isOutdated = async (orderId: string, time: number) => {
		const one = { ...order('#1', orderId), asOf: { order: time } };
		return (await ledger.lookUp([one])).get(one)?.isOutdated === true;
	};
	expect(await isOutdated('A', 20)).toBe(false);
	expect(await isOutdated('B', 10)).toBe(false);
	expect(await isOutdated('A', 10)).toBe(true);
});

describe('changes after sending', () => {
	const sent = (rest: string, cash?: string): Claim => ({
		...order('#1', 'A'),
		sentAs: { rest, cash },
	});
	const isChanged = (cash: boolean, rest: boolean, isElsewhere = false) => ({
		cash,
		rest,
		isElsewhere,
	});

	/** What has changed. */
	async function changeOf(one: Claim): Promise<unknown> {
		const found = (await ledger.lookUp([one])).get(one);
		expect(found?.state).toBe('created');
		const { cash, rest, claimedElsewhere } = found?.change ?? {};
		return found?.change && { cash, rest, isElsewhere: claimedElsewhere !== undefined };
	}

	/** Reports a change. */
	async function report(one: Claim): Promise<void> {
		await ledger.lookUp([one]);
		expect(await ledger.claimChanges([one])).toEqual(new Set([one]));
		ledger.recordChange(one);
		await ledger.flush();
	}

	test('are found once, and a change back is a change', async () => {
		await create(sent('a', '10'));
		expect(entries.size).toBe(5);
		expect(await changeOf(sent('a', '10'))).toBeUndefined();
		expect(await changeOf(sent('a'))).toEqual(isChanged(true, false));
		expect(await changeOf(sent('b', '10'))).toEqual(isChanged(false, true));
		await report(sent('b', '6'));
		expect(await changeOf(sent('b', '6'))).toBeUndefined();
		expect(await changeOf(sent('a', '10'))).toEqual(isChanged(true, true));
		await report(sent('a'));
		expect(await changeOf(sent('a'))).toBeUndefined();
		expect(await changeOf(sent('a', '10'))).toEqual(isChanged(true, false));
	});

	test('are not compared without digests, nor is the cash of a delivery without any', async () => {
		await create(order('#1', 'A'));
		expect(await changeOf(sent('a', '10'))).toBeUndefined();
		expect(await allow('#1')).toEqual(['#1']);
		await create(sent('a'));
		expect(await changeOf(sent('a', '10'))).toBeUndefined();
		expect(await changeOf(order('#1', 'A'))).toBeUndefined();
		expect(await lookUp(order('#1', 'B'))).toEqual(['anotherOrder']);
		await report(sent('b', '10'));
		expect(await changeOf(sent('b', '7'))).toBeUndefined();
	});

	test('are reported by one execution, and repeated after a crash', async () => {
		await create(sent('a', '10'));
		const [one, other] = [sent('b', '10'), sent('b', '10')];
		const elsewhere = open();
		await ledger.lookUp([one]);
		await elsewhere.lookUp([other]);
		expect(await ledger.claimChanges([one])).toEqual(new Set([one]));
		expect(await elsewhere.claimChanges([other])).toEqual(new Set());
		// The first execution crashes.
		ledger = open();
		expect(await changeOf(one)).toEqual(isChanged(true, true, true));
		expect(await changeOf(sent('a', '10'))).toEqual(isChanged(true, true, true));
		await report(one);
		expect(await changeOf(one)).toBeUndefined();
	});

	test('after a hold are those of a delivery to go on with, also if the execution that reports them crashes', async () => {
		const states = { held: 'on hold', stopped: 'canceled' };
		const withStates = (rest: string): Claim => ({
			...order('#1', 'A'),
			sentAs: { rest, ...states },
		});
		const before = async () => {
			const one = withStates('a');
			return (await ledger.lookUp([one])).get(one)?.change?.before;
		};
		await create(withStates('a'));
		expect(await before()).toBeUndefined();
		await report(withStates('on hold'));
		expect(await before()).toBe('held');
		const released = withStates('a');
		await ledger.lookUp([released]);
		await ledger.claimChanges([released]);
		ledger = open();
		expect(await before()).toBe('held');
		await report(withStates('a'));
		expect(await before()).toBeUndefined();
	});

	test('are found for a fulfillment order', async () => {
		const ofPart = (rest: string): Claim => ({ ...part('#1-1', [2, 2]), sentAs: { rest } });
		await create(ofPart('a'));
		expect(await changeOf(ofPart('a'))).toBeUndefined();
		expect(await changeOf(ofPart('b'))).toEqual(isChanged(false, true));
	});

	describe('of a fulfillment order that gets more units', () => {
		const sentPart = (rest: string, quantity: number, units: number, cash = '10'): Claim => ({
			...part('#1-1', [quantity, units], [1, 1]),
			sentAs: { rest, cash },
		});
		const another = (quantity: number) => part('#1-2', [quantity, 1]);

		test('claim these, so that they are not sent again if they are split off', async () => {
			await create(sentPart('a', 1, 1));
			expect(await lookUp(sentPart('b', 2, 2))).toEqual(['grown']);
			await report(sentPart('b', 2, 2));
			expect(await lookUp(sentPart('b', 2, 2))).toEqual(['created']);
			expect(await claim(another(2))).toEqual(['unitsSent']);
			expect(await claim(another(3))).toEqual(['free']);
		});

		test('claim no unit that another one has claimed', async () => {
			await create(sentPart('a', 2, 1), another(2));
			expect(await lookUp(sentPart('a', 2, 2))).toEqual(['created']);
			const before = entries.size;
			await report(sentPart('b', 2, 2));
			// The change, and its digests with their version.
			expect(entries.size).toBe(before + 4);
			await report(sentPart('c', 3, 2));
			expect(await claim(part('#1-3', [3, 1]))).toEqual(['unitsSent']);
		});

		test('claim those of a line that it had before, and of another one', async () => {
			const withLines = (rest: string, shirts: number, mugs: number): Claim => ({
				...part('#1-1', [2, shirts], [1, mugs]),
				sentAs: { rest },
			});
			await create(withLines('a', 1, 0));
			await report(withLines('b', 2, 1));
			expect(await claim(part('#1-2', [2, 1]))).toEqual(['unitsSent']);
			expect(await claim(part('#1-3', [2, 0], [1, 1]))).toEqual(['unitsSent']);
		});

		test('claim nothing if only the cash has changed', async () => {
			await create(sentPart('a', 1, 1));
			await report(sentPart('a', 2, 2, '20'));
			expect(await lookUp(sentPart('a', 2, 2, '20'))).toEqual(['grown']);
			expect(await claim(another(2))).toEqual(['free']);
		});
	});
});

describe('traces of orders that were not sent', () => {
	const parts = [part('#1-1', [2, 1]), part('#1-2', [2, 1])] as const;
	async function traceOf(one: Claim): Promise<unknown> {
		const late = { ...one, isLate: true };
		return (await ledger.lookUp([late])).get(late)?.trace;
	}

	test.each([[order('#1', 'A')], [parts[0]]])(
		'remembers that an unsent order was met: %j',
		async (one) => {
			expect(await traceOf(one)).toBe('none');
			expect(entries.size).toBe(0);
			ledger.remember([one, one], 'seen');
			await ledger.flush();
			expect(entries.size).toBe(1);
			for (const each of [...parts, order('#1', 'A')]) expect(await traceOf(each)).toBe('seen');
			expect(await traceOf(order('#1', 'B'))).toBe('none');
			ledger.remember([order('#1', 'B')], 'named');
			await ledger.flush();
			expect(await traceOf(order('#1', 'B'))).toBe('named');
		},
	);

	test('keep which fulfillment orders were named apart, but not whether they were seen', async () => {
		ledger.remember([parts[0]], 'named');
		await ledger.flush();
		expect(await traceOf(parts[0])).toBe('named');
		for (const one of [parts[1], order('#1', 'A')]) expect(await traceOf(one)).toBe('none');
		ledger.remember([parts[1]], 'seen');
		await ledger.flush();
		for (const one of parts) expect(await traceOf(one)).toBe('seen');
	});

	test('are not needed after a claim', async () => {
		await create(order('#2', 'B'), parts[0]);
		for (const one of [order('#2', 'B'), ...parts]) expect(await traceOf(one)).toBe('seen');
		expect(await allow('#1', '#2')).toEqual(['#1', '#2']);
		for (const one of [order('#2', 'B'), ...parts]) expect(await traceOf(one)).toBe('seen');
	});
});
