/**
 * Compares our schemas with the local service's OpenAPI file. Both were written independently from the
 * API document (sections 2.1 to 2.5, 4.1, 4.2 and 8): where one rejects what the other allows, one of
 * them is wrong, or we are stricter on purpose.
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
			.filter((value) => visible.test(value) && value.length <= longest),
		fc.string({ unit: fc.constantFrom(...'aZ9#-é漢'), minLength: longest, maxLength: longest }),
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

/** A violated rule: its description, the path of the invalid field and the field's value. */
type BrokenRule = [description: string, path: string, value: unknown];

const missing = undefined;

function places(brokenRules: BrokenRule[]): BrokenRule[] {
	return ['pickup', 'dropoff'].flatMap((side) =>
		brokenRules.map(([description, path, value]): BrokenRule => [
			`${side} ${description}`,
			`${side}${path}`,
			value,
		]),
	);
}

const brokenDeliveries: BrokenRule[] = [
	['no pickup', 'pickup', missing],
	['no dropoff', 'dropoff', missing],
	['no packages', 'packages', missing],
	['an unknown field', 'color', 'red'],
	...places([
		['that is text', '', 'Dock 4'],
		['without contact', '.contact', missing],
		['without location', '.location', missing],
		['with an unknown field', '.color', 'red'],
		['with a list as contact', '.contact', []],
		['with an unknown field in the contact', '.contact.color', 'red'],
		['without name', '.contact.name', missing],
		['with the wrong type of name', '.contact.name', true],
		['with an invalid email', '.contact.email', 'ana'],
		['with an email without host', '.contact.email', 'ana@'],
		['with an email with a space', '.contact.email', 'a na@mail.example'],
		['with the wrong type of phone', '.contact.phonenumber', { number: 1 }],
		['with text as location', '.location', 'Dock 4'],
		['with neither address nor warehouse', '.location', {}],
		['with only coordinates', '.location', { lat: '1', lng: '1' }],
		['with address and warehouse', '.location', { address: 'Dock 4', warehouse: 7 }],
		['with components and warehouse', '.location', { address: { city: 'x' }, warehouse: 7 }],
		['with an unknown field in the location', '.location.color', 'red'],
		['with the wrong type of address', '.location', { address: true }],
		['with a list as address', '.location', { address: ['Dock 4'] }],
		['with an unknown component', '.location', { address: { city: 'x', zip: '1' } }],
		['with the wrong type of component', '.location', { address: { city: { name: 'x' } } }],
		['with a fractional warehouse', '.location', { warehouse: 7.5 }],
		['with text as warehouse', '.location', { warehouse: 'Dock 4' }],
		['with the wrong type of instructions', '.location.instructions', ['Ring']],
		['with the wrong type of coordinates', '.location', { address: 'x', lat: true, lng: true }],
	]),
	['dropoff without email', 'dropoff.contact.email', missing],
	['packages that are not a list', 'packages', { name: 'Box', qty: 1, size: 's' }],
	['a package that is text', 'packages.0', 'Box'],
	['an unknown field in a package', 'packages.0.color', 'red'],
	['a package without name', 'packages.0.name', missing],
	['a package with the wrong type of name', 'packages.0.name', {}],
	['a package with the wrong type of ID', 'packages.0.id', false],
	['a package without quantity', 'packages.0.qty', missing],
	['a negative quantity', 'packages.0.qty', -1],
	['a fractional quantity', 'packages.0.qty', 1.5],
	['text as quantity', 'packages.0.qty', 'two'],
	['a package without size', 'packages.0.size', missing],
	['an unknown size', 'packages.0.size', 'xxl'],
	['a fraction as size', 'packages.0.size', 1.5],
	['a negative weight', 'packages.0.weight', -0.1],
	['text as weight', 'packages.0.weight', '2 kg'],
	['a negative price', 'packages.0.price', -0.1],
	['the wrong type of price', 'packages.0.price', true],
	['a reference ID that is too long', 'referenceId', 'r'.repeat(limits.referenceIdLength + 1)],
	['the wrong type of reference ID', 'referenceId', ['r']],
	['tags that are text', 'tags', 'gift'],
	['a tag that is too long', 'tags', ['gift', 't'.repeat(limits.tagLength + 1)]],
	['the wrong type of tag', 'tags', [{ name: 'gift' }]],
	['extra data that is not a list', 'extraData', { name: 'a', value: 'b' }],
	['extra data without name', 'extraData', [{ value: 'b' }]],
	['extra data without value', 'extraData', [{ name: 'a' }]],
	['an unknown field in extra data', 'extraData', [{ name: 'a', value: 'b', color: 'red' }]],
	['the wrong type of extra value', 'extraData', [{ name: 'a', value: false }]],
	['text as searchable', 'extraData', [{ name: 'a', value: 'b', searchable: 'true' }]],
	['negative cash on delivery', 'cod', -0.01],
	['text as cash on delivery', 'cod', 'all of it'],
];

