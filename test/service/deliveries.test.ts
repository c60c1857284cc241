import axios from 'axios';

import {
	creation,
	openLocalService,
	type Created,
	type OpenLocalService,
} from '../support/localService';
import { delivery, place } from '../support/sampleDelivery';

let local: OpenLocalService;

beforeAll(async () => {
	local = await openLocalService({ companyIds: [7, 8] });
});
beforeEach(() => local.service.control.reset());
afterAll(async () => await local.service.close());

const create = async (body: unknown) => await local.api.post<Created>('/v1/deliveries', body);
const createOne = async (changes: Record<string, unknown>) =>
	await create({ deliveries: [delivery(changes)] });
const update = async (body: unknown) => await local.api.patch('/v1/deliveries/dropoff', body);

describe('creating deliveries', () => {
	test('returns a documented record with an index for each delivery', async () => {
		const response = await create(creation(3));
		expect(response.status).toBe(200);
		expect(response.data).toMatchObject({ code: 'OK', message: 'Success' });
		expect(response.data.payload).toHaveLength(3);
		expect(response.data.payload[2]).toEqual({
			index: 2,
			id: expect.any(String),
			price: expect.any(Number),
			currencyCode: 'USD',
			distance: expect.any(Number),
			cityId: expect.any(Number),
			destinationCityId: expect.any(Number),
			insurance: 0,
			statusDelivery: 'processing',
			vehicleCapacity: 2,
			deliveryDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			trackLink: expect.stringMatching(/^https:/),
			referenceId: 'R2',
		});
	});

	test('creates deliveries for a child company, but not for other companies', async () => {
		const body = { ...creation(), companyId: 8, type: 'express' };
		expect((await create(body)).status).toBe(200);
		expect(local.service.control.deliveries()).toMatchObject([{ companyId: 8, type: 'express' }]);
		const rejected = await create({ ...body, companyId: 9 });
		expect(rejected.status).toBe(403);
		expect(rejected.data).toEqual({ code: 'FORBIDDEN', message: expect.stringContaining('9') });
		expect(local.service.control.deliveries()).toHaveLength(1);
	});

	test.each([
		['text', { address: 'Main Street 1' }, 'processing'],
		['components', { address: { city: 'Lima', streetName: 'Main Street' } }, 'processing'],
		['text nowhere', { address: 'Middle of NOWHERE' }, 'pending review'],
		['components nowhere', { address: { city: 'Nowhere' } }, 'pending review'],
		['nowhere with coordinates', { address: 'nowhere', lat: '1.5', lng: 2 }, 'processing'],
		['nowhere with one coordinate', { address: 'nowhere', lat: 1 }, 'pending review'],
		['warehouse', { warehouse: 3 }, 'processing'],
	])('derives the status from the location: %s', async (_name, location, status) => {
		const response = await createOne({ dropoff: place(location) });
		expect(response.data.payload[0]?.statusDelivery).toBe(status);
	});

	const withPackage = (changes: Record<string, unknown>) => ({
		packages: [{ name: 'Box', qty: 1, size: 's', ...changes }],
	});

	// What openapi.yaml allows is compared with our schemas in test/unit/service/contract.test.ts.
	test('rejects the whole request because of one invalid delivery, and names its field', async () => {
		const invalid = delivery(withPackage({ qty: -1 }));
		const response = await create({ deliveries: [delivery(), invalid] });
		expect(response.status).toBe(400);
		expect(response.data).toEqual({
			code: 'BAD_REQUEST',
			message: expect.stringContaining('/body/deliveries/1/packages/0/qty'),
		});
		expect(local.service.control.deliveries()).toEqual([]);
	});

	test('rejects invalid JSON and other media types', async () => {
		const headers = { 'Content-Type': 'application/json' };
		const invalid = await local.api.post('/v1/deliveries', '{', { headers });
		expect(invalid.status).toBe(400);
		expect(invalid.data).toMatchObject({ code: 'BAD_REQUEST' });
		const form = await local.api.post('/v1/deliveries', new URLSearchParams({ a: '1' }));
		expect(form.status).toBe(415);
	});
});

describe('updating deliveries', () => {
	const createIds = async (count: number): Promise<string[]> => {
		const response = await create(creation(count));
		return response.data.payload.map(({ id }) => id);
	};

	test('applies all changes to the dropoff and returns a job', async () => {
		const [id = '', other = ''] = await createIds(2);
		const before = local.service.control.deliveries();
		const response = await update({
			deliveryIds: [id],
			deliveryChanges: {
				location: { address: 'New Street 2', instructions: 'Ring twice' },
				contact: { name: 'Grace' },
				packages: [{ name: 'Crate', qty: 2, size: 'xl' }],
				cod: 5,
				referenceId: 'NEW',
				addTags: [1, 2, 2],
				removeTags: [1],
			},
			recalculatePrice: true,
			recalculateCity: true,
			reorderRoute: true,
		});
		expect(response.status).toBe(200);
		expect(response.data).toEqual({
			code: 'OK',
			message: 'Success',
			data: { jobs: expect.any(String) },
		});
		const [changed, untouched] = local.service.control.deliveries();
		expect(changed).toMatchObject({
			request: {
				dropoff: {
					contact: { name: 'Grace', email: 'ana@mail.example' },
					location: { address: 'New Street 2', instructions: 'Ring twice' },
				},
				packages: [{ name: 'Crate', qty: 2, size: 'xl' }],
				cod: 5,
				referenceId: 'NEW',
			},
			record: { id, index: 0, referenceId: 'NEW', vehicleCapacity: 5 },
			tagIds: [2],
		});
		expect(changed?.record.distance).not.toBe(before[0]?.record.distance);
		expect(changed?.record.destinationCityId).not.toBe(before[0]?.record.destinationCityId);
		expect(untouched).toEqual(before[1]);
		expect(untouched?.record.id).toBe(other);
	});

	test('updates all deliveries with a reference ID, also after it was changed', async () => {
		await createIds(2);
		await create(creation(1));
		const cods = () => local.service.control.deliveries().map(({ request }) => request.cod);
		await update({ referenceIds: ['R0'], deliveryChanges: { cod: 3 } });
		expect(cods()).toEqual([3, undefined, 3]);
		await update({ referenceIds: ['R1'], deliveryChanges: { referenceId: 'R9' } });
		expect((await update({ referenceIds: ['R1'], deliveryChanges: {} })).status).toBe(404);
		await update({ referenceIds: ['R9'], deliveryChanges: { cod: 4 } });
		expect(cods()).toEqual([3, 4, 3]);
	});

	test('rejects an update with both kinds of IDs', async () => {
		const body = { deliveryIds: ['a'], referenceIds: ['b'], deliveryChanges: {} };
		expect((await update(body)).status).toBe(400);
	});
});

describe('the API', () => {
	test.each([
		['post', '/v1/deliveries'],
		['patch', '/v1/deliveries/dropoff'],
		['get', '/hooks/companies/7'],
		['post', '/hooks/companies/7'],
		['delete', '/hooks/companies/7'],
	])('requires the credential for %s %s', async (method, url) => {
		const wrongCredentials = [
			undefined,
			{ username: 'local-key', password: 'wrong' },
			{ username: 'wrong', password: 'local-secret' },
		];
		for (const auth of wrongCredentials) {
			const request = { method, baseURL: local.service.url, url, auth, data: {} };
			const response = await axios.request({ ...request, proxy: false, validateStatus: null });
			expect(response.status).toBe(401);
			expect(response.data).toEqual({ code: 'UNAUTHORIZED', message: expect.any(String) });
		}
	});
});
