import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The reference IDs of existing or sent deliveries. */
export const referenceIdsField: INodeProperties = {
	displayName: 'Reference IDs',
	name: 'referenceIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. #1001, #1002',
	description:
		'Comma-separated list of reference IDs, or an expression that returns a list. If an ID contains a comma, use an expression.',
};

/** The delivery types (API document, section 4.1). */
export const deliveryTypeOptions: INodePropertyOptions[] = [
	{ name: 'Express', value: 'express' },
	{ name: 'Flex', value: 'flex' },
	{ name: 'Slot', value: 'slot' },
];
