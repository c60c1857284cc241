import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { errorItem, itemError, problemFromError } from './items';

/**
 * Runs an operation for each input item in turn. An item that fails ends the run, or becomes an
 * error item when the node goes on after errors.
 */
export async function runPerItem(
	context: IExecuteFunctions,
	run: (item: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const item of context.getInputData().keys()) {
		try {
			output.push(...(await run(item)));
		} catch (error) {
			const problem = problemFromError(error);
			if (!context.continueOnFail()) {
				const own = itemError(context.getNode(), problem, item);
				if (!(error instanceof NodeApiError)) throw own;
				const { message, description } = own;
				const httpCode = error.httpCode ?? undefined;
				const details = { message, description: description ?? undefined, httpCode };
				const ofService = new NodeApiError(context.getNode(), {}, { ...details, itemIndex: item });
				// n8n may have put words of its own in its place.
				ofService.message = message;
				throw ofService;
			}
			output.push(errorItem(problem, item));
		}
	}
	return output;
}
