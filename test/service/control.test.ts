import axios from 'axios';
import { creation, openLocalService, type OpenLocalService } from '../support/localService';

let local: OpenLocalService;

beforeAll(async () => {
	local = await openLocalService();
});
beforeEach(() => local.service.control.reset());
afterAll(async () => await local.service.close());

test('records requests unchanged, but without the API secret', async () => {
	const body = creation();
	await local.api.post('/v1/deliveries', body, { headers: { 'X-Trace': 'a' } });
	await local.api.get('/hooks/companies/1001?page=2');
	const { data: requests } = await local.remote.get<Array<{ body?: unknown }>>('/requests');
	expect(requests).toEqual(JSON.parse(JSON.stringify(local.service.control.requests())));
	expect(requests[0]).toMatchObject({
		method: 'POST',
		path: '/v1/deliveries',
		query: {},
		headers: { authorization: 'Basic ***', 'x-trace': 'a' },
		status: 200,
		at: expect.any(Number),
	});
	expect(requests[0]?.body).toEqual(body);
	expect(requests[1]).toMatchObject({ query: { page: '2' }, status: 400 });
	expect(JSON.stringify(requests)).not.toContain(
		Buffer.from('local-key:local-secret').toString('base64'),
	);
});

test('the control rejects requests from other websites', async () => {
	const { port } = local.service;
	const foreignHeaders: Array<Record<string, string>> = [
		{ Origin: 'https://evil.example' },
		{ Origin: 'null' },
		{ Host: `evil.example:${port}` },
	];
	for (const headers of foreignHeaders) {
		expect((await local.remote.post('/reset', undefined, { headers })).status).toBe(403);
		expect(
			(await axios.get(local.service.url, { headers, proxy: false, validateStatus: null })).status,
		).toBe(403);
	}
	const own = { Origin: local.service.url };
	expect((await local.remote.post('/reset', undefined, { headers: own })).status).toBe(200);
});
