import {
	hintsOf,
	outcomesOf,
	toOutputItems,
	type ItemOutcome,
} from '../../../../nodes/DeliveryService/resources/delivery/create/output';
import type { PreparedItem } from '../../../../nodes/DeliveryService/resources/delivery/create/prepare';
import type { Report } from '../../../../nodes/DeliveryService/sending/creations';
import { creation } from '../../../support/creations';

/** The output of an item with an outcome. */
function outputOf(prepared: PreparedItem, outcome: ItemOutcome) {
	const [output] = toOutputItems([prepared], new Map([[prepared.item, outcome]]));
	return output;
}

/** A prepared item with a delivery. */
function at(item: number, facts: Partial<PreparedItem> = {}): PreparedItem {
	const { delivery } = creation(item, `R${item}`);
	return { item, ...facts, kind: 'delivery', delivery };
}

function created(record: Record<string, unknown> = {}): ItemOutcome {
	return { kind: 'created', id: 'd-1', record: { id: 'd-1', ...record } };
}

const refused: ItemOutcome = {
	kind: 'rejected',
	problem: { message: 'Bad', description: 'Mend it.' },
};
const invalid: ItemOutcome = { kind: 'invalid', problem: { message: 'Wrong' } };
const testOrder: ItemOutcome = { kind: 'skipped', reason: 'testOrder', message: 'A test order' };
const createdBefore: ItemOutcome = {
	kind: 'skipped',
	reason: 'alreadyCreated',
	message: 'It exists',
};

describe('the output of an item', () => {
	const record = { index: 0, referenceId: 'A', price: 0, cityId: 7, unknownToUs: [1] };

	test.each<[string, boolean, object]>([
		['holds what matters when simplified, without what is missing', true, { price: 0 }],
		[
			'holds the whole record otherwise',
			false,
			{ index: 0, price: 0, cityId: 7, unknownToUs: [1] },
		],
	])('%s', (_what, simplify, members) => {
		expect(outputOf(at(3, { simplify }), created(record))).toEqual({
			json: { id: 'd-1', referenceId: 'A', ...members },
			pairedItem: { item: 3 },
		});
	});

	test.each([undefined, null, ''])(
		'bears the reference ID that was sent when its record has %j for one',
		(referenceId) => {
			for (const simplify of [true, false])
				expect(outputOf(at(3, { referenceId: 'A', simplify }), created({ referenceId }))).toEqual({
					json: { id: 'd-1', referenceId: 'A' },
					pairedItem: { item: 3 },
				});
		},
	);

	test('bears the reference ID of its record when that is written in another way', () => {
		const outcome = created({ referenceId: 1001 });
		expect(outputOf(at(3, { referenceId: '#1001', simplify: true }), outcome)?.json).toEqual({
			id: 'd-1',
			referenceId: 1001,
		});
	});

	test('has no reference ID when none was sent', () => {
		expect(outputOf(at(3, { simplify: true }), created())?.json).toEqual({
			id: 'd-1',
		});
	});

	test.each<[string, ItemOutcome, string | undefined, object]>([
		[
			'that was refused',
			refused,
			'A',
			{
				error: {
					message: 'Bad [item 2]',
					description: 'Mend it.',
					outcome: 'rejected',
					referenceId: 'A',
				},
			},
		],
		[
			'that was not valid',
			invalid,
			undefined,
			{ error: { message: 'Wrong [item 2]', outcome: 'invalid' } },
		],
		[
			'that the source leaves out',
			testOrder,
			undefined,
			{ skipped: true, reason: 'testOrder', message: 'A test order' },
		],
		[
			'that was created before',
			createdBefore,
			'A',
			{ skipped: true, reason: 'alreadyCreated', message: 'It exists', referenceId: 'A' },
		],
	])('says what became of one %s', (_which, outcome, referenceId, json) => {
		const output = outputOf(at(2, { referenceId }), outcome);
		expect(output).toEqual({ json, pairedItem: { item: 2 } });
	});
});

