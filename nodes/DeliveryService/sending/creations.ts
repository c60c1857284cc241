import type { Exchange } from '../service/client';
import { detailOf, explain, notTheService } from '../service/errors';
import type { Problem } from '../service/result';
import { creationAnswerSchema, type CreationBody, type Delivery } from '../service/schemas';
import type { Clock } from '../shared/clock';
import { classifyExchange } from './classify';
import type { Claim, Ledger } from '../deduplication/ledger';
import type { RateLimit, Waited } from './rateLimit';
import { matchRecords } from './records';
import { pauseMs, unreachablePatienceMs } from './retry';

/** A valid delivery that is to be created for an input item. */
export interface Creation {
	item: number;
	delivery: Delivery;
	companyId?: CreationBody['companyId'];
	type?: CreationBody['type'];
}

/** What became of a delivery. */
export type Outcome =
	| { kind: 'created'; id: string; record: Record<string, unknown> }
	/** Not sent, because a delivery with its reference was created before, or is in this input. */
	| { kind: 'skipped'; reason: 'alreadyCreated' | 'sameReferenceInInput' }
	| Failure;

interface Failure {
	kind: 'failed';
	/** Not created and final; perhaps created; or never given to the service. */
	fate: 'refused' | 'unknown' | 'notSent';
	problem: Problem;
}

/** What sending needs from outside. */
export interface Sending {
	send: (body: CreationBody) => Promise<Exchange>;
	rateLimit: RateLimit;
	clock: Clock;
	/** A number from 0 up to 1, different each time. */
	random: () => number;
	/** Where a company's sent references are kept; absent when deliveries may be sent again. */
	ledgerFor?: (companyId: Creation['companyId']) => Ledger;
	/** The company of deliveries that name none, as far as it is known. */
	ownCompanyId?: number;
	/** Tells that the user or a timeout stopped the execution. */
	signal?: AbortSignal;
	batchSize: number;
	/**
	 * The longest that one request is tried again while the service does not take it, without the
	 * time that it waits for the limit.
	 */
	maximumWaitMs: number;
	/** Whether the batches after a failed one are sent all the same. */
	goOn: boolean;
}

/** What a run did. */
export interface Report {
	/** By the item's number: every creation has exactly one outcome. */
	outcomes: ReadonlyMap<number, Outcome>;
	requests: number;
	waited: Waited;
	/** Whether created references could not be noted: they read as unknown in the next run. */
	ledgerFailed: boolean;
}

/**
 * Creates deliveries in as few requests as their companies and types allow, each delivery once
 * (service document, sections 4.1 and 8).
 */
export async function sendCreations(
	creations: readonly Creation[],
	sending: Sending,
): Promise<Report> {
	const run = new CreationRun(sending);
	const { first, further } = bySameReference(creations, sending);
	run.settle(further, { kind: 'skipped', reason: 'sameReferenceInInput' });
	for (const group of groupsOf(first)) await run.sendGroup(group);
	return run;
}

/** Creations that may share requests: those for the same company with the same type. */
export function groupsOf(creations: readonly Creation[]): Creation[][] {
	const groups = new Map<string, Creation[]>();
	for (const creation of creations) {
		const key = `${creation.companyId ?? ''}/${creation.type ?? ''}`;
		const group = groups.get(key);
		if (group) group.push(creation);
		else groups.set(key, [creation]);
	}
	return [...groups.values()];
}

/**
 * The first creation of each company's reference ID apart from the further ones, of which there are
 * none where deliveries may be sent again.
 */
export function bySameReference(
	creations: readonly Creation[],
	{ ledgerFor, ownCompanyId }: Pick<Sending, 'ledgerFor' | 'ownCompanyId'>,
): { first: readonly Creation[]; further: readonly Creation[] } {
	if (!ledgerFor) return { first: creations, further: [] };
	const first: Creation[] = [];
	const further: Creation[] = [];
	const seen = new Set<string>();
	for (const creation of creations) {
		const { companyId = ownCompanyId, delivery } = creation;
		const name = JSON.stringify([companyId, delivery.referenceId]);
		(delivery.referenceId !== undefined && seen.has(name) ? further : first).push(creation);
		seen.add(name);
	}
	return { first, further };
}

class CreationRun implements Report {
	readonly outcomes = new Map<number, Outcome>();

	requests = 0;

	readonly waited = { forLimitMs: 0, forServiceMs: 0 };

	ledgerFailed = false;

	/** Why nothing more is sent. */
	private halted?: Problem;

	private unknownInARow = 0;

