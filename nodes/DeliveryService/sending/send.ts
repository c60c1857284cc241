import type { Claim, ClaimState, Found } from '../ledger/claims';
import type { Ledger } from '../ledger/ledger';
import type { Halt, Job, Outcome } from './job';
import {
	groupJobs,
	markDuplicates,
	maxClaimed,
	planGroup,
	settleDuplicates,
	sizeAfterRejection,
	type Plan,
} from './plan';
import { sendWithinLimit, type RequestOptions } from './request';
import { isFatal, isNotFoundPage, outcomesOf } from './responses';

/** The options and dependencies of a run that creates deliveries. */
export interface SendingOptions extends RequestOptions {
	/** Remembers what was sent; undefined when duplicates are allowed. */
	ledger?: Ledger;
	/** The maximum number of deliveries per request; undefined for the automatic choice. */
	batchSize?: number;
	/** Whether to continue after a failed delivery. */
	continueOnFail: boolean;
}

/** What a run did, besides the outcomes of its jobs. */
export interface Report {
	requests: number;
	/** How long it waited for the rate limit or a busy service, in milliseconds. */
	waitedMs: number;
	/** Whether the ledger could not record everything: the next run reports the rest as unknown. */
	ledgerFailed: boolean;
	/** The maximum size of the requests after a rejected batch, if there were any. */
	reducedSize?: number;
}

/** The report of a run that sends nothing. */
export const nothingSent: Report = { requests: 0, waitedMs: 0, ledgerFailed: false };

/**
 * Creates deliveries, each exactly once (API document, sections 4.1 and 8): claims them ahead of their
 * requests, sends them, and confirms them. Sets the outcome of each job; never throws.
 *
 * @param jobs in the order of their items; those with an outcome are left as they are
 */
export async function sendJobs(jobs: readonly Job[], options: SendingOptions): Promise<Report> {
	// Without a ledger, no job has a claim, so none is a duplicate.
	markDuplicates(jobs.filter(isPending));
	const report = await new Run(options).send(jobs.filter(isPending));
	settleDuplicates(jobs);
	return report;
}

/**
 * Sets the outcomes of the jobs that {@link sendJobs} would not send, as far as that is known without
 * calling the service. Changes nothing.
 *
 * @throws when the ledger can't be read
 */
export async function lookUpJobs(jobs: readonly Job[], ledger: Ledger): Promise<void> {
	markDuplicates(jobs.filter(isPending));
	const claims = jobs.flatMap((job) =>
		job.claim && isPending(job) ? [{ job, claim: job.claim }] : [],
	);
	const found = await ledger.lookUp(claims.map(({ claim }) => claim));
	for (const { job, claim } of claims) job.outcome = outcomeOfClaim(found.get(claim)?.state);
	settleDuplicates(jobs);
}

function isPending({ delivery, outcome, first }: Job): boolean {
	return delivery !== undefined && outcome === undefined && first === undefined;
}

