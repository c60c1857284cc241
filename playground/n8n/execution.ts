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
		/** In milliseconds. */
		executionTime: z.number().optional(),
		error: errorSchema.optional(),
		hints: z.array(z.object({ message: z.string() }).passthrough()).optional(),
		data: z.record(z.array(z.array(itemSchema).nullable())).optional(),
	})
	.passthrough();

/** An execution without its data, as n8n's public API returns it. */
export const executionSummarySchema = z
	.object({ id: z.coerce.string(), status: z.string(), mode: z.string(), workflowId: z.string() })
	.passthrough();

export type ExecutionSummary = z.infer<typeof executionSummarySchema>;

/** A finished execution with its data. Checks only the fields that are used here. */
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

/** An output item of a node. */
export type Item = z.infer<typeof itemSchema>;

export type Execution = z.infer<typeof executionSchema>;

/**
 * Returns the JSON of a node's output items in an execution, from all of its runs; none if it did not
 * run. Outputs are counted from 0.
 */
export function outputOf(
	execution: Execution,
	nodeName: string,
	output = 0,
): Array<Record<string, unknown>> {
	return itemsOf(execution, nodeName, output).map(({ json }) => json);
}

/**
 * Returns a node's output items in an execution, with their paired items. Outputs are counted from 0.
 */
export function itemsOf(execution: Execution, nodeName: string, output = 0): Item[] {
	const runs = execution.data.resultData.runData[nodeName] ?? [];
	return runs.flatMap((run) => run.data?.main?.[output] ?? []);
}

/** Returns the hints of a node in an execution. */
export function hintsOf(execution: Execution, nodeName: string): string[] {
	const runs = execution.data.resultData.runData[nodeName] ?? [];
	return runs.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
}
