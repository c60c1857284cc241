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

let weekdays: Set<string> | undefined;

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

/** Whether a word is the name of a weekday, or in it, as by `normalizeName`. */
export function isWeekday(word: string): boolean {
	weekdays ??= readWeekdays();
	return weekdays.has(word);
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

function readWeekdays(): Set<string> {
	const names = [...languages, 'vi', 'ja', 'ko', 'zh'].flatMap((locale) =>
		(['short', 'long'] as const).flatMap((length) => Info.weekdays(length, { locale })),
	);
	const words = new Set(names.flatMap((name) => normalizeName(name).split(' ')));
	// Monday and Sunday in Czech, and Friday in Vietnamese: elsewhere or also "after", "no" and "after".
	for (const word of ['po', 'ne', 'sau']) words.delete(word);
	return words;
}
