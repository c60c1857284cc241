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

/** The email that an example sends for its first item. */
function emailOf(file: string, json: IDataObject, outputs?: Record<string, IDataObject[]>) {
	const { subject, text } = parametersOf(file, 'Email the Owner');
	return {
		subject: evaluated(subject, json, { outputs }),
		text: z.string().parse(evaluated(text, json, { outputs })),
	};
}

const troubleshooting = '/docs/email.md#';

test.each([
	['renew-the-shopify-token', 'The Shopify token was not renewed', 'currently saved workflow'],
	['morning-report', 'The morning report failed', 'Check .*n8n API.*Get Executions'],
])(
	'the email of %s says what to do if it fails, or if its trigger does not start',
	(file, title, advice) => {
		const url = 'https://n8n.example/workflow/7/executions/12';
		const error = { message: 'Unauthorized' };
		const workflow = { name: 'Mugs' };
		const failed = emailOf(file, { execution: { url, error }, workflow });
		const notStarted = emailOf(file, { trigger: { error }, workflow });
		for (const { subject, text } of [failed, notStarted]) {
			expect(subject).toBe(title);
			expect(text).toMatch(/^(The reason: )?Unauthorized\n[^]*\nWhat to do:\n1\. /);
			expect(text).not.toMatch(/undefined|Needs you|Failed:|Sent in/);
		}
		expect(failed.text).toMatch(new RegExp(advice));
		expect(failed.text).toContain(url);
		expect(notStarted.text).toMatch(/publish the workflow again/i);
		expect(notStarted.text).not.toMatch(/Execution|executions/);
	},
);

