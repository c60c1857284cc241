/**
 * Something that went wrong, in the words of the person who can mend it. `message` tells what
 * happened, `description` what to do.
 */
export interface Problem {
	message: string;
	description?: string;
}

/**
 * A problem as one text, for where n8n shows a message or a description, but not both: when a
 * workflow is published, 2.x passes on the one and 1.x the other.
 */
export function problemText({ message, description }: Problem): string {
	return [message, description].filter(Boolean).join('. ');
}

/** A value, or why there is none. */
export type Result<Value> = { ok: true; value: Value } | { ok: false; problem: Problem };

/** What an input item becomes: a delivery, nothing for a good reason, or a problem. */
export type ItemResult<Delivery> =
	| { kind: 'delivery'; delivery: Delivery }
	| { kind: 'skipped'; reason: string; message: string }
	| { kind: 'invalid'; problem: Problem };
