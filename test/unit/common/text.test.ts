import fc from 'fast-check';

import { isLongerThan, truncate } from '../../../nodes/DeliveryService/common/text';
import { isEmailAddress } from '../../../nodes/DeliveryService/service/values';

describe('an email address', () => {
	test.each([
		'ana@example.com',
		'a&b@x.com',
		'a/b@docomo.ne.jp',
		'josé@example.com',
		'ana@münchen.de',
		'ana@xn--mnchen-3ya.de',
		'ana.lopez+shop@mail.example.co.uk',
		"o'neil@example.ie",
		'#ana!$%*=?^_`{|}~-@example.com',
		'用户@例え.jp',
		'अजय@डाटा.भारत',
		'1@1.com',
		'a@b-c.museum',
	])('accepts %s', (text) => {
		expect(isEmailAddress(text)).toBe(true);
	});

	test.each([
		'',
		'ana',
		'ana@',
		'@example.com',
		'ana@example',
		'ana@example.c',
		'ana@@example.com',
		'ana@example.com@example.com',
		'ana example@x.com',
		'ana@exam ple.com',
		'ana@example,com',
		'ana@example..com',
		'ana@example.com.',
		'ana@.example.com',
		'ana@-example.com',
		'ana@example-.com',
		'.ana@example.com',
		'ana.@example.com',
		'ana..lopez@example.com',
		'Ana <ana@example.com>',
		'mailto:ana@example.com',
		'ana@example.com, ben@example.com',
		'ana@example.com;ben@example.com',
		'ana(at)example.com',
		'ana@127.0.0.1',
		'ana@[127.0.0.1]',
		'"ana lopez"@example.com',
		'ana\n@example.com',
		`${'a'.repeat(65)}@example.com`,
		`ana@${'a'.repeat(64)}.com`,
	])('rejects %j', (text) => {
		expect(isEmailAddress(text)).toBe(false);
	});

	test('accepts any generated address', () => {
		fc.assert(fc.property(fc.emailAddress(), (email) => expect(isEmailAddress(email)).toBe(true)));
	});
});

describe('the length of a text', () => {
	test.each([
		['', 0],
		['abc', 3],
		['é', 1],
		['e\u0301', 1],
		['🎁', 1],
		['👨‍👩‍👧', 1],
		['🇲🇽🇫🇷', 2],
		['👍🏽!', 2],
		['한국', 2],
	])('counts the length of %j as %i', (text, count) => {
		expect(isLongerThan(text, count)).toBe(false);
		expect(isLongerThan(`${text}x`, count)).toBe(true);
	});

	test('truncate never splits a character', () => {
		expect(truncate('👨‍👩‍👧👍🏽é!', 2)).toBe('👨‍👩‍👧👍🏽...');
		expect(truncate('👨‍👩‍👧', 1)).toBe('👨‍👩‍👧');
		expect(truncate('abc', 3)).toBe('abc');
	});
});
