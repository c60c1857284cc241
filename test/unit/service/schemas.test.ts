import type { z } from 'zod/v4';

import {
	codeAndMessageSchema,
	companyIdSchema,
	creationResponseSchema,
	deliveryChangesSchema,
	deliverySchema,
	deliveryTypeSchema,
	packageSizeSchema,
	targetSchemas,
	updateResponseSchema,
	listedWebhookSchema,
	webhookUrlSchema,
} from '../../../nodes/DeliveryService/service/schemas';
import { serviceLabels } from '../../../nodes/DeliveryService/service/labels';
import { validate } from '../../../nodes/DeliveryService/service/validation';
import { contact, delivery, pack, place } from '../../support/sampleDelivery';

function parse(schema: z.ZodType, value: unknown, subject = 'Delivery'): unknown {
	const checked = validate(schema, value, subject, serviceLabels);
	if (!checked.ok) throw new Error(checked.problem.message);
	return checked.value;
}

function messageFor(schema: z.ZodType, value: unknown, subject = 'Delivery'): string {
	const checked = validate(schema, value, subject, serviceLabels);
	return checked.ok ? 'nothing is wrong' : checked.problem.message;
}

describe('a delivery', () => {
	test('leaves a delivery unchanged when every field has its documented format', () => {
		const complete = delivery({
			pickup: place({ warehouse: 7, instructions: 'Dock 4' }),
			dropoff: place({
				address: {
					streetName: '48 Oak Avenue',
					neighborhood: 'Old Town',
					city: 'Springfield',
					state: 'Illinois',
					zipcode: '62704',
					country: 'United States',
				},
				lat: '39.7817',
				lng: '-89.6501',
			}),
			packages: [pack({ id: 'PK-1', weight: 1.5, price: 49.9 }), pack({ qty: 0, size: 'xl' })],
			referenceId: '#1001',
			tags: ['fragile', 'gift'],
			extraData: [
				{ name: 'Gift note', value: '', searchable: true },
				{ name: 'Channel', value: 'web' },
			],
			cod: 0,
		});
		expect(parse(deliverySchema, complete)).toEqual(complete);
	});

	test('treats fields that are null or undefined as missing', () => {
		const value = delivery({
			pickup: place({ address: 'Dock 4', lat: null, lng: undefined, warehouse: null }),
			packages: [pack({ weight: null })],
			referenceId: null,
			tags: undefined,
			cod: null,
		});
		expect(parse(deliverySchema, value)).toEqual(
			delivery({ pickup: place({ address: 'Dock 4' }) }),
		);
	});

	test.each(['', ' ', '\n', null])('treats optional fields that are %j as missing', (blank) => {
		const value = delivery({
			pickup: {
				contact: contact({ phonenumber: blank }),
				location: { address: blank, warehouse: 7, instructions: blank, lat: blank, lng: blank },
			},
			dropoff: place({
				warehouse: blank,
				address: {
					streetName: blank,
					neighborhood: blank,
					city: 'Springfield',
					state: blank,
					zipcode: blank,
					country: blank,
				},
			}),
			packages: [null, pack({ id: blank, weight: blank, price: blank })],
			referenceId: blank,
			tags: [blank, 'gift', null],
			extraData: [{ name: 'a', value: 'b', searchable: blank }, null],
			cod: blank,
		});
		expect(JSON.stringify(parse(deliverySchema, value))).toBe(
			JSON.stringify(
				delivery({
					pickup: { contact: contact({ phonenumber: undefined }), location: { warehouse: 7 } },
					dropoff: place({ address: { city: 'Springfield' } }),
					packages: [pack()],
					tags: ['gift'],
					extraData: [{ name: 'a', value: 'b' }],
				}),
			),
		);
	});

	test.each([
		['', ''],
		[[], [null]],
		[[''], null],
	])('treats empty lists as missing: %j and %j', (tags, extraData) => {
		expect(parse(deliverySchema, delivery({ tags, extraData }))).toEqual(delivery());
	});

	test.each<[string, object, string]>([
		['an address', { dropoff: place({ address: ' ' }) }, 'Delivery address is missing. Enter'],
		[
			'every component of an address',
			{ dropoff: place({ address: { city: '', country: ' ' } }) },
			'Delivery address requires at least one field',
		],
		['every package', { packages: ['', null] }, 'Package "" is not an object'],
		['a latitude', { dropoff: place({ address: 'x', lat: '', lng: 1 }) }, 'Delivery latitude is'],
	])('rejects a delivery with only blank values in %s', (_, changes, message) => {
		expect(messageFor(deliverySchema, delivery(changes))).toContain(message);
	});

	test('converts plain numeric text to numbers', () => {
		const value = delivery({
			pickup: place({ warehouse: ' 7 ' }),
			packages: [pack({ qty: '2', weight: '+1.5', price: '0' })],
			cod: '49.90',
		});
		expect(parse(deliverySchema, value)).toEqual(
			delivery({
				pickup: place({ warehouse: 7 }),
				packages: [pack({ qty: 2, weight: 1.5, price: 0 })],
				cod: 49.9,
			}),
		);
	});

	test.each(['1,5', '1e3', '0x10', '.5', '5.', '1 000', '12 kg', 'NaN', 'Infinity', '--1'])(
		'rejects %j as a number',
		(text) => {
			expect(messageFor(deliverySchema, delivery({ cod: text }))).toBe(
				`Cash on delivery "${text}" is not a number`,
			);
		},
	);

	test('rejects a whole number that JavaScript cannot represent exactly', () => {
		for (const value of ['12345678901234567', 1e21])
			expect(deliveryChangesSchema.safeParse({ addTags: [value] }).success).toBe(false);
	});

	test('converts numbers in text fields to text', () => {
		const value = delivery({
			dropoff: { contact: contact({ name: 7, phonenumber: 5550100 }), location: { address: 12 } },
			packages: [pack({ id: 1, name: 2 })],
			referenceId: 1001,
			tags: [5],
			extraData: [{ name: 1, value: 2 }],
		});
		expect(parse(deliverySchema, value)).toEqual(
			delivery({
				dropoff: {
					contact: contact({ name: '7', phonenumber: '5550100' }),
					location: { address: '12' },
				},
				packages: [pack({ id: '1', name: '2' })],
				referenceId: '1001',
				tags: ['5'],
				extraData: [{ name: '1', value: '2' }],
			}),
		);
	});

	test.each(['a&b@x.com', 'a/b@docomo.ne.jp', 'josé@example.com', 'ana@münchen.de'])(
		'accepts the email address %s',
		(email) => {
			const value = delivery({ dropoff: { ...place(), contact: contact({ email }) } });
			expect(parse(deliverySchema, value)).toEqual(value);
		},
	);

	test('counts grapheme clusters in a reference ID and a tag', () => {
		const value = delivery({ referenceId: '👨‍👩‍👧'.repeat(40), tags: ['🇲🇽'.repeat(50)] });
		expect(parse(deliverySchema, value)).toEqual(value);
		expect(messageFor(deliverySchema, { ...value, referenceId: '👨‍👩‍👧'.repeat(41) })).toMatch(
			/is longer than 40 characters$/,
		);
		expect(
			messageFor(deliverySchema, { ...value, tags: ['é'.normalize('NFD').repeat(51)] }),
		).toMatch(/is longer than 50 characters$/);
	});

	test('trims the text of a delivery', () => {
		const value = delivery({
			pickup: {
				contact: contact({ name: ' Ana ', email: ' ana@mail.example\n' }),
				location: { address: ' Dock 4 ', instructions: '\tRing ' },
			},
			referenceId: ' #1001 ',
			tags: [' gift '],
		});
		expect(parse(deliverySchema, value)).toEqual(
			delivery({
				pickup: {
					contact: contact({ name: 'Ana', email: 'ana@mail.example' }),
					location: { address: 'Dock 4', instructions: 'Ring' },
				},
				referenceId: '#1001',
				tags: ['gift'],
			}),
		);
	});

	test.each<[string, object, string]>([
		['the pickup', { pickup: undefined }, 'Pickup is missing'],
		['the dropoff', { dropoff: undefined }, 'Dropoff is missing'],
		['the packages', { packages: undefined }, 'Package is missing'],
		['a contact', { pickup: { location: { address: 'x' } } }, 'Pickup contact is missing'],
		['a location', { dropoff: { contact: contact() } }, 'Delivery location is missing'],
		[
			'a name',
			{ pickup: { ...place(), contact: contact({ name: undefined }) } },
			'Pickup name is missing',
		],
		[
			'the email of the pickup',
			{ pickup: { ...place(), contact: contact({ email: undefined }) } },
			'Pickup email is missing',
		],
		[
			'the email of the dropoff',
			{ dropoff: { ...place(), contact: contact({ email: null }) } },
			'Recipient email is missing',
		],
		['a package name', { packages: [pack({ name: undefined })] }, 'Package name is missing'],
		['a quantity', { packages: [pack({ qty: undefined })] }, 'Package quantity is missing'],
		['an extra name', { extraData: [{ value: 'x' }] }, 'Extra data name is missing'],
		['an extra value', { extraData: [{ name: 'x' }] }, 'Extra data value is missing'],
	])('rejects a delivery without %s', (_, changes, message) => {
		expect(messageFor(deliverySchema, delivery(changes))).toBe(message);
	});

	test.each<[string, object, string]>([
		['packages', { packages: [] }, 'Package: at least one is required'],
		['a name', { pickup: { ...place(), contact: contact({ name: ' ' }) } }, 'Pickup name is empty'],
		[
			'an email',
			{ pickup: { ...place(), contact: contact({ email: '' }) } },
			'Pickup email is empty',
		],
		['a package name', { packages: [pack({ name: '' })] }, 'Package name is empty'],
		[
			'the name of extra data',
			{ extraData: [{ name: '', value: 'x' }] },
			'Extra data name is empty',
		],
	])('rejects a delivery with empty %s', (_, changes, message) => {
		expect(messageFor(deliverySchema, delivery(changes))).toBe(message);
	});

	test.each<[string, object, string]>([
		['cash on delivery', { cod: -0.01 }, 'Cash on delivery -0.01 is less than 0'],
		['a quantity', { packages: [pack({ qty: -1 })] }, 'Package quantity -1 is less than 0'],
		['a weight', { packages: [pack({ weight: '-1' })] }, 'Package weight "-1" is less than 0'],
		['a price', { packages: [pack({ price: -1 })] }, 'Package price -1 is less than 0'],
		['a warehouse', { pickup: place({ warehouse: 0 }) }, 'Pickup warehouse ID 0 is less than 1'],
	])('rejects a delivery with a number below the minimum for %s', (_, changes, message) => {
		expect(messageFor(deliverySchema, delivery(changes))).toBe(message);
	});

	test.each<[string, object, string]>([
		[
			'a quantity',
			{ packages: [pack({ qty: 1.5 })] },
			'Package quantity 1.5 is not a whole number',
		],
		[
			'a warehouse',
			{ dropoff: place({ warehouse: '7.5' }) },
			'Delivery warehouse ID "7.5" is not a whole number',
		],
	])('rejects a delivery with a fractional number for %s', (_, changes, message) => {
		expect(messageFor(deliverySchema, delivery(changes))).toBe(message);
	});

	test.each<[string, object, string]>([
		['cash on delivery', { cod: true }, 'Cash on delivery true is not a number'],
		['infinite cash on delivery', { cod: Infinity }, 'Cash on delivery Infinity is not a number'],
		['tags', { tags: 'gift' }, 'Tag "gift" is not a list'],
		['a reference', { referenceId: false }, 'Reference ID false is not text'],
		['a place', { pickup: 'Dock 4' }, 'Pickup "Dock 4" is not an object'],
		['an address', { pickup: place({ address: true }) }, 'Pickup address true is not text'],
		[
			'a list as address',
			{ pickup: place({ address: ['x'] }) },
			'Pickup address (a list) is not text',
		],
		[
			'searchable',
			{ extraData: [{ name: 'a', value: 'b', searchable: 'true' }] },
			'Extra data searchable "true" is not true or false',
		],
	])('rejects a delivery with the wrong type for %s', (_, changes, message) => {
		expect(messageFor(deliverySchema, delivery(changes))).toBe(message);
	});

	test('accepts at most 40 characters in a reference ID and 50 in a tag', () => {
		const [reference, tag] = ['r'.repeat(40), 't'.repeat(50)];
		expect(parse(deliverySchema, delivery({ referenceId: reference, tags: [tag] }))).toMatchObject({
			referenceId: reference,
			tags: [tag],
		});
		expect(messageFor(deliverySchema, delivery({ referenceId: `${reference}r` }))).toBe(
			`Reference ID "${reference}r" is longer than 40 characters`,
		);
		expect(messageFor(deliverySchema, delivery({ tags: ['gift', `${tag}t`] }))).toBe(
			`Tag 2 "${tag}t" is longer than 50 characters`,
		);
	});

	test.each(['ana', 'ana@', '@mail.example', 'ana@mail', 'a b@mail.example', 'a@b@mail.example'])(
		'is rejected with the email %j',
		(email) => {
			const value = delivery({ dropoff: { ...place(), contact: contact({ email }) } });
			expect(messageFor(deliverySchema, value)).toBe(
				`Recipient email "${email}" is not an email address`,
			);
		},
	);

	test.each<[string, object, string]>([
		[
			'the delivery',
			{ dropof: place() },
			'Delivery has an unknown field "dropof" (did you mean "dropoff"?)',
		],
		['a place', { pickup: { ...place(), adress: 'x' } }, 'Pickup has an unknown field "adress"'],
		[
			'a contact',
			{ pickup: { ...place(), contact: contact({ phone: '1' }) } },
			'Pickup has an unknown field "phone" (did you mean "phonenumber"?)',
		],
		[
			'a location',
			{ pickup: place({ address: 'x', latitude: 1 }) },
			'Pickup has an unknown field "latitude" (did you mean "lat"?)',
		],
		[
			'address components',
			{ pickup: place({ address: { zip: '62704' } }) },
			'Pickup address has an unknown field "zip" (did you mean "zipcode"?)',
		],
		['a package', { packages: [pack({ color: 'red' })] }, 'Package has an unknown field "color"'],
		[
			'extra data',
			{ extraData: [{ name: 'a', value: 'b', search: true }] },
			'Extra data has an unknown field "search" (did you mean "searchable"?)',
		],
	])('rejects a delivery with an unknown field in %s', (_, changes, message) => {
		expect(messageFor(deliverySchema, delivery(changes))).toContain(message);
	});

	test('lists unknown and known fields when it rejects a delivery', () => {
		expect(messageFor(deliverySchema, delivery({ tag: [], color: 'red' }))).toBe(
			'Delivery has unknown fields "tag" (did you mean "tags"?), "color". ' +
				'Known fields: pickup, dropoff, packages, referenceId, tags, extraData, cod',
		);
	});
});

