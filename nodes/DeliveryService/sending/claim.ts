/** What the states in the ledger mean for jobs: which may be sent, and why the others may not. */
import type { Claim, ClaimState, Found } from '../ledger/claims';
import type { Ledger } from '../ledger/ledger';
import { markDuplicates, settleDuplicates } from './duplicates';
import type { ClaimedElsewhere } from './elsewhere';
import { isRemembered, type Job, type Outcome, type RememberedJob } from './job';

/** Whether a job may have to be sent, as far as its input shows. */
export function isPending({ delivery, outcome, first }: Job): boolean {
	return delivery !== undefined && outcome === undefined && first === undefined;
}

/**
 * Claims jobs, and sets the outcomes of those that must not be sent.
 *
 * @throws when the ledger fails: then none is claimed
 */
export async function claimJobs(
	jobs: readonly RememberedJob[],
	ledger: Ledger,
): Promise<ClaimedElsewhere[]> {
	// Late orders are looked up first: a claim of an order that was never met would be a trace of it.
	const late = jobs.filter(({ claim }) => claim.isLate);
	const lateFound = await ledger.lookUp(claimsOf(late));
	for (const job of late) applyFound(job, lateFound);
	const open = jobs.filter(({ claim, outcome }) => !claim.isLate || outcome === undefined);
	const claimed = await ledger.claim(claimsOf(open));
	for (const job of open) {
		applyFound(job, claimed);
		if (isOutdated(job)) ledger.release(job.claim);
	}
	const found = new Map([...lateFound, ...claimed]);
	return jobs.flatMap((job) => {
		const holder = found.get(job.claim)?.holder;
		const isElsewhere = job.outcome?.kind === 'unknown' && holder?.isAtWork !== false;
		return isElsewhere ? { job, isAtWork: holder !== undefined } : [];
	});
}

/**
 * Sets the outcomes of the jobs that a run would not send, as far as that is known without calling the
 * service. Changes nothing.
 *
 * @throws when the ledger can't be read
 */
export async function lookUpJobs(jobs: readonly Job[], ledger: Ledger): Promise<void> {
	markDuplicates(jobs.filter(isPending).filter(isRemembered));
	const pending = jobs.filter(isPending).filter(isRemembered);
	const found = await ledger.lookUp(claimsOf(pending), { takesUnits: true });
	for (const job of pending) applyFound(job, found);
	settleDuplicates(jobs);
}

/**
 * Sets the outcomes of the jobs of a run that sends nothing more: what was sent before is not "not sent".
 * Their changes are left to a later run, since the service may be broken.
 *
 * @throws when the ledger fails
 */
export async function lookUpHalted(jobs: readonly RememberedJob[], ledger: Ledger): Promise<void> {
	const found = await ledger.lookUp(claimsOf(jobs));
	for (const job of jobs) {
		applyFound(job, found);
		job.change = undefined;
	}
}

/** Whether other deliveries have taken units of the job's fulfillment order. */
export function isWithoutUnits({ outcome }: Job): boolean {
	const code = outcome && 'why' in outcome ? outcome.why.code : undefined;
	return code === 'unitsSent' || code === 'unitsPartlySent';
}

/**
 * Asks the ledger about the orders that would not be sent now: an order that was sent is "already sent",
 * whatever has happened to it since. Changes nothing in the ledger. If that can't be read, no order is sent.
 */
export async function lookUpUnsent(jobs: readonly Job[], ledger: Ledger): Promise<void> {
	const remembered = jobs.filter(isRemembered);
	const unsent = remembered.filter(({ delivery }) => !delivery);
	try {
		await lookUpSent(unsent, ledger);
	} catch (error) {
		const why = { code: 'store', error } as const;
		for (const job of remembered) job.outcome = { kind: 'notSent', why };
	}
}

async function lookUpSent(unsent: readonly RememberedJob[], ledger: Ledger): Promise<void> {
	const keyOf = ({ claim: { companyId, referenceId, orderId } }: RememberedJob) =>
		JSON.stringify([companyId, referenceId, orderId]);
	// Of several items with one order, only the last one reports its change.
	const lastOf = new Map(unsent.map((job) => [keyOf(job), job]));
	const found = await ledger.lookUp(claimsOf([...lastOf.values()]));
	for (const job of unsent) {
		const { claim } = lastOf.get(keyOf(job)) ?? job;
		const { state = 'free' } = found.get(claim) ?? {};
		if (state === 'free' || state === 'anotherOrder') continue;
		const outcome = outcomeOfClaim(state);
		if (outcome?.kind === 'skipped') {
			job.outcome = outcome;
			job.change = found.get(job.claim)?.change;
		} else job.mayHaveDelivery = true;
	}
}

/** Sets the outcome of a job that must not be sent, and how its order has changed. */
function applyFound(job: RememberedJob, all: ReadonlyMap<Claim, Found>): void {
	const found = all.get(job.claim);
	job.outcome = found && outcomeOf(found);
	job.change = found?.change;
}

/** Whether a later state of the job's order was met before. */
function isOutdated({ outcome }: Job): boolean {
	return outcome?.kind === 'skipped' && outcome.why.code === 'outdated';
}

/**
 * Remembers the orders that were met in time and not sent, and that may be sent later. Those that are
 * never sent from here leave no trace; those that were created or are unknown have a claim.
 */
export function rememberMet(jobs: readonly Job[], ledger: Ledger): void {
	const met = jobs.filter(isRemembered).filter(({ ageHours, claim, order, outcome }) => {
		if (ageHours === undefined || claim.isLate || !outcome) return false;
		if (outcome.kind === 'skipped')
			return outcome.why.code === 'order' && order?.isWaiting === true;
		return ['invalid', 'rejected', 'notSent'].includes(outcome.kind);
	});
	ledger.remember(claimsOf(met), 'seen');
}

/** Whether the user is asked to look for a job's order, for the first time. */
export function isFirstNamed({ outcome }: Job): boolean {
	return outcome?.kind === 'skipped' && outcome.why.code === 'unseen' && !outcome.why.isNamed;
}

const claimsOf = (jobs: readonly RememberedJob[]) => jobs.map(({ claim }) => claim);

/** What was found means for a delivery; undefined if it may be sent. */
function outcomeOf({ state, trace, isOutdated }: Found): Outcome | undefined {
	if (state === 'free' && isOutdated) return { kind: 'skipped', why: { code: 'outdated' } };
	if (state === 'free' && (trace === 'named' || trace === 'none'))
		return { kind: 'skipped', why: { code: 'unseen', isNamed: trace === 'named' } };
	return outcomeOfClaim(state);
}

/** What a claim's state means for its delivery; undefined if it may be sent. */
function outcomeOfClaim(state: ClaimState): Outcome | undefined {
	switch (state) {
		case 'free':
			return undefined;
		case 'created':
			return { kind: 'skipped', why: { code: 'alreadyCreated' } };
		case 'grown':
		case 'wholeCreated':
		case 'unitsSent':
			return { kind: 'skipped', why: { code: state } };
		case 'anotherOrder':
		case 'inParts':
		case 'unitsPartlySent':
			return { kind: 'notSent', why: { code: state } };
		case 'unknown':
		case 'wholeUnknown':
			return { kind: 'unknown', why: { code: 'elsewhere', isWhole: state === 'wholeUnknown' } };
	}
}
