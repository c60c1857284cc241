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
const fault = (input: FaultInput) => local.service.control.addFault(input);
const created = () => local.service.control.deliveries().length;
const lastStatus = () => local.service.control.requests().at(-1)?.status;

/** Sends a creation that stays unanswered until it was cut off; resolves when it arrived. */
async function createUnanswered(): Promise<void> {
	const before = local.service.control.requests().length;
	const stop = new AbortController();
	const sent = local.api.post('/v1/deliveries', creation(), { signal: stop.signal });
	const settled = sent.catch((error: Error) => error.message);
	await until(() => local.service.control.requests()[before]?.body !== undefined);
	// Every step after the body is read has had its turn.
	await local.api.get('/hooks/companies/1001');
	stop.abort();
	expect(await settled).toBe('canceled');
}

test('a fault status answers with that status, creates nothing, and strikes once by default', async () => {
	fault({ kind: 'status', status: 503, body: { code: 'X' }, headers: { 'Retry-After': '3' } });
	const answer = await create();
	expect(answer.status).toBe(503);
	expect(answer.data).toEqual({ code: 'X' });
	expect(answer.headers['retry-after']).toBe('3');
	expect(lastStatus()).toBe(503);
	expect(created()).toBe(0);
	expect((await create()).status).toBe(200);
});

test('a fault status without a body answers code and message, and with a text that text', async () => {
	fault({ kind: 'status', status: 502 });
	fault({ kind: 'status', status: 502, body: 'down', headers: { 'Content-Type': 'text/html' } });
	expect((await create()).data).toEqual({ code: '502', message: 'Bad Gateway' });
	const text = await create();
	expect(text.data).toBe('down');
	expect(text.headers['content-type']).toContain('text/html');
});

test('a fault statusAfter creates and then answers with that status', async () => {
	fault({ kind: 'statusAfter', status: 500 });
	expect((await create()).status).toBe(500);
	expect(created()).toBe(1);
});

test('a fault delay waits, and creates even if the client has gone', async () => {
	fault({ kind: 'delay', ms: 30 });
	const started = performance.now();
	expect((await create()).status).toBe(200);
	expect(performance.now() - started).toBeGreaterThanOrEqual(25);
	fault({ kind: 'delay', ms: 30 });
	await createUnanswered();
	await until(() => created() === 2);
});

test('a fault resetBefore breaks the connection and creates nothing', async () => {
	fault({ kind: 'resetBefore' });
	await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
	expect(created()).toBe(0);
	expect(lastStatus()).toBeNull();
});

test('a fault resetAfter creates and then breaks the connection', async () => {
	fault({ kind: 'resetAfter' });
	await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' });
	expect(created()).toBe(1);
	expect(lastStatus()).toBeNull();
});

test('a fault hang never answers and creates nothing', async () => {
	fault({ kind: 'hang' });
	await createUnanswered();
	expect(created()).toBe(0);
});

test('a fault hangAfter creates and then never answers', async () => {
	fault({ kind: 'hangAfter' });
	await createUnanswered();
	expect(created()).toBe(1);
});

test('a fault holdAfter creates, and answers once the control releases it', async () => {
	fault({ kind: 'holdAfter' });
	let answered = false;
	const answer = create().finally(() => (answered = true));
	await until(() => created() === 1);
	await local.remote.get('/requests');
	expect(answered).toBe(false);
	expect((await local.remote.post('/release')).status).toBe(200);
	expect((await answer).status).toBe(200);
});

test('a fault garbage creates and answers 200 with a page of HTML', async () => {
	fault({ kind: 'garbage' });
	const answer = await create();
	expect(answer.status).toBe(200);
	expect(answer.headers['content-type']).toContain('text/html');
	expect(answer.data).toContain('<!doctype html>');
	expect(created()).toBe(1);
});

test('a fault emptySuccess creates and answers without a payload', async () => {
	fault({ kind: 'emptySuccess' });
	expect((await create()).data).toEqual({ code: 'OK', message: 'Success' });
	expect(created()).toBe(1);
});

const indexes = (payload: Created['payload']) => payload.map(({ index }) => index);

test('a fault missingRecords creates all and leaves the first records out of the answer', async () => {
	fault({ kind: 'missingRecords', count: 2 });
	expect(indexes((await create(4)).data.payload)).toEqual([2, 3]);
	expect(created()).toBe(4);
});

test('a fault shuffleRecords leaves no record in its place', async () => {
	fault({ kind: 'shuffleRecords' });
	expect(indexes((await create(3)).data.payload)).toEqual([1, 2, 0]);
});

test('a fault withoutIndex leaves the index out of each record, and nothing else', async () => {
	fault({ kind: 'withoutIndex' });
	const { payload } = (await create(2)).data;
	expect(indexes(payload)).toEqual([undefined, undefined]);
	expect(payload[1]).toMatchObject({ referenceId: 'R1', statusDelivery: 'processing' });
});

test('a fault rejectReference refuses every request that holds the reference, for ever', async () => {
	fault({ kind: 'rejectReference', referenceIds: ['R2', 'R7'] });
	for (let request = 0; request < 2; request += 1) {
		const answer = await create(3);
		expect(answer.status).toBe(422);
		expect(answer.data).toEqual({ code: 'REJECTED', message: 'Delivery rejected: R2' });
	}
	expect(created()).toBe(0);
	expect((await create(2)).status).toBe(200);
	fault({ kind: 'rejectReference', referenceIds: ['R0'], status: 400, times: 1 });
	expect((await create()).status).toBe(400);
	expect((await create()).status).toBe(200);
});

test('a creation fault waits for a creation request', async () => {
	fault({ kind: 'withoutIndex' });
	await local.api.get('/hooks/companies/1001');
	expect(indexes((await create()).data.payload)).toEqual([undefined]);
});

test('method, path, skip and times of a fault say which requests it strikes', async () => {
	fault({ kind: 'status', status: 500, method: 'get', path: '/hooks', skip: 1, times: 2 });
	const statuses: number[] = [];
	for (let request = 0; request < 4; request += 1) {
		expect((await create()).status).toBe(200);
		statuses.push((await local.api.get('/hooks/companies/1001')).status);
	}
	expect(statuses).toEqual([200, 500, 500, 200]);
});

test.each<Pick<FaultInput, 'method' | 'path'>>([{ method: 'GET' }, { path: '/hooks' }])(
	'a fault with only %j strikes any request that fits',
	async (which) => {
		fault({ kind: 'status', status: 500, ...which });
		expect((await create()).status).toBe(200);
		expect((await local.api.get('/hooks/companies/1001')).status).toBe(500);
	},
);

test('a fault with times null strikes for ever, and of several one strikes each request, in order', async () => {
	fault({ kind: 'status', status: 503 });
	fault({ kind: 'status', status: 500, times: null });
	expect((await create()).status).toBe(503);
	expect((await create()).status).toBe(500);
	expect((await create()).status).toBe(500);
	local.service.control.reset();
	expect((await create()).status).toBe(200);
});

test('what is no fault is refused', () => {
	expect(() => fault({ kind: 'status', status: 99 })).toThrow('status');
	expect(() => fault({ kind: 'hang', times: 0 })).toThrow('times');
	expect(() => fault({ kind: 'missingRecords', count: 1, path: 'v1' })).toThrow('path');
});
