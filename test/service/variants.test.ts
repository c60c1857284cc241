/** The API variants over HTTP. What the nodes do under each is in test/engine/variants.test.ts. */
import { openLocalService, startSubscriber } from '../support/localService';
import { delivery } from '../support/sampleDelivery';
import type { OpenLocalService, Subscriber } from '../support/localService';
import { variants } from '../../playground/service/variants';

let local: OpenLocalService;
let subscriber: Subscriber;

beforeAll(async () => {
	local = await openLocalService({ now: () => Date.UTC(2025, 0, 1) });
	subscriber = await startSubscriber(204);
});
beforeEach(() => local.service.control.reset());
afterAll(async () => {
	await subscriber.close();
	await local.service.close();
});

const simulate = (variant: string) => local.service.control.settings({ variant });

/** A delivery that a variant may reject. */
const invalid = delivery({
	dropoff: {
		contact: { name: 'Ada', email: 'ada@mail.example' },
		location: { address: 'Unserved Road 1' },
	},
	referenceId: '#X',
});

/** Returns what a client and a subscriber receive for every kind of request, without random values. */
async function recordTranscript(): Promise<string> {
	const { api, service } = local;
	const { control } = service;
	const entries: unknown[] = [];
	const send = async (method: string, url: string, data?: unknown) => {
		const response = await api
			.request<unknown>({ method, url, data })
			.then(({ status, data: body }) => ({ status, body }))
			.catch((error: Error) => error.message);
		entries.push(response);
	};
	const create = async (...deliveries: unknown[]) =>
		await send('POST', '/v1/deliveries', { deliveries });
	await create(delivery({ referenceId: 'A' }));
	await create(delivery({ referenceId: 'A' }));
	await create(delivery(), delivery({ referenceId: 'B' }), invalid, delivery());
	const [{ record: { id } } = { record: { id: '' } }] = control.deliveries();
	for (const deliveryIds of [[id], [id, 'D-UNKNOWN']])
		await send('PATCH', '/v1/deliveries/dropoff', { deliveryIds, deliveryChanges: { cod: 1 } });
	entries.push(control.deliveries().map(({ request: { referenceId, cod } }) => [referenceId, cod]));

	const path = '/hooks/companies/1001';
	const hook = new URLSearchParams({ url: subscriber.url, action: '3' });
	for (const method of ['GET', 'POST', 'POST', 'GET']) await send(method, path, hook);
	await control.fireEvent(3, { id: 'T', status: 'x', company_id: '1001', city_id: '7' });
	for (const method of ['DELETE', 'DELETE']) await send(method, path, hook);
	entries.push(control.webhooks(), subscriber.received.splice(0));

	return JSON.stringify(entries, undefined, 1).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');
}

describe('API variants', () => {
	let documented: string;
	beforeAll(async () => (documented = await recordTranscript()));

	test('the transcript without an API variant is the same in every run', async () => {
		expect(await recordTranscript()).toBe(documented);
	});

	test.each(Object.keys(variants))('a client can observe the API variant %s', async (name) => {
		simulate(name);
		expect(await recordTranscript()).not.toBe(documented);
	});
});

test('the service starts with an API variant and returns to it on reset', async () => {
	const { service, api } = await openLocalService({ variant: 'all-401' });
	service.control.reset();
	expect((await api.get('/hooks/companies/1001')).status).toBe(401);
	await service.close();
	await expect(openLocalService({ variant: 'none' })).rejects.toThrow('Unknown API variant');
});
