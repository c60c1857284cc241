/**
 * The candidate that differs least from a word. Undefined when none is similar enough: at most a third
 * of the letters may differ, or one must contain the other.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
	const lowerWord = word.toLowerCase();
	let best: { candidate: string; distance: number } | undefined;
	for (const candidate of candidates) {
		const lowerCandidate = candidate.toLowerCase();
		const isContained =
			lowerWord.length > 2 &&
			(lowerCandidate.includes(lowerWord) || lowerWord.includes(lowerCandidate));
		const distance = Math.min(editDistance(lowerWord, lowerCandidate), isContained ? 1 : Infinity);
		if (distance * 3 > Math.max(lowerWord.length, lowerCandidate.length)) continue;
		if (!best || distance < best.distance) best = { candidate, distance };
	}
	return best?.candidate;
}

/** The number of inserted, deleted and replaced letters between two words (Levenshtein distance). */
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
