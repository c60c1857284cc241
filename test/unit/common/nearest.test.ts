import fc from 'fast-check';

import { nearest } from '../../../nodes/DeliveryService/common/nearest';

const members = ['pickup', 'dropoff', 'packages', 'referenceId', 'tags', 'extraData', 'cod'];

test.each([
	['dropof', 'dropoff'],
	['Pick_up', 'pickup'],
	['REFERENCEID', 'referenceId'],
	['refrenceID', 'referenceId'],
	['tag', 'tags'],
	['packagesList', 'packages'],
	['reference', 'referenceId'],
	['codes', 'cod'],
])('suggests for %j the member %j', (word, member) => {
	expect(nearest(word, members)).toBe(member);
});

test.each(['colour', 'x', '', 'weight', 'dxxpxff'])('suggests nothing for %j', (word) => {
	expect(nearest(word, members)).toBeUndefined();
});

test('suggests nothing when there is nothing to suggest', () => {
	expect(nearest('tags', [])).toBeUndefined();
});

test('prefers the nearest, and of equally near ones the first', () => {
	expect(nearest('lat', ['lot', 'lat', 'late'])).toBe('lat');
	expect(nearest('packages', ['packagex', 'packagey'])).toBe('packagex');
	expect(nearest('abcdef', ['abcxyf', 'abcdxf'])).toBe('abcdxf');
});

test('does not take two letters inside a word for the word', () => {
	expect(nearest('id', ['confidential'])).toBeUndefined();
});

test('allows a third of the letters to differ, and no more', () => {
	expect(nearest('abcxyf', ['abcdef'])).toBe('abcdef');
	expect(nearest('abxyzf', ['abcdef'])).toBeUndefined();
});

test('counts letters put in, taken out and replaced', () => {
	expect(nearest('neighbrhod', ['neighborhood'])).toBe('neighborhood');
	expect(nearest('neiighboorhood', ['neighborhood'])).toBe('neighborhood');
	expect(nearest('naighborhoad', ['neighborhood'])).toBe('neighborhood');
});

test('suggests a candidate for itself, whatever its case', () => {
	fc.assert(
		fc.property(fc.stringMatching(/^[a-zA-Z]{1,12}$/), (word) => {
			expect(nearest(word.toUpperCase(), [word])).toBe(word);
		}),
	);
});
