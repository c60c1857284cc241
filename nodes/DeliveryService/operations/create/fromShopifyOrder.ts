import { limits } from '../../service/limits';
import { lowerFirst, truncate } from '../../common/text';
import { readJson } from '../../common/parameters';
import { skipMessage } from '../../messages/orders';
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
		...placeFields('pickup'),
		pickupByLocationField,
		...orderOptionsFields,
	],
	read(parameters, item): SourceResult<unknown> {
		const order = readJson(parameters.get('order', item), 'Order');
		if (!order.ok) return { kind: 'invalid', problem: order.problem };
		const mapping = readOrderMapping(parameters, item);
		if (!mapping.ok) return { kind: 'invalid', problem: mapping.problem };
		const result = orderToDelivery(order.value, mapping.value);
		if (result.kind === 'skipped') return { ...result, message: skipMessage(result, result.label) };
		if (result.kind === 'invalid') return result;
		const { kind, delivery, ...facts } = result;
		const read = readOrderPickup(parameters, item, facts.location);
		if (!read.ok) return { ...facts, kind: 'invalid', problem: read.problem };
		const { pickup, unlistedLocation } = read.value;
		return {
			...facts,
			...(unlistedLocation && { unlistedLocation }),
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
