/** Every message with a count agrees with it in number. */
import { dryRunHint } from '../../../nodes/DeliveryService/operations/create/dryRun';
import { orderHints, runHints } from '../../../nodes/DeliveryService/operations/create/hints';
import type { ItemOutcome } from '../../../nodes/DeliveryService/operations/create/output';
import type { PreparedItem } from '../../../nodes/DeliveryService/operations/create/prepare';
import { creation } from '../../support/creations';
import { fixedOverrides } from '../../../nodes/DeliveryService/operations/fields/fixedOverrides';

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

test('the hint of a dry run agrees with 0, 1 and 2 deliveries and skipped items in number', () => {
	const hint = (count: number, skipped: number, shopifyOrder?: object) =>
		dryRunHint([
			...Array.from({ length: count }, (_, item) => ({ prepared: prepared(item) })),
			...Array.from({ length: skipped }, (_, item) => ({
				prepared: prepared(1005 + item, { shopifyOrder }),
				notSent: { reason: item === 0 ? 'cancelled' : 'testOrder', message: 'm' },
			})),
		]).message;
	expect([hint(0, 0), hint(1, 0), hint(2, 1), hint(8, 2, { id: '1' }), hint(0, 1, {})]).toEqual([
		'Dry Run: no delivery would be created.',
		'Dry Run: 1 delivery would be created. Turn off Dry Run to create it.',
		'Dry Run: 2 deliveries would be created, 1 item skipped (#1005 canceled). Turn off Dry Run to create them.',
		'Dry Run: 8 deliveries would be created, 2 orders skipped (#1005 canceled, #1006 test order). Turn off Dry Run to create them.',
		'Dry Run: no delivery would be created, 1 order skipped (#1005 canceled).',
	]);
});

test('the hints about orders agree with 1 and 2 fields and orders in number', () => {
	const hints = (count: number) => {
		const missingFields = ['test', 'cancelled_at']
			.slice(0, count)
			.map((field) => ({ field, shownField: field }));
		const notCollectedFor = ['Cash', 'Other'].slice(0, count);
		const facts = { missingFields, notCollectedFor };
		return orderHints(
			Array.from({ length: count }, (_, item) => prepared(item + 1, facts)),
			[],
		)
			.map(({ message }) => message)
			.join('\n');
	};
	expect(hints(1)).toContain(
		'"test" for 1 order (assumed: not a test order). If Fields is set in the Shopify node, add it',
	);
	expect(hints(1)).toContain('#1 is not fully paid');
	expect(hints(1)).toContain('If the payment method "Cash" is');
	expect(hints(2)).toContain(
		'for 2 orders (assumed: not a test order, not canceled). If Fields is set in the Shopify node, add them',
	);
	expect(hints(2)).toContain('2 orders (#1, #2) are not fully paid');
	expect(hints(2)).toContain('If one of the payment methods "Cash", "Other" is');
});

test('the hint about a fixed recipient lists what applies to all deliveries of several orders', () => {
	const order = (item: number, id = `${item}`) => prepared(item, { shopifyOrder: { id } });
	const overrides = { address: '1 Main Street', email: 'desk@shop.example' };
	const hints = (items: PreparedItem[], fixed: object) =>
		orderHints(items, fixedOverrides(fixed)).map(({ message }) => message);
	const advice =
		'Override Recipient replaces the recipient of every order: use an expression to decide per order.';
	expect(hints([order(1), order(2), order(3)], { address: '1 Main Street' })).toEqual([
		`All 3 deliveries go to 1 Main Street. ${advice}`,
	]);
	expect(hints([order(1), order(2)], overrides)).toEqual([
		`All 2 deliveries go to 1 Main Street and have the email desk@shop.example. ${advice}`,
	]);
	expect(hints([order(1), order(2)], { name: 'Desk', phone: '1', lat: '2', lng: '3' })).toEqual([
		`All 2 deliveries go to latitude 2, go to longitude 3, are for Desk and have the phone number 1. ${advice}`,
	]);
	expect(hints([order(1), order(2)], {})).toEqual([]);
	// One order, in two fulfillment orders.
	expect(hints([order(1, '7'), order(2, '7')], overrides)).toEqual([]);
});
