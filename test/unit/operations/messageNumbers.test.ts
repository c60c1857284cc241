/** Every message with a count agrees with it in number. */
import { runHints } from '../../../nodes/DeliveryService/messages/summary';
import type { Outcome } from '../../../nodes/DeliveryService/sending/job';
import { job } from '../../support/creations';

/** The hints of a run in which this number of items has the outcome. */
function hintsFor(count: number, outcome: Outcome): string[] {
	const jobs = Array.from({ length: count }, (_, index) => ({
		...job(index + 1, `#${index + 1}`, { order: {} }),
		outcome,
	}));
	const { info, warnings } = runHints(jobs, { isRecorded: true });
	return [info, ...warnings];
}

const error = new TypeError('a bug');

test.each<[string, Outcome, string, string]>([
	[
		'created',
		{ kind: 'created', id: 'd', record: {} },
		'Created 1 delivery.',
		'Created 2 deliveries.',
	],
	[
		'skipped',
		{ kind: 'skipped', why: { code: 'alreadyCreated' } },
		'#1 was already sent.',
		'Skipped 2 items: #1, #2.',
	],
	[
		'unsent',
		{ kind: 'notSent', why: { code: 'stopped' } },
		'#1 was not sent: the execution was stopped.',
		'2 of 2 were not created: #1, #2.',
	],
	[
		'unknown',
		{ kind: 'unknown', why: { code: 'unexpected', error } },
		'It is unknown whether #1 was created: an unexpected error occurred: a bug.',
		'whether 2 of 2 were created. Look for them in the Delivery Service before you send them again: #1, #2.',
	],
	[
		'pending review',
		{ kind: 'created', id: 'd', record: { statusDelivery: 'pending review' } },
		'#1 is pending review: the Delivery Service did not find an address',
		'2 of 2 need your attention: #1, #2.',
	],
])('the hints about %s deliveries agree with 1 and 2 in number', (_, outcome, one, two) => {
	expect(hintsFor(1, outcome).join('\n')).toContain(one);
	expect(hintsFor(2, outcome).join('\n')).toContain(two);
});
