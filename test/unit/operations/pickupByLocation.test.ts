/** The pickup of an order by the Shopify location that ships it. */
import type { ParameterReader } from '../../../nodes/DeliveryService/common/parameters';
import { pickupProblem } from '../../../nodes/DeliveryService/messages/pickup';
import { readOrderPickup } from '../../../nodes/DeliveryService/operations/create/pickupByLocation';
import type { ShopifyLocation } from '../../../nodes/DeliveryService/shopify/fulfillmentOrder';

const fields = {
	pickupName: 'Main Street Store',
	pickupEmail: 'store@shop.example',
	pickupPhone: '+1 555 0100',
	pickupLocationType: 'address',
	pickupAddress: '12 Main Street, Springfield',
	pickupDetails: { instructions: 'Ring twice', lat: '39.78', lng: '-89.65' },
};
const fieldsContact = {
	name: fields.pickupName,
	email: fields.pickupEmail,
	phonenumber: fields.pickupPhone,
};
const fieldsPickup = {
	contact: fieldsContact,
	location: { address: fields.pickupAddress, ...fields.pickupDetails },
};

const harbor = { id: '83001', name: 'Harbor Warehouse' };

/** A row of the table as n8n returns it: with all fields that are shown. */
const row = (shopifyLocation: unknown, changes: object = { warehouse: '7' }) => ({
	shopifyLocation,
	pickupType: 'warehouse',
	contactName: '',
	contactEmail: '',
	contactPhone: '',
	instructions: '',
	...changes,
});

/** Reads parameters that are the same for all items; those of the table can be a function. */
function reader(
	entry: unknown[] | ((item: number) => unknown[]),
	others: unknown[] = [],
): ParameterReader {
	const table = { entry, others };
	const tableName = 'pickupDetails.pickupByLocation';
	const values: Record<string, unknown> = { ...fields, [tableName]: table };
	return {
		get: (name, item, fallback) =>
			name === tableName && typeof entry === 'function'
				? { entry: entry(item) }
				: (values[name] ?? fallback),
		timeZone: () => 'UTC',
	};
}

/** The pickup of order #1001, or what its owner reads. */
function readPickup(parameters: ParameterReader, location?: ShopifyLocation, item = 0) {
	const pickup = readOrderPickup(parameters, item, location);
	return pickup.ok ? pickup : { ok: false, problem: pickupProblem('#1001', pickup.problem) };
}

const read = (entry: unknown[], location: ShopifyLocation | undefined = harbor) =>
	readPickup(reader(entry), location);

test('a row with only a warehouse number takes the contact from the pickup fields', () => {
	expect(read([row('Other', { warehouse: 8 }), row('Harbor Warehouse')])).toEqual({
		ok: true,
		value: { contact: fieldsContact, location: { warehouse: 7 } },
	});
});

test('a row with an address replaces each contact field it has', () => {
	const address = '1 Pier Road, Springfield';
	const rowFields = { pickupType: 'address', address, warehouse: '9' };

	expect(
		read([row('Harbor Warehouse', { ...rowFields, contactPhone: '+1 555 0199' })]),
	).toMatchObject({
		value: { contact: { ...fieldsContact, phonenumber: '+1 555 0199' }, location: { address } },
	});
	const contact = { contactName: 'Harbor', contactEmail: 'harbor@shop.example' };
	expect(
		read([row('Harbor Warehouse', { ...rowFields, ...contact, instructions: 'Gate 4' })]),
	).toEqual({
		ok: true,
		value: {
			contact: { name: 'Harbor', email: 'harbor@shop.example', phonenumber: '+1 555 0100' },
			location: { address, instructions: 'Gate 4' },
		},
	});
});

test.each<[string, unknown, ShopifyLocation]>([
	['its name', 'Harbor Warehouse', harbor],
	['its name in other letter case, with spaces around it', ' harbor WAREHOUSE ', harbor],
	['its name with other spaces in Shopify', 'Harbor Warehouse', { name: ' Harbor  Warehouse ' }],
	['its name, if the order has no ID', 'Harbor Warehouse', { name: 'Harbor Warehouse' }],
	['its ID as a number', 83001, harbor],
	['its ID as text', ' 83001 ', harbor],
	['its ID as a gid', 'gid://shopify/Location/83001', harbor],
	['its ID, if the order has no name', '83001', { id: '83001' }],
])('finds a location by %s', (_form, shopifyLocation, location) => {
	expect(read([row(shopifyLocation)], location)).toMatchObject({
		value: { location: { warehouse: 7 } },
	});
});

