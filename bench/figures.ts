/** Returns the median. Throws an Error if there are no values. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length / 2;
	return (at(sorted, Math.ceil(middle - 1)) + at(sorted, Math.floor(middle))) / 2;
}

/** Returns the percentile for a share from 0 to 1, by nearest rank. Throws an Error if there are no values. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return at(sorted, Math.max(0, Math.ceil(sorted.length * share) - 1));
}

function at(values: readonly number[], index: number): number {
	const value = values[index];
	if (value === undefined) throw new Error('Nothing was measured');
	return value;
}

/** Formats a whole number. */
export function counted(value: number): string {
	return value.toLocaleString('en-US');
}

/** Formats a measured number with three significant digits, and at most two decimals. */
export function shown(value: number): string {
	const size = Math.abs(value);
	const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
	return value.toLocaleString('en-US', {
		minimumFractionDigits: digits,
		maximumFractionDigits: digits,
	});
}
