/** What the ledger answers about orders and fulfillment orders, and which entries it leaves behind. */
import type { Claim } from '../../../nodes/DeliveryService/ledger/claims';
import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import type { Entries } from '../../../nodes/DeliveryService/ledger/store';

let entries: Set<string>;
/** Each access to the store: how many entries it recorded or removed. */
let accesses: Array<['record' | 'remove', number]>;
/** The number of the access from which on the store fails. */
let failsFrom: number;
let ledger: Ledger;

const clock = { now: () => 0, wait: async () => await Promise.resolve() };

function open(): Ledger {
	const access = async (kind: 'record' | 'remove', some: readonly string[]) => {
		await Promise.resolve();
		if (accesses.push([kind, some.length]) >= failsFrom) throw new Error('no database');
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
	return new Ledger(async (work) => await work(store), clock);
}

beforeEach(() => {
	entries = new Set();
	accesses = [];
	failsFrom = Infinity;
	ledger = open();
});

const order = (referenceId: string, orderId?: string, companyId?: number): Claim => ({
	...{ referenceId, orderId, companyId },
});

/** A fulfillment order of order A: of each line, the ordered quantity and the units that it takes. */
const part = (referenceId: string, ...lines: Array<[quantity: number, units: number]>): Claim => ({
	...{ referenceId, orderId: 'A' },
	part: {
		orderReferenceId: '#1',
		lines: lines.map(([quantity, units], line) => ({ id: `L${line}`, quantity, units })),
	},
});

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

test('a released delivery is free again, and leaves nothing behind', async () => {
	const [one, other] = [order('#5'), part('#1-1', [2, 2])];
	expect(await claim(one, other)).toEqual(['free', 'free']);
	ledger.release(one);
	ledger.release(other);
	await ledger.flush();
	// The order stays an order that is sent in parts.
	expect(entries.size).toBe(2);
	expect(await lookUp(one, other)).toEqual(['free', 'free']);
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
	expect(entries.size).toBe(2 + 2 + 3);
	expect(await claim(part('#1-2', [2, 1]))).toEqual(['unitsSent']);
	expect(await claim(part('#1-3', [2, 1], [3, 2]))).toEqual(['unitsPartlySent']);
	expect(await claim(part('#1-4', [2, 0], [3, 3]))).toEqual(['unitsPartlySent']);
	expect([...entries]).toEqual(before);
	// In one claim, the first one gets the units.
	const both = [part('#1-5', [2, 0], [3, 2]), part('#1-6', [2, 0], [3, 1])];
	expect(await claim(...both)).toEqual(['free', 'unitsSent']);
	expect(entries.size).toBe(before.length + 1 + 2);
});

test.each<[number, Array<[number, number]>]>([
	[24, [[45, 24]]],
	// Groups of two units: 25 of 50.
	[13, [[50, 25]]],
	[25, [[49, 49]]],
	// Two lines share the groups.
	[
		22 + 10,
		[
			[240, 240],
			[10, 10],
		],
	],
	// More units than were ordered.
	[3, [[2, 3]]],
])('takes %i entries for the units of %j', async (count, lines) => {
	await create(part('#1-1', ...lines));
	expect(entries.size).toBe(2 + 2 + count);
	const rest = lines.map(([quantity, units]): [number, number] => [
		quantity,
		Math.max(quantity - units, 0) + 1,
	]);
	expect(await claim(part('#1-2', ...rest))).not.toEqual(['free']);
});

/** The same, with a share of the cash. */
const unpaidPart = (referenceId: string, units: number, ...cashBases: string[]): Claim => {
	const { part: own, ...claimed } = part(referenceId, [45, units]);
	return { ...claimed, part: own && { ...own, cashBases, firstBasis: cashBases[0] } };
};

/** The cash basis of a fulfillment order that is free. */
async function basisOf(one: Claim, isClaimed = false): Promise<unknown> {
	const found = (await (isClaimed ? ledger.claim([one]) : ledger.lookUp([one]))).get(one);
	expect(found?.state).toBe('free');
	return found?.cashBasis;
}

test("the first fulfillment order's cash basis counts for the others, until the order is sent again", async () => {
	expect(await basisOf(unpaidPart('#1-1', 1, 'A'))).toBe('A');
	expect(entries.size).toBe(0);
	const [first, second] = [unpaidPart('#1-1', 1, 'A', 'B'), unpaidPart('#1-2', 1, 'B')];
	await create(first, second);
	expect(entries.size).toBe(3 + 2 + 2 + 2);
	const before = [...entries];
	for (const [bases, known] of [
		[['A'], 'A'],
		[['B'], undefined],
		[['C', 'A'], 'A'],
		[[], undefined],
	] as const)
		expect(await basisOf(unpaidPart('#1-3', 1, ...bases))).toBe(known);
	expect([...entries]).toEqual(before);
	expect(await basisOf(unpaidPart('#1-4', 1, 'B'), true)).toBeUndefined();
	await ledger.allowResending(undefined, ['#1-1']);
	expect(await basisOf(unpaidPart('#1-1', 1, 'B'))).toBeUndefined();
	await ledger.allowResending(undefined, ['#1']);
	expect(await basisOf(unpaidPart('#1-1', 1, 'B'))).toBe('B');
});

test('an order that was paid when it was sent has no cash basis', async () => {
	await create(part('#1-1', [45, 1]));
	expect(await basisOf(unpaidPart('#1-2', 1, 'A'))).toBeUndefined();
});

test('a crash while a cash basis is looked up leaves the order unknown', async () => {
	await create(unpaidPart('#1-1', 1, 'A'));
	failsFrom = accesses.length + 3;
	await expect(ledger.claim([unpaidPart('#1-2', 1, 'B')])).rejects.toThrow('no database');
	failsFrom = Infinity;
	expect(await lookUp(unpaidPart('#1-2', 1, 'B'))).toEqual(['wholeUnknown']);
});

test('an order sent as one fulfillment order takes at most 50 entries', async () => {
	await create(unpaidPart('#1-1', 45, 'A'));
	expect(entries.size).toBe(50);
});

test('Allow Resending for an order frees its deliveries, and for a fulfillment order only that one', async () => {
	await create(part('#1-1', [2, 1]), part('#1-2', [2, 1]));
	expect(await ledger.allowResending(undefined, ['#1-1', '#9'])).toEqual(new Set(['#1-1']));
	expect(await lookUp(part('#1-1', [2, 1]), part('#1-2', [2, 1]))).toEqual(['free', 'created']);
	expect(await ledger.allowResending(8, ['#1'])).toEqual(new Set());
	for (let times = 0; times < 3; times++) {
		expect(await ledger.allowResending(undefined, ['#1'])).toEqual(new Set(['#1']));
		await create(part('#1-1', [2, 1]), part('#1-2', [2, 1]));
	}
	expect(await ledger.allowResending(undefined, ['#1-2'])).toEqual(new Set(['#1-2']));
	await create(part('#1-2', [2, 1]));
	expect(await ledger.allowResending(undefined, ['#1'])).toEqual(new Set(['#1']));
	await create(order('#1', 'B'));
	expect(await lookUp(order('#1', 'B'))).toEqual(['created']);
	expect(await ledger.allowResending(undefined, ['#1'])).toEqual(new Set(['#1']));
	expect(await ledger.allowResending(undefined, ['#1'])).toEqual(new Set());
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
	expect(await ledger.allowResending(undefined, ['#1'])).toEqual(new Set(['#1']));
	expect(await lookUp(one)).toEqual(['free']);
});

test('an interrupted look-up leaves the reference unknown', async () => {
	const one = order('#1', 'A');
	await create(one);
	failsFrom = accesses.length + 3;
	await expect(ledger.lookUp([one])).rejects.toThrow('no database');
	failsFrom = Infinity;
	expect(await lookUp(one)).toEqual(['unknown']);
	expect(await ledger.allowResending(undefined, ['#1'])).toEqual(new Set(['#1']));
	await create(one);
	expect(await lookUp(one)).toEqual(['created']);
});
