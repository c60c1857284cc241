import { nameDelivery, withReference } from '../../../nodes/DeliveryService/sending/namedProblems';
import type { Outcome } from '../../../nodes/DeliveryService/sending/outcomes';
import { creation } from '../../support/creations';

const problem = (message: string) => ({ message, description: 'Do this.' });

test.each([
	['This delivery was not sent: busy', '#1', '#1 was not sent: busy'],
	['This delivery was not updated', 'delivery d-1', 'Delivery d-1 was not updated'],
	['It is unknown whether this delivery was created', '#1', 'It is unknown whether #1 was created'],
	['The key was rejected', '#1', 'The key was rejected'],
	['This delivery was not sent', '$&', '$& was not sent'],
	['This delivery was not sent', 'wo-15', 'wo-15 was not sent'],
])('in "%s", "this delivery" becomes "%s": "%s"', (message, name, named) => {
	expect(nameDelivery(problem(message), name)).toEqual(problem(named));
});

test('names the reference ID of a failed delivery, and changes no other result', () => {
	const failed: Outcome = { kind: 'notSent', problem: problem('This delivery was not sent') };
	const created: Outcome = { kind: 'created', id: 'd', record: {} };
	const withName = { creation: creation(0, '#1'), outcome: failed };
	expect(withReference(withName).outcome).toMatchObject({
		problem: problem('#1 was not sent'),
	});
	for (const result of [
		{ creation: creation(0), outcome: failed },
		{ creation: creation(0, '#1'), outcome: created },
	])
		expect(withReference(result)).toBe(result);
});
