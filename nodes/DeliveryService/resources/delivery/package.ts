import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { entriesOf, filledIn } from '../../shared/parameters';

/** The sizes as a picker shows them (service document, section 2.5). */
export const packageSizeOptions: INodePropertyOptions[] = [
	{ name: 'Extra Small (XS)', value: 'xs' },
	{ name: 'Small (S)', value: 's' },
	{ name: 'Medium (M)', value: 'm' },
	{ name: 'Large (L)', value: 'l' },
	{ name: 'Extra Large (XL)', value: 'xl' },
];

const packageId: INodeProperties = {
	displayName: 'ID',
	name: 'id',
	type: 'string',
	default: '',
	placeholder: 'e.g. PK-1',
	description: 'Your own identifier of the package',
};

const packageFields: INodeProperties[] = [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Box of shoes',
	},
	{
		displayName: 'Quantity',
		name: 'qty',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1,
		description: 'How many such packages, not how many products are inside',
	},
	{
		displayName: 'Size',
		name: 'size',
		type: 'options',
		options: packageSizeOptions,
		default: 's',
	},
	{
		displayName: 'Weight in Kilograms',
		name: 'weight',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1.5',
		description: 'The weight of one package times the quantity, in kilograms',
	},
	{
		displayName: 'Price',
		name: 'price',
		type: 'string',
		default: '',
		placeholder: 'e.g. 49.90',
		description: "The price of one package times the quantity, in your company's currency",
	},
	packageId,
];

/** A repeatable group of package fields, for creation and for update. */
export function packageGroup(description: string): INodeProperties {
	return {
		displayName: 'Packages',
		name: 'packages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Package',
		// One to fill in, so that it is seen what a package needs.
		default: { package: [{ name: '', qty: 1, size: 's', weight: '', price: '', id: '' }] },
		description,
		options: [{ displayName: 'Package', name: 'package', values: packageFields }],
	};
}

/** The packages that the user filled in; empty fields are left out. */
export function readPackages(group: unknown): object[] {
	return entriesOf(group, 'package').map(filledIn);
}
