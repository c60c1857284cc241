import { operationError } from '../../common/result';
import { readJson } from '../../common/parameters';
import { showFor, type Operation } from '../resource';
import { fromFields } from './fromFields';
import { optionFields } from './options';
import { createDeliveries, type Source } from './create';
import { limits, deliveryJsonSchema } from '../../service/schemas';
import { joinSentences, lowerFirst, truncate } from '../../common/text';
import { orderToDelivery } from '../../shopify/toDelivery';
import { placeFields } from '../fields/place';
import { orderField, orderOptionsFields, readOrderMapping } from '../fields/shopifyOrder';
import { pickupByLocationField, readOrderPickup } from './pickupByLocation';

/** Creates deliveries from Shopify orders as n8n's Shopify nodes output them. */
const fromShopifyOrder: Source = {
	option: {
		name: 'Shopify Order',
		value: 'shopifyOrder',
		description: 'Like the operation Create From Shopify Orders',
	},
	isIndependent: true,
	fields: [
		{
			displayName:
				'Connect a node that outputs Shopify orders: each becomes one delivery. Leave Order as is and fill in the pickup. To send only some shipping methods, add Shipping Methods under Filters.',
			name: 'orderNotice',
			type: 'notice',
			default: '',
		},
		orderField,
		...placeFields('pickup', [pickupByLocationField]),
		...orderOptionsFields,
	],
	read(parameters, item) {
		const order = readJson(parameters.get('order', item), 'Order');
		if (!order.ok) return { problem: order.problem };
		const mapping = readOrderMapping(parameters, item);
		if (!mapping.ok) return { problem: mapping.problem };
		const info = orderToDelivery(order.value, mapping.value);
		const { delivery, ...others } = info;
		if (!delivery) return info;
		const name = others.shopifyOrder?.name ?? others.referenceId ?? 'The order';
		const read = readOrderPickup(parameters, item, others.location, name);
		if (!read.ok) return { ...others, problem: read.problem };
		const { pickup, unlistedLocation } = read.value;
		return { ...others, unlistedLocation, delivery: { pickup, ...delivery } };
	},
	rephrase({ message, description }, referenceId = '') {
		return {
			message: `Order ${truncate(referenceId, limits.referenceIdLength)}: ${lowerFirst(message)}`,
			description: joinSentences([
				description,
				'Fix pickup fields and values of options in this node, everything else in Shopify.',
			]),
		};
	},
};

/** Creates deliveries from JSON in the service's own format (API document, section 2.1). */
const fromJson: Source = {
	option: {
		name: 'JSON',
		value: 'json',
		description: 'Use a complete delivery as a JSON object, e.g. the input item',
	},
	fields: [
		{
			displayName: 'Delivery (JSON)',
			name: 'deliveryJson',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description:
				"The delivery in the format of the Delivery Service's API: pickup, dropoff and packages, and optionally referenceId, tags, extraData and cod",
		},
	],
	schema: deliveryJsonSchema,
	read(parameters, item) {
		const delivery = readJson(parameters.get('deliveryJson', item), 'Delivery (JSON)');
		return delivery.ok ? { delivery: delivery.value } : { problem: delivery.problem };
	},
};

/** Creates a delivery from each Shopify order. */
export const createFromOrders: Operation = {
	option: {
		name: 'Create From Shopify Orders',
		value: 'createFromOrders',
		action: 'Create deliveries from Shopify orders',
		description: 'Create a delivery from each Shopify order',
	},
	fields: [...fromShopifyOrder.fields, ...optionFields(true)],
	async run(context) {
		return await createDeliveries(context, () => fromShopifyOrder);
	},
};

const sources = [fromFields, fromJson, fromShopifyOrder];

/** Creates a delivery from the values of each item. */
export const createDelivery: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create a delivery',
		description: 'Create a delivery from values you enter, JSON or a Shopify order',
	},
	fields: [
		{
			displayName: 'Create From',
			name: 'source',
			type: 'options',
			noDataExpression: true,
			options: sources.map(({ option }) => option),
			default: 'defineBelow',
			description: 'What each delivery is created from',
		},
		...sources.flatMap(({ option, fields }) => showFor({ source: [option.value] }, fields)),
		...showFor({ source: ['defineBelow', 'json'] }, optionFields(false)),
		...showFor({ source: ['shopifyOrder'] }, optionFields(true)),
	],
	async run(context) {
		return await createDeliveries(context, (parameters) => {
			const value = parameters.get('source', 0);
			const selected = sources.find(({ option }) => option.value === value);
			if (selected) return selected;
			throw operationError(context.getNode(), { message: 'Choose a source under Create From' });
		});
	},
};
