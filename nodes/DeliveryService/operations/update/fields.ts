import type { INodeProperties } from 'n8n-workflow';

import { showFor } from '../resource';
import { referenceIdsField } from '../fields/fields';
import { updatedPackagesField } from '../fields/package';
import { orderField, updateOrderOptionsFields } from '../fields/shopifyOrder';
import { updateOptionsFields } from './options';

/**
 * The fields that can be changed (API document, section 4.2); only those the user adds are sent.
 * n8n requires alphabetical order, so related labels share their first word.
 */
export const changeFields: INodeProperties[] = [
	{
		displayName: 'Cash on Delivery',
		name: 'cod',
		type: 'string',
		default: '',
		placeholder: 'e.g. 49.90',
		description: 'Amount that the driver collects from the recipient. Enter 0 to collect nothing.',
	},
	{
		displayName: 'Delivery Address',
		name: 'address',
		type: 'string',
		default: '',
		placeholder: 'e.g. 48 Oak Avenue, Springfield, IL 62704',
		description: 'The new delivery address as one line of text',
	},
	{
		displayName: 'Delivery Instructions',
		name: 'instructions',
		type: 'string',
		default: '',
		placeholder: 'e.g. Leave with the concierge',
		description: 'The new note for the driver',
	},
	{
		displayName: 'Delivery Latitude',
		name: 'lat',
		type: 'string',
		default: '',
		placeholder: 'e.g. 39.7817',
		description: 'Set Delivery Latitude and Delivery Longitude together',
	},
	{
		displayName: 'Delivery Longitude',
		name: 'lng',
		type: 'string',
		default: '',
		placeholder: 'e.g. -89.6501',
		description: 'Set Delivery Latitude and Delivery Longitude together',
	},
	{
		displayName: 'New Reference ID',
		name: 'referenceId',
		type: 'string',
		default: '',
		placeholder: 'e.g. #1001-B',
		description: 'The new reference ID (up to 40 characters)',
	},
	updatedPackagesField,
	{
		displayName: 'Recipient Email',
		name: 'email',
		type: 'string',
		default: '',
		placeholder: 'e.g. ana@example.com',
		description: "The recipient's new email address",
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
		description: 'Comma-separated list of tag IDs, shown in the Delivery Service dashboard',
	},
	{
		displayName: 'Tags to Remove',
		name: 'removeTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12, 15',
		description: 'Comma-separated list of tag IDs, shown in the Delivery Service dashboard',
	},
];

/** The deliveries, the changes and the options. */
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
				description: 'The ID assigned by the Delivery Service',
			},
			{
				name: 'Reference ID',
				value: 'referenceIds',
				description: 'Your own identifier for the delivery, e.g. the order number',
			},
		],
		default: 'deliveryIds',
		description: 'How to identify the deliveries to update',
	},
	...showFor({ findBy: ['deliveryIds'] }, [
		{
			displayName: 'Delivery IDs',
			name: 'deliveryIds',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 64f1c2, 64f1c3',
			description: 'Comma-separated list of delivery IDs, or an expression that returns a list',
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
					"Match the delivery to the order's current recipient, address, packages and unpaid amount. If the order is paid by now, no cash is collected.",
			},
			{
				name: 'Define Below',
				value: 'defineBelow',
				description: 'Change only the fields you add',
			},
		],
		default: 'shopifyOrder',
		description: 'Where to take the changes from',
	},
	...showFor({ changesFrom: ['defineBelow'] }, [
		{
			displayName: 'Changes',
			name: 'changes',
			type: 'collection',
			placeholder: 'Add Change',
			default: {},
			description: 'The fields to change. All others stay unchanged.',
			options: changeFields,
		},
	]),
	...showFor({ changesFrom: ['shopifyOrder'] }, [orderField, ...updateOrderOptionsFields]),
	...updateOptionsFields,
];
