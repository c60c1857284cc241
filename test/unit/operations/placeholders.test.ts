import {
	isPlaceholder,
	placeholderFor,
	webhookBehind,
} from '../../../nodes/DeliveryService/operations/webhook/placeholders';

const triggerUrl = `https://n8n.shop.example/webhook/6f1d2c3b-8a57-4c1e-9d40-2b7c5e9f0a13/webhook?event=updateTask&workflow=Zr4xQ2mKp9LbT7wd&signature=${'0f'.repeat(32)}`;

test.each([
	triggerUrl,
	'https://shop.example',
	'https://shop.example?a=b',
	'HTTPS://Shop.example:443/A%2Fb?c=%26',
])('finds the webhook %s behind its placeholder', (url) => {
	const placeholder = placeholderFor({ url, action: 3 });

	expect(placeholder?.url).not.toBe(url);
	expect(placeholder && webhookBehind(placeholder)).toEqual({ url, action: 3 });
});

test.each([
	['encoded', encodeURI],
	['completely encoded', encodeURIComponent],
	['escaped for HTML', (url: string) => url.replaceAll('&', '&amp;')],
])('finds the webhook behind a placeholder that the service lists %s', (_, spell) => {
	const placeholder = placeholderFor({ url: triggerUrl, action: 1 });

	const listed = { url: spell(placeholder?.url ?? ''), action: 1 };

	expect(isPlaceholder(listed)).toBe(true);
	expect(webhookBehind(listed)).toEqual({ url: triggerUrl, action: 1 });
});

test("the placeholder of a trigger's URL fits into 255 characters", () => {
	expect(triggerUrl.length).toBeGreaterThanOrEqual(180);
	expect(placeholderFor({ url: triggerUrl, action: 3 })?.url.length).toBeLessThanOrEqual(
		triggerUrl.length + 30,
	);
});

test('no webhook is behind a placeholder that the service has cut off at any point', () => {
	const { url } = placeholderFor({ url: triggerUrl, action: 3 }) ?? { url: '' };

	for (let length = 0; length < url.length; length++)
		expect(webhookBehind({ url: url.slice(0, length), action: 3 })).toBeUndefined();
	expect(isPlaceholder({ url: url.slice(0, 100), action: 3 })).toBe(true);
});

test('there is no placeholder if only its URL would be longer than 255 characters', () => {
	const start = 'https://shop.example/';

	expect(placeholderFor({ url: start.padEnd(255, 'a'), action: 3 })).toBeUndefined();
	expect(placeholderFor({ url: start.padEnd(256, 'a'), action: 3 })).toBeDefined();
});

test('an ordinary webhook is no placeholder', () => {
	expect(isPlaceholder({ url: triggerUrl, action: 3 })).toBe(false);
	expect(webhookBehind({ url: triggerUrl, action: 3 })).toBeUndefined();
});
