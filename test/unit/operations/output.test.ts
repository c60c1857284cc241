import { runHints } from '../../../nodes/DeliveryService/operations/create/hints';
import {
	outcomesByItem,
	toOutputItems,
	toUnsentItem,
	type ItemOutcome,
} from '../../../nodes/DeliveryService/operations/create/output';
import type { PreparedItem } from '../../../nodes/DeliveryService/operations/create/prepare';
import type { Report } from '../../../nodes/DeliveryService/sending/options';
import { creation } from '../../support/creations';

/** The output of an item with an outcome. */
function toOutput(item: PreparedItem, outcome: ItemOutcome, toErrorOutput = false) {
	const [output] = toOutputItems([item], new Map([[item.item, outcome]]), toErrorOutput);
	return output;
}

/** The fields of every output item, in order, for an item that was not created. */
const columns = {
	referenceId: null,
	outcome: '',
	message: '',
	id: null,
	trackLink: null,
	statusDelivery: null,
	deliveryDate: null,
	price: null,
	currencyCode: null,
	distance: null,
	reason: null,
};
const createdColumns = { ...columns, outcome: 'created', message: 'Created', id: 'd-1' };

/** A prepared item with a delivery. */
function prepared(item: number, facts: Partial<PreparedItem> = {}): PreparedItem {
	const { delivery } = creation(item, `R${item}`);
	return { item, ...facts, kind: 'delivery', delivery };
}

function created(record: Record<string, unknown> = {}): ItemOutcome {
	return { kind: 'created', id: 'd-1', record: { id: 'd-1', ...record } };
}

const rejected: ItemOutcome = {
	kind: 'rejected',
	problem: { message: 'Bad', description: 'Fix it.' },
};
const invalid: ItemOutcome = { kind: 'invalid', problem: { message: 'Wrong' } };
const testOrder: ItemOutcome = { kind: 'skipped', reason: 'testOrder', message: 'A test order' };
const createdBefore: ItemOutcome = {
	kind: 'skipped',
	reason: 'alreadyCreated',
	message: 'It exists',
};

