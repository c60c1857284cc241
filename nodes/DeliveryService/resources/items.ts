import type { INode, INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { operationError } from '../service/nodeErrors';
import type { Problem } from '../common/result';

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
	return operationError(node, { ...problem, message: numbered(problem, item) }, item);
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
			error: { message: numbered(problem, item), ...(description && { description }), ...details },
		},
		item,
	);
}

function numbered({ message }: Problem, item: number): string {
	return `${message} [item ${item}]`;
}

/** Text that another sentence can follow: the service's own words may lack a full stop. */
export function ended(text = ''): string {
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** How many names of a list a text has; the lists in an error's details are complete. */
const maxNamed = 20;

/** A sentence with the number and the names of what has come to the same end; empty without any. */
export function namesSentence(title: string, names: readonly string[], max = maxNamed): string {
	if (names.length === 0) return '';
	const more = names.length - max;
	const rest = more > 0 ? ` and ${more} more, listed in the error details` : '';
	return `${title} (${names.length}): ${names.slice(0, max).join(', ')}${rest}.`;
}

/** What an error that n8n threw, such as one of an expression, tells the user. */
export function problemFromError(error: unknown): Problem {
	if (!(error instanceof Error)) return { message: 'The item could not be read' };
	const description = 'description' in error ? error.description : undefined;
	return {
		message: error.message,
		...(typeof description === 'string' && { description }),
	};
}
