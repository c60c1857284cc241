import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startService } from '../../playground/service/server';
import { deduplicationStore, type NodeRun, type RunNodeOptions } from '../support/engine/engine';
import {
	createOnce,
	orderParameters,
	outcomesOf,
	jsonOf,
	pickupFields,
	restart,
	restartWithoutWaits,
	setUp,
	until,
} from '../support/actionNode';
import { shopifyOrder } from '../support/shopifyOrders';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

/** Runs the node in a new n8n process with On Error: Continue and without real waits. */
async function run(
	items: IDataObject[],
	options: INodeParameters = {},
	more: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	restartWithoutWaits();
	return await service.run(createOnce(options), {
		items,
		onError: 'continueRegularOutput',
		...more,
	});
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const all = (count: number, outcome: string) => Array.from({ length: count }, () => outcome);

describe('second run with Skip Already Sent', () => {
	test('creates nothing in a second run, and reports each delivery as skipped', async () => {
		await run(deliveries(5), { batchSize: 2 });
		const before = service.control.requests().length;
		const { items, hints } = await run(deliveries(5), { batchSize: 2 });

		expect(service.control.requests()).toHaveLength(before);
		expect(items).toMatchObject(
			[0, 1, 2, 3, 4].map((item) => ({
				json: {
					outcome: 'skipped',
					id: '',
					reason: 'alreadyCreated',
					message: `R${item} was already sent. Nothing to do.`,
					referenceId: `R${item}`,
				},
				pairedItem: { item },
			})),
		);
		expect(hints).toMatchObject([{ message: expect.stringContaining('Skipped 5 items') }]);
	});

	test('skips references sent by any node of the workflow, but not by other workflows', async () => {
		await run(deliveries(1));
		const { items } = await run(deliveries(1), {}, { settings: { id: 'another node' } });
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);

		const other = await run(deliveries(1), {}, { workflowId: 'another workflow' });
		expect(outcomesOf(other.items)).toEqual(['created']);
	});

	test('skips what was sent, whatever Company ID and Base URL the credential has now', async () => {
		await run(deliveries(1));
		const other = await startService();
		try {
			const ownCompany = { ...service.credential, companyId: 1002 };
			for (const credential of [ownCompany, other.credential]) {
				const { items } = await run(deliveries(1), {}, { credential });
				expect(outcomesOf(items)).toEqual(['alreadyCreated']);
			}
			expect(other.control.requests()).toEqual([]);
		} finally {
			await other.close();
		}
	});

	test('skips what was sent without the option that names the own company', async () => {
		await run(deliveries(1));
		const { items } = await run([...deliveries(2)], { companyId: 1001 });
		expect(outcomesOf(items)).toEqual(['alreadyCreated', 'created']);
		expect(outcomesOf((await run(deliveries(2))).items)).toEqual(all(2, 'alreadyCreated'));
		const child = await run(deliveries(1), { companyId: 1002 });
		expect(outcomesOf(child.items)).toEqual(['created']);
	});

	test('creates duplicates without reading the store if Skip Already Sent is off', async () => {
		await run(deliveries(2));
		const calls = deduplicationStore.calls.length;
		const { items } = await service.run(createOnce({}, { skipAlreadySent: false }), {
			items: deliveries(2),
		});
		expect(outcomesOf(items)).toEqual(['created', 'created']);
		expect(service.existing()).toEqual(['R0', 'R1', 'R0', 'R1']);
		expect(deduplicationStore.calls).toHaveLength(calls);
	});
});

describe('delivery without a reference', () => {
	const items = [delivery({ referenceId: 'A' }), delivery(), delivery({ referenceId: 'C' })];

	test('rejects a delivery without a reference before anything is sent', async () => {
		const { error } = await service.run(createOnce(), { items });
		expect(error).toMatchObject({
			message: 'Reference ID is missing [item 1]',
			description: expect.stringMatching(/^Enter one: "Skip Already Sent" recognizes/),
		});
		expect(service.control.requests()).toEqual([]);
		expect(deduplicationStore.calls).toEqual([]);
	});
});

