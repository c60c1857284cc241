/** Parses the output and the messages of a run. */
import { z } from 'zod';

import type { NodeRun } from '../engine/engine';

export const errorSchema = z.object({
	message: z.string(),
	description: z.string().nullish(),
	outcome: z.string().optional(),
});

/** `error.outcome` of Delivery: Create and Delivery: Update. */
export const failureSchema = z.enum(['rejected', 'unknown', 'notSent']);

/** The fields of an output item that the cases use. */
export const itemSchema = z
	.object({
		id: z.union([z.string(), z.number().transform(String)]).optional(),
		reason: z.enum(['alreadyCreated']).optional(),
		message: z.string().nullish(),
		error: errorSchema.optional(),
	})
	.passthrough();

/** An error as the user sees it: its message, then its description on a separate line. */
export function errorText({ message, description }: z.infer<typeof errorSchema>): string {
	return [message, description].filter(Boolean).join('\n');
}

/** All messages of a run: its error, the errors of its items, and its hints. */
export function messagesOf({ error, items, hints }: NodeRun): string[] {
	const itemErrors = items.flatMap(({ json }) => itemSchema.parse(json).error ?? []);
	return [
		...(error === undefined ? [] : [errorText(error)]),
		...itemErrors.map(errorText),
		...hints.map(({ message }) => message),
	];
}
