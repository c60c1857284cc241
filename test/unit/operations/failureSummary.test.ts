import { failureSummary } from '../../../nodes/DeliveryService/operations/create/failureSummary';
import type { Outcome } from '../../../nodes/DeliveryService/sending/outcomes';
import { creation } from '../../support/creations';

const created = (id: string): Outcome => ({ kind: 'created', id, record: { id } });
const skipped: Outcome = { kind: 'skipped', reason: 'alreadyCreated', message: 'It exists' };
const failed = (
	kind: 'rejected' | 'unknown' | 'notSent',
	message: string,
	description?: string,
): Outcome => ({ kind, problem: { message, description } });

/** The summary of creations with the references R0, R1, ... and these outcomes. */
function summarize(...outcomes: Outcome[]) {
	return failureSummary(toResults(outcomes), true);
}

function toResults(outcomes: readonly Outcome[]) {
	return outcomes.map((outcome, item) => ({ creation: creation(item, `R${item}`), outcome }));
}

test('returns no summary when every delivery was created or skipped', () => {
	expect(summarize(created('a'), skipped, created('b'))).toBeUndefined();
	expect(summarize()).toBeUndefined();
});

test('counts skipped deliveries in the message of a failed run', () => {
	const rejected = failed('rejected', 'Bad');
	expect(summarize(skipped, skipped, rejected)?.problem.message).toBe('Bad');
	expect(summarize(created('a'), rejected)?.problem.message).toBe(
		'Bad (1 of 2 deliveries created)',
	);
});

test('leaves counts out of the error of a single delivery', () => {
	expect(summarize(failed('rejected', 'Bad'))?.problem).toEqual({
		message: 'Bad',
		description: 'No delivery was created. Rejected: R0.',
	});
});

test('lists each delivery of a failed run by outcome', () => {
	const summary = summarize(
		created('a'),
		failed('unknown', 'No response'),
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
		'Created (2): R0 (ID a), R4 (ID b). Rejected: R3. Possibly created: R1. Not sent: R5.',
	);
});

test.each([
	[
		'the first rejected delivery',
		[failed('rejected', 'Bad'), failed('rejected', 'Worse')],
		0,
		'Bad',
	],
	[
		'the first delivery without a response',
		[created('a'), failed('unknown', 'No response')],
		1,
		'No response',
	],
	[
		'a delivery without a response before a later rejected one',
		[created('a'), failed('unknown', 'No response'), failed('rejected', 'Bad')],
		1,
		'No response',
	],
	[
		'the failed delivery that earlier ones waited for',
		[failed('notSent', 'Waits'), failed('notSent', 'Waits'), failed('rejected', 'Bad')],
		2,
		'Bad',
	],
	[
		'the first unsent delivery when nothing else failed',
		[failed('notSent', 'Too busy'), failed('notSent', 'Too busy')],
		0,
		'Too busy',
	],
])('summarizes a failed run with the problem of %s', (_which, outcomes, item, message) => {
	const summary = summarize(...outcomes);
	expect(summary?.item).toBe(item);
	const counts = summary && summary.lists.created.length + summary.lists.unknown.length > 0;
	const expected = counts ? new RegExp(`^${message} \\(\\d of `) : new RegExp(`^${message}$`);
	expect(summary?.problem.message).toMatch(expected);
});

test('counts all deliveries of a failed run', () => {
	const summary = summarize(
		...[created('a'), created('b'), skipped, failed('unknown', 'No response')],
		...[failed('notSent', 'Waits'), failed('notSent', 'Waits')],
	);
	expect(summary?.problem.message).toBe(
		'No response (2 of 6 deliveries created, 1 skipped, 2 not sent)',
	);
});

test('starts the description of a failed run with what to do', () => {
	const summary = summarize(failed('unknown', 'No response', 'Look it up.'));
	expect(summary?.problem.description).toBe('Look it up. Possibly created: R0.');
});

test('identifies deliveries without a reference ID by their item number', () => {
	const summary = failureSummary(
		[
			{ creation: creation(3, undefined), outcome: created('a') },
			{ creation: creation(7, undefined), outcome: failed('rejected', 'Bad') },
		],
		true,
	);
	expect(summary?.problem.description).toBe('Created: item 3 (ID a). Rejected: item 7.');
});

test.each([
	[20, /R19 \(ID 19\)\. Rejected/],
	[21, /R19 \(ID 19\) and 1 more, listed in the error details\. Rejected/],
	[500, /R19 \(ID 19\) and 480 more, listed in the error details\. Rejected/],
])('names up to 20 of %i created deliveries, and lists all in the details', (count, pattern) => {
	const summary = summarize(
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
])(
	'ends the message of the service %j with a period if it has no punctuation',
	(description, ended) => {
		const summary = summarize(failed('rejected', 'Bad', description));
		expect(summary?.problem.description).toBe(`${ended} No delivery was created. Rejected: R0.`);
	},
);

describe('the summary of a run without Skip Already Sent', () => {
	const busy = failed('notSent', 'Too busy', 'Try again later.');
	const describeFailure = (...outcomes: Outcome[]) =>
		failureSummary(toResults(outcomes), false)?.problem.description;

	test.each([
		['a created', created('a'), 'Created: R0 (ID a).'],
		[
			'a possibly created',
			failed('unknown', 'No response', 'Try again later.'),
			'Possibly created: R0.',
		],
	])(
		'advises to exclude %s delivery from another run without Skip Already Sent',
		(_what, outcome, list) => {
			expect(describeFailure(outcome, busy)).toBe(
				`Try again later. ${list} Not sent: R1. Exclude the created and possibly created deliveries before you run this again, or they may be created twice.`,
			);
		},
	);

	test('does not advise to exclude deliveries when nothing was created', () => {
		expect(describeFailure(failed('rejected', 'Bad'), busy)).toBe(
			'No delivery was created. Rejected: R0. Not sent: R1.',
		);
	});
});
