import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import manifest from '../../package.json';
import { evaluated, parametersOf } from '../support/examples';

const home = manifest.homepage.split('#')[0] ?? '';
const setSchema = z.object({
	assignments: z.object({
		assignments: z.array(z.object({ name: z.string(), value: z.string() })),
	}),
});

const conditionSchema = z.object({
	leftValue: z.string(),
	rightValue: z.string(),
	operator: z.object({ operation: z.string() }),
});

/** The email that an example sends for its first item. */
function emailOf(file: string, json: IDataObject, outputs?: Record<string, IDataObject[]>) {
	const { subject, text } = parametersOf(file, 'Email the Owner');
	return {
		subject: evaluated(subject, json, { outputs }),
		text: z.string().parse(evaluated(text, json, { outputs })),
	};
}

const troubleshooting = '/docs/troubleshooting.md#';

test.each([
	'shopify-webhook-to-deliveries',
	'shopify-orders-to-deliveries',
	'renew-the-shopify-token',
	'morning-report',
])('the email of %s says to publish it again if n8n could not start its trigger', (file) => {
	const error = { message: 'Invalid API key' };
	const { subject, text } = emailOf(file, { trigger: { error }, workflow: { name: 'Mugs' } });
	expect(subject).toMatch(/Invalid API key|not renewed|report failed/);
	expect(text).toMatch(
		/^Invalid API key\n[^]*What to do:\n1\. .*\n?.*ublish (it|the workflow) again/,
	);
	expect(text).not.toMatch(/undefined|Execution|executions|ently saved/);
});

test.each([
	['shopify-webhook-to-deliveries', { rejected: [{}] }, 'send-an-order-again'],
	['shopify-webhook-to-deliveries', { unknown: [{}] }, 'unknown-delivery'],
	['shopify-orders-to-deliveries', { rejected: [{}] }, 'send-an-order-again'],
	['shopify-orders-to-deliveries', { unknown: [{}] }, 'unknown-delivery'],
])('the email of %s about %j links the help about %s', (file, data, anchor) => {
	const error = { message: '#1001 failed', context: { data } };
	const { text } = emailOf(file, { execution: { url: 'https://n8n.example/1', error } });
	expect(text.endsWith(`\nHelp: ${home}/blob/main${troubleshooting}${anchor}`)).toBe(true);
});

describe('the email of "Shopify webhook to deliveries"', () => {
	const failed = (data = {}) => ({
		execution: {
			url: 'https://n8n.example/workflow/7/executions/12',
			error: { message: '#1001 was not created', description: '', context: { data } },
		},
	});

	test('tells the owner to retry a failed order only if Shopify has no correction', () => {
		const { text } = emailOf('shopify-webhook-to-deliveries', failed());
		expect(text).toContain(
			'\n2. If you corrected the order in Shopify, follow the help below. If not, open the execution and choose "Retry with currently saved workflow".\n',
		);
		expect(text).not.toContain('3.');
	});

	test('tells the owner of an unknown delivery to run Allow Resending before the retry', () => {
		const { text } = emailOf('shopify-webhook-to-deliveries', failed({ unknown: [{}] }));
		expect(text).toContain(
			'\n2. If it is not there, run the operation Allow Resending for it. Then open the execution and choose "Retry with currently saved workflow".\n',
		);
	});
});

