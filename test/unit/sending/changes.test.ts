/** Which execution reports a change of a sent order, and when the others go on. */
import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { ProcessMemory } from '../../../nodes/DeliveryService/ledger/processMemory';
import { claimReports, recordReports } from '../../../nodes/DeliveryService/sending/changes';
import type { RememberedJob } from '../../../nodes/DeliveryService/sending/job';
import { memoryStore } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

const time = new VirtualTime();
const minute = 60_000;

/** Two executions, the second of which starts a second later. */
let first: Ledger;
let second: Ledger;

/** Sends orders #1 and #2, for two executions of the same process or of two processes. */
async function send(isSameProcess: boolean): Promise<void> {
	const store = memoryStore({ entries: new Set() }, time);
	const memory = new ProcessMemory();
	first = new Ledger(store, time, memory);
	second = new Ledger(store, time, isSameProcess ? memory : new ProcessMemory());
	const claims = [owing('100.00').claim, owing('100.00', '#2').claim];
	await time.until(first.claim(claims));
	for (const claim of claims) first.confirm(claim);
	await time.until(first.flush());
	first.end();
}

const owing = (cash: string, referenceId = '#1') => ({
	item: 0,
	claim: { referenceId, orderId: referenceId, sentAs: { cash, rest: 'address' } },
});

/** An execution finds an order with another amount owed. */
async function find(ledger: Ledger, ...order: Parameters<typeof owing>): Promise<RememberedJob> {
	const { claim, item } = owing(...order);
	return { item, claim, change: (await ledger.lookUp([claim])).get(claim)?.change };
}

/** An execution finds order #1 with another amount owed. @returns its job, if the execution may report that */
async function meet(ledger: Ledger, cash: string): Promise<RememberedJob | undefined> {
	const [reported] = await claimReports([await find(ledger, cash)], ledger, time);
	return reported;
}

/** The first execution reports 60.00 for some time; then the second one meets another amount. */
async function report(forMs: number, later: string): Promise<RememberedJob | undefined> {
	const reporting = async () => {
		const job = await meet(first, '60.00');
		await time.wait(forMs);
		if (job) await recordReports([job], [], first);
		first.end();
	};
	const following = async () => {
		await time.wait(1000);
		return await meet(second, later);
	};
	const [, job] = await time.until(Promise.all([reporting(), following()]));
	return job;
}

describe.each([true, false])('two executions (of the same process: %s)', (isSameProcess) => {
	beforeEach(async () => await send(isSameProcess));

	test('report the same change once', async () => {
		expect(await report(minute / 2, '60.00')).toBeUndefined();
	});

	test('report a later change after the earlier one', async () => {
		const started = time.now();
		expect((await report(minute / 2, '30.00'))?.change).toMatchObject({ number: 2, cash: true });
		expect(time.now() - started).toBeGreaterThan(minute / 2);
	});
});

test('waits for as long as the service is down, if the execution is of the same process', async () => {
	await send(true);
	expect(await report(5 * minute, '60.00')).toBeUndefined();
});

test('repeats the change of an execution that crashed', async () => {
	await send(false);
	expect((await time.until(meet(first, '60.00')))?.change).toMatchObject({ number: 1 });
	const started = time.now();
	expect((await time.until(meet(second, '60.00')))?.change).toMatchObject({ number: 2 });
	expect(time.now() - started).toBeLessThan(2 * minute);
});

test('two executions of a process, each of which reports what the other also wants to, both go on', async () => {
	await send(true);
	const reports = async () => {
		const jobs = [await find(first, '60.00'), await find(first, '60.00', '#2')];
		// The second one has claimed #2, and goes on when the first one has reported #1.
		await claimReports([await find(second, '60.00', '#2')], second, time);
		return await claimReports(jobs, first, time);
	};
	const started = time.now();
	const reported = await time.until(reports());
	expect(reported.map(({ change }) => change?.number)).toEqual([1, 2]);
	expect(time.now() - started).toBeLessThan(2 * minute);
});

test('a stopped execution claims no change, so that a later one reports it', async () => {
	await send(false);
	const stopped = async () =>
		await claimReports([await find(first, '60.00')], first, time, AbortSignal.abort());
	expect(await time.until(stopped())).toEqual([]);
	expect((await time.until(meet(second, '60.00')))?.change).toMatchObject({ number: 1 });
});
