import type { INodeProperties } from 'n8n-workflow';

import { packageSizeOptions } from './package';

/**
 * How the order's data is used. An option is named as the member of the mapping that it sets, and
 * its default is what happens without it.
 */
export const orderOptions: INodeProperties[] = [
	{
		displayName: 'Cash on Delivery',
		name: 'cod',
		type: 'options',
		options: [
			{
				name: 'Never',
				value: 'never',
				description: 'The driver collects nothing',
			},
			{
				name: 'Only for Cash on Delivery Orders',
				value: 'cashOnDeliveryOrders',
				description: 'The outstanding amount, when the payment method is cash on delivery',
			},
			{
				name: 'Whenever Something Is Unpaid',
				value: 'unpaid',
				description: 'The outstanding amount, whatever the payment method',
			},
		],
		default: 'cashOnDeliveryOrders',
		description: 'Whether the driver collects what is still to be paid',
	},
	{
		displayName: 'Cash on Delivery Methods',
		name: 'cashOnDeliveryMethods',
		type: 'string',
		default: '',
		placeholder: 'e.g. Pay the milkman',
		description:
			'Names of payment methods of your shop that are cash on delivery, separated by commas. The usual names are known, in many languages.',
	},
	{
		displayName: 'Delivery Address Format',
		name: 'addressFormat',
		type: 'options',
		options: [
			{
				name: 'Address Components',
				value: 'components',
				description: 'Street, city and so on, each apart: found on the map more often',
			},
			{ name: 'Full Address', value: 'text', description: 'The whole address as one line of text' },
		],
		default: 'components',
		description: "How the order's shipping address is sent",
	},
	{
		displayName: 'Delivery Instructions',
		name: 'instructions',
		type: 'string',
		default: '',
		placeholder: 'e.g. Leave with the concierge',
		description:
			"What the driver should know, instead of the order's company, second address line and note",
	},
	{
		displayName: 'Delivery Latitude',
		name: 'lat',
		type: 'string',
		default: '',
		placeholder: 'e.g. 39.7817',
		description: 'To use together with Delivery Longitude, instead of the coordinates in the order',
	},
	{
		displayName: 'Delivery Longitude',
		name: 'lng',
		type: 'string',
		default: '',
		placeholder: 'e.g. -89.6501',
		description: 'To use together with Delivery Latitude, instead of the coordinates in the order',
	},
	{
		displayName: 'Fallback Email',
		name: 'fallbackEmail',
		type: 'string',
		default: '',
		placeholder: 'e.g. orders@example.com',
		description:
			'The e-mail address to use for orders without a usable one: the Delivery Service requires an e-mail address',
	},
	{
		displayName: 'Include Additional Details',
		name: 'includeAdditionalDetails',
		type: 'boolean',
		default: true,
		description: "Whether the order's additional details (note attributes) become extra data",
	},
	{
		displayName: 'Include Refunded Orders',
		name: 'includeRefundedOrders',
		type: 'boolean',
		default: true,
		description:
			'Whether orders are sent whose payment was voided or refunded in full. The driver collects nothing for them.',
	},
	{
		displayName: 'Include Tags',
		name: 'includeTags',
		type: 'boolean',
		default: true,
		description: "Whether the order's tags become tags of the delivery",
	},
	{
		displayName: 'Include Test Orders',
		name: 'includeTestOrders',
		type: 'boolean',
		default: true,
		description: 'Whether test orders become deliveries too, which cost money like any other',
	},
	{
		displayName: 'Only Paid Orders',
		name: 'onlyPaidOrders',
		type: 'boolean',
		default: true,
		description:
			'Whether orders that are not paid in full are left out until they come again, also those that are to be paid at the door',
	},
	{
		displayName: 'Package Name',
		name: 'packageName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Parcel',
		description: 'The name of the packages, instead of the order or product name',
	},
	{
		displayName: 'Package Size',
		name: 'packageSize',
		type: 'options',
		options: packageSizeOptions,
		default: 'm',
		description: 'The size of each package',
	},
	{
		displayName: 'Package Size by Weight',
		name: 'packageSizeByWeight',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Limit',
		default: {
			limit: [
				{ upToKg: 1, size: 'xs' },
				{ upToKg: 5, size: 's' },
				{ upToKg: 10, size: 'm' },
				{ upToKg: 20, size: 'l' },
			],
		},
		description:
			'The size of a package by its weight; heavier ones are XL. Wins over Package Size.',
		options: [
			{
				displayName: 'Limit',
				name: 'limit',
				values: [
					{
						displayName: 'Up To Kilograms',
						name: 'upToKg',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 1,
						description: 'The most that a package of this size weighs, in kilograms',
					},
					{
						displayName: 'Size',
						name: 'size',
						type: 'options',
						options: packageSizeOptions,
						default: 's',
					},
				],
			},
		],
	},
	{
		displayName: 'Packages',
		name: 'packagesPer',
		type: 'options',
		options: [
			{ name: 'One per Order', value: 'order' },
			{ name: 'One per Unit', value: 'unit' },
		],
		default: 'order',
		description: 'How many packages an order becomes',
	},
	{
		displayName: 'Recipient Email',
		name: 'email',
		type: 'string',
		default: '',
		placeholder: 'e.g. ana@example.com',
		description: "The e-mail address to use instead of the order's",
	},
	{
		displayName: 'Recipient Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Ana Torres',
		description: "The name to use instead of the order's",
	},
	{
		displayName: 'Recipient Phone',
		name: 'phone',
		type: 'string',
		default: '',
		placeholder: 'e.g. +1 555 0100',
		description: "The phone number to use instead of the order's",
	},
	{
		displayName: 'Reference ID',
		name: 'referenceId',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.name }}',
		description: 'The reference ID to use instead of one from the order (at most 40 characters)',
	},
	{
		displayName: 'Reference ID From',
		name: 'referenceIdFrom',
		type: 'options',
		options: [
			{ name: 'Order ID', value: 'id', description: "Shopify's internal number, e.g. 450789469" },
			{ name: 'Order Name', value: 'name', description: 'What the customer sees, e.g. #1001' },
			{ name: 'Order Number', value: 'orderNumber', description: 'The plain number, e.g. 1001' },
		],
		default: 'name',
		description: 'What identifies the order on the Delivery Service',
	},
	{
		displayName: 'Send All Orders To',
		name: 'sendAllOrdersTo',
		type: 'string',
		default: '',
		placeholder: 'e.g. 48 Oak Avenue, Springfield, IL 62704',
		description: "The full address to use instead of the order's shipping address",
	},
	{
		displayName: 'Tags',
		name: 'tags',
		type: 'string',
		default: '',
		placeholder: 'e.g. fragile, morning',
		description: "Names of tags, separated by commas, instead of the order's tags",
	},
];

/** What an update does not send, or decides by itself: which orders, tags and reference ID. */
const onlyWhenCreating = new Set([
	'addressFormat',
	'includeAdditionalDetails',
	'includeRefundedOrders',
	'includeTestOrders',
	'onlyPaidOrders',
	'referenceIdFrom',
	'referenceId',
	'tags',
	'includeTags',
]);

/** The order options that matter for an update. */
export const updateOrderOptions = orderOptions.filter(({ name }) => !onlyWhenCreating.has(name));
