import { waitFor } from '../../playground/n8n/progress';
import { samples } from '../../playground/shopify/samples';
import * as shared from './support/versionTests';
import { dropoff, packages, pickup, shopifyFields } from './support/sampleDelivery';

const installation = shared.testVersion('newest');

const fromJson = { resource: 'delivery', operation: 'create', source: 'json' };
const delivery = (referenceId: string) => ({ pickup, dropoff, packages, referenceId });

/** Matches text that contains the given text. */
const contains = (text: string): unknown => expect.stringContaining(text);

describe('the rate limit after a restart', () => {
	test('waits out the 429 responses after a restart of n8n, and loses no delivery', async () => {
		const { service } = installation();
		// The service counts for an hour, so that no delay lets a request through.
		const creationLimit = { requests: 100, perMs: 3_600_000 };
		service.control.settings({ creationLimit, retryAfter: 'off' });
		const run = async (from: number, to: number) => {
			const numbers = Array.from({ length: to - from }, (_, index) => from + index);
			const items = numbers.map((number) => delivery(`L-${number}`));
			const parameters = { ...fromJson, options: { batchSize: 1 } };
			return (await shared.runAction(installation(), { items, parameters })).output;
		};
		const statuses = () => service.control.requests().map(({ status }) => status);
		const first = await run(0, 100);
		expect(statuses()).not.toContain(429);

		await installation().restartN8n();
		const running = run(100, 103);
		await waitFor('a 429', () => statuses().includes(429));
		service.control.settings({ creationLimit: { ...creationLimit, requests: 1000 } });
		const second = await running;

		const rejected = statuses().filter((status) => status === 429).length;
		console.log(`  ${statuses().length} requests, ${rejected} rejected with 429`);
		expect([...first, ...second].map(({ outcome }) => outcome)).toEqual(Array(103).fill('created'));
		expect(new Set(service.control.deliveries().map(({ record }) => record.referenceId)).size).toBe(
			103,
		);
		expect(service.control.deliveries()).toHaveLength(103);
	});
});

test('ends a request for the webhooks after a minute without a response', async () => {
	installation().service.control.addFault({ kind: 'hang', method: 'GET' });
	const parameters = { resource: 'webhook', operation: 'getAll' };
	const started = Date.now();
	const { execution } = await shared.runAction(installation(), { parameters });
	expect(Date.now() - started).toBeLessThan(80_000);
	const { error } = execution.data.resultData;
	expect(error?.message).toContain('The Delivery Service did not respond in time');
});

describe('repeated runs', () => {
	const parameters = { resource: 'delivery', ...shopifyFields };
	// Requests overlap, so deliveries are created in any order.
	const createdReferences = () =>
		installation()
			.service.control.deliveries()
			.map(({ record }) => record.referenceId)
			.sort();

	test('creates nothing on a second run, even after a restart of n8n', async () => {
		const { control } = installation().service;
		control.addFault({ kind: 'resetAfter', referenceIds: ['#1004'] });
		const orders = samples.slice(0, 4);
		const first = await shared.runAction(installation(), {
			items: orders,
			parameters,
			onError: 'continueRegularOutput',
		});
		expect(createdReferences()).toEqual(['#1001', '#1002', '#1003', '#1004']);
		const outcomes = [
			{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1001' },
			{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1002' },
			{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1003' },
			{ outcome: 'unknown', referenceId: '#1004' },
		];

		await installation().restartN8n();
		const { output } = await shared.runWorkflow(installation(), first.workflowId);
		expect(output).toMatchObject(outcomes);
		expect(output[3]).toMatchObject({ message: contains('"Allow Resending"') });
		expect(createdReferences()).toEqual(['#1001', '#1002', '#1003', '#1004']);
	});
});
