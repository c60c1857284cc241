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
	add('weds', 3);
	for (const locale of [...languages, 'ja', 'ko', 'zh'])
		for (const length of ['short', 'long'] as const)
			for (const [index, name] of Info.weekdays(length, { locale }).entries())
				for (const word of normalizeName(name).split(' ')) {
					add(word, index + 1);
					// "Thurs" and "Thur": in scripts with letter case, three letters are an abbreviation.
					if (/^\p{Ll}+$/u.test(word))
						for (let end = 3; end < word.length; end++) add(word.slice(0, end), index + 1);
				}
	// Monday in Czech and "after", Sunday in Polish and "not".
	for (const word of ['po', 'nie']) weekdays.delete(word);
	return weekdays;
}
