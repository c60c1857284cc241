import { isPendingReview, isSameStatus } from '../../../nodes/DeliveryService/service/statuses';

test.each([
	'pending review',
	'pending_review',
	'PendingReview',
	'Pending-Review',
	'pending_to_review',
	'PENDING TO BE REVIEWED',
	'review pending',
])('%j is pending review', (status) => {
	expect(isPendingReview(status)).toBe(true);
});

test.each(['pending', 'reviewed', 'processing', ''])('%j is not pending review', (status) => {
	expect(isPendingReview(status)).toBe(false);
});

test.each([
	['picked up', 'picked_up'],
	['Picked Up', 'pickedUp'],
	['Déjà vu', 'DEJA_VU'],
	['attempt 1', 'attempt_1'],
	['picked up', 'Picked.Up'],
	['✅', '✅'],
	['pending review', 'pending_to_review'],
])('%j is the status %j', (one, other) => {
	expect(isSameStatus(one, other)).toBe(true);
});

test.each([
	['picked up', 'not_picked_up'],
	['delivered', 'deliver'],
	['pending', 'pending review'],
	['✅', '❌'],
	['picked up', `picked up${' '.repeat(200)}`],
])('%j is another status than %j', (one, other) => {
	expect(isSameStatus(one, other)).toBe(false);
});
