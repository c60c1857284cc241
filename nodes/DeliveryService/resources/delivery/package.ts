import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { collectionEntries, omitBlank } from '../../common/parameters';

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

const measureFields: INodeProperties[] = [
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

const name: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	placeholder: 'e.g. Box of shoes',
};

const quantityDescription = 'How many such packages, not how many products are inside';

/** The packages of a delivery: the service requires name, quantity and size (section 2.5). */
export const newPackages: INodeProperties = packageGroup(
	'The packages to move. At least one is needed.',
	{ name: '', qty: 1, size: 's', weight: '', price: '', id: '' },
	[
		name,
		{
			displayName: 'Quantity',
			name: 'qty',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 1,
			description: quantityDescription,
		},
		{
			displayName: 'Size',
			name: 'size',
			type: 'options',
			options: packageSizeOptions,
			default: 's',
		},
		...measureFields,
	],
);

/** The packages of an update: nothing is chosen for the user, since all that is given is changed. */
export const changedPackages: INodeProperties = packageGroup(
	'The new packages',
	{ name: '', qty: '', size: '', weight: '', price: '', id: '' },
	[
		name,
		{
			displayName: 'Quantity',
			name: 'qty',
			type: 'string',
			default: '',
			placeholder: 'e.g. 2',
			description: quantityDescription,
		},
		{
			displayName: 'Size',
			name: 'size',
			type: 'options',
			options: [{ name: 'As It Is', value: '' }, ...packageSizeOptions],
			default: '',
		},
		...measureFields,
	],
);

function packageGroup(
	description: string,
	first: INodeParameters,
	values: INodeProperties[],
): INodeProperties {
	return {
		displayName: 'Packages',
		name: 'packages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Package',
		// One to fill in, so that it is seen what a package has.
		default: { package: [first] },
		description,
		options: [{ displayName: 'Package', name: 'package', values }],
	};
}

/** The packages that the user filled in; empty fields and packages are left out. */
export function readPackages(group: unknown): object[] {
	return collectionEntries(group, 'package')
		.map(omitBlank)
		.filter((members) => Object.keys(members).length > 0);
}
