/**
 * Something that went wrong, in the words of the person who can mend it. `message` tells what
 * happened, `description` what to do.
 */
export interface Problem {
	message: string;
	description?: string;
}

/** A value, or why there is none. */
export type Result<Value> = { ok: true; value: Value } | { ok: false; problem: Problem };
