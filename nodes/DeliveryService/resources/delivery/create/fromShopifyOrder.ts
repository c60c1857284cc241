import { limits } from '../../../service/limits';
import { lowerFirst, shortened } from '../../../service/text';
import { check } from '../../../service/validation';
import type { ParameterReader } from '../../../shared/parameterReader';
import { entriesOf, filledIn, listOf, readCollection, readJson } from '../../../shared/parameters';
import { orderMappingLabels, orderMappingSchema, overridesSchema } from '../../../shopify/mapping';
import { orderToDelivery } from '../../../shopify/toDelivery';
import { placeFields, readPlace } from '../place';
import { orderOptions } from './shopifyOrderOptions';
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
		{
			displayName: 'Order',
			name: 'order',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description: 'The order as a Shopify node gives it. By default the input item itself.',
		},
		...placeFields('pickup'),
		{
			displayName: 'Order Options',
			name: 'orderOptions',
			type: 'collection',
			placeholder: 'Add Order Option',
			default: {},
			description: "How the order's data is used",
			options: orderOptions,
		},
	],
	read(parameters, item) {
		const order = readJson(parameters.get('order', item), 'Order');
		if (!order.ok) return { kind: 'invalid', problem: order.problem };
		const mapping = check(
			orderMappingSchema,
			readMapping(parameters, item),
			'Order options',
			orderMappingLabels,
		);
		if (!mapping.ok) return { kind: 'invalid', problem: mapping.problem };
		const outcome = orderToDelivery(order.value, mapping.value);
		if (outcome.kind !== 'delivery') return outcome;
		const pickup = readPlace(parameters, 'pickup', item);
		return { ...outcome, delivery: { pickup, ...outcome.delivery } };
	},
	inItsWords({ message, description }, referenceId = '') {
		return {
			message: `Order ${shortened(referenceId, limits.referenceIdLength)}: ${lowerFirst(message)}`,
			description: `${description} What begins with Pickup is mended in the fields of this node, all else in the order in Shopify or under Order Options.`,
		};
	},
};

function readMapping(parameters: ParameterReader, item: number): object {
	const { packageSize, packageSizeByWeight, ...options } = filledIn(
		readCollection(parameters, 'orderOptions', item),
	);
	for (const name of ['tags', 'cashOnDeliveryNames'])
		if (options[name] !== undefined) options[name] = listOf(options[name]);
	const [overrides, others] = partition(options, (name) =>
		Object.hasOwn(overridesSchema.shape, name),
	);
	return { ...others, ...sizeRule(packageSize, packageSizeByWeight), overrides };
}

/** Of the two options for the size, the one by weight wins. */
function sizeRule(size: unknown, byWeight: unknown): object {
	if (byWeight !== undefined)
		return { packageSize: { by: 'weight', limits: entriesOf(byWeight, 'limit') } };
	return size === undefined ? {} : { packageSize: { by: 'fixed', size } };
}

/** The members whose names are of a kind, and the others. */
function partition(
	members: Readonly<Record<string, unknown>>,
	isOfKind: (name: string) => boolean,
): [object, object] {
	const entries = Object.entries(members);
	return [
		Object.fromEntries(entries.filter(([name]) => isOfKind(name))),
		Object.fromEntries(entries.filter(([name]) => !isOfKind(name))),
	];
}
