import { inspect } from 'node:util';

import fc from 'fast-check';
import { z } from 'zod';

import { quickParse } from '../../../nodes/DeliveryService/service/quick';
import {
	deliveryChangesSchema,
	deliverySchema,
} from '../../../nodes/DeliveryService/service/schemas';
import { orderMappingSchema } from '../../../nodes/DeliveryService/shopify/mapping';
import { orderSchema } from '../../../nodes/DeliveryService/shopify/order';
import { delivery, pack, place } from '../../support/sampleDelivery';
import { payableInCash, refund, shopifyOrder } from '../../support/shopifyOrders';

const everything = {
	...{ referenceId: '#1', tags: ['a', ' b '], cod: '5.5' },
	extraData: [{ name: 'Gift', value: '', searchable: true }],
	packages: [pack({ weight: '1.5', price: 3, id: 7 })],
	dropoff: place({ address: { city: 'Springfield', state: '' }, lat: '39.7', lng: -89.6 }),
};

/** Schemas, and values that they take. */
const subjects: Array<[string, z.ZodType<unknown, z.ZodTypeDef, unknown>, object[]]> = [
	[
		'a delivery',
		deliverySchema,
		[delivery(), delivery(everything), delivery({ dropoff: place({ warehouse: '7' }) })],
	],
	[
		'changes',
		deliveryChangesSchema,
		[
			{ location: { address: 'A', lat: 1, lng: '2' }, contact: { name: 5 }, packages: [pack()] },
			{ cod: 0, referenceId: 'R', addTags: ['1', 2], removeTags: [3] },
		],
	],
	[
		'an order',
		orderSchema,
		[
			shopifyOrder(),
			shopifyOrder(payableInCash),
			shopifyOrder({
				refunds: [refund(13200000000037, 1)],
				note_attributes: [{ name: 'a', value: 1 }],
			}),
		],
	],
	[
		'the options of orders',
		orderMappingSchema,
		[
			{},
			{
				packageSize: { by: 'weight', limits: [{ upToKg: '2', size: 'S' }] },
				overrides: { name: 'A' },
			},
		],
	],
];

const values = fc.oneof(
	fc.jsonValue({ maxDepth: 2 }),
	fc.constantFrom<unknown>(
		undefined,
		null,
		'',
		' ',
		'a@b.example',
		'xl',
		'1',
		'-1',
		'1e3',
		-0,
		NaN,
	),
	fc.constantFrom<unknown>(Infinity, 1.5, 101, [''], [null], {}, new Date(0), new Map(), () => 1),
	fc.string({ minLength: 39, maxLength: 52 }),
);

/** The value with a member changed, added or left out, somewhere in it. */
function changed(value: unknown, [step = 0, ...steps]: readonly number[], to: unknown): unknown {
	if (typeof value !== 'object' || value === null) return to;
	const copy: Record<string, unknown> = { ...value };
	const names = [...Object.keys(copy), 'extra'];
	const name = names[step % names.length] ?? 'extra';
	const member = steps.length > 0 ? changed(copy[name], steps, to) : to;
	if (member === 'left out') delete copy[name];
	else copy[name] = member;
	return Array.isArray(value) ? Object.values(copy) : copy;
}

const steps = fc.array(fc.nat(60), { minLength: 1, maxLength: 4 });
const changes = fc.array(fc.tuple(steps, fc.oneof(values, fc.constant('left out'))), {
	maxLength: 3,
});

test.each(subjects)('%s is read as zod reads it', (_, schema, samples) => {
	let right = 0;
	fc.assert(
		fc.property(fc.constantFrom(...samples), changes, (sample, made) => {
			const value = made.reduce<unknown>((one, [path, to]) => changed(one, path, to), sample);
			const expected = schema.safeParse(value);
			const read = quickParse(schema, value);
			if (expected.success) right++;
			expect(read.data).toStrictEqual(expected.data);
			// With members in the same order.
			expect(inspect(read.data)).toBe(inspect(expected.data));
			expect(read.error?.issues).toEqual(expected.error?.issues);
		}),
		{ numRuns: 1500 },
	);
	expect(right).toBeGreaterThan(300);
});

describe('a schema of another kind', () => {
	test.each([
		['text with a pattern', z.string().regex(/^a/), ['a', 'b', 1]],
		['coerced text', z.coerce.string(), ['a', 1, null]],
		['text with an end', z.string().max(2), ['ab', 'abc']],
		['a coerced number', z.coerce.number().min(2), ['2', 1, 'a']],
		['a number above another', z.number().gt(2), [2, 3]],
		['a multiple', z.number().multipleOf(2), [2, 3]],
		['a list with an end', z.array(z.unknown()).max(1), [[], [1], [1, 2]]],
		['a pair', z.array(z.unknown()).length(2), [[1], [1, 2]]],
		['an object that keeps what it does not know', z.object({}).passthrough(), [{ a: 1 }, 5]],
		['an object with others of a kind', z.object({}).catchall(z.number()), [{ a: 1 }, { a: 'b' }]],
		['a union', z.union([z.string(), z.number()]), ['a', 1, true]],
		['a default', z.number().default(3), [undefined, 4, 'a']],
		['a record', z.record(z.number()), [{ a: 1 }, { a: 'b' }]],
		['a nullable', z.number().nullable(), [null, 1, undefined]],
		[
			'a refused preparation',
			z.preprocess((value, context) => {
				if (value === 1) context.addIssue({ code: 'custom', message: 'is one' });
				return value;
			}, z.number()),
			[1, 2],
		],
	])(
		'is left to zod: %s',
		(_, schema: z.ZodType<unknown, z.ZodTypeDef, unknown>, given: unknown[]) => {
			for (const value of given) expect(quickParse(schema, value)).toEqual(schema.safeParse(value));
		},
	);
});