describe('a location', () => {
	const withPickup = (location: object) => delivery({ pickup: place(location) });

	test('accepts coordinates as numbers or numeric text and outputs text', () => {
		const value = withPickup({ address: 'x', lat: -33.45, lng: ' +70.5 ' });
		expect(parse(deliverySchema, value)).toHaveProperty('pickup.location', {
			address: 'x',
			lat: '-33.45',
			lng: '70.5',
		});
	});

	test.each([
		[90, 180],
		[-90, -180],
		[0, 0],
	])('accepts the extreme coordinates %d, %d', (lat, lng) => {
		const value = withPickup({ warehouse: 1, lat, lng });
		expect(parse(deliverySchema, value)).toHaveProperty('pickup.location', {
			warehouse: 1,
			lat: String(lat),
			lng: String(lng),
		});
	});

	test.each([
		[0.0000004, '0'],
		['-0.0000006', '-0.000001'],
		[0.000001, '0.000001'],
	])('converts the coordinate %p to %p without an exponent', (coordinate, expected) => {
		const value = withPickup({ address: 'x', lat: coordinate, lng: coordinate });
		expect(parse(deliverySchema, value)).toHaveProperty('pickup.location', {
			address: 'x',
			lat: expected,
			lng: expected,
		});
	});

	test.each<[object, string]>([
		[{ lat: 90.1, lng: 0 }, 'Pickup latitude 90.1 is more than 90'],
		[{ lat: '-90.1', lng: 0 }, 'Pickup latitude "-90.1" is less than -90'],
		[{ lat: 0, lng: 180.1 }, 'Pickup longitude 180.1 is more than 180'],
		[{ lat: 0, lng: -180.1 }, 'Pickup longitude -180.1 is less than -180'],
		[{ lat: 'north', lng: 0 }, 'Pickup latitude "north" is not a number'],
		[{ lat: 1 }, 'Pickup longitude is missing. Set both latitude and longitude, or neither'],
		[{ lng: 1 }, 'Pickup latitude is missing. Set both latitude and longitude, or neither'],
	])('rejects the coordinates %j', (coordinates, message) => {
		expect(messageFor(deliverySchema, withPickup({ address: 'x', ...coordinates }))).toBe(message);
	});

	test('requires either an address or a warehouse', () => {
		expect(messageFor(deliverySchema, withPickup({}))).toBe(
			'Pickup address is missing. Enter an address or choose a saved warehouse',
		);
		expect(messageFor(deliverySchema, withPickup({ address: 'x', warehouse: 7 }))).toBe(
			"Pickup warehouse ID can't be combined with an address. Use only one of them",
		);
	});

	test('rejects an address without components', () => {
		expect(messageFor(deliverySchema, withPickup({ address: { city: null } }))).toBe(
			'Pickup address requires at least one field, e.g. the street or the city',
		);
	});
});

