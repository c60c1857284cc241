import {
	creation,
	firstId,
	openLocalService,
	startSubscriber,
	type Created,
	type OpenLocalService,
	type Subscriber,
} from '../support/localService';

const now = Date.UTC(2025, 0, 1);
let local: OpenLocalService;
let subscriber: Subscriber;

beforeAll(async () => {
	local = await openLocalService({ companyIds: [7, 8], now: () => now });
});
beforeEach(async () => {
	local.service.control.reset();
	subscriber = await startSubscriber();
});
afterEach(async () => await subscriber.close());
afterAll(async () => await local.service.close());

const form = (url: string, action: number | string) =>
	new URLSearchParams({ url, action: String(action) });
const subscribe = async (url: string, action: number | string, companyId = 7) =>
	await local.api.post(`/hooks/companies/${companyId}`, form(url, action));
const unsubscribe = async (url: string, action: number) =>
	await local.api.delete('/hooks/companies/7', { data: form(url, action) });
const list = async (companyId = 7) =>
	(await local.api.get(`/hooks/companies/${companyId}`)).data as unknown;

describe('subscriptions', () => {
	test('a subscription is created, listed for its company, and removed', async () => {
		expect((await subscribe('https://a.example/x?y=1', 1)).status).toBe(200);
		expect((await subscribe('https://a.example/x?y=1', 3)).status).toBe(200);
		expect((await subscribe('https://b.example', 2, 8)).status).toBe(200);
		expect(await list()).toEqual([
			{ url: 'https://a.example/x?y=1', action: 1, status: 'Active' },
			{ url: 'https://a.example/x?y=1', action: 3, status: 'Active' },
		]);
		expect(await list(8)).toEqual([{ url: 'https://b.example', action: 2, status: 'Active' }]);
		expect((await unsubscribe('https://a.example/x?y=1', 1)).status).toBe(200);
		expect(await list()).toEqual([{ url: 'https://a.example/x?y=1', action: 3, status: 'Active' }]);
	});

	test('a URL that is subscribed again keeps its one subscription and its status', async () => {
		await subscribe('https://a.example', 1);
		local.service.control.blacklist('https://a.example', 1);
		expect((await subscribe('https://a.example', 1)).status).toBe(200);
		expect(await list()).toEqual([{ url: 'https://a.example', action: 1, status: 'Banned' }]);
	});

	test.each(['post', 'delete'])('%s accepts form bodies only', async (method) => {
		const data = { url: 'https://a.example', action: 1 };
		const json = await local.api.request({ method, url: '/hooks/companies/7', data });
		expect(json.status).toBe(415);
		expect(json.data).toEqual({ code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.any(String) });
	});

	test.each<[string, URLSearchParams]>([
		['action 4', form('https://a.example', 4)],
		['an invalid URL', form('a.example', 1)],
		['two URLs', new URLSearchParams('url=https://a.example&url=https://b.example&action=1')],
	])('rejects a subscription with %s', async (_name, body) => {
		expect((await local.api.post('/hooks/companies/7', body)).status).toBe(400);
	});
});

describe('events', () => {
	test('posts an event for each created delivery to exactly the subscribed URL', async () => {
		await subscribe(subscriber.url, 1);
		const { payload } = (await local.api.post<Created>('/v1/deliveries', creation(2))).data;
		await subscriber.arrived(2);
		expect(subscriber.received).toHaveLength(2);
		expect(subscriber.received[0]).toEqual({
			method: 'POST',
			url: '/webhook/a?event=1&sig=x%2Fy',
			contentType: 'application/json',
			body: expect.anything(),
		});
		expect(subscriber.received.map(({ body }) => body)).toEqual(
			expect.arrayContaining(
				payload.map(({ id, distance, price }) => ({ id, distance, price, currencySign: '$' })),
			),
		);
	});

	test('posts a route event with the newest deliveries or a given payload', async () => {
		await subscribe(subscriber.url, 2);
		const { payload } = (await local.api.post<Created>('/v1/deliveries', creation(2))).data;
		await local.service.control.fireEvent(2);
		await local.service.control.fireEvent(2, ['odd']);
		expect(subscriber.received.map(({ body }) => body)).toEqual([
			{
				route_id: expect.any(String),
				distance: expect.any(Number),
				date: String(now / 1000),
				prices: payload.map(({ id, price }) => ({ id, price: price.toFixed(2) })),
			},
			['odd'],
		]);
	});

	test('posts an event when a delivery is updated and when its status is advanced', async () => {
		await subscribe(subscriber.url, 3);
		const { data } = await local.api.post<Created>('/v1/deliveries', creation(2));
		const id = firstId(data);
		await local.api.patch('/v1/deliveries/dropoff', {
			referenceIds: ['R0', 'R1'],
			deliveryChanges: { cod: 1 },
		});
		await subscriber.arrived(2);
		const advanced = await local.service.control.advance(id);
		expect(advanced).toEqual({
			id,
			status: 'assigned',
			postings: [{ url: subscriber.url, status: 200 }],
		});
		expect(subscriber.received).toHaveLength(3);
		expect(subscriber.received[2]?.body).toEqual({
			id,
			status: 'assigned',
			company_id: '7',
			city_id: String(data.payload[0]?.destinationCityId),
		});
	});
});
