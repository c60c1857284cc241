import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';

import axios from 'axios';
import { creation, openLocalService, until, type OpenLocalService } from '../support/localService';

let local: OpenLocalService;

beforeAll(async () => {
	local = await openLocalService();
});
beforeEach(() => local.service.control.reset());
afterAll(async () => await local.service.close());

describe('recorded requests', () => {
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
});

describe('the control over HTTP', () => {
	test('rejects requests from other websites', async () => {
		const { port } = local.service;
		const foreignHeaders: Array<Record<string, string>> = [
			{ Origin: 'https://evil.example' },
			{ Origin: 'null' },
			{ Host: `evil.example:${port}` },
		];
		for (const headers of foreignHeaders) {
			expect((await local.remote.post('/reset', undefined, { headers })).status).toBe(403);
			expect(
				(await axios.get(local.service.url, { headers, proxy: false, validateStatus: null }))
					.status,
			).toBe(403);
		}
		const own = { Origin: local.service.url };
		expect((await local.remote.post('/reset', undefined, { headers: own })).status).toBe(200);
	});
});

describe('starting and closing', () => {
	test('closing ends hanging and delayed requests and streams', async () => {
		const { service, api, remote } = await openLocalService();
		service.control.addFault({ kind: 'hang', path: '/v1' });
		service.control.addFault({ kind: 'delay', ms: 3_600_000, path: '/hooks' });
		const stream = await remote.get<Readable>('/stream', { responseType: 'stream' });
		stream.data.resume();
		const ended = once(stream.data, 'close');
		const dropped = [
			api.post('/v1/deliveries', creation()).catch((error: Error) => error.message),
			api.get('/hooks/companies/1001').catch((error: Error) => error.message),
		];
		await until(() => service.control.requests().length === 2);
		await Promise.all([service.close(), service.close()]);
		expect(await Promise.all(dropped)).toEqual(['socket hang up', 'socket hang up']);
		await ended;
		const httpAgent = new http.Agent();
		await expect(api.get('/', { httpAgent })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	});

	test('the service started from the command line runs until SIGTERM', async () => {
		const root = path.join(__dirname, '../..');
		const child = spawn(
			process.execPath,
			['--import', 'tsx', 'playground/service/main.ts', '--port', '0'],
			{ cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
		);
		const exited = once(child, 'exit');
		let output = '';
		for await (const chunk of child.stdout) {
			output += String(chunk);
			if (output.includes('company ID 1001')) break;
		}
		const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
		expect((await axios.get(`${url}/control/requests`, { proxy: false })).data).toEqual([]);
		const delay = { kind: 'delay', ms: 3_600_000 };
		await axios.post(`${url}/control/faults`, delay, { proxy: false });
		const dropped = axios.get(`${url}/v1`, { proxy: false }).catch((error: Error) => error.message);
		const requests = async () =>
			await axios.get<unknown[]>(`${url}/control/requests`, { proxy: false });
		while ((await requests()).data.length === 0);
		child.kill('SIGTERM');
		expect(await dropped).toBe('socket hang up');
		expect(await exited).toEqual([0, null]);
	});
});
