import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { evaluated, parametersOf } from '../support/examples';

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

const troubleshooting = '/docs/troubleshooting.md#';

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
		expect(text).toContain(`${troubleshooting}send-an-order-again`);
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
		});

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

	test('says what to check if Shopify does not return the order', () => {
		const { subject, text } = emailAbout([{ error: 'No such order' }]);
		expect(subject).toBe('An order was not sent');
		expect(text).toMatch(/What to do:\n1\. Check the Shopify credential.*\n2\. To send now/);
	});
});

describe('the email of "Morning report"', () => {
	const details = (json: IDataObject): IDataObject => {
		const { assignments } = setSchema.parse(parametersOf('morning-report', 'Details')).assignments;
		const added = assignments.map(({ name, value }): [string, string[]] => [
			name,
			z.array(z.string()).parse(evaluated(value, json)),
		]);
		return { ...json, ...Object.fromEntries(added) };
	};

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
