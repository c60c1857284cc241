import type { Ledger } from '../deduplication/ledger';
import { limits } from '../service/limits';
import type { Problem } from '../common/result';
import { chunk } from '../common/chunk';
import { creationBody, groupCreations, canSendIndividually, maxRequestsInFlight } from './batches';
import { ClaimsAhead, type ClaimingRun } from './claims';
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
import { failureOf, interpretResponse, type CreationResponse } from './responses';
import { Semaphore } from './semaphore';
import { sameRejection, takeSamples } from './split';

/** What creating deliveries needs from outside. */
export interface SendingOptions extends RequestOptions {
	/** Where a company's sent references are kept; absent when deliveries may be sent again. */
	ledgerFor?: (companyId: Creation['companyId']) => Ledger;
	/** The company of deliveries that name none, as far as it is known. */
	ownCompanyId?: number;
	/** How many deliveries share a request at most; absent when that is left to this package. */
	batchSize?: number;
	/** How many requests may be in flight; absent for the automatic choice. */
	maxInFlight?: number;
	/** The user's word that a refused request has created nothing. */
	retryRejectedBatches?: boolean;
	/** Whether more is sent after a delivery that failed. */
	continueOnFail: boolean;
}

/** What a run did. */
export interface Report {
	/** What became of each creation, in their order. */
	results: readonly CreationResult[];
	requests: number;
	waited: WaitTimes;
	/** Whether created references could not be noted: they read as unknown in the next run. */
	ledgerFailed: boolean;
}

/** A service that is out of order would make every further delivery one to be looked up. */
const maxConsecutiveUnknown = 3;

/**
 * Creates deliveries, each once (service document, sections 4.1 and 8): those of one company and
 * type are claimed ahead, sent, and confirmed.
 *
 * @param creations in the order of their items
 */
export async function sendCreations(
	creations: readonly Creation[],
	sending: SendingOptions,
): Promise<Report> {
	const byReference = findDuplicates(creations, sending);
	const { unique } = byReference;
	const run = new CreationRun(sending, unique.length);
	for (const group of groupCreations(unique)) await run.sendGroup(group);
	const { results, ...report } = run.report();
	const all = [...results, ...resolveDuplicates(byReference, results)];
	return { ...report, results: all.sort((one, other) => one.creation.item - other.creation.item) };
}

class CreationRun implements ClaimingRun {
	private readonly results: CreationResult[] = [];

	private requests = 0;

	private readonly waits: RequestWait[] = [];

	private ledgerFailed = false;

	/** How many creations nothing has become of yet, and that no request holds. */
	private left: number;

	halted?: Problem;

	/** Tells requests that wait for something that they are not sent any more. */
	private readonly stop = new AbortController();

	private readonly requesting: RequestOptions;

	private unknownInARow = 0;

	/**
	 * Whether a request has reached the service for certain. Until then they go one at a time, so that
	 * a wrong address, or a service that is out of order, leaves as few as possible unknown.
	 */
	private hasCreated = false;

	constructor(
		private readonly sending: SendingOptions,
		total: number,
	) {
		this.left = total;
		const { signal } = this.stop;
		this.requesting = {
			...sending,
			signal: sending.signal ? AbortSignal.any([sending.signal, signal]) : signal,
		};
	}

	report(): Report {
		const { results, requests, waits, ledgerFailed } = this;
		return { results, requests, waited: totalWait(waits), ledgerFailed };
	}

	tell(creations: readonly Creation[], outcome: Outcome): void {
		this.left -= creations.length;
		// Not all as arguments of one call: there may be more than a call takes.
		for (const result of withOutcome(creations, outcome)) this.results.push(result);
	}

	halt(problem: Problem): Problem {
		this.stop.abort();
		return (this.halted ??= problem);
	}

	/** Sends creations that share a company and a type, several requests at once. */
	async sendGroup(group: readonly Creation[]): Promise<void> {
		const { ledgerFor, batchSize, maxInFlight } = this.sending;
		const size = batchSize ?? limits.deliveriesPerRequest;
		const ledger = ledgerFor?.(group[0]?.companyId);
		const claims = ledger && new ClaimsAhead(ledger, this);
		const semaphore = new Semaphore(maxInFlight ?? maxRequestsInFlight(group.length, batchSize));
		if (this.hasCreated) semaphore.open();
		const underWay: Array<Promise<void>> = [];
		for await (const batch of claims?.batches(group, size) ?? chunk(group, size)) {
			// The next are claimed only when there is room for this one.
			await semaphore.whenFree();
			const sent = this.send(batch, claims, semaphore);
			sent.catch(() => undefined);
			underWay.push(sent);
		}
		await Promise.all(underWay);
		await this.note(async () => await claims?.confirm());
		await this.note(async () => await claims?.releaseLeftOver());
	}