describe('the email of "Fulfillment orders to deliveries"', () => {
	const row = (orderName: string, whatToDo: string, status = 'not created') => {
		return { orderName, whatToDo, status, message: 'Failed', deliveryId: '' };
	};
	const emailAbout = (rows: IDataObject[]) =>
		emailOf('fulfillment-orders-to-deliveries', rows[0]!, {
			'Needs Attention?': rows,
			Settings: [{ shopSubdomain: 'mugs' }],
			'New Shopify Order': [{ id: 5600 }],
		});
	/** Each condition of "Needs Attention?" for an item. */
	const needsAttention = (json: IDataObject) =>
		z
			.object({ conditions: z.object({ conditions: z.array(conditionSchema) }) })
			.parse(parametersOf('fulfillment-orders-to-deliveries', 'Needs Attention?'))
			.conditions.conditions.map(({ leftValue, rightValue, operator }) => {
				const value = evaluated(leftValue, json);
				return operator.operation === 'notEmpty' ? value !== '' : value === rightValue;
			});
	/** The row that the workflow saves for a result of "Create Delivery". */
	const savedResult = (json: IDataObject, outputs: Record<string, IDataObject[]>) => {
		const { columns } = z
			.object({ columns: z.object({ value: z.record(z.string()) }) })
			.parse(parametersOf('fulfillment-orders-to-deliveries', 'Save Result'));
		const { message, whatToDo, solved } = columns.value;
		const [text, advice, state] = [message, whatToDo, solved].map((value) =>
			evaluated(value, json, { outputs }),
		);
		return { message: text, whatToDo: advice, solved: state };
	};

	test('counts an order with two fulfillment orders once', () => {
		const parts = [row('#1001', 'Correct it'), row('#1001', 'Correct it')];
		expect(emailAbout(parts).subject).toBe('Order #1001 needs you');
		const { subject } = emailAbout([...parts, row('#1002', 'Correct it')]);
		expect(subject).toBe('2 orders need you: #1001, #1002');
	});

	test('says what to do for each fulfillment order, and the same only once', () => {
		const rows = [
			row('#1001', 'Correct it'),
			row('#1002', 'Search for #1002-5', 'unknown'),
			row('#1003', 'Correct it'),
		];
		expect(emailAbout(rows).text).toContain(
			'What to do:\n1. Correct it\n2. Search for #1002-5\n3. To send now what was not sent,',
		);
	});

	test.each([
		[{ error: 'Not Found' }, 'Not Found', 'Check the Shopify credential, the scopes of its app'],
		[
			{ data: { order: null } },
			'it has no such order',
			'If it is of more than 60 days, add the scope',
		],
	])('says what to check if Shopify returns %j instead of the order', (item, problem, advice) => {
		expect(needsAttention(item)).toContain(true);
		const { subject, text } = emailAbout([item]);
		expect(subject).toBe('An order was not sent');
		const start = `An order could not be read from Shopify: ${problem}\n\nWhat to do:\n1. ${advice}`;
		expect(text.startsWith(start)).toBe(true);
		expect(text).toContain('\n2. To send now');
		expect(text).toContain('/admin/orders/5600\n');
	});

	test('reports every result that needs the owner, with what to do', () => {
		const older = { 'Reserve for This Workflow': [{ createdAt: '2026-11-24T00:00:00Z' }] };
		const method = 'If Pago al mensajero is cash on delivery, add it to Cash on Delivery Methods.';
		const skipped = { outcome: 'skipped', referenceId: '#1001-5', message: 'It is not paid yet.' };
		const moved = { ...skipped, reason: 'alreadyCreated', actionNeeded: 'Check the delivery.' };
		const stopped = { ...moved, actionNeeded: '' };
		const rejected = { ...skipped, outcome: 'rejected', actionNeeded: method };
		for (const [result, solved, message, whatToDo] of [
			[{ ...skipped, actionNeeded: '' }, '', skipped.message, ''],
			[{ ...skipped, actionNeeded: method }, 'no', skipped.message, method],
			[rejected, 'no', `${skipped.message} ${method}`, expect.stringMatching(/^Correct the cause/)],
			[
				moved,
				'no',
				'#1001-5 was already sent',
				expect.stringMatching(/^Check the delivery\. .*yes/),
			],
			[
				stopped,
				'no',
				'#1001-5 was already sent, but n8n lost its delivery ID',
				expect.stringMatching(/^Search for #1/),
			],
		] as const)
			expect(savedResult(result, older)).toMatchObject({ solved, message, whatToDo });
		const { whatToDo } = savedResult({ ...skipped, outcome: 'unknown' }, older);
		expect(whatToDo).toContain(`${troubleshooting}unknown-delivery`);
	});
});

describe('the email of "Morning report"', () => {
	/** What a node of the report adds to an item, in the given fields. */
	const added = (node: string, json: IDataObject, fields: string[]): IDataObject => {
		const { assignments } = setSchema.parse(parametersOf('morning-report', node)).assignments;
		const wanted = assignments.filter(({ name }) => fields.includes(name));
		const values = wanted.map(({ name, value }) => [name, evaluated(value, json)] as const);
		return { ...json, ...Object.fromEntries(values) };
	};
	const details = (json: IDataObject) => added('Details', json, ['failures', 'reasons']);

	test.each([
		[{ status: 'error', data: { resultData: { error: { message: 'No key' } } } }, '42: No key'],
		[{ status: 'crashed' }, '42: crashed, so its order may have no delivery'],
		[{ status: 'canceled', data: null }, '42: canceled, so its order may have no delivery'],
	])('lists the execution %j under Failed', (execution, expected) => {
		const collected = added('Collect Results', { id: '42', ...execution }, ['failed', 'ended']);
		expect(added('Summary', collected, ['failed']).failed).toEqual([expected]);
		const retried = { id: '42', ...execution, retrySuccessId: '43' };
		const { failed, ended } = added('Collect Results', retried, ['failed', 'ended']);
		expect([failed, ended]).toEqual([[], []]);
	});

	test('names the execution only of what failed as a whole, and spells canceled as Shopify does', () => {
		const { text } = emailOf(
			'morning-report',
			details({
				quiet: 'No order from Shopify for 24 hours.',
				failed: ['42: The credential is wrong'],
				orders: [
					{ outcome: 'created', referenceId: '#1001', actionNeeded: 'Look at it' },
					{ outcome: 'skipped', reason: 'cancelled' },
					{ outcome: 'rejected', message: '#1004 was not created: no email' },
				],
			}),
		);
		expect(text).toContain(`Check the connection: https://`);
		expect(text).toContain(`${troubleshooting}an-order-has-no-delivery\n`);
		expect(text).toContain('Sent in the last 24 hours: 1\nSkipped: canceled 1\n');
		expect(text).toContain('Needs you:\n#1001: Look at it\n');
		expect(text).toContain(
			'Failed:\nExecution 42: The credential is wrong\n#1004 was not created: no email\n',
		);
	});

	test('says what to check if the report itself fails, and nothing about deliveries', () => {
		const url = 'https://n8n.example/workflow/7/executions/12';
		const { subject, text } = emailOf('morning-report', {
			execution: { url, error: { message: 'Unauthorized' } },
		});
		expect(subject).toBe('The morning report failed');
		expect(text).toMatch(/^Unauthorized\n\nWhat to do:\n1\. Check .*n8n API.*Get Executions/);
		expect(text).toContain(url);
		expect(text).not.toMatch(/Needs you|Failed:|Sent in/);
	});
});