describe('a package size', () => {
	test.each(['xs', 's', 'm', 'l', 'xl'])('accepts the package size %s in any case', (size) => {
		expect(parse(packageSizeSchema, ` ${size.toUpperCase()} `)).toBe(size);
	});

	test.each([
		['xxl', '"xxl"'],
		['', '""'],
		[3, '3'],
		[true, 'true'],
	])('rejects the package size %j', (size, shown) => {
		expect(messageFor(deliverySchema, delivery({ packages: [pack(), pack({ size })] }))).toBe(
			`Package 2 size ${shown} is not one of xs, s, m, l, xl`,
		);
	});
});

test('sends text without invisible characters, and counts text of nothing else as missing', () => {
	const value = { ...deliverySchema.parse(delivery()), referenceId: '#1001\uFEFF' };
	const { contact, location } = value.dropoff;
	const withInvisible = {
		...value,
		dropoff: {
			contact: { ...contact, email: 'mia@example.com\u200B', phonenumber: '\u202A+1 555\u202C' },
			location: { ...location, address: '48 Oak\u00ADAvenue' },
		},
	};
	expect(deliverySchema.parse(withInvisible)).toMatchObject({
		dropoff: {
			contact: { email: 'mia@example.com', phonenumber: '+1 555' },
			location: { address: '48 OakAvenue' },
		},
		referenceId: '#1001',
	});
	const nameless = { ...value, dropoff: { contact: { ...contact, name: '\u200B' }, location } };
	expect(messageFor(deliverySchema, nameless)).toBe('Recipient name is empty');
});

