import type { FaultInput } from '../../playground/service/faults';
import {
	creation,
	openLocalService,
	until,
	type Created,
	type OpenLocalService,
} from '../support/localService';

let local: OpenLocalService;

beforeAll(async () => {
	local = await openLocalService();
});
beforeEach(() => local.service.control.reset());
afterAll(async () => await local.service.close());

const create = async (count = 1) =>
	await local.api.post<Created>('/v1/deliveries', creation(count));
const addFault = (input: FaultInput) => local.service.control.addFault(input);
const countCreated = () => local.service.control.deliveries().length;

/** Sends a create request and aborts it after it has arrived and got no response. */
async function createWithoutResponse(): Promise<void> {
	const before = local.service.control.requests().length;
	const controller = new AbortController();
	const sent = local.api.post('/v1/deliveries', creation(), { signal: controller.signal });
	const settled = sent.catch((error: Error) => error.message);
	await until(() => local.service.control.requests()[before]?.body !== undefined);
	// By the time of another response, the steps after parsing the body have run.
	await local.api.get('/hooks/companies/1001');
	controller.abort();
	expect(await settled).toBe('canceled');
}

test('the fault delay waits, and creates the delivery even if the client has disconnected', async () => {
	addFault({ kind: 'delay', ms: 30 });
	const started = performance.now();
	expect((await create()).status).toBe(200);
	expect(performance.now() - started).toBeGreaterThanOrEqual(25);
	// Long enough for a busy machine to disconnect before the response.
	addFault({ kind: 'delay', ms: 2_000 });
	await createWithoutResponse();
	expect(countCreated()).toBe(1);
	await until(() => countCreated() === 2);
});

test('method, path, skip and times of a fault determine which requests it affects', async () => {
	addFault({ kind: 'status', status: 500, method: 'get', path: '/hooks', skip: 1, times: 2 });
	const statuses: number[] = [];
	for (let request = 0; request < 4; request += 1) {
		expect((await create()).status).toBe(200);
		statuses.push((await local.api.get('/hooks/companies/1001')).status);
	}
	expect(statuses).toEqual([200, 500, 500, 200]);
});

test('faults affect one request each, in order, and a fault with times null affects all later ones', async () => {
	addFault({ kind: 'status', status: 503 });
	addFault({ kind: 'status', status: 500, times: null });
	expect((await create()).status).toBe(503);
	expect((await create()).status).toBe(500);
	expect((await create()).status).toBe(500);
	local.service.control.reset();
	expect((await create()).status).toBe(200);
});

test('an invalid fault is rejected', () => {
	expect(() => addFault({ kind: 'status', status: 99 })).toThrow('status');
	expect(() => addFault({ kind: 'hang', times: 0 })).toThrow('times');
	expect(() => addFault({ kind: 'missingRecords', count: 1, path: 'v1' })).toThrow('path');
});
