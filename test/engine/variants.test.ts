/**
 * Runs each operation under the API variants that can affect it (playground/service/variants.ts). Under
 * every variant, the nodes report the truth, create nothing twice, leave other programs' webhooks alone
 * and show no secrets; where the table below says so, they must also reach a certain outcome.
 */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';

import { realClock } from '../../nodes/DeliveryService/common/clock';
import { variants, type ApiVariant, type VariantName } from '../../playground/service/variants';
import { outcomesOf, pairedItems, fromOrders, setUp } from '../support/actionNode';
import { openTrigger, testCredential, type NodeRun, type Trigger } from '../support/engine/engine';
import { delivery } from '../support/sampleDelivery';
import { shippingAddress, shopifyOrder } from '../support/shopifyOrders';
import { updated } from '../support/triggerNode';

const service = setUp();

/** The outcomes of the valid deliveries and of the invalid one, e.g. `unknown or notSent`. */
type Outcomes = readonly [valid: string, invalid: string];

const bothAre = (outcome: string): Outcomes => [outcome, outcome];

/** The outcomes of the first run, for deliveries in one batch and for those sent one by one. */
const creationOutcomes: Partial<Record<VariantName, { batch: Outcomes; alone: Outcomes }>> = {
	'success-201': { batch: bothAre('created'), alone: bothAre('created') },
	'accepted-202': { batch: bothAre('unknown'), alone: bothAre('unknown or notSent') },
	'success-204': { batch: bothAre('unknown'), alone: bothAre('unknown or notSent') },
	'response-lost': { batch: bothAre('unknown'), alone: bothAre('unknown or notSent') },
	'gateway-504': { batch: bothAre('unknown'), alone: bothAre('unknown or notSent') },
	'busy-at-first': { batch: bothAre('created'), alone: bothAre('created') },
	'code-error': { batch: bothAre('unknown'), alone: bothAre('unknown or notSent') },
	'rejected-batch': { batch: bothAre('unknown'), alone: ['created', 'rejected'] },
	'rejected-partly': { batch: bothAre('unknown'), alone: ['created', 'rejected'] },
	'rejected-record': { batch: ['created', 'unknown'], alone: ['created', 'unknown'] },
	'records-without-index': { batch: bothAre('unknown'), alone: bothAre('created') },
	'records-with-changed-references': { batch: bothAre('created'), alone: bothAre('created') },
	'index-from-1': { batch: bothAre('unknown'), alone: bothAre('created') },
	'records-in-other-forms': { batch: bothAre('created'), alone: bothAre('created') },
	'all-401': { batch: bothAre('notSent'), alone: bothAre('notSent') },
	'all-503': { batch: bothAre('notSent'), alone: bothAre('notSent') },
	'all-html': { batch: bothAre('unknown'), alone: bothAre('unknown or notSent') },
};

/** The variants under which every operation with webhooks succeeds. */
const webhooksWork: readonly VariantName[] = [
	'success-201',
	'success-204',
	'list-other-entries',
	'subscribe-again-409',
	'event-form',
	'event-list',
];

/** The names of the variants that have a handler for one of these parts of the service. */
function affecting(...parts: ReadonlyArray<keyof ApiVariant>) {
	const entries: Array<readonly [string, ApiVariant]> = Object.entries(variants);
	return entries
		.filter(([, variant]) => parts.some((part) => part in variant))
		.map(([name, { rule }]) => ({ name, rule, works: webhooksWork.some((one) => one === name) }));
}

/** Webhooks of another program and of another company, which no operation may change. */
const others = [
	{ url: 'https://other.example/hook?event=updateTask', action: 3, companyId: 1001 },
	{ url: 'https://other.example/hook', action: 1, companyId: 1002 },
];

/** Secrets and personal data that must not be in messages and log lines. */
const secrets = [
	'local-secret',
	Buffer.from('local-key:local-secret').toString('base64'),
	'Ana Torres',
	'ana@mail.example',
	'Maya Okafor',
	'maya.okafor@mail.example',
	'Oak Avenue',
	'Larkspur Lane',
];

