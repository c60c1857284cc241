import type { INodeProperties } from 'n8n-workflow';

import type { Result } from '../../common/result';
import type { Labels } from '../../service/labels';
import { validate } from '../../service/validation';
import {
	collectionEntries,
	omitBlank,
	toList,
	collectionParameter,
	type ParameterReader,
} from '../../common/parameters';
import { orderMappingSchema, type OrderMapping } from '../../shopify/mapping';
import {
	forUpdates,
	moreOrderOptions,
	orderOptions,
	recipientOverrides,
	referenceOptions,
} from './shopifyOrderOptions';

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

const overrideRecipientField: INodeProperties = {
	displayName: 'Override Recipient',
	name: 'overrideRecipient',
	type: 'collection',
	placeholder: 'Add Override',
	default: {},
	description:
		'Replaces the recipient or the delivery address for every order. Use an expression to decide per order.',
	options: recipientOverrides,
};

const referenceField: INodeProperties = {
	displayName: 'Reference ID',
	name: 'referenceOptions',
	type: 'collection',
	placeholder: 'Add Reference ID Option',
	default: {},
	description: 'The reference ID of the delivery. Defaults to the order name, e.g. #1001.',
	options: referenceOptions,
};

const moreOrderOptionsField: INodeProperties = {
	displayName: 'More Order Options',
	name: 'moreOrderOptions',
	type: 'collection',
	placeholder: 'Add More Order Options',
	default: {},
	description: 'How to map the order to a delivery, for special cases',
	options: moreOrderOptions,
};

/** The options for mapping the order, in groups. */
export const orderOptionsFields: INodeProperties[] = [
	orderOptionsField,
	overrideRecipientField,
	referenceField,
	moreOrderOptionsField,
];

/** The same for updates, without the options that only apply when a delivery is created. */
export const updateOrderOptionsFields: INodeProperties[] = [
	{
		...orderOptionsField,
		description:
			'How to map the order to a delivery. Use the same options as in the node that created the delivery.',
		options: forUpdates(orderOptions),
	},
	overrideRecipientField,
	{ ...moreOrderOptionsField, options: forUpdates(moreOrderOptions) },
];

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
	const read = (name: string) => omitBlank(collectionParameter(parameters, name, item));
	const { packageSize, packageSizeByWeight, instructions, ...options } = read('orderOptions');
	const { deliveryTypes, tags, packageName, ...more } = read('moreOrderOptions');
	const { referenceId, referenceIdFrom } = read('referenceOptions');
	if (more.cashOnDeliveryMethods !== undefined)
		more.cashOnDeliveryMethods = toList(more.cashOnDeliveryMethods);
	return {
		...options,
		...more,
		referenceIdFrom,
		deliveryTypes: collectionEntries(deliveryTypes, 'entry'),
		...packageSizeRule(packageSize, packageSizeByWeight),
		overrides: {
			...read('overrideRecipient'),
			instructions,
			referenceId,
			packageName,
			...(tags !== undefined && { tags: toList(tags) }),
		},
	};
}

/** Package Size by Weight overrides Package Size. */
function packageSizeRule(size: unknown, byWeight: unknown): object {
	if (byWeight !== undefined)
		return { packageSize: { by: 'weight', limits: collectionEntries(byWeight, 'limit') } };
	return size === undefined ? {} : { packageSize: { by: 'fixed', size } };
}

/** The names of the options in messages; they match the labels above. */
const orderMappingLabels: Labels<OrderMapping> = {
	fallbackEmail: 'fallback email',
	addressFormat: 'delivery address format',
	packagesPer: 'packages',
	packageSize: 'package',
	by: 'size type',
	size: 'size',
	limits: 'size by weight',
	upToKg: 'max weight in kilograms',
	// The fields of Decimal, which users never enter.
	units: '',
	scale: '',
	otherwise: 'size otherwise',
	referenceIdFrom: 'reference ID from',
	includeTags: 'include tags',
	includeAdditionalDetails: 'include additional details',
	includeCoordinates: 'include coordinates',
	cod: 'cash on delivery',
	cashOnDeliveryMethods: 'cash on delivery method',
	includeRefundedOrders: 'include refunded orders',
	includeTestOrders: 'include test orders',
	onlyPaidOrders: 'only paid orders',
	deliveryMethods: 'delivery method',
	deliveryTypes: 'delivery type by shipping method',
	method: 'shipping method',
	type: 'delivery type',
	overrides: '',
	name: 'recipient name',
	email: 'recipient email',
	phone: 'recipient phone',
	address: 'delivery address',
	instructions: 'delivery instructions',
	lat: 'delivery latitude',
	lng: 'delivery longitude',
	referenceId: 'reference ID',
	tags: 'tag',
	packageName: 'package name',
};
