/** Every message with a count agrees with it in number. */
import { runHints } from '../../../nodes/DeliveryService/messages/summary';
import { dryRunHint } from '../../../nodes/DeliveryService/operations/create/dryRun';
import { orderHints } from '../../../nodes/DeliveryService/operations/create/hints';
import { fixedOverrides } from '../../../nodes/DeliveryService/operations/fields/fixedOverrides';
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
		'Skipped 1 item: #1.',
		'Skipped 2 items: #1, #2.',
	],
	[
		'rejected',
		{ kind: 'rejected', why: stopped },
		'1 of 1 was not created: #1.',
		'2 of 2 were not created: #1, #2.',
	],
	[
		'unknown',
		{ kind: 'unknown', why: stopped },
		'whether #1 was created. Look in the Delivery Service before you send it again.',
		'whether 2 deliveries (#1, #2) were created. Look in the Delivery Service before you send them again.',
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
			Array.from({ length: count }, (_, item) => jobWith(item + 1, facts)),
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
	const order = (item: number, id = `${item}`) => jobWith(item, { shopifyOrder: { id } });
	const overrides = { address: '1 Main Street', email: 'desk@shop.example' };
	const hints = (items: Job[], fixed: object) =>
		orderHints(items, fixedOverrides(fixed)).map(({ message }) => message);
	const advice = 'These Order Options apply to every order: use an expression to decide per order.';
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
