import type { Creation } from '../../../nodes/DeliveryService/sending/outcomes';
import { openLedger, type Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { findUnsent } from '../../../nodes/DeliveryService/sending/unsent';
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

/** The item numbers of a plan: those to send, and why the others are skipped. */
interface PlanByItem {
	sent: number[];
	skipped: Map<number, string>;
}

async function planOf(
	creations: Creation[],
	{ isRemembered = true, ownCompanyId }: PlanOptions = {},
): Promise<PlanByItem> {
	const options = { ownCompanyId, ...(isRemembered && { ledgerFor }) };
	const unsent = await time.until(findUnsent(creations, options));
	const skipped = new Map(unsent.map(({ creation, outcome }) => [creation.item, outcome.reason]));
	const sent = creations.map(({ item }) => item).filter((item) => !skipped.has(item));
	return { sent, skipped };
}

interface PlanOptions {
	/** Whether there is a ledger of sent references. */
	isRemembered?: boolean;
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

test('skips created, unknown and duplicate references', async () => {
	await time.until(confirmWith(await claimReferences(['R1', 'R2']), [{ referenceId: 'R1' }]));
	const { sent, skipped } = await planOf([...creationsOf(5), creation(5, 'R3')]);
	expect(sent).toEqual([0, 3, 4]);
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
	const { sent, skipped } = await planOf([
		creation(0, 'A'),
		creation(1, 'A', { companyId: 2 }),
		creation(2, 'A', { companyId: 3 }),
	]);
	expect(sent).toEqual([1, 2]);
	expect([...skipped.keys()]).toEqual([0]);
});

test('sends a reference once per company, whatever the type and whether the company is the default', async () => {
	const { sent, skipped } = await planOf(
		[
			creation(0, 'A'),
			creation(1, 'A', { type: 'express' }),
			creation(2, 'A', { companyId: 7 }),
			creation(3, 'A', { companyId: 8 }),
			creation(4, 'B', { type: 'express' }),
		],
		{ ownCompanyId: 7 },
	);
	expect(sent).toEqual([0, 3, 4]);
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
	const { sent, skipped } = await planOf([
		creation(0, 'A', { orderId: '2' }),
		creation(1, 'B', { orderId: '3' }),
		creation(2, 'B', { orderId: '4' }),
		creation(3, 'B', { orderId: '3' }),
	]);
	expect(sent).toEqual([1]);
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
	const [unsent, claims] = await time.until(
		Promise.all([
			findUnsent(creationsOf(2), { ledgerFor: open }),
			claimWith(open(), [{ referenceId: 'R0' }, { referenceId: 'R1' }]),
		]),
	);
	expect(unsent).toEqual([]);
	expect([...claims.values()]).toEqual(['claimed', 'claimed']);
});

test('skips nothing without a ledger, with or without references', async () => {
	const { sent, skipped } = await planOf(
		[creation(0, 'A'), creation(1, 'A'), creation(2), creation(3)],
		{ isRemembered: false },
	);
	expect(sent).toEqual([0, 1, 2, 3]);
	expect(skipped.size).toBe(0);
});

test('leaves the ledger unchanged', async () => {
	await time.until(confirmWith(await claimReferences(['R1', 'R2']), [{ referenceId: 'R1' }]));
	const before = row.entries;
	await planOf([...creationsOf(4), creation(4, 'R0')]);
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
	expect(plan.sent).toEqual([4]);
	expect([...plan.skipped].sort(([one], [other]) => one - other)).toEqual([
		...[0, 1].map((item) => [item, 'unknown']),
		[2, 'alreadyCreated'],
		[3, 'sentInParts'],
		[5, 'sentInParts'],
	]);
	expect(row.entries).toEqual(before);
});

test('names the whole order that a dry run finds unknown', async () => {
	await claimReferences(['#1']);
	const unsent = await time.until(
		findUnsent([creation(0, '#1-1', { orderReferenceId: '#1' })], { ledgerFor }),
	);
	expect(unsent.map(({ outcome }) => outcome.message)).toEqual([
		'#1-1 would be reported as unknown: another execution may have sent the whole order (#1). Check the Delivery Service dashboard for #1.',
	]);
});

test('sends the whole order of one shop and a fulfillment order of another with the same number', async () => {
	const plan = await planOf([
		creation(0, '#1', { orderId: '1' }),
		creation(1, '#1-99', { orderId: '2', orderReferenceId: '#1' }),
	]);
	expect(plan.sent).toEqual([0, 1]);
});
