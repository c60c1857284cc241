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

/** A delivery that a variant may reject, see variants/create.ts. */
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
			.then(({ status, headers, data: body }) => ({
				status,
				body,
				type: String(headers['content-type']),
			}))
			.catch((error: Error) => error.message);
		entries.push(response);
	};
	const create = async (...deliveries: unknown[]) =>
		await send('POST', '/v1/deliveries', { deliveries });
	await create(delivery({ referenceId: ' #A1 ' }));
	await create(delivery({ referenceId: ' #A1 ' }));
	await create(delivery(), delivery({ referenceId: '#B' }), delivery(), invalid, delivery());
	const [{ record: { id } } = { record: { id: '' } }] = control.deliveries();
	const deliveryChanges = { cod: 1, packages: [{ name: 'Added', qty: 1, size: 's' }] };
	const update = async (...deliveryIds: string[]) =>
		await send('PATCH', '/v1/deliveries/dropoff', { deliveryIds, deliveryChanges });
	await update(id);
	await update(id, 'D-UNKNOWN');
	entries.push(
		control.deliveries().map(({ request: { referenceId, cod, packages } }) => ({
			...{ referenceId, cod },
			packages: packages.map(({ name }) => name),
		})),
	);

	const path = '/hooks/companies/1001';
	const form = (url: string, action = 3) => new URLSearchParams({ url, action: String(action) });
	const url = subscriber.url.replace('/webhook/a', '/webhook/a/webhook');
	await send('GET', path);
	await send('POST', path, form(url));
	await send('POST', path, form(url));
	await send('POST', path, form('https://other.example/'));
	await send('POST', path, form(url, 1));
	await send('GET', path);
	await control.fireEvent(3, { id: 'T', status: 'x', company_id: '1001', city_id: '7' });
	await send('GET', path);
	control.webhooks().forEach(({ url, action }) => control.blacklist(url, action));
	await send('POST', path, form(url));
	await send('GET', path);
	await send('DELETE', path, form(url));
	await send('DELETE', path, form(url));
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

describe('the control API', () => {
	test('lists every API variant with a description of one sentence', async () => {
		const { data } = await local.remote.get<unknown>('/variants');
		const descriptions = Object.entries(variants).map(([name, { description }]) => [
			name,
			description,
		]);
		expect(data).toEqual(Object.fromEntries(descriptions));
		for (const [, description] of descriptions) expect(description).toMatch(/^[A-Z].*\.$/);
	});

	test('starts an API variant, and a reset ends it', async () => {
		const changed = await local.remote.put<unknown>('/settings', { variant: 'all-403' });
		expect(changed.data).toMatchObject({ variant: 'all-403' });
		expect((await local.api.get('/hooks/companies/1001')).status).toBe(403);

		local.service.control.reset();
		expect((await local.api.get('/hooks/companies/1001')).status).toBe(200);
	});

	test('rejects an unknown API variant', async () => {
		const response = await local.remote.put<unknown>('/settings', { variant: 'toString' });
		expect(response.status).toBe(400);
		expect(response.data).toMatchObject({
			message: expect.stringContaining('Unknown API variant "toString"'),
		});
	});
});

test('the service starts with an API variant and returns to it on reset', async () => {
	const { service, api } = await openLocalService({ variant: 'all-403' });
	expect((await api.get('/hooks/companies/1001')).status).toBe(403);
	service.control.reset();
	expect((await api.get('/hooks/companies/1001')).status).toBe(403);
	await service.close();
	await expect(openLocalService({ variant: 'none' })).rejects.toThrow('Unknown API variant');
});
