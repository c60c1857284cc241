import type { CreationResult } from '../../../sending/outcomes';
import type { Problem } from '../../../common/result';
import { endSentence, listNames } from '../../items';
import { excludeCreatedAdvice } from './resendWarning';

/** A delivery of the run, by its item and what else names it. */
type NamedDelivery = { item: number; referenceId?: string; id?: string };

type DeliveriesByOutcome = Record<'created' | 'rejected' | 'unknown' | 'notSent', NamedDelivery[]>;

interface FailureSummary {
	/** The item whose problem it is: the first whose delivery was sent in vain, if there is one. */
	item: number;
	problem: Problem;
	/** Every delivery of the run under what became of it. */
	lists: DeliveriesByOutcome;
}

/**
 * What a run that failed must tell: which deliveries exist, which were refused, which may exist
 * and which were not sent.
 *
 * @param isRemembered whether running the workflow again skips what was created
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
	// A delivery that was not sent waited for others: the problem of those comes first.
	const first = failures.find(({ kind }) => kind !== 'notSent') ?? failures[0];
	if (!first) return undefined;
	const { message, description } = first.problem;
	const skipped = results.filter(({ outcome }) => outcome.kind === 'skipped').length;
	const counts = [
		`${lists.created.length} of ${results.length} deliveries created`,
		...(skipped > 0 ? [`${skipped} skipped`] : []),
		`${lists.notSent.length} not sent`,
	].join(', ');
	return {
		item: first.item,
		problem: {
			message: `${message} (${counts})`,
			description: [
				endSentence(description),
				namesOf('Created', lists.created),
				namesOf('Refused', lists.rejected),
				namesOf('Perhaps created', lists.unknown),
				namesOf('Not sent', lists.notSent),
				!isRemembered && lists.created.length + lists.unknown.length > 0 && excludeCreatedAdvice,
			]
				.filter(Boolean)
				.join(' '),
		},
		lists,
	};
}

/** The deliveries of a run under what became of them, without those that were skipped. */
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
 * What a run has done that nobody else will tell, all of it by name: what was created, and what may
 * have been.
 *
 * @returns one line of text; undefined when nothing was created, and nothing may have been
 */
export function describeOutcomes(results: readonly CreationResult[]): string | undefined {
	const { created, unknown } = groupByOutcome(results);
	const sentences = [
		namesOf('Created', created, Infinity),
		namesOf('Perhaps created', unknown, Infinity),
	];
	return sentences.filter(Boolean).join(' ').replace(/\s+/g, ' ') || undefined;
}

function namesOf(title: string, entries: readonly NamedDelivery[], max?: number): string {
	const names = entries.map(({ item, referenceId, id }) => {
		const name = referenceId ?? `item ${item}`;
		return id === undefined ? name : `${name} (ID ${id})`;
	});
	return listNames(title, names, max);
}
