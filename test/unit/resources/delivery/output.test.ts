import {
	hintsOf,
	toOutput,
} from '../../../../nodes/DeliveryService/resources/delivery/create/output';
import type { Prepared } from '../../../../nodes/DeliveryService/resources/delivery/create/prepare';
import type {
	Creation,
	Outcome,
	Report,
} from '../../../../nodes/DeliveryService/sending/creations';

function ready(item: number, simplify = true, referenceId?: string): Prepared {
	const place = {
		contact: { name: 'Ana', email: 'ana@mail.example' },
		location: { address: '48 Oak Avenue' },
	};
	const delivery: Creation['delivery'] = {
		pickup: place,
		dropoff: place,
		packages: [{ name: 'Box', qty: 1, size: 's' }],
		referenceId,
	};
	return { item, reading: { kind: 'ready', creation: { item, delivery }, simplify } };
}

function created(record: Record<string, unknown> = {}): Outcome {
	return { kind: 'created', id: 'd-1', record: { id: 'd-1', ...record } };
}

const refused: Outcome = {
	kind: 'failed',
	fate: 'refused',
	problem: { message: 'Bad', description: 'Mend it.' },
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
		expect(toOutput(ready(3, simplify, 'A'), new Map([[3, created(record)]]))).toEqual({
			json: { id: 'd-1', referenceId: 'A', ...members },
			pairedItem: { item: 3 },
		});
	});

	test.each<[string, Prepared, Outcome | undefined, object]>([
		[
			'that was refused',
			ready(2, true, 'A'),
			refused,
			{
				error: {
					message: 'Bad [item 2]',
					description: 'Mend it.',
					outcome: 'refused',
					referenceId: 'A',
				},
			},
		],
		[
			'of which nothing is known',
			ready(2),
			undefined,
			{ error: { message: 'This delivery was not sent [item 2]', outcome: 'notSent' } },
		],
		[
			'that was not valid',
			{ item: 2, reading: { kind: 'invalid', problem: { message: 'Wrong' } } },
			undefined,
			{ error: { message: 'Wrong [item 2]', outcome: 'invalid' } },
		],
		[
			'that the source leaves out',
			{ item: 2, reading: { kind: 'skipped', reason: 'testOrder', message: 'A test order' } },
			undefined,
			{ skipped: true, reason: 'testOrder', message: 'A test order' },
		],
		[
			'that was created before',
			ready(2, true, 'A'),
			{ kind: 'skipped', reason: 'alreadyCreated' },
			{
				skipped: true,
				reason: 'alreadyCreated',
				message: 'This workflow has created a delivery with this reference ID before',
				referenceId: 'A',
			},
		],
	])('says what became of one %s', (_which, prepared, outcome, json) => {
		const outcomes = new Map(outcome ? [[2, outcome] as const] : []);
		expect(toOutput(prepared, outcomes)).toEqual({ json, pairedItem: { item: 2 } });
	});
});

describe('the hints of a run', () => {
	function hints(outcomes: Outcome[], more: Partial<Report> = {}, items: Prepared[] = []) {
		return hintsOf(items, {
			outcomes: new Map(outcomes.entries()),
			requests: 1,
			waited: { forLimitMs: 0, forServiceMs: 0 },
			ledgerFailed: false,
			...more,
		});
	}
	const messages = (...run: Parameters<typeof hints>) =>
		hints(...run).map(({ message }) => message);

	test.each<[string, Outcome[], Partial<Report>, string]>([
		['one', [created()], {}, 'Created 1 delivery in 1 request.'],
		['several', [created(), created()], { requests: 2 }, 'Created 2 deliveries in 2 requests.'],
		[
			'none',
			[{ kind: 'skipped', reason: 'alreadyCreated' }],
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
		const leftOut: Prepared = {
			item: 5,
			reading: { kind: 'skipped', reason: 'testOrder', message: 'A test order' },
		};
		const outcomes: Outcome[] = [{ kind: 'skipped', reason: 'alreadyCreated' }, created()];
		expect(messages(outcomes, {}, [leftOut])).toEqual([
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
		const invalid: Prepared = { item: 5, reading: { kind: 'invalid', problem: { message: 'No' } } };
		const notSent: Outcome = { ...refused, fate: 'notSent' };
		expect(messages([created(), refused, notSent], {}, [invalid])).toEqual([
			'Created 1 delivery in 1 request.',
			'3 deliveries were not created: the field "error" says why.',
		]);
	});

	test('warn of unknown outcomes and of notes that could not be made', () => {
		const unknown: Outcome = { ...refused, fate: 'unknown' };
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
