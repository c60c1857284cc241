/** Shopify releases a version of its Admin API each quarter, and serves it for a year. */
const monthsServed = 12;

/**
 * Returns the version that Shopify serves for a requested one: itself, or, if it has ended, the oldest
 * that it still serves.
 */
export function servedVersion(requested: string, now: number): string {
	const date = new Date(now);
	const thisQuarter = Math.floor(date.getUTCMonth() / 3) * 3;
	const oldest = new Date(Date.UTC(date.getUTCFullYear(), thisQuarter - monthsServed + 3, 1));
	const version = oldest.toISOString().slice(0, 7);
	return requested < version ? version : requested;
}

/** When Shopify ends a version, e.g. 2026-10. */
export function endOfVersion(version: string): number {
	const [year = 0, month = 0] = version.split('-').map(Number);
	return Date.UTC(year, month - 1 + monthsServed, 1);
}
