import {
	type INode,
	type INodeExecutionData,
	type NodeOperationError,
	type IExecuteFunctions,
	NodeApiError,
} from 'n8n-workflow';

import { operationError } from '../service/nodeErrors';
import type { Problem } from '../common/result';
import { realClock } from '../common/clock';

/** An output item that belongs to an input item. */
export function outputItem(json: object, item: number): INodeExecutionData {
	return { json: { ...json }, pairedItem: { item } };
}

/**
 * The error of an input item: what happened with the item's number, and what to do.
 *
 * @param item the item's number, counted from 0 as n8n does
 */
export function itemError(node: INode, problem: Problem, item: number): NodeOperationError {
	return operationError(node, { ...problem, message: withItemNumber(problem, item) }, item);
}

/**
 * The output item that stands for an input item that failed, when the node goes on after errors.
 *
 * The error is an object under the one member `error`: n8n's versions agree only on that form as
 * one that goes to the error output with its details, where n8n adds the input item's data.
 *
 * @param details what a later node may want to know, such as the reference ID
 */
export function errorItem(
	problem: Problem,
	item: number,
	details: object = {},
): INodeExecutionData {
	const { description } = problem;
	return outputItem(
		{
			error: {
				message: withItemNumber(problem, item),
				...(description && { description }),
				...details,
			},
		},
		item,
	);
}

function withItemNumber({ message }: Problem, item: number): string {
	return `${message} [item ${item}]`;
}

/** Text that another sentence can follow: the service's own words may lack a full stop. */
export function endSentence(text = ''): string {
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** How many names of a list a text has; the lists in an error's details are complete. */
const maxListedNames = 20;

/** A sentence with the number and the names of what has come to the same end; empty without any. */
export function listNames(title: string, names: readonly string[], max = maxListedNames): string {
	if (names.length === 0) return '';
	const more = names.length - max;
	const rest = more > 0 ? ` and ${more} more, listed in the error details` : '';
	return `${title} (${names.length}): ${names.slice(0, max).join(', ')}${rest}.`;
}

/** What an error that n8n threw, such as one of an expression, tells the user. */
export function toProblem(error: unknown): Problem {
	if (!(error instanceof Error)) return { message: 'The item could not be read' };
	const description = 'description' in error ? error.description : undefined;
	return {
		message: error.message,
		...(typeof description === 'string' && { description }),
	};
}

/** How long items are read before n8n's other work gets its turn. */
const maxTurnMs = 20;

/**
 * Reads every input item. n8n takes up to a millisecond for each expression: without pauses its
 * editor, webhooks and queue would stand still while thousands of items are read.
 */
export async function mapItems<Value>(
	context: Pick<IExecuteFunctions, 'getInputData'>,
	read: (item: number) => Value,
): Promise<Value[]> {
	const values: Value[] = [];
	let since = realClock.now();
	for (const item of context.getInputData().keys()) {
		values.push(read(item));
		if (realClock.now() - since < maxTurnMs) continue;
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
export async function withErrorItems(
	context: IExecuteFunctions,
	operation: () => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	if (!context.continueOnFail()) return await operation();
	try {
		return await operation();
	} catch (error) {
		const problem = toProblem(error);
		return context
			.getInputData()
			.map((_, item) => errorItem(problem, item, { outcome: 'notSent' }));
	}
}

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
			const problem = toProblem(error);
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
