/** Delivery: Create with Skip Already Sent: no delivery is created twice or lost across runs. */
import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import orders from '../../playground/shopify/orders.json';
import type { Control } from '../../playground/service/control';
import { startService } from '../../playground/service/server';
import {
	deduplicationStore,
	type NodeRun,
	type RunNodeOptions,
	type StoreFault,
} from '../support/engine/engine';
import {
	createOnce,
	orderParameters,
	outcomesOf,
	jsonOf,
	pairedItems,
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
					id: null,
					reason: 'alreadyCreated',
					message: `R${item} was skipped: this workflow has already created a delivery with this reference ID. Later changes are not sent; use the Update operation for them.`,
					referenceId: `R${item}`,
				},
				pairedItem: { item },
			})),
		);
		expect(hints).toMatchObject([{ message: expect.stringContaining('Skipped 5 items') }]);
	});

	test('does not fail a second run that skips every delivery', async () => {
		await run(deliveries(3));
		const { items, error } = await service.run(createOnce(), { items: deliveries(3) });
		expect(error).toBeUndefined();
		expect(outcomesOf(items)).toEqual(all(3, 'alreadyCreated'));
	});

	test('creates only new deliveries in a second run, in full batches and in order', async () => {
		await run([delivery({ referenceId: 'R1' }), delivery({ referenceId: 'R3' })]);
		const { items } = await run(deliveries(6), { batchSize: 2 });

		expect(service.existing()).toEqual(['R1', 'R3', 'R0', 'R2', 'R4', 'R5']);
		expect(service.control.requests()).toHaveLength(3);
		expect(outcomesOf(items)).toEqual([
			...['created', 'alreadyCreated', 'created', 'alreadyCreated', 'created', 'created'],
		]);
		expect(jsonOf(items).map(({ referenceId }) => referenceId)).toEqual(
			deliveries(6).map(({ referenceId }) => referenceId),
		);
		expect(pairedItems(items)).toEqual([0, 1, 2, 3, 4, 5]);
	});

	test('skips references sent by any node of the workflow, but not by other workflows', async () => {
		await run(deliveries(1));
		const { items } = await run(deliveries(1), {}, { settings: { id: 'another node' } });
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);

		const other = await run(deliveries(1), {}, { workflowId: 'another workflow' });
		expect(outcomesOf(other.items)).toEqual(['created']);
	});

	test('creates a delivery with the same reference for another company', async () => {
		await run(deliveries(1));
		const forChild = await run(deliveries(1), { companyId: 1002 });
		expect(outcomesOf(forChild.items)).toEqual(['created']);
		expect(service.control.deliveries().map(({ companyId }) => companyId)).toEqual([1001, 1002]);

		const again = await run(deliveries(1), { companyId: 1002 });
		expect(outcomesOf(again.items)).toEqual(['alreadyCreated']);
	});

	test('skips a reference if the option Company ID repeats that of the credential', async () => {
		await run(deliveries(1));
		const { items } = await run(deliveries(1), { companyId: service.credential.companyId });
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);
	});

	test('creates a delivery with the same reference at another service, once it is confirmed', async () => {
		await run(deliveries(1));
		const other = await startService();
		try {
			const { credential } = other;
			await service.run(
				{ resource: 'delivery', operation: 'confirmBaseUrl', sentBefore: 'startEmpty' },
				{ credential },
			);
			const { items } = await run(deliveries(1), {}, { credential });
			expect(outcomesOf(items)).toEqual(['created']);
			expect(other.control.deliveries()).toHaveLength(1);
		} finally {
			await other.close();
		}
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

describe('default of Skip Already Sent', () => {
	const parameters = { resource: 'delivery', operation: 'create' };
	const [order = {}] = orders;

	test.each<[string, string, INodeParameters, IDataObject]>([
		['on', 'Shopify orders', { operation: 'createFromOrders', ...pickupFields }, { ...order }],
		['off', 'JSON', { source: 'json' }, delivery({ referenceId: 'R0' })],
		[
			'off',
			'fields',
			{
				source: 'defineBelow',
				...pickupFields,
				dropoffName: 'Ana',
				dropoffEmail: 'ana@mail.example',
				dropoffAddress: '48 Oak Avenue',
				packages: { package: [{ name: 'Box', qty: 1, size: 's' }] },
				referenceId: 'R0',
			},
			{},
		],
	])('has Skip Already Sent %s by default for %s', async (state, _source, fields, item) => {
		const node = { ...parameters, ...fields };
		const first = await service.run(node, { items: [item] });
		const second = await service.run(node, { items: [item] });
		expect(outcomesOf(first.items)).toEqual(['created']);
		expect(outcomesOf(second.items)).toEqual([state === 'on' ? 'alreadyCreated' : 'created']);
	});

	test('creates an order twice if Skip Already Sent is turned off', async () => {
		const node = {
			...parameters,
			operation: 'createFromOrders',
			...pickupFields,
			skipAlreadySent: false,
		};
		await service.run(node, { items: [{ ...order }] });
		const { items } = await service.run(node, { items: [{ ...order }] });
		expect(outcomesOf(items)).toEqual(['created']);
	});
});

describe('credential without a Company ID', () => {
	const credential = () => ({ ...service.credential, companyId: '' });

	test('sends nothing with Skip Already Sent and without a Company ID', async () => {
		const { error } = await service.run(createOnce(), {
			items: deliveries(2),
			credential: credential(),
		});
		expect(error).toMatchObject({
			message: 'The Delivery Service Company ID is missing',
			description: expect.stringMatching(/^Enter the Company ID/),
		});
		expect(service.control.requests()).toEqual([]);
		expect(deduplicationStore.calls).toEqual([]);
	});

	test('sends only deliveries with a Company ID if the option is empty for others', async () => {
		const companyId = '={{ $itemIndex ? "" : 1002 }}';
		const { items } = await run(deliveries(2), { companyId }, { credential: credential() });
		expect(outcomesOf(items)).toEqual(['created', 'invalid']);
		expect(service.control.deliveries()).toMatchObject([{ companyId: 1002 }]);
	});

	test('sends a delivery once if the option Company ID is set', async () => {
		const again = async () =>
			outcomesOf(
				(await run(deliveries(1), { companyId: 1002 }, { credential: credential() })).items,
			);
		expect(await again()).toEqual(['created']);
		expect(await again()).toEqual(['alreadyCreated']);
	});

	test('sends deliveries without a Company ID if Skip Already Sent is off', async () => {
		const parameters = createOnce({}, { skipAlreadySent: false });
		const more = { items: deliveries(1), credential: credential() };
		expect(outcomesOf((await service.run(parameters, more)).items)).toEqual(['created']);
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

	test('rejects only the delivery without a reference with On Error: Continue', async () => {
		const { items: output } = await run(items);
		expect(outcomesOf(output)).toEqual(['created', 'invalid', 'created']);
		expect(service.existing()).toEqual(['A', 'C']);
	});
});

describe('same reference twice in one input', () => {
	const twice = ['A', 'B', 'A', 'C', 'A'].map((referenceId, number) =>
		delivery({ referenceId, tags: [`${number}`] }),
	);

	test('sends a duplicate reference with two delivery types once, as the dry run shows', async () => {
		const parameters = { type: '={{ $json.tags ? "express" : "slot" }}' };
		const items = [delivery({ referenceId: 'A' }), delivery({ referenceId: 'A', tags: ['x'] })];
		const dry = await service.run(createOnce({ ...parameters, dryRun: true }), { items });
		expect(jsonOf(dry.items)).toMatchObject([
			{ wouldSend: true },
			{ wouldSend: false, reason: 'sameReferenceInInput' },
		]);
		const { items: output } = await service.run(createOnce(parameters), { items });
		expect(outcomesOf(output)).toEqual(['created', 'sameReferenceInInput']);
	});

	test.each([1, 2, 100])(
		'sends only the first delivery with a duplicate reference with a batch size of %i',
		async (size) => {
			const { items } = await run(twice, { batchSize: size });
			expect(outcomesOf(items)).toEqual([
				...['created', 'created', 'sameReferenceInInput', 'created', 'sameReferenceInInput'],
			]);
			expect(items[2]?.json).toMatchObject({
				outcome: 'skipped',
				reason: 'sameReferenceInInput',
				message: expect.stringMatching(
					/^A was skipped: an earlier item has the same reference ID\. .* its own reference ID\.$/,
				),
				referenceId: 'A',
			});
			expect(service.control.deliveries().map(({ request }) => request.tags)).toEqual([
				...[['0'], ['1'], ['3']],
			]);
		},
	);

	test('sends the same reference for two companies', async () => {
		const { items } = await run([delivery({ referenceId: 'A' }), delivery({ referenceId: 'A' })], {
			companyId: '={{ $itemIndex === 0 ? 1001 : 1002 }}',
		});
		expect(outcomesOf(items)).toEqual(['created', 'created']);
	});

	test('sends a duplicate reference once if types differ', async () => {
		const same = all(3, 'A').map((referenceId) => delivery({ referenceId }));
		const { items } = await run(same, { type: '={{ $itemIndex === 1 ? "express" : "slot" }}' });
		expect(service.existing()).toEqual(['A']);
		expect(outcomesOf(items)).toEqual(['created', ...all(2, 'sameReferenceInInput')]);
	});

	test('sends duplicate references if Skip Already Sent is off', async () => {
		await service.run(createOnce({}, { skipAlreadySent: false }), { items: twice });
		expect(service.existing()).toEqual(['A', 'B', 'A', 'C', 'A']);
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
		return await service.run(more, {
			items,
			onError: 'continueRegularOutput',
		});
	}

	const notSent = expect.objectContaining({
		referenceId: '#1001',
		outcome: 'notSent',
		message: expect.stringMatching(
			/^#1001 was not sent: another order has the same reference ID "#1001"\. .*set Reference ID From to Order ID/,
		),
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

	test('creates both orders once their reference IDs differ', async () => {
		await runOrders([firstOrder]);
		const { items } = await runOrders([otherOrder], parameters({ referenceIdFrom: 'id' }));
		expect(outcomesOf(items)).toEqual(['created']);
		expect(service.existing()).toEqual(['#1001', '2']);
	});

	test('rejects another order with the same reference in one input, but skips a duplicate of the first', async () => {
		const { items } = await runOrders([firstOrder, otherOrder, firstOrder]);
		expect(jsonOf(items)).toEqual([
			expect.objectContaining({ referenceId: '#1001' }),
			notSent,
			expect.objectContaining({ reason: 'sameReferenceInInput' }),
		]);
		expect(service.existing()).toEqual(['#1001']);
	});

	test('fails the run for an order with a used reference, after creating the others', async () => {
		await runOrders([firstOrder]);
		const run = await service.run(parameters(), {
			items: [otherOrder, shopifyOrder({ id: 3, name: '#1002' })],
		});
		expect(run.error?.message).toContain('another order has the same reference ID "#1001"');
		expect(run.error?.description).toContain('Created: #1002');
		expect(service.existing()).toEqual(['#1001', '#1002']);
	});

	test('shows an order with a used reference in a dry run, and changes nothing', async () => {
		await runOrders([firstOrder]);
		const before = deduplicationStore.snapshot();
		const dry = await runOrders([otherOrder], parameters({}, { dryRun: true }));
		expect(jsonOf(dry.items)).toMatchObject([{ wouldSend: false, reason: 'anotherOrder' }]);
		expect(deduplicationStore.snapshot()).toEqual(before);
	});

	test('skips a used reference if either source has no order ID', async () => {
		const fromJson = createOnce();
		await runOrders([firstOrder]);
		const { items } = await runOrders([delivery({ referenceId: '#1001' })], fromJson);
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);

		await runOrders([delivery({ referenceId: '#7' })], fromJson);
		const later = await runOrders([shopifyOrder({ id: 7, name: '#7' })]);
		expect(outcomesOf(later.items)).toEqual(['alreadyCreated']);
	});
});

describe('concurrent executions', () => {
	test('creates each delivery once in two concurrent executions of one process', async () => {
		const go = async () =>
			await service.run(createOnce({ batchSize: 3 }), {
				items: deliveries(12),
				onError: 'continueRegularOutput',
			});
		const [one, other] = await Promise.all([go(), go()]);

		expect([...service.existing()].sort()).toEqual(
			deliveries(12)
				.map((_, number) => `R${number}`)
				.sort(),
		);
		const outcomes = [outcomesOf(one.items), outcomesOf(other.items)];
		for (let item = 0; item < 12; item++) {
			const both = outcomes.map((list) => list[item]);
			expect([...both].sort()).toEqual(['alreadyCreated', 'created']);
		}
	});

	test('skips created deliveries in three concurrent executions', async () => {
		await run(deliveries(4));
		const go = async () =>
			await service.run(createOnce({ batchSize: 2 }), { items: deliveries(4) });
		for (const { items } of await Promise.all([go(), go(), go()]))
			expect(outcomesOf(items)).toEqual(all(4, 'alreadyCreated'));
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
});

/** An entry of a reference or a claim, unlike those that a process first looks for. */
const referenceEntry = /\n(pending|created|doubted|claim \d+)\n/;

describe('killed process', () => {
	const recording = {
		operation: 'checkProcessedAndRecord',
		scope: 'workflow',
		entry: referenceEntry,
	} as const;

	const remove = (when: StoreFault['when']) =>
		({ operation: 'removeProcessed', entry: referenceEntry, when }) as const;

	/** Two deliveries share a request, and two are claimed together. */
	const count = 5;
	const size = 2;
	const batchOf = (item: number) => Math.floor(item / size);

	/**
	 * Runs the same deliveries twice more. Existing deliveries are not created again, missing ones are
	 * created or reportOf as unknown, and the last run reports the same as the one before it.
	 */
	async function runTwiceMore(isAllowed: (outcome: unknown, item: number) => boolean) {
		const before = service.existing();
		const second = await run(deliveries(count), { batchSize: size });
		const outcomes = outcomesOf(second.items);
		expect(pairedItems(second.items)).toEqual([0, 1, 2, 3, 4]);
		for (const [item, outcome] of outcomes.entries()) {
			const exists = before.includes(`R${item}`);
			const found = { item, exists, outcome };
			const isTrue = exists
				? ['alreadyCreated', 'unknown'].includes(String(outcome))
				: ['created', 'unknown'].includes(String(outcome));
			expect({ ...found, isTrue: isTrue && isAllowed(outcome, item) }).toEqual({
				...found,
				isTrue: true,
			});
			if (outcome === 'unknown')
				expect(second.items[item]?.json).toMatchObject({
					referenceId: `R${item}`,
					message: expect.stringMatching(
						new RegExp(
							`^It is unknown whether R${item} was created: .* in the Delivery Service dashboard\\. .*"Allow Resending"`,
						),
					),
				});
		}
		const existing = service.existing();
		expect(new Set(existing).size).toBe(existing.length);
		const third = await run(deliveries(count), { batchSize: size });
		expect(outcomesOf(third.items)).toEqual(
			outcomes.map((outcome) => (outcome === 'created' ? 'alreadyCreated' : outcome)),
		);
		expect(service.existing()).toEqual(existing);
	}

	// Each access verifies the previous claims, makes the next, and confirms created deliveries.
	const accesses = [0, 1, 2, 3, 4].flatMap((access) =>
		(['before', 'after'] as const).map((when) => ({ access, when })),
	);

	test.each(accesses)(
		'creates nothing twice and loses nothing if killed $when access $access to the store',
		async ({ access, when }) => {
			deduplicationStore.addFault({ kind: 'kill', ...recording, skip: access, when });
			const options = { batchSize: size };
			const killed = await run(deliveries(count), options);
			// With quick responses, the second to last access may already confirm all.
			if (killed.status !== 'crashed') expect(access).toBe(4);

			const written = access + (when === 'after' ? 1 : 0);
			const existed = service.existing();
			for (let item = 0; item < count; item++)
				// A delivery that reached the service was claimed and its claim verified before.
				if (existed.includes(`R${item}`)) expect(access).toBeGreaterThan(batchOf(item) + 1);
			await runTwiceMore((outcome, item) => {
				const isClaimed = written > batchOf(item);
				return isClaimed ? outcome !== 'created' : outcome === 'created';
			});
		},
	);

	test.each(['hang', 'hangAfter'] as const)(
		'creates nothing twice and loses nothing if killed during a request (%s)',
		async (kind) => {
			const kill = new AbortController();
			service.control.addFault({ kind, skip: 1 });
			const options = { batchSize: size };
			const running = run(deliveries(count), options, { kill: kill.signal });
			const isDone = kind === 'hangAfter';
			await until(
				() =>
					service.control.requests().length >= 2 &&
					service.existing().includes('R0') &&
					service.existing().includes('R2') === isDone,
			);
			kill.abort();
			expect((await running).status).toBe('crashed');
			expect(service.existing()).not.toContain('R4');
			await runTwiceMore((outcome, item) => batchOf(item) !== 1 || outcome === 'unknown');
		},
	);

	test('lists deliveries of a killed process as unknown, and creates the new ones', async () => {
		await run(deliveries(2));
		// Two are known: they are claimed and looked up. Then two are claimed.
		deduplicationStore.addFault({ kind: 'kill', ...recording, skip: 2, when: 'after' });
		expect((await run(deliveries(4), { batchSize: 2 })).status).toBe('crashed');
		restartWithoutWaits();
		const { error } = await service.run(createOnce({ batchSize: 2 }), { items: deliveries(5) });

		expect(error?.message).toMatch(
			/^It is unknown whether R2 was created: .*\(1 of 5 .* created, 2 skipped\) \[item 2\]/,
		);
		expect(error?.description).toContain('Possibly created (2): R2, R3.');
		expect(service.existing()).toEqual(['R0', 'R1', 'R4']);
	});

	test('fills batches across skipped references', async () => {
		await run([delivery({ referenceId: 'R0' })]);
		service.control.addFault({ kind: 'resetBefore' });
		await run([delivery({ referenceId: 'R2' })]);
		restart();
		const { error } = await service.run(createOnce({ batchSize: 2 }), { items: deliveries(4) });
		expect(error?.context.data).toMatchObject({
			created: [{ referenceId: 'R1' }, { referenceId: 'R3' }],
			unknown: [{ referenceId: 'R2' }],
			notSent: [],
		});
		expect(service.creations().at(-1)).toMatchObject({
			deliveries: [{ referenceId: 'R1' }, { referenceId: 'R3' }],
		});
	});

	test.each<[string, Omit<StoreFault, 'kind'>, string]>([
		['before', { ...recording, when: 'before' }, 'alreadyCreated'],
		['early in', { ...recording, when: 'after' }, 'alreadyCreated'],
		['in the middle of', { ...recording, skip: 1, when: 'after' }, 'unknown'],
		['late in', remove('before'), 'unknown'],
		['after', remove('after'), 'alreadyCreated'],
	])(
		'creates nothing twice if killed %s the lookup of created references',
		async (_point, store, outcome) => {
			await run(deliveries(4), { batchSize: 2 });
			deduplicationStore.addFault({ kind: 'kill', ...store });
			expect((await run(deliveries(4), { batchSize: 2 })).status).toBe('crashed');

			const { items } = await run(deliveries(4), { batchSize: 2 });
			expect(outcomesOf(items)).toEqual([...all(2, outcome), ...all(2, 'alreadyCreated')]);
			expect(service.existing()).toEqual(['R0', 'R1', 'R2', 'R3']);
		},
	);

	test.each<[string, StoreFault['when'], string]>([
		['before', 'before', 'unknown'],
		['after', 'after', 'created'],
	])('loses nothing if killed %s releasing a rejected delivery', async (_point, when, outcome) => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['R1'], times: 1 });
		deduplicationStore.addFault({ kind: 'kill', ...remove(when) });
		await run(deliveries(1));
		expect((await run([delivery({ referenceId: 'R1' })])).status).toBe('crashed');

		const { items } = await run(deliveries(2));
		expect(outcomesOf(items)).toEqual(['alreadyCreated', outcome]);
	});
});

describe('delivery that was not created', () => {
	test('sends a rejected delivery again once it is corrected', async () => {
		const order = (address: string) =>
			delivery({
				referenceId: 'R1',
				dropoff: {
					contact: { name: 'Ana', email: 'ana@mail.example' },
					location: { address },
				},
			});
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['R1'], times: 1 });
		const first = await run([...deliveries(1), order('Oak')], { batchSize: 1 });
		expect(outcomesOf(first.items)).toEqual(['created', 'rejected']);

		const second = await run([...deliveries(1), order('48 Oak Avenue')]);
		expect(outcomesOf(second.items)).toEqual(['alreadyCreated', 'created']);
		expect(service.existing()).toEqual(['R0', 'R1']);
	});

	test.each([401, 429])('sends deliveries again after a status of %i', async (status) => {
		service.control.addFault({ kind: 'status', status });
		const first = await run(deliveries(3));
		expect(outcomesOf(first.items)).toEqual(all(3, 'notSent'));
		expect(deduplicationStore.count('workflow')).toBe(0);

		const second = await run(deliveries(3));
		expect(outcomesOf(second.items)).toEqual(all(3, 'created'));
	});
});

describe('failing store', () => {
	const record = {
		kind: 'fail',
		operation: 'checkProcessedAndRecord',
		scope: 'workflow',
		entry: referenceEntry,
		when: 'before',
	} as const;

	test.each([
		['when the first claims are verified', { ...record, skip: 1 }, 0],
		['before the next claims', { ...record, skip: 2 }, 2],
		['after the next claims', { ...record, when: 'after', skip: 2 } as const, 2],
	])('sends no unclaimed delivery if the store fails %s', async (_when, fault, created) => {
		deduplicationStore.addFault(fault);
		const { items } = await run(deliveries(6), { batchSize: 2 });

		expect(outcomesOf(items)).toEqual([...all(created, 'created'), ...all(6 - created, 'notSent')]);
		expect(service.existing()).toEqual(['R0', 'R1'].slice(0, created));
		expect(items[2]?.json.message).toMatch(
			/^R2 was not sent: n8n could not check which reference IDs .*\. Save the workflow/,
		);
		const second = await run(deliveries(6));
		expect(outcomesOf(second.items).slice(0, created)).toEqual(all(created, 'alreadyCreated'));
	});

	test('fails the run if the store fails at the first lookup', async () => {
		deduplicationStore.addFault(record);
		const { error } = await service.run(createOnce(), { items: deliveries(3) });
		expect(error?.message).toMatch(/did not answer \[item 0\]$/);
		expect(service.control.requests()).toEqual([]);
	});

	test('asks to save a workflow that was never saved', async () => {
		const { items } = await run(deliveries(1), {}, { workflowId: '' });
		expect(items[0]?.json.message).toMatch(/\. Save the workflow and run it again/);
		expect(service.control.requests()).toEqual([]);
	});

	test('reports created deliveries and a warning if the store fails to record them', async () => {
		deduplicationStore.addFault({ ...record, skip: 2 });
		const { items, hints } = await run(deliveries(2));

		expect(outcomesOf(items)).toEqual(all(2, 'created'));
		expect(hints).toContainEqual({
			message: expect.stringMatching(/could not save .* reports them as unknown/),
			type: 'warning',
			location: 'outputPane',
		});
		const second = await run(deliveries(2));
		expect(outcomesOf(second.items)).toEqual(all(2, 'unknown'));
		expect(service.existing()).toHaveLength(2);
	});

	test('shows a warning if the store fails to release a rejected delivery', async () => {
		service.control.addFault({ kind: 'status', status: 401 });
		deduplicationStore.addFault({ ...record, operation: 'removeProcessed' });
		const { items, hints } = await run(deliveries(1));
		expect(outcomesOf(items)).toEqual(['notSent']);
		expect(hints.map(({ message }) => message).join()).toContain('could not save');
		expect(outcomesOf((await run(deliveries(1))).items)).toEqual(['unknown']);
	});
});

describe('any faults in several runs of the same orders', () => {
	type Fault = Parameters<Control['addFault']>[0];
	const count = 12;
	const references = deliveries(count).map((_, number) => `R${number}`);

	const serviceFault = fc.oneof(
		fc
			.constantFrom(307, 400, 401, 422, 429, 500, 502, 503)
			.map((status): Fault => ({ kind: 'status', status })),
		fc.constantFrom<Fault>(
			{ kind: 'status', status: 503, headers: { 'Retry-After': '60' } },
			{ kind: 'statusAfter', status: 502 },
			{ kind: 'resetBefore' },
			{ kind: 'resetAfter' },
			{ kind: 'garbage' },
			{ kind: 'emptySuccess' },
			{ kind: 'missingRecords', count: 1 },
			{ kind: 'shuffleRecords' },
			{ kind: 'withoutIndex' },
		),
		fc
			.subarray(references, { minLength: 1, maxLength: 4 })
			.map((referenceIds): Fault => ({ kind: 'rejectReference', referenceIds })),
	);
	const storeFault = fc.record({
		kind: fc.constantFrom('fail', 'kill'),
		when: fc.constantFrom('before', 'after'),
		skip: fc.nat(30),
	});
	const runArbitrary = fc.record({
		faults: fc.array(fc.tuple(serviceFault, fc.nat(2)), { minLength: 1, maxLength: 4 }),
		storeFaults: fc.array(storeFault, { maxLength: 1 }),
		batchSize: fc.constantFrom<number | ''>('', 2, 3, 5, 100),
		// The local service creates nothing when it rejects a request, so both values are right.
		retryRejectedBatches: fc.boolean(),
		onError: fc.constantFrom('continueRegularOutput', 'continueErrorOutput', 'stopWorkflow'),
		// The first order of the input.
		from: fc.nat(3),
	});
	type Run = typeof runArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

	/** The outcome of each reference, from the output or the error of a run. */
	function reportOf({ outputs, error }: NodeRun, input: readonly string[]): Map<string, string> {
		const report = new Map<string, string>();
		const add = (item: number, outcome: string) => {
			const referenceId = input[item] ?? '';
			expect(report.has(referenceId)).toBe(false);
			report.set(referenceId, outcome);
		};
		const items = outputs.flat();
		const outcomes = outcomesOf(
			items.map(({ json: { outcome, reason, error: failure } }) => ({
				json: { outcome, reason, error: failure },
			})),
		);
		for (const [index, item] of pairedItems(items).entries())
			add(Number(item), String(outcomes[index]));
		if (error) {
			const { created, rejected, unknown, notSent } = listsSchema.parse(error.context.data);
			for (const { item } of created) add(item, 'created');
			for (const { item } of rejected) add(item, 'rejected');
			for (const { item } of unknown) add(item, 'unknown');
			for (const { item } of notSent) add(item, 'notSent');
			// Skipped deliveries are in no list.
			for (const [item, referenceId] of input.entries())
				if (!report.has(referenceId)) add(item, 'alreadyCreated');
		}
		return report;
	}

	/** How long a request of a killed process may take to arrive: both ends are in this process. */
	const arrivalMs = 100;

	/** Runs the node once, and compares its report with what the service has. */
	async function runAndCompare(settings: Run) {
		const { faults, storeFaults, onError, from } = settings;
		const { batchSize, retryRejectedBatches } = settings;
		const content = deduplicationStore.snapshot();
		deduplicationStore.reset();
		deduplicationStore.restore(content);
		for (const fault of storeFaults) deduplicationStore.addFault(fault);
		for (const [fault, skip] of faults) service.control.addFault({ skip, ...fault });
		const before = service.existing();
		const input = references.slice(from);

		const result = await run(
			deliveries(count).slice(from),
			{ batchSize, retryRejectedBatches },
			{ onError },
		);

		const existing = service.existing().map(String);
		expect(new Set(existing).size).toBe(existing.length);
		if (result.status === 'crashed') {
			await sleep(arrivalMs);
			return;
		}
		const report = reportOf(result, input);
		expect([...report.keys()].sort()).toEqual([...input].sort());
		const which = (outcome: string) => input.filter((name) => report.get(name) === outcome);
		const isOf = (names: readonly unknown[]) => (name: unknown) => names.includes(name);
		const createdNow = existing.filter((name) => !before.includes(name));
		const unknown = which('unknown').filter(isOf(createdNow));
		expect([...which('created'), ...unknown].sort()).toEqual([...createdNow].sort());
		expect(which('alreadyCreated').filter((name) => !before.includes(name))).toEqual([]);
		expect(which('rejected').filter(isOf(existing))).toEqual([]);
	}

	test('creates nothing twice, loses nothing and reports every item after any faults', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(runArbitrary, { minLength: 2, maxLength: 4 }), async (runs) => {
				service.control.reset();
				deduplicationStore.reset();
				for (const settings of runs) await runAndCompare(settings);
			}),
			{ numRuns: 40, endOnFailure: true },
		);
	});
});

const entriesSchema = z.array(z.object({ item: z.number() }));

const listsSchema = z.object({
	created: entriesSchema,
	rejected: entriesSchema,
	unknown: entriesSchema,
	notSent: entriesSchema,
});
