import { unwrap } from '../../service/nodeErrors';
import type { Result } from '../../common/result';
import type { ParameterReader } from '../../common/parameters';
import { showFor, type Operation } from '../resource';
import { fromFields } from './fromFields';
import { fromJson } from './fromJson';
import { fromShopifyOrder } from './fromShopifyOrder';
import { optionFields } from './options';
import { createDeliveries } from './create';
import type { Source } from './source';

/** Creates a delivery from each Shopify order. */
export const createFromOrders: Operation = {
	option: {
		name: 'Create From Shopify Orders',
		value: 'createFromOrders',
		action: 'Create deliveries from Shopify orders',
		description: 'Create a delivery from each Shopify order',
	},
	fields: [...fromShopifyOrder.fields, ...optionFields({ skipsAlreadySent: true })],
	async run(context) {
		return await createDeliveries(context, () => fromShopifyOrder);
	},
};

const sources = [
	{
		option: {
			name: 'Define Below',
			value: 'defineBelow',
			description: 'Enter pickup, recipient and packages in this node',
		},
		source: fromFields,
	},
	{
		option: {
			name: 'JSON',
			value: 'json',
			description: 'Use a complete delivery as a JSON object, e.g. the input item',
		},
		source: fromJson,
	},
	{
		option: {
			name: 'Shopify Order',
			value: 'shopifyOrder',
			description: 'Like the operation Create From Shopify Orders',
		},
		source: fromShopifyOrder,
	},
] as const;

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
		...sources.flatMap(({ option, source }) => showFor({ source: [option.value] }, source.fields)),
		...showFor({ source: ['defineBelow', 'json'] }, optionFields({ skipsAlreadySent: false })),
		...showFor({ source: ['shopifyOrder'] }, optionFields({ skipsAlreadySent: true })),
	],
	async run(context) {
		return await createDeliveries(context, (parameters) =>
			unwrap(context.getNode(), selectedSource(parameters)),
		);
	},
};

/** @returns a problem when an imported workflow names an unknown source */
function selectedSource(parameters: ParameterReader): Result<Source> {
	const value = parameters.get('source', 0);
	const selected = sources.find(({ option }) => option.value === value);
	return selected
		? { ok: true, value: selected.source }
		: { ok: false, problem: { message: 'Choose a source under Create From' } };
}
