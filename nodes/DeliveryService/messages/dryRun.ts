/** The sentences about a dry run. */
import { problemText } from '../common/result';
import { joinSentences, listUpTo, pluralize } from '../common/text';
import { isSettled, type Job } from '../sending/job';
import { itemName, placeText } from './names';
import { neededFor } from './needs';
import { reasonWords, skipReason, wordingOf } from './outcomes';
import { skippedFor } from './skips';
import { absentMethodsHint, maxNamesInHint } from './summary';

/** The jobs that need a correction, then all others in their order. */
export function errorsFirst(jobs: readonly Job[]): Job[] {
	const isError = (job: Job) => dryRunResult(job) === 'error';
	return [...jobs.filter(isError), ...jobs.filter((job) => !isError(job))];
}

/** Whether an item would be sent, in a word or two. */
export function dryRunResult(job: Job): string {
	const { outcome } = job;
	if (outcome === undefined) return 'send';
	return outcome.kind === 'skipped' ? `skip: ${reasonWords(dryRunReason(job))}` : 'error';
}

/** Why an item would not be sent, as a keyword. */
export function dryRunReason({ outcome }: Job): string {
	if (outcome === undefined) return '';
	if (outcome.kind === 'skipped') return skipReason(outcome);
	if (outcome.kind !== 'notSent') return outcome.kind;
	const { code } = outcome.why;
	if (code === 'inParts') return 'sentInParts';
	// Whether it was sent before is not known either.
	return code === 'store' ? 'unknown' : code;
}

/**
 * Where an item would go and what the driver collects, or why it would not be sent; and what a person must
 * do, which the message contains.
 */
export function dryRunWording(job: Job): { message: string; needed: string } {
	if (!isSettled(job)) {
		const needed = neededFor(job);
		return { message: joinSentences([destination(job), needed]), needed };
	}
	const { problem, needed } = wordingOf(job);
	// What a person must do about a skipped order also says why it is skipped.
	const isSaid = job.outcome.kind === 'skipped' && needed !== '';
	return { message: isSaid ? needed : problemText(problem), needed };
}

/** The cash comes first: it would be overlooked after an address. */
function destination({ delivery }: Job): string {
	if (!delivery) return '';
	const { dropoff, cod = 0, packages } = delivery;
	const verb = cod > 0 ? `Collect ${cod.toFixed(2)} from` : 'To';
	const count = packages.length > 1 ? `; ${packages.length} packages` : '';
	return `${verb} ${dropoff.contact.name}, ${placeText(dropoff.location)}${count}.`;
}

/** The hint after a dry run: how many deliveries a run would create, and what it would not send. */
export function dryRunHint(jobs: readonly Job[]): string {
	const notSent = errorsFirst(jobs).flatMap((job) => {
		const reason = dryRunReason(job);
		return reason === '' ? [] : [`${itemName(job)} ${reasonWords(reason)}`];
	});
	const count = jobs.length - notSent.length;
	const noun = jobs.some(({ order }) => order?.shopifyOrder) ? 'order' : 'item';
	const created = count === 0 ? 'no delivery' : pluralize(count, 'delivery', 'deliveries');
	const others =
		notSent.length > 0 &&
		`${pluralize(notSent.length, noun, `${noun}s`)} would not be sent (${listUpTo(maxNamesInHint, notSent)})`;
	const sentence = [`Dry Run: ${created} would be created`, others].filter(Boolean).join(', ');
	const advice = count > 0 && 'Turn off Dry Run to create deliveries.';
	return joinSentences([
		`${sentence}.`,
		advice,
		counted('Not paid yet', jobs.flatMap(unpaidMethods)),
		counted(
			'Shipping methods',
			jobs.flatMap(({ order }) => [...new Set(order?.shippingMethods)]),
		),
		absentMethodsHint(jobs),
	]);
}

/** The payment methods of an order that waits for its payment, as one name. */
function unpaidMethods({ outcome }: Job): string[] {
	if (outcome?.kind !== 'skipped' || outcome.why.code !== 'order') return [];
	const { skip } = outcome.why;
	return skip.code === 'notPaid' ? [skippedFor(skip)] : [];
}

/** How many orders have each method, the most frequent first, so that a wrong filter stands out. */
function counted(title: string, methods: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const name of methods) counts.set(name, (counts.get(name) ?? 0) + 1);
	const sorted = [...counts].sort(([, one], [, other]) => other - one);
	if (sorted.length === 0) return '';
	const names = sorted.map(([name, count]) => `${count} × ${name}`);
	return `${title}: ${listUpTo(maxMethodsInHint, names)}.`;
}

const maxMethodsInHint = 10;
