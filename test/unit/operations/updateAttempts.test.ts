import { UpdateAttempts } from '../../../nodes/DeliveryService/operations/update/attempts';
import type { Update, UpdateResult } from '../../../nodes/DeliveryService/sending/updates';

const flags = { recalculatePrice: true, reorderRoute: true, recalculateCity: true };

const update = (item: number, ids: string[], changes: Update['changes']): Update => ({
	...{ item, ids, changes, flags },
	targetKind: 'referenceIds',
});

const result = (
	item: number,
	id: string,
	kind: 'updated' | 'unknown' | 'rejected' | 'notSent',
): UpdateResult => ({
	...{ item, id, targetKind: 'referenceIds' },
	outcome: kind === 'updated' ? { kind, response: {} } : { kind, problem: { message: kind } },
});

const change = update(0, ['A', 'B'], { cod: 5 });
const rename = update(1, ['A'], { referenceId: 'A2' });

describe.each(['updated', 'unknown'] as const)('a reference ID whose replacement is %s', (kind) => {
	const attempts = new UpdateAttempts();
	const changed = result(0, 'A', 'updated');
	const renamed = result(1, 'A', kind);
	attempts.add(change, changed);
	attempts.add(change, result(0, 'B', 'rejected'));
	attempts.add(rename, renamed);

	test('is final in the update that replaces it', () => {
		expect(attempts.withoutFinal(rename)).toEqual({
			update: { ...rename, ids: [] },
			final: [renamed],
		});
	});

	test('is final in an earlier update, whose other IDs are sent again', () => {
		expect(attempts.withoutFinal(change)).toEqual({
			update: { ...change, ids: ['B'] },
			final: [changed],
		});
	});

	test('is sent in an update that no attempt has sent', () => {
		const later = update(2, ['A'], { cod: 6 });
		expect(attempts.withoutFinal(later)).toEqual({ update: later, final: [] });
		attempts.add(later, result(2, 'A', 'notSent'));
		expect(attempts.withoutFinal(later)).toEqual({ update: later, final: [] });
	});

	test('is not final as a delivery ID', () => {
		const byId: Update = { ...rename, targetKind: 'deliveryIds' };
		expect(attempts.withoutFinal(byId)).toEqual({ update: byId, final: [] });
	});
});

test('sends all IDs again if the replacement was rejected or not sent', () => {
	for (const kind of ['rejected', 'notSent'] as const) {
		const attempts = new UpdateAttempts();
		attempts.add(change, result(0, 'A', 'updated'));
		attempts.add(rename, result(1, 'A', kind));
		expect(attempts.withoutFinal(rename)).toEqual({ update: rename, final: [] });
		expect(attempts.withoutFinal(change)).toEqual({ update: change, final: [] });
	}
});
