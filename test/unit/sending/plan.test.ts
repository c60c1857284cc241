import type { Creation } from '../../../nodes/DeliveryService/sending/outcomes';
import { openLedger, type Ledger } from '../../../nodes/DeliveryService/deduplication/ledger';
import { planCreations, type Plan } from '../../../nodes/DeliveryService/sending/plan';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import type { CreationBody } from '../../../nodes/DeliveryService/service/schemas';
import { creation, creationsOf } from '../../support/creations';
import { claimWith, confirmWith } from '../../support/ledger';
import { memoryStore, type Row } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let row: Row;
let executions: number;

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
	executions = 0;
});

function ledgerFor(companyId: Creation['companyId']): Ledger {
	const store = memoryStore(row, time);
	return openLedger(store, `company ${companyId}`, `execution ${++executions}`, time);
}

async function planOf(
	creations: Creation[],
	{ batchSize = 100, isRemembered = true, allowedRequests = 100, ownCompanyId }: PlanOptions = {},
): Promise<PlanByItem> {
	return byItem(
		await time.until(
			planCreations(creations, {
				batchSize: batchSize === 'automatic' ? undefined : batchSize,
				ownCompanyId,
				rateLimit: new RateLimit(allowedRequests, 60_000),
				clock: time,
				...(isRemembered && { ledgerFor }),
			}),
		),
	);
}

/** A plan with item numbers in place of creations. */
interface PlanByItem {
	requests: Array<{ items: number[]; body: CreationBody }>;
	skipped: Map<number, string>;
}

function byItem({ requests, skipped }: Plan): PlanByItem {
	return {
		requests: requests.map(({ creations, body }) => ({
			items: creations.map(({ item }) => item),
			body,
		})),
		skipped: new Map(skipped.map(({ creation, outcome }) => [creation.item, outcome.reason])),
	};
}

interface PlanOptions {
	batchSize?: number | 'automatic';
	/** Whether there is a ledger of sent references. */
	isRemembered?: boolean;
	/** How many requests the rate limit allows. */
	allowedRequests?: number;
	ownCompanyId?: number;
}

async function claimReferences(references: string[], companyId?: number): Promise<Ledger> {
	const ledger = ledgerFor(companyId);
	await time.until(
		claimWith(
			ledger,
			references.map((referenceId) => ({ referenceId })),
		),
	);
	return ledger;
}

test('returns the request bodies with their items', async () => {
	const creations = [creation(0, 'A'), creation(1, 'B')];
	expect(await planOf(creations)).toEqual({
		requests: [{ items: [0, 1], body: { deliveries: creations.map(({ delivery }) => delivery) } }],
		skipped: new Map(),
	});
});

test('combines deliveries with the same company and type in one request, in order', async () => {
	const child = { companyId: 2 };
	const express = { type: 'express' } as const;
	const { requests } = await planOf([
		creation(0, 'A', child),
		creation(1, 'B'),
		creation(2, 'C', { ...child, ...express }),
		creation(3, 'D', child),
		creation(4, 'E', express),
		creation(5, 'F'),
	]);
	expect(
		requests.map(({ items, body: { companyId, type } }) => ({ items, companyId, type })),
	).toEqual([
		{ items: [0, 3], companyId: 2 },
		{ items: [1, 5] },
		{ items: [2], companyId: 2, type: 'express' },
		{ items: [4], type: 'express' },
	]);
});

test.each([
	[100, 250, [100, 100, 50]],
	[40, 100, [40, 40, 20]],
	[1, 3, [1, 1, 1]],
	[100, 100, [100]],
	[100, 0, []],
])('splits requests at the batch size of %i', async (batchSize, count, sizes) => {
	const { requests } = await planOf(creationsOf(count), { batchSize });
	expect(requests.map(({ items }) => items.length)).toEqual(sizes);
	expect(requests.flatMap(({ items }) => items)).toEqual([...Array(count).keys()]);
});

test.each([
	[50, 100, Array<number>(50).fill(1)],
	[51, 100, [51]],
	[120, 100, [100, ...Array<number>(20).fill(1)]],
	[121, 100, [100, 21]],
	[6, 5, [6]],
	// The first request uses one of the eleven that the limit allows.
	[111, 11, [100, 11]],
])(
	'sends the last of %i deliveries individually if the rate limit of %i requests allows it',
	async (count, allowedRequests, sizes) => {
		const { requests } = await planOf(creationsOf(count), {
			batchSize: 'automatic',
			allowedRequests,
		});
		expect(requests.map(({ items }) => items.length)).toEqual(sizes);
	},
);

test('counts only the remaining deliveries, of all companies and types, for individual requests', async () => {
	await time.until(
		confirmWith(await claimReferences(['R1', 'R2']), [
			{ referenceId: 'R1' },
			{ referenceId: 'R2' },
		]),
	);
	const creations = [...creationsOf(52), creation(52, 'X', { type: 'express' })];
	const plan = await planOf(creations, { batchSize: 'automatic' });
	expect(plan.requests.map(({ items }) => items.length)).toEqual([50, 1]);
	expect((await planOf(creationsOf(52), { batchSize: 'automatic' })).requests).toHaveLength(50);
});

test('skips created, unknown and duplicate references', async () => {
	await time.until(confirmWith(await claimReferences(['R1', 'R2']), [{ referenceId: 'R1' }]));
	const { requests, skipped } = await planOf([...creationsOf(5), creation(5, 'R3')], {
		batchSize: 2,
	});
	expect(requests.map(({ items }) => items)).toEqual([[0, 3], [4]]);
	expect(skipped).toEqual(
		new Map([
			[1, 'alreadyCreated'],
			[2, 'unknown'],
			[5, 'sameReferenceInInput'],
		]),
	);
});

