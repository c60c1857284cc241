import type { Exchange } from '../service/client';
import { limits } from '../service/limits';
import type { Problem } from '../common/result';
import type { DeliveryChanges, TargetKind, UpdateBody } from '../service/schemas';
import { chunk } from '../common/chunk';
import { isRedirect } from '../service/errors';
import { classifyCreation, classifyExchange, type ExchangeClass } from './classify';
import { stoppedByUser, unexpectedProblem } from './outcomes';
import { sendWithRetries, type RetryOptions } from './request';
import {
	afterLostResponse,
	lostResponseVerdict,
	notUpdated,
	unknownUpdate,
	updateVerdict,
	type UpdateOutcome,
	type UpdateVerdict,
} from './updateOutcome';

/** The changes that an input item requests, and the deliveries to change. */
export interface Update {
	item: number;
	targetKind: TargetKind;
	ids: string[];
	changes: DeliveryChanges;
	flags: Pick<UpdateBody, 'recalculatePrice' | 'reorderRoute' | 'recalculateCity'>;
}

/** A delivery to update, and the item that requests it. */
interface UpdateTarget {
	item: number;
	id: string;
}

/** The outcome for a delivery to update. */
export interface UpdateResult extends UpdateTarget {
	targetKind: TargetKind;
	outcome: UpdateOutcome;
}

/** The options and dependencies of a run that updates deliveries. */
export interface UpdatingOptions extends RetryOptions {
	send: (body: UpdateBody) => Promise<Exchange>;
	/** Aborted when the user or a timeout stops the execution. */
	signal?: AbortSignal;
}

/** How many times to send a request whose responses are lost. */
const maxLostAttempts = 3;

/** After this many consecutive requests with an unknown outcome, the service counts as broken. */
const maxConsecutiveUnknownUpdates = 3;

/**
 * Updates deliveries (API document, section 4.2). Consecutive updates with the same kind of target,
 * changes and flags share requests of up to 10 IDs. Requests are sent one after the other in the
 * order of the items, since a later change must win. A failed request is repeated for each of its
 * deliveries individually, so that one wrong ID does not fail the others.
 *
 * @yields the results of each request, in order; updates that are no longer sent come last
 */
export async function* sendUpdates(
	updates: readonly Update[],
	options: UpdatingOptions,
): AsyncGenerator<UpdateResult[]> {
	const run = new UpdateRun(options);
	for (const { update, targets } of groupUpdates(updates))
		for (const batch of chunk(targets, limits.deliveriesPerUpdate))
			yield await run.send(update, batch);
}

class UpdateRun {
	/** Why nothing more is sent. */
	private halted?: Problem;

	private consecutiveUnknown = 0;

	constructor(private readonly options: UpdatingOptions) {}

	/** @param shared the unknown verdict of an earlier request that these targets shared with others */
	async send(
		update: Update,
		targets: readonly UpdateTarget[],
		shared?: UpdateVerdict,
	): Promise<UpdateResult[]> {
		const verdict = await this.sendBatch(update, targets);
		const { mayConcernOne, unknownCause } = verdict;
		if (mayConcernOne && targets.length > 1) {
			const unknown = unknownCause && verdict;
			const results: UpdateResult[] = [];
			for (const target of targets) results.push(...(await this.send(update, [target], unknown)));
			return results;
		}
		this.consecutiveUnknown = unknownCause ? this.consecutiveUnknown + 1 : 0;
		if (this.consecutiveUnknown >= maxConsecutiveUnknownUpdates) this.halted ??= unknownCause;
		const { outcome } = shared ? afterLostResponse(shared, verdict) : verdict;
		return targets.map((target) => ({ ...target, targetKind: update.targetKind, outcome }));
	}

