/// <reference types="jest" />

/** Jest types its matchers as any; as unknown they cannot slip into a value unchecked. */
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
