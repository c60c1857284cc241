import type { Claim, Ledger } from '../deduplication/ledger';
import { bySameReference } from '../deduplication/sameReference';
import type { Exchange } from '../service/client';
import { limits } from '../service/limits';
import type { Problem } from '../service/result';
import { chunk } from '../shared/chunk';
import { readExchange } from './answers';
import { bodyOf, claimantsOf, claimSizeOf, groupsOf, mayBeSentAlone } from './batches';
import {
	alreadyCreated,
	anotherOrder,
	notSent,
	sameReferenceInInput,
	sentSince,
	stoppedByFailure,
	stoppedByUser,
	storeProblem,
	unknownOutcome,
	type Creation,
	type CreationResult,
	type Outcome,
} from './outcomes';
import type { Waited } from './rateLimit';
import { sendWithinLimit, type Requesting } from './request';
import { sameRefusal, samplesOf } from './split';

/** What creating deliveries needs from outside. */
export interface Sending extends Requesting {
	/** Where a company's sent references are kept; absent when deliveries may be sent again. */
	ledgerFor?: (companyId: Creation['companyId']) => Ledger;
	/** The company of deliveries that name none, as far as it is known. */
	ownCompanyId?: number;
	/** How many deliveries share a request at most; absent when that is left to this package. */
	batchSize?: number;
	/** The user's word that a refused request has created nothing. */
	refusedCreateNothing?: boolean;
	/** Whether more is sent after a delivery that failed. */
	continueOnFail: boolean;
}

/** What a run did. */
export interface Report {
	/** What became of each creation, in their order. */
	results: readonly CreationResult[];
	requests: number;
	waited: Waited;
	/** Whether created references could not be noted: they read as unknown in the next run. */
	ledgerFailed: boolean;
}

/** A service that is out of order would make every further delivery one to be looked up. */
const maxUnknownInARow = 3;

/**
 * Creates deliveries, each once (service document, sections 4.1 and 8): those of one company and
 * type are claimed ahead, sent, and confirmed.
 *
 * @param creations in the order of their items
 */
export async function sendCreations(
	creations: readonly Creation[],
	sending: Sending,
): Promise<Report> {
	const { first, further, ofAnotherOrder } = sending.ledgerFor
		? bySameReference(creations, sending.ownCompanyId)
		: { first: creations, further: [], ofAnotherOrder: [] };
	const run = new CreationRun(sending, creations.length);
	run.add(further, sameReferenceInInput);
	for (const creation of ofAnotherOrder) run.add([creation], anotherOrder(creation));
	for (const group of groupsOf(first)) await run.sendGroup(group);
	return run.report();
}

class CreationRun {
	private readonly results: CreationResult[] = [];

	private requests = 0;

	private readonly waited: Waited = { forLimitMs: 0, forServiceMs: 0 };

	private ledgerFailed = false;

	/** What was created and is not noted yet: each note costs as much as all that is remembered. */
	private unconfirmed: Creation[] = [];

	/** Why nothing more is sent. */
	private halted?: Problem;

	private unknownInARow = 0;

	/** Whether a request has reached the service for certain. */
	private hasCreated = false;

	constructor(
		private readonly sending: Sending,
		private readonly total: number,
	) {}

	report(): Report {
		const { results, requests, waited, ledgerFailed } = this;
		results.sort((one, other) => one.creation.item - other.creation.item);
		return { results, requests, waited, ledgerFailed };
	}

	add(creations: readonly Creation[], outcome: Outcome): void {
		// Not all as arguments of one call: there may be more than a call takes.
		for (const result of resultsOf(creations, outcome)) this.results.push(result);
	}

	/** Sends creations that share a company and a type. */
	async sendGroup(group: readonly Creation[]): Promise<void> {
		const { ledgerFor, continueOnFail } = this.sending;
		const ledger = ledgerFor?.(group[0]?.companyId);
		for await (const batch of this.claimedBatches(group, ledger)) {
			const results: CreationResult[] = [];
			for (const request of this.areSentAlone() ? chunk(batch, 1) : [batch])
				results.push(...(await this.sendBatch(request, ledger)));
			this.results.push(...results);
			if (!continueOnFail && results.some(({ outcome }) => outcome.kind !== 'created'))
				this.halted ??= stoppedByFailure;
		}
		await this.confirm(ledger);
	}

	/** Claims creations ahead, and gives them in full batches. */
	private async *claimedBatches(
		group: readonly Creation[],
		ledger: Ledger | undefined,
	): AsyncGenerator<Creation[]> {
		const size = this.sending.batchSize ?? limits.deliveriesPerRequest;
		const ready: Creation[] = [];
		for (const part of chunk(group, claimSizeOf(group.length, size))) {
			await this.confirm(ledger);
			ready.push(...(await this.claim(part, ledger)));
			while (ready.length >= size) yield ready.splice(0, size);
		}
		if (ready.length > 0) yield ready;
	}

