/**
 * The items of all operations: reads them without blocking n8n, pairs output with input, and obeys On
 * Error.
 */
import {
	type INode,
	type INodeExecutionData,
	type NodeOperationError,
	type IExecuteFunctions,
	NodeApiError,
} from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../common/clock';
import {
	apiError,
	operationError,
	problemText,
	withFullMessage,
	type Problem,
} from '../common/result';
import { endSentence, joinSentences } from '../common/text';
import { settingsProblems } from '../messages/settings';
import { openClient } from '../service/client';

/** An output item paired with an input item. */
export function outputItem(json: object, item: number): INodeExecutionData {
	return { json: { ...json }, pairedItem: { item } };
}

/**
 * The error for an input item. The item's number is added to the message.
 *
 * @param item the item's number, starting at 0 as in n8n
 */
export function itemError(node: INode, problem: Problem, item: number): NodeOperationError {
	return operationError(node, { ...problem, message: withItemNumber(problem, item) }, item);
}

/**
 * The output item for a failed input item with On Error: Continue.
 *
 * The item has no other properties than `error` and `message`: only this form reaches the error output
 * with its details in all versions of n8n, which then adds the data of the input item.
 *
 * @param details more properties of the error for later nodes, e.g. the reference ID
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
			message: problemText(problem),
		},
		item,
	);
}

/** Whether failed items go to a separate output, which accepts no other form than {@link errorItem}. */
export function hasErrorOutput(context: Pick<IExecuteFunctions, 'getNode'>): boolean {
	return context.getNode().onError === 'continueErrorOutput';
}

/** Whether an AI agent runs the node. */
export function isTool(context: Pick<IExecuteFunctions, 'getNode'>): boolean {
	return context.getNode().type.endsWith('Tool');
}

function withItemNumber({ message }: Problem, item: number): string {
	return `${message} [item ${item}]`;
}

/** The message and description of an error thrown by n8n. That of an expression gets the field that has it. */
export function toProblem(error: unknown): Problem {
	if (!(error instanceof Error)) return settingsProblems.unreadableItem;
	const { description, context } = errorDetails.parse(error);
	const parameter = context?.parameter;
	const ofField = parameter === undefined ? '' : `Correct the expression in "${parameter}".`;
	const all = joinSentences([endSentence(description), ofField]);
	return { message: error.message, ...(all !== '' && { description: all }) };
}

/** What an error of n8n says besides its message. */
const errorDetails = z.object({
	description: z.string().optional().catch(undefined),
	context: z
		.object({ parameter: z.string().optional().catch(undefined) })
		.optional()
		.catch(undefined),
});

/**
 * n8n's "Retry On Fail" runs the whole node again, including what it has already sent, while the node
 * retries what may be retried.
 *
 * @throws NodeOperationError when the setting is on
 */
export function assertNoRetryOnFail(context: Pick<IExecuteFunctions, 'getNode'>): void {
	const node = context.getNode();
	if (node.retryOnFail) throw operationError(node, settingsProblems.retryOnFail);
}

/** How long items are read before control returns to n8n's event loop. */
const maxTurnMs = 20;

/**
 * Reads every input item. Each expression takes n8n up to a millisecond: without pauses, reading
 * thousands of items would block its editor, webhooks and queue.
 *
 * @returns the values in the order of the items
 */
export async function mapItems<Value>(
	context: Pick<IExecuteFunctions, 'getInputData'>,
	read: (item: number) => Value,
): Promise<Value[]> {
	const values: Value[] = [];
	let turnStart = realClock.now();
	for (const item of context.getInputData().keys()) {
		values.push(read(item));
		if (realClock.now() - turnStart < maxTurnMs) continue;
		await realClock.wait(1);
		turnStart = realClock.now();
	}
	return values;
}

/**
 * The output of an operation. With On Error: Continue, an operation that fails before it sends
 * anything returns an error item for each input item: n8n would pass the input items on as if they
 * had succeeded. An AI agent gets only the message of an error, so it contains what to do.
 *
 * @param toItems returns the error items of all input items
 * @throws the error of the operation, unless On Error is Continue
 */
export async function withErrorItems(
	context: IExecuteFunctions,
	operation: () => Promise<INodeExecutionData[]>,
	toItems = (problem: Problem) =>
		context.getInputData().map((_, item) => errorItem(problem, item, { outcome: 'notSent' })),
): Promise<INodeExecutionData[]> {
	if (!context.continueOnFail())
		return isTool(context) ? await withFullMessage(operation) : await operation();
	try {
		return await operation();
	} catch (error) {
		return toItems(toProblem(error));
	}
}

/**
 * Runs an operation for one input item after another. With On Error: Continue, a failed item becomes
 * an error item.
 *
 * @throws NodeOperationError or NodeApiError for the first failed item, unless On Error is Continue
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
				if (!(error instanceof NodeApiError)) throw itemError(context.getNode(), problem, item);
				const named = { ...problem, message: withItemNumber(problem, item) };
				throw apiError(context.getNode(), named, error.httpCode ?? undefined, item);
			}
			output.push(errorItem(problem, item));
		}
	}
	return output;
}

/**
 * The company of the credential. As a child company it would have a second memory, and its deliveries would
 * be sent twice.
 *
 * @throws NodeOperationError when the credential is incomplete
 */
export async function ownCompany(context: IExecuteFunctions): Promise<number | undefined> {
	return (await openClient(context)).credential.companyId;
}
