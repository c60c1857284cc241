/**
 * How the secrets of a credential are recognized in a text: a server may quote the request in a message,
 * a page or a header, encoded once or several times, and cut off.
 */
import type { Credential } from './credential';

/** Shorter secrets would also be found in other words and in IDs. */
const minLength = 8;

/** So much of a secret that was cut off is recognized: half of it, within these limits. */
const minBeginning = 10;
const maxBeginning = 32;

/** A character has up to so many in an encoding, e.g. "%2525252F" and "&amp;#x0002f;". */
const maxEncodedLength = 14;

/**
 * A function that removes the API secret, and the key with it in base64, from a text. Takes time in
 * proportion to its length.
 */
export function secretRemover({
	apiKeyId,
	apiSecret,
}: Pick<Credential, 'apiKeyId' | 'apiSecret'>): (text: string) => string {
	const secret = apiSecret.trim();
	if (secret.length < minLength) return (text) => text;
	const pairs = [`${apiKeyId}:${apiSecret}`, `${apiSecret}:${apiKeyId}`];
	const texts = [secret, ...pairs.map(toBase64), ...base64Within(secret)];
	const pattern = new RegExp(texts.map(beginningPattern).join('|'), 'gi');
	return (text) => text.replaceAll(pattern, '***');
}

function toBase64(text: string): string {
	return Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, '');
}

/** The base64 of a text that starts at any byte of a longer one, without the characters that depend on its neighbors. */
function base64Within(text: string): string[] {
	return [0, 1, 2].map((offset) => {
		const start = Math.ceil((offset * 4) / 3);
		const end = Math.floor(((offset + Buffer.byteLength(text)) * 4) / 3);
		return toBase64('\0'.repeat(offset) + text).slice(start, end);
	});
}

/**
 * A pattern for the beginning of a text, in any spelling, and for what follows in the same word. No part of it
 * is unbounded, and none contains all that follows: for a long key, that would take all memory.
 */
function beginningPattern(text: string): string {
	const characters = Array.from(text);
	const half = Math.ceil(characters.length / 2);
	const required = Math.min(Math.max(minBeginning, half), maxBeginning);
	const beginning = characters.slice(0, required).map(spellingPattern).join('');
	const rest = characters.slice(required);
	if (rest.length === 0) return beginning;
	const own = [...new Set(rest)].map(escapeForPattern).join('');
	return `${beginning}(?:[^\\s"'<>.,()[\\]{}]|[${own}]){0,${rest.length * maxEncodedLength}}`;
}

const namedEntities: Readonly<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
};

/**
 * A character as it is, and as JSON, URLs, forms, HTML and URL-safe base64 write it. Backslashes before
 * the first character count only from the start of their run: otherwise each of a million would be tried.
 */
function spellingPattern(character: string, position: number): string {
	const code = character.codePointAt(0) ?? 0;
	const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
	const bytes = [...Buffer.from(character, 'utf8')].map((byte) =>
		byte.toString(16).padStart(2, '0'),
	);
	const named = namedEntities[character];
	const inBase64 = { '+': '-', '/': '_' }[character];
	const isWord = /^[a-z\d]$/i.test(character);
	const runStart = position === 0 ? '(?<!\\\\)' : '';
	const literal = escapeForPattern(character);
	const spellings = [
		...(isWord ? [] : [`${runStart}\\\\{1,8}${literal}`]),
		literal,
		units.map((unit, index) => `${index === 0 ? runStart : ''}\\\\{1,8}u${unit}`).join(''),
		bytes.map((byte) => `%(?:25){0,3}${byte}`).join(''),
		...(isWord ? [] : [`&(?:amp;)?#(?:x0{0,4}${code.toString(16)}|0{0,4}${code});`]),
		...(named === undefined ? [] : [`&(?:amp;)?${named};`]),
		...(inBase64 === undefined ? [] : [inBase64]),
		...(character === ' ' ? ['\\+'] : []),
	];
	return `(?:${spellings.join('|')})`;
}

function escapeForPattern(character: string): string {
	return character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
}
