import type { IExecuteFunctions } from 'n8n-workflow';

import type { Report } from '../../../sending/creations';
import type { Outcome } from '../../../sending/outcomes';

/**
 * What the attempts of a node did so far, by the first of their input items: n8n gives the same
 * objects to every attempt and to no other run.
 */
const reports = new WeakMap<object, Report>();

/**
 * What this attempt and those before it did. n8n's "Retry On Fail" runs the whole node again and
 * drops what the attempt before gave; without this, what that created would come out as skipped,
 * without its ID.
 */
export function withPreviousAttempts(context: IExecuteFunctions, latest: Report): Report {
	const [key] = context.getInputData();
	if (!key || !context.getNode().retryOnFail) return latest;
	const previous = reports.get(key);
	const report = previous ? merge(previous, latest) : latest;
	reports.set(key, report);
	return report;
}

function merge(previous: Report, latest: Report): Report {
	const before = new Map(previous.results.map(({ creation, outcome }) => [creation.item, outcome]));
	return {
		results: latest.results.map(({ creation, outcome }) => ({
			creation,
			outcome: laterOutcome(before.get(creation.item), outcome),
		})),
		requests: previous.requests + latest.requests,
		waited: {
			forLimitMs: previous.waited.forLimitMs + latest.waited.forLimitMs,
			forServiceMs: previous.waited.forServiceMs + latest.waited.forServiceMs,
		},
		ledgerFailed: previous.ledgerFailed || latest.ledgerFailed,
	};
}

/**
 * What was created stays created. What may have been is not sent again, and only the attempt that sent
 * it knows why it is unknown.
 */
function laterOutcome(before: Outcome | undefined, latest: Outcome): Outcome {
	const holds =
		before?.kind === 'created' ||
		(before?.kind === 'unknown' && (latest.kind === 'notSent' || latest.kind === 'unknown'));
	return holds ? before : latest;
}
