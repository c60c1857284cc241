/** Parses the output and the messages of a run. */
import { z } from 'zod';

import type { NodeRun } from '../engine/engine';

export const errorSchema = z.object({
	message: z.string(),
	description: z.string().nullish(),
	outcome: z.string().optional(),
});

/** The outcomes of a delivery that was not created or not updated. */
export const failureSchema = z.enum(['rejected', 'unknown', 'notSent']);

/** The fields of an output item that the cases use. The webhook operations have no outcome. */
export const itemSchema = z
	.object({
		id: z.union([z.string(), z.number().transform(String)]).nullish(),
		outcome: z.string().optional(),
		reason: z.enum(['alreadyCreated']).nullish(),
		message: z.string().nullish(),
		error: errorSchema.optional(),
	})
	.passthrough();

/** The message of an output item that reports a failure. */
function failureOf(json: unknown): string | undefined {
	const { outcome, message, error } = itemSchema.parse(json);
	if (error) return errorText(error);
	return failureSchema.safeParse(outcome).success ? (message ?? '') : undefined;
}

/** Whether a run failed for at least one item. */
export function hasFailedItem({ items }: NodeRun): boolean {
	return items.some(({ json }) => failureOf(json) !== undefined);
}

/** An error as the user sees it: its message, then its description on a separate line. */
export function errorText({ message, description }: z.infer<typeof errorSchema>): string {
	return [message, description].filter(Boolean).join('\n');
}

/** All messages of a run: its error, the errors of its items, and its hints. */
export function messagesOf({ error, items, hints }: NodeRun): string[] {
	const itemErrors = items.flatMap(({ json }) => failureOf(json) ?? []);
	return [
		...(error === undefined ? [] : [errorText(error)]),
		...itemErrors,
		...hints.map(({ message }) => message),
	];
}