test('distinguishes references of different companies', async () => {
	await time.until(confirmWith(await claimReferences(['A']), [{ referenceId: 'A' }]));
	const { requests, skipped } = await planOf([
		creation(0, 'A'),
		creation(1, 'A', { companyId: 2 }),
		creation(2, 'A', { companyId: 3 }),
	]);
	expect(requests.map(({ items }) => items)).toEqual([[1], [2]]);
	expect([...skipped.keys()]).toEqual([0]);
});

test('sends a reference once per company, whatever the type and whether the company is the default', async () => {
	const { requests, skipped } = await planOf(
		[
			creation(0, 'A'),
			creation(1, 'A', { type: 'express' }),
			creation(2, 'A', { companyId: 7 }),
			creation(3, 'A', { companyId: 8 }),
			creation(4, 'B', { type: 'express' }),
		],
		{ ownCompanyId: 7 },
	);
	expect(requests.map(({ items }) => items)).toEqual([[0], [3], [4]]);
	expect(skipped).toEqual(
		new Map([
			[1, 'sameReferenceInInput'],
			[2, 'sameReferenceInInput'],
		]),
	);
});

test('skips the reference of another order, from an earlier run or from this input', async () => {
	const claimant = { referenceId: 'A', orderId: '1' };
	const ledger = ledgerFor(undefined);
	await time.until(claimWith(ledger, [claimant]));
	await time.until(confirmWith(ledger, [claimant]));
	const { requests, skipped } = await planOf([
		creation(0, 'A', { orderId: '2' }),
		creation(1, 'B', { orderId: '3' }),
		creation(2, 'B', { orderId: '4' }),
		creation(3, 'B', { orderId: '3' }),
	]);
	expect(requests.map(({ items }) => items)).toEqual([[1]]);
	expect(skipped).toEqual(
		new Map([
			[0, 'anotherOrder'],
			[2, 'anotherOrder'],
			[3, 'sameReferenceInInput'],
		]),
	);
});

test('records no more entries at a time than a batch needs, since a full store drops the oldest', async () => {
	const written: Array<ReadonlySet<string>> = [new Set()];
	row = {
		get entries() {
			return written.at(-1) ?? new Set();
		},
		set entries(entries) {
			written.push(entries);
		},
	};
	await planOf(creationsOf(1000));
	expect(Math.max(...written.map(({ size }) => size))).toBe(100);
	expect(row.entries.size).toBe(0);
});

test('does not block another execution that is sending', async () => {
	const store = memoryStore(row, time, () => ({ before: 1, between: 1, after: 1 }));
	const open = () => openLedger(store, 'company', `execution ${++executions}`, time);
	const [{ requests }, claims] = await time.until(
		Promise.all([
			planCreations(creationsOf(2), {
				batchSize: 100,
				rateLimit: new RateLimit(100, 60_000),
				clock: time,
				ledgerFor: open,
			}),
			claimWith(open(), [{ referenceId: 'R0' }, { referenceId: 'R1' }]),
		]),
	);
	expect(requests).toHaveLength(1);
	expect([...claims.values()]).toEqual(['claimed', 'claimed']);
});

test('skips nothing without a ledger, with or without references', async () => {
	const { requests, skipped } = await planOf(
		[creation(0, 'A'), creation(1, 'A'), creation(2), creation(3)],
		{ isRemembered: false },
	);
	expect(requests.map(({ items }) => items)).toEqual([[0, 1, 2, 3]]);
	expect(skipped.size).toBe(0);
});

test('leaves the ledger unchanged', async () => {
	await time.until(confirmWith(await claimReferences(['R1', 'R2']), [{ referenceId: 'R1' }]));
	const before = row.entries;
	await planOf([...creationsOf(4), creation(4, 'R0')], { batchSize: 1 });
	expect(row.entries).toEqual(before);
});

test('plans neither a whole order after its fulfillment orders nor the other way round', async () => {
	const part = (item: number, order: string) =>
		creation(item, `${order}-1`, { orderReferenceId: order });
	await claimReferences(['lost']);
	await time.until(ledgerFor(undefined).proceed({ lost: [{ referenceId: 'lost' }] }));
	await claimReferences(['sending']);
	await time.until(confirmWith(await claimReferences(['created']), [{ referenceId: 'created' }]));
	const split = { referenceId: 'split-1', orderReferenceId: 'split' };
	await time.until(claimWith(ledgerFor(undefined), [split]));
	const before = row.entries;
	const plan = await planOf([
		...[part(0, 'lost'), part(1, 'sending'), part(2, 'created'), creation(3, 'split')],
		...[part(4, 'new'), creation(5, 'new')],
	]);
	expect(plan.requests.map(({ items }) => items)).toEqual([[4]]);
	expect([...plan.skipped].sort(([one], [other]) => one - other)).toEqual([
		...[0, 1].map((item) => [item, 'unknown']),
		[2, 'alreadyCreated'],
		[3, 'sentInParts'],
		[5, 'sameOrderInInput'],
	]);
	expect(row.entries).toEqual(before);
});

test('names the whole order that a dry run finds unknown', async () => {
	await claimReferences(['#1']);
	const plan = await time.until(
		planCreations([creation(0, '#1-1', { orderReferenceId: '#1' })], {
			...{ rateLimit: new RateLimit(100, 60_000), clock: time, ledgerFor },
		}),
	);
	expect(plan.skipped.map(({ outcome }) => outcome.message)).toEqual([
		'#1-1 would be reported as unknown: another execution may have sent the whole order (#1). Check the Delivery Service dashboard for #1.',
	]);
});
