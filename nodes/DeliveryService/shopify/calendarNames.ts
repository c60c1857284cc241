/** The months and weekdays by their names in many languages, which Luxon knows. */
import { Info } from 'luxon';

import { normalizeName } from '../common/text';

/** Languages in which months have names of their own: some number them. */
export const languages: readonly string[] = `
	en es pt fr de it nl ca ro da nb sv fi is pl cs sk hu sl hr bg ru uk el tr et lv lt id ms ar fa he hi th
`
	.trim()
	.split(' ');

/** The months that a name means: "listopad" is November in Polish, and October in Croatian. */
let monthsByName: Map<string, Set<number>> | undefined;

/** The weekdays that a word means: Finnish "to" is Thursday, as German "Do". */
let weekdaysByWord: Map<string, Set<number>> | undefined;

/**
 * The number of a month.
 *
 * @param name as by `normalizeName`
 * @returns undefined for a name of none, or of different months
 */
export function monthNamed(name: string): number | undefined {
	monthsByName ??= readMonths();
	const [month, ...others] = monthsByName.get(name) ?? [];
	return others.length === 0 ? month : undefined;
}

const noWeekdays: ReadonlySet<number> = new Set();

/** The numbers of the weekdays, from 1 for Monday, that a word by `normalizeName` means or abbreviates. */
export function weekdaysNamed(word: string): ReadonlySet<number> {
	weekdaysByWord ??= readWeekdays();
	return weekdaysByWord.get(word) ?? noWeekdays;
}

let fullWeekdays: Set<string> | undefined;

/** The weekdays whose full names are among these words by `normalizeName`: abbreviations are also other words. */
export function weekdaysIn(words: readonly string[]): Set<number> {
	fullWeekdays ??= new Set(weekdayNames('long').map(([name]) => name));
	const named = words.filter((word) => fullWeekdays?.has(word)).map(weekdaysNamed);
	// In Hebrew and Portuguese, "day" and "market" are in the names of several.
	return new Set(named.filter(({ size }) => size === 1).flatMap((days) => [...days]));
}

function readMonths(): Map<string, Set<number>> {
	const months = new Map<string, Set<number>>();
	const lists = languages.flatMap((locale) =>
		(['short', 'long'] as const).flatMap((length) => [
			Info.months(length, { locale }),
			// As in a date: "grudnia" for "grudzień".
			Info.monthsFormat(length, { locale }),
		]),
	);
	for (const list of lists)
		for (const [index, written] of list.entries()) {
			const name = normalizeName(written);
			months.set(name, (months.get(name) ?? new Set()).add(index + 1));
		}
	return months;
}

function readWeekdays(): Map<string, Set<number>> {
	const weekdays = new Map<string, Set<number>>();
	const add = (word: string, weekday: number) =>
		weekdays.set(word, (weekdays.get(word) ?? new Set()).add(weekday));
	const names = [...weekdayNames('short'), ...weekdayNames('long'), ['weds', 3] as const];
	for (const [word, weekday] of names) add(word, weekday);
	// Sunday in Turkish is how Monday begins.
	const whole = new Set(weekdays.keys());
	// "Thurs" and "Thur": in scripts with letter case, three letters are an abbreviation.
	for (const [word, weekday] of names.filter(([word]) => /^\p{Ll}+$/u.test(word)))
		for (let end = 3; end < word.length; end++)
			if (!whole.has(word.slice(0, end))) add(word.slice(0, end), weekday);
	// Monday in Czech and "after", Sunday in Polish and in Czech and "not".
	for (const word of ['po', 'nie', 'ne']) weekdays.delete(word);
	return weekdays;
}

/** The words of all names of weekdays, with their numbers. */
function weekdayNames(length: 'short' | 'long'): Array<readonly [string, number]> {
	return [...languages, 'ja', 'ko', 'zh', 'zh-TW'].flatMap((locale) =>
		Info.weekdays(length, { locale }).flatMap((name, index) =>
			normalizeName(name)
				.split(' ')
				.map((word) => [word, index + 1] as const),
		),
	);
}