describe('the type and company of a creation request', () => {
	test.each(['slot', 'flex', 'express'])('accepts the delivery type %s', (type) => {
		expect(deliveryTypeSchema.parse(type)).toBe(type);
	});

	test('rejects an unknown delivery type', () => {
		expect(messageFor(deliveryTypeSchema, 'fast', 'Type')).toBe(
			'Type "fast" is not one of slot, flex, express',
		);
	});

	test('accepts only a positive whole number as company ID, also as text', () => {
		expect(companyIdSchema.parse('42')).toBe(42);
		expect(companyIdSchema.parse(1)).toBe(1);
		for (const companyId of [0, -1, 1.5, '', 'shop', null])
			expect(companyIdSchema.safeParse(companyId).success).toBe(false);
	});
});

describe('the changes of an update', () => {
	test('leaves changes unchanged when every field has its documented format', () => {
		const complete = {
			location: { address: '12 Main Street', instructions: 'Ring', lat: 39.5, lng: -89.5 },
			contact: { name: 'Ana', email: 'ana@mail.example', phonenumber: '1' },
			packages: [{ id: 'PK-1', name: 'Box', qty: 2, weight: 1.5, size: 'xs', price: 9.9 }],
			cod: 0,
			referenceId: 'r'.repeat(40),
			addTags: [1, 2],
			removeTags: [3],
		};
		expect(parse(deliveryChangesSchema, complete, 'Changes')).toEqual(complete);
	});

	test('converts numeric text in changes to numbers, including coordinates', () => {
		const value = {
			location: { lat: '39.5', lng: '-89.5' },
			packages: [{ qty: '2', size: 'XL' }],
			cod: '1.50',
			addTags: ['12', 15],
		};
		expect(parse(deliveryChangesSchema, value, 'Changes')).toEqual({
			location: { lat: 39.5, lng: -89.5 },
			packages: [{ qty: 2, size: 'xl' }],
			cod: 1.5,
			addTags: [12, 15],
		});
	});

	test('requires no field of changes at any level', () => {
		const empty = { location: {}, contact: {}, packages: [{}] };
		expect(parse(deliveryChangesSchema, {}, 'Changes')).toEqual({});
		expect(parse(deliveryChangesSchema, empty, 'Changes')).toEqual(empty);
	});

	test.each<[object, string]>([
		[{ location: { lat: 1 } }, 'Longitude is missing. Set both latitude and longitude, or neither'],
		[{ location: { address: { city: 'x' } } }, 'Address (an object) is not text'],
		[{ location: { warehouse: 7 } }, 'Changes has an unknown field "warehouse"'],
		[{ contact: { email: 'ana' } }, 'Email "ana" is not an email address'],
		[{ contact: { name: ' ' } }, 'Name is empty'],
		[{ packages: [] }, 'Package: at least one is required'],
		[{ packages: [{ size: 'xxl' }] }, 'Package size "xxl" is not one of xs, s, m, l, xl'],
		[{ cod: -1 }, 'Cash on delivery -1 is less than 0'],
		[
			{ referenceId: 'r'.repeat(41) },
			`Reference ID "${'r'.repeat(41)}" is longer than 40 characters`,
		],
		[{ addTags: ['gift'] }, 'Tag to add "gift" is not a number'],
		[{ addTags: [] }, 'Tag to add: at least one is required'],
		[{ removeTags: [1, 0] }, 'Tag to remove 2 0 is less than 1'],
		[{ removeTags: [] }, 'Tag to remove: at least one is required'],
		[{ color: 'red' }, 'Changes has an unknown field "color"'],
	])('rejects the changes %j', (changes, message) => {
		expect(messageFor(deliveryChangesSchema, changes, 'Changes')).toContain(message);
	});
});

