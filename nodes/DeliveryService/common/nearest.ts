/**
 * The candidate that differs least from a word, or undefined when none is near: at most a third of
 * the letters apart, or one contained in the other.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
	const lowered = word.toLowerCase();
	let best: { candidate: string; distance: number } | undefined;
	for (const candidate of candidates) {
		const other = candidate.toLowerCase();
		const contained = lowered.length > 2 && (other.includes(lowered) || lowered.includes(other));
		const distance = Math.min(editDistance(lowered, other), contained ? 1 : Infinity);
		if (distance * 3 > Math.max(lowered.length, other.length)) continue;
		if (!best || distance < best.distance) best = { candidate, distance };
	}
	return best?.candidate;
}

/** How many letters must be put in, taken out or replaced to make one word the other. */
function editDistance(one: string, other: string): number {
	let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (let row = 1; row <= one.length; row++) {
		const current = [row];
		for (let column = 1; column <= other.length; column++) {
			const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
			const removed = (previous[column] ?? 0) + 1;
			const added = (current[column - 1] ?? 0) + 1;
			current.push(Math.min(replaced, removed, added));
		}
		previous = current;
	}
	return previous.at(-1) ?? 0;
}