test('returns an item per input item, in their order, sent or not', () => {
	const wrong: PreparedItem = { item: 2, kind: 'invalid', problem: { message: 'Wrong' } };
	const outcomes = outcomesOf(
		[at(0), at(1, { simplify: true }), wrong, at(3)],
		[3, 1, 0].map((item) => ({
			creation: creation(item, `R${item}`),
			outcome: { kind: 'created', id: `d-${item}`, record: {} },
		})),
	);
	expect(outcomes.get(2)).toBe(wrong);
	expect([0, 1, 3].map((item) => outcomes.get(item))).toMatchObject([
		{ id: 'd-0' },
		{ id: 'd-1' },
		{ id: 'd-3' },
	]);
	const items = [at(0), at(1), wrong, at(3)];
	expect(toOutputItems(items, outcomes).map(({ pairedItem }) => pairedItem)).toEqual(
		items.map(({ item }) => ({ item })),
	);
});

describe('the hints of a run', () => {
	function hints(outcomes: ItemOutcome[], more: Partial<Report> = {}) {
		return hintsOf(outcomes, {
			requests: 1,
			waited: { forLimitMs: 0, forServiceMs: 0 },
			ledgerFailed: false,
			...more,
		});
	}
	const messages = (...run: Parameters<typeof hints>) =>
		hints(...run).map(({ message }) => message);

	test.each<[string, ItemOutcome[], Partial<Report>, string]>([
		['one', [created()], {}, 'Created 1 delivery in 1 request.'],
		['several', [created(), created()], { requests: 2 }, 'Created 2 deliveries in 2 requests.'],
		[
			'none',
			[createdBefore],
			{ requests: 0 },
			'Nothing was sent. Skipped 1 item: the field "message" says why.',
		],
		['nothing at all', [], { requests: 0 }, 'Nothing was sent.'],
	])('count what was created: %s', (_count, outcomes, report, message) => {
		expect(messages(outcomes, report)).toEqual([message]);
	});

	test.each([
		[{ forLimitMs: 0, forServiceMs: 0 }, ''],
		[{ forLimitMs: 499, forServiceMs: 499 }, ''],
		[
			{ forLimitMs: 500, forServiceMs: 0 },
			' Waited 1 s because the service takes 100 requests a minute.',
		],
		[
			{ forLimitMs: 0, forServiceMs: 60_400 },
			' Waited 60 s until the service took requests again.',
		],
		[
			{ forLimitMs: 2000, forServiceMs: 3000 },
			' Waited 2 s because the service takes 100 requests a minute. Waited 3 s until the service took requests again.',
		],
	])('say how long requests waited, and for what, here %j', (waited, text) => {
		const [message = ''] = messages([created()], { waited });
		expect(message).toBe(`Created 1 delivery in 1 request.${text}`);
	});

	test('count what was skipped, by the source and by its reference', () => {
		expect(messages([createdBefore, created(), testOrder])).toEqual([
			'Created 1 delivery in 1 request. Skipped 2 items: the field "message" says why.',
		]);
	});

	test.each([
		'pending review',
		'Pending Review',
		'PENDING_REVIEW',
		'pending-review',
		'pendingReview',
	])('count the created ones whose status is %s', (statusDelivery) => {
		const [, review] = hints([created({ statusDelivery }), created(), refused]);
		expect(review).toMatchObject({
			message: expect.stringMatching(/^1 delivery is pending review/),
			type: 'warning',
		});
	});

	test.each(['processing', 'reviewed', 7, undefined])(
		'pass over the status %s',
		(statusDelivery) => {
			expect(hints([created({ statusDelivery })])).toHaveLength(1);
		},
	);

	test('warn of what was not created, in whatever way', () => {
		const notSent: ItemOutcome = { ...refused, kind: 'notSent' };
		expect(messages([created(), refused, notSent, invalid])).toEqual([
			'Created 1 delivery in 1 request.',
			'3 deliveries were not created: the field "error" says why.',
		]);
	});

	test('warn of unknown outcomes and of notes that could not be made', () => {
		const unknown: ItemOutcome = { ...refused, kind: 'unknown' };
		const [, first, second] = hints([unknown, unknown, created()], { ledgerFailed: true });
		expect(first).toMatchObject({
			message: expect.stringMatching(/^Whether 2 deliveries were created is unknown/),
			type: 'warning',
		});
		expect(second).toMatchObject({
			message: expect.stringMatching(/^n8n could not note/),
			type: 'warning',
		});
	});
});
