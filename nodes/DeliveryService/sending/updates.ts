import type { Exchange } from '../service/client';
import { limits } from '../service/limits';
import type { Problem } from '../common/result';
import type { DeliveryChanges, TargetKind, UpdateBody } from '../service/schemas';
import { chunk } from '../common/chunk';
import { classifyExchange } from './classify';
import { stoppedByUser } from './outcomes';
import { sendWithRetries, type RetryOptions } from './request';
import {
	afterLostResponse,
	lostResponseVerdict,
	notUpdated,
	updateVerdict,
	type UpdateOutcome,
	type UpdateVerdict,
} from './updateOutcome';

/** What an input item asks to change, and for which deliveries. */
export interface Update {
	item: number;
	targetKind: TargetKind;
	ids: string[];
	changes: DeliveryChanges;
	flags: Pick<UpdateBody, 'recalculatePrice' | 'reorderRoute' | 'recalculateCity'>;
}

/** A delivery to update, and the item that asks for it. */
interface UpdateTarget {
	item: number;
	id: string;
}

/** What became of a delivery to update. */
export interface UpdateResult extends UpdateTarget {
	targetKind: TargetKind;
	outcome: UpdateOutcome;
}

/** What updating needs from outside. */
export interface UpdatingOptions extends RetryOptions {
	send: (body: UpdateBody) => Promise<Exchange>;
	/** Aborted when the user or a timeout stops the execution. */
	signal?: AbortSignal;
}

/** How often a request is sent whose answers are lost. */
const maxLostAttempts = 3;

/** So many requests in a row with an unknown outcome: the service is out of order. */
const maxConsecutiveUnknownUpdates = 3;

/**
 * Updates deliveries (service document, section 4.2). Neighbouring updates with the same kind of
 * target, changes and flags share requests of up to 10 IDs. Requests are sent one after the other
 * in the order of the items, since a later change must win. One that fails is sent again for each
 * of its deliveries alone, so that one wrong ID does not fail the others.
 *
 * @yields the results of each request, in order; what was not sent any more comes last
 */
export async function* sendUpdates(
	updates: readonly Update[],
	updating: UpdatingOptions,
): AsyncGenerator<UpdateResult[]> {
	const run = new UpdateRun(updating);
	for (const { update, targets } of groupUpdates(updates))
		for (const part of chunk(targets, limits.deliveriesPerUpdate))
			yield await run.results(update, part);
}

class UpdateRun {
	/** Why nothing more is sent. */
	private halted?: Problem;

	private unknownInARow = 0;

	constructor(private readonly updating: UpdatingOptions) {}

	/** @param shared what is unknown of these targets from a request that they shared with others */
	async results(
		update: Update,
		targets: readonly UpdateTarget[],
		shared?: UpdateVerdict,
	): Promise<UpdateResult[]> {
		const verdict = await this.verdict(update, targets);
		const { mayBeAboutOne, unknownBecause } = verdict;
		if (mayBeAboutOne && targets.length > 1) {
			const lost = unknownBecause && verdict;
			const results: UpdateResult[] = [];
			for (const target of targets) results.push(...(await this.results(update, [target], lost)));
			return results;
		}
		this.unknownInARow = unknownBecause ? this.unknownInARow + 1 : 0;
		if (this.unknownInARow >= maxConsecutiveUnknownUpdates) this.halted ??= unknownBecause;
		const { outcome } = shared ? afterLostResponse(shared, verdict) : verdict;
		return targets.map((target) => ({ ...target, targetKind: update.targetKind, outcome }));
	}

	private async verdict(update: Update, targets: readonly UpdateTarget[]): Promise<UpdateVerdict> {
		if (this.halted) return { outcome: notUpdated(this.halted) };
		const { last, lost } = await this.exchange(update, targets);
		const again = isRepeatable(update) ? safeToRepeat : checkBothReferences;
		const verdict = last
			? updateVerdict(last, again)
			: { outcome: notUpdated(stoppedByUser), halt: stoppedByUser };
		this.halted ??= verdict.halt;
		return lost ? afterLostResponse(lostResponseVerdict(lost, again), verdict) : verdict;
	}

	/**
	 * Sends a request, and again while the service does not process it, or a few times when the
	 * response is lost: the same change made twice is the same.
	 *
	 * @returns the last exchange, none when the execution was stopped; and the first whose response
	 *   was lost, after which only a success shows whether the update was made
	 */
	private async exchange(
		update: Update,
		targets: readonly UpdateTarget[],
	): Promise<{ last?: Exchange; lost?: Exchange }> {
		const { send, clock, signal } = this.updating;
		const { targetKind, changes, flags } = update;
		const body = {
			[targetKind]: targets.map(({ id }) => id),
			deliveryChanges: changes,
			...flags,
		};
		let lost: Exchange | undefined;
		const last = await sendWithRetries(
			this.updating,
			async (pauseMs) => {
				if (pauseMs > 0) await clock.wait(pauseMs, signal);
				if (signal?.aborted) return undefined;
				const sentAt = clock.now();
				const exchange = await send(body);
				return { exchange, tookMs: pauseMs + Math.max(0, clock.now() - sentAt) };
			},
			(exchange, attempt) => {
				const exchangeClass = classifyExchange(exchange);
				if (exchangeClass !== 'unknown') return exchangeClass === 'notProcessed';
				if (exchange.kind === 'response' && exchange.status === 303) return false;
				lost ??= exchange;
				return isRepeatable(update) && attempt + 1 < maxLostAttempts;
			},
		);
		return { last, lost };
	}
}

/** Under the old reference ID a delivery that was renamed is not found the second time. */
function isRepeatable({ targetKind, changes }: Update): boolean {
	return targetKind === 'deliveryIds' || changes.referenceId === undefined;
}

const safeToRepeat = 'Update it again: that does no harm.';

const checkBothReferences =
	'Look it up in the dashboard of the Delivery Service under its old and its new reference ID. Update it again only if it is still under the old one: under the new one, the update was made.';

/** Neighbouring updates that differ only in their targets, as one; a repeated target starts anew. */
function groupUpdates(
	updates: readonly Update[],
): Array<{ update: Update; targets: UpdateTarget[] }> {
	const runs: Array<{ update: Update; targets: UpdateTarget[]; key: string; ids: Set<string> }> =
		[];
	for (const update of updates) {
		const key = JSON.stringify([update.targetKind, update.changes, update.flags]);
		const targets = update.ids.map((id) => ({ item: update.item, id }));
		const last = runs.at(-1);
		if (last?.key !== key || update.ids.some((id) => last.ids.has(id))) {
			runs.push({ update, targets, key, ids: new Set(update.ids) });
			continue;
		}
		last.targets.push(...targets);
		for (const id of update.ids) last.ids.add(id);
	}
	return runs;
}