describe('the output item', () => {
	const record = { index: 0, referenceId: 'A', price: 0, cityId: 7, undocumented: [1] };

	test.each<[string, boolean, object]>([
		['has only the simplified fields with Simplify on', true, {}],
		[
			'ends with the other fields of the record with Simplify off',
			false,
			{ index: 0, cityId: 7, undocumented: [1] },
		],
	])('the output of a created delivery %s', (_what, simplify, fields) => {
		const output = toOutput(prepared(3, { simplify }), created(record));
		const expected = { ...createdColumns, referenceId: 'A', price: 0, ...fields };
		expect(output).toEqual({ json: expected, pairedItem: { item: 3 } });
		expect(Object.keys(output?.json ?? {})).toEqual(Object.keys(expected));
	});

	test.each([undefined, null, ''])(
		'returns the sent reference ID when the record has %j',
		(referenceId) => {
			for (const simplify of [true, false])
				expect(
					toOutput(prepared(3, { referenceId: 'A', simplify }), created({ referenceId }))?.json,
				).toEqual({ ...createdColumns, referenceId: 'A' });
		},
	);

	test('returns the reference ID of the record when it differs from the sent one', () => {
		const outcome = created({ referenceId: 1001 });
		expect(toOutput(prepared(3, { referenceId: '#1001' }), outcome)?.json).toMatchObject({
			referenceId: 1001,
		});
	});

	test('returns null as the reference ID when none was sent or received', () => {
		expect(toOutput(prepared(3), created())?.json).toEqual(createdColumns);
	});

	test('says that the address of a created delivery is pending review', () => {
		const outcome = created({ statusDelivery: 'pending review' });
		expect(toOutput(prepared(3), outcome)?.json.message).toMatch(/^Created, but pending review: /);
	});

	test.each<[string, ItemOutcome, string | undefined, object]>([
		[
			'a rejected delivery',
			rejected,
			'A',
			{ referenceId: 'A', outcome: 'rejected', message: 'Bad. Fix it.' },
		],
		['an invalid item', invalid, undefined, { outcome: 'invalid', message: 'Wrong' }],
		[
			'an order that the source skips',
			testOrder,
			undefined,
			{ outcome: 'skipped', message: 'A test order', reason: 'testOrder' },
		],
		[
			'an already created delivery',
			createdBefore,
			'A',
			{ referenceId: 'A', outcome: 'skipped', message: 'It exists', reason: 'alreadyCreated' },
		],
	])('reports the outcome of %s in the same fields', (_which, outcome, referenceId, fields) => {
		const output = toOutput(prepared(2, { referenceId }), outcome);
		expect(output).toEqual({ json: { ...columns, ...fields }, pairedItem: { item: 2 } });
		expect(Object.keys(output?.json ?? {})).toEqual(Object.keys(columns));
	});

	test('has the form that n8n moves to the error output', () => {
		const order = { id: '1', name: '#1' };
		const item = prepared(2, { referenceId: 'A', shopifyOrder: order });
		expect(toOutput(item, rejected, true)?.json).toEqual({
			error: {
				message: 'Bad [item 2]',
				description: 'Fix it.',
				outcome: 'rejected',
				referenceId: 'A',
				shopifyOrder: order,
			},
			message: 'Bad. Fix it.',
		});
		expect(toOutput(item, createdBefore, true)?.json).toHaveProperty('outcome', 'skipped');
	});

	test('of an item that failed before anything was sent has the same fields', () => {
		const problem = { message: 'No credential', description: 'Choose one.' };
		expect(toUnsentItem(problem, 4, false)).toEqual({
			json: { ...columns, outcome: 'notSent', message: 'No credential. Choose one.' },
			pairedItem: { item: 4 },
		});
		expect(toUnsentItem(problem, 4, true).json).toMatchObject({ error: { outcome: 'notSent' } });
	});

	test('has the optional fields of every other item of the run, or null', () => {
		const order = { id: '1', name: '#1' };
		const cashShare = { cashToCollect: 5, cashOutstanding: 9 };
		const items = [
			prepared(0, { simplify: false, shopifyOrder: order }),
			prepared(1, { simplify: false, cashShare, notCollectedFor: ['Bank', 'Card'] }),
			prepared(2, { simplify: false }),
		];
		const outcomes = new Map([
			[0, created({ extra: 1 })],
			[1, created()],
			[2, testOrder],
		]);
		const output = toOutputItems(items, outcomes, false).map(({ json }) => json);
		const names = [
			...Object.keys(columns),
			...['cashToCollect', 'cashOutstanding', 'cashNotCollectedFor', 'shopifyOrder', 'extra'],
		];
		expect(output.map((json) => Object.keys(json))).toEqual([names, names, names]);
		expect(output).toMatchObject([
			{ cashToCollect: null, cashNotCollectedFor: null, shopifyOrder: order, extra: 1 },
			{ cashToCollect: 5, cashNotCollectedFor: 'Bank, Card', shopifyOrder: null, extra: null },
			{ cashToCollect: null, cashNotCollectedFor: null, shopifyOrder: null, extra: null },
		]);
	});
});

test('returns one output item per input item in input order, sent or not', () => {
	const invalidItem: PreparedItem = { item: 2, kind: 'invalid', problem: { message: 'Wrong' } };
	const outcomes = outcomesByItem(
		[prepared(0), prepared(1, { simplify: true }), invalidItem, prepared(3)],
		[3, 1, 0].map((item) => ({
			creation: creation(item, `R${item}`),
			outcome: { kind: 'created', id: `d-${item}`, record: {} },
		})),
	);
	expect(outcomes.get(2)).toBe(invalidItem);
	expect([0, 1, 3].map((item) => outcomes.get(item))).toMatchObject([
		{ id: 'd-0' },
		{ id: 'd-1' },
		{ id: 'd-3' },
	]);
	const items = [prepared(0), prepared(1), invalidItem, prepared(3)];
	expect(toOutputItems(items, outcomes, false).map(({ pairedItem }) => pairedItem)).toEqual(
		items.map(({ item }) => ({ item })),
	);
});

