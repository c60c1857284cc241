/** Time zones by the hour that it is there, so that no test meets the end of a day. */

/** The time zone that is this many hours ahead of UTC, from -12 to 14. */
function zone(ahead: number): string {
	// The sign in the name is the opposite one.
	return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

const hour = new Date().getUTCHours();

/** Where it is between 9 and 10 in the morning. */
export const inTheMorning = zone(((45 - hour) % 24) - 12);

const aheadAtMidnight = ((34 - hour) % 24) - 10;

/** Where a day ends in an hour or two, and where the next one has just begun. */
export const zones = { today: zone(aheadAtMidnight - 2), tomorrow: zone(aheadAtMidnight) };
