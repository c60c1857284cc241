import { endSentence } from './text';

/**
 * A problem, worded for the person who can fix it: `message` says what happened, `description` what to
 * do.
 */
export interface Problem {
	message: string;
	description?: string;
}

/** What happened and what to do, as one text. */
export function problemText({ message, description }: Problem): string {
	return description ? `${endSentence(message)} ${description}` : message;
}

/** A value, or the problem that prevented it. */
export type Result<Value> = { ok: true; value: Value } | { ok: false; problem: Problem };

/** The result for an input item: a delivery, a skipped item or a problem. */
export type ItemResult<Delivery> =
	| { kind: 'delivery'; delivery: Delivery }
	| { kind: 'skipped'; reason: string; message: string }
	| { kind: 'invalid'; problem: Problem };
