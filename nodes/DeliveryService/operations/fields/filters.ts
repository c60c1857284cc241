/** Which orders Create From Shopify Orders sends: the fields of the filters, and how they are read. */
import type { INodeProperties } from 'n8n-workflow';

import { flagField, textField } from '../../common/fields';
import { toLines, toList } from '../../common/parameters';
import { isEmptyValue } from '../../service/values';
import { deliveryDateAttributes } from '../../shopify/attributeNames';
import { deliveryMethodNames, deliveryMethods } from '../../shopify/fulfillmentOrder';
import { storePickupNames } from '../../shopify/methods';

/** The most used filter, so it is a field of its own. */
export const shippingMethodsField: INodeProperties = {
	displayName: 'Shipping Methods',
	name: 'shippingMethods',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. Local Delivery*',
	hint: 'As in Shopify under Shipping and delivery. Leave empty to send all, except store pickup.',
	description:
		"The shipping methods of the orders to send, one per line, by the whole title or code in Shopify. Letter case doesn't matter, and an asterisk (*) stands for any text.",
};

/**
 * Which orders are sent. Each option is named after the filter that it sets. Its default is the behavior
 * without the option, except for booleans that adding the option turns on. n8n requires alphabetical
 * order.
 */
export const filterOptions: INodeProperties[] = [
	{
		displayName: 'Days to Send Ahead',
		name: 'sendDaysAhead',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1,
		description:
			'With Skip Until Delivery Date: how many days before the delivery date an order is sent',
	},
	{
		...textField(
			'Delivery Date Attributes',
			'deliveryDateAttributes',
			'e.g. Delivery Date',
			"Comma-separated list of the order's additional details, or its items' properties, that contain the delivery date",
		),
		default: deliveryDateAttributes.join(', '),
	},
	{
		displayName: 'Delivery Date Format',
		name: 'deliveryDateFormat',
		type: 'options',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'Dates such as 2026-12-24 and 12/24/2026. Those such as 05/06/2026 are not clear.',
			},
			{ name: 'Day First', value: 'dayFirst', description: 'E.g. 24/12/2026 or 24.12.2026.' },
			{ name: 'Month First', value: 'monthFirst', description: 'E.g. 12/24/2026.' },
		],
		default: 'automatic',
		description: 'How the delivery date is written, unless the year comes first',
	},
	{
		displayName: 'Delivery Methods',
		name: 'deliveryMethods',
		type: 'multiOptions',
		options: deliveryMethods
			.map((value) => ({ name: deliveryMethodNames[value], value }))
			.sort((one, other) => one.name.localeCompare(other.name)),
		default: ['shipping', 'local'],
		description:
			'Which fulfillment orders to send, by their delivery method in Shopify. A whole order has none: list its Shipping Methods instead.',
	},
	{
		displayName: 'Exclude Shipping Methods',
		name: 'excludeShippingMethods',
		type: 'string',
		typeOptions: { rows: 8 },
		default: storePickupNames.join('\n'),
		placeholder: 'e.g. DHL*',
		description:
			'Shipping methods not to send, written as in Shipping Methods. Defaults to common names of store pickup.',
	},
	textField(
		'Exclude Tags',
		'excludeTags',
		'e.g. wholesale, mail',
		'Comma-separated list of tags. Orders with one of them are skipped.',
	),
	flagField(
		'Include Fulfillment Services',
		'includeFulfillmentServices',
		'Whether to also send items that another company ships for your shop',
	),
	flagField(
		'Include Test Orders',
		'includeTestOrders',
		'Whether to create deliveries for test orders too. They become real deliveries.',
	),
	{
		displayName: 'Payment',
		name: 'payment',
		type: 'options',
		options: [
			{ name: 'Any', value: 'any', description: 'Also unpaid, refunded and voided orders' },
			{
				name: 'Paid',
				value: 'paid',
				description: 'Paid or authorized orders, and those with payment terms',
			},
			{
				name: 'Paid or Cash on Delivery',
				value: 'paidOrCash',
				description: 'Also unpaid orders for which the driver collects cash',
			},
		],
		default: 'paidOrCash',
		description:
			'Which orders to send, by their payment. Others are sent when the workflow gets them again after the payment.',
	},
	flagField(
		'Skip Until Delivery Date',
		'skipUntilDeliveryDate',
		'Whether to skip orders until the day set in Days to Send Ahead. Only for workflows that read all open orders every day.',
	),
	textField(
		'Tags',
		'tags',
		'e.g. local',
		'Comma-separated list of tags. Only orders with one of them are sent.',
	),
];

const listReaders: Readonly<Record<string, (value: unknown) => unknown[]>> = {
	excludeShippingMethods: toLines,
	tags: toList,
	excludeTags: toList,
	deliveryDateAttributes: toList,
};

/**
 * The filters that the user added and did not empty. Only Exclude Shipping Methods has a meaning without
 * any entry: it excludes nothing.
 */
export function readFilters(added: Record<string, unknown>): object {
	const given = Object.entries(added)
		.filter(([, value]) => value !== null && value !== undefined)
		.map(([name, value]): [string, unknown] => [name, listReaders[name]?.(value) ?? value]);
	return Object.fromEntries(
		given.filter(([name, value]) => name === 'excludeShippingMethods' || !isEmptyValue(value)),
	);
}
