import type { Creation, CreationResult, Failed } from './outcomes';

/**
 * Some deliveries of a refused request, to be sent alone: its first, middle and last. A few bad ones
 * beside each other must not pass for all of them.
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
 * What became of the other deliveries of a refused request, when the samples were all refused in the
 * same words: none of them was created, and it would be no use to send each alone.
 *
 * @returns undefined when the samples did not all meet the same
 */
export function sameRejection(samples: readonly CreationResult[]): Failed | undefined {
	const [first] = samples;
	if (first?.outcome.kind !== 'rejected' || samples.length < minSamples) return undefined;
	const words = rejectionText(first);
	if (samples.some((sample) => rejectionText(sample) !== words)) return undefined;
	const { message, description = '' } = first.outcome.problem;
	return {
		kind: 'rejected',
		problem: {
			message,
			description: `Its request was refused, and so were three deliveries of it that were sent alone, all in the same words. ${description}`,
		},
	};
}

/** The words of a refusal, without the reference ID that they may name. */
function rejectionText({ creation, outcome }: CreationResult): string | undefined {
	if (outcome.kind !== 'rejected') return undefined;
	const { message, description = '' } = outcome.problem;
	const { referenceId } = creation.delivery;
	const words = `${message} ${description}`;
	return referenceId === undefined ? words : words.replaceAll(referenceId, '');
}