	/** Sends one request. An unexpected error, e.g. a bug, leaves its deliveries unknown and halts. */
	private async sendBatch(
		update: Update,
		targets: readonly UpdateTarget[],
	): Promise<UpdateVerdict> {
		if (this.halted) return { outcome: notUpdated(this.halted) };
		try {
			return await this.trySendBatch(update, targets);
		} catch (error) {
			this.halted ??= unexpectedProblem(error);
			return unknownUpdate(this.halted, adviceFor(update));
		}
	}

	private async trySendBatch(
		update: Update,
		targets: readonly UpdateTarget[],
	): Promise<UpdateVerdict> {
		const { last, lost } = await this.request(update, targets);
		const advice = adviceFor(update);
		const verdict = last
			? updateVerdict(last, classify(update, last), advice)
			: { outcome: notUpdated(stoppedByUser), halt: stoppedByUser };
		this.halted ??= verdict.halt;
		return lost ? afterLostResponse(lostResponseVerdict(lost, advice), verdict) : verdict;
	}

	/**
	 * Sends a request, and retries it while the service does not process it, or a few times when the
	 * response is lost: making the same change twice does no harm.
	 *
	 * @returns the last exchange, undefined when the execution was stopped; and the first one whose
	 *   response was lost, after which only a success shows whether the update was made
	 */
	private async request(
		update: Update,
		targets: readonly UpdateTarget[],
	): Promise<{ last?: Exchange; lost?: Exchange }> {
		const { send, clock, signal } = this.options;
		const { targetKind, changes, flags } = update;
		const body = {
			[targetKind]: targets.map(({ id }) => id),
			deliveryChanges: changes,
			...flags,
		};
		let lost: Exchange | undefined;
		const last = await sendWithRetries(
			this.options,
			async (pauseMs) => {
				if (pauseMs > 0) await clock.wait(pauseMs, signal);
				if (signal?.aborted) return undefined;
				const sentAt = clock.now();
				const exchange = await send(body);
				return { exchange, tookMs: pauseMs + Math.max(0, clock.now() - sentAt) };
			},
			(exchange, attempt) => {
				const exchangeClass = classify(update, exchange);
				if (exchangeClass !== 'unknown') return exchangeClass === 'notProcessed';
				if (exchange.kind === 'response' && isRedirect(exchange)) return false;
				lost ??= exchange;
				return isRepeatable(update) && attempt + 1 < maxLostAttempts;
			},
		);
		return { last, lost };
	}
}

/**
 * Whether an update may be made twice: a repeated request does not find a delivery under the reference
 * ID that the first one replaced.
 */
export function isRepeatable({ targetKind, changes }: Update): boolean {
	return targetKind === 'deliveryIds' || changes.referenceId === undefined;
}

/** What an exchange says about the request of an update. */
function classify(update: Update, exchange: Exchange): ExchangeClass {
	return isRepeatable(update) ? classifyExchange(exchange) : classifyCreation(exchange);
}

/** What to do when it is unknown whether an update was made. */
function adviceFor(update: Update): string {
	return isRepeatable(update) ? safeToRepeat : checkBothReferences;
}

const safeToRepeat = 'It is safe to run the update again.';

const checkBothReferences =
	'Check the Delivery Service dashboard under both the old and the new reference ID. Run the update again only if the delivery still has the old one; if it has the new one, the update was made.';

/** Merges consecutive updates that differ only in their targets; a repeated target starts a new one. */
function groupUpdates(
	updates: readonly Update[],
): Array<{ update: Update; targets: UpdateTarget[] }> {
	const groups: Array<{ update: Update; targets: UpdateTarget[]; key: string; ids: Set<string> }> =
		[];
	for (const update of updates) {
		const key = JSON.stringify([update.targetKind, update.changes, update.flags]);
		const targets = update.ids.map((id) => ({ item: update.item, id }));
		const last = groups.at(-1);
		if (last?.key !== key || update.ids.some((id) => last.ids.has(id))) {
			groups.push({ update, targets, key, ids: new Set(update.ids) });
			continue;
		}
		last.targets.push(...targets);
		for (const id of update.ids) last.ids.add(id);
	}
	return groups;
}
