import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { realClock } from '../shared/clock';
import type { Result } from '../service/result';
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

/** How long items are read before n8n's other work gets its turn. */
const longestTurnMs = 50;

/**
 * Reads every input item. n8n takes up to a millisecond for each expression: without pauses its
 * editor, webhooks and queue would stand still while thousands of items are read.
 */
export async function readEach<Value>(
	context: Pick<IExecuteFunctions, 'getInputData'>,
	read: (item: number) => Value,
): Promise<Value[]> {
	const values: Value[] = [];
	let since = realClock.now();
	for (const item of context.getInputData().keys()) {
		values.push(read(item));
		if (realClock.now() - since < longestTurnMs) continue;
		await realClock.wait(1);
		since = realClock.now();
	}
	return values;
}

/**
 * The output of an operation, or an error item for each input item when it failed before anything
 * was sent and the node goes on after errors: n8n itself would then pass the input items on as if
 * they had gone well.
 *
 * @throws what the operation throws, when the node does not go on after errors
 */
export async function orItsFailure(
	context: IExecuteFunctions,
	operation: () => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	if (!context.continueOnFail()) return await operation();
	try {
		return await operation();
	} catch (error) {
		const problem = problemOf(error);
		return context
			.getInputData()
			.map((_, item) => errorItem(problem, item, { outcome: 'notSent' }));
	}
}

/**
 * The value that was checked.
 *
 * @throws NodeOperationError when it broke a rule
 */
export function valid<Value>(context: IExecuteFunctions, checked: Result<Value>): Value {
	if (checked.ok) return checked.value;
	const { message, description } = checked.problem;
	throw new NodeOperationError(context.getNode(), message, { description });
}
