/**
 * Our schemas held against the local service's OpenAPI file. Both were written from the service document
 * (sections 2.1 to 2.5, 4.1, 4.2 and 8), each without the other: where one refuses what the other
 * allows, one of them is mistaken, or we decided to be stricter.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { parse } from 'yaml';
import { z } from 'zod/v4';

import { limits } from '../../../nodes/DeliveryService/service/limits';
import {
	companyIdSchema,
	deliveryChangesSchema,
	deliverySchema,
	deliveryTypeSchema,
	targetSchemas,
} from '../../../nodes/DeliveryService/service/schemas';
import { serviceLabels } from '../../../nodes/DeliveryService/service/labels';
import { validate } from '../../../nodes/DeliveryService/service/validation';
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

/** The two statements of the rules for a delivery, or for the changes of an update. */
const sides = {
	delivery: {
		check: (value: unknown) => validate(deliverySchema, value, 'Delivery', serviceLabels),
		allows: (value: unknown) => allows('CreationRequest', { deliveries: [value] }),
	},
	changes: {
		check: (value: unknown) => validate(deliveryChangesSchema, value, 'Changes', serviceLabels),
		allows: (value: unknown) =>
			allows('UpdateRequest', { deliveryIds: ['d1'], deliveryChanges: value }),
	},
} as const;

/** Text that is not blank, often as long as it may be. */
function text(longest = 30): fc.Arbitrary<string> {
	return fc.oneof(
		fc
			.string({ unit: 'grapheme', minLength: 1 })
			.filter((value) => value.trim() !== '' && value.length <= longest),
		fc.string({ unit: fc.constantFrom(...'aZ9#-é漢'), minLength: longest, maxLength: longest }),
	);
}

/** Text, or the number that an expression may give in its place. */
const textOrNumber = fc.oneof(text(), fc.nat());

const email = fc
	.tuple(
		fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9_.+-]{0,10}[a-zA-Z0-9])?$/),
		fc.stringMatching(/^([a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?\.){1,3}[a-zA-Z]{2,6}$/),
	)
	.map(([name, host]) => `${name}@${host}`)
	.filter((address) => !address.includes('..'));

/** A number, or the plain text that an expression may give in its place. */
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

/** An object with the required members and any of the others, which may be not given in a way. */
function object(
	required: Record<string, fc.Arbitrary<unknown>>,
	optional: Record<string, fc.Arbitrary<unknown>>,
	notGiven: ReadonlyArray<string | null> = [null],
): fc.Arbitrary<Record<string, unknown>> {
	const members = { ...required };
	for (const [name, value] of Object.entries(optional))
		members[name] = fc.oneof(
			{ weight: 9, arbitrary: value },
			{ weight: 1, arbitrary: fc.constantFrom(...notGiven) },
		);
	return fc.record(members, { requiredKeys: Object.keys(required), noNullPrototype: true });
}

/** How the optional members of a delivery may be not given. */
const empty = [null, '', ' \n'];

/** A list that may have empty entries among the others. */
function list(entry: fc.Arbitrary<unknown>, minLength = 0): fc.Arbitrary<unknown[]> {
	return fc
		.tuple(fc.array(entry, { minLength, maxLength: 3 }), fc.nat({ max: 3 }), fc.boolean())
		.map(([entries, position, isWhole]) =>
			isWhole ? entries : [...entries.slice(0, position), null, ...entries.slice(position)],
		);
}

/** Objects that have the members of both. */
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
	{
		pickup: anyPlace,
		dropoff: anyPlace,
		packages: list(anyPackage, 1),
	},
	{
		referenceId: text(limits.referenceIdLength),
		tags: list(text(limits.tagLength)),
		extraData: list(extraData),
		cod: amount,
	},
	empty,
);
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

const valid = { delivery: anyDelivery, changes: anyChanges };

