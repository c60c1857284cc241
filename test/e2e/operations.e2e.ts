import type { Execution } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import { startService, type LocalService } from '../../playground/service/server';
import { samples } from '../../playground/shopify/samples';
import { storeCredential, type Installation } from './support/installation';
import { dropoff, packages, pickup, shopifyFields } from './support/sampleDelivery';
import * as shared from './support/versionTests';
import { nodes } from './support/workflows';

const installation = shared.testVersion('newest');

const fromJson = { resource: 'delivery', operation: 'create', source: 'json' };
const delivery = (referenceId: string) => ({ pickup, dropoff, packages, referenceId });

/** Matches text that contains the given text. */
const contains = (text: string): unknown => expect.stringContaining(text);

/** A service of its own: no other test uses up its rate limit, or resets it. */
interface Own {
	control: LocalService['control'];
	credentials: Installation['credentials'];
}
type Output = Awaited<ReturnType<typeof shared.runAction>>['output'];

describe('after a restart of n8n', () => {
	const services: LocalService[] = [];
	const orders = samples.slice(0, 4);
	const outcomes = [
		{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1001' },
		{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1002' },
		{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1003' },
		{ outcome: 'unknown', referenceId: '#1004' },
	];
	let limited: Own;
	let repeated: Own;
	let first: Output;
	let second: Promise<Output>;
	let silent: Promise<Execution>;

	const openOwn = async (): Promise<Own> => {
		const service = await startService();
		services.push(service);
		const credentials = await storeCredential(installation().client, service);
		return { control: service.control, credentials };
	};
	const sendToLimited = async (from: number, to: number) => {
		const numbers = Array.from({ length: to - from }, (_, index) => from + index);
		const items = numbers.map((number) => delivery(`L-${number}`));
		const parameters = { ...fromJson, options: { batchSize: 1 } };
		const { credentials } = limited;
		return (await shared.runAction(installation(), { items, parameters, credentials })).output;
	};
	const statuses = () => limited.control.requests().map(({ status }) => status);
	/** Requests overlap, so deliveries are created in any order. */
	const createdReferences = ({ control }: Own) =>
		control
			.deliveries()
			.map(({ record }) => record.referenceId)
			.sort();

	// The service counts for an hour, so that no delay lets a request through.
	const creationLimit = { requests: 100, perMs: 3_600_000 };

	beforeAll(async () => {
		[limited, repeated] = [await openOwn(), await openOwn()];
		limited.control.settings({ creationLimit, retryAfter: 'off' });
		first = await sendToLimited(0, 100);
		repeated.control.addFault({ kind: 'resetAfter', referenceIds: ['#1004'] });
		const { workflowId } = await shared.runAction(installation(), {
			items: orders,
			parameters: { resource: 'delivery', ...shopifyFields },
			onError: 'continueRegularOutput',
			credentials: repeated.credentials,
		});

		await installation().restartN8n();
		// Each of these takes a minute, so both wait during the other tests.
		second = shared.runWorkflow(installation(), workflowId).then(({ output }) => output);
		const hanging = await openOwn();
		hanging.control.addFault({ kind: 'hang', method: 'GET' });
		const parameters = { resource: 'webhook', operation: 'getAll' };
		const { credentials } = hanging;
		silent = shared
			.runAction(installation(), { parameters, credentials })
			.then(({ execution }) => execution);
	});
	afterAll(async () => {
		for (const service of services) await service.close();
	});

	test('waits out the 429 responses after a restart of n8n, and loses no delivery', async () => {
		expect(statuses()).toEqual(Array(100).fill(200));
		const running = sendToLimited(100, 103);
		await waitFor('a 429', () => statuses().includes(429));
		limited.control.settings({ creationLimit: { ...creationLimit, requests: 1000 } });
		const all = [...first, ...(await running)];

		const rejected = statuses().filter((status) => status === 429).length;
		console.log(`  ${statuses().length} requests, ${rejected} rejected with 429`);
		expect(all.map(({ outcome }) => outcome)).toEqual(Array(103).fill('created'));
		expect(new Set(createdReferences(limited)).size).toBe(103);
		expect(createdReferences(limited)).toHaveLength(103);
	});

	test('creates nothing on a second run, even after a restart of n8n', async () => {
		const output = await second;
		expect(output).toMatchObject(outcomes);
		expect(output[3]).toMatchObject({ message: contains('"Allow Resending"') });
		expect(createdReferences(repeated)).toEqual(['#1001', '#1002', '#1003', '#1004']);
	});

	test('ends a request for the webhooks after a minute without a response', async () => {
		const { error, runData } = (await silent).data.resultData;
		expect(error?.message).toContain('The Delivery Service did not respond in time');
		expect(runData[nodes.action]?.[0]?.executionTime).toBeLessThan(80_000);
	});
});
