/** Made when it is needed: that takes some milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** Where the first so many characters of a text end, as a person sees them: an emoji is one. */
function endOf(text: string, characters: number): number {
	segmenter ??= new Intl.Segmenter();
	let count = 0;
	for (const { index } of segmenter.segment(text)) if (count++ === characters) return index;
	return text.length;
}

/** Whether a text has more characters than that, as a person counts them. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
	// No text has more characters than code units, which are quicker to count.
	return text.length > maxCharacters && endOf(text, maxCharacters) < text.length;
}

/** The first characters of a text, none of them torn apart. */
export function shortened(text: string, maxCharacters: number): string {
	return isLongerThan(text, maxCharacters)
		? `${text.slice(0, endOf(text, maxCharacters))}...`
		: text;
}

/** A sentence as it goes on after a colon. */
export function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
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
