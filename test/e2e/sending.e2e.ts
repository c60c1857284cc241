import { waitFor } from '../../playground/n8n/progress';
import { startService, type LocalService } from '../../playground/service/server';
import { openInstallation, storeCredential, type Installation } from './support/installation';
import { countCreations, countOutcomes, orderNames, publishSender } from './support/sending';

/*
 * Runs of a published workflow that meet a rejected order or an outage. All of them run at the same
 * time, because they wait for the rate limit and for the service.
 */

const versions = ['newest', '1.123'] as const;

type Version = (typeof versions)[number];

const installations = new Map<Version, Installation>();

beforeAll(async () => {
	for (const version of versions) installations.set(version, await openInstallation(version));
});

afterAll(async () => {
	for (const installation of installations.values()) await installation.close();
});

/** How long the service is down. */
const outageMs = 60_000;

/** How many orders are sent before the outage: the next one is the last of the first four in flight. */
const createdBeforeOutage = 3;

test.concurrent.each(versions)(
	'waits out an outage of a minute, and sends each order once (n8n %s)',
	async (version) => {
		let service = await startService();
		try {
			const { control, port } = service;
			const sender = await openSender(version, service);
			const orders = orderNames('D', 20);
			// While this is waited out, no request is in flight, so the outage loses none.
			control.addFault({
				kind: 'status',
				status: 503,
				skip: createdBeforeOutage,
				headers: { 'Retry-After': '10' },
				body: { code: 'MAINTENANCE', message: 'Be right back' },
			});
			await sender.post(orders);
			const statuses = () => control.requests().map(({ status }) => status);
			await waitFor('the 503', () => statuses().filter(Boolean).length > createdBeforeOutage);
			await service.close();
			const createdBefore = countCreations({ service });
			const downSince = Date.now();
			await new Promise((resolve) => setTimeout(resolve, outageMs));
			service = await startService({ port });

			const executions = await sender.results();

			console.log(`  ${version}: ended ${Date.now() - downSince} ms after the outage began`);
			expect(countOutcomes(executions)).toEqual({ created: orders.length });
			expect(createdBefore.size).toBe(createdBeforeOutage);
			const creations = [...createdBefore, ...countCreations({ service })];
			expect(creations.sort()).toEqual(orders.map((order) => [order, 1]));
		} finally {
			await service.close();
		}
	},
);

const badOrders = [
	// One order per request, in three minutes of the rate limit.
	{ count: 300, outcomes: { created: 299, rejected: 1 } },
	{ count: 51, outcomes: { created: 50, rejected: 1 } },
	// Full requests: for the others of the rejected one, no response says that they don't exist.
	{ count: 600, outcomes: { created: 500, unknown: 100 } },
];

test.concurrent.each(badOrders.flatMap((run) => versions.map((version) => ({ version, ...run }))))(
	'reports what a bad phone number in one of $count orders does to the others (n8n $version)',
	async ({ version, count, outcomes }) => {
		const service = await startService();
		try {
			const orders = orderNames('B', count);
			const bad = orders[36]!;
			service.control.addFault({ kind: 'status', status: 422, referenceIds: [bad] });
			const sender = await openSender(version, service);
			await sender.post(orders);

			const executions = await sender.results();

			expect(countOutcomes(executions)).toEqual(outcomes);
			const creations = countCreations({ service });
			expect([...creations.values()]).toEqual(Array(outcomes.created).fill(1));
			expect(creations.has(bad)).toBe(false);
			expect(executions[0]?.outcomes.get(bad)).toEqual([count > 500 ? 'unknown' : 'rejected']);
		} finally {
			await service.close();
		}
	},
);

/** Publishes a workflow that creates deliveries from orders at this service. */
async function openSender(version: Version, service: LocalService) {
	const { client, n8n } = installations.get(version)!;
	return await publishSender(
		{
			client,
			service,
			credentials: await storeCredential(client, service),
			webhookUrl: n8n.url,
			inactiveExecutions: async () => Promise.resolve(new Set()),
		},
		{},
	);
}
