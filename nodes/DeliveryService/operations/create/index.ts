/** The two operations that create deliveries, as the editor shows them. */
import { operationError } from '../../common/result';
import { settingsProblems } from '../../messages/settings';
import { showFor, type Operation } from '../resource';
import { createDeliveries } from './create';
import { fromFields } from './fromFields';
import { fromJson } from './fromJson';
import { fromShopifyOrder } from './fromShopifyOrder';
import { optionFields } from './options';

/** Creates a delivery from each Shopify order. */
export const createFromOrders: Operation = {
	option: {
		name: 'Create From Shopify Orders',
		value: 'createFromOrders',
		action: 'Create deliveries from Shopify orders',
		description: 'Create a delivery from each Shopify order',
	},
	fields: fromShopifyOrder.fields,
	async run(context) {
		return await createDeliveries(context, () => fromShopifyOrder);
	},
};

/** What Create can create a delivery from. */
const choices = [
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
];

/** Creates a delivery from the values of each item. */
export const createDelivery: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create a delivery',
		description: 'Create a delivery from values you enter or JSON',
	},
	fields: [
		{
			displayName: 'Create From',
			name: 'source',
			type: 'options',
			noDataExpression: true,
			options: choices.map(({ option }) => option),
			default: 'defineBelow',
			description: 'What each delivery is created from',
		},
		...choices.flatMap(({ option, source }) => showFor({ source: [option.value] }, source.fields)),
		...optionFields(false),
	],
	async run(context) {
		return await createDeliveries(context, (parameters) => {
			const value = parameters.get('source', 0);
			const selected = choices.find(({ option }) => option.value === value);
			if (selected) return selected.source;
			throw operationError(context.getNode(), settingsProblems.noSource);
		});
	},
};
