import type { INodeProperties } from 'n8n-workflow';

import { deliveryTypeOptions, textField } from '../../common/fields';
import { sizeField } from './package';
import { defaultLimits } from '../../shopify/mapping';

/** The order option with a delivery type per shipping method. */
export const deliveryTypesOption: INodeProperties = {
	displayName: 'Delivery Type by Shipping Method',
	name: 'deliveryTypes',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Shipping Method',
	default: {},
	description:
		"Delivery type by the order's shipping method. Overrides Delivery Type; other shipping methods use that.",
	options: [
		{
			displayName: 'Shipping Method',
			name: 'entry',
			values: [
				{
					displayName: 'Delivery Type',
					name: 'type',
					type: 'options',
					options: deliveryTypeOptions,
					default: 'express',
				},
				textField(
					'Shipping Method',
					'method',
					'e.g. Same-Day Delivery',
					'The whole title or code of the shipping method in Shopify. An asterisk (*) stands for any text.',
				),
			],
		},
	],
};

/** The order option with a package size per weight. */
export const packageSizeByWeightOption: INodeProperties = {
	displayName: 'Package Size by Weight',
	name: 'packageSizeByWeight',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Limit',
	default: { limit: defaultLimits },
	description:
		'Package size by weight. Packages that are heavier or have an unknown weight are XL. Overrides Package Size.',
	options: [
		{
			displayName: 'Limit',
			name: 'limit',
			values: [
				{
					displayName: 'Max Weight in Kilograms',
					name: 'upToKg',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 1,
					description: 'Maximum weight of a package of this size',
				},
				sizeField,
			],
		},
	],
};
