import { creation, openLocalService, type OpenLocalService } from '../support/localService';

const start = Date.UTC(2025, 0, 1);
let clock = start;
let local: OpenLocalService;

beforeAll(async () => {
	local = await openLocalService({ now: () => clock });
});
beforeEach(() => {
	clock = start;
	local.service.control.reset();
});
afterAll(async () => await local.service.close());

const create = async () => await local.api.post('/v1/deliveries', creation());

test('accepts at most 100 create requests in any 60 seconds', async () => {
	for (let request = 0; request < 100; request += 1) {
		clock = start + request * 100;
		expect((await create()).status).toBe(200);
	}
	clock = start + 59_999;
	const rejected = await create();
	expect(rejected.status).toBe(429);
	expect(rejected.data).toEqual({ code: 'TOO_MANY_REQUESTS', message: expect.any(String) });
	expect(rejected.headers['retry-after']).toBe('1');
	expect(local.service.control.deliveries()).toHaveLength(100);

	clock = start + 60_000;
	expect((await create()).status).toBe(200);
	expect((await create()).status).toBe(429);
	clock = start + 60_100;
	expect((await create()).status).toBe(200);
});

test('limits only create requests, and also counts invalid ones', async () => {
	local.service.control.settings({ creationLimit: { requests: 1, perMs: 1000 } });
	expect((await local.api.post('/v1/deliveries', {})).status).toBe(400);
	expect((await create()).status).toBe(429);
	for (let request = 0; request < 3; request += 1) {
		expect((await local.api.get('/hooks/companies/1001')).status).toBe(200);
	}
});
