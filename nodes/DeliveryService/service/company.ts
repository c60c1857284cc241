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
	const company = companyIn(credential, given);
	if (company !== undefined) return company;
	throw new NodeOperationError(
		node,
		isGiven(given)
			? 'The Company ID for the Delivery Service is not a whole number of 1 or more'
			: 'The Company ID for the Delivery Service is missing',
		{
			description:
				'Enter the Company ID, a whole number of 1 or more, in the credential or in the options of the node.',
		},
	);
}

/** The given company, else the credential's; undefined when there is none, or it is not valid. */
export function companyIn(credential: { companyId?: number }, given: unknown): number | undefined {
	return isGiven(given) ? companyIdSchema.safeParse(given).data : credential.companyId;
}

function isGiven(company: unknown): boolean {
	return company !== undefined && company !== null && company !== '';
}