describe('the targets of an update', () => {
	test('accepts one or more IDs as the targets of an update', () => {
		expect(parse(targetSchemas.deliveryIds, [' a ', 64], 'Update')).toEqual(['a', '64']);
		expect(parse(targetSchemas.referenceIds, ['#1', 1001], 'Update')).toEqual(['#1', '1001']);
		for (const kind of ['deliveryIds', 'referenceIds'] as const) {
			expect(targetSchemas[kind].safeParse([]).success).toBe(false);
			expect(targetSchemas[kind].safeParse(['']).success).toBe(false);
		}
	});

	test('limits only the reference IDs of an update to 40 characters', () => {
		expect(targetSchemas.referenceIds.safeParse(['r'.repeat(41)]).success).toBe(false);
		expect(targetSchemas.deliveryIds.safeParse(['d'.repeat(41)]).success).toBe(true);
	});
});

describe('the URL of a subscription', () => {
	test.each(['http://a.example', 'HTTPS://a.example/x?y=1', ' https://a.example '])(
		'accepts %j',
		(url) => {
			expect(parse(webhookUrlSchema, url, 'URL')).toBe(url.trim());
		},
	);

	test.each(['', 'a.example', 'ftp://a.example', 'https://', 'https://a b'])(
		'rejects %j',
		(url) => {
			expect(messageFor(webhookUrlSchema, url, 'URL')).toBe(
				'URL must be a valid URL that starts with http:// or https://',
			);
		},
	);
});

