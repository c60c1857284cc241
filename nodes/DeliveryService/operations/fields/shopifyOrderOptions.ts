/** The options under Order Options, and which of them apply to updates. */
import type { INodeProperties } from 'n8n-workflow';

import { deliveryTypeOptions, flagField, textField } from '../../common/fields';
import { packageSizeOptions, sizeField } from './package';

/** Required by many shops with phone or marketplace orders, so it is a field of its own. */
export const fallbackEmailField: INodeProperties = textField(
	'Fallback Email',
	'fallbackEmail',
	'e.g. orders@example.com',
	'Email to use for orders without a valid one. The Delivery Service requires an email for every delivery.',
);

/** The order option with a delivery type per shipping method. */
const deliveryTypesOption: INodeProperties = {
	displayName: 'Delivery Type by Shipping Method',
	name: 'deliveryTypes',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Shipping Method',
	default: {},
	description:
		"Delivery type by the order's shipping method. Overrides Delivery Type; other shipping methods use that.",
	options: [
		{
			displayName: 'Shipping Method',
			name: 'entry',
			values: [
				{
					displayName: 'Delivery Type',
					name: 'type',
					type: 'options',
					options: deliveryTypeOptions,
					default: 'express',
				},
				textField(
					'Shipping Method',
					'method',
					'e.g. Same-Day Delivery',
					'The whole title or code of the shipping method in Shopify. An asterisk (*) stands for any text.',
				),
			],
		},
	],
};

/** The default sizes by weight of one package. */
export const defaultLimits = [
	{ upToKg: 1, size: 'xs' },
	{ upToKg: 5, size: 's' },
	{ upToKg: 10, size: 'm' },
	{ upToKg: 20, size: 'l' },
];

/** The order option with a package size per weight. */
const packageSizeByWeightOption: INodeProperties = {
	displayName: 'Package Size by Weight',
	name: 'packageSizeByWeight',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Limit',
	default: { limit: defaultLimits },
	description:
		'Package size by weight. Packages that are heavier or have an unknown weight are XL. Overrides Package Size.',
	options: [
		{
			displayName: 'Limit',
			name: 'limit',
			values: [
				{
					displayName: 'Max Weight in Kilograms',
					name: 'upToKg',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 1,
					description: 'Maximum weight of a package of this size',
				},
				sizeField,
			],
		},
	],
};

/**
 * The options for mapping an order. Each is named after the mapping field that it sets. Its default is
 * the behavior without the option, except for booleans that adding the option turns on. n8n requires
 * alphabetical order.
 */
export const orderOptions: INodeProperties[] = [
	{
		displayName: 'Cash on Delivery',
		name: 'cod',
		type: 'options',
		options: [
			{ name: 'Never', value: 'never', description: 'No cash is collected' },
			{
				name: 'Only for Cash on Delivery Orders',
				value: 'cashOnDeliveryOrders',
				description: 'The unpaid amount, if the payment method is cash on delivery',
			},
			{
				name: 'Whenever Something Is Unpaid',
				value: 'unpaid',
				description:
					'The unpaid amount, except authorized card payments and payment terms that are not due',
			},
		],
		default: 'cashOnDeliveryOrders',
		description: 'When the driver collects the unpaid amount',
	},
	textField(
		'Cash on Delivery Methods',
		'cashOnDeliveryMethods',
		'e.g. Pay the driver',
		'Comma-separated list of payment methods in your shop that mean cash on delivery, by their whole names. Names such as Cash on Delivery are known in many languages.',
	),
	textField(
		'Custom Reference ID',
		'referenceId',
		'e.g. {{ $json.name }}',
		'Reference ID to use instead of one from the order (max. 40 characters). Use an expression, so that every order has its own.',
	),
	{
		displayName: 'Delivery Address Format',
		name: 'addressFormat',
		type: 'options',
		options: [
			{
				name: 'Separate Fields',
				value: 'components',
				description: 'Street, city, ZIP code and so on. Located more reliably.',
			},
			{ name: 'One Line', value: 'text', description: 'The whole address as one line of text' },
		],
		default: 'components',
		description: "How to send the order's shipping address",
	},
	textField(
		'Delivery Instructions',
		'instructions',
		'e.g. Leave with the concierge',
		"Instructions for the driver. Replaces the order's company, address line 2 and note.",
	),
	deliveryTypesOption,
	flagField(
		'Include Additional Details',
		'includeAdditionalDetails',
		"Whether to send the order's additional details (note attributes) and its items' properties as extra data",
	),
	flagField(
		'Include Coordinates',
		'includeCoordinates',
		"Whether to send the coordinates of the order's address. A place with coordinates needs no address review. If Shopify does not find the street, they may be those of the city: turn it off if drivers are led to a wrong place.",
	),
	flagField('Include Tags', 'includeTags', "Whether to add the order's tags to the delivery"),
	textField(
		'Package Name',
		'packageName',
		'e.g. Parcel',
		'Name of the packages. Defaults to the order name, or to the product name with one package per unit.',
	),
	{
		displayName: 'Package Size',
		name: 'packageSize',
		type: 'options',
		options: packageSizeOptions,
		default: 'm',
		description: 'Size of each package',
	},
	packageSizeByWeightOption,
	{
		displayName: 'Packages',
		name: 'packagesPer',
		type: 'options',
		options: [
			{ name: 'One per Order', value: 'order' },
			{ name: 'One per Unit', value: 'unit' },
		],
		default: 'order',
		description: 'How many packages to create',
	},
	{
		displayName: 'Reference ID From',
		name: 'referenceIdFrom',
		type: 'options',
		options: [
			{ name: 'Order ID', value: 'id', description: "Shopify's internal ID, e.g. 450789469" },
			{ name: 'Order Name', value: 'name', description: 'The name that customers see, e.g. #1001' },
			{
				name: 'Order Number',
				value: 'orderNumber',
				description: 'The number without prefix or suffix, e.g. 1001',
			},
		],
		default: 'name',
		description:
			'Which Shopify identifier to use as the reference ID. Orders that were sent under another reference ID are sent again if they arrive again.',
	},
	textField(
		'Tags',
		'tags',
		'e.g. fragile, morning',
		"Comma-separated list of tags to use instead of the order's tags",
	),
];

/** Options for what an update doesn't change or decides automatically. */
const onlyWhenCreating = new Set([
	'addressFormat',
	'deliveryTypes',
	'includeAdditionalDetails',
	'tags',
	'includeTags',
]);

/** The options that also apply to updates. */
export const updatedOrderOptions = orderOptions.filter(({ name }) => !onlyWhenCreating.has(name));
