/** The entries in runs of at most `size`. */
export function chunk<Entry>(entries: readonly Entry[], size: number): Entry[][] {
	const runs: Entry[][] = [];
	for (let start = 0; start < entries.length; start += size)
		runs.push(entries.slice(start, start + size));
	return runs;
}