const triggers: Trigger[] = [];
let logs: Array<jest.SpyInstance<void, Parameters<Logger['warn']>>> = [];
let offsetMs = 0;

const logLines = () => logs.flatMap(({ mock }) => mock.calls.map(([line]) => String(line)));

/** Replaces waits with jumps of the clock. */
beforeEach(async () => {
	// Moves the requests of the previous test out of the rate limit's minute.
	offsetMs += 120_000;
	jest.spyOn(realClock, 'now').mockImplementation(() => Date.now() + offsetMs);
	jest.spyOn(realClock, 'wait').mockImplementation(async (ms, signal) => {
		if (!signal?.aborted) offsetMs += ms;
		await nextTurn();
	});
	const logger = Container.get(Logger);
	logs = (['error', 'warn', 'info', 'debug'] as const).map((level) => jest.spyOn(logger, level));
	for (const { url, action, companyId } of others) await service.subscribe(url, action, companyId);
});

afterEach(async () => {
	const webhooks = service.control.webhooks().filter(({ url }) => url.includes('other.example'));
	const leaks = logLines().filter(isLeak);
	service.control.settings({ variant: null });
	for (const trigger of triggers.splice(0)) await trigger.deactivate();
	jest.restoreAllMocks();
	expect(webhooks).toEqual(others.map((other) => ({ ...other, status: 'Active' })));
	expect(leaks).toEqual([]);
});

function isLeak(text: string): boolean {
	return secrets.some((secret) => text.includes(secret)) || /signature=[0-9a-f]{6}/.test(text);
}

const errorSchema = z.object({ message: z.string(), description: z.string().nullish() });
const shownSchema = z.object({ message: z.string().nullish(), error: errorSchema.optional() });

/** Fails if a message of a run has secrets or personal data. */
function expectNoLeaks({ error, items, hints }: NodeRun): void {
	const shown = items.map(({ json }) => shownSchema.parse(json));
	const texts = [
		...(error ? [error.message, error.description] : []),
		...shown.flatMap(({ message, error: item }) => [message, item?.message, item?.description]),
		...hints.map(({ message }) => message),
	];
	expect(texts.filter((text) => isLeak(text ?? ''))).toEqual([]);
}

