import { DateTime } from 'luxon';
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

/** What the node What to Do of a starter makes of an item. */
function whatToDo(file: string, json: IDataObject): IDataObject {
	const { assignments } = setSchema.parse(parametersOf(file, 'What to Do')).assignments;
	return Object.fromEntries(assignments.map(({ name, value }) => [name, evaluated(value, json)]));
}

describe.each([
	['shopify-webhook-to-deliveries', 'add a tag to it in Shopify'],
	['shopify-orders-to-deliveries', 'execute Send One Order, which turns on Send Anyway for it.'],
])('the email of the starter %s', (file, byHand) => {
	const prepared = (json: IDataObject) => whatToDo(file, json);
	const emailAbout = (...items: IDataObject[]) =>
		emailOf(file, prepared(items[0]!), { 'Once a Day': items.map(prepared) });
	const rowOf = (referenceId: string) => ({
		referenceId,
		customer: 'Ana Torres',
		address: '48 Oak Avenue, Springfield',
		actionNeeded: `${referenceId} was canceled. Ask the Delivery Service to stop it.`,
		orderUrl: `https://mugs.myshopify.com/admin/orders/5600`,
		help: `${home}/blob/main/docs/email.md#delivery-to-stop`,
	});

	test(`lists rows and failed rows, with their orders and help (${file})`, () => {
		const failed = { message: 'Not the text', error: rowOf('#1002') };
		const { subject, text } = emailAbout(rowOf('#1001'), failed);
		expect(subject).toBe('Action needed: #1001, #1002');
		const parts = ['#1001', '#1002'].map((name) =>
			[
				`${name}, Ana Torres, 48 Oak Avenue, Springfield`,
				rowOf(name).actionNeeded,
				rowOf(name).orderUrl,
				rowOf(name).help,
			]
				.map((line) => `${line}\n`)
				.join(''),
		);
		expect(text.startsWith(`${parts.join('\n')}\nOnly for an order that was not sent: `)).toBe(
			true,
		);
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
			expect(text).toMatch(/^The workflow failed: Unauthorized\n.*#workflow-failed\n\nOnly for/);
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
		const sameText = { ...rowOf('#1002'), actionNeeded: rowOf('#1001').actionNeeded };
		const keys = [rowOf('#1001'), { error: rowOf('#1001') }, sameText, execution('Get')];
		const outputs = { 'New Shopify Order': undefined, 'Send One Order': undefined };
		const [row, failed, other, error] = keys.map((json) =>
			evaluated(dedupeValue, prepared(json), { outputs }),
		);
		expect(failed).toBe(row);
		expect(new Set([row, other, error]).size).toBe(3);
	});
});

test.each([
	['shopify-orders-to-deliveries', 'Send One Order'],
	['fulfillment-orders-to-deliveries', 'From "Catch up at night"'],
])('%s emails once a day about a cause that is not in an order', (file, byHand) => {
	const { dedupeValue } = parametersOf(file, 'Once a Day');
	const keyOf = (referenceId: string, cause: string, topic: string) => {
		const error = {
			referenceId,
			customer: `Customer of ${referenceId}`,
			actionNeeded: `${referenceId} was not sent: ${cause}`,
			help: `${home}/blob/main/docs/email.md#${topic}`,
		};
		const item = file.startsWith('fulfillment') ? error : whatToDo(file, { error });
		return evaluated(dedupeValue, item, { outputs: { [byHand]: undefined } });
	};
	const first = keyOf('#1001', 'the key was rejected', 'wrong-credential');
	expect(keyOf('#1002', 'the key was rejected', 'wrong-credential')).toBe(first);
	const others = [
		keyOf('#1002', 'the connection failed', 'service-unavailable'),
		...['#1001', '#1002'].map((name) => keyOf(name, 'another order has it', 'same-order-twice')),
	];
	expect(new Set([first, ...others]).size).toBe(4);
});

test.each([
	[
		'shopify-webhook-to-deliveries',
		'New Shopify Order',
		[{ body: { tags: 'vip' } }],
		[{ body: { tags: 'vip, again' } }],
	],
	['shopify-orders-to-deliveries', 'Send One Order', undefined, [{}]],
])(
	'the starter %s emails again on the same day if an order still fails after a person changed or sent it',
	(file, node, reported, again) => {
		const { dedupeValue } = parametersOf(file, 'Once a Day');
		const keyOf = (address: string, output?: IDataObject[]) => {
			const error = { referenceId: '#1001', address, actionNeeded: 'Correct it.' };
			return evaluated(dedupeValue, whatToDo(file, { error }), { outputs: { [node]: output } });
		};
		const first = keyOf('48 Oak Avenue', reported);
		expect(keyOf('48 Oak Avenue', reported)).toBe(first);
		const later = [keyOf('48 Oak Avenue', again), keyOf('9 Oak Avenue', reported)];
		expect(new Set([first, ...later]).size).toBe(3);
	},
);

test.each([
	['renew-the-shopify-token', 'The Shopify token was not renewed', /Check the client ID/],
	['morning-report', 'The morning report failed', /Check the credential n8n API/],
])('the email of %s says what to do if it fails', (file, title, advice) => {
	const url = 'https://n8n.example/workflow/7/executions/12';
	const error = { message: 'Unauthorized' };
	const workflow = { name: 'Mugs' };
	const failed = emailOf(file, { execution: { url, error }, workflow });
	const notStarted = emailOf(file, { trigger: { error }, workflow });
	for (const { subject, text } of [failed, notStarted]) {
		expect(subject).toBe(title);
		expect(text).toMatch(/^Unauthorized\n\n/);
		expect(text).toMatch(advice);
		expect(text).not.toContain('undefined');
	}
	expect(failed.text).toContain(url);
});

describe('the email of "Fulfillment orders to deliveries"', () => {
	const file = 'fulfillment-orders-to-deliveries';
	const emailAbout = (rows: IDataObject[]) => emailOf(file, rows[0]!, { 'Once a Day': rows });
	const row = (orderName: string) => ({
		referenceId: `${orderName}-5`,
		customer: 'Ana Torres',
		address: '48 Oak Avenue, Springfield',
		actionNeeded: `${orderName} was canceled. Ask the Delivery Service to stop it.`,
		orderUrl: `https://mugs.myshopify.com/admin/orders/${orderName.slice(1)}`,
		help: 'https://help.example',
	});

	test('lists each order with its customer, what to do, its page in Shopify and the help', () => {
		const { subject, text } = emailAbout([row('#1001'), row('#1002')]);
		expect(subject).toBe('Action needed: #1001-5, #1002-5');
		for (const name of ['1001', '1002'])
			expect(text).toContain(
				`#${name}-5, Ana Torres, 48 Oak Avenue, Springfield\n#${name} was canceled. Ask the Delivery Service to stop it.\nhttps://mugs.myshopify.com/admin/orders/${name}\nhttps://help.example\n\n`,
			);
		expect(text).toContain(
			'\n\nOnly for an order that was not sent: correct what is written above (if you change a node, publish the workflow), then open "Catch up at night"',
		);
		expect(text).toContain('execute Send One Order, which turns on Send Anyway for it.\n');
	});

	test('names an order without a customer and an address', () => {
		const { text } = emailAbout([{ ...row('#1001'), customer: '', address: '' }]);
		expect(text).toMatch(/^#1001-5\n#1001 was canceled/);
	});

	test('names at most five orders in the subject', () => {
		const { subject } = emailAbout(Array.from({ length: 7 }, (_, n) => row(`#${n}`)));
		expect(subject).toBe('Action needed: #0-5, #1-5, #2-5, #3-5, #4-5');
	});

	/** What the node Why Not Read makes of an item. */
	const whyNotRead = (json: IDataObject): IDataObject => {
		const { assignments } = setSchema.parse(parametersOf(file, 'Why Not Read')).assignments;
		return Object.fromEntries(assignments.map(({ name, value }) => [name, evaluated(value, json)]));
	};

	test.each([
		[{ errors: [{ message: 'Access denied' }] }, 'Access denied'],
		[{ name: '#1001', error: { message: 'Not Found' } }, 'Not Found'],
		[{ data: { order: null } }, 'there is no such order'],
		[{ name: '#1001', data: { order: null } }, '#1001: there is no such order'],
	])('says what to check if Shopify returns %j instead of the order', (item, problem) => {
		const { subject, text } = emailAbout([whyNotRead(item)]);
		expect(subject).toBe('Action needed: an order could not be read');
		expect(text).toMatch(`An order could not be read from Shopify: ${problem}\nCheck `);
		expect(text).not.toContain('undefined');
	});

	/** Which outputs of "Needs Attention?" an item goes to. */
	const outputsFor = (json: IDataObject, before: IDataObject, caller?: IDataObject) => {
		const { rules } = z
			.object({
				rules: z.object({
					values: z.array(
						z.object({
							outputKey: z.string(),
							conditions: z.object({ conditions: z.array(z.object({ leftValue: z.string() })) }),
						}),
					),
				}),
			})
			.parse(parametersOf(file, 'Needs Attention?'));
		const outputs = {
			'Reserve for This Workflow': [before],
			'From "Catch up at night"': caller && [caller],
		};
		return rules.values
			.filter(({ conditions: { conditions } }) =>
				conditions.every(({ leftValue }) => evaluated(leftValue, json, { outputs })),
			)
			.map(({ outputKey }) => outputKey);
	};
	const order = { data: { order: { id: 'gid://shopify/Order/1' } } };
	const result = { referenceId: 'a', outcome: 'skipped', message: 'Look' };
	const rejected = { ...result, outcome: 'rejected', actionNeeded: 'Look' };
	const unknown = { ...rejected, outcome: 'unknown' };
	const nightly = { id: 1 };
	const byHand = { ...nightly, sendAnyway: true };
	/** Its row has no delivery, so each run saves the result again. */
	const sentWhole = { ...rejected, outcome: 'skipped', reason: 'alreadyCreated' };

	test.each<[string, IDataObject, string[]]>([
		['an order that was read', whyNotRead(order), []],
		['no order', whyNotRead({ data: { order: null } }), ['Email', 'Failed']],
		[
			'an order with a GraphQL error',
			whyNotRead({ ...order, errors: [{ message: 'x' }] }),
			['Email', 'Failed'],
		],
		['a created delivery', { ...result, outcome: 'created', actionNeeded: '' }, []],
		['a skipped order that needs a person', { ...result, actionNeeded: 'Look' }, ['Email']],
		['a rejected order', rejected, ['Email', 'Failed']],
		['a sent order that was changed', sentWhole, ['Email']],
		['a sent order that was not changed', { ...sentWhole, actionNeeded: '' }, []],
		['a row of a dry run in the editor', { referenceId: 'a', result: 'send' }, []],
	])('takes the branch for %s', (_, json, expected) => {
		const before = { status: '', message: '' };
		expect(outputsFor(json, before)).toEqual(expected);
		expect(outputsFor(json, before, nightly)).toEqual(
			expected.filter((output) => output === 'Email'),
		);
	});

	test.each<[string, IDataObject, IDataObject, boolean]>([
		['the same problem', rejected, { status: 'rejected', message: 'Look' }, false],
		['another reason', rejected, { status: 'rejected', message: 'No email' }, true],
		['an unknown delivery', unknown, { status: 'unknown', message: 'Another reason' }, false],
		['one that the owner has found', unknown, { status: 'assigned', deliveryId: 'D-1' }, false],
		['an order that was sent whole', sentWhole, { status: 'skipped', message: 'Look' }, false],
	])(
		'compares %s with the row before, unless it was sent by hand (%#)',
		(_, json, before, isEmailed) => {
			expect(outputsFor(json, before).includes('Email')).toBe(isEmailed);
			expect(outputsFor(json, before, nightly).includes('Email')).toBe(isEmailed);
			expect(outputsFor(json, before, byHand).includes('Email')).toBe(true);
		},
	);

	test('emails once a day, and about each order that was sent by hand', () => {
		const { dedupeValue } = parametersOf(file, 'Once a Day');
		const keyOf = (caller?: IDataObject) =>
			evaluated(dedupeValue, rejected, {
				outputs: { 'From "Catch up at night"': caller && [caller] },
			});
		expect(keyOf(nightly)).toBe(keyOf());
		expect(keyOf(byHand)).not.toBe(keyOf());
	});

	test('emails once a day about all orders that could not be read for the same reason', () => {
		const { dedupeValue } = parametersOf(file, 'Once a Day');
		const keyOf = (name: string, message?: string) =>
			evaluated(dedupeValue, whyNotRead({ name, ...(message && { error: { message } }) }), {
				outputs: { 'From "Catch up at night"': undefined },
			});
		expect(keyOf('#1001', 'No access')).toBe(keyOf('#1002', 'No access'));
		expect(keyOf('#1001', 'Not found')).not.toBe(keyOf('#1001', 'No access'));
		expect(keyOf('#1001')).not.toBe(keyOf('#1002'));
		const unread = whyNotRead({ error: { message: 'No access' } });
		const { subject, text } = emailAbout([unread, unread]);
		expect(subject).toBe('Action needed: an order could not be read');
		expect(text.match(/No access/g)).toHaveLength(1);
	});

	test.each<[string, IDataObject, string, RegExp]>([
		['nothing if it was created', { ...result, outcome: 'created' }, '', /^$/],
		['what to do', { ...result, actionNeeded: 'Correct it' }, 'Look', /^Correct it$/],
		[
			'that it has no delivery, if that was created before',
			{ ...result, reason: 'alreadyCreated', actionNeeded: '' },
			'',
			/^This row has no delivery\. .*deliveryId/,
		],
	])('saves in a row without a delivery %s', (_, json, message, actionNeeded) => {
		const { columns } = z
			.object({ columns: z.object({ value: z.record(z.string()) }) })
			.parse(parametersOf(file, 'Save Result'));
		expect(evaluated(columns.value.message, json)).toBe(message);
		expect(evaluated(columns.value.actionNeeded, json)).toMatch(actionNeeded);
	});
});

test('"Delivery updates to Shopify" emails once a day that Shopify rejects its requests, and about each other problem', () => {
	const { dedupeValue } = parametersOf('delivery-updates-to-shopify', 'Once a Day');
	const keyOf = (id: number, requestFailed: boolean, shopifyStatus = 'IN_TRANSIT') =>
		evaluated(
			dedupeValue,
			{ id, shopifyStatus },
			{ outputs: { Result: [{ requestFailed, problem: 'Authorization failed' }] } },
		);
	expect(keyOf(1, true)).toBe(keyOf(2, true));
	expect(keyOf(1, false)).not.toBe(keyOf(2, false));
	expect(keyOf(1, true, 'FAILURE')).not.toBe(keyOf(2, true, 'FAILURE'));
});

test('the email of "Delivery updates to Shopify" names all orders with the same problem', () => {
	const row = (referenceId: string, actionNeeded = '') => ({
		referenceId,
		customer: 'Ana Torres',
		address: '',
		status: 'at the hub',
		actionNeeded,
		orderUrl: 'https://mugs.myshopify.com/admin/orders/1',
	});
	const emailAbout = (node: string, rows: IDataObject[]) =>
		emailOf('delivery-updates-to-shopify', rows[0]!, { [node]: rows });
	const rows = ['#1-1', '#2-1', '#3-1', '#4-1', '#5-1', '#6-1'].map((id) => row(id, 'Check.'));
	const { subject, text } = emailAbout('Once a Day', rows);
	expect(subject).toBe('Action needed: #1-1, #2-1, #3-1, #4-1, #5-1');
	expect(text.match(/^#\d-1, Ana Torres\nCheck\.\nhttps:.*$/gm)).toHaveLength(rows.length);
	expect(emailAbout('First Time?', [row('#7-1')]).text).toMatch(
		/"at the hub", which is on no list.*This changes nothing for deliveries that already have this status: /,
	);
});

test('the email of "Child companies from a sheet" names the recipient of each row, also without a reference', () => {
	const failed = (customer: string, referenceId = '') => ({
		referenceId,
		customer,
		actionNeeded: 'Correct it.',
	});
	const rows = [{ customer: 'Ana', actionNeeded: '' }, failed('Ben'), failed('Clara', 'N-1')];
	const { subject, text } = emailOf('child-companies-from-a-sheet', { rows });
	expect(subject).toBe('Action needed: a row, N-1');
	expect(text).toMatch(/^Ben\nCorrect it\.\n\nN-1, Clara\nCorrect it\.\n\nCorrect only /);
	const { completionMessage } = parametersOf('child-companies-from-a-sheet', 'Show Result');
	expect(evaluated(completionMessage, { rows })).toBe(
		'Rows skipped: 0. Ben: Correct it. Clara: Correct it.',
	);
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

	test('is sent once a day about a failed check, whatever its advice', () => {
		const { dedupeValue } = parametersOf('repair-blacklisted-webhooks', 'Once a Day');
		const keyOf = (what: string, advice: string) =>
			evaluated(dedupeValue, { message: `${what}. ${advice}`, error: { message: what } });
		const busy = keyOf('Rate limit exceeded', 'Wait 34 seconds, then try again.');
		expect(keyOf('Rate limit exceeded', 'Wait 5 seconds, then try again.')).toBe(busy);
		expect(keyOf('Server error', 'Wait 34 seconds, then try again.')).not.toBe(busy);
		const keys = [reactivated, missing, notServed].map((one) => evaluated(dedupeValue, one));
		expect(new Set(keys).size).toBe(3);
	});

	test('has the subject of what matters most', () => {
		const failed = { message: 'Gone', error: { message: 'Gone [item 0]' } };
		expect(emailAbout(notServed, failed, reactivated).subject).toBe('A webhook was reactivated');
		expect(emailAbout(notServed, failed).subject).toBe('The webhooks could not be checked');
	});

	test.each([
		['A webhook was reactivated', reactivated],
		['A webhook is not used', notServed],
		['A workflow gets no events', { message: 'Not reactivated', reason: 'rejected' }],
		['A webhook was not checked', { message: 'Not checked', reason: 'notChecked' }],
		['The webhooks could not be checked', { message: 'Gone', error: { message: 'Gone [item 0]' } }],
		['The webhooks could not be checked', { message: 'No key', reason: 'notListed' }],
	])('has the subject "%s" for %j', (subject, found) => {
		const email = emailAbout(found);
		expect(email.subject).toBe(subject);
		expect(email.text).toMatch(/^[\w. ]+\n\nHelp: https:/);
	});
});

describe('the email of "Morning report"', () => {
	/** What a node of the report adds to an item. */
	const added = (node: string, json: IDataObject, fields: string[], outputs = {}): IDataObject => {
		const { assignments } = setSchema.parse(parametersOf('morning-report', node)).assignments;
		const wanted = assignments.filter(({ name }) => fields.includes(name));
		const values = wanted.map(
			({ name, value }) => [name, evaluated(value, json, { outputs })] as const,
		);
		return { ...json, ...Object.fromEntries(values) };
	};
	const results = (...rows: IDataObject[]) => ({
		data: {
			resultData: {
				runData: { 'Create Delivery': [{ data: { main: [rows.map((json) => ({ json }))] } }] },
			},
		},
	});
	/** The details of executions, the newest first. */
	const details = (...executions: IDataObject[]) => {
		const rows = executions
			.reverse()
			.flatMap((one) => added('Collect Results', one, ['rows']).rows as IDataObject[]);
		const { sent, created } = added('Summary', { rows }, ['sent', 'created']);
		return added('Details', { rows, sent, created }, ['needsYou', 'leftOut']);
	};

	test.each([
		[{ status: 'error', data: { resultData: { error: { message: 'No key' } } } }, ['No key']],
		[{ status: 'crashed' }, ['crashed, so its order may have no delivery']],
		[{ status: 'canceled', data: null }, ['canceled, so its order may have no delivery']],
		[{ status: 'success' }, []],
		[{ status: 'error', data: { resultData: { lastNodeExecuted: 'Stop and Error' } } }, []],
	])('lists the execution %j only if no order of it is listed', (execution, expected) => {
		const { failed } = added('Collect Results', { id: '42', ...execution }, ['failed']);
		expect(failed).toEqual(expected);
		const retried = { id: '42', ...execution, retrySuccessId: '43' };
		expect(added('Collect Results', retried, ['failed']).failed).toEqual([]);
	});

	test('lists why Shopify did not return an order, also if its execution ends at Stop and Error', () => {
		const items = [{ json: { actionNeeded: 'No access' } }, { json: { actionNeeded: '' } }];
		const runData = { 'Why Not Read': [{ data: { main: [items] } }] };
		const resultData = { runData, lastNodeExecuted: 'Stop and Error' };
		const execution = { id: 42, data: { resultData } };
		const unreadOf = (one: IDataObject) => added('Collect Results', one, ['unread']).unread;
		expect(unreadOf(execution)).toEqual(['No access']);
		expect(unreadOf({ ...execution, retrySuccessId: '43' })).toEqual([]);
	});

	test('lists failures with the same words once, with the time of their execution', () => {
		const startedAt = DateTime.local(2026, 11, 28, 13, 5).toISO();
		const { execution } = added('Collect Results', { id: 44, startedAt }, ['execution']);
		const result = { execution, failed: ['No key', 'No key'], unread: ['No access'] };
		expect(added('Summary', result, ['failed']).failed).toEqual([
			'Execution 44 (Nov 28, 13:05): No key',
			'Execution 44 (Nov 28, 13:05): No access',
		]);
	});

	const rejected = {
		referenceId: '#1',
		customer: 'Ana Torres',
		outcome: 'rejected',
		actionNeeded: '#1 was rejected',
	};

	test('lists an order that was not sent, also from the error output, unless it was sent since', () => {
		const { outcome, ...facts } = rejected;
		const fromErrorOutput = { message: 'x', error: { outcome, ...facts } };
		const partlyPaid = { ...rejected, outcome: 'skipped', reason: 'notPaid' };
		for (const failed of [rejected, fromErrorOutput, partlyPaid]) {
			expect(details(results(failed)).needsYou).toEqual(['#1, Ana Torres: #1 was rejected']);
			const sent = results({ referenceId: '#1', outcome: 'created' });
			expect(details(sent, results(failed))).toMatchObject({ needsYou: [], created: 1 });
		}
	});

	test('lists what to do about a sent order, and an unknown one until it is known', () => {
		const changed = { ...rejected, outcome: 'skipped', reason: 'alreadyCreated' };
		expect(details(results(changed)).needsYou).toHaveLength(1);
		const unknown = { ...rejected, outcome: 'unknown', customer: '' };
		expect(details(results(unknown)).needsYou).toEqual(['#1: #1 was rejected']);
	});

	test('counts orders that wait or are left out by reason and name, each by its last result', () => {
		const skipped = (referenceId: string, reasonText: string) => ({
			referenceId,
			outcome: 'skipped',
			reasonText,
		});
		const { leftOut } = details(
			results(
				{ referenceId: '#3', outcome: 'created', reasonText: '' },
				skipped('#1', 'shipping method: DHL'),
			),
			results(skipped('#1', 'not paid: bank transfer'), skipped('#2', 'shipping method: DHL')),
			results(skipped('#3', 'not paid: bank transfer')),
			results(skipped('#4', 'nothing to ship'), skipped('#5', 'nothing to ship: on hold')),
		);
		expect(leftOut).toEqual(['1 × nothing to ship: on hold', '2 × shipping method: DHL']);
	});

	test('counts the events of a day for each workflow with a trigger, also if none came', () => {
		const workflow = (id: string, settings = {}) => ({ id, name: `Workflow ${id}`, settings });
		const event = (workflowId: string, hoursAgo: number, mode = 'webhook') => ({
			workflowId,
			mode,
			startedAt: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
		});
		const eventsOf = (workflows: IDataObject[], ...executions: IDataObject[]) => {
			const outputs = { 'Get Events': executions, 'With a Trigger': workflows };
			return added('Summary', {}, ['events'], outputs).events;
		};
		const unsaved = workflow('C', { saveDataSuccessExecution: 'none' });
		const executions = [
			event('A', 1),
			event('A', 23),
			event('A', 25),
			event('A', 1, 'manual'),
			event('A', 1, 'retry'),
			event('D', 1),
		];
		expect(eventsOf([workflow('A'), workflow('B'), unsaved], ...executions)).toEqual([
			'Workflow A: 2',
			'Workflow B: 0',
			'Workflow C: not counted, because it does not save its executions',
		]);
		expect(eventsOf([{}], {})).toEqual([]);
	});

	test('counts the executions with a trigger that failed and were not retried, since they email nobody', () => {
		const execution = (status: string, more = {}) => ({
			workflowId: 'A',
			mode: 'webhook',
			startedAt: new Date().toISOString(),
			status,
			...more,
		});
		const executions = [
			execution('success'),
			execution('error'),
			execution('crashed', { mode: 'trigger' }),
			execution('error', { retrySuccessId: '43' }),
			execution('error', { mode: 'retry' }),
			execution('error', { mode: 'manual' }),
			execution('error', { startedAt: new Date(0).toISOString() }),
		];
		const outputs = {
			'Get Events': executions,
			'With a Trigger': [
				{ id: 'A', name: 'Statuses' },
				{ id: 'B', name: 'Routes' },
			],
		};
		const { failedEvents } = added('Summary', {}, ['failedEvents'], outputs);
		expect(failedEvents).toEqual(['Statuses, failed executions: 2']);
	});

	test('writes the lists, the events, and the cost and the collected cash of the week', () => {
		const lists = {
			quiet: '',
			period: 'in the last 24 hours',
			created: 2,
			needsYou: [],
			failed: ['Execution 42: x'],
			leftOut: [],
			events: ['Statuses: 0'],
			failedEvents: ['Statuses, failed executions: 2'],
		};
		const week = { count_deliveryId: 2, sum_price: 15, sum_collected: 60 };
		const details = added('Details', { ...lists, rows: [] }, ['week', 'help'], { Week: [week] });
		const shop = 'mugs.myshopify.com';
		const report = { ...lists, week: details.week, help: details.help };
		const outputs = { Week: [{ ...week, shop }] };
		const { subject, text } = added('Report', report, ['subject', 'text'], outputs);
		expect(subject).toBe(`Deliveries of the last 24 hours (${shop})`);
		expect(text).toBe(
			[
				'Sent in the last 24 hours: 2',
				`Needs you:\nExecution 42: x\nAbout an execution: ${home}/blob/main/docs/email.md#workflow-failed`,
				'Waiting or left out:\nnone',
				`Events from the Delivery Service:\nStatuses: 0\nStatuses, failed executions: 2\nIf some are missing: ${home}/blob/main/docs/email.md#no-events-arrive-at-the-trigger`,
				'Last 7 days: 2 deliveries, cost 15.00, cash that drivers collected 60.00',
			].join('\n\n'),
		);
		const noTable = { Week: [{ shop: '', count_deliveryId: 0, sum_price: 0, sum_collected: 0 }] };
		expect(added('Details', { ...lists, rows: [] }, ['week'], noTable).week).toBe('');
		expect(added('Report', lists, ['subject'], noTable).subject).toBe(
			'Deliveries of the last 24 hours',
		);
	});

	test('says since when it counts if it did not read the executions of the whole day', () => {
		const startedAt = DateTime.local(2026, 11, 28, 2, 10).toISO();
		const textAfter = (count: number) => {
			const executions = Array.from({ length: count }, () => ({ startedAt }));
			const { period } = added('Summary', {}, ['period'], { 'Last 24 Hours': executions });
			const lists = { needsYou: [], failed: [], leftOut: [], events: [], created: 2 };
			return added('Report', { ...lists, period }, ['text'], { Week: [{}] }).text;
		};
		expect(textAfter(249)).toMatch(/^Sent in the last 24 hours: 2\n/);
		expect(textAfter(250)).toMatch(
			/^Sent since Nov 28, 02:10 \(no more executions were read\): 2\n/,
		);
	});

	test('takes the amounts of a row, and the cash only of a delivered one', () => {
		const amounts = (row: IDataObject) => added('Amounts', row, ['price', 'collected']);
		const row = { deliveryId: 'D-1', price: '7.50', cash: '60' };
		expect(amounts({ ...row, shopifyStatus: 'DELIVERED' })).toMatchObject({
			price: 7.5,
			collected: 60,
		});
		expect(amounts(row)).toMatchObject({ price: 7.5, collected: 0 });
		expect(amounts({ error: 'No table' })).toMatchObject({ price: 0, collected: 0 });
	});
});
