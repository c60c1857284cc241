/// <reference types="jest" />

/** Jest leaves its matchers unchecked; as unknown they cannot slip into a value. */
declare namespace jest {
	interface Expect {
		any(type: unknown): unknown;
		anything(): unknown;
		arrayContaining<Entry>(entries: readonly Entry[]): unknown;
		objectContaining<Members>(members: Members): unknown;
		stringContaining(part: string): unknown;
		stringMatching(pattern: string | RegExp): unknown;
	}
}
