import { nearest } from '../../../nodes/DeliveryService/service/values';

const fields = ['pickup', 'dropoff', 'packages', 'referenceId', 'tags', 'extraData', 'cod'];

test.each([
	['dropof', 'dropoff'],
	['Pick_up', 'pickup'],
	['REFERENCEID', 'referenceId'],
	['refrenceID', 'referenceId'],
	['tag', 'tags'],
	['packagesList', 'packages'],
	['reference', 'referenceId'],
	['codes', 'cod'],
])('suggests for %j the field %j', (word, field) => {
	expect(nearest(word, fields)).toBe(field);
});

test.each(['color', 'x', '', 'weight', 'dxxpxff'])('suggests nothing for %j', (word) => {
	expect(nearest(word, fields)).toBeUndefined();
});

test('prefers the most similar candidate, and the first of equally similar ones', () => {
	expect(nearest('lat', ['lot', 'lat', 'late'])).toBe('lat');
	expect(nearest('packages', ['packagex', 'packagey'])).toBe('packagex');
	expect(nearest('abcdef', ['abcxyf', 'abcdxf'])).toBe('abcdxf');
});
