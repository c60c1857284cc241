/** Delivery: Create with the references that were sent kept between runs: never twice, never lost. */
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
	outcomesOf,
	jsonOf,
	pairedItems,
	pickupFields,
	restart,
	restartInHaste,
	setUp,
	until,
} from '../support/actionNode';
import { shopifyOrder } from '../support/shopifyOrders';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

/** Runs the node in a new n8n process, where no wait takes time, and goes on after errors. */
async function run(
	items: IDataObject[],
	options: INodeParameters = {},
	more: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	restartInHaste();
	return await service.run(createOnce(options), {
		items,
		onError: 'continueRegularOutput',
		...more,
	});
}

const all = (count: number, outcome: string) => Array.from({ length: count }, () => outcome);

describe('a second run', () => {
	test('creates nothing, and says of each delivery that it was skipped', async () => {
		await run(deliveries(5), { batchSize: 2 });
		const before = service.control.requests().length;
		const { items, hints } = await run(deliveries(5), { batchSize: 2 });

		expect(service.control.requests()).toHaveLength(before);
		expect(items).toEqual(
			[0, 1, 2, 3, 4].map((item) => ({
				json: {
					skipped: true,
					reason: 'alreadyCreated',
					message: `R${item} was skipped: this workflow has already created a delivery with this reference ID. Later changes are not sent; use the Update operation for them.`,
					referenceId: `R${item}`,
				},
				pairedItem: { item },
			})),
		);
		expect(hints).toMatchObject([{ message: expect.stringContaining('Skipped 5 items') }]);
	});

	test('is no error when the node does not go on after errors either', async () => {
		await run(deliveries(3));
		const { items, error } = await service.run(createOnce(), { items: deliveries(3) });
		expect(error).toBeUndefined();
		expect(outcomesOf(items)).toEqual(all(3, 'alreadyCreated'));
	});

	test('creates what is new, in full batches and in order', async () => {
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

	test('knows the references of the whole workflow, and of no other', async () => {
		await run(deliveries(1));
		const { items } = await run(deliveries(1), {}, { settings: { id: 'another node' } });
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);

		const other = await run(deliveries(1), {}, { workflowId: 'another workflow' });
		expect(outcomesOf(other.items)).toEqual(['created']);
	});

	test('for another company creates, as the reference is another one there', async () => {
		await run(deliveries(1));
		const forChild = await run(deliveries(1), { companyId: 1002 });
		expect(outcomesOf(forChild.items)).toEqual(['created']);
		expect(service.control.deliveries().map(({ companyId }) => companyId)).toEqual([1001, 1002]);

		const again = await run(deliveries(1), { companyId: 1002 });
		expect(outcomesOf(again.items)).toEqual(['alreadyCreated']);
	});

	test('that names the own company is for the same company', async () => {
		await run(deliveries(1));
		const { items } = await run(deliveries(1), { companyId: service.credential.companyId });
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);
	});

	test('at another service creates', async () => {
		await run(deliveries(1));
		const other = await startService();
		try {
			const { items } = await run(deliveries(1), {}, { credential: other.credential });
			expect(outcomesOf(items)).toEqual(['created']);
			expect(other.control.deliveries()).toHaveLength(1);
		} finally {
			await other.close();
		}
	});

	test('creates again when the option is off, without a look at the notes', async () => {
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

describe('the option is by default', () => {
	const parameters = { resource: 'delivery', operation: 'create' };
	const [order = {}] = orders;

	test.each<[string, string, INodeParameters, IDataObject]>([
		['on', 'shopifyOrder', { ...pickupFields }, { ...order }],
		['off', 'json', {}, delivery({ referenceId: 'R0' })],
		[
			'off',
			'defineBelow',
			{
				...pickupFields,
				dropoffName: 'Ana',
				dropoffEmail: 'ana@mail.example',
				dropoffAddress: '48 Oak Avenue',
				packages: { package: [{ name: 'Box', qty: 1, size: 's' }] },
				referenceId: 'R0',
			},
			{},
		],
	])('%s for the source %s', async (state, source, fields, item) => {
		const node = { ...parameters, source, ...fields };
		const first = await service.run(node, { items: [item] });
		const second = await service.run(node, { items: [item] });
		expect(outcomesOf(first.items)).toEqual(['created']);
		expect(outcomesOf(second.items)).toEqual([state === 'on' ? 'alreadyCreated' : 'created']);
	});

	test('and can be turned off for the source shopifyOrder', async () => {
		const node = { ...parameters, source: 'shopifyOrder', ...pickupFields, skipAlreadySent: false };
		await service.run(node, { items: [{ ...order }] });
		const { items } = await service.run(node, { items: [{ ...order }] });
		expect(outcomesOf(items)).toEqual(['created']);
	});
});

describe('without a Company ID in the credential', () => {
	const credential = () => ({ ...service.credential, companyId: '' });

	test('nothing is sent, since what was sent is remembered for each company', async () => {
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

	test('nothing is sent either when only some deliveries name their company', async () => {
		const companyId = '={{ $itemIndex ? "" : 1002 }}';
		const { items } = await run(deliveries(2), { companyId }, { credential: credential() });
		expect(outcomesOf(items)).toEqual(['notSent', 'notSent']);
		expect(service.control.requests()).toEqual([]);
	});

	test('a delivery that names its company is sent once', async () => {
		const again = async () =>
			outcomesOf(
				(await run(deliveries(1), { companyId: 1002 }, { credential: credential() })).items,
			);
		expect(await again()).toEqual(['created']);
		expect(await again()).toEqual(['alreadyCreated']);
	});

	test('deliveries are sent that need not be remembered', async () => {
		const parameters = createOnce({}, { skipAlreadySent: false });
		const more = { items: deliveries(1), credential: credential() };
		expect(outcomesOf((await service.run(parameters, more)).items)).toEqual(['created']);
	});
});

describe('a delivery without a reference', () => {
	const items = [delivery({ referenceId: 'A' }), delivery(), delivery({ referenceId: 'C' })];

	test('is refused before anything is sent', async () => {
		const { error } = await service.run(createOnce(), { items });
		expect(error).toMatchObject({
			message: 'Reference ID is missing [item 1]',
			description: expect.stringMatching(/turn off "Skip Already Sent"/),
		});
		expect(service.control.requests()).toEqual([]);
		expect(deduplicationStore.calls).toEqual([]);
	});

	test('is refused alone when the node goes on after errors', async () => {
		const { items: output } = await run(items);
		expect(outcomesOf(output)).toEqual(['created', 'invalid', 'created']);
		expect(service.existing()).toEqual(['A', 'C']);
	});
});

describe('the same reference twice in one input', () => {
	const twice = ['A', 'B', 'A', 'C', 'A'].map((referenceId, number) =>
		delivery({ referenceId, tags: [`${number}`] }),
	);

	test('is sent once, also with two delivery types, as a dry run says', async () => {
		const parameters = { type: '={{ $json.tags ? "express" : "slot" }}' };
		const items = [delivery({ referenceId: 'A' }), delivery({ referenceId: 'A', tags: ['x'] })];
		const dry = await service.run(createOnce({ ...parameters, dryRun: true }), { items });
		expect(jsonOf(dry.items)).toMatchObject([{ dryRun: true }, { reason: 'sameReferenceInInput' }]);
		const { items: output } = await service.run(createOnce(parameters), { items });
		expect(outcomesOf(output)).toEqual(['created', 'sameReferenceInInput']);
	});

	test.each([1, 2, 100])(
		'is sent once, the first of them, with a batch size of %i',
		async (size) => {
			const { items } = await run(twice, { batchSize: size });
			expect(outcomesOf(items)).toEqual([
				...['created', 'created', 'sameReferenceInInput', 'created', 'sameReferenceInInput'],
			]);
			expect(items[2]?.json).toEqual({
				skipped: true,
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

	test('is sent twice for two companies', async () => {
		const { items } = await run([delivery({ referenceId: 'A' }), delivery({ referenceId: 'A' })], {
			companyId: '={{ $itemIndex === 0 ? 1001 : 1002 }}',
		});
		expect(outcomesOf(items)).toEqual(['created', 'created']);
	});

	test('is sent once also when the types differ, or one names the own company', async () => {
		const same = all(3, 'A').map((referenceId) => delivery({ referenceId }));
		const { items } = await run(same, {
			type: '={{ $itemIndex === 1 ? "express" : "slot" }}',
			companyId: '={{ $itemIndex === 2 ? 1001 : "" }}',
		});
		expect(service.existing()).toEqual(['A']);
		expect(items.slice(1).map(({ json }) => json.skipped)).toEqual([true, true]);
	});

	test('is sent twice when the option is off', async () => {
		await service.run(createOnce({}, { skipAlreadySent: false }), { items: twice });
		expect(service.existing()).toEqual(['A', 'B', 'A', 'C', 'A']);
	});
});

describe('two orders with the same reference', () => {
	const ofOneShop = shopifyOrder({ id: 1, name: '#1001' });
	const ofAnother = shopifyOrder({ id: 2, name: '#1001' });
	const parameters = (orderOptions: INodeParameters = {}, options: INodeParameters = {}) =>
		createOnce(options, { source: 'shopifyOrder', ...pickupFields, orderOptions });

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

	const error = {
		message: expect.stringContaining(
			'This delivery was not sent: another order has the same reference ID "#1001"',
		),
		description: expect.stringContaining('set Reference ID From to Order ID'),
		outcome: 'notSent',
		referenceId: '#1001',
	};

	test('of earlier runs: the other one is an error that says what to do, again and again', async () => {
		expect(outcomesOf((await runOrders([ofOneShop])).items)).toEqual(['created']);
		for (let times = 0; times < 2; times++) {
			const { items } = await runOrders([ofAnother]);
			expect(jsonOf(items)).toEqual([{ error: expect.objectContaining(error) }]);
		}
		expect(outcomesOf((await runOrders([ofOneShop])).items)).toEqual(['alreadyCreated']);
		expect(service.existing()).toEqual(['#1001']);
	});

	test('are both delivered once they have reference IDs of their own', async () => {
		await runOrders([ofOneShop]);
		const { items } = await runOrders([ofAnother], parameters({ referenceIdFrom: 'id' }));
		expect(outcomesOf(items)).toEqual(['created']);
		expect(service.existing()).toEqual(['#1001', '2']);
	});

	test('of one input: the other one is an error, the same one twice is skipped', async () => {
		const { items } = await runOrders([ofOneShop, ofAnother, ofOneShop]);
		expect(jsonOf(items)).toEqual([
			expect.objectContaining({ referenceId: '#1001' }),
			{ error: expect.objectContaining(error) },
			expect.objectContaining({ reason: 'sameReferenceInInput' }),
		]);
		expect(service.existing()).toEqual(['#1001']);
	});

	test('fail a run that does not go on after errors, and keep no other order from being sent', async () => {
		await runOrders([ofOneShop]);
		const run = await service.run(parameters(), {
			items: [ofAnother, shopifyOrder({ id: 3, name: '#1002' })],
		});
		expect(run.error?.message).toContain('another order has the same reference ID "#1001"');
		expect(run.error?.description).toContain('Created: #1002');
		expect(service.existing()).toEqual(['#1001', '#1002']);
	});

	test('are told by a dry run, which changes nothing', async () => {
		await runOrders([ofOneShop]);
		const before = deduplicationStore.snapshot();
		const dry = await runOrders([ofAnother], parameters({}, { dryRun: true }));
		expect(jsonOf(dry.items)).toMatchObject([{ skipped: true, reason: 'anotherOrder' }]);
		expect(deduplicationStore.snapshot()).toEqual(before);
	});

	test('are one order to a source that knows no orders, and where none was noted', async () => {
		const fromJson = createOnce();
		await runOrders([ofOneShop]);
		const { items } = await runOrders([delivery({ referenceId: '#1001' })], fromJson);
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);

		await runOrders([delivery({ referenceId: '#7' })], fromJson);
		const later = await runOrders([shopifyOrder({ id: 7, name: '#7' })]);
		expect(outcomesOf(later.items)).toEqual(['alreadyCreated']);
	});
});

describe('two executions at once', () => {
	test('in one process create each delivery once', async () => {
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
			expect(both.filter((outcome) => outcome === 'created')).toHaveLength(1);
			expect(both).not.toContain('notSent');
		}
	});

	test('find what was created before, and do not take the look-up of the other for a claim', async () => {
		await run(deliveries(4));
		const go = async () =>
			await service.run(createOnce({ batchSize: 2 }), { items: deliveries(4) });
		for (const { items } of await Promise.all([go(), go(), go()]))
			expect(outcomesOf(items)).toEqual(all(4, 'alreadyCreated'));
	});

	test('in several processes create each delivery once', async () => {
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
		}
	});
});

describe('a process that is killed', () => {
	const recording = { operation: 'checkProcessedAndRecord', scope: 'workflow' } as const;

	const remove = (when: StoreFault['when']) => ({ operation: 'removeProcessed', when }) as const;

	/** Two deliveries share a request, and two are claimed at once. */
	const count = 5;
	const size = 2;
	const partOf = (item: number) => Math.floor(item / size);

	/**
	 * Runs the same deliveries twice more. What existed is not created again, what did not exist is
	 * created or told as unknown, and the last run tells what the one before it has told.
	 */
	async function sendTwiceMore(isAllowed: (outcome: unknown, item: number) => boolean) {
		const before = service.existing();
		const second = await run(deliveries(count), { batchSize: size });
		const outcomes = outcomesOf(second.items);
		expect(pairedItems(second.items)).toEqual([0, 1, 2, 3, 4]);
		for (const [item, outcome] of outcomes.entries()) {
			const exists = before.includes(`R${item}`);
			const told = { item, exists, outcome };
			const isTrue = exists
				? ['alreadyCreated', 'unknown'].includes(String(outcome))
				: ['created', 'unknown'].includes(String(outcome));
			expect({ ...told, isTrue: isTrue && isAllowed(outcome, item) }).toEqual({
				...told,
				isTrue: true,
			});
			if (outcome === 'unknown')
				expect(second.items[item]?.json.error).toEqual({
					message: expect.stringMatching(
						new RegExp(`^It is unknown whether this delivery was created: .*\\[item ${item}\\]$`),
					),
					description: expect.stringMatching(
						/^Check the Delivery Service dashboard .*"Allow Resending"/,
					),
					outcome: 'unknown',
					referenceId: `R${item}`,
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

	// Each access tries the claims of the one before, makes the next, and confirms what was created.
	const accesses = [0, 1, 2, 3, 4].flatMap((access) =>
		(['before', 'after'] as const).map((when) => ({ access, when })),
	);

	test.each(accesses)(
		'$when access $access to the store creates nothing twice and loses nothing',
		async ({ access, when }) => {
			deduplicationStore.addFault({ kind: 'kill', ...recording, skip: access, when });
			const options = { batchSize: size };
			const killed = await run(deliveries(count), options);
			// All may be confirmed by the last but one already, when the answers are quick.
			if (killed.status !== 'crashed') expect(access).toBe(4);

			const written = access + (when === 'after' ? 1 : 0);
			const existed = service.existing();
			for (let item = 0; item < count; item++)
				// What was given to the service, was claimed and tried, and the node has learned of it.
				if (existed.includes(`R${item}`)) expect(access).toBeGreaterThan(partOf(item) + 1);
			await sendTwiceMore((outcome, item) => {
				const isClaimed = written > partOf(item);
				return isClaimed ? outcome !== 'created' : outcome === 'created';
			});
		},
	);

	test.each(['hang', 'hangAfter'] as const)(
		'while the service works (%s) creates nothing twice and loses nothing',
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
			await sendTwiceMore((outcome, item) => partOf(item) !== 1 || outcome === 'unknown');
		},
	);

	test('is spoken of in the error, when the node does not go on, and holds back nothing new', async () => {
		await run(deliveries(2));
		// Two are known: they are claimed, and asked for. Then two are claimed.
		deduplicationStore.addFault({ kind: 'kill', ...recording, skip: 2, when: 'after' });
		expect((await run(deliveries(4), { batchSize: 2 })).status).toBe('crashed');
		restart();
		const { error } = await service.run(createOnce({ batchSize: 2 }), { items: deliveries(5) });

		expect(error?.message).toMatch(
			/^It is unknown whether this delivery was created: .*\(1 of 5 .* created, 2 skipped\) \[item 2\]/,
		);
		expect(error?.description).toContain('Possibly created (2): R2, R3.');
		expect(service.existing()).toEqual(['R0', 'R1', 'R4']);
	});

	test('lets what waits for company in its batch go with others', async () => {
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
		'%s the look-up of created references creates nothing twice',
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
	])('%s it has let go of a refused delivery loses nothing', async (_point, when, outcome) => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['R1'], times: 1 });
		deduplicationStore.addFault({ kind: 'kill', ...remove(when) });
		await run(deliveries(1));
		expect((await run([delivery({ referenceId: 'R1' })])).status).toBe('crashed');

		const { items } = await run(deliveries(2));
		expect(outcomesOf(items)).toEqual(['alreadyCreated', outcome]);
	});
});

describe('a delivery that was not created', () => {
	test('because it was refused can be sent once it was corrected', async () => {
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

	test.each([401, 429])('because of status %i can be sent in the next run', async (status) => {
		service.control.addFault({ kind: 'status', status });
		const first = await run(deliveries(3));
		expect(outcomesOf(first.items)).toEqual(all(3, status === 401 ? 'rejected' : 'notSent'));
		expect(deduplicationStore.count('workflow')).toBe(0);

		const second = await run(deliveries(3));
		expect(outcomesOf(second.items)).toEqual(all(3, 'created'));
	});
});

describe('a store that fails', () => {
	const record = {
		kind: 'fail',
		operation: 'checkProcessedAndRecord',
		scope: 'workflow',
		when: 'before',
	} as const;

	test.each([
		['when claims are first tried', { ...record, skip: 1 }, 0],
		['when the next are', { ...record, skip: 2 }, 2],
		['after these were', { ...record, when: 'after', skip: 2 } as const, 2],
	])('%s lets nothing out unclaimed', async (_when, fault, created) => {
		deduplicationStore.addFault(fault);
		const { items } = await run(deliveries(6), { batchSize: 2 });

		expect(outcomesOf(items)).toEqual([...all(created, 'created'), ...all(6 - created, 'notSent')]);
		expect(service.existing()).toEqual(['R0', 'R1'].slice(0, created));
		expect(items[2]?.json.error).toMatchObject({
			message: expect.stringMatching(/not sent: n8n could not check which reference IDs/),
			description: expect.stringMatching(/^Save the workflow/),
		});
		const second = await run(deliveries(6));
		expect(outcomesOf(second.items).slice(0, created)).toEqual(all(created, 'alreadyCreated'));
	});

	test('at the first look-up ends the run, when the node does not go on', async () => {
		deduplicationStore.addFault(record);
		const { error } = await service.run(createOnce(), { items: deliveries(3) });
		expect(error?.message).toMatch(/did not answer \(0 of 3 deliveries created, 3 not sent\)/);
		expect(service.control.requests()).toEqual([]);
	});

	test('in a workflow that was never saved says so', async () => {
		const { items } = await run(deliveries(1), {}, { workflowId: '' });
		expect(items[0]?.json.error).toMatchObject({
			description: expect.stringMatching(/^Save the workflow and run it again/),
		});
		expect(service.control.requests()).toEqual([]);
	});

	test('when they are recorded as created reports created deliveries all the same, and says so', async () => {
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

	test('when a refused delivery is let go of says so too', async () => {
		service.control.addFault({ kind: 'status', status: 401 });
		deduplicationStore.addFault({ ...record, operation: 'removeProcessed' });
		const { items, hints } = await run(deliveries(1));
		expect(outcomesOf(items)).toEqual(['rejected']);
		expect(hints.map(({ message }) => message).join()).toContain('could not save');
		expect(outcomesOf((await run(deliveries(1))).items)).toEqual(['unknown']);
	});
});

describe('for any faults in several runs of the same orders', () => {
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
		// The local service creates nothing when it refuses a request, so that both are right.
		retryRejectedBatches: fc.boolean(),
		onError: fc.constantFrom('continueRegularOutput', 'continueErrorOutput', 'stopWorkflow'),
		// Which of the orders come in.
		from: fc.nat(3),
	});
	type Run = typeof runArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

	/** What a run says of each reference, by its output or its error; nothing when it crashed. */
	function reported({ outputs, error }: NodeRun, input: readonly string[]): Map<string, string> {
		const report = new Map<string, string>();
		const say = (item: number, outcome: string) => {
			const referenceId = input[item] ?? '';
			expect(report.has(referenceId)).toBe(false);
			report.set(referenceId, outcome);
		};
		const items = outputs.flat();
		const outcomes = outcomesOf(
			items.map(({ json: { id, reason, error: failure } }) => ({
				json: { id, reason, error: failure },
			})),
		);
		for (const [index, item] of pairedItems(items).entries())
			say(Number(item), String(outcomes[index]));
		if (error) {
			const { created, rejected, unknown, notSent } = listsSchema.parse(error.context.data);
			for (const { item } of created) say(item, 'created');
			for (const { item } of rejected) say(item, 'rejected');
			for (const { item } of unknown) say(item, 'unknown');
			for (const { item } of notSent) say(item, 'notSent');
			// Those that were skipped are in no list.
			for (const [item, referenceId] of input.entries())
				if (!report.has(referenceId)) say(item, 'alreadyCreated');
		}
		return report;
	}

	/** How long what a killed process had sent may take to arrive: both ends are in this process. */
	const arrivalMs = 100;

	/** Runs the node once, and holds what it says against what the service has. */
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
		const report = reported(result, input);
		expect([...report.keys()].sort()).toEqual([...input].sort());
		const which = (outcome: string) => input.filter((name) => report.get(name) === outcome);
		const isOf = (names: readonly unknown[]) => (name: unknown) => names.includes(name);
		const createdNow = existing.filter((name) => !before.includes(name));
		const unknown = which('unknown').filter(isOf(createdNow));
		expect([...which('created'), ...unknown].sort()).toEqual([...createdNow].sort());
		expect(which('alreadyCreated').filter((name) => !before.includes(name))).toEqual([]);
		expect(which('rejected').filter(isOf(existing))).toEqual([]);
	}

	test('nothing is created twice, nothing is lost, and every item is accounted for', async () => {
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