describe.each([
	['shopify-webhook-to-deliveries', 'add a tag to the order in Shopify'],
	['shopify-orders-to-deliveries', 'in Orders to Send and execute Send One Order'],
])('the email of the starter %s', (file, byHand) => {
	const emailAbout = (...items: IDataObject[]) => emailOf(file, items[0]!, { 'Once a Day': items });
	const rowOf = (referenceId: string) => ({
		referenceId,
		customer: 'Ana Torres',
		actionNeeded: `${referenceId} was canceled. Ask the Delivery Service to stop it.`,
		orderUrl: `https://mugs.myshopify.com/admin/orders/5600`,
		help: `${home}/blob/main/docs/email.md#delivery-to-stop`,
	});

	test(`lists rows and failed rows, with their orders and help (${file})`, () => {
		const failed = { message: 'Not the text', error: rowOf('#1002') };
		const { subject, text } = emailAbout(rowOf('#1001'), failed);
		expect(subject).toBe('Action needed: #1001, #1002');
		const parts = ['#1001', '#1002'].map((name) =>
			[`${name}, Ana Torres`, rowOf(name).actionNeeded, rowOf(name).orderUrl, rowOf(name).help]
				.map((line) => `${line}\n`)
				.join(''),
		);
		expect(text.startsWith(`${parts.join('\n')}\nTo send an order by hand: `)).toBe(true);
		expect(text).toContain(byHand);
		expect(text).toMatch(/\nExecution: .*\/workflow\/7\/executions\/12$/);
		expect(text).not.toContain('undefined');
	});

	test(`names the workflow, its failed execution and the help (${file})`, () => {
		const workflow = { name: 'Mugs' };
		const error = { message: 'Unauthorized' };
		const url = 'https://n8n.example/workflow/7/executions/9';
		const failed = emailAbout({ workflow, execution: { url, error } });
		expect(failed.text).toContain(url);
		for (const { subject, text } of [failed, emailAbout({ workflow, trigger: { error } })]) {
			expect(subject).toBe('Action needed: Mugs');
			expect(text).toMatch(/^Unauthorized\n.*#workflow-failed\n\nTo send/);
		}
	});

	test(`is sent for what needs a person, once a day, and not again by the Error Trigger (${file})`, () => {
		const { conditions } = z
			.object({
				conditions: z.object({ conditions: z.array(z.object({ leftValue: z.string() })) }),
			})
			.parse(parametersOf(file, 'Needs Attention?')).conditions;
		const needs = (json: IDataObject) =>
			conditions.some(({ leftValue }) => Boolean(evaluated(leftValue, json)));
		const execution = (lastNodeExecuted: string) => ({
			workflow: { name: 'Mugs' },
			execution: { lastNodeExecuted, error: { message: 'x' } },
		});
		expect(needs(rowOf('#1001'))).toBe(true);
		expect(needs({ actionNeeded: '' })).toBe(false);
		expect(needs({ id: 5600, error: rowOf('#1001') })).toBe(true);
		expect(needs({ id: 5600, error: { actionNeeded: '', repeat: true } })).toBe(false);
		expect(needs(execution('Stop and Error'))).toBe(false);
		expect(needs(execution('Compute Signature'))).toBe(true);
		expect(needs({ workflow: { name: 'Mugs' }, trigger: { error: { message: 'x' } } })).toBe(true);
		const { dedupeValue } = parametersOf(file, 'Once a Day');
		const keys = [rowOf('#1001'), { error: rowOf('#1001') }, rowOf('#1002'), execution('Get')];
		const [row, failed, other, error] = keys.map((json) => evaluated(dedupeValue, json));
		expect(failed).toBe(row);
		expect(new Set([row, other, error]).size).toBe(3);
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
	/** What "Needs Attention?" finds in an item besides `solved`. */
	const problemOf = (json: IDataObject) => {
		const parameters = parametersOf('fulfillment-orders-to-deliveries', 'Needs Attention?');
		const found = /"leftValue":"([^"]*errors[^"]*)"/.exec(JSON.stringify(parameters));
		return evaluated(found?.[1], json);
	};
	/** The row that the workflow saves for a result of "Create Delivery". */
	const savedResult = (json: IDataObject, outputs: Record<string, IDataObject[]>) => {
		const { columns } = z
			.object({ columns: z.object({ value: z.record(z.string()) }) })
			.parse(parametersOf('fulfillment-orders-to-deliveries', 'Save Result'));
		const fields = Object.entries(columns.value).slice(1, 4);
		return Object.fromEntries(
			fields.map(([name, value]) => [name, evaluated(value, json, { outputs })]),
		);
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
		[{ error: 'Not Found' }, 'Not Found', 'Check whether "Renew the Shopify token" failed, then'],
		[
			{ data: { order: null } },
			'it has no such order',
			'If one is older than 60 days, add the scope',
		],
	])('says what to check if Shopify returns %j instead of the order', (item, problem, advice) => {
		expect(problemOf(item)).toBe(problem);
		const { subject, text } = emailAbout([item]);
		expect(subject).toBe('An order was not sent');
		const start = `An order could not be read from Shopify: ${problem}\n\nWhat to do:\n1. ${advice}`;
		expect(text.startsWith(start)).toBe(true);
		expect(text).toContain('\n2. To send now');
		expect(text).toContain('/admin/orders/5600\n');
		const several = emailAbout([item, item]);
		expect(several.text).toContain(`2 orders could not be read from Shopify: ${problem}\n`);
		expect(several.text).toContain('/admin/orders/\n');
	});

	test('reports every result that needs the owner, with what to do', () => {
		const older = { 'Reserve for This Workflow': [{ createdAt: '2026-11-24T00:00:00Z' }] };
		const method = 'If Pay the driver is cash on delivery, add it to Cash on Delivery Methods.';
		const skipped = { outcome: 'skipped', referenceId: '#1001-5', message: 'It is not paid yet.' };
		const moved = { ...skipped, reason: 'alreadyCreated', actionNeeded: 'Check the delivery.' };
		const stopped = { ...moved, actionNeeded: '' };
		const rejected = { ...skipped, outcome: 'rejected', actionNeeded: method };
		const sent = '#1001-5 was already sent';
		for (const [result, solved, message, whatToDo] of [
			[{ ...skipped, actionNeeded: '' }, '', skipped.message, /^$/],
			[{ ...skipped, actionNeeded: method }, 'no', skipped.message, /^If Pay .* Methods\.$/],
			[rejected, 'no', `${skipped.message} ${method}`, /^Correct the cause/],
			[moved, 'no', sent, /^Check the delivery\. Then set solved to yes/],
			[stopped, 'no', `${sent}, but n8n lost its delivery ID`, /^Search for #1001-5 /],
			[{ ...skipped, outcome: 'unknown' }, 'no', skipped.message, /yes\. .*#unknown-delivery$/],
		] as const) {
			const row = savedResult(result, older);
			expect(row).toEqual({ solved, message, whatToDo: expect.stringMatching(whatToDo) });
		}
	});
});

describe('the email of "Repair blacklisted webhooks"', () => {
	const emailAbout = (...checked: IDataObject[]) =>
		emailOf('repair-blacklisted-webhooks', checked[0]!, { 'Once a Day': checked });
	const missing = { reason: 'missing', message: '"Trigger" has no webhook.', workflowId: 'w1' };
	const reactivated = { reactivated: true, message: 'It was reactivated.' };
	const notServed = { reason: 'notServed', reactivated: false, message: 'Nothing uses it.' };

	test('names all that was found, and links workflows to publish again', () => {
		const { subject, text } = emailAbout(reactivated, missing);
		expect(subject).toBe('A workflow gets no events');
		expect(text).toMatch(
			/^It was reactivated\.\n\n"Trigger" has no webhook\.\n.*workflow\/w1\n\nHelp: /,
		);
	});

	test.each([
		['A webhook was reactivated', reactivated],
		['A webhook is not used', notServed],
		['The webhooks could not be checked', { message: 'Gone', error: { message: 'Gone [item 0]' } }],
	])('has the subject "%s" for %j', (subject, found) => {
		const email = emailAbout(found);
		expect(email.subject).toBe(subject);
		expect(email.text).toMatch(/^[\w. ]+\n\nHelp: https:/);
	});

	test.each([[{ error: 'Unauthorized' }], [{ error: { message: 'Unauthorized' } }]])(
		'says that n8n listed no workflows: %j',
		(found) => {
			expect(emailAbout(found).text).toMatch(/^n8n did not list its workflows: Unauthorized\n/);
		},
	);
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

	test('reads from a failed execution what was created, and skipped orders that need you', () => {
		const data = { created: [{ referenceId: '#1' }], skipped: [{ referenceId: '#2' }] };
		const error = { message: '', context: { data } };
		const { sent } = added('Collect Results', { data: { resultData: { error } } }, ['sent']);
		expect(sent).toEqual([{ outcome: 'created', referenceId: '#1' }, { referenceId: '#2' }]);
	});

	test('lists each order that failed, also from the error output and without a reference ID', () => {
		const failed = (referenceId: string, message: string) => ({
			referenceId,
			message,
			outcome: 'x',
		});
		const data = [
			{ json: { message: 'No email', error: { referenceId: '#1', outcome: 'invalid' } } },
			{ json: { message: 'No key', error: { referenceId: '#2', outcome: 'notSent' } } },
			{ json: { error: 'No address' } },
			{ json: failed('', 'No street') },
			{ json: failed('#2', 'Sent later') },
		];
		const runData = { 'Create Delivery': [{ data: { main: [data] } }] };
		const { rows } = added('Collect Results', { data: { resultData: { runData } } }, ['rows']);
		const { orders } = added('Summary', { rows }, ['orders']);
		expect(orders).toMatchObject([
			{ message: 'No email', referenceId: '#1', outcome: 'invalid' },
			{ error: 'No address' },
			{ message: 'No street' },
			{ message: 'Sent later', referenceId: '#2' },
		]);
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
});