	/** Sends creations in one request, or each in one of its own. */
	private async send(
		batch: readonly Creation[],
		claims: ClaimsAhead | undefined,
		semaphore: Semaphore,
	): Promise<void> {
		const requests = this.areSentAlone() ? chunk(batch, 1) : [batch];
		this.left -= batch.length;
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
		if (!this.sending.continueOnFail && results.some(({ outcome }) => outcome.kind !== 'created'))
			this.halt(stoppedByFailure);
	}

	/** Whether each of the creations that are left has a request of its own. */
	private areSentAlone(): boolean {
		const { batchSize, rateLimit, clock } = this.sending;
		return batchSize === undefined && canSendIndividually(this.left, rateLimit.room(clock));
	}

	/** Sends one request, or several when the one is refused and may be split. */
	private async sendBatch(
		batch: readonly Creation[],
		claims: ClaimsAhead | undefined,
		isPart = false,
	): Promise<CreationResult[]> {
		const response = this.halted ? undefined : await this.request(batch);
		const isRemembered = claims !== undefined;
		if (!response) {
			const outcome = notSent(this.halt(stoppedByUser), isRemembered);
			return await this.noted(withOutcome(batch, outcome), claims);
		}
		const { retryRejectedBatches = false } = this.sending;
		const results = interpretResponse(batch, response, { isRemembered, retryRejectedBatches });
		const has = (kind: Outcome['kind']) => results.some(({ outcome }) => outcome.kind === kind);
		this.unknownInARow = has('unknown') && !has('created') ? this.unknownInARow + 1 : 0;
		this.hasCreated ||= has('created');
		const failure = failureOf(response, results);
		if (failure) {
			const { problem, isFatal, isProbablyWrongUrl, canSplit } = failure;
			const isWrongUrl = isProbablyWrongUrl && !this.hasCreated;
			if (isFatal || isWrongUrl || this.unknownInARow >= maxConsecutiveUnknown) this.halt(problem);
			if (canSplit) return await this.split(batch, claims, isPart);
		}
		return await this.noted(results, claims);
	}

	/**
	 * Finds out which of the deliveries of a refused request it was refused for: some are sent alone,
	 * and unless these are all refused for the same, the others in two halves.
	 */
	private async split(
		batch: readonly Creation[],
		claims: ClaimsAhead | undefined,
		isPart: boolean,
	): Promise<CreationResult[]> {
		const { samples, others } = isPart ? { samples: [], others: batch } : takeSamples(batch);
		const results: CreationResult[] = [];
		for (const sample of samples) results.push(...(await this.sendBatch([sample], claims, true)));
		const refusal = sameRejection(results);
		if (refusal) return [...results, ...(await this.noted(withOutcome(others, refusal), claims))];
		for (const half of chunk(others, Math.ceil(others.length / 2)))
			results.push(...(await this.sendBatch(half, claims, true)));
		return results;
	}

	private async request(batch: readonly Creation[]): Promise<CreationResponse | undefined> {
		return await sendWithinLimit(creationBody(batch), this.requesting, (waited) => {
			this.requests++;
			this.waits.push({ ...waited, endedAt: this.sending.clock.now() });
		});
	}

	/**
	 * Notes what may be sent again, and what is to be confirmed; what is unknown stays claimed. When
	 * the ledger fails the outcomes still hold, and the report says so.
	 */
	private async noted(
		results: CreationResult[],
		claims: ClaimsAhead | undefined,
	): Promise<CreationResult[]> {
		const creationsWith = (...kinds: Array<Outcome['kind']>) =>
			results.flatMap(({ creation, outcome }) => (kinds.includes(outcome.kind) ? [creation] : []));
		claims?.created(creationsWith('created'));
		await this.note(async () => await claims?.release(creationsWith('rejected', 'notSent')));
		return results;
	}

	private async note(write: () => Promise<void>): Promise<void> {
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
