/** Every message with a count agrees with it in number. */
import { runHints } from '../../../nodes/DeliveryService/messages/summary';
import { dryRunHint } from '../../../nodes/DeliveryService/operations/create/dryRun';
import type { Job, Outcome } from '../../../nodes/DeliveryService/sending/job';
import { nothingSent } from '../../../nodes/DeliveryService/sending/send';
import { job } from '../../support/creations';

/** A job whose order has these facts. */
const jobWith = (item: number, order: Job['order'] = {}, outcome?: Outcome): Job =>
	job(item, `#${item}`, { order, outcome });

/** The hints of a run in which this number of items has the outcome. */
function hintsFor(count: number, outcome: Outcome): string[] {
	const jobs = Array.from({ length: count }, (_, item) => jobWith(item + 1, {}, outcome));
	const { info, warnings } = runHints(jobs, { ...nothingSent, requests: 1 });
	return [info, ...warnings];
}

const stopped = { code: 'halted', halt: { code: 'stopped' } } as const;

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
		'rejected',
		{ kind: 'rejected', why: stopped },
		'#1 was not sent: the execution was stopped.',
		'2 of 2 were not created: #1, #2.',
	],
	[
		'unknown',
		{ kind: 'unknown', why: stopped },
		'It is unknown whether #1 was created: the execution was stopped.',
		'whether 2 of 2 were created. Look for them in the Delivery Service before you send them again: #1, #2.',
	],
	[
		'pending review',
		{ kind: 'created', id: 'd', record: { statusDelivery: 'pending review' } },
		'#1 needs your attention. The address was not found.',
		'2 of 2 need your attention: #1, #2. The address was not found.',
	],
])('the hints about %s deliveries agree with 1 and 2 in number', (_, outcome, one, two) => {
	expect(hintsFor(1, outcome).join('\n')).toContain(one);
	expect(hintsFor(2, outcome).join('\n')).toContain(two);
});

const skippedOrder = (code: 'cancelled' | 'testOrder'): Outcome => ({
	kind: 'skipped',
	why: { code: 'order', skip: { code } },
});

type ShopifyOrder = NonNullable<Job['order']>['shopifyOrder'];

test('the hint of a dry run agrees with 0, 1 and 2 deliveries and skipped items in number', () => {
	const hint = (count: number, skipped: number, shopifyOrder?: ShopifyOrder) =>
		dryRunHint([
			...Array.from({ length: count }, (_, item) => jobWith(item)),
			...Array.from({ length: skipped }, (_, item) =>
				jobWith(
					1005 + item,
					{ shopifyOrder },
					skippedOrder(item === 0 ? 'cancelled' : 'testOrder'),
				),
			),
		]).message;
	expect([
		hint(0, 0),
		hint(1, 0),
		hint(2, 1),
		hint(8, 2, { id: '1' }),
		hint(0, 1, { id: '1' }),
	]).toEqual([
		'Dry Run: no delivery would be created.',
		'Dry Run: 1 delivery would be created. Turn off Dry Run to create it.',
		'Dry Run: 2 deliveries would be created, 1 item would not be sent (#1005 canceled). Turn off Dry Run to create them.',
		'Dry Run: 8 deliveries would be created, 2 orders would not be sent (#1005 canceled, #1006 test order). Turn off Dry Run to create them.',
		'Dry Run: no delivery would be created, 1 order would not be sent (#1005 canceled).',
	]);
});
