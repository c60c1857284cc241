/** Create from the fields of the node: the fields, and how an item becomes a delivery by them. */
import { textField } from '../../common/fields';
import { collectionEntries, toList, collectionParameter, readJson } from '../../common/parameters';
import { packagesField, readPackages } from '../fields/package';
import { placeFields, readPlace } from '../fields/place';
import { showFor } from '../resource';
import type { Source } from './readItem';

/** Creates deliveries from the fields of the node (docs/api.md, section 2.1). */
export const fromFields: Source = {
	fields: [
		...placeFields('pickup', 'address'),
		...placeFields('dropoff', 'address'),
		{
			displayName: 'Define Packages',
			name: 'packagesInput',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'Using Fields Below', value: 'list' },
				{ name: 'Using JSON', value: 'json' },
			],
			default: 'list',
		},
		...showFor({ packagesInput: ['list'] }, [packagesField]),
		...showFor({ packagesInput: ['json'] }, [
			{
				displayName: 'Packages (JSON)',
				name: 'packagesJson',
				type: 'json',
				default: '[\n  { "name": "Box", "qty": 1, "size": "s" }\n]',
				description:
					'JSON array of packages, each with name, qty and size, and optionally ID, weight (kg) and price',
			},
		]),
		textField(
			'Reference ID',
			'referenceId',
			'e.g. #1001',
			'Your own identifier for the delivery, e.g. the order number (up to 40 characters)',
		),
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				textField(
					'Cash on Delivery',
					'cod',
					'e.g. 49.90',
					'Amount that the driver collects from the recipient',
				),
				{
					displayName: 'Extra Data',
					name: 'extraData',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add Entry',
					default: {},
					description: 'Additional data as pairs of names and values',
					options: [
						{
							displayName: 'Entry',
							name: 'entry',
							values: [
								textField('Name', 'name', 'e.g. Gift note'),
								textField('Value', 'value', 'e.g. Happy birthday!'),
								{
									displayName: 'Searchable',
									name: 'searchable',
									type: 'boolean',
									default: false,
									description: 'Whether to mark the entry as searchable',
								},
							],
						},
					],
				},
				textField(
					'Tags',
					'tags',
					'e.g. fragile, morning',
					'Comma-separated list of tag names (up to 50 characters each)',
				),
			],
		},
	],
	read(parameters, item) {
		const packages =
			parameters.get('packagesInput', item, 'list') === 'json'
				? readJson(parameters.get('packagesJson', item), 'Packages (JSON)')
				: ({ ok: true, value: readPackages(parameters.get('packages', item, {})) } as const);
		if (!packages.ok) return { problem: packages.problem };
		const { tags, extraData, cod } = collectionParameter(parameters, 'additionalFields', item);
		// The editor always includes `searchable`: false only means that the user left it off.
		const entries = collectionEntries(extraData, 'entry').map(({ searchable, ...entry }) =>
			searchable === false ? entry : { ...entry, searchable },
		);
		return {
			delivery: {
				pickup: readPlace(parameters, 'pickup', item),
				dropoff: readPlace(parameters, 'dropoff', item),
				packages: packages.value,
				referenceId: parameters.get('referenceId', item, ''),
				tags: toList(tags),
				extraData: entries,
				cod,
			},
		};
	},
};
