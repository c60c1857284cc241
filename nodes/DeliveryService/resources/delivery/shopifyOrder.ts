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

/** Where an operation finds the order. */
export const orderField: INodeProperties = {
	displayName: 'Order',
	name: 'order',
	type: 'json',
	required: true,
	default: '={{ $json }}',
	description: 'The order as a Shopify node gives it. By default the input item itself.',
};

/** How the order's data is used. */
export const orderOptionsField: INodeProperties = {
	displayName: 'Order Options',
	name: 'orderOptions',
	type: 'collection',
	placeholder: 'Add Order Option',
	default: {},
	description: "How the order's data is used",
	options: orderOptions,
};

/** The same for an update: what only matters when a delivery is created is left out. */
export const updateOrderOptionsField: INodeProperties = {
	...orderOptionsField,
	description:
		"How the order's data is used. Set what you have set in the node that created the delivery.",
	options: updateOrderOptions,
};

/** The order options of an item, checked: how its order is turned into a delivery. */
export function readOrderMapping(parameters: ParameterReader, item: number): Result<OrderMapping> {
	const given = mappingFromOptions(parameters, item);
	return validate(orderMappingSchema, given, 'Order options', orderMappingLabels);
}

function mappingFromOptions(parameters: ParameterReader, item: number): object {
	const { packageSize, packageSizeByWeight, sendAllOrdersTo, ...options } = omitBlank(
		collectionParameter(parameters, 'orderOptions', item),
	);
	for (const name of ['tags', 'cashOnDeliveryMethods'])
		if (options[name] !== undefined) options[name] = toList(options[name]);
	const [overrides, others] = partitionFields(options, (name) =>
		Object.hasOwn(overridesSchema.shape, name),
	);
	return {
		...others,
		...packageSizeRule(packageSize, packageSizeByWeight),
		overrides: { ...overrides, address: sendAllOrdersTo },
	};
}

/** Of the two options for the size, the one by weight wins. */
function packageSizeRule(size: unknown, byWeight: unknown): object {
	if (byWeight !== undefined)
		return { packageSize: { by: 'weight', limits: collectionEntries(byWeight, 'limit') } };
	return size === undefined ? {} : { packageSize: { by: 'fixed', size } };
}

/** The members whose names are of a kind, and the others. */
function partitionFields(
	members: Readonly<Record<string, unknown>>,
	isOfKind: (name: string) => boolean,
): [object, object] {
	const entries = Object.entries(members);
	return [
		Object.fromEntries(entries.filter(([name]) => isOfKind(name))),
		Object.fromEntries(entries.filter(([name]) => !isOfKind(name))),
	];
}
