import { StoreError } from '../../../nodes/DeliveryService/ledger/lock';
import { dryRunReason } from '../../../nodes/DeliveryService/messages/dryRun';
import { failedText } from '../../../nodes/DeliveryService/messages/failures';
import { helpWithInvalid } from '../../../nodes/DeliveryService/messages/help';
import { neededFor } from '../../../nodes/DeliveryService/messages/needs';
import { reasonText, wordingOf } from '../../../nodes/DeliveryService/messages/outcomes';
import type { Job, SettledJob, UnknownReason } from '../../../nodes/DeliveryService/sending/job';
import type { Skip } from '../../../nodes/DeliveryService/shopify/skipping';
import { noResponse } from '../../support/creations';

function created(statusDelivery: unknown): SettledJob {
	return { item: 0, outcome: { kind: 'created', id: 'd-1', record: { statusDelivery } } };
}

test.each(['pending review', 'pending_to_review', 'PendingReview'])(
	'reports a delivery with the status %j as pending review',
	(status) => {
		const job = created(status);
		expect(wordingOf(job).problem.message).toBe('Created a delivery, but it is pending review');
		expect(neededFor(job)).toContain('did not find an address');
	},
);

test.each(['processing', 'pending', undefined, 3])(
	'reports a delivery with the status %j as created',
	(status) => {
		const job = created(status);
		expect(wordingOf(job).problem.message).toBe('Created a delivery');
		expect(neededFor(job)).toBe('');
	},
);

test.each([
	['tooSlow', "n8n's database was too slow"],
	['stopped', 'the execution was stopped'],
] as const)('says why the memory failed: %s', (code, cause) => {
	const why = { code: 'store', error: new StoreError(code) } as const;
	const outcome = { kind: 'notSent', why } as const;
	expect(wordingOf({ item: 0, referenceId: '#1001', outcome }).problem.message).toBe(
		`#1001 was not sent: n8n could not check which reference IDs were already sent: ${cause}`,
	);
});

test('shows in a dry run that an order may have been sent if the memory could not be read', () => {
	const why = { code: 'store', error: new StoreError('tooSlow') } as const;
	expect(dryRunReason({ item: 0, outcome: { kind: 'notSent', why } })).toBe('unknown');
});

test('asks for the same about an unknown delivery, whichever event of its order found it', () => {
	const claim = { referenceId: '#1001', orderId: 'A' };
	const job: Job = { item: 0, referenceId: '#1001', claim };
	const causes = [
		{ code: 'exchange', exchange: noResponse('ECONNRESET') },
		{ code: 'elsewhere', isWhole: false },
		{ code: 'unexpected', error: new TypeError('a bug') },
	] as const;
	const needs = causes.map((why) =>
		failedText({ ...job, outcome: { kind: 'unknown', why } }, 'It is unknown: why'),
	);
	expect(new Set(needs)).toEqual(
		new Set([
			'It is unknown whether #1001 was created. Wait until no other execution of this workflow is running, then look for #1001 and reference IDs that start with "#1001-" in the Delivery Service. If none of them exists, run the operation "Allow Resending" for #1001, then send it again.',
		]),
	);
});

test('asks to look for fulfillment orders if a delivery without an order may have the reference ID of one', () => {
	const job: Job = { item: 0, referenceId: 'R-1', claim: { referenceId: 'R-1' } };
	const adviceOf = (why: UnknownReason) =>
		wordingOf({ ...job, outcome: { kind: 'unknown', why } }).problem.description;
	expect(adviceOf({ code: 'exchange', exchange: noResponse('ECONNRESET') })).toContain(
		' look for R-1 in the Delivery Service. If it was not created, ',
	);
	expect(adviceOf({ code: 'elsewhere', isWhole: false })).toContain(
		' look for R-1 and reference IDs that start with "R-1-" in the Delivery Service. If none of them exists, ',
	);
});

test('asks to look for the fulfillment orders of an unknown whole order, too', () => {
	const part = { orderReferenceId: '#1', lines: [] };
	const claim = { referenceId: '#1-11', orderId: 'A', part };
	const outcome = { kind: 'unknown', why: { code: 'elsewhere', isWhole: true } } as const;
	expect(wordingOf({ item: 0, referenceId: '#1-11', claim, outcome }).problem.description).toBe(
		'Wait until no other execution of this workflow is running, then look for #1 and reference IDs that start with "#1-" in the Delivery Service. If none of them exists, run the operation "Allow Resending" for #1, then send it again.',
	);
});

