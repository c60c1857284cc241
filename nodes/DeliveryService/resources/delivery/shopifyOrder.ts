import type { INodeProperties } from 'n8n-workflow';

import type { Result } from '../../common/result';
import { validate } from '../../service/validation';
import {
	collectionEntries,
	omitBlank,
	toList,
	collectionParameter,
	type ParameterReader,
} from '../../common/parameters';
import {
	orderMappingLabels,
	orderMappingSchema,
	overridesSchema,
	type OrderMapping,
} from '../../shopify/mapping';
import { orderOptions, updateOrderOptions } from './shopifyOrderOptions';

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

/** The options for mapping the order. */
export const orderOptionsField: INodeProperties = {
	displayName: 'Order Options',
	name: 'orderOptions',
	type: 'collection',
	placeholder: 'Add Order Option',
	default: {},
	description: 'How to map the order to a delivery',
	options: orderOptions,
};

/** The same for updates, without the options that only apply when a delivery is created. */
export const updateOrderOptionsField: INodeProperties = {
	...orderOptionsField,
	description:
		'How to map the order to a delivery. Use the same options as in the node that created the delivery.',
	options: updateOrderOptions,
};

/**
 * Reads and validates the order options of an item.
 *
 * @returns the mapping, or which option is invalid
 */
export function readOrderMapping(parameters: ParameterReader, item: number): Result<OrderMapping> {
	const mapping = mappingFromOptions(parameters, item);
	return validate(orderMappingSchema, mapping, 'Order options', orderMappingLabels);
}

function mappingFromOptions(parameters: ParameterReader, item: number): object {
	const { packageSize, packageSizeByWeight, deliveryTypes, sendAllOrdersTo, ...options } =
		omitBlank(collectionParameter(parameters, 'orderOptions', item));
	for (const name of ['tags', 'cashOnDeliveryMethods', 'cashOnDeliveryExceptions'])
		if (options[name] !== undefined) options[name] = toList(options[name]);
	const [overrides, others] = partitionFields(options, (name) =>
		Object.hasOwn(overridesSchema.shape, name),
	);
	return {
		...others,
		deliveryTypes: collectionEntries(deliveryTypes, 'entry'),
		...packageSizeRule(packageSize, packageSizeByWeight),
		overrides: { ...overrides, address: sendAllOrdersTo },
	};
}

/** Package Size by Weight overrides Package Size. */
function packageSizeRule(size: unknown, byWeight: unknown): object {
	if (byWeight !== undefined)
		return { packageSize: { by: 'weight', limits: collectionEntries(byWeight, 'limit') } };
	return size === undefined ? {} : { packageSize: { by: 'fixed', size } };
}

/** Splits fields into those whose name matches and the others. */
function partitionFields(
	fields: Readonly<Record<string, unknown>>,
	isMatch: (name: string) => boolean,
): [object, object] {
	const entries = Object.entries(fields);
	return [
		Object.fromEntries(entries.filter(([name]) => isMatch(name))),
		Object.fromEntries(entries.filter(([name]) => !isMatch(name))),
	];
}
