import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorItem, problemFromError } from './items';

/**
 * The output of an operation, or an error item for each input item when it failed before anything
 * was sent and the node goes on after errors: n8n itself would then pass the input items on as if
 * they had gone well.
 *
 * @throws what the operation throws, when the node does not go on after errors
 */
export async function withErrorItems(
	context: IExecuteFunctions,
	operation: () => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	if (!context.continueOnFail()) return await operation();
	try {
		return await operation();
	} catch (error) {
		const problem = problemFromError(error);
		return context
			.getInputData()
			.map((_, item) => errorItem(problem, item, { outcome: 'notSent' }));
	}
}
