import { z } from 'zod/v4';

import { serviceLabels, validate } from '../../../nodes/DeliveryService/service/validation';

function problemOf(schema: z.ZodType, value: unknown) {
	const checked = validate(schema, value, 'Order', serviceLabels);
	return checked.ok ? undefined : checked.problem;
}

describe('validating a valid value', () => {
	test('removes fields that are null or undefined at every depth', () => {
		const value = { a: null, b: undefined, c: { d: null, e: 0 }, f: [{ g: null, h: '' }, 1] };
		expect(validate(z.unknown(), value, 'Order', serviceLabels)).toEqual({
			ok: true,
			value: { c: { e: 0 }, f: [{ h: '' }, 1] },
		});
	});

	test('removes list entries that are null or undefined', () => {
		const value = { list: [null, 1, [undefined, 2], { a: null }] };
		expect(validate(z.unknown(), value, 'Order', serviceLabels)).toEqual({
			ok: true,
			value: { list: [1, [2], {}] },
		});
	});
});

describe('the message of a broken rule', () => {
	test.each<[string, z.ZodTypeAny, unknown, string]>([
		['a missing field', z.string(), undefined, 'Size is missing'],
		['a field that is null', z.string(), null, 'Size is missing'],
		['a number instead of text', z.string(), 5, 'Size 5 is not text'],
		['text instead of a number', z.number(), 'five', 'Size "five" is not a number'],
		...['12,50', '1,234.50', '-1.234,5'].map((text): [string, z.ZodTypeAny, unknown, string] => [
			`the number ${text}`,
			z.number(),
			text,
			`Size "${text}" is not a number. Write decimals with a point, without commas`,
		]),
		['a fractional number', z.number().int(), 1.5, 'Size 1.5 is not a whole number'],
		['an infinite number', z.number().finite(), Infinity, 'Size Infinity is not a number'],
		['text instead of a boolean', z.boolean(), 'yes', 'Size "yes" is not true or false'],
		['text instead of an object', z.object({}), 'x', 'Size "x" is not an object'],
		[
			'an object instead of a list',
			z.array(z.string()),
			{ a: 1 },
			'Size must be a list, not a single object. Put it in square brackets: [ ... ]',
		],
		['a list instead of an object', z.object({}), [{}], 'Size must be a single object, not a list'],
		['text instead of a list', z.array(z.string()), 'x', 'Size "x" is not a list'],
		['a list instead of text', z.string(), [1, 2], 'Size (a list) is not text'],
		['text outside an enum', z.enum(['s', 'm']), 'xxl', 'Size "xxl" is not one of s, m'],
		['a number instead of an enum value', z.enum(['s', 'm']), 3, 'Size 3 is not one of s, m'],
		['an invalid email address', z.string().email(), 'ana', 'Size "ana" is not an email address'],
		['a number below the minimum', z.number().min(1), 0, 'Size 0 is less than 1'],
		['a number above the maximum', z.number().max(90), 91, 'Size 91 is more than 90'],
		['empty text', z.string().min(1), '', 'Size is empty'],
		['an empty list', z.array(z.string()).min(1), [], 'Size: at least one is required'],
		['text that is too long', z.string().max(2), 'abc', 'Size "abc" is longer than 2 characters'],
		[
			'a custom rule',
			z.string().refine(() => false, { message: 'is not in stock' }),
			'abc',
			'Size is not in stock',
		],
	])('names the field, the value and the rule for %s', (_, schema, value, message) => {
		expect(problemOf(z.object({ size: schema }), { size: value })).toEqual({
			message,
			description: undefined,
		});
	});

	test('names the subject when the whole value is invalid', () => {
		expect(problemOf(z.object({}), 'x')?.message).toBe('Order "x" is not an object');
		expect(problemOf(z.object({}), null)?.message).toBe('Order null is not an object');
		expect(problemOf(z.object({}), undefined)?.message).toBe('Order is missing');
	});

	test('shortens quoted text to 60 characters', () => {
		const schema = z.object({ size: z.number() });
		expect(problemOf(schema, { size: 'x'.repeat(60) })?.message).toBe(
			`Size "${'x'.repeat(60)}" is not a number`,
		);
		expect(problemOf(schema, { size: 'x'.repeat(61) })?.message).toBe(
			`Size "${'x'.repeat(60)}..." is not a number`,
		);
	});

	test('lists other broken rules in the description', () => {
		const schema = z.object({ name: z.string(), qty: z.number(), size: z.enum(['s']) });
		expect(problemOf(schema, { qty: 'x', size: 'xl' })).toEqual({
			message: 'Name is missing',
			description: 'Also: Quantity "x" is not a number. Also: Size "xl" is not one of s.',
		});
	});

	test('exists even for a rule without a message', () => {
		const ruleWithoutMessage = z.unknown().transform((value, context) => {
			context.addIssue({ code: 'custom' });
			return value;
		});
		expect(problemOf(ruleWithoutMessage, 1)?.message).toMatch(/^Order .+/);
	});
});
