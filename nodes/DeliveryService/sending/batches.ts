/**
 * Puts entries with the same key together, each group in the order of its first entry, and cuts
 * groups into batches of at most `size`. Entries keep their order.
 */
export function batchesOf<Entry>(
	entries: readonly Entry[],
	keyOf: (entry: Entry) => string,
	size: number,
): Entry[][] {
	const groups = new Map<string, Entry[]>();
	for (const entry of entries) {
		const key = keyOf(entry);
		const group = groups.get(key);
		if (group) group.push(entry);
		else groups.set(key, [entry]);
	}
	return [...groups.values()].flatMap((group) => cut(group, size));
}

/** The entries in runs of at most `size`. */
export function cut<Entry>(entries: readonly Entry[], size: number): Entry[][] {
	const runs: Entry[][] = [];
	for (let start = 0; start < entries.length; start += size)
		runs.push(entries.slice(start, start + size));
	return runs;
}
