import type { Entries } from './entries';

/*
 * A short text in a store that can only record entries and tell which ones were new: one entry for
 * each hexadecimal digit of its characters.
 */

const digits = [...'0123456789abcdef'];

/** How many digits are read at once: looking for an entry records it, and n8n removes slowly. */
const digitsPerAccess = 16;

const digitEntry = (name: string, position: number, digit: string) =>
	`${name}\n${position} ${digit}`;

/** The last character: without it, the store has dropped a part of the text. */
const end = '\n';

/** The entries of a text of ASCII characters. */
export function textEntries(name: string, text: string): string[] {
	const hex = [...text, end].map((character) =>
		character.charCodeAt(0).toString(16).padStart(2, '0'),
	);
	return [...hex.join('')].map((digit, position) => digitEntry(name, position, digit));
}

/**
 * Reads a text that was recorded with {@link textEntries}, and leaves the entries as they were.
 *
 * @returns undefined when there is none, or when it is not readable because a process crashed while it
 *   was reading
 */
export async function readText(entries: Entries, name: string): Promise<string | undefined> {
	let hex = '';
	for (let start = 0; ; start += digitsPerAccess) {
		const candidates = Array.from({ length: digitsPerAccess }, (_, index) =>
			digits.map((digit) => ({ digit, entry: digitEntry(name, start + index, digit) })),
		);
		const missing = await entries.record(candidates.flat().map(({ entry }) => entry));
		await entries.remove([...missing]);
		const found = candidates.map((some) => some.filter(({ entry }) => !missing.has(entry)));
		if (found.some((some) => some.length > 1)) return undefined;
		hex += found.map(([one]) => one?.digit ?? ' ').join('');
		if (hex.endsWith(' ')) break;
	}
	const bytes = hex.trimEnd().match(/../g) ?? [];
	const text = String.fromCharCode(...bytes.map((byte) => parseInt(byte, 16)));
	const isComplete = text.endsWith(end) && !hex.trimEnd().includes(' ');
	return isComplete ? text.slice(0, -end.length) : undefined;
}

/** Replaces a text. */
export async function writeText(entries: Entries, name: string, text: string): Promise<void> {
	const wanted = textEntries(name, text);
	// Also what an interrupted reading has left behind the end.
	const positions = (Math.floor(wanted.length / digitsPerAccess) + 1) * digitsPerAccess;
	const candidates = Array.from({ length: positions }, (_, position) =>
		digits.map((digit) => digitEntry(name, position, digit)),
	).flat();
	await entries.remove(candidates);
	await entries.record(wanted);
}
