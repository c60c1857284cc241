import { referenceScope } from '../../../nodes/DeliveryService/deduplication/store';

const scope = referenceScope('https://api.example/delivery', 7);

test.each([
	'https://api.example/delivery/',
	'https://API.example/delivery',
	'http://api.example/delivery',
	'https://api.example:443/delivery',
])('recognizes the same service when the Base URL is written as %s', (baseUrl) => {
	expect(referenceScope(baseUrl, 7)).toBe(scope);
});

test('returns a different scope for another service or company', () => {
	const others = [
		referenceScope('https://api.example', 7),
		referenceScope('https://api.example:8443/delivery', 7),
		referenceScope('https://test.example/delivery', 7),
		referenceScope('https://api.example/delivery', 8),
	];
	expect(new Set([scope, ...others]).size).toBe(5);
});
