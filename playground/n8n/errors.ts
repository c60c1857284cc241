/** A reason to stop that the user can act on: its message says all, so it is shown without a stack. */
export class SetupError extends Error {
	override readonly name: string = 'SetupError';
}

/** Gives the message of anything that was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
