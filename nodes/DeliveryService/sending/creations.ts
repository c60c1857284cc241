import type { Claim, Ledger } from '../deduplication/ledger';
import { bySameReference } from '../deduplication/sameReference';
import type { Exchange } from '../service/client';
import { detailOf, explain, notTheService } from '../service/errors';
import type { Problem } from '../service/result';
import { creationAnswerSchema } from '../service/schemas';
import { bodyOf, groupsOf, claimantsOf } from './batches';
import { classifyExchange } from './classify';
import {
	alreadyCreated,
	anotherOrder,
	noRecord,
	notSent,
	sameReferenceInInput,
	sentSince,
	stoppedByFailure,
	stoppedByUser,
	storeProblem,
	unknownOutcome,
	type Creation,
	type CreationResult,
	type Failed,
	type Outcome,
} from './outcomes';
import type { Waited } from './rateLimit';
import { matchRecords } from './records';
import { sendWithinLimit, type Requesting } from './request';

/** What creating deliveries needs from outside. */
export interface Sending extends Requesting {
	/** Where a company's sent references are kept; absent when deliveries may be sent again. */
	ledgerFor?: (companyId: Creation['companyId']) => Ledger;
	/** The company of deliveries that name none, as far as it is known. */
	ownCompanyId?: number;
	batchSize: number;
	/** Whether the batches after a failed one are sent all the same. */
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
 * Creates deliveries in as few requests as their companies and types allow, each delivery once
 * (service document, sections 4.1 and 8).
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
	const run = new CreationRun(sending);
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

	/** Why nothing more is sent. */
	private halted?: Problem;

	private unknownInARow = 0;

	constructor(private readonly sending: Sending) {}

	report(): Report {
		const { results, requests, waited, ledgerFailed } = this;
		results.sort((one, other) => one.creation.item - other.creation.item);
		return { results, requests, waited, ledgerFailed };
	}

	add(creations: readonly Creation[], outcome: Outcome): void {
		this.results.push(...creations.map((creation) => ({ creation, outcome })));
	}

	/** Sends creations that share a company and a type, in full batches. */
	async sendGroup(group: readonly Creation[]): Promise<void> {
		const { batchSize, continueOnFail, ledgerFor } = this.sending;
		const ledger = ledgerFor?.(group[0]?.companyId);
		let ready: Creation[] = [];
		for (let next = 0; next < group.length || ready.length > 0;) {
			if (this.halted) {
				this.add([...ready, ...group.slice(next)], notSent(this.halted));
				await this.release(ledger, ready);
				return;
			}
			if (ready.length < batchSize && next < group.length) {
				const chunk = group.slice(next, next + batchSize);
				next += chunk.length;
				ready.push(...(await this.claim(ledger, chunk)));
				continue;
			}
			const batch = ready.slice(0, batchSize);
			ready = ready.slice(batchSize);
			const before = this.results.length;
			await this.sendBatch(batch, ledger);
			const hasFailed = this.results
				.slice(before)
				.some(({ outcome }) => outcome.kind !== 'created');
			if (!continueOnFail && hasFailed) this.halted ??= stoppedByFailure;
		}
	}

	/** The creations of a chunk that are ours to send; of the others it is known what became. */
	private async claim(
		ledger: Ledger | undefined,
		chunk: readonly Creation[],
	): Promise<readonly Creation[]> {
		if (!ledger) return chunk;
		let claims: ReadonlyMap<string, Claim>;
		try {
			claims = await ledger.claim(claimantsOf(chunk));
		} catch (error) {
			this.halted = storeProblem(error);
			this.add(chunk, notSent(this.halted));
			return [];
		}
		return chunk.filter((creation) => {
			const { referenceId } = creation.delivery;
			const claim = referenceId === undefined ? 'claimed' : claims.get(referenceId);
			if (claim === 'claimed') return true;
			if (claim === 'created') {
				this.add([creation], alreadyCreated);
			} else if (claim === 'anotherOrder') {
				this.add([creation], anotherOrder(creation));
			} else {
				this.add([creation], this.unknown(sentSince));
				if (!this.sending.continueOnFail) this.halted ??= stoppedByFailure;
			}
			return false;
		});
	}

