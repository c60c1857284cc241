/**
 * A problem, worded for the person who can fix it: `message` says what happened, `description` what to
 * do.
 */
export interface Problem {
	message: string;
	description?: string;
}

/**
 * A problem as one text, for places where n8n shows only the message or only the description: when a
 * workflow is published, 2.x shows the one and 1.x the other.
 */
export function problemText({ message, description }: Problem): string {
	return [message, description].filter(Boolean).join('. ');
}

/** A value, or the problem that prevented it. */
export type Result<Value> = { ok: true; value: Value } | { ok: false; problem: Problem };

/** The result for an input item: a delivery, a skipped item or a problem. */
export type ItemResult<Delivery> =
	| { kind: 'delivery'; delivery: Delivery }
	| { kind: 'skipped'; reason: string; message: string }
	| { kind: 'invalid'; problem: Problem };
