/** The middle of some numbers: half of them are no larger. Throws an Error when there are none. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length / 2;
	return (at(sorted, Math.ceil(middle - 1)) + at(sorted, Math.floor(middle))) / 2;
}

/**
 * The number that this share of them (0 to 1) does not exceed, by the nearest rank. Throws an Error
 * when there are none.
 */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return at(sorted, Math.max(0, Math.ceil(sorted.length * share) - 1));
}

function at(values: readonly number[], index: number): number {
	const value = values[index];
	if (value === undefined) throw new Error('Nothing was measured');
	return value;
}

/** A number of things, as it is shown. */
export function counted(value: number): string {
	return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number as it is shown: three digits that count, at most two after the point. */
export function shown(value: number): string {
	const size = Math.abs(value);
	const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
	const [whole = '', fraction] = value.toFixed(digits).split('.');
	return fraction === undefined ? counted(Number(whole)) : `${whole}.${fraction}`;
}