	constructor(private readonly sending: Sending) {}

	/** Sends creations that share a company and a type, in full batches. */
	async sendGroup(group: readonly Creation[]): Promise<void> {
		const { batchSize, goOn, ledgerFor } = this.sending;
		const ledger = ledgerFor?.(group[0]?.companyId);
		let ready: Creation[] = [];
		for (let next = 0; next < group.length || ready.length > 0;) {
			if (this.halted) {
				this.settle([...ready, ...group.slice(next)], notSent(this.halted));
				await this.release(ledger, ready);
				return;
			}
			if (ready.length < batchSize && next < group.length) {
				const chunk = group.slice(next, next + batchSize);
				next += chunk.length;
				ready.push(...(await this.claimed(ledger, chunk)));
				continue;
			}
			const batch = ready.slice(0, batchSize);
			ready = ready.slice(batchSize);
			await this.sendBatch(batch, ledger);
			if (!goOn && batch.some(({ item }) => this.outcomes.get(item)?.kind !== 'created'))
				this.halted ??= stoppedByFailure;
		}
	}

	/** The creations of a chunk that are ours to send; the others are settled. */
	private async claimed(
		ledger: Ledger | undefined,
		chunk: readonly Creation[],
	): Promise<readonly Creation[]> {
		if (!ledger) return chunk;
		let claims: ReadonlyMap<string, Claim>;
		try {
			claims = await ledger.claim(referencesOf(chunk));
		} catch (error) {
			this.halted = storeProblem(error);
			this.settle(chunk, notSent(this.halted));
			return [];
		}
		return chunk.filter((creation) => {
			const { referenceId } = creation.delivery;
			const claim = referenceId === undefined ? 'claimed' : claims.get(referenceId);
			if (claim === 'claimed') return true;
			if (claim === 'created') {
				this.settle([creation], { kind: 'skipped', reason: 'alreadyCreated' });
			} else {
				this.settle([creation], this.unknown(sentSince));
				if (!this.sending.goOn) this.halted ??= stoppedByFailure;
			}
			return false;
		});
	}

	/** Sends a batch; one that is refused is halved until the refused deliveries are found. */
	private async sendBatch(batch: readonly Creation[], ledger: Ledger | undefined): Promise<void> {
		const exchange = this.halted ? undefined : await this.exchange(batch);
		if (!exchange) {
			this.halted ??= stoppedByUser;
			this.settle(batch, notSent(this.halted));
			await this.release(ledger, batch);
			return;
		}
		const exchangeClass = classifyExchange(exchange);
		this.unknownInARow = exchangeClass === 'unknown' ? this.unknownInARow + 1 : 0;
		switch (exchangeClass) {
			case 'done':
				await this.settleByAnswer(batch, exchange, ledger);
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
				this.settle(batch, { kind: 'failed', fate: 'refused', problem: explain(exchange) });
				await this.release(ledger, batch);
				if (isAboutAllRequests(exchange)) this.halted = explain(exchange);
				return;
			case 'notProcessed':
				await this.giveUp(exchange, batch, ledger);
				return;
			case 'unknown':
				this.settle(batch, this.unknown(explain(exchange).message, detailOf(exchange)));
				if (this.unknownInARow >= mostUnknownInARow) this.halted = explain(exchange);
		}
	}

	/** Sends nothing more, since the service cannot be given this batch. */
	private async giveUp(
		exchange: Exchange,
		batch: readonly Creation[],
		ledger: Ledger | undefined,
	): Promise<void> {
		this.halted = explain(exchange);
		this.settle(batch, { kind: 'failed', fate: 'notSent', problem: this.halted });
		await this.release(ledger, batch);
	}

	/**
	 * Sends one request within the limit, again and again while the service did not process it.
	 *
	 * @returns undefined when the execution was stopped before it was sent
	 */
	private async exchange(batch: readonly Creation[]): Promise<Exchange | undefined> {
		const { send, rateLimit, clock, signal, random, maximumWaitMs } = this.sending;
		const body = bodyOf(batch);
		/** Since when it is tried: the first refusal, moved on by each wait for the limit. */
		let patientSince: number | undefined;
		for (let attempt = 0; ; attempt++) {
			const exchange = await rateLimit.run(
				async ({ forLimitMs, forServiceMs }) => {
					this.waited.forLimitMs += forLimitMs;
					this.waited.forServiceMs += forServiceMs;
					if (patientSince !== undefined) patientSince += forLimitMs;
					this.requests++;
					return await send(body);
				},
				clock,
				signal,
			);
			if (!exchange || classifyExchange(exchange) !== 'notProcessed') return exchange;
			const now = clock.now();
			const pause = pauseMs(exchange, attempt, now, random());
			const patience =
				exchange.kind === 'answer' ? maximumWaitMs : Math.min(maximumWaitMs, unreachablePatienceMs);
			patientSince ??= now;
			if (now + pause - patientSince > patience) return exchange;
			rateLimit.pauseUntil(now + pause);
		}
	}