describe('same reference twice in one input', () => {
	const twice = ['A', 'B', 'A', 'C', 'A'].map((referenceId, number) =>
		delivery({ referenceId, tags: [`${number}`] }),
	);

	test('rejects another delivery with the same reference, also in a dry run', async () => {
		const dry = await run(twice, { dryRun: true, simplify: false });
		const expected = [false, false, true, true, true].map((wouldSend) => ({ wouldSend }));
		expect(jsonOf(dry.items)).toMatchObject(expected);
		expect(jsonOf(dry.items)[0]).toMatchObject({ reason: 'anotherDelivery' });

		const { items } = await run(twice, { batchSize: 2 });
		expect(outcomesOf(items)).toEqual(['created', 'created', 'notSent', 'created', 'notSent']);
		expect(items[2]?.json.message).toBe(
			'A was not sent: item 0 has the same reference ID, but is a different delivery. Look for A in the Delivery Service. If one of the two was sent, leave its reference ID as it is, and give only the other one another reference ID.',
		);
		expect(service.existing()).toEqual(['A', 'B', 'C']);
	});

	test('sends a duplicate reference once if types differ', async () => {
		const same = all(3, 'A').map((referenceId) => delivery({ referenceId }));
		const { items } = await run(same, { type: '={{ $itemIndex === 1 ? "express" : "slot" }}' });
		expect(service.existing()).toEqual(['A']);
		expect(outcomesOf(items)).toEqual(['created', ...all(2, 'sameReferenceInInput')]);
	});
});

describe('two orders with the same reference', () => {
	const firstOrder = shopifyOrder({ id: 1, name: '#1001' });
	const otherOrder = shopifyOrder({ id: 2, name: '#1001' });
	const parameters = (orderOptions: INodeParameters = {}, options: INodeParameters = {}) =>
		createOnce(options, {
			operation: 'createFromOrders',
			...pickupFields,
			...orderParameters(orderOptions),
		});

	async function runOrders(
		items: IDataObject[],
		more: INodeParameters = parameters(),
	): Promise<NodeRun> {
		restart();
		return await service.run(more, { items, onError: 'continueRegularOutput' });
	}

	const notSent = expect.objectContaining({
		referenceId: '#1001',
		outcome: 'notSent',
		message: expect.stringMatching(
			/^#1001 was not sent: another order has the same reference ID\. Look .* for a delivery to its customer\. /,
		),
	});

	test('the rest of a sent order, by hand, needs a reference ID of its own', async () => {
		await runOrders([firstOrder]);
		const outcomes = [];
		for (const referenceId of ['#1001', '#1001-2', '#1001-2'])
			outcomes.push(...outcomesOf((await run([{ ...delivery(), referenceId }])).items));
		expect(outcomes).toEqual(['alreadyCreated', 'created', 'alreadyCreated']);
	});

	test('rejects another order with the reference of an earlier run, every time', async () => {
		expect(outcomesOf((await runOrders([firstOrder])).items)).toEqual(['created']);
		for (let times = 0; times < 2; times++) {
			const { items } = await runOrders([otherOrder]);
			expect(jsonOf(items)).toEqual([notSent]);
		}
		expect(outcomesOf((await runOrders([firstOrder])).items)).toEqual(['alreadyCreated']);
		expect(service.existing()).toEqual(['#1001']);
	});

	test('sends an order that changed before the unsent one of the other shop', async () => {
		const unpaid = {
			financial_status: 'pending',
			total_outstanding: '87.00',
			payment_gateway_names: ['bank'],
		};
		const items = [
			{ ...firstOrder, ...unpaid, updated_at: minutesAgo(5) },
			{ ...otherOrder, updated_at: minutesAgo(9) },
		];
		expect(outcomesOf((await runOrders(items)).items)).toEqual(['notPaid', 'created']);
	});

	test('tells that a sent order was canceled, also if the other shop has canceled its own', async () => {
		await runOrders([firstOrder]);
		const cancelled_at = minutesAgo(5);
		const items = [firstOrder, otherOrder].map((order) => ({ ...order, cancelled_at }));
		expect(jsonOf((await runOrders(items)).items)).toMatchObject([
			{ reason: 'alreadyCreated', actionNeeded: expect.stringMatching(/to stop it\.$/) },
			{ reason: 'cancelled', actionNeeded: '' },
		]);
	});
});

