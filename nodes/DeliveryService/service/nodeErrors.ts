import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Problem } from '../common/result';

/**
 * An error that tells a problem in its own words. n8n puts others in the place of a message that
 * holds one of its error codes anywhere: "EACCES" is in ana@bikeaccessories.example.
 *
 * @param item the number of the input item that it is about, counted from 0
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
