import { creation, openLocalService } from '../support/localService';
import type { OpenLocalService } from '../support/localService';

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

test('no more than 100 creation requests are taken in 60 seconds, wherever the minute begins', async () => {
	for (let request = 0; request < 100; request += 1) {
		clock = start + request * 100;
		expect((await create()).status).toBe(200);
	}
	clock = start + 59_999;
	const refused = await create();
	expect(refused.status).toBe(429);
	expect(refused.data).toEqual({ code: 'TOO_MANY_REQUESTS', message: expect.any(String) });
	expect(refused.headers['retry-after']).toBe('1');
	expect(local.service.control.deliveries()).toHaveLength(100);

	clock = start + 60_000;
	expect((await create()).status).toBe(200);
	expect((await create()).status).toBe(429);
	clock = start + 60_100;
	expect((await create()).status).toBe(200);
});

test('only creation is limited, and refused requests count too', async () => {
	local.service.control.settings({ creationLimit: { requests: 1, perMs: 1000 } });
	expect((await local.api.post('/v1/deliveries', {})).status).toBe(400);
	expect((await create()).status).toBe(429);
	for (let request = 0; request < 3; request += 1) {
		expect((await local.api.get('/hooks/companies/1001')).status).toBe(200);
	}
});

test('requests without the credential do not count', async () => {
	local.service.control.settings({ creationLimit: { requests: 1, perMs: 1000 } });
	const auth = { username: 'x', password: 'y' };
	expect((await local.api.post('/v1/deliveries', {}, { auth })).status).toBe(401);
	expect((await create()).status).toBe(200);
});

test.each([
	['seconds', '2'],
	['date', 'Wed, 01 Jan 2025 00:00:02 GMT'],
	['off', undefined],
] as const)(
	'the setting Retry-After "%s" decides what a refused request is told',
	async (retryAfter, expected) => {
		local.service.control.settings({
			retryAfter,
			creationLimit: { requests: 1, perMs: 1500 },
		});
		await create();
		expect((await create()).headers['retry-after']).toBe(expected);
	},
);
