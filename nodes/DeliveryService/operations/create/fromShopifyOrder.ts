import { limits } from '../../service/schemas';
import { lowerFirst, truncate } from '../../common/text';
import { readJson } from '../../common/parameters';
import { orderToDelivery } from '../../shopify/toDelivery';
import { placeFields } from '../fields/place';
import { orderField, orderOptionsFields, readOrderMapping } from '../fields/shopifyOrder';
import { pickupByLocationField, readOrderPickup } from './pickupByLocation';
import type { Source, SourceResult } from './source';

/** Creates deliveries from Shopify orders as n8n's Shopify nodes output them. */
export const fromShopifyOrder: Source = {
	fields: [
		{
			displayName:
				'Connect a Shopify node: each order it outputs becomes one delivery. Leave Order as is and fill in the pickup.',
			name: 'orderNotice',
			type: 'notice',
			default: '',
		},
		orderField,
		...placeFields('pickup', [pickupByLocationField]),
		...orderOptionsFields,
	],
	read(parameters, item): SourceResult {
		const order = readJson(parameters.get('order', item), 'Order');
		if (!order.ok) return { kind: 'invalid', problem: order.problem };
		const mapping = readOrderMapping(parameters, item);
		if (!mapping.ok) return { kind: 'invalid', problem: mapping.problem };
		const result = orderToDelivery(order.value, mapping.value);
		if (result.kind !== 'delivery') return result;
		const { kind, delivery, ...facts } = result;
		const { address } = mapping.value.overrides;
		if (address !== undefined && parameters.isFixed('orderOptions.address'))
			facts.actions = [...(facts.actions ?? []), { code: 'fixedAddress', address }];
		const name = facts.shopifyOrder?.name ?? facts.referenceId ?? 'The order';
		const read = readOrderPickup(parameters, item, facts.location, name);
		if (!read.ok) return { ...facts, kind: 'invalid', problem: read.problem };
		const { pickup, unlistedLocation } = read.value;
		return {
			...facts,
			unlistedLocation,
			kind,
			delivery: { pickup, ...delivery },
		};
	},
	rephrase({ message, description }, referenceId = '') {
		return {
			message: `Order ${truncate(referenceId, limits.referenceIdLength)}: ${lowerFirst(message)}`,
			description: `${description} Fix pickup fields and values of options in this node, everything else in Shopify.`,
		};
	},
};
