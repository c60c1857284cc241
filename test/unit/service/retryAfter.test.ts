import { retryAfterText, readRetryAfter } from '../../../nodes/DeliveryService/service/retryAfter';

const parse = (value: string) =>
	readRetryAfter({
		kind: 'response',
		status: 429,
		headers: { 'retry-after': value },
		body: undefined,
	});

test('parses seconds and dates in Retry-After', () => {
	expect(parse(' 600 ')).toEqual({ seconds: 600 });
	expect(parse('Sun, 01 Mar 2026 12:00:30 GMT')).toEqual({
		date: new Date('2026-03-01T12:00:30Z'),
	});
	expect(parse('2026-03-01T12:00:30Z')).toEqual({ date: new Date('2026-03-01T12:00:30Z') });
});

test.each(['', '0', '-5', '1.5', 'soon'])('ignores the Retry-After value %j', (value) => {
	expect(parse(value)).toBeUndefined();
});

test('returns undefined without a Retry-After header', () => {
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
])('formats %d seconds as %s', (seconds, text) => {
	expect(retryAfterText({ seconds })).toBe(text);
});

test('formats a date as the time to wait until', () => {
	expect(retryAfterText({ date: new Date('2026-03-01T12:00:30Z') })).toBe(
		'until 2026-03-01T12:00:30.000Z',
	);
});