describe('creating deliveries', () => {
	const references = ['#1001', '1002', 'A-1003', '#1004', '#1005'];
	/** The service rejects deliveries to an address with the word "Unserved". */
	const invalid = '#1004';
	const streetOf = (reference: string) =>
		reference === invalid ? '4 Unserved Road' : '48 Oak Avenue';

	const batch: INodeParameters = {
		resource: 'delivery',
		operation: 'create',
		source: 'json',
		skipAlreadySent: true,
		options: { batchSize: 100 },
	};
	const jsonItem = (referenceId: string): IDataObject =>
		delivery({
			referenceId,
			dropoff: {
				contact: { name: 'Ana Torres', email: 'ana@mail.example' },
				location: { address: streetOf(referenceId) },
			},
		});
	const orderItem = (name: string, number: number): IDataObject =>
		shopifyOrder({
			id: 5600007927000 + number,
			name,
			shipping_address: shippingAddress({ address1: streetOf(name) }),
		});

	interface Created {
		outcome: string;
		id: unknown;
	}

	/** Runs the node once. @returns the reported outcome of each reference, unless the run failed */
	async function create(
		parameters: INodeParameters,
		item: (reference: string, number: number) => IDataObject,
		stopsOnError = false,
	): Promise<ReadonlyMap<string, Created>> {
		const run = await service.run(parameters, {
			items: references.map(item),
			...(!stopsOnError && { onError: 'continueRegularOutput' }),
		});
		expectNoLeaks(run);
		const outcomes = outcomesOf(run.items);
		return new Map(
			pairedItems(run.items).map((position, index) => [
				references[Number(position)] ?? '',
				{ outcome: String(outcomes[index]), id: run.items[index]?.json.id },
			]),
		);
	}

	const existing = (reference: string) =>
		service.control.deliveries().filter(({ record }) => record.referenceId === reference);

	/** Fails if a delivery exists twice, or if a report contradicts the service. */
	function expectTruth(reports: ReadonlyMap<string, Created>): void {
		expect([...reports.keys()].sort()).toEqual([...references].sort());
		for (const [reference, { outcome, id }] of reports) {
			const [one, ...more] = existing(reference);
			expect({ reference, more }).toEqual({ reference, more: [] });
			const possible = one
				? ['created', 'unknown', 'alreadyCreated']
				: ['rejected', 'unknown', 'notSent'];
			expect({ reference, outcome, isTrue: possible.includes(outcome) }).toEqual({
				reference,
				outcome,
				isTrue: true,
			});
			if (one && outcome === 'created')
				expect([one.record.id, String(parseInt(one.record.id, 16))]).toContain(String(id));
		}
	}

	function expectOutcomes(
		reports: ReadonlyMap<string, Created>,
		outcomes: Outcomes | undefined,
	): void {
		if (outcomes === undefined) return;
		for (const [reference, { outcome }] of reports) {
			const allowed = outcomes[reference === invalid ? 1 : 0].split(' or ');
			const isAllowed = allowed.includes(outcome);
			expect({ reference, outcome, isAllowed }).toEqual({ reference, outcome, isAllowed: true });
		}
	}

	const expectedOf = (variant: string) =>
		Object.entries(creationOutcomes).find(([name]) => name === variant)?.[1];

	describe.each(affecting('create'))('$rule ($name)', ({ name }) => {
		test.each([
			{ form: 'batch', title: 'in a batch', parameters: batch, item: jsonItem },
			{ form: 'alone', title: 'one by one', parameters: fromOrders, item: orderItem },
		] as const)('Create twice, $title', async ({ form, parameters, item }) => {
			service.control.settings({ variant: name });
			const first = await create(parameters, item);
			expectTruth(first);
			expectOutcomes(first, expectedOf(name)?.[form]);

			const second = await create(parameters, item);
			expectTruth(second);
			for (const [reference, { outcome }] of first)
				if (['created', 'unknown'].includes(outcome))
					expect(second.get(reference)?.outcome).not.toBe('created');
		});

		test('Create with On Error: Stop, then once more', async () => {
			service.control.settings({ variant: name });
			await create(batch, jsonItem, true);
			expectTruth(await create(batch, jsonItem));
		});
	});
});

describe('updating deliveries', () => {
	test.each(affecting('update'))('$rule ($name): Update', async ({ name }) => {
		const targets = [...(await service.seed(2)), 'NOT-THERE'];
		service.control.settings({ variant: name });
		const run = await service.run(
			{
				resource: 'delivery',
				operation: 'update',
				findBy: 'deliveryIds',
				changesFrom: 'defineBelow',
				deliveryIds: targets.join(', '),
				changes: { cod: '5' },
			},
			{ onError: 'continueRegularOutput' },
		);
		expectNoLeaks(run);
		const outcomes = outcomesOf(run.items);
		const isUpdated = service.control.deliveries().map(({ request }) => request.cod === 5);
		expect(outcomes).toHaveLength(targets.length);
		for (const [index, target] of targets.entries()) {
			const possible = isUpdated[index]
				? ['updated', 'unknown']
				: ['rejected', 'unknown', 'notSent'];
			const outcome = String(outcomes[index]);
			expect({ target, outcome, isTrue: possible.includes(outcome) }).toEqual({
				target,
				outcome,
				isTrue: true,
			});
		}
		if (name === 'busy-at-first') expect(outcomes.slice(0, 2)).toEqual(['updated', 'updated']);
	});
});

