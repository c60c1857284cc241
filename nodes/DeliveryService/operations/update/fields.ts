/** The fields of Update. */
import type { INodeProperties } from 'n8n-workflow';

import {
	coordinateFields,
	flagField,
	optionsField,
	referenceIdsField,
	requiredField,
	textField,
} from '../../common/fields';
import { updatedPackagesField } from '../fields/package';
import { orderField, updateOrderOptionsFields } from '../fields/shopifyOrder';
import { showFor } from '../resource';

/**
 * The fields that can be changed (docs/api.md, section 4.2); only those the user adds are sent. n8n
 * requires alphabetical order, so related labels share their first word.
 */
export const changeFields: INodeProperties[] = [
	textField(
		'Cash on Delivery',
		'cod',
		'e.g. 49.90',
		'Amount that the driver collects from the recipient. Enter 0 to collect nothing.',
	),
	textField(
		'Delivery Address',
		'address',
		'e.g. 48 Oak Avenue, Springfield, IL 62704',
		'The new delivery address as one line of text',
	),
	textField(
		'Delivery Instructions',
		'instructions',
		'e.g. Leave with the concierge',
		'The new note for the driver',
	),
	...coordinateFields('Delivery ', 'Set Delivery Latitude and Delivery Longitude together'),
	textField(
		'New Reference ID',
		'referenceId',
		'e.g. #1001-B',
		'The new reference ID (up to 40 characters)',
	),
	updatedPackagesField,
	textField(
		'Recipient Email',
		'email',
		'e.g. ana@example.com',
		"The recipient's new email address",
	),
	textField('Recipient Name', 'name', 'e.g. Ana Torres', "The recipient's new name"),
	textField(
		'Recipient Phone',
		'phonenumber',
		'e.g. +1 555 0100',
		"The recipient's new phone number",
	),
	textField(
		'Tags to Add',
		'addTags',
		'e.g. 12, 15',
		'Comma-separated list of tag IDs (numbers, not names) in the Delivery Service',
	),
	textField(
		'Tags to Remove',
		'removeTags',
		'e.g. 12, 15',
		'Comma-separated list of tag IDs (numbers, not names) in the Delivery Service',
	),
];

/** The API document recommends all three (docs/api.md, section 4.2). */
const onByDefault = 'On unless you add this option and turn it off.';

/** The deliveries, the changes and the options. */
export const updateFields: INodeProperties[] = [
	{
		displayName: 'Take Changes From',
		name: 'changesFrom',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Define Below',
				value: 'defineBelow',
				description: 'Change only the fields you add',
			},
			{
				name: 'Shopify Order',
				value: 'shopifyOrder',
				description:
					"Match the order's delivery, found by its reference ID, to the current recipient, address, packages and unpaid amount. If the order is paid by now, no cash is collected.",
			},
		],
		default: 'defineBelow',
		description: 'Where to take the changes from',
	},
	...showFor({ changesFrom: ['defineBelow'] }, [
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
			default: 'referenceIds',
			description: 'How to identify the deliveries to update',
		},
		...showFor({ findBy: ['deliveryIds'] }, [
			requiredField(
				'Delivery IDs',
				'deliveryIds',
				'e.g. 64f1c2, 64f1c3',
				'Comma-separated list of delivery IDs, or an expression that returns a list',
			),
		]),
		...showFor({ findBy: ['referenceIds'] }, [referenceIdsField]),
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
	{
		...optionsField,
		options: [
			flagField(
				'Recalculate City',
				'recalculateCity',
				`Whether to recalculate the city after the update. ${onByDefault}`,
			),
			flagField(
				'Recalculate Price',
				'recalculatePrice',
				`Whether to recalculate the price after the update. ${onByDefault}`,
			),
			flagField(
				'Reorder Route',
				'reorderRoute',
				`Whether to reorder the stops of the route, if the delivery is on one. ${onByDefault}`,
			),
		],
	},
];
