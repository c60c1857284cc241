import type { IExecuteFunctions } from 'n8n-workflow';

import type { Outcome, Report } from '../sending/creations';

/**
 * What the tries of a node did so far, by the first of their input items: n8n gives the same objects
 * to every try and to no other run.
 */
const reports = new WeakMap<object, Report>();

/**
 * What this try and those before it did. n8n's "Retry On Fail" runs the whole node again and drops
 * what the try before gave; without this, what that created would come out as skipped, without its
 * ID.
 */
export function withEarlierTries(context: IExecuteFunctions, latest: Report): Report {
	const [key] = context.getInputData();
	if (!key || !context.getNode().retryOnFail) return latest;
	const earlier = reports.get(key);
	const report = earlier ? together(earlier, latest) : latest;
	reports.set(key, report);
	return report;
}

function together(earlier: Report, latest: Report): Report {
	const outcomes = [...latest.outcomes].map(([item, outcome]): [number, Outcome] => {
		const before = earlier.outcomes.get(item);
		const isOfThisRun = outcome.kind === 'skipped' && before?.kind === 'created';
		return [item, isOfThisRun ? before : outcome];
	});
	return {
		outcomes: new Map(outcomes),
		requests: earlier.requests + latest.requests,
		waited: {
			forLimitMs: earlier.waited.forLimitMs + latest.waited.forLimitMs,
			forServiceMs: earlier.waited.forServiceMs + latest.waited.forServiceMs,
		},
		ledgerFailed: earlier.ledgerFailed || latest.ledgerFailed,
	};
}