test('names no beginning of reference IDs that the custom one of a fulfillment order does not have', () => {
	const part = { orderReferenceId: '#1', lines: [] };
	const claim = { referenceId: 'F-11', orderId: 'A', part };
	const job: Job = { item: 0, referenceId: 'F-11', claim, order: { shopifyOrder: { name: '#1' } } };
	const unknown = { kind: 'unknown', why: { code: 'elsewhere', isWhole: true } } as const;
	expect(wordingOf({ ...job, outcome: unknown }).problem.description).toMatch(
		/ look for #1 and other deliveries of #1 in the Delivery Service\. If none of them exists, /,
	);
	const skipped = { kind: 'skipped', why: { code: 'unitsSent' } } as const;
	expect(wordingOf({ ...job, outcome: skipped }).needed).toContain(
		' Look in the Delivery Service for other deliveries of #1. ',
	);
});

test('claims no delivery of units that another fulfillment order has claimed', () => {
	const part = { orderReferenceId: '#1', lines: [] };
	const claim = { referenceId: '#1-12', orderId: 'A', part };
	const job = { item: 0, referenceId: '#1-12', claim };
	const why = { code: 'unitsSent' } as const;
	expect(wordingOf({ ...job, outcome: { kind: 'skipped', why } })).toMatchObject({
		problem: {
			message:
				'#1-12 was skipped: its items were sent, or may have been, with another fulfillment order of #1.',
		},
		needed:
			'The items of #1-12 were sent, or may have been, with another fulfillment order. Look in the Delivery Service for reference IDs that start with "#1-". Check whether that delivery starts at the right location and has all items. If not, ask the Delivery Service to correct it.',
	});
	const partly = { kind: 'notSent', why: { code: 'unitsPartlySent' } } as const;
	expect(wordingOf({ ...job, outcome: partly }).problem.message).toBe(
		'#1-12 was not sent: some of its items were sent, or may have been, with another fulfillment order of #1',
	);
});

test('says of an invalid order that it is not sent, because an email shows no outcome', () => {
	const message = 'Order #1001 has no email address. Set Fallback Email.';
	const outcome = { kind: 'invalid', problem: { message } } as const;
	expect(failedText({ item: 0, outcome }, message)).toBe(
		`${message} Until this is corrected, it is not sent.`,
	);
});

test('links an order without a payment status to the help about missing fields', () => {
	const outcome = { kind: 'invalid', problem: { message: '' } } as const;
	expect(helpWithInvalid({ ...outcome, cause: 'unknownPayment' })).toBe('missing-fields');
	expect(helpWithInvalid({ ...outcome, cause: 'noEmail' })).toBe('incomplete-order');
});

test.each<[string, Skip]>([
	['canceled', { code: 'cancelled' }],
	['test order', { code: 'testOrder' }],
	[
		'not paid: Bank Deposit, Money Order',
		{ code: 'notPaid', methods: ['Bank Deposit', 'Money Order'] },
	],
	['not paid: no payment method', { code: 'notPaid', methods: [] }],
	['shipping method: DHL', { code: 'shippingMethod', methods: ['DHL'], isOnlyListed: true }],
	['shipping method: none', { code: 'shippingMethod', methods: [], isOnlyListed: true }],
	['delivery method: Retail', { code: 'deliveryMethod', method: 'retail' }],
	['tag: mail', { code: 'tag', tag: 'mail' }],
	['tag: none in Tags', { code: 'tag', tag: undefined }],
	['on hold: fraud; awaiting payment', { code: 'onHold', holds: ['fraud', 'awaiting payment'] }],
	['on hold', { code: 'onHold', holds: [] }],
	['scheduled', { code: 'scheduled', until: '2026-12-24' }],
	['nothing to ship', { code: 'nothingToShip', held: [], isHeld: false }],
	['nothing to ship: on hold', { code: 'nothingToShip', held: [], isHeld: true }],
	['local pickup', { code: 'localPickup', pickup: { shownBy: 'fulfillmentOrder' } }],
	[
		'local pickup: Checkout-Method: pickup',
		{ code: 'localPickup', pickup: { shownBy: 'mark', mark: 'Checkout-Method: pickup' } },
	],
	[
		'local pickup: Main Street Store',
		{ code: 'localPickup', pickup: { shownBy: 'missingAddress', method: 'Main Street Store' } },
	],
])('gives the reason "%s" for reports', (text, skip) => {
	expect(reasonText({ kind: 'skipped', why: { code: 'order', skip } })).toBe(text);
});

test.each([
	['already created', { code: 'alreadyCreated' }],
	['same order in input', { code: 'sameOrder' }],
	['unseen: placed too long ago', { code: 'unseen', isNamed: true }],
] as const)('gives the reason "%s" for reports', (text, why) => {
	expect(reasonText({ kind: 'skipped', why })).toBe(text);
});
