import { retryAfterText, readRetryAfter } from '../../../nodes/DeliveryService/service/retryAfter';

const saying = (value: string) =>
	readRetryAfter({
		kind: 'response',
		status: 429,
		headers: { 'retry-after': value },
		body: undefined,
	});

test('seconds and dates are read', () => {
	expect(saying(' 600 ')).toEqual({ seconds: 600 });
	expect(saying('Sun, 01 Mar 2026 12:00:30 GMT')).toEqual({
		date: new Date('2026-03-01T12:00:30Z'),
	});
	expect(saying('2026-03-01T12:00:30Z')).toEqual({ date: new Date('2026-03-01T12:00:30Z') });
});

test.each(['', '0', '-5', '1.5', 'soon'])('%j says nothing', (value) => {
	expect(saying(value)).toBeUndefined();
});

test('an answer without the header says nothing', () => {
	expect(
		readRetryAfter({ kind: 'response', status: 429, headers: {}, body: undefined }),
	).toBeUndefined();
});

test.each([
	[1, '1 second'],
	[90, '90 seconds'],
	[121, '3 minutes'],
	[600, '10 minutes'],
	[7201, '3 hours'],
])('%d seconds are %s in words', (seconds, words) => {
	expect(retryAfterText({ seconds })).toBe(words);
});

test('a date is in words what it is until', () => {
	expect(retryAfterText({ date: new Date('2026-03-01T12:00:30Z') })).toBe(
		'until 2026-03-01T12:00:30.000Z',
	);
});