describe.each(['delivery', 'changes'] as const)('a valid %s', (kind) => {
	test('passes our schema, and as that gives it the OpenAPI file', () => {
		fc.assert(
			fc.property(valid[kind], (value) => {
				const checked = sides[kind].check(value);
				expect(checked).toMatchObject({ ok: true });
				if (checked.ok) expect(sides[kind].allows(checked.value)).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});

	test('passes our schema a second time unchanged', () => {
		fc.assert(
			fc.property(valid[kind], (value) => {
				const once = sides[kind].check(value);
				if (once.ok) expect(sides[kind].check(once.value)).toEqual(once);
			}),
		);
	});
});

test('coordinates are sent as text at creation and as numbers in an update', () => {
	fc.assert(
		fc.property(between(-90, 90), between(-180, 180), (lat, lng) => {
			const created = sides.delivery.check(delivery({ pickup: place({ address: 'x', lat, lng }) }));
			const plainText = expect.stringMatching(/^-?\d+(\.\d+)?$/);
			expect(created).toMatchObject({
				ok: true,
				value: { pickup: { location: { lat: plainText, lng: plainText } } },
			});
			expect(sides.changes.check({ location: { lat, lng } })).toMatchObject({
				ok: true,
				value: { location: { lat: Number(lat), lng: Number(lng) } },
			});
		}),
	);
});

/** A rule that is broken: what is broken, the member that breaks it, and its value. */
type BrokenRule = [what: string, path: string, value: unknown];

const missing = undefined;

function places(rules: BrokenRule[]): BrokenRule[] {
	return ['pickup', 'dropoff'].flatMap((side) =>
		rules.map(([what, path, value]): BrokenRule => [`${side} ${what}`, `${side}${path}`, value]),
	);
}

const brokenDeliveries: BrokenRule[] = [
	['no pickup', 'pickup', missing],
	['no dropoff', 'dropoff', missing],
	['no packages', 'packages', missing],
	['an unknown member', 'colour', 'red'],
	...places([
		['that is text', '', 'Dock 4'],
		['without contact', '.contact', missing],
		['without location', '.location', missing],
		['with an unknown member', '.colour', 'red'],
		['with a list as contact', '.contact', []],
		['with an unknown member in the contact', '.contact.colour', 'red'],
		['without name', '.contact.name', missing],
		['with another kind of name', '.contact.name', true],
		['without e-mail', '.contact.email', missing],
		['with a broken e-mail', '.contact.email', 'ana'],
		['with an e-mail without host', '.contact.email', 'ana@'],
		['with an e-mail with a space', '.contact.email', 'a na@mail.example'],
		['with another kind of phone', '.contact.phonenumber', { number: 1 }],
		['with text as location', '.location', 'Dock 4'],
		['with neither address nor warehouse', '.location', {}],
		['with coordinates only', '.location', { lat: '1', lng: '1' }],
		['with address and warehouse', '.location', { address: 'Dock 4', warehouse: 7 }],
		['with components and warehouse', '.location', { address: { city: 'x' }, warehouse: 7 }],
		['with an unknown member in the location', '.location.colour', 'red'],
		['with another kind of address', '.location', { address: true }],
		['with a list as address', '.location', { address: ['Dock 4'] }],
		['with an unknown component', '.location', { address: { city: 'x', zip: '1' } }],
		['with another kind of component', '.location', { address: { city: { name: 'x' } } }],
		['with a broken warehouse', '.location', { warehouse: 7.5 }],
		['with text as warehouse', '.location', { warehouse: 'Dock 4' }],
		['with another kind of instructions', '.location.instructions', ['Ring']],
		['with another kind of coordinates', '.location', { address: 'x', lat: true, lng: true }],
	]),
	['packages that are no list', 'packages', { name: 'Box', qty: 1, size: 's' }],
	['a package that is text', 'packages.0', 'Box'],
	['an unknown member in a package', 'packages.0.colour', 'red'],
	['a package without name', 'packages.0.name', missing],
	['a package with another kind of name', 'packages.0.name', {}],
	['a package with another kind of ID', 'packages.0.id', false],
	['a package without quantity', 'packages.0.qty', missing],
	['a negative quantity', 'packages.0.qty', -1],
	['a broken quantity', 'packages.0.qty', 1.5],
	['text as quantity', 'packages.0.qty', 'two'],
	['a package without size', 'packages.0.size', missing],
	['an unknown size', 'packages.0.size', 'xxl'],
	['a number as size', 'packages.0.size', 2],
	['a negative weight', 'packages.0.weight', -0.1],
	['text as weight', 'packages.0.weight', '2 kg'],
	['a negative price', 'packages.0.price', -0.1],
	['another kind of price', 'packages.0.price', true],
	['too long a reference ID', 'referenceId', 'r'.repeat(limits.referenceIdLength + 1)],
	['another kind of reference ID', 'referenceId', ['r']],
	['tags that are text', 'tags', 'gift'],
	['too long a tag', 'tags', ['gift', 't'.repeat(limits.tagLength + 1)]],
	['another kind of tag', 'tags', [{ name: 'gift' }]],
	['extra data that is no list', 'extraData', { name: 'a', value: 'b' }],
	['extra data without name', 'extraData', [{ value: 'b' }]],
	['extra data without value', 'extraData', [{ name: 'a' }]],
	['an unknown member in extra data', 'extraData', [{ name: 'a', value: 'b', colour: 'red' }]],
	['another kind of extra value', 'extraData', [{ name: 'a', value: false }]],
	['text as searchable', 'extraData', [{ name: 'a', value: 'b', searchable: 'true' }]],
	['negative cash on delivery', 'cod', -0.01],
	['text as cash on delivery', 'cod', 'all of it'],
];

const brokenChanges: BrokenRule[] = [
	['an unknown member', 'colour', 'red'],
	['text as location', 'location', 'Dock 4'],
	['an unknown member in the location', 'location', { colour: 'red' }],
	['a warehouse', 'location', { warehouse: 7 }],
	['address components', 'location', { address: { city: 'x' } }],
	['another kind of instructions', 'location', { instructions: true }],
	['text as latitude', 'location', { lat: 'north', lng: 1 }],
	['text as longitude', 'location', { lat: 1, lng: 'west' }],
	['text as contact', 'contact', 'Ana'],
	['an unknown member in the contact', 'contact', { phone: '1' }],
	['another kind of name', 'contact', { name: true }],
	['another kind of e-mail', 'contact', { email: {} }],
	['another kind of phone', 'contact', { phonenumber: [] }],
	['packages that are no list', 'packages', { name: 'Box' }],
	['an unknown member in a package', 'packages', [{ colour: 'red' }]],
	['another kind of package ID', 'packages', [{ id: true }]],
	['another kind of package name', 'packages', [{ name: [] }]],
	['a broken quantity', 'packages', [{ qty: 1.5 }]],
	['text as weight', 'packages', [{ weight: '2 kg' }]],
	['a number as size', 'packages', [{ size: 2 }]],
	['another kind of price', 'packages', [{ price: true }]],
	['text as cash on delivery', 'cod', 'all of it'],
	['too long a reference ID', 'referenceId', 'r'.repeat(limits.referenceIdLength + 1)],
	['tags to add by name', 'addTags', ['gift']],
	['a tag to add that is no list', 'addTags', 12],
	['tags to remove by name', 'removeTags', ['gift']],
	['a broken tag to remove', 'removeTags', [1.5]],
];

/** The value with the member at a path made another. */
function changed(value: unknown, [step, ...rest]: string[], to: unknown): unknown {
	if (step === undefined) return to;
	if (Array.isArray(value))
		return value.map((entry: unknown, position) =>
			position === Number(step) ? changed(entry, rest, to) : entry,
		);
	const members = z.record(z.string(), z.unknown()).parse(value);
	return { ...members, [step]: changed(members[step], rest, to) };
}

/** Breaks any valid value as its kind's schema gives it, and looks what both sides say. */
function breakOne(
	kind: keyof typeof sides,
	[, path, to]: BrokenRule,
	look: (broken: unknown) => void,
): void {
	fc.assert(
		fc.property(valid[kind], (value) => {
			const checked = sides[kind].check(value);
			if (checked.ok) look(changed(checked.value, path.split('.'), to));
		}),
		{ numRuns: 10 },
	);
}

describe.each([
	['delivery', brokenDeliveries],
	['changes', brokenChanges],
] as const)('a %s that breaks a single rule is refused by both:', (kind, rules) => {
	test.each(rules)('%s', (...rule) => {
		breakOne(kind, rule, (broken) => {
			expect([sides[kind].check(broken).ok, sides[kind].allows(broken)]).toEqual([false, false]);
		});
	});
});

/** What the document allows, or does not say, and we refuse before it is sent. */
const stricterDeliveries: BrokenRule[] = [
	['no package at all', 'packages', []],
	...places([
		['blank name', '.contact.name', ' '],
		['blank address', '.location', { address: ' ' }],
		['without any component', '.location', { address: {} }],
		['blank component', '.location', { address: { city: '' } }],
		['latitude alone', '.location', { address: 'x', lat: '1' }],
		['longitude alone', '.location', { address: 'x', lng: '1' }],
		['latitude beyond the pole', '.location', { address: 'x', lat: '90.5', lng: '1' }],
		['longitude beyond the date line', '.location', { address: 'x', lat: '1', lng: '-180.5' }],
		['coordinates in words', '.location', { address: 'x', lat: 'north', lng: 'west' }],
		['warehouse 0', '.location', { warehouse: 0 }],
	]),
	['blank package name', 'packages.0.name', ''],
	['blank name of extra data', 'extraData', [{ name: '', value: '' }]],
];

const stricterChanges: BrokenRule[] = [
	['blank address', 'location', { address: ' ' }],
	['latitude alone', 'location', { lat: 1 }],
	['latitude beyond the pole', 'location', { lat: -91, lng: 1 }],
	['broken e-mail', 'contact', { email: 'ana' }],
	['blank name', 'contact', { name: '' }],
	['no package at all', 'packages', []],
	['negative quantity', 'packages', [{ qty: -1 }]],
	['negative weight', 'packages', [{ weight: -1 }]],
	['negative price', 'packages', [{ price: -1 }]],
	['unknown size', 'packages', [{ size: 'xxl' }]],
	['negative cash on delivery', 'cod', -1],
	['blank reference ID', 'referenceId', ' '],
	['no tag to add', 'addTags', []],
	['tag 0', 'removeTags', [0]],
];

describe.each([
	['delivery', stricterDeliveries],
	['changes', stricterChanges],
] as const)('for a %s we are stricter than the document with', (kind, rules) => {
	test.each(rules)('%s', (...rule) => {
		breakOne(kind, rule, (value) => {
			expect([sides[kind].check(value).ok, sides[kind].allows(value)]).toEqual([false, true]);
		});
	});
});

describe('a request as a whole', () => {
	const one = delivery({ packages: [pack()] });

	test('holds as many deliveries as our limit says, and no more', () => {
		const deliveries = Array.from({ length: limits.deliveriesPerRequest }, () => one);
		expect(allows('CreationRequest', { deliveries })).toBe(true);
		expect(allows('CreationRequest', { deliveries: [...deliveries, one] })).toBe(false);
	});

	test.each(['slot', 'flex', 'express', 'fast', 'SLOT', '', 1])(
		'has the type %j or not',
		(type) => {
			const allowed = allows('CreationRequest', { deliveries: [one], type });
			expect(deliveryTypeSchema.safeParse(type).success).toBe(allowed);
		},
	);

	test.each([1, 42, 0, -1, 1.5, true])('has the company %j or not', (companyId) => {
		const allowed = allows('CreationRequest', { deliveries: [one], companyId });
		expect(companyIdSchema.safeParse(companyId).success).toBe(allowed);
	});

	test('to update is for as many deliveries as our limit says, and no more', () => {
		const ids = Array.from({ length: limits.deliveriesPerUpdate }, (_, number) => `d${number}`);
		for (const kind of ['deliveryIds', 'referenceIds'] as const) {
			expect(targetSchemas[kind].parse(ids)).toEqual(ids);
			expect(allows('UpdateRequest', { [kind]: ids, deliveryChanges: {} })).toBe(true);
			expect(allows('UpdateRequest', { [kind]: [...ids, 'd'], deliveryChanges: {} })).toBe(false);
		}
	});

	test('to update names its deliveries in one way, and says what to change', () => {
		const names = { deliveryIds: ['d1'], referenceIds: ['r1'] };
		expect(allows('UpdateRequest', { ...names, deliveryChanges: {} })).toBe(false);
		expect(allows('UpdateRequest', { deliveryChanges: {} })).toBe(false);
		expect(allows('UpdateRequest', { deliveryIds: ['d1'] })).toBe(false);
	});

	test.each(['recalculatePrice', 'reorderRoute', 'recalculateCity'])(
		'may have the flag %s',
		(flag) => {
			const body = { deliveryIds: ['d1'], deliveryChanges: {} };
			for (const value of [true, false])
				expect(allows('UpdateRequest', { ...body, [flag]: value })).toBe(true);
			expect(allows('UpdateRequest', { ...body, [flag]: 'true' })).toBe(false);
		},
	);
});
