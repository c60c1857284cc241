import type { INodeProperties } from 'n8n-workflow';
import { omitBlank, collectionParameter, type ParameterReader } from '../../common/parameters';
import { showFor } from '../resource';

type Side = 'pickup' | 'dropoff';

const placeholders = {
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

/**
 * The fields of a place: contact, location in one of its three ways, and details (service
 * document, sections 2.2 to 2.4).
 */
export function placeFields(side: Side): INodeProperties[] {
	const title = side === 'pickup' ? 'Pickup' : 'Dropoff';
	const example = placeholders[side];
	const who = side === 'pickup' ? 'hands over' : 'receives';
	const field = (name: string) => `${side}${name}`;
	const component = (name: string, label: string, placeholder: string): INodeProperties => ({
		displayName: `${title} ${label}`,
		name: field(name),
		type: 'string',
		default: '',
		placeholder,
	});
	return [
		{
			displayName: `${title} Name`,
			name: field('Name'),
			type: 'string',
			required: true,
			default: '',
			placeholder: example.name,
			description: `The person or business that ${who} the packages`,
		},
		{
			displayName: `${title} Email`,
			name: field('Email'),
			type: 'string',
			required: true,
			default: '',
			placeholder: example.email,
			description: `The e-mail address of the contact that ${who} the packages`,
		},
		{
			displayName: `${title} Phone`,
			name: field('Phone'),
			type: 'string',
			default: '',
			placeholder: 'e.g. +1 555 0100',
		},
		{
			displayName: `${title} Location`,
			name: field('LocationType'),
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Full Address',
					value: 'address',
					description: 'The whole address as one line of text',
				},
				{
					name: 'Address Components',
					value: 'components',
					description: 'Street, city and so on, each apart: found on the map more often',
				},
				{
					name: 'Saved Warehouse',
					value: 'warehouse',
					description: 'A place saved in the dashboard of the Delivery Service',
				},
			],
			default: 'address',
			description: 'How the place is given',
		},
		...showFor({ [field('LocationType')]: ['address'] }, [
			{
				displayName: `${title} Address`,
				name: field('Address'),
				type: 'string',
				required: true,
				default: '',
				placeholder: example.address,
			},
		]),
		...showFor({ [field('LocationType')]: ['components'] }, [
			component('StreetName', 'Street', example.street),
			component('Neighborhood', 'Neighborhood', 'e.g. Old Town'),
			component('City', 'City', 'e.g. Springfield'),
			component('State', 'State', 'e.g. Illinois'),
			component('Zipcode', 'ZIP Code', 'e.g. 62704'),
			component('Country', 'Country', 'e.g. United States'),
		]),
		...showFor({ [field('LocationType')]: ['warehouse'] }, [
			{
				displayName: `${title} Warehouse ID`,
				name: field('Warehouse'),
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. 7',
				description: 'The number of the warehouse in the dashboard of the Delivery Service',
			},
		]),
		{
			displayName: `${title} Details`,
			name: field('Details'),
			type: 'collection',
			placeholder: 'Add Detail',
			default: {},
			options: [
				{
					displayName: 'Instructions',
					name: 'instructions',
					type: 'string',
					default: '',
					placeholder: example.instructions,
					description: 'What the driver should know about the place',
				},
				{
					displayName: 'Latitude',
					name: 'lat',
					type: 'string',
					default: '',
					placeholder: 'e.g. 39.7817',
					description:
						'Give latitude and longitude together: a delivery with coordinates needs no review of its address',
				},
				{
					displayName: 'Longitude',
					name: 'lng',
					type: 'string',
					default: '',
					placeholder: 'e.g. -89.6501',
					description:
						'Give latitude and longitude together: a delivery with coordinates needs no review of its address',
				},
			],
		},
	];
}

/** The place that the user filled in, as the service's document has it; empty fields are left out. */
export function readPlace(parameters: ParameterReader, side: Side, item: number): object {
	const read = (name: string): unknown => parameters.get(`${side}${name}`, item, '');
	return {
		contact: omitBlank({ name: read('Name'), email: read('Email'), phonenumber: read('Phone') }),
		location: {
			...readPlaceAddress(read),
			...omitBlank(collectionParameter(parameters, `${side}Details`, item)),
		},
	};
}

function readPlaceAddress(read: (name: string) => unknown): object {
	switch (read('LocationType')) {
		case 'components':
			return {
				address: omitBlank({
					streetName: read('StreetName'),
					neighborhood: read('Neighborhood'),
					city: read('City'),
					state: read('State'),
					zipcode: read('Zipcode'),
					country: read('Country'),
				}),
			};
		case 'warehouse':
			return omitBlank({ warehouse: read('Warehouse') });
		default:
			return omitBlank({ address: read('Address') });
	}
}
