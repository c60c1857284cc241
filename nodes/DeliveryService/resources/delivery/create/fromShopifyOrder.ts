import { limits } from '../../../service/limits';
import { lowerFirst, truncate } from '../../../common/text';
import { readJson } from '../../../common/parameters';
import { orderToDelivery, type OrderResult } from '../../../shopify/toDelivery';
import { placeFields, readPlace } from '../place';
import { orderField, orderOptionsField, readOrderMapping } from '../shopifyOrder';
import type { Source } from './source';

/** A delivery from a Shopify order as n8n's Shopify nodes emit it. */
export const fromShopifyOrder: Source = {
	option: {
		name: 'Shopify Order',
		value: 'shopifyOrder',
		description: 'Take recipient, address, packages and payment from an order of a Shopify node',
	},
	skipsAlreadySent: true,
	fields: [
		{
			displayName:
				'Connect a Shopify node before this one: each order that it gives becomes one delivery. Leave Order as it is, and fill in where the packages are picked up.',
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
		const outcome = orderToDelivery(order.value, mapping.value);
		if (outcome.kind !== 'delivery') return outcome;
		const pickup = readPlace(parameters, 'pickup', item);
		return { ...outcome, delivery: { pickup, ...outcome.delivery } };
	},
	rephrase({ message, description }, referenceId = '') {
		return {
			message: `Order ${truncate(referenceId, limits.referenceIdLength)}: ${lowerFirst(message)}`,
			description: `${description} What begins with Pickup is mended in the fields of this node, all else in the order in Shopify or under Order Options.`,
		};
	},
};
