import { z } from 'zod/v4';

import { serviceLabels } from '../../../nodes/DeliveryService/service/labels';
import { validate } from '../../../nodes/DeliveryService/service/validation';

function problemOf(schema: z.ZodType, value: unknown) {
	const checked = validate(schema, value, 'Order', serviceLabels);
	return checked.ok ? undefined : checked.problem;
}

const nothingSent = 'Nothing was sent for this item.';

describe('a value that fits', () => {
	test('comes back normalised', () => {
		const schema = z.object({ name: z.string().trim() });
		expect(validate(schema, { name: ' Ana ' }, 'Order', serviceLabels)).toEqual({
			ok: true,
			value: { name: 'Ana' },
		});
	});

	test('loses members that are null or undefined, at every depth', () => {
		const value = { a: null, b: undefined, c: { d: null, e: 0 }, f: [{ g: null, h: '' }, 1] };
		expect(validate(z.unknown(), value, 'Order', serviceLabels)).toEqual({
			ok: true,
			value: { c: { e: 0 }, f: [{ h: '' }, 1] },
		});
	});

	test('is without the entries of a list that are null', () => {
		const value = { list: [null, 1, [undefined, 2], { a: null }] };
		expect(validate(z.unknown(), value, 'Order', serviceLabels)).toEqual({
			ok: true,
			value: { list: [1, [2], {}] },
		});
	});

	test('is not changed itself', () => {
		const value = Object.freeze({ a: null, list: Object.freeze([1]) });
		validate(z.unknown(), value, 'Order', serviceLabels);
		expect(value).toEqual({ a: null, list: [1] });
	});
});

describe('the message of a broken rule', () => {
	test.each<[string, z.ZodTypeAny, unknown, string]>([
		['a missing member', z.string(), undefined, 'Size is missing'],
		['a member that is null', z.string(), null, 'Size is missing'],
		['another kind than text', z.string(), 5, 'Size 5 is not text'],
		['another kind than a number', z.number(), 'five', 'Size "five" is not a number'],
		['a broken number', z.number().int(), 1.5, 'Size 1.5 is not a whole number'],
		['an endless number', z.number().finite(), Infinity, 'Size Infinity is not a number'],
		['another kind than a boolean', z.boolean(), 'yes', 'Size "yes" is not true or false'],
		['another kind than an object', z.object({}), 'x', 'Size "x" is not an object'],
		[
			'an object where a list is meant',
			z.array(z.string()),
			{ a: 1 },
			'Size must be a list, not a single object. Put it in square brackets: [ ... ]',
		],
		['another kind than a list', z.array(z.string()), 'x', 'Size "x" is not a list'],
		['a list where text is meant', z.string(), [1, 2], 'Size (a list) is not text'],
		['text outside an enumeration', z.enum(['s', 'm']), 'xxl', 'Size "xxl" is not one of s, m'],
		['another kind than the enumeration', z.enum(['s', 'm']), 3, 'Size 3 is not one of s, m'],
		['text that is no e-mail', z.string().email(), 'ana', 'Size "ana" is not an email address'],
		['too small a number', z.number().min(1), 0, 'Size 0 is less than 1'],
		['too big a number', z.number().max(90), 91, 'Size 91 is more than 90'],
		['empty text', z.string().min(1), '', 'Size is empty'],
		['an empty list', z.array(z.string()).min(1), [], 'Size: at least one is required'],
		['too long text', z.string().max(2), 'abc', 'Size "abc" is longer than 2 characters'],
		[
			'a rule of its own',
			z.string().refine(() => false, { message: 'is of no use' }),
			'abc',
			'Size is of no use',
		],
	])('names the field, the value and the rule for %s', (_, schema, value, message) => {
		expect(problemOf(z.object({ size: schema }), { size: value })).toEqual({
			message,
			description: nothingSent,
		});
	});

	test('names the subject when the value as a whole is wrong', () => {
		expect(problemOf(z.object({}), 'x')?.message).toBe('Order "x" is not an object');
		expect(problemOf(z.object({}), null)?.message).toBe('Order null is not an object');
		expect(problemOf(z.object({}), undefined)?.message).toBe('Order is missing');
	});

	test('numbers the entry of a list', () => {
		const schema = z.object({ packages: z.array(z.object({ size: z.enum(['s']) })) });
		const value = { packages: [{ size: 's' }, { size: 'xxl' }] };
		expect(problemOf(schema, value)?.message).toBe('Package 2 size "xxl" is not one of s');
	});

	test('cuts long text short, and leaves text of 60 characters whole', () => {
		const schema = z.object({ size: z.number() });
		expect(problemOf(schema, { size: 'x'.repeat(60) })?.message).toBe(
			`Size "${'x'.repeat(60)}" is not a number`,
		);
		expect(problemOf(schema, { size: 'x'.repeat(61) })?.message).toBe(
			`Size "${'x'.repeat(60)}..." is not a number`,
		);
	});

	test('tells further broken rules in the description', () => {
		const schema = z.object({ name: z.string(), qty: z.number(), size: z.enum(['s']) });
		expect(problemOf(schema, { qty: 'x', size: 'xl' })).toEqual({
			message: 'Name is missing',
			description: `Also: Quantity "x" is not a number. Also: Size "xl" is not one of s. ${nothingSent}`,
		});
	});

	test('is there even when the rule gives no reason', () => {
		const silent = z.unknown().transform((value, context) => {
			context.addIssue({ code: 'custom' });
			return value;
		});
		expect(problemOf(silent, 1)?.message).toMatch(/^Order .+/);
	});
});
