import type { Problem } from '../common/result';
import { chunk } from '../common/chunk';
import {
	creationBody,
	groupCreations,
	maxRequestsInFlight,
	maxSentIndividually,
	RequestSizes,
} from './batches';
import { ClaimPipeline, type ClaimingRun } from './claims';
import { findDuplicates, resolveDuplicates } from './duplicates';
import {
	notSent,
	stoppedByFailure,
	stoppedByUser,
	unexpectedProblem,
	unknownOutcome,
	withOutcome,
	type Creation,
	type CreationResult,
	type Outcome,
} from './outcomes';
import { ClaimedElsewhere, waitForOthers } from './otherExecutions';
import type { Report, SendingOptions } from './options';
import { totalWait, type RequestWait } from './rateLimit';
import { sendWithinLimit, type RequestOptions } from './request';
import { batchFailure, interpretResponse, isConflict, type CreationResponse } from './responses';
import { Semaphore } from './semaphore';
import { sameRejection, takeSamples } from './split';

/** With a broken service, every additional request would leave more deliveries to check. */
const maxConsecutiveUnknown = 3;

/**
 * Creates deliveries, each exactly once (API document, sections 4.1 and 8): the creations of one
 * company and type are claimed ahead of their requests, sent, and confirmed.
 *
 * @param creations in the order of their items
 */
export async function sendCreations(
	creations: readonly Creation[],
	options: SendingOptions,
): Promise<Report> {
	const groups = findDuplicates(creations, options);
	const { unique } = groups;
	const run = new CreationRun(options, unique.length);
	for (const group of groupCreations(unique)) await run.sendGroup(group);
	await run.sendClaimedElsewhere();
	const { results, ...report } = run.report();
	const all = [...results, ...resolveDuplicates(groups, results)];
	return { ...report, results: all.sort((one, other) => one.creation.item - other.creation.item) };
}

class CreationRun implements ClaimingRun {
	private readonly results: CreationResult[] = [];

	private requests = 0;

	private readonly waits: RequestWait[] = [];

	private ledgerFailed = false;

	/** How many creations have no outcome yet and are not part of a request. */
	private remaining: number;

	private readonly claimedElsewhere = new ClaimedElsewhere();

	halted?: Problem;

	/** Aborts requests that are still waiting to be sent. */
	private readonly stop = new AbortController();

	private readonly requestOptions: RequestOptions;

	private consecutiveUnknown = 0;

	/**
	 * Whether a request has certainly reached the service. Until then requests are sent one at a time,
	 * so that a wrong Base URL or a broken service leaves as few deliveries as possible unknown.
	 */
	hasCreated = false;

	private readonly sizes: RequestSizes;

	constructor(
		private readonly options: SendingOptions,
		total: number,
	) {
		this.remaining = total;
		this.sizes = new RequestSizes(options.batchSize);
		const stop = this.stop.signal;
		const signal = options.signal ? AbortSignal.any([options.signal, stop]) : stop;
		this.requestOptions = { ...options, signal };
	}

	report(): Report {
		const { results, requests, waits, ledgerFailed } = this;
		const { reducedSize } = this.sizes;
		return { results, requests, waited: totalWait(waits), ledgerFailed, reducedSize };
	}

	addResults(creations: readonly Creation[], outcome: Outcome): void {
		this.remaining -= creations.length;
		// Not spread into one push(): there may be more results than a call takes arguments.
		for (const result of withOutcome(creations, outcome)) this.results.push(result);
	}

	addClaimedElsewhere(creation: Creation, reference: string): void {
		this.claimedElsewhere.add(creation, reference);
	}

	/** Skips what other executions create meanwhile, and sends what they did not send. */
	async sendClaimedElsewhere(): Promise<void> {
		const { clock, ledgerFor } = this.options;
		const { signal } = this.requestOptions;
		const others = this.claimedElsewhere;
		const retry = async (waiting: readonly Creation[]) => {
			for (const group of groupCreations(waiting))
				if (this.halted) others.addAgain(group);
				else await this.sendGroup(group);
			return others.take();
		};
		const unknown = await waitForOthers(others.take(), retry, clock, signal);
		for (const one of unknown) this.addResults([one], others.outcomeOf(one));
		if (signal?.aborted) return;
		// No later run needs to wait for them again.
		for (const group of groupCreations(unknown)) {
			const lost = others.claimantsOf(group);
			await this.tryLedgerWrite(
				async () => await ledgerFor?.(group[0]?.companyId).proceed({ lost }),
			);
		}
	}

	halt(problem: Problem): Problem {
		this.stop.abort();
		return (this.halted ??= problem);
	}

	requestSize(): number {
		const { rateLimit, clock } = this.options;
		return this.sizes.next(this.remaining, rateLimit.remaining(clock));
	}

	/** Sends creations that share a company and a type, with several requests in flight. */
	async sendGroup(group: readonly Creation[]): Promise<void> {
		const { ledgerFor, continueOnFail, rateLimit, clock } = this.options;
		const ledger = ledgerFor?.(group[0]?.companyId);
		const claims = ledger && new ClaimPipeline(ledger, this);
		this.sizes.startGroup();
		const isSmall = group.length <= maxSentIndividually && this.requestSize() === 1;
		const semaphore = new Semaphore();
		const sent: Array<Promise<boolean>> = [];
		const parts = isSmall ? claims?.windows(group) : claims?.batches(group);
		for await (const claimed of parts ?? [group]) {
			for (let next = 0; next < claimed.length;) {
				this.allowMore(semaphore, group.length);
				// Decide the size, and claim the next ones, only when this request can be sent.
				await semaphore.whenFree();
				const size = this.sizes.take(this.remaining, rateLimit.remaining(clock));
				const batch = claimed.slice(next, next + size);
				next += batch.length;
				const sending = this.send(batch, claims, semaphore, group.length);
				sending.catch(() => undefined);
				sent.push(sending);
			}
			if (isSmall) await Promise.all(sent);
		}
		if ((await Promise.all(sent)).includes(false) && !continueOnFail) this.halt(stoppedByFailure);
		await this.tryLedgerWrite(async () => await claims?.confirm());
		await this.tryLedgerWrite(async () => await claims?.releaseCollected());
	}

