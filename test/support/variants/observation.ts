/** The outcome of an operation under an API variant, and what the user sees of it. */
export interface Observation {
	readonly outcome: Outcome;
	/** What the node reported, and what exists at the service afterwards. */
	readonly summary: string;
	/** The errors, hints and log lines that the user sees. */
	readonly messages: readonly string[];
}

/** The possible outcomes, from best to worst, each with its meaning. */
export const outcomes = {
	ok: 'The operation succeeds and is reported as successful.',
	'not sent':
		'At least one delivery was not sent. The user sees why and can run the workflow again.',
	rejected: 'At least one request failed without effect. The user sees the reason.',
	'runs twice': 'One event starts the workflow twice.',
	'false error': 'The operation succeeds but is reported as failed.',
	'half done':
		'The blacklisted webhook is deleted, but the service rejects its replacement. The error says so.',
	'webhooks remain': 'The service keeps webhooks of an unpublished trigger. A log line says so.',
	'events rejected': 'The trigger rejects every event. A log line says why.',
	'some unknown': 'At least one delivery has an unknown outcome. The user sees which.',
	unknown: 'Every delivery has an unknown outcome. The user sees why.',
	undetected: 'The operation fails or finds nothing, but the user sees no error.',
} as const;

export type Outcome = keyof typeof outcomes;

/** The outcomes from best to worst. */
export const outcomeNames = Object.keys(outcomes).filter(
	(name): name is Outcome => name in outcomes,
);

/** The worst of several outcomes. */
export function worstOf(several: readonly Outcome[]): Outcome {
	return several.reduce(
		(worst, outcome) =>
			outcomeNames.indexOf(outcome) > outcomeNames.indexOf(worst) ? outcome : worst,
		'ok',
	);
}

/** The reported outcome of a delivery, from its item, its error item or the error of the run. */
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

/** The outcome of a run, from the reported outcomes of its deliveries. */
export function outcomeOfRun(reported: readonly Reported[]): Outcome {
	if (reported.every((outcome) => outcome === 'unknown')) return 'unknown';
	return worstOf(reported.map((outcome) => outcomeOfReported[outcome]));
}