describe('a response of the service', () => {
	test('keeps undocumented fields of records and listed webhooks', () => {
		const record = { index: 0, id: '64f1', color: 'red' };
		expect(creationResponseSchema.parse({ code: 'OK', payload: [record] }).payload).toEqual([
			record,
		]);
		const hook = { url: 'https://a.example', action: 3, status: 'Active', color: 'red' };
		expect(listedWebhookSchema.parse(hook)).toEqual(hook);
	});

	test('finds no creation response without a list of records', () => {
		for (const body of [
			undefined,
			'<html>',
			{},
			{ payload: null },
			{ payload: 'x' },
			{ payload: { count: 2 } },
		])
			expect(creationResponseSchema.safeParse(body).success).toBe(false);
	});

	test.each<[string, unknown]>([
		['an object around the list', { payload: { deliveries: [{ id: 'a' }, { id: 'b' }] } }],
		[
			'an object with several lists',
			{ payload: { created: [{ id: 'a' }], others: [{ id: 'b' }] } },
		],
		['an object with a field per record', { payload: { '0': { id: 'a' }, '1': { id: 'b' } } }],
		['the bare list', [{ id: 'a' }, { id: 'b' }]],
	])('finds the records of a creation response in %s', (_form, body) => {
		expect(creationResponseSchema.parse(body).payload).toEqual([{ id: 'a' }, { id: 'b' }]);
	});

	test('accepts a creation response with a single record as payload', () => {
		const record = { id: 'a', tags: ['x'], price: { amount: 1 } };
		expect(creationResponseSchema.parse({ payload: record }).payload).toEqual([record]);
	});

	test('keeps the records next to one that is not an object', () => {
		const response = creationResponseSchema.parse({ payload: ['x', { index: 1, id: 'a' }] });
		expect(response.payload).toEqual([{}, { index: 1, id: 'a' }]);
	});

	test('lists a webhook with an event code as text and without a status', () => {
		expect(listedWebhookSchema.parse({ url: 'https://a.example', action: '3' })).toEqual({
			url: 'https://a.example',
			action: 3,
		});
	});

	test('accepts an update response without any field', () => {
		expect(updateResponseSchema.parse({})).toEqual({});
		expect(updateResponseSchema.parse({ code: 'OK', data: { jobs: 'j', more: 1 } })).toEqual({
			code: 'OK',
			data: { jobs: 'j' },
		});
	});

	test('reads code and message of a response where they are readable', () => {
		expect(codeAndMessageSchema.parse({ code: 17, message: 'no' })).toEqual({
			code: '17',
			message: 'no',
		});
		for (const body of [undefined, null, '<html>', []])
			expect(codeAndMessageSchema.parse(body)).toEqual({});
	});
});
