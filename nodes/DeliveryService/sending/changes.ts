/** Reports each change of a sent order once, also when several executions notice it. */
import type { Clock } from '../common/clock';
import type { Claim } from '../ledger/claims';
import type { Ledger } from '../ledger/ledger';
import { waitForOthers, type ClaimedElsewhere } from './elsewhere';
import type { RememberedJob } from './job';

/**
 * Claims the changes of sent orders, so that only this execution reports them: those that another one
 * reports are removed from the jobs.
 *
 * @returns the jobs whose changes this execution reports
 * @throws when the ledger fails: then the changes are reported again
 */
export async function claimReports(
	jobs: readonly RememberedJob[],
	ledger: Ledger,
	clock: Clock,
	signal?: AbortSignal,
): Promise<readonly RememberedJob[]> {
	const reported: RememberedJob[] = [];
	// As long as it reports nothing itself: two executions must not wait for each other forever.
	const isAtWork = (claim: Claim) => reported.length === 0 && ledger.isReported(claim);
	const look = async (left: readonly RememberedJob[]) => {
		const found = await ledger.lookUp(left.map(({ claim }) => claim));
		for (const job of left) job.change = found.get(job.claim)?.change;
		return claimedElsewhere(left, isAtWork);
	};
	let open = jobs;
	let left = claimedElsewhere(open, isAtWork);
	for (;;) {
		await waitForOthers(left, look, clock, signal);
		const changed = open.filter(({ change }) => change);
		if (signal?.aborted) return [];
		if (changed.length === 0) return reported;
		const own = await ledger.claimChanges(changed.map(({ claim }) => claim));
		const isOwn = ({ claim }: RememberedJob) => own.has(claim);
		reported.push(...changed.filter(isOwn));
		// Another execution was faster, perhaps with an earlier state: what it leaves is the next change.
		open = changed.filter((job) => !isOwn(job));
		left = await look(open);
	}
}

/**
 * Records that claimed changes were reported, and that the user was asked to look for late orders.
 *
 * @throws when the ledger fails: then all of that is said again
 */
export async function recordReports(
	reported: readonly RememberedJob[],
	named: readonly RememberedJob[],
	ledger: Ledger,
): Promise<void> {
	if (reported.length + named.length === 0) return;
	for (const { claim } of reported) ledger.recordChange(claim);
	ledger.remember(
		named.map(({ claim }) => claim),
		'named',
	);
	await ledger.flush();
}

/** The jobs whose changes other executions report, unless these have crashed and reported nothing. */
function claimedElsewhere(
	jobs: readonly RememberedJob[],
	isAtWork: (claim: Claim) => boolean,
): ClaimedElsewhere[] {
	return jobs.flatMap((job) =>
		job.change?.claimedElsewhere !== undefined ? [{ job, isAtWork: isAtWork(job.claim) }] : [],
	);
}
