import { NodeOperationError, type INode } from 'n8n-workflow';

import type { ServiceClient } from './client';
import { companyIdSchema } from './schemas';

/**
 * The company to work on: the given one, else the credential's.
 *
 * @throws NodeOperationError when there is none, or it is not a whole number of 1 or more
 */
export function companyOf(
	node: INode,
	{ credential }: Pick<ServiceClient, 'credential'>,
	given: unknown,
): number {
	const parsed = companyIdSchema.safeParse(given);
	if (parsed.success) return parsed.data;
	const isGiven = given !== undefined && given !== null && given !== '';
	if (!isGiven && credential.companyId !== undefined) return credential.companyId;
	throw new NodeOperationError(
		node,
		isGiven
			? 'The Company ID for the Delivery Service is not a whole number of 1 or more'
			: 'The Company ID for the Delivery Service is missing',
		{
			description:
				'Enter the Company ID, a whole number of 1 or more, in the credential or in the options of the node.',
		},
	);
}
