/** Delivery: Create with Define Below: from the fields of the node. */
import type { INodeParameters } from 'n8n-workflow';

import { jsonOf, pairedItems, pickupFields, setUp } from '../support/actionNode';
import { delivery, pickup } from '../support/sampleDelivery';

const service = setUp();

const dropoffFields = {
	dropoffName: 'Ana Torres',
	dropoffEmail: 'ana@mail.example',
	dropoffLocationType: 'address',
	dropoffAddress: '48 Oak Avenue, Springfield',
};

/** The parameters of the node with all required fields filled in. */
function fields(changes: INodeParameters = {}): INodeParameters {
	return {
		resource: 'delivery',
		operation: 'create',
		source: 'defineBelow',
		...pickupFields,
		...dropoffFields,
		packages: { package: [{ name: 'Box', qty: 1, size: 's' }] },
		...changes,
	};
}

/** The delivery that the service receives for `fields()`. */
const plain = delivery();

describe('delivery from fields', () => {
	test('sends only the fields that are filled in', async () => {
		const { error, items } = await service.run(fields());

		expect(error).toBeUndefined();
		expect(service.received()).toEqual([
			{ method: 'POST', path: '/v1/deliveries', body: { deliveries: [plain] } },
		]);
		expect(service.control.requests()[0]).toMatchObject({
			status: 200,
			headers: { authorization: 'Basic ***', 'content-type': 'application/json' },
		});
		const [created] = service.control.deliveries();
		expect(items).toEqual([
			{
				json: {
					referenceId: '',
					outcome: 'created',
					message: 'Created a delivery',
					actionNeeded: '',
					customer: 'Ana Torres',
					cash: 0,
					address: '48 Oak Avenue, Springfield',
					orderUrl: '',
					help: '',
					id: created?.record.id,
					trackLink: created?.record.trackLink,
					statusDelivery: 'processing',
					deliveryDate: created?.record.deliveryDate,
					price: created?.record.price,
					reason: '',
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	test.each([
		[
			'address components',
			{
				LocationType: 'components',
				StreetName: '48 Oak Avenue',
				Neighborhood: 'Old Town',
				City: 'Springfield',
				State: 'Illinois',
				Zipcode: '62704',
				Country: 'United States',
			},
			{
				address: {
					streetName: '48 Oak Avenue',
					neighborhood: 'Old Town',
					city: 'Springfield',
					state: 'Illinois',
					zipcode: '62704',
					country: 'United States',
				},
			},
		],
		[
			'an address with instructions and coordinates',
			{ Details: { instructions: 'Ring twice', lat: '39.7817', lng: '-89.6501' } },
			{ instructions: 'Ring twice', lat: '39.7817', lng: '-89.6501' },
		],
		[
			'a warehouse with instructions and coordinates',
			{
				LocationType: 'warehouse',
				Warehouse: 7,
				Details: { instructions: 'Dock 4', lat: 39.5, lng: -89 },
			},
			{ warehouse: 7, instructions: 'Dock 4', lat: '39.5', lng: '-89' },
		],
	])('sends %s as pickup and as dropoff', async (_what, parameters, location) => {
		const withPrefix = (side: 'pickup' | 'dropoff') =>
			Object.fromEntries(
				Object.entries(parameters).map(([name, value]) => [`${side}${name}`, value]),
			);
		const isAddress = !('LocationType' in parameters);

		const { error } = await service.run(
			fields({ ...withPrefix('pickup'), ...withPrefix('dropoff') }),
		);

		expect(error).toBeUndefined();
		const [request] = service.creations();
		expect(request).toEqual({
			deliveries: [
				{
					...plain,
					pickup: {
						contact: pickup.contact,
						location: { ...(isAddress && pickup.location), ...location },
					},
					dropoff: {
						contact: { name: 'Ana Torres', email: 'ana@mail.example' },
						location: { ...(isAddress && { address: '48 Oak Avenue, Springfield' }), ...location },
					},
				},
			],
		});
	});

	test('sends every field that is filled in', async () => {
		await service.run(
			fields({
				pickupPhone: '+1 555 0100',
				dropoffPhone: '+1 555 0101',
				packages: {
					package: [
						{ name: 'Shoes', qty: 2, size: 'm', weight: '2.4', price: '99.90', id: 'PK-1' },
						{ name: 'Letter', qty: 0, size: 'xs', weight: '0', price: '0' },
					],
				},
				referenceId: '#1001',
				additionalFields: {
					cod: '49.90',
					tags: 'fragile, morning',
					extraData: {
						entry: [
							{ name: 'Gift note', value: 'Happy birthday!', searchable: true },
							{ name: 'Floor', value: '' },
						],
					},
				},
			}),
		);

		expect(service.creations()).toEqual([
			{
				deliveries: [
					{
						pickup: { ...pickup, contact: { ...pickup.contact, phonenumber: '+1 555 0100' } },
						dropoff: {
							contact: {
								name: 'Ana Torres',
								email: 'ana@mail.example',
								phonenumber: '+1 555 0101',
							},
							location: { address: '48 Oak Avenue, Springfield' },
						},
						packages: [
							{ name: 'Shoes', qty: 2, size: 'm', weight: 2.4, price: 99.9, id: 'PK-1' },
							{ name: 'Letter', qty: 0, size: 'xs', weight: 0, price: 0 },
						],
						referenceId: '#1001',
						tags: ['fragile', 'morning'],
						extraData: [
							{ name: 'Gift note', value: 'Happy birthday!', searchable: true },
							{ name: 'Floor', value: '' },
						],
						cod: 49.9,
					},
				],
			},
		]);
	});

	test('omits fields that were added but left empty', async () => {
		await service.run(
			fields({ referenceId: ' ', additionalFields: { cod: '', tags: ' ', extraData: {} } }),
		);

		expect(service.creations()).toEqual([{ deliveries: [plain] }]);
	});

	test('resolves expressions for each item', async () => {
		const { items } = await service.run(
			fields({
				options: { batchSize: 100 },
				dropoffName: '={{ $json.name }}',
				packages: {
					package: [{ name: '={{ $json.product }}', qty: '={{ $json.qty }}', size: 's' }],
				},
				referenceId: '={{ $json.order }}',
				additionalFields: { cod: '={{ $json.cod }}', tags: '={{ $json.tags }}' },
			}),
			{
				items: [
					{ name: 'Ana', product: 'Mug', qty: ' 2 ', order: 1001, cod: '20.00', tags: ['late'] },
					{ name: 'Ben', product: 'Jug', qty: 1, order: '#1002', cod: 0, tags: 'early,, late ' },
				],
			},
		);

		const sent = (name: string, product: string, qty: number, more: object) => ({
			...plain,
			dropoff: {
				contact: { name, email: 'ana@mail.example' },
				location: { address: dropoffFields.dropoffAddress },
			},
			packages: [{ name: product, qty, size: 's' }],
			...more,
		});
		expect(service.creations()).toEqual([
			{
				deliveries: [
					sent('Ana', 'Mug', 2, { referenceId: '1001', tags: ['late'], cod: 20 }),
					sent('Ben', 'Jug', 1, { referenceId: '#1002', tags: ['early', 'late'], cod: 0 }),
				],
			},
		]);
		expect(pairedItems(items)).toEqual([0, 1]);
	});

	test.each([
		['text', '[{ "name": "Box", "qty": "2", "size": "S", "id": null }]'],
		['an array from an expression', '={{ $json.parcels }}'],
	])('sends packages from JSON in %s', async (_form, packagesJson) => {
		await service.run(fields({ packagesInput: 'json', packagesJson, packages: {} }), {
			items: [{ parcels: [{ name: 'Box', qty: 2, size: 's' }] }],
		});

		expect(service.creations()).toEqual([
			{ deliveries: [{ ...plain, packages: [{ name: 'Box', qty: 2, size: 's' }] }] },
		]);
	});
});

describe('options of Create with fields', () => {
	test('sends the child company and the delivery type with the deliveries', async () => {
		await service.run(fields({ options: { companyId: '1002', type: 'express' } }));

		expect(service.creations()).toEqual([
			{ deliveries: [plain], companyId: 1002, type: 'express' },
		]);
		expect(service.control.deliveries()).toMatchObject([{ companyId: 1002, type: 'express' }]);
	});

	const emptyCompany = {
		message: 'Delivery Service: the option Child Company ID is empty',
		description:
			'Enter a company ID; if it is an expression, it returned nothing. Remove the option to use your own company.',
	};

	test.each([
		['blank text', { company: ' ' }],
		['nothing', {}],
	])(
		'names the item whose company expression returns %s, and sends nothing',
		async (_value, wrong) => {
			const { error } = await service.run(
				fields({
					referenceId: '={{ $json.order }}',
					options: { companyId: '={{ $json.company }}' },
				}),
				{ items: [{ order: 'A', company: 1002 }, { order: 'B', ...wrong }, { order: 'C' }] },
			);

			expect(service.creations()).toEqual([]);
			expect(error).toMatchObject({
				message: `B: ${emptyCompany.message} [item 1]`,
				description: `${emptyCompany.description} 1 other item is also invalid. No delivery was created.`,
			});
		},
	);

	const record = {
		index: 0,
		id: 'd-1',
		referenceId: '#1001',
		statusDelivery: 'processing',
		trackLink: 'https://track.example/d-1',
		deliveryDate: '2026-03-02T08:47:00.000Z',
		price: 7.4,
		currencyCode: 'USD',
		distance: 5.5,
		cityId: 3,
		destinationCityId: 4,
		insurance: 0.5,
		vehicleCapacity: 2,
		courier: { name: 'not in the document' },
	};

	test.each([
		['the simplified fields', {}, 15],
		['every field, including unknown ones,', { simplify: false }, 15 + 9],
	])('returns %s of a record', async (_what, options, count) => {
		service.control.addFault({
			kind: 'statusAfter',
			status: 200,
			body: { code: 'OK', message: 'Success', payload: [record] },
		});

		const { items } = await service.run(fields({ referenceId: '#1001', options }));

		expect(service.creations()).toEqual([{ deliveries: [{ ...plain, referenceId: '#1001' }] }]);
		const [json = {}] = jsonOf(items);
		expect(Object.keys(json)).toHaveLength(count);
		const { outcome, reason, ...others } = json;
		expect({ outcome, reason }).toEqual({ outcome: 'created', reason: '' });
		const { message, actionNeeded, customer, cash, address, orderUrl, help, ...fromRecord } =
			others;
		expect({ message, actionNeeded, customer, cash, address, orderUrl, help }).toEqual({
			message: 'Created a delivery for #1001',
			customer: 'Ana Torres',
			cash: 0,
			address: '48 Oak Avenue, Springfield',
			actionNeeded: '',
			orderUrl: '',
			help: '',
		});
		expect({ ...record, shopifyOrder: '' }).toMatchObject(fromRecord);
		expect(json).toMatchObject({ id: 'd-1', referenceId: '#1001', statusDelivery: 'processing' });
	});
});

describe('invalid field', () => {
	test.each<[string, INodeParameters]>([
		['Pickup name is missing', { pickupName: '={{ $json.none }}' }],
		[
			'Delivery address is missing. Enter an address or choose a saved warehouse',
			{ dropoffAddress: ' ' },
		],
		['Packages (JSON) is not valid JSON', { packagesInput: 'json', packagesJson: '[{]' }],
		[
			'Delivery type "fast" is not one of slot, flex, express',
			{ options: { type: '={{ "fast" }}' } },
		],
	])('sends no item if a field of one is invalid: %s', async (message, changes) => {
		const { status, error, items } = await service.run(fields(changes), { items: [{}, {}] });

		expect(service.control.requests()).toEqual([]);
		expect({ status, items }).toEqual({ status: 'error', items: [] });
		expect(error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 0 } });
		expect(error?.message.slice(0, message.length)).toBe(message);
		expect(error?.message).toMatch(/ \[item 0\]$/);
		expect(error?.description).toMatch(/No delivery was created\.$/);
	});
});
