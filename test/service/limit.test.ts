import { creation, startSandbox } from '../support/localService';
import type { Sandbox } from '../support/localService';

const START = Date.UTC(2025, 0, 1);
let clock = START;
let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ now: () => clock });
});
beforeEach(() => {
	clock = START;
	sandbox.service.control.reset();
});
afterAll(async () => await sandbox.service.close());

const create = async () => await sandbox.api.post('/v1/deliveries', creation());

test('100 creation requests in 60 seconds, wherever the minute begins', async () => {
	for (let request = 0; request < 100; request += 1) {
		clock = START + request * 100;
		expect((await create()).status).toBe(200);
	}
	clock = START + 59_999;
	const refused = await create();
	expect(refused.status).toBe(429);
	expect(refused.data).toEqual({ code: 'TOO_MANY_REQUESTS', message: expect.any(String) });
	expect(refused.headers['retry-after']).toBe('1');
	expect(sandbox.service.control.deliveries()).toHaveLength(100);

	clock = START + 60_000;
	expect((await create()).status).toBe(200);
	expect((await create()).status).toBe(429);
	clock = START + 60_100;
	expect((await create()).status).toBe(200);
});

test('only creation is limited, and refused requests count too', async () => {
	sandbox.service.control.settings({ creationLimit: { requests: 1, perMs: 1000 } });
	expect((await sandbox.api.post('/v1/deliveries', {})).status).toBe(400);
	expect((await create()).status).toBe(429);
	for (let request = 0; request < 3; request += 1) {
		expect((await sandbox.api.get('/hooks/companies/1001')).status).toBe(200);
	}
});

test('requests without the credential do not count', async () => {
	sandbox.service.control.settings({ creationLimit: { requests: 1, perMs: 1000 } });
	const auth = { username: 'x', password: 'y' };
	expect((await sandbox.api.post('/v1/deliveries', {}, { auth })).status).toBe(401);
	expect((await create()).status).toBe(200);
});

test.each([
	['seconds', '2'],
	['date', 'Wed, 01 Jan 2025 00:00:02 GMT'],
	['off', undefined],
] as const)('Retry-After as %s', async (retryAfter, expected) => {
	sandbox.service.control.settings({
		retryAfter,
		creationLimit: { requests: 1, perMs: 1500 },
	});
	await create();
	expect((await create()).headers['retry-after']).toBe(expected);
});
