/** Splits entries into chunks of at most `size`. */
export function chunk<Entry>(entries: readonly Entry[], size: number): Entry[][] {
	const chunks: Entry[][] = [];
	for (let start = 0; start < entries.length; start += size)
		chunks.push(entries.slice(start, start + size));
	return chunks;
}
