import { z } from 'zod';

const itemSchema = z
	.object({ json: z.record(z.unknown()), pairedItem: z.unknown().optional() })
	.passthrough();

const errorSchema = z
	.object({ message: z.string(), description: z.string().nullish() })
	.passthrough();

const taskSchema = z
	.object({
		executionStatus: z.string().optional(),
		error: errorSchema.optional(),
		hints: z.array(z.object({ message: z.string() }).passthrough()).optional(),
		data: z.record(z.array(z.array(itemSchema).nullable())).optional(),
	})
	.passthrough();

/** An execution without its data, as n8n's public API gives it. */
export const executionSummarySchema = z
	.object({
		id: z.coerce.string(),
		status: z.string(),
		mode: z.string(),
		workflowId: z.string(),
	})
	.passthrough();

export type ExecutionSummary = z.infer<typeof executionSummarySchema>;

/** An execution that has ended, with its data as far as it is looked at here. */
export const executionSchema = executionSummarySchema
	.extend({
		data: z
			.object({
				resultData: z
					.object({
						runData: z.record(z.array(taskSchema)).default({}),
						error: errorSchema.optional(),
						lastNodeExecuted: z.string().optional(),
					})
					.passthrough(),
			})
			.passthrough(),
	})
	.passthrough();

/** An item as a node put it out. */
export type Item = z.infer<typeof itemSchema>;

export type Execution = z.infer<typeof executionSchema>;

/**
 * Gives the JSON of the items that a node put out in an execution, of all its runs; none when it
 * did not run. Outputs are counted from 0.
 */
export function outputOf(
	execution: Execution,
	nodeName: string,
	output = 0,
): Array<Record<string, unknown>> {
	return itemsOf(execution, nodeName, output).map(({ json }) => json);
}

/**
 * Gives the items that a node put out in an execution, with what they are paired with. Outputs are
 * counted from 0.
 */
export function itemsOf(execution: Execution, nodeName: string, output = 0): Item[] {
	const runs = execution.data.resultData.runData[nodeName] ?? [];
	return runs.flatMap((run) => run.data?.main?.[output] ?? []);
}

/** Gives the hints that a node showed after an execution. */
export function hintsOf(execution: Execution, nodeName: string): string[] {
	const runs = execution.data.resultData.runData[nodeName] ?? [];
	return runs.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
}
