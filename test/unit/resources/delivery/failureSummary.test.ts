import { failureSummary } from '../../../../nodes/DeliveryService/resources/delivery/create/failureSummary';
import type { Outcome } from '../../../../nodes/DeliveryService/sending/outcomes';
import { creation } from '../../../support/creations';

const created = (id: string): Outcome => ({ kind: 'created', id, record: { id } });
const skipped: Outcome = { kind: 'skipped', reason: 'alreadyCreated', message: 'It exists' };
const failed = (
	kind: 'rejected' | 'unknown' | 'notSent',
	message: string,
	description?: string,
): Outcome => ({ kind, problem: { message, description } });

/** The summary of creations with the references R0, R1, ... and these outcomes. */
function summaryOf(...outcomes: Outcome[]) {
	return failureSummary(resultsOf(outcomes), true);
}

function resultsOf(outcomes: readonly Outcome[]) {
	return outcomes.map((outcome, item) => ({ creation: creation(item, `R${item}`), outcome }));
}

test('is not made when every delivery was created or skipped', () => {
	expect(summaryOf(created('a'), skipped, created('b'))).toBeUndefined();
	expect(summaryOf()).toBeUndefined();
});

test('counts what was skipped, so that it is not taken for lost', () => {
	const refused = failed('rejected', 'Bad');
	expect(summaryOf(skipped, skipped, refused)?.problem.message).toBe(
		'Bad (0 of 3 deliveries created, 2 skipped, 0 not sent)',
	);
	expect(summaryOf(created('a'), refused)?.problem.message).toBe(
		'Bad (1 of 2 deliveries created, 0 not sent)',
	);
});

test('lists each delivery under what became of it', () => {
	const summary = summaryOf(
		created('a'),
		failed('unknown', 'No answer'),
		skipped,
		failed('rejected', 'Bad'),
		created('b'),
		failed('notSent', 'Not sent'),
	);
	expect(summary?.lists).toEqual({
		created: [
			{ item: 0, referenceId: 'R0', id: 'a' },
			{ item: 4, referenceId: 'R4', id: 'b' },
		],
		rejected: [{ item: 3, referenceId: 'R3' }],
		unknown: [{ item: 1, referenceId: 'R1' }],
		notSent: [{ item: 5, referenceId: 'R5' }],
	});
	expect(summary?.problem.description).toBe(
		'Created (2): R0 (ID a), R4 (ID b). Refused (1): R3. Perhaps created (1): R1. Not sent (1): R5.',
	);
});

test.each([
	[
		'the first that was refused',
		[failed('rejected', 'Bad'), failed('rejected', 'Worse')],
		0,
		'Bad',
	],
	['the first without an answer', [created('a'), failed('unknown', 'No answer')], 1, 'No answer'],
	[
		'the earlier of a refused one and one without an answer',
		[created('a'), failed('unknown', 'No answer'), failed('rejected', 'Bad')],
		1,
		'No answer',
	],
	[
		'what others were not sent for, though they come before it',
		[failed('notSent', 'Waits'), failed('notSent', 'Waits'), failed('rejected', 'Bad')],
		2,
		'Bad',
	],
	['what was not sent, when nothing else failed', [failed('notSent', 'Too busy')], 0, 'Too busy'],
])('names %s', (_which, outcomes, item, message) => {
	const summary = summaryOf(...outcomes);
	expect(summary?.item).toBe(item);
	expect(summary?.problem.message.startsWith(`${message} (`)).toBe(true);
});

test('counts all that were to be created', () => {
	const summary = summaryOf(
		...[created('a'), created('b'), skipped, failed('unknown', 'No answer')],
		...[failed('notSent', 'Waits'), failed('notSent', 'Waits')],
	);
	expect(summary?.problem.message).toBe(
		'No answer (2 of 6 deliveries created, 1 skipped, 2 not sent)',
	);
});

test('says first what to do', () => {
	const summary = summaryOf(failed('unknown', 'No answer', 'Look it up.'));
	expect(summary?.problem.description).toBe('Look it up. Perhaps created (1): R0.');
});

test('names deliveries without a reference by their item', () => {
	const summary = failureSummary(
		[
			{ creation: creation(3, undefined), outcome: created('a') },
			{ creation: creation(7, undefined), outcome: failed('rejected', 'Bad') },
		],
		true,
	);
	expect(summary?.problem.description).toBe('Created (1): item 3 (ID a). Refused (1): item 7.');
});

test.each([
	[20, /R19 \(ID 19\)\. Refused/],
	[21, /R19 \(ID 19\) and 1 more, listed in the error details\. Refused/],
	[500, /R19 \(ID 19\) and 480 more, listed in the error details\. Refused/],
])('names 20 of %i created ones, and lists all', (count, pattern) => {
	const summary = summaryOf(
		...Array.from({ length: count }, (_, item) => created(String(item))),
		failed('rejected', 'Bad'),
	);
	expect(summary?.problem.description).toMatch(pattern);
	expect(summary?.lists.created).toHaveLength(count);
});

test.each([
	['The service says: No (E1)', 'The service says: No (E1).'],
	['The service says: Why?', 'The service says: Why?'],
	['Look it up.', 'Look it up.'],
])('ends the words of the service %j before its own', (description, ended) => {
	const summary = summaryOf(failed('rejected', 'Bad', description));
	expect(summary?.problem.description).toBe(`${ended} Refused (1): R0.`);
});

describe('where nothing is remembered', () => {
	const busy = failed('notSent', 'Too busy', 'Try again later.');
	const descriptionOf = (...outcomes: Outcome[]) =>
		failureSummary(resultsOf(outcomes), false)?.problem.description;

	test.each([
		['was created', created('a'), 'Created (1): R0 (ID a).'],
		[
			'may have been',
			failed('unknown', 'No answer', 'Try again later.'),
			'Perhaps created (1): R0.',
		],
	])('says last that what %s is to be left out of another run', (_what, outcome, list) => {
		expect(descriptionOf(outcome, busy)).toBe(
			`Try again later. ${list} Not sent (1): R1. What was created, or may have been, would be created a second time: leave it out when you run this again.`,
		);
	});

	test('says nothing of that when nothing was created', () => {
		expect(descriptionOf(failed('rejected', 'Bad'), busy)).toBe(
			'Refused (1): R0. Not sent (1): R1.',
		);
	});
});
