/** A run that creates deliveries, wave by wave: claims jobs, sends them, and settles their outcomes. */
import { chunk } from '../common/data';
import type { Ledger } from '../ledger/ledger';
import { Breaker } from './breaker';
import { claimJobs, isPending, isWithoutUnits, lookUpHalted, rememberMet } from './claim';
import { markDuplicates, settleDuplicates } from './duplicates';
import { waitForOthers, type ClaimedElsewhere } from './elsewhere';
import { isRemembered, type Job, type Outcome, type RememberedJob } from './job';
import { groupJobs, maxClaimed, planRun, type Plan } from './plan';
import { sendWithinLimit, type RequestOptions } from './request';
import { outcomesOf } from './responses';

/** The options and dependencies of a run that creates deliveries. */
export interface SendingOptions extends RequestOptions {
	/** Remembers what was sent; undefined when duplicates are allowed. */
	ledger?: Ledger;
	/** The maximum number of deliveries per request; undefined for the automatic choice. */
	batchSize?: number;
	/** Whether a run goes on after a failed request. It also does if its plan is individual. */
	sendsOthers: boolean;
}

/**
 * Creates deliveries, each exactly once (docs/api.md, sections 4.1 and 8). Sets the outcome of each job;
 * never throws.
 *
 * @param jobs in the order of their items; those with an outcome are left as they are
 * @returns whether the ledger has recorded everything: if not, the next run reports the rest as unknown
 */
export async function sendJobs(jobs: readonly Job[], options: SendingOptions): Promise<boolean> {
	markDuplicates(jobs.filter(isPending).filter(isRemembered));
	const run = new Run(options);
	try {
		const pending = jobs.filter(isPending);
		await run.send(pending);
		await run.sendClaimedElsewhere();
		// The delivery of this run that had their units may have failed: then they are free now.
		const overlapping = pending.filter(isWithoutUnits);
		for (const job of overlapping) job.outcome = undefined;
		await run.send(overlapping);
		await run.sendClaimedElsewhere();
		settleDuplicates(jobs);
		if (options.ledger) rememberMet(jobs, options.ledger);
		return await run.flush();
	} finally {
		options.ledger?.end();
	}
}

/** Jobs that this run has claimed, by request. */
interface Wave {
	batches: ReadonlyArray<readonly Job[]>;
	plan: Plan;
}

class Run {
	private readonly breaker: Breaker;

	/** Claimed by other executions, which may be sending them now. */
	private elsewhere: ClaimedElsewhere[] = [];

	constructor(private readonly options: SendingOptions) {
		this.breaker = new Breaker(options.signal);
	}

	async send(jobs: readonly Job[]): Promise<void> {
		for await (const wave of this.claimWaves(jobs)) await this.sendWave(wave);
	}

	/** Waits for other executions: skips what they create meanwhile, and sends what they did not send. */
	async sendClaimedElsewhere(): Promise<void> {
		const look = async (left: readonly Job[]) => {
			await this.send(left);
			return this.elsewhere.splice(0);
		};
		await waitForOthers(this.elsewhere.splice(0), look, this.options.clock, this.breaker.signal);
	}

	/** Records what the ledger has not recorded yet. @returns whether that succeeded */
	async flush(): Promise<boolean> {
		try {
			await this.options.ledger?.flush();
			return true;
		} catch {
			return false;
		}
	}

	/**
	 * Claims jobs. Each claim also records the outcomes of the wave before, so that a crash leaves few
	 * unknown.
	 */
	private async *claimWaves(jobs: readonly Job[]): AsyncGenerator<Wave> {
		let plan = planRun(jobs.length, this.options.batchSize);
		let left = jobs.length;
		let isStarted = false;
		for (const group of groupJobs(jobs)) {
			const rest = [...group];
			const claimed: Job[] = [];
			let claimSize = plan.claimed;
			while (rest.length + claimed.length > 0) {
				const next = rest.splice(0, this.breaker.isHalted ? rest.length : claimSize);
				const free = await this.claim(next);
				claimed.push(...free);
				// What was sent before doesn't count, as far as that is known before the first request.
				left -= next.length - free.length;
				if (!isStarted) plan = planRun(left, this.options.batchSize);
				// When there was nothing to claim, a crash can't leave anything unknown.
				claimSize = free.length > 0 ? plan.claimed : Math.min(2 * claimSize, maxClaimed);
				// An incomplete batch waits for the next claim.
				const incomplete = rest.length > 0 ? claimed.length % plan.size : 0;
				const batches = chunk(claimed.splice(0, claimed.length - incomplete), plan.size);
				isStarted ||= batches.length > 0;
				yield { batches, plan };
			}
		}
	}