describe('the hints of a run', () => {
	function hints(outcomes: ItemOutcome[], more: Partial<Report> = {}) {
		const items = outcomes.map((_, item) => prepared(item, { referenceId: `R${item}` }));
		return runHints(items, new Map(outcomes.entries()), {
			requests: 1,
			waited: { forLimitMs: 0, forServiceMs: 0 },
			ledgerFailed: false,
			...more,
		});
	}
	const messages = (...run: Parameters<typeof hints>) =>
		hints(...run).map(({ message }) => message);

	test.each<[string, ItemOutcome[], Partial<Report>, string]>([
		['one', [created()], {}, 'Created 1 delivery.'],
		['several', [created(), created()], { requests: 2 }, 'Created 2 deliveries.'],
		[
			'none',
			[createdBefore],
			{ requests: 0 },
			'Nothing was sent. Skipped 1 item: see the "message" field.',
		],
		['no items', [], { requests: 0 }, 'Nothing was sent.'],
	])('the hints count the created deliveries: %s', (_count, outcomes, report, message) => {
		expect(messages(outcomes, report)).toEqual([message]);
	});

	test.each([
		[{ forLimitMs: 0, forServiceMs: 0 }, ''],
		[{ forLimitMs: 499, forServiceMs: 499 }, ''],
		[
			{ forLimitMs: 500, forServiceMs: 0 },
			' Waited 1 s for the rate limit (100 requests per minute).',
		],
		[{ forLimitMs: 0, forServiceMs: 60_400 }, ' Waited 60 s because the service was busy.'],
		[
			{ forLimitMs: 2000, forServiceMs: 3000 },
			' Waited 2 s for the rate limit (100 requests per minute). Waited 3 s because the service was busy.',
		],
	])('the hints show how long the run waited: %j', (waited, text) => {
		const [message = ''] = messages([created()], { waited });
		expect(message).toBe(`Created 1 delivery.${text}`);
	});

	test.each([
		[undefined, ''],
		[1, ' The Delivery Service rejected a batch, so the rest was sent individually.'],
		[5, ' The Delivery Service rejected a batch, so the rest was sent in batches of up to 5.'],
	])('the hints say that requests were reduced after a rejected batch: %s', (reducedSize, text) => {
		const [message] = messages([created()], { reducedSize });
		expect(message).toBe(`Created 1 delivery.${text}`);
	});

	test('the hints count items skipped by the source or by their reference ID', () => {
		expect(messages([createdBefore, created(), testOrder])).toEqual([
			'Created 1 delivery. Skipped 2 items: see the "message" field.',
		]);
	});

	test.each([
		'pending review',
		'Pending Review',
		'PENDING_REVIEW',
		'pending-review',
		'pendingReview',
	])('the hints name a delivery with the status %s, and what to do', (statusDelivery) => {
		const [, review] = hints([created({ statusDelivery }), created(), rejected]);
		expect(review).toMatchObject({
			message:
				'R0 is pending review: its address was not found. Correct it in the Delivery Service dashboard or with the operation Update.',
			type: 'warning',
		});
	});

	test('the hints name up to five deliveries pending review', () => {
		const pending = Array.from({ length: 7 }, () => created({ statusDelivery: 'pending review' }));
		expect(messages(pending)[1]).toMatch(
			/^7 deliveries \(R0, R1, R2, R3, R4 and 2 more\) are pending review: their addresses were not found\. Correct them/,
		);
	});

	test.each(['processing', 'reviewed', 7, undefined])(
		'the hints do not warn about the status %s',
		(statusDelivery) => {
			expect(hints([created({ statusDelivery })])).toHaveLength(1);
		},
	);

	test('counts all deliveries that were not created in a hint', () => {
		const notSent: ItemOutcome = { ...rejected, kind: 'notSent' };
		expect(messages([created(), rejected, notSent, invalid])).toEqual([
			'Created 1 delivery.',
			'3 deliveries were not created: see the "message" field.',
		]);
	});

	test('the hints warn about unknown outcomes and about a ledger that failed', () => {
		const unknown: ItemOutcome = { ...rejected, kind: 'unknown' };
		const [, first, second] = hints([unknown, unknown, created()], { ledgerFailed: true });
		expect(first).toMatchObject({
			message: expect.stringMatching(
				/^It is unknown whether 2 deliveries \(R0, R1\) were created\. Check/,
			),
			type: 'warning',
		});
		expect(second).toMatchObject({
			message: expect.stringMatching(/^n8n could not save/),
			type: 'warning',
		});
	});
});
