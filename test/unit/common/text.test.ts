import fc from 'fast-check';

import {
	foldWords,
	isBlank,
	isLongerThan,
	stripInvisible,
	excerpt,
} from '../../../nodes/DeliveryService/common/text';
import { isEmailAddress } from '../../../nodes/DeliveryService/service/values';

describe('an email address', () => {
	// In one text each: a list would take a line for each.
	test.each(
		`ana@example.com a&b@x.com a/b@docomo.ne.jp 1@1.com
		ana@xn--mnchen-3ya.de ana.lopez+shop@mail.example.co.uk o'neil@example.ie a@b-c.museum
		#ana!$%*=?^_\`{|}~-@example.com`.split(/\s+/),
	)('accepts the email address %s', (text) => {
		expect(isEmailAddress(text)).toBe(true);
	});

	test.each(
		`|ana|ana@|@example.com|ana@example|ana@example.c|ana@@example.com|ana@example..com
		|ana@example.com@example.com|ana example@x.com|ana@exam ple.com|ana@example,com
		|ana@example.com.|ana@.example.com|ana@-example.com|ana@example-.com|.ana@example.com
		|ana.@example.com|ana..lopez@example.com|Ana <ana@example.com>|mailto:ana@example.com
		|ana@example.com, ben@example.com|ana@example.com;ben@example.com|ana(at)example.com
		|ana@127.0.0.1|ana@[127.0.0.1]|"ana lopez"@example.com|${'a'.repeat(65)}@example.com
		|ana@${'a'.repeat(64)}.com|josé@example.com|ana@münchen.de|用户@例え.jp`.split(/\s*\|/),
	)('rejects the email address %j', (text) => {
		expect(isEmailAddress(text)).toBe(false);
	});

	test('rejects an address in two lines', () => {
		expect(isEmailAddress('ana\n@example.com')).toBe(false);
	});

	test('accepts any generated email address', () => {
		fc.assert(fc.property(fc.emailAddress(), (email) => expect(isEmailAddress(email)).toBe(true)));
	});
});

describe('the length of a text', () => {
	test.each([
		['', 0],
		['abc', 3],
		['é', 1],
		['e\u0301', 2],
		['🎁', 1],
		['🇲🇽🇫🇷', 4],
		['👍🏽!', 3],
		['한국', 2],
	])('counts the length of %j as %i', (text, count) => {
		expect(isLongerThan(text, count)).toBe(false);
		expect(isLongerThan(`${text}x`, count)).toBe(true);
	});

	test('excerpt never splits a code point', () => {
		expect(excerpt('🎁👍é!', 2)).toBe('🎁👍...');
		expect(excerpt('🎁', 1)).toBe('🎁');
		expect(excerpt('abc', 3)).toBe('abc');
	});
});

describe('invisible characters', () => {
	test.each<[string, string, string]>([
		['a zero-width space', 'mia@example.com\u200B', 'mia@example.com'],
		['a byte order mark', '\uFEFFMia', 'Mia'],
		['a soft hyphen', 'Haupt\u00ADstraße', 'Hauptstraße'],
		['directional marks', '\u202A+1 217-555-0100\u202C', '+1 217-555-0100'],
		['a word joiner', '12\u2060 Main Street', '12 Main Street'],
		['a joiner between Latin letters', 'mia\u200D@example\u200C.com', 'mia@example.com'],
		['a control character', 'Mi\u0000a\u007F', 'Mia'],
		['a Hangul filler', '\u3164Mia', 'Mia'],
		['hidden tags', 'Mia\u{E0041}', 'Mia'],
	])('strips invisible characters: %s', (_, text, expected) => {
		expect(stripInvisible(text)).toBe(expected);
	});

	test.each<[string, string]>([
		['line breaks and tabs', 'Ring\r\n\tthe bell'],
		['a non-joiner in a Persian name', 'علی\u200Cرضا'],
		['a joiner in a Sinhala name', 'ශ්\u200Dරී'],
		['a joiner at the end of a Malayalam word', 'അവന്\u200D'],
		['a variant of a Japanese character', '葛\u{E0100}飾'],
		['an emoji of several', '👩\u200D👩\u200D👧 ❤\uFE0F\u200D🔥 1\uFE0F\u20E3'],
		['a flag of a region', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'],
	])('keeps characters that shape others: %s', (_, text) => {
		expect(stripInvisible(text)).toBe(text);
	});

	test.each(['', ' ', '\u200B', '\uFEFF \u00AD', '\u2060', '\u200D', '\uFE0F', '\u3164', '\u2800'])(
		'counts text of nothing else as blank (%j)',
		(text) => {
			expect(isBlank(text)).toBe(true);
		},
	);

	test('does not count visible text as blank', () => {
		for (const text of ['0', '-', 'é', '葛', '❤\uFE0F', 'Null', 'null null'])
			expect(isBlank(text)).toBe(false);
	});
});

describe('foldWords', () => {
	test.each([
		['Picked Up', 'picked_up'],
		['PICK-UP', 'pick up'],
		['Płatność – przelew', 'platnosc – przelew'],
		['KAPIDA ÖDEME', 'Kapıda ödeme'],
		['ＣＯＤ', 'cod'],
		['Straße', 'STRASSE'],
		['Express — 2h', 'express - 2h'],
		["Today's", 'today’s'],
	])('takes the words %s for %s', (one, other) => {
		expect(foldWords(one)).toBe(foldWords(other));
	});

	test.each([
		['0-5 kg', '05 kg'],
		['0-5 kg', '0.5 kg'],
		['A+', 'A'],
		['DHL 1-2', 'DHL 12'],
	])('does not take %s for %s', (one, other) => {
		expect(foldWords(one)).not.toBe(foldWords(other));
	});
});