test.each<ShopifyLocation | undefined>([harbor, { id: '83001' }, undefined])(
	'an empty table uses the pickup fields, whatever the location: %j',
	(location) => {
		expect(readPickup(reader([]), location)).toEqual({
			ok: true,
			value: fieldsPickup,
		});
	},
);

test.each<[ShopifyLocation | undefined, string, string]>([
	[
		harbor,
		'#1001 ships from "Harbor Warehouse", which is not in Pickup by Location',
		'Add this location, or add the row All Other Locations to Pickup by Location.',
	],
	[
		undefined,
		'#1001 has no location in Shopify, because it is a whole order',
		'Send its fulfillment orders instead, as the workflow "Fulfillment orders to deliveries" does, or add the row All Other Locations to Pickup by Location.',
	],
])(
	'rejects an order from the location %j that is not in the table',
	(location, message, description) => {
		const entry = [row('Main Street')];
		expect(readPickup(reader(entry), location)).toEqual({
			ok: false,
			problem: { message, description },
		});
		const others = { ...row(undefined), warehouse: 9 };
		expect(readPickup(reader(entry, [others]), location)).toEqual({
			ok: true,
			value: { contact: fieldsContact, location: { warehouse: 9 } },
		});
	},
);

test('a listed location comes before All Other Locations, which is checked like the others', () => {
	const entry = [row('Harbor Warehouse')];
	const readWith = (...others: unknown[]) => readPickup(reader(entry, others), harbor);
	expect(readWith(row('', { warehouse: 9 }))).toMatchObject({
		value: { location: { warehouse: 7 } },
	});
	expect(readWith(row('', { warehouse: 'x' }))).toMatchObject({
		problem: { message: expect.stringContaining('"All Other Locations": warehouse ID "x"') },
	});
	expect(readWith(row(''), row(''))).toMatchObject({
		problem: { message: 'Pickup by Location has several rows for "All Other Locations"' },
	});
});

test.each<[string, unknown[]]>([
	[
		'Pickup by Location, row 2: Shopify location is missing',
		[row('Harbor Warehouse'), row(' ', { warehouse: 'x' })],
	],
	['Pickup by Location, row 1: Shopify location is missing', [row(null)]],
	['Pickup by Location, row 1: Shopify location (an object) is not text', [row({ id: 1 })]],
	[
		'Pickup by Location, "Main Street": warehouse ID "north" is not a number',
		[row('Harbor Warehouse'), row('Main Street', { warehouse: 'north' })],
	],
	[
		'Pickup by Location, "Main Street": warehouse ID 0 is less than 1',
		[row('Main Street', { warehouse: 0 })],
	],
	[
		'Pickup by Location, "Main Street": address is missing. Enter an address or choose a saved warehouse',
		[row('Main Street', { pickupType: 'address', warehouse: '7', address: ' ' })],
	],
	[
		'Pickup by Location, "Main Street": email "desk" is not an email address',
		[row('Main Street', { warehouse: '7', contactEmail: 'desk' })],
	],
	[
		'Pickup by Location has several rows for "main street"',
		[row('Main Street'), row('main street')],
	],
	[
		'Pickup by Location has several rows for "gid://shopify/Location/5"',
		[row(5), row('gid://shopify/Location/5')],
	],
	[
		'Pickup by Location has several rows for "Harbor Warehouse"',
		[row('Harbor Warehouse'), row('83001')],
	],
])('rejects an invalid table: %s', (message, entry) => {
	expect(read(entry)).toMatchObject({ ok: false, problem: { message } });
});

test('uses the table as it is for each item', () => {
	const parameters = reader((item) => [row('Harbor Warehouse', { warehouse: item + 10 })]);

	expect([0, 1].map((item) => readPickup(parameters, harbor, item))).toMatchObject([
		{ value: { location: { warehouse: 10 } } },
		{ value: { location: { warehouse: 11 } } },
	]);
});
