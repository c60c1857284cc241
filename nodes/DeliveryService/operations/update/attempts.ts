import type { IExecuteFunctions } from 'n8n-workflow';

import { isRepeatable, type Update, type UpdateResult } from '../../sending/updates';
import { runKey } from '../items';

/**
 * The attempts of one run of the node. n8n's "Retry On Fail" runs the whole node again. Making the same
 * changes again does no harm, unless an earlier attempt has replaced, or may have replaced, the
 * reference ID by which a delivery is found: the retry would be rejected, though the change was made.
 */
export class UpdateAttempts {
	/** The latest result for each ID of each item. */
	private readonly results = new Map<string, UpdateResult>();

	/** The reference IDs that may no longer exist. */
	private readonly replaced = new Set<string>();

	/**
	 * Splits an update into what to send and what not to repeat.
	 *
	 * @returns the update without the IDs that are final, and the final results of those
	 */
	withoutFinal(update: Update): { update: Update; final: UpdateResult[] } {
		const results = update.ids.map((id) => this.finalResult(update, id));
		return {
			update: { ...update, ids: update.ids.filter((_, index) => !results[index]) },
			final: results.filter((result) => result !== undefined),
		};
	}

	/** Adds a result of an update. */
	add(update: Update | undefined, result: UpdateResult): void {
		const { kind } = result.outcome;
		this.results.set(keyOf(result.item, result.id), result);
		if (update && !isRepeatable(update) && (kind === 'updated' || kind === 'unknown'))
			this.replaced.add(result.id);
	}

	private finalResult({ item, targetKind }: Update, id: string): UpdateResult | undefined {
		const result = this.results.get(keyOf(item, id));
		const isFinal = targetKind === 'referenceIds' && this.replaced.has(id);
		return isFinal && result?.outcome.kind !== 'notSent' ? result : undefined;
	}
}

function keyOf(item: number, id: string): string {
	return `${item} ${id}`;
}

/** The attempts of each run, as long as n8n keeps its input. */
const updateAttemptsByRun = new WeakMap<object, UpdateAttempts>();

/** The attempts of the current run so far. */
export function updateAttemptsOf(context: IExecuteFunctions): UpdateAttempts {
	const key = context.getNode().retryOnFail ? runKey(context) : undefined;
	const attempts = (key && updateAttemptsByRun.get(key)) ?? new UpdateAttempts();
	if (key) updateAttemptsByRun.set(key, attempts);
	return attempts;
}
