import { chunk } from '../common/data';
import type { Exchange } from '../service/client';
import { isAboutAllRequests, isRedirect } from '../service/errors';
import {
	limits,
	updateResponseSchema,
	type DeliveryChanges,
	type TargetKind,
	type UpdateBody,
	type UpdateResponse,
} from '../service/schemas';
import { classifyCreation, classifyExchange } from './responses';
import { sendWithRetries, timed, type RetryOptions } from './request';

/** The changes that an input item requests, and the deliveries to change. */
export interface Update {
	item: number;
	targetKind: TargetKind;
	ids: string[];
	changes: DeliveryChanges;
	flags: Pick<UpdateBody, 'recalculatePrice' | 'reorderRoute' | 'recalculateCity'>;
}

/** Why an update was not made, or may not have been made. */
export type Cause = Exchange | { kind: 'stopped' } | { kind: 'error'; error: unknown };

/** The outcome for a delivery to update. */
export type UpdateOutcome =
	| { kind: 'updated'; response: UpdateResponse }
	/** By the service. */
	| { kind: 'rejected'; cause: Cause }
	/** It may have been updated: the response was lost, or is not the documented one. */
	| {
			kind: 'unknown';
			cause: Cause;
			isRepeatable: boolean;
			/** The response to the retry, if the service rejected that. */
			rejection?: Exchange;
	  }
	/** Not processed, for a reason that applies to every other update too. */
	| { kind: 'notSent'; cause: Cause };

/** A delivery to update, the item that requests it, and the outcome. */
export interface UpdateResult {
	item: number;
	id: string;
	targetKind: TargetKind;
	outcome: UpdateOutcome;
}

/** The options and dependencies of a run that updates deliveries. */
export interface UpdatingOptions extends RetryOptions {
	send: (body: UpdateBody) => Promise<Exchange>;
}

/** How many times to send a request whose responses are lost. */
const maxLostAttempts = 3;

/** After this many consecutive requests with an unknown outcome, the service counts as broken. */
const maxConsecutiveUnknown = 3;

/**
 * Updates deliveries (API document, section 4.2). Consecutive updates with the same kind of target,
 * changes and flags share requests of up to 10 IDs. Requests are sent one after the other in the
 * order of the items, since a later change must win. A rejected request is repeated for each of its
 * deliveries individually, so that one wrong ID does not fail the others.
 *
 * @yields the results of each request, in order; updates that are no longer sent come last
 */
export async function* sendUpdates(
	updates: readonly Update[],
	options: UpdatingOptions,
): AsyncGenerator<UpdateResult[]> {
	let halted: Cause | undefined;
	let unknownInARow = 0;
	const send = async (update: Update, targets: readonly Target[]): Promise<UpdateResult[]> => {
		const outcome: UpdateOutcome = halted
			? { kind: 'notSent', cause: halted }
			: await sendRequest(update, targets, options);
		unknownInARow = outcome.kind === 'unknown' ? unknownInARow + 1 : 0;
		const isBroken = unknownInARow >= maxConsecutiveUnknown;
		if (outcome.kind === 'notSent') halted = outcome.cause;
		if (outcome.kind === 'unknown' && (isBroken || isMoved(outcome.cause))) halted = outcome.cause;
		return targets.map((target) => ({ ...target, targetKind: update.targetKind, outcome }));
	};
	for (const { update, targets } of groupUpdates(updates))
		for (const batch of chunk(targets, limits.deliveriesPerUpdate)) {
			let results = await send(update, batch);
			if (batch.length > 1 && results[0]?.outcome.kind === 'rejected') {
				results = [];
				for (const target of batch) results.push(...(await send(update, [target])));
			}
			yield results;
		}
}

function isMoved(cause: Cause): boolean {
	return cause.kind === 'response' && isRedirect(cause);
}

/**
 * Sends a request, and retries it while the service does not process it, or a few times when the
 * response is lost: making the same change twice does no harm. After a lost response, only a success
 * shows whether the update was made.
 */
async function sendRequest(
	update: Update,
	targets: readonly Target[],
	{ send, ...options }: UpdatingOptions,
): Promise<UpdateOutcome> {
	const { targetKind, changes, flags } = update;
	// A repeated request does not find a delivery under the reference ID that the first one replaced.
	const isRepeatable = targetKind === 'deliveryIds' || changes.referenceId === undefined;
	const classify = isRepeatable ? classifyExchange : classifyCreation;
	const ids = targets.map(({ id }) => id);
	const body = { [targetKind]: ids, deliveryChanges: changes, ...flags };
	let lost: Exchange | undefined;
	try {
		const last = await sendWithRetries(
			options,
			async () => await timed(options.clock, async () => await send(body)),
			(exchange, attempt) => {
				const exchangeClass = classify(exchange);
				if (exchangeClass !== 'unknown') return exchangeClass === 'notProcessed';
				lost ??= exchange;
				return isRepeatable && !isMoved(exchange) && attempt + 1 < maxLostAttempts;
			},
		);
		if (!last)
			return lost
				? { kind: 'unknown', cause: lost, isRepeatable }
				: { kind: 'notSent', cause: { kind: 'stopped' } };
		const exchangeClass = classify(last);
		const isDone = last.kind === 'response' && exchangeClass === 'done';
		const { data: response } = updateResponseSchema.safeParse(isDone && last.body);
		if (response) return { kind: 'updated', response };
		const rejection = exchangeClass === 'rejected' ? last : undefined;
		if (lost ?? isDone) return { kind: 'unknown', cause: lost ?? last, isRepeatable, rejection };
		const isAboutAll = !rejection || isAboutAllRequests(last);
		return { kind: isAboutAll ? 'notSent' : 'rejected', cause: last };
	} catch (error) {
		return { kind: 'unknown', cause: { kind: 'error', error }, isRepeatable };
	}
}

type Target = Pick<UpdateResult, 'item' | 'id'>;

/** Merges consecutive updates that differ only in their targets; a repeated target starts a new one. */
function groupUpdates(updates: readonly Update[]) {
	const groups: Array<{ update: Update; targets: Target[]; key: string; ids: Set<string> }> = [];
	for (const update of updates) {
		const { item, targetKind, changes, flags, ids } = update;
		const key = JSON.stringify([targetKind, changes, flags]);
		const last = groups.at(-1);
		const fits = last?.key === key && !ids.some((id) => last.ids.has(id));
		const group = fits ? last : { update, targets: [], key, ids: new Set<string>() };
		if (!fits) groups.push(group);
		group.targets.push(...ids.map((id) => ({ item, id })));
		for (const id of ids) group.ids.add(id);
	}
	return groups;
}
