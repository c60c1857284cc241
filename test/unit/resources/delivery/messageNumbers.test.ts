/** Every message with a count agrees with it in number. */
import {
	dryRunHint,
	orderHints,
	runHints,
	type ItemOutcome,
} from '../../../../nodes/DeliveryService/resources/delivery/create/output';
import type { PreparedItem } from '../../../../nodes/DeliveryService/resources/delivery/create/prepare';
import { creation } from '../../../support/creations';

const prepared = (item: number, facts: object = {}): PreparedItem => ({
	item,
	referenceId: `#${item}`,
	...facts,
	kind: 'delivery',
	delivery: creation(item).delivery,
});

const noReport = { requests: 1, waited: { forLimitMs: 0, forServiceMs: 0 }, ledgerFailed: false };

/** The hints of a run in which this number of items has the outcome. */
function hintsFor(count: number, outcome: ItemOutcome): string[] {
	const items = Array.from({ length: count }, (_, item) => prepared(item + 1));
	const outcomes = new Map(items.map(({ item }) => [item, outcome]));
	return runHints(items, outcomes, noReport).map(({ message }) => message);
}

const problem = { message: 'No' };

test.each<[string, ItemOutcome, string, string]>([
	[
		'created',
		{ kind: 'created', id: 'd', record: {} },
		'Created 1 delivery.',
		'Created 2 deliveries.',
	],
	[
		'skipped',
		{ kind: 'skipped', reason: 'r', message: 'm' },
		'Skipped 1 item: see',
		'Skipped 2 items: see',
	],
	[
		'rejected',
		{ kind: 'rejected', problem },
		'1 delivery was not created',
		'2 deliveries were not created',
	],
	[
		'unknown',
		{ kind: 'unknown', problem },
		'whether #1 was created. Check the Delivery Service dashboard before you send it again.',
		'whether 2 deliveries (#1, #2) were created. Check the Delivery Service dashboard before you send them again.',
	],
	[
		'pending review',
		{ kind: 'created', id: 'd', record: { statusDelivery: 'pending review' } },
		'#1 is pending review: its address was not found. Correct it',
		'2 deliveries (#1, #2) are pending review: their addresses were not found. Correct them',
	],
])('the hints about %s deliveries agree with 1 and 2 in number', (_, outcome, one, two) => {
	expect(hintsFor(1, outcome).join('\n')).toContain(one);
	expect(hintsFor(2, outcome).join('\n')).toContain(two);
});

test('the hint of a dry run agrees with 0, 1 and 2 deliveries in number', () => {
	const hint = (count: number) => {
		const creations = Array.from({ length: count }, (_, item) => creation(item));
		return dryRunHint({ requests: [{ creations, body: { deliveries: [] } }], skipped: [] }).message;
	};
	expect([0, 1, 2].map(hint)).toEqual([
		'Dry Run is on: nothing was sent, and nothing would be.',
		'Dry Run is on: nothing was sent. Remove this option to create 1 delivery.',
		'Dry Run is on: nothing was sent. Remove this option to create 2 deliveries.',
	]);
});

test('the hints about orders agree with 1 and 2 fields and orders in number', () => {
	const hints = (count: number) => {
		const missingFields = ['a', 'b'].slice(0, count).map((field) => ({ field, assumed: field }));
		const notCollectedFor = ['Cash', 'Other'].slice(0, count);
		const facts = { missingFields, notCollectedFor };
		return orderHints(Array.from({ length: count }, (_, item) => prepared(item + 1, facts)))
			.map(({ message }) => message)
			.join('\n');
	};
	expect(hints(1)).toContain(
		'"a" for 1 order (assumed: a). If Fields is set in the Shopify node, add it',
	);
	expect(hints(1)).toContain('#1 is not fully paid');
	expect(hints(1)).toContain('If the payment method "Cash" is');
	expect(hints(2)).toContain(
		'for 2 orders (assumed: a, b). If Fields is set in the Shopify node, add them',
	);
	expect(hints(2)).toContain('2 orders (#1, #2) are not fully paid');
	expect(hints(2)).toContain('If one of the payment methods "Cash", "Other" is');
});
