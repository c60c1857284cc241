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

export type Execution = z.infer<typeof executionSchema>;

/**
 * Gives what a node put out in an execution.
 *
 * @param execution the execution
 * @param nodeName the node's name in the workflow
 * @returns the JSON of the items at its first output, of all its runs; none when it did not run
 */
export function outputOf(execution: Execution, nodeName: string): Array<Record<string, unknown>> {
	const runs = execution.data.resultData.runData[nodeName] ?? [];
	return runs.flatMap((run) => (run.data?.main?.[0] ?? []).map((item) => item.json));
}
