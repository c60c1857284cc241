import fc from 'fast-check';

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

test('suggests nothing without candidates', () => {
	expect(nearest('tags', [])).toBeUndefined();
});

test('prefers the most similar candidate, and the first of equally similar ones', () => {
	expect(nearest('lat', ['lot', 'lat', 'late'])).toBe('lat');
	expect(nearest('packages', ['packagex', 'packagey'])).toBe('packagex');
	expect(nearest('abcdef', ['abcxyf', 'abcdxf'])).toBe('abcdxf');
});

test('ignores a match of two letters inside a candidate', () => {
	expect(nearest('id', ['confidential'])).toBeUndefined();
});

test('allows at most a third of the letters to differ', () => {
	expect(nearest('abcxyf', ['abcdef'])).toBe('abcdef');
	expect(nearest('abxyzf', ['abcdef'])).toBeUndefined();
});

test('counts inserted, deleted and replaced letters', () => {
	expect(nearest('neighbrhod', ['neighborhood'])).toBe('neighborhood');
	expect(nearest('neiighboorhood', ['neighborhood'])).toBe('neighborhood');
	expect(nearest('naighborhoad', ['neighborhood'])).toBe('neighborhood');
});

test('suggests a candidate for itself regardless of case', () => {
	fc.assert(
		fc.property(fc.stringMatching(/^[a-zA-Z]{1,12}$/), (word) => {
			expect(nearest(word.toUpperCase(), [word])).toBe(word);
		}),
	);
});
