import type { Creation, Outcome } from '../../../sending/creations';
import type { Problem } from '../../../service/result';
import { ended } from '../../items';

/** How many of each list the description names; the lists in the error's details are complete. */
const namedAtMost = 20;

/** A delivery of the run, by its item and what else names it. */
type Entry = { item: number; referenceId?: string; id?: string };

type Lists = Record<'created' | 'refused' | 'unknown' | 'notSent', Entry[]>;

interface LossReport {
	/** The item to name: the first that the service refused or did not answer for, if there is one. */
	item: number;
	problem: Problem;
	/** Every delivery of the run under what became of it. */
	lists: Lists;
}

/**
 * What a run that failed must tell: which deliveries exist, which were refused, which may exist
 * and which were not sent.
 *
 * @returns undefined when every delivery was created
 */
export function lossReport(
	creations: readonly Creation[],
	outcomes: ReadonlyMap<number, Outcome>,
): LossReport | undefined {
	const lists: Lists = { created: [], refused: [], unknown: [], notSent: [] };
	const failures: Array<{ item: number; fate: string; problem: Problem }> = [];
	let skipped = 0;
	for (const { item, delivery } of creations) {
		const outcome = outcomes.get(item);
		const entry: Entry = { item, referenceId: delivery.referenceId };
		if (outcome?.kind === 'created') {
			lists.created.push({ ...entry, id: outcome.id });
		} else if (outcome?.kind === 'failed') {
			lists[outcome.fate].push(entry);
			failures.push({ item, ...outcome });
		} else if (outcome?.kind === 'skipped') {
			skipped++;
		}
	}
	// What was not sent was not sent for the sake of the others: they tell the cause.
	const first = failures.find(({ fate }) => fate !== 'notSent') ?? failures[0];
	if (!first) return undefined;
	const { message, description } = first.problem;
	const counts = [
		`${lists.created.length} of ${creations.length} deliveries created`,
		...(skipped > 0 ? [`${skipped} skipped`] : []),
		`${lists.notSent.length} not sent`,
	].join(', ');
	return {
		item: first.item,
		problem: {
			message: `${message} (${counts})`,
			description: [
				ended(description),
				sentence('Created', lists.created),
				sentence('Refused', lists.refused),
				sentence('Perhaps created', lists.unknown),
				sentence('Not sent', lists.notSent),
			]
				.filter(Boolean)
				.join(' '),
		},
		lists,
	};
}

function sentence(title: string, entries: readonly Entry[]): string {
	if (entries.length === 0) return '';
	const names = entries.slice(0, namedAtMost).map(({ item, referenceId, id }) => {
		const name = referenceId ?? `item ${item}`;
		return id === undefined ? name : `${name} (ID ${id})`;
	});
	const more = entries.length - names.length;
	const rest = more > 0 ? ` and ${more} more, listed in the error details` : '';
	return `${title} (${entries.length}): ${names.join(', ')}${rest}.`;
}