const brokenChanges: BrokenRule[] = [
	['an unknown field', 'color', 'red'],
	['text as location', 'location', 'Dock 4'],
	['an unknown field in the location', 'location', { color: 'red' }],
	['a warehouse', 'location', { warehouse: 7 }],
	['address components', 'location', { address: { city: 'x' } }],
	['the wrong type of instructions', 'location', { instructions: true }],
	['text as latitude', 'location', { lat: 'north', lng: 1 }],
	['text as longitude', 'location', { lat: 1, lng: 'west' }],
	['text as contact', 'contact', 'Ana'],
	['an unknown field in the contact', 'contact', { phone: '1' }],
	['the wrong type of name', 'contact', { name: true }],
	['the wrong type of email', 'contact', { email: {} }],
	['the wrong type of phone', 'contact', { phonenumber: [] }],
	['packages that are not a list', 'packages', { name: 'Box' }],
	['an unknown field in a package', 'packages', [{ color: 'red' }]],
	['the wrong type of package ID', 'packages', [{ id: true }]],
	['the wrong type of package name', 'packages', [{ name: [] }]],
	['a fractional quantity', 'packages', [{ qty: 1.5 }]],
	['text as weight', 'packages', [{ weight: '2 kg' }]],
	['a number as size', 'packages', [{ size: 2 }]],
	['the wrong type of price', 'packages', [{ price: true }]],
	['text as cash on delivery', 'cod', 'all of it'],
	['a reference ID that is too long', 'referenceId', 'r'.repeat(limits.referenceIdLength + 1)],
	['tags to add by name', 'addTags', ['gift']],
	['a tag to add that is not a list', 'addTags', 12],
	['tags to remove by name', 'removeTags', ['gift']],
	['a fractional tag to remove', 'removeTags', [1.5]],
];

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

/** Breaks one rule in generated valid values and passes them to an assertion. */
function breakRule(
	kind: keyof typeof rules,
	[, path, to]: BrokenRule,
	assertBroken: (broken: unknown) => void,
): void {
	fc.assert(
		fc.property(valid[kind], (value) => {
			const checked = rules[kind].check(value);
			if (checked.ok) assertBroken(replaceAt(checked.value, path.split('.'), to));
		}),
		{ numRuns: 10 },
	);
}

describe.each([
	['delivery', brokenDeliveries],
	['changes', brokenChanges],
] as const)('rules broken in a %s', (kind, brokenRules) => {
	test.each(brokenRules)('our schema and the OpenAPI file reject %s', (...rule) => {
		breakRule(kind, rule, (broken) => {
			expect([rules[kind].check(broken).ok, rules[kind].allows(broken)]).toEqual([false, false]);
		});
	});
});

/** Allowed or left open by the API document, but rejected by us before sending. */
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
	['a pickup without email', 'pickup.contact.email', missing],
	['an integer as size', 'packages.0.size', 2],
	['blank package name', 'packages.0.name', ''],
	['blank name of extra data', 'extraData', [{ name: '', value: '' }]],
];

const stricterChanges: BrokenRule[] = [
	['blank address', 'location', { address: ' ' }],
	['latitude alone', 'location', { lat: 1 }],
	['latitude beyond the pole', 'location', { lat: -91, lng: 1 }],
	['invalid email', 'contact', { email: 'ana' }],
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
] as const)('stricter rules broken in a %s', (kind, brokenRules) => {
	test.each(brokenRules)('only our schema rejects %s', (...rule) => {
		breakRule(kind, rule, (value) => {
			expect([rules[kind].check(value).ok, rules[kind].allows(value)]).toEqual([false, true]);
		});
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
