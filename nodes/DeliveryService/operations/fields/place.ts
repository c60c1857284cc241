/** The fields of a pickup or a recipient with its address, and how they are read. */
import type { INodeProperties } from 'n8n-workflow';

import { coordinateFields, requiredField, textField } from '../../common/fields';
import {
	collectionParameter,
	omitBlank,
	oncePerRun,
	type ParameterReader,
} from '../../common/parameters';
import { lowerFirst } from '../../common/text';
import { showFor } from '../resource';

type Side = 'pickup' | 'dropoff';

/** The examples in the fields of a place. */
export const placeholders = {
	pickup: {
		name: 'e.g. Main Street Store',
		email: 'e.g. store@example.com',
		address: 'e.g. 12 Main Street, Springfield, IL 62701',
		street: 'e.g. 12 Main Street',
		instructions: 'e.g. Ring the bell at the back door',
	},
	dropoff: {
		name: 'e.g. Ana Torres',
		email: 'e.g. ana@example.com',
		address: 'e.g. 48 Oak Avenue, Springfield, IL 62704',
		street: 'e.g. 48 Oak Avenue',
		instructions: 'e.g. Leave with the concierge',
	},
} as const;

/** How a location can be entered. */
export const locationForms = {
	oneLine: {
		name: 'One Line',
		value: 'address',
		description: 'The full address as one line of text',
	},
	components: {
		name: 'Separate Fields',
		value: 'components',
		description: 'Street, city, ZIP code and so on. Located more reliably.',
	},
	warehouse: {
		name: 'Saved Warehouse',
		value: 'warehouse',
		description: 'A warehouse saved in the Delivery Service dashboard',
	},
} as const;

/** The fields of an address by components, besides the street. */
const otherComponents = [
	['Neighborhood', 'Neighborhood', 'e.g. Old Town'],
	['City', 'City', 'e.g. Springfield'],
	['State', 'State', 'e.g. Illinois'],
	['Zipcode', 'ZIP Code', 'e.g. 62704'],
	['Country', 'Country', 'e.g. United States'],
] as const;

/** The number of a saved warehouse. */
export function warehouseField(label: string, name: string): INodeProperties {
	const description = 'Number of the warehouse, shown in the Delivery Service dashboard';
	return requiredField(label, name, 'e.g. 7', description);
}

/**
 * The fields of a place: its contact, its location in one of three forms, and its details
 * (docs/api.md, sections 2.2 to 2.4).
 *
 * @param form the preselected form of the location
 * @param more other options, which are added to the details
 */
export function placeFields(
	side: Side,
	form: 'address' | 'components',
	more: readonly INodeProperties[] = [],
): INodeProperties[] {
	const person = side === 'pickup' ? 'Pickup' : 'Recipient';
	const title = side === 'pickup' ? 'Pickup' : 'Delivery';
	const example = placeholders[side];
	const role = side === 'pickup' ? 'hands over' : 'receives';
	const parameter = (name: string) => `${side}${name}`;
	return [
		requiredField(
			`${person} Name`,
			parameter('Name'),
			example.name,
			`The person or business that ${role} the packages`,
		),
		requiredField(
			`${person} Email`,
			parameter('Email'),
			example.email,
			`Email of the person who ${role} the packages. Required by the Delivery Service.`,
		),
		textField(`${person} Phone`, parameter('Phone'), 'e.g. +1 555 0100'),
		{
			displayName: `${title} Address Format`,
			name: parameter('LocationType'),
			type: 'options',
			noDataExpression: true,
			options: [locationForms.oneLine, locationForms.components, locationForms.warehouse],
			default: form,
			description: `How to enter the ${title.toLowerCase()} address`,
		},
		...showFor({ [parameter('LocationType')]: ['address'] }, [
			requiredField(`${title} Address`, parameter('Address'), example.address),
		]),
		...showFor({ [parameter('LocationType')]: ['components'] }, [
			requiredField(`${title} Street`, parameter('StreetName'), example.street),
			...otherComponents.map(([name, label, placeholder]) =>
				textField(`${title} ${label}`, parameter(name), placeholder),
			),
		]),
		...showFor({ [parameter('LocationType')]: ['warehouse'] }, [
			warehouseField(`${title} Warehouse ID`, parameter('Warehouse')),
		]),
		{
			displayName: more.length > 0 ? `${title} Options` : `${title} Details`,
			name: parameter('Details'),
			type: 'collection',
			placeholder: more.length > 0 ? 'Add Pickup Option' : 'Add Detail',
			default: {},
			options: [
				textField('Instructions', 'instructions', example.instructions, 'Note for the driver'),
				...coordinateFields(
					'',
					'Set latitude and longitude together. A place with coordinates needs no address review.',
				),
				...more,
			],
		},
	];
}

/**
 * The place that the user entered, in the service's format (docs/api.md, sections 2.2 to 2.4), not yet
 * checked.
 */
export function readPlace(parameters: ParameterReader, side: Side, item: number): Place {
	const read = (name: string): unknown => parameters.get(`${side}${name}`, item, '');
	const form = read('LocationType');
	const names = [...contactNames, ...(form === 'components' ? componentNames : [])];
	return places[side](
		parameters,
		collectionParameter(parameters, `${side}Details`, item),
		form,
		form === 'components' ? '' : read(form === 'warehouse' ? 'Warehouse' : 'Address'),
		...names.map(read),
	);
}

const contactNames = ['Name', 'Email', 'Phone'];
const componentNames = ['StreetName', ...otherComponents.map(([name]) => name)];

interface Place {
	contact: object;
	location: object;
}

/** @param values those of {@link contactNames}, and of {@link componentNames} if it has that form */
function toPlace(
	{ instructions, lat, lng }: Record<string, unknown>,
	form: unknown,
	place: unknown,
	...[name, email, phonenumber, ...components]: unknown[]
): Place {
	const address =
		form === 'components'
			? Object.fromEntries(componentNames.map((one, index) => [lowerFirst(one), components[index]]))
			: place;
	return {
		contact: omitBlank({ name, email, phonenumber }),
		location: {
			...(form === 'warehouse' ? { warehouse: place } : { address }),
			instructions,
			lat,
			lng,
		},
	};
}

/** An item has a place on each side, which stays the same for itself. */
const places = { pickup: oncePerRun(toPlace), dropoff: oncePerRun(toPlace) };
