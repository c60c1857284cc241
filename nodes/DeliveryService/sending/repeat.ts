/** When a webhook call that reported an order is to be repeated by its sender, e.g. Shopify. */
import { classifyCreation } from './classify';
import type { Job } from './job';

/** For how long a delivery that another execution has claimed may still be sent by it. */
const maxClaimedHours = 10 / 60;

/** For how long Shopify's own repeats, of some four hours, are relied on. */
const maxSilentHours = 3;

/** Whether a delivery was certainly not sent, or another execution may be sending it, and a repeat helps. */
export function mayRepeat({ outcome, calledHoursAgo }: Job): boolean {
	if (outcome?.kind === 'unknown')
		return (
			outcome.why.code === 'elsewhere' &&
			calledHoursAgo !== undefined &&
			calledHoursAgo < maxClaimedHours
		);
	if (outcome?.kind !== 'notSent') return false;
	const { why } = outcome;
	if (why.code === 'exchange') return classifyCreation(why.exchange) === 'notProcessed';
	return why.code === 'store';
}

/** Whether nobody needs to act, because the call that reported it is being repeated. */
export function isBeingRepeated(job: Job): boolean {
	const { calledHoursAgo = Infinity } = job;
	return calledHoursAgo < maxSilentHours && mayRepeat(job);
}
