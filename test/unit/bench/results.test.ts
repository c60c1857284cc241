import { sustained } from '../../../bench/parts/limit';
import { errorsOf } from '../../../bench/sending';

test('the throughput under the rate limit counts from the first full window', () => {
	const limit = { requests: 100, perMs: 6000 };
	const times = Array.from({ length: 200 }, (_, index) => (index < 100 ? index : 12_000 + index));
	expect(sustained(times, limit)).toBeCloseTo(6000 / 12_100);
	expect(sustained(times.slice(0, 100), limit)).toBe(0);
});

test('reports missing, duplicated, lost, invented and rejected deliveries', () => {
	const account = { created: 5, rejected: 0, duplicated: 0, lost: 0, invented: 0, times: [] };
	expect(errorsOf(account, 5)).toEqual([]);
	const wrong = { ...account, duplicated: 1, lost: 2, invented: 3, rejected: 4 };
	expect(errorsOf(wrong, 6)).toEqual([
		'5 of 6 deliveries created',
		'1 created twice',
		'2 missing in the output',
		'3 in the output that were not created',
		'4 requests rejected with 429',
	]);
});