/** What a claim's state means for its delivery; undefined if it may be sent. */
function outcomeOfClaim(state: ClaimState = 'free'): Outcome | undefined {
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

/** With a broken service, every additional request would leave more deliveries to check. */
const maxConsecutiveUnknown = 3;

/**
 * How long to wait for other executions, in milliseconds, as long as nothing changes: a crashed one
 * never finishes, and the rate limit can hold one up for a minute.
 */
const pausesMs = [500, 1000, 2000, 4000, 8000, 16_000, 32_000];

class Run {
	private requests = 0;

	private waitedMs = 0;

	private lastSentAt = -Infinity;

	/** Why nothing more is sent. */
	private halted?: Halt;

	/** Aborts requests that are still waiting to be sent. */
	private readonly stop = new AbortController();

	private readonly requestOptions: RequestOptions;

	private readonly inFlight = new Set<Promise<void>>();

	private consecutiveUnknown = 0;

	/**
	 * Until the service has created something, requests are sent one at a time, so that a wrong Base URL
	 * or a broken service leaves as few deliveries as possible unknown.
	 */
	private hasCreated = false;

	/** The maximum size of a batch since one was rejected. */
	private reducedSize?: number;

	/** Claimed by other executions, which may be sending them now. */
	private elsewhere: Job[] = [];

	constructor(private readonly options: SendingOptions) {
		const { signal } = options;
		const { signal: stop } = this.stop;
		this.requestOptions = { ...options, signal: signal ? AbortSignal.any([signal, stop]) : stop };
	}

	async send(jobs: readonly Job[]): Promise<Report> {
		for (const group of groupJobs(jobs)) await this.sendGroup(group);
		await this.sendClaimedElsewhere();
		const ledgerFailed = await this.flush();
		const { requests, waitedMs, reducedSize } = this;
		return { requests, waitedMs, ledgerFailed, reducedSize };
	}

	/** Records what the ledger has not recorded yet. @returns whether that failed */
	private async flush(): Promise<boolean> {
		try {
			await this.options.ledger?.flush();
			return false;
		} catch {
			return true;
		}
	}

	/** Sends jobs that may share requests: claims some, and sends them while it claims the next ones. */
	private async sendGroup(group: readonly Job[]): Promise<void> {
		const { ledger, batchSize, continueOnFail } = this.options;
		let plan = planGroup(group.length, batchSize, !continueOnFail);
		let isStarted = false;
		const rest = [...group];
		const ready: Job[] = [];
		for (let claimSize = plan.claimed; rest.length + ready.length > 0;) {
			const claimed = await this.claim(rest.splice(0, ledger ? claimSize : rest.length));
			ready.push(...claimed);
			// Those that were sent before don't count.
			const ofLeft = planGroup(rest.length + ready.length, batchSize, !continueOnFail);
			if (ofLeft.isIndividual && !isStarted) plan = ofLeft;
			// When there was nothing to claim, a crash can't leave anything unknown.
			claimSize = claimed.length > 0 ? plan.claimed : Math.min(2 * claimSize, maxClaimed);
			for (;;) {
				const size = Math.min(plan.size, this.reducedSize ?? Infinity);
				if (ready.length < (rest.length > 0 ? size : 1)) break;
				// Decide the size, and claim the next ones, only when this request can be sent.
				if (this.inFlight.size >= (this.hasCreated ? plan.inFlight : 1)) {
					await Promise.race(this.inFlight);
					continue;
				}
				const left = rest.length + ready.length - size;
				isStarted = true;
				this.start(ready.splice(0, size), plan, left);
			}
			// The next claim confirms them, so that a crash leaves few unknown.
			if (plan.isIndividual) await Promise.all(this.inFlight);
		}
		await Promise.all(this.inFlight);
	}

	/** Claims jobs. @returns those to send; the others have an outcome, or another execution has them */
	private async claim(jobs: readonly Job[]): Promise<readonly Job[]> {
		const { ledger } = this.options;
		const claims = jobs.flatMap(({ claim }) => claim ?? []);
		// What another execution has claimed stays unknown.
		if (this.halted) return jobs.filter(({ outcome }) => outcome === undefined);
		if (!ledger || claims.length === 0) return jobs;
		let found: ReadonlyMap<Claim, Found>;
		try {
			found = await ledger.claim(claims);
		} catch (error) {
			this.halt({ code: 'store', error });
			return jobs.filter(({ outcome }) => outcome === undefined);
		}
		return jobs.filter((job) => {
			const one = job.claim && found.get(job.claim);
			job.outcome = outcomeOfClaim(one?.state);
			if (job.outcome?.kind === 'unknown') this.elsewhere.push(job);
			return job.outcome === undefined;
		});
	}

	/** Skips what other executions create meanwhile, and sends what they did not send. */
	private async sendClaimedElsewhere(): Promise<void> {
		const { clock } = this.options;
		const { signal } = this.requestOptions;
		let pauses = pausesMs;
		while (this.elsewhere.length > 0 && !signal?.aborted) {
			const [pauseMs, ...longer] = pauses;
			if (pauseMs === undefined) return;
			await clock.wait(pauseMs, signal);
			if (signal?.aborted) return;
			const waiting = this.elsewhere.splice(0);
			for (const group of groupJobs(waiting)) await this.sendGroup(group);
			pauses = this.elsewhere.length < waiting.length ? pausesMs : longer;
		}
	}

	private halt(reason: Halt): Halt {
		this.stop.abort();
		return (this.halted ??= reason);
	}

	private start(batch: readonly Job[], plan: Plan, left: number): void {
		const sending = this.sendBatch(batch, plan, left).finally(() => this.inFlight.delete(sending));
		this.inFlight.add(sending);
	}

	/**
	 * Sends one request and sets the outcomes of its jobs. An unexpected error leaves them unknown and
	 * halts the run.
	 *
	 * @param left how many jobs of the group remain
	 */
	private async sendBatch(batch: readonly Job[], plan: Plan, left: number): Promise<void> {
		let outcomes: readonly Outcome[];
		try {
			outcomes = await this.request(batch, left);
		} catch (error) {
			const why = { code: 'halted', halt: this.halt({ code: 'unexpected', error }) } as const;
			outcomes = batch.map(() => ({ kind: 'unknown', why }));
		}
		const { ledger, continueOnFail } = this.options;
		for (const [index, job] of batch.entries()) {
			job.outcome = outcomes[index];
			const kind = job.outcome?.kind;
			if (job.claim && kind === 'created') ledger?.confirm(job.claim);
			if (job.claim && (kind === 'rejected' || kind === 'notSent')) ledger?.release(job.claim);
		}
		const hasFailed = outcomes.some(({ kind }) => kind !== 'created');
		if (hasFailed && !continueOnFail && !plan.isIndividual) this.halt({ code: 'earlierFailure' });
	}

	/** Counts a request, and of its wait what was not also the wait of the request before. */
	private count(waitedMs: number): void {
		const now = this.options.clock.now();
		this.requests++;
		this.waitedMs += Math.max(0, Math.min(waitedMs, now - this.lastSentAt));
		this.lastSentAt = now;
	}

	private async request(batch: readonly Job[], left: number): Promise<Outcome[]> {
		const { companyId, type } = batch[0] ?? {};
		const deliveries = batch.flatMap(({ delivery }) => delivery ?? []);
		const exchange = this.halted
			? undefined
			: await sendWithinLimit({ deliveries, companyId, type }, this.requestOptions, (waitedMs) =>
					this.count(waitedMs),
				);
		if (!exchange) {
			const why = { code: 'halted', halt: this.halt({ code: 'stopped' }) } as const;
			return batch.map(() => ({ kind: 'notSent', why }));
		}
		const outcomes = outcomesOf(batch, exchange);
		const has = (kind: Outcome['kind']) => outcomes.some((outcome) => outcome.kind === kind);
		const isUnknown = has('unknown') && !has('created');
		this.consecutiveUnknown = isUnknown ? this.consecutiveUnknown + 1 : 0;
		const isWrongUrl = isUnknown && isNotFoundPage(exchange) && !this.hasCreated;
		this.hasCreated ||= has('created');
		if (isFatal(exchange) || isWrongUrl || this.consecutiveUnknown >= maxConsecutiveUnknown)
			this.halt({ code: 'exchange', exchange });
		if (isUnknown && batch.length > 1 && exchange.kind === 'response')
			this.reducedSize ??= sizeAfterRejection(left);
		return outcomes;
	}
}
