import type { Creation, CreationResult, Failed } from './outcomes';

/**
 * Picks deliveries of a rejected batch to send individually: the first, the middle and the last, so
 * that a few invalid ones next to each other do not pass for all of them.
 */
export function takeSamples(batch: readonly Creation[]): {
	samples: Creation[];
	others: Creation[];
} {
	const positions = new Set([0, Math.floor(batch.length / 2), batch.length - 1]);
	return {
		samples: batch.filter((_, position) => positions.has(position)),
		others: batch.filter((_, position) => !positions.has(position)),
	};
}

const minSamples = 3;

/**
 * The outcome of the other deliveries of a rejected batch when all samples were rejected for the
 * same reason: none of them was created, and sending each individually would not help.
 *
 * @returns undefined when the samples were not all rejected for the same reason
 */
export function sameRejection(samples: readonly CreationResult[]): Failed | undefined {
	const [first] = samples;
	if (first?.outcome.kind !== 'rejected' || samples.length < minSamples) return undefined;
	const text = rejectionText(first);
	if (samples.some((sample) => rejectionText(sample) !== text)) return undefined;
	const { message, description = '' } = first.outcome.problem;
	return {
		kind: 'rejected',
		problem: {
			message,
			description: `Its batch was rejected, and so were three of its deliveries sent individually, all for the same reason. ${description}`,
		},
	};
}

/** The text of a rejection, without the reference ID that it may contain. */
function rejectionText({ creation, outcome }: CreationResult): string | undefined {
	if (outcome.kind !== 'rejected') return undefined;
	const { message, description = '' } = outcome.problem;
	const { referenceId } = creation.delivery;
	const text = `${message} ${description}`;
	return referenceId === undefined ? text : text.replaceAll(referenceId, '');
}
