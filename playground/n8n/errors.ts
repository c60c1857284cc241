/** An error that the user can fix. Only its message is shown, without a stack trace. */
export class SetupError extends Error {
	override readonly name: string = 'SetupError';
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
