/** The fields of packages, for Create and Update, and how they are read. */
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { textField } from '../../common/fields';
import { collectionEntries, omitBlank } from '../../common/parameters';

/** The package sizes (docs/api.md, section 2.5). */
export const packageSizeOptions: INodePropertyOptions[] = [
	{ name: 'Extra Small (XS)', value: 'xs' },
	{ name: 'Small (S)', value: 's' },
	{ name: 'Medium (M)', value: 'm' },
	{ name: 'Large (L)', value: 'l' },
	{ name: 'Extra Large (XL)', value: 'xl' },
];

/** The size of a package. */
export const sizeField: INodeProperties = {
	displayName: 'Size',
	name: 'size',
	type: 'options',
	options: packageSizeOptions,
	default: 's',
};

const measureFields: INodeProperties[] = [
	textField(
		'Weight in Kilograms',
		'weight',
		'e.g. 1.5',
		'Total weight in kilograms: the weight of one package times the quantity',
	),
	textField(
		'Price',
		'price',
		'e.g. 49.90',
		"Total price in your company's currency: the price of one package times the quantity",
	),
	textField('ID', 'id', 'e.g. PK-1', 'Your own identifier for the package'),
];

const name: INodeProperties = textField('Name', 'name', 'e.g. Box of shoes');

const quantityDescription = 'Number of packages, not of the products inside';

/** The packages of a new delivery: name, quantity and size are required (docs/api.md, section 2.5). */
export const packagesField: INodeProperties = packageGroup(
	'The packages to deliver. At least one is required.',
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
		sizeField,
		...measureFields,
	],
);

/** The packages of an update: no value is preselected, because every value would be a change. */
export const updatedPackagesField: INodeProperties = packageGroup(
	'The new packages. List all packages of the delivery: those you leave out may be removed.',
	{ name: '', qty: '', size: '', weight: '', price: '', id: '' },
	[
		name,
		textField('Quantity', 'qty', 'e.g. 2', quantityDescription),
		{
			...sizeField,
			options: [{ name: 'Unchanged', value: '' }, ...packageSizeOptions],
			default: '',
		},
		...measureFields,
	],
);

function packageGroup(
	description: string,
	emptyPackage: INodeParameters,
	values: INodeProperties[],
): INodeProperties {
	return {
		displayName: 'Packages',
		name: 'packages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Package',
		// One empty package, so that its fields are visible.
		default: { package: [emptyPackage] },
		description,
		options: [{ displayName: 'Package', name: 'package', values }],
	};
}

/** The packages that the user entered, without empty fields and empty packages. */
export function readPackages(group: unknown): object[] {
	return collectionEntries(group, 'package')
		.map(omitBlank)
		.filter((fields) => Object.keys(fields).length > 0);
}
