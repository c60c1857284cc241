/** Updates of deliveries: their requests, and what each response means for its deliveries. */
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
import { maxConsecutiveUnknown } from './breaker';
import { classifyCreation, classifyExchange, type ExchangeClass } from './classify';
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
export type Cause = Exchange | { kind: 'stopped' } | { kind: 'unexpected'; error: unknown };

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

/** A delivery to update, and the outcome. */
export interface UpdateResult<Requested extends Update = Update> {
	/** The update that requests it. */
	update: Requested;
	id: string;
	outcome: UpdateOutcome;
}

/** A delivery that was not updated, or may not have been. */
export interface FailedUpdate {
	id: string;
	targetKind: TargetKind;
	outcome: Exclude<UpdateOutcome, { kind: 'updated' }>;
}

/** The options and dependencies of a run that updates deliveries. */
export interface UpdatingOptions extends RetryOptions {
	send: (body: UpdateBody) => Promise<Exchange>;
}

/** How many times to send a request whose responses are lost. */
const maxLostAttempts = 3;

/**
 * Updates deliveries (docs/api.md, section 4.2): the IDs of an item in requests of up to 10, one after the
 * other in the order of the items, since a later change must win. A rejected request is repeated for each
 * of its deliveries individually, so that one wrong ID does not fail the others.
 *
 * @yields the results of each request, in order; updates that are no longer sent come last
 */
export async function* sendUpdates<Requested extends Update>(
	updates: readonly Requested[],
	options: UpdatingOptions,
): AsyncGenerator<Array<UpdateResult<Requested>>> {
	const run = new UpdateRun(options);
	for (const update of updates)
		for (const ids of chunk(update.ids, limits.deliveriesPerUpdate)) {
			const ofAll = await run.send(update, ids);
			const isRepeated = ofAll.kind === 'rejected' && ids.length > 1;
			const results: Array<UpdateResult<Requested>> = [];
			for (const id of ids) {
				const outcome = isRepeated ? await run.send(update, [id]) : ofAll;
				results.push({ update, id, outcome });
			}
			yield results;
		}
}

/** Sends requests until one shows that the service can't process any. */
class UpdateRun {
	private halted?: Cause;

	private consecutiveUnknown = 0;

	constructor(private readonly options: UpdatingOptions) {}

	/** @returns the outcome for each of the deliveries */
	async send(update: Update, ids: readonly string[]): Promise<UpdateOutcome> {
		const outcome: UpdateOutcome = this.halted
			? { kind: 'notSent', cause: this.halted }
			: await sendRequest(update, ids, this.options);
		const isUnknown = outcome.kind === 'unknown';
		this.consecutiveUnknown = isUnknown ? this.consecutiveUnknown + 1 : 0;
		const isBroken = this.consecutiveUnknown >= maxConsecutiveUnknown;
		if (outcome.kind === 'notSent') this.halted = outcome.cause;
		if (isUnknown && (isBroken || isMoved(outcome.cause))) this.halted = outcome.cause;
		return outcome;
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
	ids: readonly string[],
	{ send, ...options }: UpdatingOptions,
): Promise<UpdateOutcome> {
	const { targetKind, changes, flags } = update;
	const isRepeatable = mayBeRepeated(update);
	const classify = isRepeatable ? classifyExchange : classifyCreation;
	const body = { [targetKind]: [...ids], deliveryChanges: changes, ...flags };
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
		if (last) return outcomeOf(last, classify(last), lost, isRepeatable);
		return lost
			? { kind: 'unknown', cause: lost, isRepeatable }
			: { kind: 'notSent', cause: { kind: 'stopped' } };
	} catch (error) {
		return { kind: 'unknown', cause: { kind: 'unexpected', error }, isRepeatable };
	}
}

/** A repeated request does not find a delivery under the reference ID that the first one replaced. */
function mayBeRepeated({ targetKind, changes }: Update): boolean {
	return targetKind === 'deliveryIds' || changes.referenceId === undefined;
}

/**
 * The outcome of an update by its last exchange.
 *
 * @param lost an earlier one that left it unknown
 */
function outcomeOf(
	last: Exchange,
	lastClass: ExchangeClass,
	lost: Exchange | undefined,
	isRepeatable: boolean,
): UpdateOutcome {
	const isDone = last.kind === 'response' && lastClass === 'done';
	const { data: response } = updateResponseSchema.safeParse(isDone && last.body);
	if (response) return { kind: 'updated', response };
	const rejection = lastClass === 'rejected' ? last : undefined;
	if (lost ?? isDone) return { kind: 'unknown', cause: lost ?? last, isRepeatable, rejection };
	const isAboutAll = !rejection || isAboutAllRequests(last);
	return { kind: isAboutAll ? 'notSent' : 'rejected', cause: last };
}
