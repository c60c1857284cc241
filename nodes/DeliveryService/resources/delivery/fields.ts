import type { INodeProperties } from 'n8n-workflow';

/** The reference IDs of deliveries that exist, or were sent. */
export const referenceIdsField: INodeProperties = {
	displayName: 'Reference IDs',
	name: 'referenceIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. #1001, #1002',
	description:
		'One or more reference IDs, separated by commas, or a list from an expression. One that holds a comma must come as a list.',
};
