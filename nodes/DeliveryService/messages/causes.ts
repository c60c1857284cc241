/** Causes of failures, for the end of a sentence. */
import { StoreError } from '../ledger/lock';

/** A user or a timeout stopped the execution. */
export const executionStopped = 'the execution was stopped';

/** An unexpected error, with its message. */
export function unexpectedError(error: unknown): string {
	return `an unexpected error occurred${causeOf(error)}`;
}

/** The message of an unexpected error after a colon; empty if it has none. */
export function causeOf(error: unknown): string {
	if (error instanceof StoreError) return `: ${storeCauses[error.code]}`;
	return error instanceof Error ? `: ${error.message}` : '';
}

const storeCauses: Readonly<Record<StoreError['code'], string>> = {
	tooSlow: "n8n's database was too slow",
	stopped: executionStopped,
};
