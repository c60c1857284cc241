import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Report } from '../../sending/options';
import type { CreationResult } from '../../sending/outcomes';
import type { CreationBody, Delivery } from '../../service/schemas';
import { runKey } from '../items';
import type { PreparedItem } from './prepare';

/**
 * n8n's retry of a failed execution runs the whole node again, including items whose deliveries were
 * created, and the memory of that execution is gone.
 *
 * @throws NodeOperationError when the retry could create deliveries twice
 */
export function assertRetryIsSafe(
	context: IExecuteFunctions,
	skipsAlreadySent: boolean,
	isDryRun: boolean,
): void {
	if (skipsAlreadySent || isDryRun || context.getMode() !== 'retry') return;
	throw new NodeOperationError(
		context.getNode(),
		'Without "Skip Already Sent", retrying this execution could create deliveries twice',
		{
			description: `If the first execution failed before this node, turn on "Skip Already Sent", save the workflow, and choose Retry with currently saved workflow. If it failed in this node, run the workflow again without the created and possibly created deliveries: its error lists them, or n8n's log if it was stopped. This retry sent nothing.`,
		},
	);
}

/** An item whose delivery was sent, as it was read then. */
interface SentItem {
	prepared: PreparedItem;
	result: CreationResult;
}

/**
 * The attempts of one run of the node. n8n's "Retry On Fail" runs the whole node again and discards
 * the output of the attempt before. What that attempt created or left unknown is not sent again, even
 * if an expression now returns another reference ID.
 */
export class Attempts {
	private readonly sentItems = new Map<number, SentItem>();

	private readonly sentDeliveries = new Set<Delivery>();

	private total: Omit<Report, 'results'> = {
		requests: 0,
		waited: { forLimitMs: 0, forServiceMs: 0 },
		ledgerFailed: false,
	};

	/** The item as an earlier attempt read it, if that attempt may have created its delivery. */
	sentItem(item: number): PreparedItem | undefined {
		return this.sentItems.get(item)?.prepared;
	}

	/** Whether an earlier attempt may have created deliveries. */
	get hasSent(): boolean {
		return this.sentItems.size > 0;
	}

	/** Notes that a request is sent. */
	addRequest({ deliveries }: CreationBody): void {
		for (const delivery of deliveries) this.sentDeliveries.add(delivery);
	}

	/**
	 * Adds the report of an attempt.
	 *
	 * @param items all items of the attempt
	 * @returns the report of all attempts so far
	 */
	addReport(items: readonly PreparedItem[], { results, ...latest }: Report): Report {
		const earlier = [...this.sentItems.values()].map(({ result }) => result);
		const preparedItems = new Map(items.map((prepared) => [prepared.item, prepared]));
		for (const result of results) {
			const { item, delivery } = result.creation;
			const prepared = preparedItems.get(item);
			const mayExist = result.outcome.kind === 'created' || result.outcome.kind === 'unknown';
			if (prepared && mayExist && this.sentDeliveries.has(delivery))
				this.sentItems.set(item, { prepared, result });
		}
		const { requests, waited, ledgerFailed } = this.total;
		this.total = {
			...latest,
			requests: requests + latest.requests,
			waited: {
				forLimitMs: waited.forLimitMs + latest.waited.forLimitMs,
				forServiceMs: waited.forServiceMs + latest.waited.forServiceMs,
			},
			ledgerFailed: ledgerFailed || latest.ledgerFailed,
		};
		const all = [...earlier, ...results].sort(
			({ creation: one }, { creation: other }) => one.item - other.item,
		);
		return { ...this.total, results: all };
	}
}

/** The attempts of each run, as long as n8n keeps its input. */
const attemptsByRun = new WeakMap<object, Attempts>();

/** The attempts of the current run so far. */
export function attemptsOf(context: IExecuteFunctions): Attempts {
	const key = context.getNode().retryOnFail ? runKey(context) : undefined;
	const attempts = (key && attemptsByRun.get(key)) ?? new Attempts();
	if (key) attemptsByRun.set(key, attempts);
	return attempts;
}
