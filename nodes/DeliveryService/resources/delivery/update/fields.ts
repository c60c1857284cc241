import type { INodeProperties } from 'n8n-workflow';

import { showFor } from '../../resource';
import { referenceIdsField } from '../fields';
import { changedPackages } from '../package';
import { orderField, updateOrderOptionsField } from '../shopifyOrder';
import { updateOptionsField } from './options';

/**
 * What can be changed (service document, section 4.2); only what the user adds is sent. n8n wants the
 * list in the order of the alphabet: the labels begin so that what belongs together stands together.
 */
export const changeFields: INodeProperties[] = [
	{
		displayName: 'Cash on Delivery',
		name: 'cod',
		type: 'string',
		default: '',
		placeholder: 'e.g. 49.90',
		description: 'The amount that the driver collects from the recipient; 0 for none',
	},
	{
		displayName: 'Dropoff Address',
		name: 'address',
		type: 'string',
		default: '',
		placeholder: 'e.g. 48 Oak Avenue, Springfield, IL 62704',
		description: 'The new dropoff address, as one line of text',
	},
	{
		displayName: 'Dropoff Instructions',
		name: 'instructions',
		type: 'string',
		default: '',
		placeholder: 'e.g. Leave with the concierge',
		description: 'What the driver should know about the dropoff',
	},
	{
		displayName: 'Dropoff Latitude',
		name: 'lat',
		type: 'string',
		default: '',
		placeholder: 'e.g. 39.7817',
		description: 'Add Dropoff Longitude too: coordinates are changed together',
	},
	{
		displayName: 'Dropoff Longitude',
		name: 'lng',
		type: 'string',
		default: '',
		placeholder: 'e.g. -89.6501',
		description: 'Add Dropoff Latitude too: coordinates are changed together',
	},
	{
		displayName: 'New Reference ID',
		name: 'referenceId',
		type: 'string',
		default: '',
		placeholder: 'e.g. #1001-B',
		description: 'The new reference ID (at most 40 characters)',
	},
	changedPackages,
	{
		displayName: 'Recipient Email',
		name: 'email',
		type: 'string',
		default: '',
		placeholder: 'e.g. ana@example.com',
		description: "The recipient's new e-mail address",
	},
	{
		displayName: 'Recipient Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Ana Torres',
		description: "The recipient's new name",
	},
	{
		displayName: 'Recipient Phone',
		name: 'phonenumber',
		type: 'string',
		default: '',
		placeholder: 'e.g. +1 555 0100',
		description: "The recipient's new phone number",
	},
	{
		displayName: 'Tags to Add',
		name: 'addTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12, 15',
		description:
			'Numbers of the tags to add, separated by commas. You find them in the dashboard of the Delivery Service.',
	},
	{
		displayName: 'Tags to Remove',
		name: 'removeTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12, 15',
		description:
			'Numbers of the tags to remove, separated by commas. You find them in the dashboard of the Delivery Service.',
	},
];

/** Which deliveries, what to change, and what the service does about it. */
export const updateFields: INodeProperties[] = [
	{
		displayName: 'Find Deliveries By',
		name: 'findBy',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Delivery ID',
				value: 'deliveryIds',
				description: 'The ID that the Delivery Service gave the delivery',
			},
			{
				name: 'Reference ID',
				value: 'referenceIds',
				description: 'Your own number of the delivery, such as the order number',
			},
		],
		default: 'deliveryIds',
		description: 'How the deliveries to update are named',
	},
	...showFor({ findBy: ['deliveryIds'] }, [
		{
			displayName: 'Delivery IDs',
			name: 'deliveryIds',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 64f1c2, 64f1c3',
			description: 'One or more IDs, separated by commas, or a list from an expression',
		},
	]),
	...showFor({ findBy: ['referenceIds'] }, [referenceIdsField]),
	{
		displayName: 'Take Changes From',
		name: 'changesFrom',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Shopify Order',
				value: 'shopifyOrder',
				description:
					'Change recipient, address, packages and the cash to collect to those of the order as it is now. The cash becomes 0 when it has been paid since.',
			},
			{
				name: 'Define Below',
				value: 'defineBelow',
				description: 'Change what you add, and nothing else',
			},
		],
		default: 'shopifyOrder',
		description: 'Where the changes come from',
	},
	...showFor({ changesFrom: ['defineBelow'] }, [
		{
			displayName: 'Changes',
			name: 'changes',
			type: 'collection',
			placeholder: 'Add Change',
			default: {},
			description: 'What to change. Everything else stays as it is.',
			options: changeFields,
		},
	]),
	...showFor({ changesFrom: ['shopifyOrder'] }, [orderField, updateOrderOptionsField]),
	updateOptionsField,
];
