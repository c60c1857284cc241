/** The fields of an order and of its options, and the mapping (shopify/mapping.ts) that they make. */
import type { INodeProperties } from 'n8n-workflow';

import { realClock } from '../../common/clock';
import {
	collectionEntries,
	omitBlank,
	toLines,
	toList,
	collectionParameter,
	oncePerRun,
	type ParameterReader,
} from '../../common/parameters';
import type { Result } from '../../common/result';
import { validate } from '../../service/validation';
import { openFilters, orderMappingSchema, type OrderMapping } from '../../shopify/mapping';
import { filterOptions, readFilters, shippingMethodsField } from './filters';
import { fallbackEmailField, orderOptions, updatedOrderOptions } from './shopifyOrderOptions';

/** The parameter that contains the order. */
export const orderField: INodeProperties = {
	displayName: 'Order',
	name: 'order',
	type: 'json',
	required: true,
	default: '={{ $json }}',
	description:
		'The order as output by a Shopify node. Leave as is if the previous node is a Shopify node.',
};

const orderOptionsField: INodeProperties = {
	displayName: 'Order Options',
	name: 'orderOptions',
	type: 'collection',
	placeholder: 'Add Order Option',
	default: {},
	description: 'How to map the order to a delivery',
	options: orderOptions,
};

const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	description: 'Which orders to send. Others are skipped, and can come in again later.',
	options: filterOptions,
};

const sendAnywayField: INodeProperties = {
	displayName: 'Send Anyway',
	name: 'sendAnyway',
	type: 'boolean',
	default: false,
	hint: 'Only for orders that a person chose, e.g. in a branch that is started by hand',
	description:
		'Whether to send the order even if a filter, its age, its payment, a hold or a missing shipping method says no. An order that this workflow has already sent is not sent again, and a canceled, refunded, voided or fulfilled one is never sent.',
};

/** Which orders are sent, and how they are mapped. */
export const orderOptionsFields: INodeProperties[] = [
	shippingMethodsField,
	fallbackEmailField,
	filtersField,
	sendAnywayField,
	orderOptionsField,
];

/** The options for updates, without those that only apply when a delivery is created. */
export const updateOrderOptionsFields: INodeProperties[] = [
	{
		...orderOptionsField,
		description:
			'How to map the order to a delivery. Use the same options as in the node that created the delivery.',
		options: updatedOrderOptions,
	},
	{
		...filtersField,
		displayName: 'Delivery Date Options',
		placeholder: 'Add Delivery Date Option',
		description:
			"How to find the delivery date for the driver's instructions. Use the same options as in the node that created the delivery.",
		options: filterOptions.filter(({ name }) =>
			['deliveryDateAttributes', 'deliveryDateFormat'].includes(name),
		),
	},
];

/**
 * Reads and validates the order options of an item.
 *
 * @returns the mapping, or which option is invalid
 */
export function readOrderMapping(parameters: ParameterReader, item: number): Result<OrderMapping> {
	return toMapping(
		parameters,
		collectionParameter(parameters, 'orderOptions', item),
		collectionParameter(parameters, 'filters', item),
		parameters.get('shippingMethods', item, ''),
		parameters.get('fallbackEmail', item, ''),
		parameters.get('sendAnyway', item, false),
		parameters.timeZone(),
	);
}

const toMapping = oncePerRun(
	(
		added: Record<string, unknown>,
		filters: Record<string, unknown>,
		shippingMethods: unknown,
		fallbackEmail: unknown,
		sendAnyway: unknown,
		timeZone: string,
	): Result<OrderMapping> => {
		const { packageSizeByWeight, deliveryTypes, ...options } = omitBlank(added);
		const { instructions, referenceId, packageName, tags, cashOnDeliveryMethods, ...rest } =
			options;
		const mapping = {
			...rest,
			time: { now: realClock.now(), timeZone },
			fallbackEmail,
			sendAnyway,
			filters: { ...readFilters(filters), shippingMethods: toLines(shippingMethods) },
			...(cashOnDeliveryMethods !== undefined && {
				cashOnDeliveryMethods: toList(cashOnDeliveryMethods),
			}),
			deliveryTypes: collectionEntries(deliveryTypes, 'entry'),
			packageSizeByWeight: collectionEntries(packageSizeByWeight, 'limit'),
			overrides: {
				instructions,
				referenceId,
				hasReference: 'referenceId' in added,
				packageName,
				...(tags !== undefined && { tags: toList(tags) }),
			},
		};
		const read = validate(orderMappingSchema, mapping, 'Order options', orderMappingLabels);
		if (!read.ok || !read.value.sendAnyway) return read;
		// A refunded order is sent only if the user chose to send them all.
		const { payment } = read.value.filters;
		const open = { ...openFilters(read.value.filters), payment };
		return { ok: true, value: { ...read.value, filters: open } };
	},
);

/** The names of the options in messages: those of their fields. Groups have none of their own. */
const orderMappingLabels = new Map<string, string>([
	...[
		shippingMethodsField,
		fallbackEmailField,
		sendAnywayField,
		...filterOptions,
		...orderOptions,
	].map((field): [string, string] => {
		const { name, displayName } = field;
		return [name, displayName.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase())];
	}),
	['filters', ''],
	['overrides', ''],
	['upToKg', 'max weight in kilograms'],
	['method', 'shipping method'],
	['type', 'delivery type'],
]);
