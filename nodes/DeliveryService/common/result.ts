/** Problems as values, and the errors of n8n that are made of them. */
import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { endSentence } from './text';

/**
 * A problem, worded for the person who can fix it: `message` says what happened, `description` what to
 * do.
 */
export interface Problem {
	message: string;
	description?: string;
}

/** What happened and what to do, as one text. */
export function problemText({ message, description }: Problem): string {
	return description ? `${endSentence(message)} ${description}` : message;
}

/** A value, or the problem that prevented it. */
export type Result<Value, Reason = Problem> =
	{ ok: true; value: Value } | { ok: false; problem: Reason };

/** A result without a value. */
export function failure<Reason>(problem: Reason): { ok: false; problem: Reason } {
	return { ok: false, problem };
}

/**
 * An error with exactly this message. n8n replaces a message that contains one of its error codes
 * anywhere, e.g. "EACCES" in ana@bikeaccessories.example.
 *
 * @param item the index of the input item that caused the error, from 0
 */
export function operationError(
	node: INode,
	{ message, description }: Problem,
	item?: number,
): NodeOperationError {
	const error = new NodeOperationError(node, message, { description, itemIndex: item });
	error.message = message;
	return error;
}

/**
 * An error about the service, with exactly this message.
 *
 * @param status the HTTP status, when the service responded
 * @param item the index of the input item that caused the error, from 0
 */
export function apiError(
	node: INode,
	{ message, description }: Problem,
	status?: number | string,
	item?: number,
): NodeApiError {
	const httpCode = status === undefined ? undefined : String(status);
	const error = new NodeApiError(node, {}, { message, description, httpCode, itemIndex: item });
	error.message = message;
	return error;
}

/**
 * The value of a result.
 *
 * @throws NodeOperationError when the result is a problem
 */
export function unwrap<Value>(node: INode, result: Result<Value>): Value {
	if (result.ok) return result.value;
	throw operationError(node, result.problem);
}

/**
 * Runs a step, and moves the description of its error into the message, where n8n shows or passes on only
 * one of them. When publishing fails, n8n 2 shows only the message, n8n 1 only the description if there is
 * one; the tool of an AI agent responds with the message.
 *
 * @throws the error of the step
 */
export async function withFullMessage<Value>(step: () => Promise<Value>): Promise<Value> {
	return await step().catch((error: unknown) => {
		if (error instanceof NodeApiError || error instanceof NodeOperationError) {
			const { message, description } = error;
			error.message = problemText({ message, description: description ?? undefined });
			error.description = undefined;
		}
		throw error;
	});
}
