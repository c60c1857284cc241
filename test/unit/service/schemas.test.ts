import type { z } from 'zod/v4';

import {
	codeAndMessageSchema,
	creationResponseSchema,
	deliveryChangesSchema,
	deliverySchema,
	targetSchemas,
	updateResponseSchema,
	listedWebhookSchema,
	webhookUrlSchema,
} from '../../../nodes/DeliveryService/service/schemas';
import { serviceLabels, validate } from '../../../nodes/DeliveryService/service/validation';
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

	test.each(['1e3', '0x10', '.5', '5.', '1 000', '12 kg', 'NaN', 'Infinity', '--1'])(
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

	test('counts the code points of a reference ID and a tag', () => {
		const value = delivery({ referenceId: '🎁'.repeat(40), tags: ['🇲🇽'.repeat(25)] });
		expect(parse(deliverySchema, value)).toEqual(value);
		expect(messageFor(deliverySchema, { ...value, referenceId: '🎁'.repeat(41) })).toMatch(
			/is longer than 40 characters$/,
		);
		expect(
			messageFor(deliverySchema, { ...value, tags: ['é'.normalize('NFD').repeat(26)] }),
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

	test('lists unknown and known fields when it rejects a delivery', () => {
		expect(messageFor(deliverySchema, delivery({ tag: [], color: 'red' }))).toBe(
			'Delivery has unknown fields "tag", "color". ' +
				'Known fields: pickup, dropoff, packages, referenceId, tags, extraData, cod',
		);
	});
});

describe('a location', () => {
	const withPickup = (location: object) => delivery({ pickup: place(location) });

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

	test('with a wrong coordinate does not lack it', () => {
		const value = withPickup({ address: 'x', lat: 91, lng: 0 });
		expect(validate(deliverySchema, value, 'Delivery', serviceLabels)).toEqual({
			ok: false,
			problem: { message: 'Pickup latitude 91 is more than 90' },
		});
	});

	test('with a wrong warehouse does not lack it', () => {
		expect(
			validate(deliverySchema, withPickup({ warehouse: 0 }), 'Delivery', serviceLabels),
		).toEqual({
			ok: false,
			problem: { message: 'Pickup warehouse ID 0 is less than 1' },
		});
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

test('limits only the reference IDs of an update to 40 characters', () => {
	expect(targetSchemas.referenceIds.safeParse(['r'.repeat(41)]).success).toBe(false);
	expect(targetSchemas.deliveryIds.safeParse(['d'.repeat(41)]).success).toBe(true);
});

describe('the URL of a subscription', () => {
	test.each(['http://a.example', 'HTTPS://a.example/x?y=1', ' https://a.example '])(
		'accepts the subscription URL %j',
		(url) => {
			expect(parse(webhookUrlSchema, url, 'URL')).toBe(url.trim());
		},
	);

	test.each([
		'',
		'a.example',
		'ftp://a.example',
		'https://',
		'https://a b',
		'https://a.example\n/b',
	])('rejects the subscription URL %j', (url) => {
		expect(messageFor(webhookUrlSchema, url, 'URL')).toBe(
			'URL must be a valid URL that starts with http:// or https://',
		);
	});
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
			{ payload: { deliveries: [{ id: 'a' }] } },
			[{ id: 'a' }],
		])
			expect(creationResponseSchema.safeParse(body).success).toBe(false);
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

	test('accepts an update response with a job, whatever else it has', () => {
		const body = { code: 200, message: null, data: { jobs: 17, more: 1 }, color: 'red' };
		expect(updateResponseSchema.parse(body)).toEqual({ code: '200', jobId: '17' });
		for (const data of [undefined, 'j', {}, { jobs: '' }, { jobs: ['j'] }])
			expect(updateResponseSchema.safeParse({ code: 'OK', data }).success).toBe(false);
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

test('rejects an ID that is a number whose last digits are lost', () => {
	const { deliveryIds } = targetSchemas;
	expect(deliveryIds.safeParse([9_007_199_254_740_992]).success).toBe(false);
	expect(deliveryIds.parse([9_007_199_254_740_991, 'd1'])).toEqual(['9007199254740991', 'd1']);
});