	private async settleByAnswer(
		batch: readonly Creation[],
		exchange: Exchange,
		ledger: Ledger | undefined,
	): Promise<void> {
		const answer = creationAnswerSchema.safeParse(
			exchange.kind === 'answer' ? exchange.body : undefined,
		);
		if (!answer.success) {
			this.settle(batch, this.unknown(notTheService.message, notTheService.description));
			return;
		}
		const { records } = matchRecords(
			batch.map(({ delivery }) => delivery),
			answer.data.payload,
		);
		const created = batch.filter((creation, position) => {
			const record = records[position];
			this.settle([creation], record ? { kind: 'created', ...record } : this.unknown(noRecord));
			return record !== undefined;
		});
		await this.note(async () => await ledger?.confirm(referencesOf(created)));
	}

	private async release(ledger: Ledger | undefined, batch: readonly Creation[]): Promise<void> {
		await this.note(async () => await ledger?.release(referencesOf(batch)));
	}

	/** Writes to the ledger; when that fails the outcomes still hold, and the report says so. */
	private async note(write: () => Promise<void>): Promise<void> {
		try {
			await write();
		} catch {
			this.ledgerFailed = true;
		}
	}

	/**
	 * That nobody knows what became of a delivery. What is usually advised after a failure, to try
	 * again, could here make a second one.
	 */
	private unknown(cause: string, detail?: string): Failure {
		return {
			kind: 'failed',
			fate: 'unknown',
			problem: {
				message: `Whether this delivery was created is unknown: ${lowerFirst(cause)}`,
				description: [lookItUp, this.sending.ledgerFor && forgetIt, detail]
					.filter(Boolean)
					.join(' '),
			},
		};
	}

	settle(creations: readonly Creation[], outcome: Outcome): void {
		for (const { item } of creations) this.outcomes.set(item, outcome);
	}
}

/** The body of the request for a batch of one group (service document, section 4.1). */
export function bodyOf(batch: readonly Creation[]): CreationBody {
	const { companyId, type } = batch[0] ?? {};
	return {
		deliveries: batch.map(({ delivery }) => delivery),
		...(companyId !== undefined && { companyId }),
		...(type !== undefined && { type }),
	};
}

/** The reference IDs of those creations that have one. */
export function referencesOf(batch: readonly Creation[]): string[] {
	return batch.flatMap(({ delivery: { referenceId } }) =>
		referenceId === undefined ? [] : [referenceId],
	);
}

/** Refusals that may be about one delivery among several: all others concern the whole request. */
function isAboutContent(exchange: Exchange): boolean {
	return exchange.kind === 'answer' && (exchange.status === 400 || exchange.status === 422);
}

/** Refusals that every other request would meet too: a wrong key, or an address that has moved. */
function isAboutAllRequests(exchange: Exchange): boolean {
	return exchange.kind === 'answer' && (exchange.status === 401 || exchange.status < 400);
}

/** A service that is out of order would make every further delivery one to be looked up. */
const mostUnknownInARow = 3;

const lookItUp = 'Look it up on the Delivery Service before you send it again.';

const forgetIt =
	'If it was not created, run the operation "Forget Sent References" for its reference ID, then send it again.';

const noRecord = 'the answer of the service holds no record of it';

const sentSince = 'it was sent before without an answer, or another execution is sending it now';

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

const stoppedByUser: Problem = { message: 'the execution was stopped' };

const stoppedByFailure: Problem = { message: 'a delivery before it failed' };

function notSent(cause: Problem): Failure {
	return {
		kind: 'failed',
		fate: 'notSent',
		problem: {
			message: `This delivery was not sent: ${lowerFirst(cause.message)}`,
			description: cause.description ?? 'Run the workflow again to send it.',
		},
	};
}

/** What it means that the ledger's store failed when references were looked up. */
export function storeProblem(error: unknown): Problem {
	const cause = error instanceof Error ? `: ${error.message}` : '';
	return {
		message: `n8n could not look up which references were sent already${cause}`,
		description:
			'Save the workflow and run it again. If that does not help, turn off "Skip Already Sent", but know that deliveries may then be created twice.',
	};
}
