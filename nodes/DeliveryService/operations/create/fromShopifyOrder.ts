/** The fields of Create From Shopify Orders, and how an item becomes a delivery by them. */
import { readJson } from '../../common/parameters';
import { excerpt } from '../../common/text';
import { pickupProblem } from '../../messages/pickup';
import { orderProblem, ruleProblem } from '../../messages/problems';
import { limits } from '../../service/schemas';
import { orderToDelivery } from '../../shopify/toDelivery';
import { placeFields } from '../fields/place';
import { orderField, orderOptionsFields, readOrderMapping } from '../fields/shopifyOrder';
import { optionFields } from './options';
import { pickupByLocationField, readOrderPickup } from './pickupByLocation';
import type { Source } from './readItem';

/** Creates deliveries from Shopify orders as n8n's Shopify nodes output them. */
export const fromShopifyOrder: Source = {
	isIndependent: true,
	fields: [
		{
			displayName:
				'Connect a node that outputs Shopify orders: each becomes one delivery. Fill in the pickup, and if you also ship by mail, the Shipping Methods for drivers.',
			name: 'orderNotice',
			type: 'notice',
			default: '',
		},
		...placeFields('pickup', 'components', [pickupByLocationField]),
		...orderOptionsFields,
		...optionFields(true),
		orderField,
	],
	read(parameters, item) {
		const order = readJson(parameters.get('order', item), 'Order');
		if (!order.ok) return { problem: order.problem };
		const mapping = readOrderMapping(parameters, item);
		if (!mapping.ok) return { problem: mapping.problem };
		const { decision, ...info } = orderToDelivery(order.value, mapping.value);
		const known = { order: info, isSentAnyway: mapping.value.sendAnyway };
		if (decision.kind === 'invalid')
			return {
				...known,
				problem: orderProblem(info.label, decision.problems),
				cause: decision.problems[0]?.code,
			};
		if (decision.kind === 'skip') return { ...known, skip: decision.skip };
		const name = info.shopifyOrder?.name ?? info.referenceId ?? 'The order';
		const pickup = readOrderPickup(parameters, item, info.location);
		if (!pickup.ok)
			return { ...known, problem: pickupProblem(name, pickup.problem), cause: 'noPickup' };
		return { ...known, delivery: { pickup: pickup.value, ...decision.delivery } };
	},
	rephrase: (problem, referenceId = '') =>
		ruleProblem(excerpt(referenceId, limits.referenceIdLength), problem),
};
