/** The result of a whole run, for its error, its hints and n8n's log. */
import type { Problem } from '../common/result';
import { endSentence, joinSentences, listUpTo, maxListedNames, pluralize } from '../common/text';
import { isFailed, type Job, type Outcome, type SettledJob } from '../sending/job';
import { shownText } from '../service/response';
import { listNames, quoted } from './lists';
import { itemName } from './names';
import { neededFor } from './needs';
import { wordingOf } from './outcomes';

/** The advice for running a workflow again that doesn't remember its created deliveries. */
export const excludeCreatedAdvice =
	'Exclude the created and possibly created deliveries before you run this again, or they may be created twice.';

/** Whether a delivery exists, or may exist. */
function mayExist({ outcome }: SettledJob): boolean {
	return outcome.kind === 'created' || outcome.kind === 'unknown';
}

/** Whether a delivery that exists, or may exist, is sent again if it comes in again. */
export function mayBeCreatedAgain(job: SettledJob): boolean {
	return mayExist(job) && !job.claim;
}

/** A delivery of the run, identified by its item and, where known, its reference ID and ID. */
interface NamedDelivery {
	item: number;
	referenceId?: string;
	id?: string;
	/** The ID of its Shopify order, with which a workflow can send it again. */
	orderId?: string;
	/** What a person must do about it, unless it is sent again. */
	actionNeeded?: string;
}

interface FailureSummary {
	/** The item of the first failed delivery; one that was sent comes before one that was not. */
	item: number;
	problem: Problem;
	/** Every delivery of the run, by outcome; skipped ones only if they need a person. */
	lists: Record<'created' | 'rejected' | 'unknown' | 'notSent' | 'skipped', NamedDelivery[]>;
}

/**
 * The error of a failed run: which deliveries were created, rejected, possibly created, or not sent.
 *
 * @returns undefined when every delivery was created or skipped
 */
export function failureSummary(jobs: readonly SettledJob[]): FailureSummary | undefined {
	const failed = jobs.filter(isFailed);
	const skipped = withKind(jobs, 'skipped').filter(({ delivery }) => delivery);
	// An unsent delivery usually waited for a failed one, whose problem is the cause.
	const first = failed.find(({ outcome }) => outcome.kind !== 'notSent') ?? failed[0];
	if (!first) return undefined;
	const { message, description } = wordingOf(first).problem;
	const lists = groupByOutcome(jobs);
	const { created, rejected, unknown, notSent } = lists;
	const exists = created.length + unknown.length > 0;
	const count = created.length + failed.length + skipped.length;
	const counts = [
		`${created.length} of ${count} deliveries created`,
		...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
		...(notSent.length > 0 ? [`${notSent.length} not sent`] : []),
	].join(', ');
	return {
		item: first.item,
		problem: {
			message: count > 1 && exists ? `${message} (${counts})` : message,
			description: joinSentences([
				endSentence(description),
				!exists && 'No delivery was created.',
				listDeliveries('Created', created),
				listDeliveries('Rejected', rejected),
				listDeliveries('Possibly created', unknown),
				count > 1 && listDeliveries('Not sent', notSent),
				listNeeded(Object.values(lists).flat()),
				jobs.some(mayBeCreatedAgain) && excludeCreatedAdvice,
			]),
		},
		lists,
	};
}

function withKind(jobs: readonly SettledJob[], ...kinds: Array<Outcome['kind']>): SettledJob[] {
	return jobs.filter(({ outcome }) => kinds.includes(outcome.kind));
}

/** The deliveries of a run by outcome. */
function groupByOutcome(jobs: readonly SettledJob[]): FailureSummary['lists'] {
	const lists: FailureSummary['lists'] = {
		created: [],
		rejected: [],
		unknown: [],
		notSent: [],
		skipped: [],
	};
	for (const job of jobs) {
		const { item, referenceId, outcome, order } = job;
		const id = outcome.kind === 'created' ? outcome.id : undefined;
		const orderId = order?.shopifyOrder?.id;
		const list = listOf(outcome);
		const needed = mayExist(job) || list === 'skipped' ? neededFor(job) : '';
		if (list === 'skipped' && needed === '') continue;
		const actionNeeded = needed || undefined;
		lists[list].push({ item, referenceId, id, orderId, actionNeeded });
	}
	return lists;
}

function listOf({ kind }: Outcome): keyof FailureSummary['lists'] {
	if (kind === 'invalid') return 'notSent';
	return kind === 'updated' ? 'skipped' : kind;
}

