/** What an operation did under an API variant, and what the user saw of it. */
export interface Observation {
	readonly outcome: Outcome;
	/** What was reported, and what the service has afterwards. */
	readonly summary: string;
	/** The errors, hints and log lines that the user sees. */
	readonly messages: readonly string[];
}

/** The possible outcomes, from best to worst, each with its meaning. */
export const outcomes = {
	ok: 'Done, and reported as done.',
	'not sent':
		'At least one delivery was not sent. The user sees why and can run the workflow again.',
	rejected: 'At least one request failed without effect. The user sees the reason.',
	'runs twice': 'One event starts the workflow twice.',
	'false error': 'Done, but reported as failed.',
	'half done':
		'The blacklisted webhook is deleted, but its replacement is rejected. The error says so.',
	'webhooks remain':
		'The service keeps the webhooks of an unpublished trigger. A log line says so.',
	'events rejected': 'The trigger rejects every event. A log line says why.',
	'some unknown': 'At least one delivery has an unknown outcome. The user sees which.',
	unknown: 'Every delivery has an unknown outcome. The user sees why.',
	undetected: 'Not done or not found, although the user sees no error.',
} as const;

export type Outcome = keyof typeof outcomes;

/** The outcomes from best to worst. */
export const outcomeNames = Object.keys(outcomes).filter(
	(name): name is Outcome => name in outcomes,
);

/** The worst of some outcomes. */
export function worstOf(some: readonly Outcome[]): Outcome {
	return some.reduce(
		(worst, outcome) =>
			outcomeNames.indexOf(outcome) > outcomeNames.indexOf(worst) ? outcome : worst,
		'ok',
	);
}

/** How the node reports a delivery: in its item, its error item, or the error of the run. */
export type Reported =
	'created' | 'alreadyCreated' | 'updated' | 'notSent' | 'rejected' | 'unknown';

const outcomeOfReported = {
	created: 'ok',
	alreadyCreated: 'ok',
	updated: 'ok',
	notSent: 'not sent',
	rejected: 'rejected',
	unknown: 'some unknown',
} as const satisfies Record<Reported, Outcome>;

/** The outcome of a run, from what the node reports of its deliveries. */
export function outcomeOfRun(reported: readonly Reported[]): Outcome {
	if (reported.every((one) => one === 'unknown')) return 'unknown';
	return worstOf(reported.map((one) => outcomeOfReported[one]));
}
