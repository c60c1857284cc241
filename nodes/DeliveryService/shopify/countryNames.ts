/** The countries by their names in many languages, which the JavaScript engine knows. */
import { normalizeName } from '../common/text';
import { languages } from './calendarNames';

/** Names that the engine doesn't know. */
const others = [
	'UAE',
	'U.A.E.',
	'KSA',
	'USA',
	'السعودية',
	'الإمارات',
	'Česká republika',
	'Slovenská republika',
];

let names: Set<string> | undefined;

/** Whether a name, as by `normalizeName`, is that of a country. */
export function isCountry(name: string): boolean {
	names ??= new Set([...others, ...readNames()].map(normalizeName));
	return names.has(name);
}

function readNames(): string[] {
	const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
	const codes = letters.flatMap((first) => letters.map((second) => first + second));
	return [...languages, 'vi', 'ja', 'ko', 'zh', 'zh-Hant'].flatMap((language) =>
		(['long', 'short'] as const).flatMap((style) => {
			const options = { type: 'region', fallback: 'none', style } as const;
			const nameOf = new Intl.DisplayNames([language], options);
			return codes.flatMap((code) => nameOf.of(code) ?? []);
		}),
	);
}