test('creates each delivery once in concurrent executions of several processes', async () => {
	const go = async () => {
		restart();
		return await service.run(createOnce({ batchSize: 3 }), {
			items: deliveries(12),
			onError: 'continueRegularOutput',
		});
	};
	const runs = await Promise.all([go(), go(), go()]);

	const existing = service.existing();
	expect(new Set(existing).size).toBe(existing.length);
	for (let item = 0; item < 12; item++) {
		const outcomes = runs.map(({ items }) => outcomesOf(items)[item]);
		const created = outcomes.filter((outcome) => outcome === 'created').length;
		expect(created).toBe(existing.includes(`R${item}`) ? 1 : 0);
		if (created === 0) expect(outcomes).toEqual(all(3, 'unknown'));
		else expect(outcomes.filter((outcome) => outcome === 'alreadyCreated')).toHaveLength(2);
	}
});

describe('killed process', () => {
	const recording = { operation: 'checkProcessedAndRecord', scope: 'workflow' } as const;

	/** Runs the same deliveries again: nothing is created twice, and what is missing is not lost. */
	async function runAgain(): Promise<unknown[]> {
		const before = service.existing();
		const { items } = await run(deliveries(5), { batchSize: 2 });
		const outcomes = outcomesOf(items);
		for (const [item, outcome] of outcomes.entries()) {
			const exists = before.includes(`R${item}`);
			expect([exists ? 'alreadyCreated' : 'created', 'unknown']).toContain(outcome);
			if (outcome === 'unknown')
				expect(items[item]?.json.message).toMatch(
					new RegExp(`^It is unknown whether R${item} .*look for .*"Allow Resending" for R${item}`),
				);
		}
		expect(new Set(service.existing()).size).toBe(service.existing().length);
		return outcomes;
	}

	test.each(
		[0, 1, 2, 3, 4, 5].flatMap((skip) =>
			(['before', 'after'] as const).map((when) => ({ skip, when })),
		),
	)('creates nothing twice and loses nothing if killed $when record $skip', async (point) => {
		deduplicationStore.addFault({ kind: 'kill', ...recording, ...point });
		await run(deliveries(5), { batchSize: 2 });
		const content = deduplicationStore.snapshot();
		deduplicationStore.reset();
		deduplicationStore.restore(content);
		const outcomes = await runAgain();
		expect(await runAgain()).toEqual(
			outcomes.map((outcome) => (outcome === 'created' ? 'alreadyCreated' : outcome)),
		);
	});

	test.each(['hang', 'hangAfter'] as const)(
		'leaves the request in flight unknown if killed (%s)',
		async (kind) => {
			const kill = new AbortController();
			service.control.addFault({ kind, skip: 1 });
			const running = run(deliveries(5), { batchSize: 2 }, { kill: kill.signal });
			await until(
				() =>
					service.control.requests().length >= 2 &&
					service.existing().includes('R2') === (kind === 'hangAfter'),
			);
			kill.abort();
			expect((await running).status).toBe('crashed');
			const outcomes = await runAgain();
			expect(outcomes.slice(2, 4)).toEqual(['unknown', 'unknown']);
		},
	);
});

describe('failing store', () => {
	const record = {
		kind: 'fail',
		operation: 'checkProcessedAndRecord',
		scope: 'workflow',
		when: 'before',
	} as const;

	test('asks to save a workflow that was never saved', async () => {
		const { items } = await run(deliveries(1), {}, { workflowId: '' });
		expect(items[0]?.json.message).toMatch(/\. Save the workflow and run it again/);
		expect(service.control.requests()).toEqual([]);
	});

	test('reports created deliveries and a warning if the store fails to record them', async () => {
		deduplicationStore.addFault({ ...record, entry: /"created"/, times: 4 });
		const { items, hints } = await run(deliveries(2));

		expect(outcomesOf(items)).toEqual(all(2, 'created'));
		expect(hints).toContainEqual({
			message: expect.stringMatching(/could not record .* as unknown/),
			type: 'warning',
			location: 'outputPane',
		});
		const second = await run(deliveries(2));
		expect(outcomesOf(second.items)).toEqual(all(2, 'unknown'));
		expect(service.existing()).toHaveLength(2);
	});
});
