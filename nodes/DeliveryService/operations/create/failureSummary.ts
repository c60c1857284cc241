import type { CreationResult } from '../../sending/outcomes';
import type { Problem } from '../../common/result';
import { endSentence, listNames } from '../items';
import { excludeCreatedAdvice } from './resendWarning';

/** A delivery of the run, identified by its item and, where known, its reference ID and ID. */
type NamedDelivery = { item: number; referenceId?: string; id?: string };

type DeliveriesByOutcome = Record<'created' | 'rejected' | 'unknown' | 'notSent', NamedDelivery[]>;

interface FailureSummary {
	/** The item of the first failed delivery; one that was sent comes before one that was not. */
	item: number;
	problem: Problem;
	/** Every delivery of the run, by outcome. */
	lists: DeliveriesByOutcome;
}

/**
 * The error of a failed run: which deliveries were created, rejected, possibly created, or not sent.
 *
 * @param isRemembered whether running the workflow again skips the created deliveries
 * @returns undefined when every delivery was created or skipped
 */
export function failureSummary(
	results: readonly CreationResult[],
	isRemembered: boolean,
): FailureSummary | undefined {
	const lists = groupByOutcome(results);
	const failures = results.flatMap(({ creation: { item }, outcome }) =>
		outcome.kind === 'created' || outcome.kind === 'skipped' ? [] : [{ item, ...outcome }],
	);
	// An unsent delivery usually waited for a failed one, whose problem is the cause.
	const first = failures.find(({ kind }) => kind !== 'notSent') ?? failures[0];
	if (!first) return undefined;
	const { message, description } = first.problem;
	const mayExist = lists.created.length + lists.unknown.length > 0;
	return {
		item: first.item,
		problem: {
			message:
				results.length > 1 && mayExist ? `${message} (${countOutcomes(results, lists)})` : message,
			description: [
				endSentence(description),
				!mayExist && 'No delivery was created.',
				listDeliveries('Created', lists.created),
				listDeliveries('Rejected', lists.rejected),
				listDeliveries('Possibly created', lists.unknown),
				listDeliveries('Not sent', lists.notSent),
				!isRemembered && mayExist && excludeCreatedAdvice,
			]
				.filter(Boolean)
				.join(' '),
		},
		lists,
	};
}

/** The number of created deliveries, and of skipped and unsent ones if there are any. */
function countOutcomes(results: readonly CreationResult[], lists: DeliveriesByOutcome): string {
	const skipped = results.filter(({ outcome }) => outcome.kind === 'skipped').length;
	return [
		`${lists.created.length} of ${results.length} deliveries created`,
		...(skipped > 0 ? [`${skipped} skipped`] : []),
		...(lists.notSent.length > 0 ? [`${lists.notSent.length} not sent`] : []),
	].join(', ');
}

/** The deliveries of a run by outcome, without the skipped ones. */
function groupByOutcome(results: readonly CreationResult[]): DeliveriesByOutcome {
	const lists: DeliveriesByOutcome = { created: [], rejected: [], unknown: [], notSent: [] };
	for (const { creation, outcome } of results) {
		if (outcome.kind === 'skipped') continue;
		lists[outcome.kind].push({
			item: creation.item,
			referenceId: creation.delivery.referenceId,
			...(outcome.kind === 'created' && { id: outcome.id }),
		});
	}
	return lists;
}

/**
 * All created and possibly created deliveries by name, for the log.
 *
 * @returns one line of text; undefined when there are none
 */
export function describeOutcomes(results: readonly CreationResult[]): string | undefined {
	const { created, unknown } = groupByOutcome(results);
	const sentences = [
		listDeliveries('Created', created, Infinity),
		listDeliveries('Possibly created', unknown, Infinity),
	];
	return sentences.filter(Boolean).join(' ').replace(/\s+/g, ' ') || undefined;
}

function listDeliveries(title: string, deliveries: readonly NamedDelivery[], max?: number): string {
	const names = deliveries.map(({ item, referenceId, id }) => {
		const name = referenceId ?? `item ${item}`;
		return id === undefined ? name : `${name} (ID ${id})`;
	});
	return listNames(title, names, max);
}
