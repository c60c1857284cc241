import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { errorItem, itemError, problemOf } from './items';

/**
 * Runs an operation for each input item in turn. An item that fails ends the run, or becomes an
 * error item when the node goes on after errors.
 */
export async function eachItem(
	context: IExecuteFunctions,
	run: (item: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const item of context.getInputData().keys()) {
		try {
			output.push(...(await run(item)));
		} catch (error) {
			const problem = problemOf(error);
			if (!context.continueOnFail()) {
				if (error instanceof NodeApiError)
					throw new NodeApiError(
						context.getNode(),
						{},
						{
							...problem,
							message: `${problem.message} [item ${item}]`,
							httpCode: error.httpCode ?? undefined,
							itemIndex: item,
						},
					);
				throw itemError(context.getNode(), problem, item);
			}
			output.push(errorItem(problem, item));
		}
	}
	return output;
}
