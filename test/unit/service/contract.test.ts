/**
 * Compares our schemas with the local service's OpenAPI file. Both were written independently from the API
 * document (docs/api.md, sections 2.1 to 2.5, 4.1, 4.2 and 8): where one rejects what the other allows,
 * one of them is wrong, or we are stricter on purpose.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { parse } from 'yaml';
import { z } from 'zod/v4';

import {
	limits,
	companyIdSchema,
	deliveryChangesSchema,
	deliveryJsonSchema,
	deliverySchema,
	deliveryTypeSchema,
	targetSchemas,
} from '../../../nodes/DeliveryService/service/schemas';
import { serviceLabels, validate } from '../../../nodes/DeliveryService/service/validation';
import { delivery, pack, place } from '../../support/sampleDelivery';

const file = join(__dirname, '../../../playground/service/openapi.yaml');
const openApi = z.record(z.string(), z.unknown()).parse(parse(readFileSync(file, 'utf8')));
const ajv = addFormats(new Ajv({ strict: false })).addSchema(openApi, 'openapi');

/** Whether the OpenAPI file allows a body. */
function allows(schema: 'CreationRequest' | 'UpdateRequest', body: unknown): boolean {
	const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`);
	if (!validate) throw new Error(`openapi.yaml has no schema ${schema}`);
	return validate(body) === true;
}

/** Our schema and the OpenAPI file, for a delivery and for the changes of an update. */
const rules = {
	delivery: {
		check: (value: unknown) => validate(deliverySchema, value, 'Delivery', serviceLabels),
		allows: (value: unknown) => allows('CreationRequest', { deliveries: [value] }),
	},
	'delivery in JSON': {
		check: (value: unknown) => validate(deliveryJsonSchema, value, 'Delivery', serviceLabels),
		allows: (value: unknown) => allows('CreationRequest', { deliveries: [value] }),
	},
	changes: {
		check: (value: unknown) => validate(deliveryChangesSchema, value, 'Changes', serviceLabels),
		allows: (value: unknown) =>
			allows('UpdateRequest', { deliveryIds: ['d1'], deliveryChanges: value }),
	},
} as const;

const visible = /[^\s\u2800\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** Text with a visible character, often of the maximum length. */
function text(longest = 30): fc.Arbitrary<string> {
	return fc.oneof(
		fc
			.string({ unit: 'grapheme', minLength: 1 })
			.filter((value) => visible.test(value) && [...value].length <= longest),
		fc.string({ unit: fc.constantFrom(...'aZ9#-é漢🎁'), minLength: longest, maxLength: longest }),
	);
}

/** Text, or a number as an expression may return it. */
const textOrNumber = fc.oneof(text(), fc.nat());

const email = fc
	.tuple(
		fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9_.+-]{0,10}[a-zA-Z0-9])?$/),
		fc.stringMatching(/^([a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?\.){1,3}[a-zA-Z]{2,6}$/),
	)
	.map(([name, host]) => `${name}@${host}`)
	.filter((address) => !address.includes('..'));

/** A number, or numeric text as an expression may return it. */
function numeric(number: fc.Arbitrary<number>): fc.Arbitrary<number | string> {
	const plain = number.map(String).filter((value) => !value.includes('e'));
	return fc.oneof(
		number,
		plain,
		plain.map((value) => ` ${value} `),
	);
}

function between(min: number, max: number): fc.Arbitrary<number | string> {
	const inside = fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
	return numeric(fc.oneof(fc.constantFrom(min, max, 0), inside));
}

const amount = between(0, Number.MAX_VALUE);
const quantity = numeric(fc.oneof(fc.constant(0), fc.nat()));
const identifier = numeric(fc.integer({ min: 1 }));
const size = fc.constantFrom('xs', 's', 'm', 'l', 'xl', 'XS', 'XL', ' M ');

/** An object with the required fields and any optional ones, which may have a blank value. */
function object(
	required: Record<string, fc.Arbitrary<unknown>>,
	optional: Record<string, fc.Arbitrary<unknown>>,
	blanks: ReadonlyArray<string | null> = [null],
): fc.Arbitrary<Record<string, unknown>> {
	const fields = { ...required };
	for (const [name, value] of Object.entries(optional))
		fields[name] = fc.oneof(
			{ weight: 9, arbitrary: value },
			{ weight: 1, arbitrary: fc.constantFrom(...blanks) },
		);
	return fc.record(fields, { requiredKeys: Object.keys(required), noNullPrototype: true });
}

/** The blank values of optional fields of a delivery. */
const empty = [null, '', ' \n'];

/** A list that may contain a null entry. */
function list(entry: fc.Arbitrary<unknown>, minLength = 0): fc.Arbitrary<unknown[]> {
	return fc
		.tuple(fc.array(entry, { minLength, maxLength: 3 }), fc.nat({ max: 3 }), fc.boolean())
		.map(([entries, position, isWhole]) =>
			isWhole ? entries : [...entries.slice(0, position), null, ...entries.slice(position)],
		);
}

/** Objects with the fields of both. */
function both(
	one: fc.Arbitrary<object>,
	other: fc.Arbitrary<object>,
): fc.Arbitrary<Record<string, unknown>> {
	return fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));
}

const coordinates = fc.oneof(
	fc.constant({}),
	object({ lat: between(-90, 90), lng: between(-180, 180) }, {}),
);

const components = ['zipcode', 'neighborhood', 'streetName', 'state', 'country', 'city'];
const address = {
	text: object({ address: textOrNumber }, {}),
	components: object(
		{
			address: fc
				.subarray(components, { minLength: 1 })
				.chain((names) =>
					object(Object.fromEntries(names.map((name) => [name, textOrNumber])), {}),
				),
		},
		{},
	),
	warehouse: object({ warehouse: identifier }, {}),
};
const location = both(
	fc.oneof(address.text, address.components, address.warehouse),
	both(object({}, { instructions: textOrNumber }, empty), coordinates),
);
const anyPlace = object(
	{
		contact: object({ name: textOrNumber, email }, { phonenumber: textOrNumber }, empty),
		location,
	},
	{},
);
const anyPackage = object(
	{ name: textOrNumber, qty: quantity, size },
	{ id: textOrNumber, weight: amount, price: amount },
	empty,
);
const extraData = object(
	{ name: textOrNumber, value: fc.oneof(fc.string(), fc.nat()) },
	{ searchable: fc.boolean() },
	empty,
);
const anyDelivery = object(
	{ pickup: anyPlace, dropoff: anyPlace, packages: list(anyPackage, 1) },
	{
		referenceId: text(limits.referenceIdLength),
		tags: list(text(limits.tagLength)),
		extraData: list(extraData),
		cod: amount,
	},
	empty,
);
/** Like the document's samples, with an integer as size and a pickup contact without an email. */
const anyJsonDelivery = fc
	.tuple(
		anyDelivery,
		object(
			{
				contact: object({ name: textOrNumber }, { email, phonenumber: textOrNumber }, empty),
				location,
			},
			{},
		),
		object({ name: textOrNumber, qty: quantity, size: fc.oneof(size, fc.integer()) }, {}),
	)
	.map(([one, pickup, box]) => ({ ...one, pickup, packages: [box] }));
const anyChanges = object(
	{},
	{
		location: both(object({}, { address: textOrNumber, instructions: textOrNumber }), coordinates),
		contact: object({}, { name: textOrNumber, email, phonenumber: textOrNumber }),
		packages: fc.array(
			object(
				{},
				{
					id: textOrNumber,
					name: textOrNumber,
					qty: quantity,
					weight: amount,
					size,
					price: amount,
				},
			),
			{ minLength: 1, maxLength: 3 },
		),
		cod: amount,
		referenceId: text(limits.referenceIdLength),
		addTags: fc.array(identifier, { minLength: 1, maxLength: 3 }),
		removeTags: fc.array(identifier, { minLength: 1, maxLength: 3 }),
	},
);

const valid = { delivery: anyDelivery, 'delivery in JSON': anyJsonDelivery, changes: anyChanges };

describe.each(['delivery', 'delivery in JSON', 'changes'] as const)('a valid %s', (kind) => {
	test('passes our schema, whose result passes the OpenAPI file', () => {
		fc.assert(
			fc.property(valid[kind], (value) => {
				const checked = rules[kind].check(value);
				expect(checked).toMatchObject({ ok: true });
				if (checked.ok) expect(rules[kind].allows(checked.value)).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});

	test('a second validation changes nothing', () => {
		fc.assert(
			fc.property(valid[kind], (value) => {
				const once = rules[kind].check(value);
				if (once.ok) expect(rules[kind].check(once.value)).toEqual(once);
			}),
		);
	});
});

test('sends coordinates as text in creations and as numbers in updates', () => {
	fc.assert(
		fc.property(between(-90, 90), between(-180, 180), (lat, lng) => {
			const created = rules.delivery.check(delivery({ pickup: place({ address: 'x', lat, lng }) }));
			const plainText = expect.stringMatching(/^-?\d+(\.\d+)?$/);
			expect(created).toMatchObject({
				ok: true,
				value: { pickup: { location: { lat: plainText, lng: plainText } } },
			});
			expect(rules.changes.check({ location: { lat, lng } })).toMatchObject({
				ok: true,
				value: { location: { lat: Number(lat), lng: Number(lng) } },
			});
		}),
	);
});

/** Values that break a rule, by the path of their field. */
type BrokenRules = Readonly<Record<string, readonly unknown[]>>;

const missing = undefined;

function places(brokenRules: BrokenRules): BrokenRules {
	return Object.fromEntries(
		['pickup', 'dropoff'].flatMap((side) =>
			Object.entries(brokenRules).map(([path, values]) => [`${side}${path}`, values]),
		),
	);
}

const brokenDeliveries: BrokenRules = {
	color: ['red'],
	...places({
		'': [missing, 'Dock 4'],
		'.color': ['red'],
		'.contact': [missing, []],
		'.contact.color': ['red'],
		'.contact.name': [missing, true],
		'.contact.email': ['ana', 'ana@', 'a na@mail.example'],
		'.contact.phonenumber': [{ number: 1 }],
		'.location': [
			missing,
			'Dock 4',
			{},
			{ lat: '1', lng: '1' },
			{ address: true },
			{ address: ['Dock 4'] },
			{ address: 'Dock 4', warehouse: 7 },
			{ address: { city: 'x' }, warehouse: 7 },
			{ address: { city: 'x', zip: '1' } },
			{ address: { city: { name: 'x' } } },
			{ warehouse: 7.5 },
			{ warehouse: 'Dock 4' },
			{ address: 'x', lat: true, lng: true },
		],
		'.location.color': ['red'],
		'.location.instructions': [['Ring']],
	}),
	'dropoff.contact.email': [missing],
	packages: [missing, { name: 'Box', qty: 1, size: 's' }],
	'packages.0': ['Box'],
	'packages.0.color': ['red'],
	'packages.0.name': [missing, {}],
	'packages.0.id': [false],
	'packages.0.qty': [missing, -1, 1.5, 'two'],
	'packages.0.size': [missing, 'xxl', 1.5],
	'packages.0.weight': [-0.1, '2 kg'],
	'packages.0.price': [-0.1, true],
	referenceId: ['r'.repeat(limits.referenceIdLength + 1), ['r']],
	tags: ['gift', ['gift', 't'.repeat(limits.tagLength + 1)], [{ name: 'gift' }]],
	extraData: [
		{ name: 'a', value: 'b' },
		[{ value: 'b' }],
		[{ name: 'a' }],
		[{ name: 'a', value: 'b', color: 'red' }],
		[{ name: 'a', value: false }],
		[{ name: 'a', value: 'b', searchable: 'true' }],
	],
	cod: [-0.01, 'all of it'],
};

const brokenChanges: BrokenRules = {
	color: ['red'],
	location: [
		'Dock 4',
		{ color: 'red' },
		{ warehouse: 7 },
		{ address: { city: 'x' } },
		{ instructions: true },
		{ lat: 'north', lng: 1 },
		{ lat: 1, lng: 'west' },
	],
	contact: ['Ana', { phone: '1' }, { name: true }, { email: {} }, { phonenumber: [] }],
	packages: [
		{ name: 'Box' },
		[{ color: 'red' }],
		[{ id: true }],
		[{ name: [] }],
		[{ qty: 1.5 }],
		[{ weight: '2 kg' }],
		[{ size: 2 }],
		[{ price: true }],
	],
	cod: ['all of it'],
	referenceId: ['r'.repeat(limits.referenceIdLength + 1)],
	addTags: [['gift'], 12],
	removeTags: [['gift'], [1.5]],
};

/** Allowed or left open by the API document, but rejected by us before sending. */
const stricterDeliveries: BrokenRules = {
	packages: [[]],
	...places({
		'.contact.name': [' '],
		'.location': [
			{ address: ' ' },
			{ address: {} },
			{ address: { city: '' } },
			{ warehouse: 0 },
			...[
				{ lat: '1' },
				{ lng: '1' },
				{ lat: '90.5', lng: '1' },
				{ lat: '1', lng: '-180.5' },
				{ lat: 'north', lng: 'west' },
			].map((coordinates) => ({ address: 'x', ...coordinates })),
		],
	}),
	'pickup.contact.email': [missing],
	'packages.0.size': [2],
	'packages.0.name': [''],
	extraData: [[{ name: '', value: '' }]],
};

const stricterChanges: BrokenRules = {
	location: [{ address: ' ' }, { lat: 1 }, { lat: -91, lng: 1 }],
	contact: [{ email: 'ana' }, { name: '' }],
	packages: [[], [{ qty: -1 }], [{ weight: -1 }], [{ price: -1 }], [{ size: 'xxl' }]],
	cod: [-1],
	referenceId: [' '],
	addTags: [[]],
	removeTags: [[0]],
};

/** A copy of the value with another value at a path. */
function replaceAt(value: unknown, [step, ...rest]: string[], to: unknown): unknown {
	if (step === undefined) return to;
	if (Array.isArray(value))
		return value.map((entry: unknown, position) =>
			position === Number(step) ? replaceAt(entry, rest, to) : entry,
		);
	const fields = z.record(z.string(), z.unknown()).parse(value);
	return { ...fields, [step]: replaceAt(fields[step], rest, to) };
}

describe.each([
	['delivery', 'our schema and the OpenAPI file reject', brokenDeliveries, false],
	['changes', 'our schema and the OpenAPI file reject', brokenChanges, false],
	['delivery', 'only our schema rejects', stricterDeliveries, true],
	['changes', 'only our schema rejects', stricterChanges, true],
] as const)('rules of a %s: %s', (kind, verdict, brokenRules, isAllowed) => {
	const rows = Object.entries(brokenRules).flatMap(([path, values]) =>
		values.map((value) => [path, value] as const),
	);
	test.each(rows)(`${verdict} a ${kind} with this %s: %j`, (path, to) => {
		fc.assert(
			fc.property(valid[kind], (value) => {
				const checked = rules[kind].check(value);
				if (!checked.ok) throw new Error('The value is invalid before');
				const broken = replaceAt(checked.value, path.split('.'), to);
				expect([rules[kind].check(broken).ok, rules[kind].allows(broken)]).toEqual([
					false,
					isAllowed,
				]);
			}),
			{ numRuns: 10 },
		);
	});
});

describe('the OpenAPI file', () => {
	const one = delivery({ packages: [pack()] });

	test('limits a creation request to as many deliveries as we do', () => {
		const deliveries = Array.from({ length: limits.deliveriesPerRequest }, () => one);
		expect(allows('CreationRequest', { deliveries })).toBe(true);
		expect(allows('CreationRequest', { deliveries: [...deliveries, one] })).toBe(false);
	});

	test.each(['slot', 'flex', 'express', 'fast', 'SLOT', '', 1])(
		'accepts the delivery type %j exactly when our schema does',
		(type) => {
			const allowed = allows('CreationRequest', { deliveries: [one], type });
			expect(deliveryTypeSchema.safeParse(type).success).toBe(allowed);
		},
	);

	test.each([1, 42, 0, -1, 1.5, true])(
		'accepts the company ID %j exactly when our schema does',
		(companyId) => {
			const allowed = allows('CreationRequest', { deliveries: [one], companyId });
			expect(companyIdSchema.safeParse(companyId).success).toBe(allowed);
		},
	);

	test('limits an update request to as many deliveries as we do', () => {
		const ids = Array.from({ length: limits.deliveriesPerUpdate }, (_, number) => `d${number}`);
		for (const kind of ['deliveryIds', 'referenceIds'] as const) {
			expect(targetSchemas[kind].parse(ids)).toEqual(ids);
			expect(allows('UpdateRequest', { [kind]: ids, deliveryChanges: {} })).toBe(true);
			expect(allows('UpdateRequest', { [kind]: [...ids, 'd'], deliveryChanges: {} })).toBe(false);
		}
	});

	test('requires one kind of ID and the changes in an update request', () => {
		const ids = { deliveryIds: ['d1'], referenceIds: ['r1'] };
		expect(allows('UpdateRequest', { ...ids, deliveryChanges: {} })).toBe(false);
		expect(allows('UpdateRequest', { deliveryChanges: {} })).toBe(false);
		expect(allows('UpdateRequest', { deliveryIds: ['d1'] })).toBe(false);
	});

	test.each(['recalculatePrice', 'reorderRoute', 'recalculateCity'])(
		'accepts the boolean flag %s in an update request',
		(flag) => {
			const body = { deliveryIds: ['d1'], deliveryChanges: {} };
			for (const value of [true, false])
				expect(allows('UpdateRequest', { ...body, [flag]: value })).toBe(true);
			expect(allows('UpdateRequest', { ...body, [flag]: 'true' })).toBe(false);
		},
	);
});