	/** The creations of a part that are ours to send; of the others it is known what became. */
	private async claim(
		part: readonly Creation[],
		ledger: Ledger | undefined,
	): Promise<readonly Creation[]> {
		if (this.halted) {
			this.add(part, notSent(this.halted));
			return [];
		}
		if (!ledger) return part;
		let claims: ReadonlyMap<string, Claim>;
		try {
			claims = await ledger.claim(claimantsOf(part));
		} catch (error) {
			this.halted = storeProblem(error);
			this.add(part, notSent(this.halted));
			return [];
		}
		return part.filter((creation) => {
			const { referenceId } = creation.delivery;
			const claim = referenceId === undefined ? 'claimed' : claims.get(referenceId);
			if (claim === 'claimed') return true;
			if (claim === 'created') this.add([creation], alreadyCreated);
			else if (claim === 'anotherOrder') this.add([creation], anotherOrder(creation));
			else this.add([creation], unknownOutcome(sentSince, true));
			return false;
		});
	}

	/** Whether each of the creations that are left has a request of its own. */
	private areSentAlone(): boolean {
		const { batchSize, rateLimit, clock } = this.sending;
		const left = this.total - this.results.length;
		return batchSize === undefined && mayBeSentAlone(left, rateLimit.room(clock));
	}

	/** Sends one request, or several when the one is refused and may be split. */
	private async sendBatch(
		batch: readonly Creation[],
		ledger: Ledger | undefined,
		isPart = false,
	): Promise<CreationResult[]> {
		const exchange = this.halted ? undefined : await this.exchange(batch);
		if (!exchange) {
			this.halted ??= stoppedByUser;
			return await this.noted(resultsOf(batch, notSent(this.halted)), ledger);
		}
		const { refusedCreateNothing = false } = this.sending;
		const { results, problem, endsRun, mayBeSplit, mayBeElsewhere } = readExchange(
			batch,
			exchange,
			{
				isRemembered: ledger !== undefined,
				refusedCreateNothing,
			},
		);
		const has = (kind: Outcome['kind']) => results.some(({ outcome }) => outcome.kind === kind);
		this.unknownInARow = has('unknown') && !has('created') ? this.unknownInARow + 1 : 0;
		this.hasCreated ||= has('created');
		const isElsewhere = mayBeElsewhere && !this.hasCreated;
		if (endsRun || isElsewhere || this.unknownInARow >= maxUnknownInARow) this.halted ??= problem;
		if (mayBeSplit) return await this.split(batch, ledger, isPart);
		return await this.noted(results, ledger);
	}

	/**
	 * Finds out which of the deliveries of a refused request it was refused for: some are sent alone,
	 * and unless these are all refused for the same, the others in two halves.
	 */
	private async split(
		batch: readonly Creation[],
		ledger: Ledger | undefined,
		isPart: boolean,
	): Promise<CreationResult[]> {
		const { samples, others } = isPart ? { samples: [], others: batch } : samplesOf(batch);
		const results: CreationResult[] = [];
		for (const sample of samples) results.push(...(await this.sendBatch([sample], ledger, true)));
		const refusal = sameRefusal(results);
		if (refusal) return [...results, ...(await this.noted(resultsOf(others, refusal), ledger))];
		for (const half of chunk(others, Math.ceil(others.length / 2)))
			results.push(...(await this.sendBatch(half, ledger, true)));
		return results;
	}

	private async exchange(batch: readonly Creation[]): Promise<Exchange | undefined> {
		return await sendWithinLimit(bodyOf(batch), this.sending, ({ forLimitMs, forServiceMs }) => {
			this.requests++;
			this.waited.forLimitMs += forLimitMs;
			this.waited.forServiceMs += forServiceMs;
		});
	}

	/**
	 * Notes what may be sent again, and what is to be confirmed; what is unknown stays claimed. When
	 * the ledger fails the outcomes still hold, and the report says so.
	 */
	private async noted(
		results: CreationResult[],
		ledger: Ledger | undefined,
	): Promise<CreationResult[]> {
		const creationsWith = (...kinds: Array<Outcome['kind']>) =>
			results.flatMap(({ creation, outcome }) => (kinds.includes(outcome.kind) ? [creation] : []));
		this.unconfirmed.push(...creationsWith('created'));
		const free = claimantsOf(creationsWith('refused', 'notSent'));
		await this.note(async () => await ledger?.release(free));
		return results;
	}

	/** Notes in the ledger what was created since its last claim. */
	private async confirm(ledger: Ledger | undefined): Promise<void> {
		const created = claimantsOf(this.unconfirmed.splice(0));
		await this.note(async () => await ledger?.confirm(created));
	}

	private async note(write: () => Promise<void>): Promise<void> {
		try {
			await write();
		} catch {
			this.ledgerFailed = true;
		}
	}
}

function resultsOf(creations: readonly Creation[], outcome: Outcome): CreationResult[] {
	return creations.map((creation) => ({ creation, outcome }));
}