	/** Sends one request when it is its turn. @returns whether everything was created */
	private async send(
		batch: readonly Creation[],
		claims: ClaimPipeline | undefined,
		semaphore: Semaphore,
		groupSize: number,
	): Promise<boolean> {
		this.remaining -= batch.length;
		const { isIndividual } = this.sizes;
		const results = await semaphore.run(async () => {
			const results = await this.sendBatch(batch, claims);
			this.allowMore(semaphore, groupSize);
			return results;
		});
		this.results.push(...results);
		const hasSucceeded = results.every(({ outcome }) => outcome.kind === 'created');
		// Deliveries of a small run do not affect each other.
		if (!this.options.continueOnFail && !isIndividual && !hasSucceeded) this.halt(stoppedByFailure);
		return hasSucceeded;
	}

	/** Allows several requests in flight, once one has certainly reached the service. */
	private allowMore(semaphore: Semaphore, groupSize: number): void {
		if (!this.hasCreated) return;
		const size = this.requestSize();
		const stops = !this.options.continueOnFail && !this.sizes.isIndividual;
		semaphore.allow(this.options.maxInFlight ?? maxRequestsInFlight(groupSize, size, stops));
	}

	/** Sends one request. An unexpected error, e.g. a bug, leaves its creations unknown and halts. */
	private async sendBatch(
		batch: readonly Creation[],
		claims: ClaimPipeline | undefined,
		isPart = false,
	): Promise<CreationResult[]> {
		try {
			return await this.trySendBatch(batch, claims, isPart);
		} catch (error) {
			const { message } = this.halt(unexpectedProblem(error));
			return withOutcome(batch, unknownOutcome(message, claims !== undefined));
		}
	}

	/** Sends one request, and splits it when it is rejected and may be split. */
	private async trySendBatch(
		batch: readonly Creation[],
		claims: ClaimPipeline | undefined,
		isPart: boolean,
	): Promise<CreationResult[]> {
		const response = this.halted ? undefined : await this.request(batch);
		const isRemembered = claims !== undefined;
		if (!response) {
			const outcome = notSent(this.halt(stoppedByUser), isRemembered);
			return await this.recordResults(withOutcome(batch, outcome), claims);
		}
		const { retryRejectedBatches = false } = this.options;
		const results = interpretResponse(batch, response, { isRemembered, retryRejectedBatches });
		const has = (kind: Outcome['kind']) => results.some(({ outcome }) => outcome.kind === kind);
		const isUnknown = has('unknown') && !has('created') && !isConflict(response);
		this.consecutiveUnknown = isUnknown ? this.consecutiveUnknown + 1 : 0;
		this.hasCreated ||= has('created');
		const failure = batchFailure(response, results);
		if (failure) {
			const { problem, isFatal, isProbablyWrongUrl, canSplit, isRejectedBatch } = failure;
			const isWrongUrl = isProbablyWrongUrl && !this.hasCreated;
			if (isFatal || isWrongUrl || this.consecutiveUnknown >= maxConsecutiveUnknown)
				this.halt(problem);
			if (isRejectedBatch) this.sizes.reduce(this.remaining);
			if (canSplit) return await this.split(batch, claims, isPart);
		}
		return await this.recordResults(results, claims);
	}

	/**
	 * Finds the deliveries that caused a rejection: sends some individually and, unless these are all
	 * rejected for the same reason, the others in two halves.
	 */
	private async split(
		batch: readonly Creation[],
		claims: ClaimPipeline | undefined,
		isPart: boolean,
	): Promise<CreationResult[]> {
		const { samples, others } = isPart ? { samples: [], others: batch } : takeSamples(batch);
		const results: CreationResult[] = [];
		for (const sample of samples) results.push(...(await this.sendBatch([sample], claims, true)));
		const rejection = sameRejection(results);
		if (rejection)
			return [...results, ...(await this.recordResults(withOutcome(others, rejection), claims))];
		for (const half of chunk(others, Math.ceil(others.length / 2)))
			results.push(...(await this.sendBatch(half, claims, true)));
		return results;
	}

	private async request(batch: readonly Creation[]): Promise<CreationResponse | undefined> {
		return await sendWithinLimit(creationBody(batch), this.requestOptions, (waited) => {
			this.requests++;
			this.waits.push({ ...waited, endedAt: this.options.clock.now() });
		});
	}

	/**
	 * Releases what may be sent again and collects what to confirm; unknown creations stay claimed. If
	 * the ledger fails, the outcomes are still valid, and the report says that it failed.
	 */
	private async recordResults(
		results: CreationResult[],
		claims: ClaimPipeline | undefined,
	): Promise<CreationResult[]> {
		const creationsWith = (...kinds: Array<Outcome['kind']>) =>
			results.flatMap(({ creation, outcome }) => (kinds.includes(outcome.kind) ? [creation] : []));
		claims?.addCreated(creationsWith('created'));
		claims?.addLost(creationsWith('unknown'));
		await this.tryLedgerWrite(
			async () => await claims?.release(creationsWith('rejected', 'notSent')),
		);
		return results;
	}

	private async tryLedgerWrite(write: () => Promise<unknown>): Promise<void> {
		try {
			await write();
		} catch {
			this.ledgerFailed = true;
		}
	}
}