	/** @returns the claimed jobs; the others have an outcome, or another execution has them */
	private async claim(jobs: readonly Job[]): Promise<readonly Job[]> {
		const { ledger } = this.options;
		if (!ledger) return jobs;
		const remembered = jobs.filter(isRemembered);
		try {
			if (this.breaker.isHalted) await this.lookUpRest(remembered, ledger);
			else this.elsewhere.push(...(await claimJobs(remembered, ledger)));
		} catch (error) {
			this.breaker.halt({ code: 'store', error });
		}
		return jobs.filter(({ outcome }) => outcome === undefined);
	}

	/**
	 * Looks up what a halted run does not send. If that is impossible, this is the reason that they get: what
	 * halted the run does not say that they were not sent before.
	 */
	private async lookUpRest(jobs: readonly RememberedJob[], ledger: Ledger): Promise<void> {
		let halt = this.breaker.withoutLedger;
		try {
			if (!halt) await lookUpHalted(jobs, ledger);
		} catch (error) {
			halt = { code: 'store', error };
		}
		if (halt) for (const job of jobs) job.outcome ??= { kind: 'notSent', why: halt };
	}

	/**
	 * Sends requests, one at a time until the service has created something: a wrong Base URL or a broken
	 * service then leaves as few deliveries as possible unknown.
	 */
	private async sendWave({ batches, plan }: Wave): Promise<void> {
		const inFlight = new Set<Promise<void>>();
		for (const batch of batches) {
			while (inFlight.size >= (this.breaker.hasCreated ? plan.inFlight : 1))
				await Promise.race(inFlight);
			const sending = this.sendBatch(batch, plan).finally(() => inFlight.delete(sending));
			inFlight.add(sending);
		}
		await Promise.all(inFlight);
	}

	/** Sends one request, and settles its jobs. After an unexpected error, they are unknown. */
	private async sendBatch(batch: readonly Job[], { isIndividual }: Plan): Promise<void> {
		try {
			this.settle(batch, await this.request(batch));
		} catch (error) {
			const why = { code: 'unexpected', error } as const;
			this.breaker.halt(why);
			this.settle(
				batch,
				batch.map(() => ({ kind: 'unknown', why })),
			);
		}
		const hasFailed = batch.some(({ outcome }) => outcome?.kind !== 'created');
		if (hasFailed && !this.options.sendsOthers && !isIndividual)
			this.breaker.halt({ code: 'earlierFailure' });
	}

	private async request(batch: readonly Job[]): Promise<readonly Outcome[]> {
		const { companyId, type } = batch[0] ?? {};
		const deliveries = batch.flatMap(({ delivery }) => delivery ?? []);
		const { signal } = this.breaker;
		const body = { deliveries, companyId, type };
		const exchange = await sendWithinLimit(body, { ...this.options, signal });
		if (!exchange) {
			const why = this.breaker.halt({ code: 'stopped' });
			return batch.map(() => ({ kind: 'notSent', why }));
		}
		const outcomes = outcomesOf(batch, exchange);
		this.breaker.observe(exchange, outcomes);
		return outcomes;
	}

	/** Sets the outcomes of jobs; the next claim records them. */
	private settle(batch: readonly Job[], outcomes: readonly Outcome[]): void {
		const { ledger } = this.options;
		for (const [index, job] of batch.entries()) job.outcome = outcomes[index];
		for (const { claim, outcome } of batch.filter(isRemembered)) {
			if (outcome?.kind === 'created') ledger?.confirm(claim);
			if (outcome?.kind === 'rejected' || outcome?.kind === 'notSent') ledger?.release(claim);
			if (outcome?.kind === 'unknown') ledger?.abandon(claim);
		}
	}
}
