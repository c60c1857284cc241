const segmenter = new Intl.Segmenter();

/** How many characters a person sees in a text: an emoji is one, whatever it is made of. */
export function characterCount(text: string): number {
	return [...segmenter.segment(text)].length;
}

/** The first characters of a text, none of them torn apart. */
export function shortened(text: string, maxCharacters: number): string {
	if (text.length <= maxCharacters) return text;
	const characters = [...segmenter.segment(text)];
	if (characters.length <= maxCharacters) return text;
	return `${characters
		.slice(0, maxCharacters)
		.map(({ segment }) => segment)
		.join('')}...`;
}

/** Words of letters of any script, digits and the signs that mail servers allow, joined by dots. */
const localPart =
	/^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;

const domainLabel = /^[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

/**
 * Whether mail can be sent to this address (section 2.3, format email): its parts are those that
 * mail servers take, also with letters beyond ASCII. Addresses in quotes and IP addresses are not
 * taken.
 */
export function isEmailAddress(text: string): boolean {
	const [local = '', domain = '', ...others] = text.split('@');
	const labels = domain.split('.');
	const topLevel = labels.at(-1) ?? '';
	return (
		others.length === 0 &&
		localPart.test(local) &&
		local.length <= 64 &&
		domain.length <= 253 &&
		labels.length > 1 &&
		labels.every((label) => label.length <= 63 && domainLabel.test(label)) &&
		topLevel.length > 1 &&
		!/^\p{N}+$/u.test(topLevel)
	);
}
