import type { FaultInput } from '../../playground/service/faults';
import {
	creation,
	openLocalService,
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

test('method, path, skip and times of a fault determine which requests it affects', async () => {
	addFault({ kind: 'status', status: 500, method: 'get', path: '/hooks', skip: 1, times: 2 });
	const statuses: number[] = [];
	for (let request = 0; request < 4; request += 1) {
		expect((await create()).status).toBe(200);
		statuses.push((await local.api.get('/hooks/companies/1001')).status);
	}
	expect(statuses).toEqual([200, 500, 500, 200]);
});

test('a fault for references affects only requests that create one of them', async () => {
	addFault({ kind: 'status', status: 500, referenceIds: ['R2', 'R9'], times: null });
	expect((await create()).status).toBe(200);
	expect((await create(3)).status).toBe(500);
	expect((await local.api.get('/hooks/companies/1001')).status).toBe(200);
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