/** What deliveries need of a person: no later run says it again. */
function listNeeded(deliveries: readonly NamedDelivery[]): string {
	const needed = deliveries.flatMap(({ actionNeeded }) => actionNeeded ?? []);
	const more = needed.splice(maxListedNames).length;
	return joinSentences([...needed, more > 0 && `${more} more need it: see the error details.`]);
}

/** All created and possibly created deliveries by name, for n8n's log; empty when there are none. */
export function listOutcomes(jobs: readonly SettledJob[]): string {
	const { created, unknown } = groupByOutcome(jobs);
	return joinSentences([
		listDeliveries('Created', created, Infinity),
		listDeliveries('Possibly created', unknown, Infinity),
	]);
}

function listDeliveries(title: string, deliveries: readonly NamedDelivery[], max?: number): string {
	const names = deliveries.map((delivery) => {
		const name = itemName(delivery);
		return delivery.id === undefined ? name : `${name} (ID ${shownText(delivery.id, 60)})`;
	});
	return listNames(title, names, max);
}

/** The hints after a run: its numbers, then a warning for each kind of problem. */
export function runHints(
	jobs: readonly SettledJob[],
	{ isRecorded }: { isRecorded: boolean },
): { info: string; warnings: string[] } {
	const created = withKind(jobs, 'created').length;
	const updated = withKind(jobs, 'updated').length;
	const skipped = withKind(jobs, 'skipped');
	const wasSent = withKind(jobs, 'created', 'rejected', 'unknown').length > 0;
	const info = [
		wasSent ? `Created ${pluralize(created, 'delivery', 'deliveries')}.` : 'Nothing was sent.',
		updated > 0 && `Updated ${pluralize(updated, 'delivery', 'deliveries')}.`,
		problemHint(skipped, ({ length }) => `Skipped ${length} items`),
	];
	const ofAll = (some: readonly Job[]) => `${some.length} of ${jobs.length}`;
	const warnings = [
		problemHint(
			withKind(jobs, 'invalid', 'rejected', 'notSent'),
			(failed) => `${ofAll(failed)} were not created`,
		),
		problemHint(
			withKind(jobs, 'unknown'),
			(unknown) =>
				`It is unknown whether ${ofAll(unknown)} were created. Look for them in the Delivery Service before you send them again`,
		),
		attentionHint(jobs),
		absentMethodsHint(jobs),
		!isRecorded &&
			"n8n's database could not record all deliveries. Later runs report the others as unknown instead of sending them again.",
	];
	return {
		info: joinSentences(info),
		warnings: warnings.filter((message) => typeof message === 'string'),
	};
}

/** One affected job's own message, which says why; the names of several. */
function problemHint(
	some: readonly SettledJob[],
	sentence: (some: readonly SettledJob[]) => string,
): string | undefined {
	const [first, ...others] = some;
	if (!first) return undefined;
	if (others.length > 0)
		return `${sentence(some)}: ${listUpTo(maxNamesInHint, some.map(itemName))}.`;
	const { message } = wordingOf(first).problem;
	return endSentence(first.referenceId === undefined ? `${itemName(first)}: ${message}` : message);
}

/**
 * Names that the filters list, and none of several orders has, if some are skipped because of the list. Of one
 * order, its own message names the method.
 */
export function absentMethodsHint(jobs: readonly Job[]): string | undefined {
	const isLeftOut = jobs.some(
		({ outcome }) =>
			outcome?.kind === 'skipped' &&
			outcome.why.code === 'order' &&
			outcome.why.skip.code === 'shippingMethod',
	);
	const [first = [], ...others] = jobs.flatMap(({ order }) =>
		order?.absentMethods ? [order.absentMethods] : [],
	);
	const absent = first.filter((name) => others.every((names) => names.includes(name)));
	if (!isLeftOut || others.length === 0 || absent.length === 0) return undefined;
	return `Shipping Methods lists names that no order of this run has: ${quoted(absent)}. Compare the spelling with Shopify.`;
}

/** What an item needs of a person, or the names of several. */
export function attentionHint(jobs: readonly Job[]): string | undefined {
	const some = jobs
		.map((job) => ({ name: itemName(job), needed: neededFor(job) }))
		.filter(({ needed }) => needed !== '');
	const [first, ...others] = some;
	if (first === undefined || others.length === 0) return first?.needed;
	const names = listUpTo(
		maxNamesInHint,
		some.map(({ name }) => name),
	);
	return `${some.length} of ${jobs.length} need your attention: ${names}.`;
}

/** How many names a hint lists. */
export const maxNamesInHint = 3;
