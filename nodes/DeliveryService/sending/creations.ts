import type { Ledger } from '../deduplication/ledger';
import { limits } from '../service/limits';
import type { Problem } from '../common/result';
import { chunk } from '../common/chunk';
import { creationBody, groupCreations, canSendIndividually, maxRequestsInFlight } from './batches';
import { ClaimPipeline, type ClaimingRun } from './claims';
import { findDuplicates, resolveDuplicates } from './duplicates';
import {
	notSent,
	stoppedByFailure,
	stoppedByUser,
	type Creation,
	type CreationResult,
	type Outcome,
} from './outcomes';
import { type WaitTimes, totalWait, type RequestWait } from './rateLimit';
import { sendWithinLimit, type RequestOptions } from './request';
import { batchFailure, interpretResponse, type CreationResponse } from './responses';
import { Semaphore } from './semaphore';
import { sameRejection, takeSamples } from './split';

/** The options and dependencies of a run that creates deliveries. */
export interface SendingOptions extends RequestOptions {
	/** Opens the ledger of a company's sent references; undefined when duplicates are allowed. */
	ledgerFor?: (companyId: Creation['companyId']) => Ledger;
	/** The company of deliveries that name none, if known. */
	ownCompanyId?: number;
	/** The maximum number of deliveries per request; undefined for the automatic choice. */
	batchSize?: number;
	/** How many requests may be in flight; undefined for the automatic choice. */
	maxInFlight?: number;
	/** Whether the user states that a rejected request creates nothing. */
	retryRejectedBatches?: boolean;
	/** Whether to continue after a failed delivery. */
	continueOnFail: boolean;
}

/** The result of a run. */
export interface Report {
	/** The result of each creation, in order. */
	results: readonly CreationResult[];
	requests: number;
	waited: WaitTimes;
	/** Whether created references could not be recorded: the next run reports them as unknown. */
	ledgerFailed: boolean;
}

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

	halted?: Problem;

	/** Aborts requests that are still waiting to be sent. */
	private readonly stop = new AbortController();

	private readonly requestOptions: RequestOptions;

	private consecutiveUnknown = 0;

	/**
	 * Whether a request has certainly reached the service. Until then requests are sent one at a time,
	 * so that a wrong Base URL or a broken service leaves as few deliveries as possible unknown.
	 */
	private hasCreated = false;

	constructor(
		private readonly options: SendingOptions,
		total: number,
	) {
		this.remaining = total;
		const { signal } = this.stop;
		this.requestOptions = {
			...options,
			signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
		};
	}

	report(): Report {
		const { results, requests, waits, ledgerFailed } = this;
		return { results, requests, waited: totalWait(waits), ledgerFailed };
	}

	addResults(creations: readonly Creation[], outcome: Outcome): void {
		this.remaining -= creations.length;
		// Not spread into one push(): there may be more results than a call takes arguments.
		for (const result of withOutcome(creations, outcome)) this.results.push(result);
	}

	halt(problem: Problem): Problem {
		this.stop.abort();
		return (this.halted ??= problem);
	}

	/** Sends creations that share a company and a type, with several requests in flight. */
	async sendGroup(group: readonly Creation[]): Promise<void> {
		const { ledgerFor, batchSize, maxInFlight } = this.options;
		const size = batchSize ?? limits.deliveriesPerRequest;
		const ledger = ledgerFor?.(group[0]?.companyId);
		const claims = ledger && new ClaimPipeline(ledger, this);
		const semaphore = new Semaphore(maxInFlight ?? maxRequestsInFlight(group.length, batchSize));
		if (this.hasCreated) semaphore.open();
		const inFlight: Array<Promise<void>> = [];
		for await (const batch of claims?.batches(group, size) ?? chunk(group, size)) {
			// Claim the next batch only when this one can be sent.
			await semaphore.whenFree();
			const sent = this.send(batch, claims, semaphore);
			sent.catch(() => undefined);
			inFlight.push(sent);
		}
		await Promise.all(inFlight);
		await this.tryLedgerWrite(async () => await claims?.confirm());
		await this.tryLedgerWrite(async () => await claims?.releaseCollected());
	}

	/** Sends creations in one request, or individually. */
	private async send(
		batch: readonly Creation[],
		claims: ClaimPipeline | undefined,
		semaphore: Semaphore,
	): Promise<void> {
		const requests = this.sendsIndividually() ? chunk(batch, 1) : [batch];
		this.remaining -= batch.length;
		const sent = await Promise.all(
			requests.map(
				async (request) =>
					await semaphore.run(async () => {
						const results = await this.sendBatch(request, claims);
						if (this.hasCreated) semaphore.open();
						return results;
					}),
			),
		);
		const results = sent.flat();
		this.results.push(...results);
		if (!this.options.continueOnFail && results.some(({ outcome }) => outcome.kind !== 'created'))
			this.halt(stoppedByFailure);
	}

	/** Whether each of the remaining creations gets its own request. */
	private sendsIndividually(): boolean {
		const { batchSize, rateLimit, clock } = this.options;
		return (
			batchSize === undefined && canSendIndividually(this.remaining, rateLimit.remaining(clock))
		);
	}

	/** Sends one request, and splits it when it is rejected and may be split. */
	private async sendBatch(
		batch: readonly Creation[],
		claims: ClaimPipeline | undefined,
		isPart = false,
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
		this.consecutiveUnknown = has('unknown') && !has('created') ? this.consecutiveUnknown + 1 : 0;
		this.hasCreated ||= has('created');
		const failure = batchFailure(response, results);
		if (failure) {
			const { problem, isFatal, isProbablyWrongUrl, canSplit } = failure;
			const isWrongUrl = isProbablyWrongUrl && !this.hasCreated;
			if (isFatal || isWrongUrl || this.consecutiveUnknown >= maxConsecutiveUnknown)
				this.halt(problem);
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
		await this.tryLedgerWrite(
			async () => await claims?.release(creationsWith('rejected', 'notSent')),
		);
		return results;
	}

	private async tryLedgerWrite(write: () => Promise<void>): Promise<void> {
		try {
			await write();
		} catch {
			this.ledgerFailed = true;
		}
	}
}

function withOutcome(creations: readonly Creation[], outcome: Outcome): CreationResult[] {
	return creations.map((creation) => ({ creation, outcome }));
}