	/** Sends a batch; one that is refused is halved until the refused deliveries are found. */
	private async sendBatch(batch: readonly Creation[], ledger: Ledger | undefined): Promise<void> {
		const exchange = this.halted ? undefined : await this.exchange(batch);
		if (!exchange) {
			this.halted ??= stoppedByUser;
			this.add(batch, notSent(this.halted));
			await this.release(ledger, batch);
			return;
		}
		const exchangeClass = classifyExchange(exchange);
		this.unknownInARow = exchangeClass === 'unknown' ? this.unknownInARow + 1 : 0;
		switch (exchangeClass) {
			case 'done':
				await this.addByAnswer(batch, exchange, ledger);
				return;
			case 'refused':
				// No service was reached, and none will be for the next request.
				if (exchange.kind === 'noAnswer') return await this.giveUp(exchange, batch, ledger);
				if (batch.length > 1 && isAboutContent(exchange)) {
					const middle = Math.ceil(batch.length / 2);
					await this.sendBatch(batch.slice(0, middle), ledger);
					await this.sendBatch(batch.slice(middle), ledger);
					return;
				}
				this.add(batch, { kind: 'refused', problem: explain(exchange) });
				await this.release(ledger, batch);
				if (isAboutAllRequests(exchange)) this.halted = explain(exchange);
				return;
			case 'notProcessed':
				await this.giveUp(exchange, batch, ledger);
				return;
			case 'unknown':
				this.add(batch, this.unknown(explain(exchange).message, detailOf(exchange)));
				if (this.unknownInARow >= maxUnknownInARow) this.halted = explain(exchange);
		}
	}

	/** Sends nothing more, since the service cannot be given this batch. */
	private async giveUp(
		exchange: Exchange,
		batch: readonly Creation[],
		ledger: Ledger | undefined,
	): Promise<void> {
		this.halted = explain(exchange);
		this.add(batch, { kind: 'notSent', problem: this.halted });
		await this.release(ledger, batch);
	}

	private async exchange(batch: readonly Creation[]): Promise<Exchange | undefined> {
		return await sendWithinLimit(bodyOf(batch), this.sending, ({ forLimitMs, forServiceMs }) => {
			this.requests++;
			this.waited.forLimitMs += forLimitMs;
			this.waited.forServiceMs += forServiceMs;
		});
	}

	private async addByAnswer(
		batch: readonly Creation[],
		exchange: Exchange,
		ledger: Ledger | undefined,
	): Promise<void> {
		const answer = creationAnswerSchema.safeParse(
			exchange.kind === 'answer' ? exchange.body : undefined,
		);
		if (!answer.success) {
			this.add(batch, this.unknown(notTheService.message, notTheService.description));
			return;
		}
		const { records } = matchRecords(
			batch.map(({ delivery }) => delivery),
			answer.data.payload,
		);
		const created = batch.filter((creation, position) => {
			const record = records[position];
			this.add([creation], record ? { kind: 'created', ...record } : this.unknown(noRecord));
			return record !== undefined;
		});
		await this.note(async () => await ledger?.confirm(claimantsOf(created)));
	}

	private async release(ledger: Ledger | undefined, batch: readonly Creation[]): Promise<void> {
		await this.note(async () => await ledger?.release(claimantsOf(batch)));
	}

	/** Writes to the ledger; when that fails the outcomes still hold, and the report says so. */
	private async note(write: () => Promise<void>): Promise<void> {
		try {
			await write();
		} catch {
			this.ledgerFailed = true;
		}
	}

	private unknown(cause: string, detail?: string): Failed {
		return unknownOutcome(cause, this.sending.ledgerFor !== undefined, detail);
	}
}

/** Refusals that may be about one delivery among several: all others concern the whole request. */
function isAboutContent(exchange: Exchange): boolean {
	return exchange.kind === 'answer' && (exchange.status === 400 || exchange.status === 422);
}

/** Refusals that every other request would meet too: a wrong key, or an address that has moved. */
function isAboutAllRequests(exchange: Exchange): boolean {
	return exchange.kind === 'answer' && (exchange.status === 401 || exchange.status < 400);
}