describe('webhooks', () => {
	const url = 'https://shop.example/events';
	const statuses = () =>
		service.control.webhooks().flatMap((hook) => (hook.url === url ? [hook.status] : []));

	async function run(variant: string, parameters: INodeParameters) {
		service.control.settings({ variant });
		const nodeRun = await service.run(
			{ resource: 'webhook', ...parameters },
			{ onError: 'continueRegularOutput' },
		);
		expectNoLeaks(nodeRun);
		expect(nodeRun.error).toBeUndefined();
		const failures = nodeRun.items.filter(({ json }) => 'error' in json);
		return { items: nodeRun.items.map(({ json }) => json), failed: failures.length > 0 };
	}

	test.each(affecting('subscribe'))('$rule ($name): Create', async ({ name, works }) => {
		const { failed } = await run(name, { operation: 'create', url, event: 'updateTask' });
		if (!failed) expect(statuses()).toEqual(['Active']);
		if (works) expect(failed).toBe(false);
	});

	test.each(affecting('list'))('$rule ($name): Get Many', async ({ name, works }) => {
		await service.subscribe(url, 3);
		const { items, failed } = await run(name, { operation: 'getAll', returnAll: true });
		if (!failed) expect(items.filter((item) => item.url === url)).toHaveLength(1);
		if (works) expect(failed).toBe(false);
	});

	test.each(affecting('list', 'subscribe', 'unsubscribe'))(
		'$rule ($name): Reactivate',
		async ({ name, works }) => {
			await service.subscribe(url, 3);
			service.control.blacklist(url, 3);
			const { items, failed } = await run(name, {
				operation: 'reactivate',
				urlPrefix: 'https://shop.example/',
			});
			const count = items.filter(({ reactivated }) => reactivated === true).length;
			expect(count).toBe(failed ? 0 : 1);
			if (!failed) expect(statuses()).toEqual(['Active']);
			if (works) expect(failed).toBe(false);
		},
	);

	test.each(affecting('unsubscribe'))('$rule ($name): Delete', async ({ name, works }) => {
		await service.subscribe(url, 3);
		const { failed } = await run(name, {
			operation: 'delete',
			url,
			event: 'updateTask',
		});
		if (!failed) expect(statuses()).toEqual([]);
		if (works) expect(failed).toBe(false);
	});

	test.each(affecting('list', 'subscribe', 'unsubscribe', 'eventCall'))(
		'$rule ($name): the trigger',
		async ({ name, works }) => {
			const trigger = await openTrigger({
				parameters: { events: ['createTask', 'updateTask'] },
				credential: service.credential,
			});
			triggers.push(trigger);
			const own = () =>
				service.control.webhooks().filter((hook) => hook.url.startsWith(trigger.url));
			service.control.settings({ variant: name });
			const error = await trigger.activate().catch((reason: unknown) => reason);

			if (error === undefined) {
				expect(
					own()
						.map(({ action, status }) => `${action} ${status}`)
						.sort(),
				).toEqual(['1 Active', '3 Active']);
				await service.control.fireEvent(3, updated, { companyId: 1001 });
				await trigger.settled();
				const received = trigger.executions.map(({ workflowData }) => workflowData[0]?.[0]?.json);
				expect(received).toMatchObject([{ event: 'updateTask', ...updated }]);
			} else expect(isLeak(errorSchema.parse(error).message)).toBe(false);
			if (works) expect(error).toBeUndefined();

			expect(await trigger.deactivate()).toBeUndefined();
			if (works) expect(own()).toEqual([]);
			if (own().length > 0) expect(logLines().join()).toMatch(/may remain/);
		},
	);

	test.each(affecting('list'))('$rule ($name): the connection test', async ({ name, works }) => {
		service.control.settings({ variant: name });
		const { status, message } = await testCredential(service.credential);
		expect(status).toBe(works ? 'OK' : 'Error');
		expect(isLeak(message)).toBe(false);
	});
});
