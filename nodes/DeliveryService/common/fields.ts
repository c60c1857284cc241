/** The fields of the panel that several operations share. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** A field of text. */
export function textField(
	displayName: string,
	name: string,
	placeholder: string,
	description?: string,
): INodeProperties {
	const described = description === undefined ? {} : { description };
	return { displayName, name, type: 'string', default: '', placeholder, ...described };
}

/** A field of text that must be filled in. */
export function requiredField(...text: Parameters<typeof textField>): INodeProperties {
	return { ...textField(...text), required: true };
}

/** Latitude and longitude. */
export function coordinateFields(prefix: string, description: string): INodeProperties[] {
	return [
		textField(`${prefix}Latitude`, 'lat', 'e.g. 39.7817', description),
		textField(`${prefix}Longitude`, 'lng', 'e.g. -89.6501', description),
	];
}

/** An option that adding it turns on. */
export function flagField(displayName: string, name: string, description: string): INodeProperties {
	return { displayName, name, type: 'boolean', default: true, description };
}

/** The reference IDs of existing or sent deliveries. */
export const referenceIdsField: INodeProperties = requiredField(
	'Reference IDs',
	'referenceIds',
	'e.g. #1001, #1002',
	'Comma-separated list of reference IDs, or an expression that returns a list. If an ID contains a comma, use an expression.',
);

/** The delivery types (docs/api.md, section 4.1). */
export const deliveryTypeOptions: INodePropertyOptions[] = [
	{ name: 'Express', value: 'express' },
	{ name: 'Flex', value: 'flex' },
	{ name: 'Slot', value: 'slot' },
];

/** The collection of an operation's or a node's options. */
export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
};

/** The company to use instead of the credential's. */
export const companyIdField: INodeProperties = textField(
	'Company ID',
	'companyId',
	'e.g. 42',
	'The company whose webhooks to manage. Remove this option to use the one in the credential.',
);

export const childCompanyLabel = 'Child Company ID';

/** The child company that deliveries are created for, in place of the own company. */
export function childCompanyField(description: string): INodeProperties {
	return { ...companyIdField, displayName: childCompanyLabel, description };
}
