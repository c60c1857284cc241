import { limits } from '../../../service/limits';
import { lowerFirst, truncate } from '../../../common/text';
import { readJson } from '../../../common/parameters';
import { orderToDelivery, type OrderResult } from '../../../shopify/toDelivery';
import { placeFields, readPlace } from '../place';
import { orderField, orderOptionsField, readOrderMapping } from '../shopifyOrder';
import type { Source } from './source';

/** Creates deliveries from Shopify orders as n8n's Shopify nodes output them. */
export const fromShopifyOrder: Source = {
	option: {
		name: 'Shopify Order',
		value: 'shopifyOrder',
		description: 'Use the recipient, address, packages and payment of a Shopify order',
	},
	skipsAlreadySent: true,
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
		orderOptionsField,
	],
	read(parameters, item): OrderResult<unknown> {
		const order = readJson(parameters.get('order', item), 'Order');
		if (!order.ok) return { kind: 'invalid', problem: order.problem };
		const mapping = readOrderMapping(parameters, item);
		if (!mapping.ok) return { kind: 'invalid', problem: mapping.problem };
		const result = orderToDelivery(order.value, mapping.value);
		if (result.kind !== 'delivery') return result;
		const pickup = readPlace(parameters, 'pickup', item);
		return { ...result, delivery: { pickup, ...result.delivery } };
	},
	rephrase({ message, description }, referenceId = '') {
		return {
			message: `Order ${truncate(referenceId, limits.referenceIdLength)}: ${lowerFirst(message)}`,
			description: `${description} Fix pickup fields and values from Order Options in this node, everything else in Shopify.`,
		};
	},
};
