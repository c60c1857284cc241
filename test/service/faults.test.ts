import type { FaultInput } from '../../playground/service/faults';
import { creation, openLocalService, until } from '../support/localService';
import type { Created, OpenLocalService } from '../support/localService';

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
const lastStatus = () => local.service.control.requests().at(-1)?.status;

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

test('the fault status responds with that status, creates nothing, and affects one request by default', async () => {
	addFault({ kind: 'status', status: 503, body: { code: 'X' }, headers: { 'Retry-After': '3' } });
	const response = await create();
	expect(response.status).toBe(503);
	expect(response.data).toEqual({ code: 'X' });
	expect(response.headers['retry-after']).toBe('3');
	expect(lastStatus()).toBe(503);
	expect(countCreated()).toBe(0);
	expect((await create()).status).toBe(200);
});

test('the fault status responds with code and message without a body, or with its text', async () => {
	addFault({ kind: 'status', status: 502 });
	addFault({ kind: 'status', status: 502, body: 'down', headers: { 'Content-Type': 'text/html' } });
	expect((await create()).data).toEqual({ code: '502', message: 'Bad Gateway' });
	const text = await create();
	expect(text.data).toBe('down');
	expect(text.headers['content-type']).toContain('text/html');
});

test('the fault statusAfter creates the delivery, then responds with that status', async () => {
	addFault({ kind: 'statusAfter', status: 500 });
	expect((await create()).status).toBe(500);
	expect(countCreated()).toBe(1);
});

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

test('the fault resetBefore resets the connection and creates nothing', async () => {
	addFault({ kind: 'resetBefore' });
	await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
	expect(countCreated()).toBe(0);
	expect(lastStatus()).toBeNull();
});

test('the fault resetAfter creates the delivery, then resets the connection', async () => {
	addFault({ kind: 'resetAfter' });
	await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
	expect(countCreated()).toBe(1);
	expect(lastStatus()).toBeNull();
});

test('the fault hang never responds and creates nothing', async () => {
	addFault({ kind: 'hang' });
	await createWithoutResponse();
	expect(countCreated()).toBe(0);
});

test('the fault hangAfter creates the delivery, but never responds', async () => {
	addFault({ kind: 'hangAfter' });
	await createWithoutResponse();
	expect(countCreated()).toBe(1);
});

test('the fault garbage creates the delivery, then responds 200 with an HTML page', async () => {
	addFault({ kind: 'garbage' });
	const response = await create();
	expect(response.status).toBe(200);
	expect(response.headers['content-type']).toContain('text/html');
	expect(response.data).toContain('<!doctype html>');
	expect(countCreated()).toBe(1);
});

test('the fault emptySuccess creates the delivery, then responds without a payload', async () => {
	addFault({ kind: 'emptySuccess' });
	expect((await create()).data).toEqual({ code: 'OK', message: 'Success' });
	expect(countCreated()).toBe(1);
});

const indexes = (payload: Created['payload']) => payload.map(({ index }) => index);

test('the fault missingRecords creates all deliveries, but omits the first records from the response', async () => {
	addFault({ kind: 'missingRecords', count: 2 });
	expect(indexes((await create(4)).data.payload)).toEqual([2, 3]);
	expect(countCreated()).toBe(4);
});

test('the fault shuffleRecords moves every record to another position', async () => {
	addFault({ kind: 'shuffleRecords' });
	expect(indexes((await create(3)).data.payload)).toEqual([1, 2, 0]);
});

test('the fault withoutIndex omits only the index from each record', async () => {
	addFault({ kind: 'withoutIndex' });
	const { payload } = (await create(2)).data;
	expect(indexes(payload)).toEqual([undefined, undefined]);
	expect(payload[1]).toMatchObject({ referenceId: 'R1', statusDelivery: 'processing' });
});

test('the fault rejectReference rejects every request that contains the reference, by default forever', async () => {
	addFault({ kind: 'rejectReference', referenceIds: ['R2', 'R7'] });
	for (let request = 0; request < 2; request += 1) {
		const response = await create(3);
		expect(response.status).toBe(422);
		expect(response.data).toEqual({ code: 'REJECTED', message: 'Delivery rejected: R2' });
	}
	expect(countCreated()).toBe(0);
	expect((await create(2)).status).toBe(200);
	addFault({ kind: 'rejectReference', referenceIds: ['R0'], status: 400, times: 1 });
	expect((await create()).status).toBe(400);
	expect((await create()).status).toBe(200);
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
