import { lossReport } from '../../../../nodes/DeliveryService/resources/delivery/create/failureSummary';
import type { Creation, Outcome } from '../../../../nodes/DeliveryService/sending/creations';

const created = (id: string): Outcome => ({ kind: 'created', id, record: { id } });
const skipped: Outcome = { kind: 'skipped', reason: 'alreadyCreated' };
const failed = (
	fate: 'refused' | 'unknown' | 'notSent',
	message: string,
	description?: string,
): Outcome => ({ kind: 'failed', fate, problem: { message, description } });

function creation(item: number, referenceId: string | undefined): Creation {
	const place = {
		contact: { name: 'Ana', email: 'ana@mail.example' },
		location: { address: '48 Oak Avenue' },
	};
	return {
		item,
		delivery: {
			pickup: place,
			dropoff: place,
			packages: [{ name: 'Box', qty: 1, size: 's' }],
			referenceId,
		},
	};
}

/** The report on creations with the references R0, R1, ... and these outcomes. */
function reportOn(...outcomes: Outcome[]) {
	return lossReport(
		outcomes.map((_, item) => creation(item, `R${item}`)),
		new Map(outcomes.entries()),
	);
}

test('is not made when every delivery was created or skipped', () => {
	expect(reportOn(created('a'), skipped, created('b'))).toBeUndefined();
	expect(reportOn()).toBeUndefined();
});

test('counts what was skipped, so that it is not taken for lost', () => {
	const refused = failed('refused', 'Bad');
	expect(reportOn(skipped, skipped, refused)?.problem.message).toBe(
		'Bad (0 of 3 deliveries created, 2 skipped, 0 not sent)',
	);
	expect(reportOn(created('a'), refused)?.problem.message).toBe(
		'Bad (1 of 2 deliveries created, 0 not sent)',
	);
});

test('lists each delivery under what became of it', () => {
	const report = reportOn(
		created('a'),
		failed('unknown', 'No answer'),
		skipped,
		failed('refused', 'Bad'),
		created('b'),
		failed('notSent', 'Not sent'),
	);
	expect(report?.lists).toEqual({
		created: [
			{ item: 0, referenceId: 'R0', id: 'a' },
			{ item: 4, referenceId: 'R4', id: 'b' },
		],
		refused: [{ item: 3, referenceId: 'R3' }],
		unknown: [{ item: 1, referenceId: 'R1' }],
		notSent: [{ item: 5, referenceId: 'R5' }],
	});
	expect(report?.problem.description).toBe(
		'Created (2): R0 (ID a), R4 (ID b). Refused (1): R3. Perhaps created (1): R1. Not sent (1): R5.',
	);
});

test.each([
	['the first that was refused', [failed('refused', 'Bad'), failed('refused', 'Worse')], 0, 'Bad'],
	['the first without an answer', [created('a'), failed('unknown', 'No answer')], 1, 'No answer'],
	[
		'the earlier of a refused one and one without an answer',
		[created('a'), failed('unknown', 'No answer'), failed('refused', 'Bad')],
		1,
		'No answer',
	],
	[
		'what others were not sent for, though they come before it',
		[failed('notSent', 'Waits'), failed('notSent', 'Waits'), failed('refused', 'Bad')],
		2,
		'Bad',
	],
	['what was not sent, when nothing else failed', [failed('notSent', 'Too busy')], 0, 'Too busy'],
])('names %s', (_which, outcomes, item, message) => {
	const report = reportOn(...outcomes);
	expect(report?.item).toBe(item);
	expect(report?.problem.message.startsWith(`${message} (`)).toBe(true);
});

test('counts all that were to be created', () => {
	const report = reportOn(
		...[created('a'), created('b'), skipped, failed('unknown', 'No answer')],
		...[failed('notSent', 'Waits'), failed('notSent', 'Waits')],
	);
	expect(report?.problem.message).toBe(
		'No answer (2 of 6 deliveries created, 1 skipped, 2 not sent)',
	);
});

test('says first what to do', () => {
	const report = reportOn(failed('unknown', 'No answer', 'Look it up.'));
	expect(report?.problem.description).toBe('Look it up. Perhaps created (1): R0.');
});

test('names deliveries without a reference by their item', () => {
	const report = lossReport(
		[creation(3, undefined), creation(7, undefined)],
		new Map([
			[3, created('a')],
			[7, failed('refused', 'Bad')],
		]),
	);
	expect(report?.problem.description).toBe('Created (1): item 3 (ID a). Refused (1): item 7.');
});

test.each([
	[20, /R19 \(ID 19\)\. Refused/],
	[21, /R19 \(ID 19\) and 1 more, listed in the error details\. Refused/],
	[500, /R19 \(ID 19\) and 480 more, listed in the error details\. Refused/],
])('names 20 of %i created ones, and lists all', (count, pattern) => {
	const report = reportOn(
		...Array.from({ length: count }, (_, item) => created(String(item))),
		failed('refused', 'Bad'),
	);
	expect(report?.problem.description).toMatch(pattern);
	expect(report?.lists.created).toHaveLength(count);
});

test.each([
	['The service says: No (E1)', 'The service says: No (E1).'],
	['The service says: Why?', 'The service says: Why?'],
	['Look it up.', 'Look it up.'],
])('ends the words of the service %j before its own', (description, ended) => {
	const report = reportOn(failed('refused', 'Bad', description));
	expect(report?.problem.description).toBe(`${ended} Refused (1): R0.`);
});
