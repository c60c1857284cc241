import type { INodeProperties } from 'n8n-workflow';
import type { z } from 'zod/v4';

import { collectionEntries, type ParameterReader } from '../../common/parameters';
import type { Problem, Result } from '../../common/result';
import { isBlank, lowerFirst, stripInvisible, truncate } from '../../common/text';
import { serviceLabels } from '../../service/labels';
import { placeOverrideSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import { text } from '../../service/values';
import type { ShopifyLocation } from '../../shopify/fulfillmentOrder';
import { showFor } from '../resource';
import { placeholders, readPlace, type EnteredPlace } from '../fields/place';

const contactDescription = 'Leave empty to use the one in the pickup fields';

/** The fields of a row, in the order in which users fill them in. */
const rowFields: INodeProperties[] = [
	{
		displayName: 'Shopify Location',
		name: 'shopifyLocation',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. Harbor Warehouse',
		description: 'Name or ID of the location in Shopify (under Settings > Locations)',
	},
	{
		displayName: 'Pickup Location',
		name: 'pickupType',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'One Line',
				value: 'address',
				description: 'The full address as one line of text',
			},
			{
				name: 'Saved Warehouse',
				value: 'warehouse',
				description: 'A warehouse saved in the Delivery Service dashboard',
			},
		],
		default: 'warehouse',
		description: 'How to enter the pickup address of this location',
	},
	...showFor({ pickupType: ['warehouse'] }, [
		{
			displayName: 'Warehouse ID',
			name: 'warehouse',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 7',
			description: 'Number of the warehouse, shown in the Delivery Service dashboard',
		},
	]),
	...showFor({ pickupType: ['address'] }, [
		{
			displayName: 'Address',
			name: 'address',
			type: 'string',
			required: true,
			default: '',
			placeholder: placeholders.pickup.address,
		},
	]),
	{
		displayName: 'Contact Name',
		name: 'contactName',
		type: 'string',
		default: '',
		placeholder: placeholders.pickup.name,
		description: contactDescription,
	},
	{
		displayName: 'Contact Email',
		name: 'contactEmail',
		type: 'string',
		default: '',
		placeholder: placeholders.pickup.email,
		description: contactDescription,
	},
	{
		displayName: 'Contact Phone',
		name: 'contactPhone',
		type: 'string',
		default: '',
		placeholder: 'e.g. +1 555 0100',
		description: contactDescription,
	},
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'string',
		default: '',
		placeholder: placeholders.pickup.instructions,
		description: 'Note for the driver. Those of the pickup fields are not used for this location.',
	},
];

/** The table of pickups by the Shopify location that ships the order. */
export const pickupByLocationField: INodeProperties = {
	displayName: 'Pickup by Location',
	name: 'pickupByLocation',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Location',
	default: {},
	description:
		'For shops that ship from several locations: the pickup of each. Locations that are not listed, and empty contact fields, use the pickup fields.',
	options: [{ displayName: 'Location', name: 'entry', values: rowFields }],
};

/** A location without a row in the table. */
export interface UnlistedLocation {
	name: string;
	isTableEmpty: boolean;
}

/** The pickup of an order. */
interface OrderPickup {
	pickup: EnteredPlace;
	unlistedLocation?: UnlistedLocation;
}

/**
 * The pickup of an order: that of the location that ships it, if the table has it, else the one in the
 * pickup fields. The table is read only if the order has a location.
 *
 * @param location the location that ships the order, if it is known
 * @returns the pickup, not yet checked against the rules of the service; or which row is invalid
 * @throws what n8n throws, e.g. when an expression fails
 */
export function readOrderPickup(
	parameters: ParameterReader,
	item: number,
	location: ShopifyLocation | undefined,
): Result<OrderPickup> {
	const pickup = readPlace(parameters, 'pickup', item);
	const name = location?.name ?? location?.id;
	if (location === undefined || name === undefined) return { ok: true, value: { pickup } };
	const table = readTable(parameters.get('pickupByLocation', item, {}));
	if (!table.ok) return table;
	const rows = table.value;
	const byId = findRow(rows, location.id);
	const byName = findRow(rows, location.name);
	if (byId && byName && byId !== byName) return failure(twoRowsProblem(name));
	const row = byId ?? byName;
	if (!row) {
		const unlistedLocation = { name, isTableEmpty: rows.size === 0 };
		return { ok: true, value: { pickup, unlistedLocation } };
	}
	const contact = { ...pickup.contact, ...row.contact };
	return { ok: true, value: { pickup: { contact, location: row.location } } };
}

type PlaceOverride = z.output<typeof placeOverrideSchema>;

/** The rows by location, see {@link locationKey}. */
type PickupTable = ReadonlyMap<string, PlaceOverride>;

function findRow(rows: PickupTable, location: string | undefined): PlaceOverride | undefined {
	return location === undefined ? undefined : rows.get(locationKey(location));
}

const locationGid = /^gid:\/\/shopify\/location\/(\d+)/;

/** A location's name, however it is typed, or its ID as a number. */
function locationKey(location: string): string {
	const key = stripInvisible(location).normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
	return locationGid.exec(key)?.[1] ?? key;
}

/** A table without expressions is one object for all items, so it's parsed once. */
const parsedTables = new WeakMap<object, Result<PickupTable>>();

function readTable(value: unknown): Result<PickupTable> {
	if (typeof value !== 'object' || value === null) return parseTable(value);
	const table = parsedTables.get(value) ?? parseTable(value);
	parsedTables.set(value, table);
	return table;
}

function parseTable(value: unknown): Result<PickupTable> {
	const table = new Map<string, PlaceOverride>();
	for (const [index, row] of collectionEntries(value, 'entry').entries()) {
		const location = isBlank(row.shopifyLocation)
			? failure({ message: 'Shopify location is missing', description: nothingSent })
			: validate(text, row.shopifyLocation, 'Shopify location', {});
		if (!location.ok) return failure(inRow(`row ${index + 1}`, location.problem));
		const name = truncate(location.value, 60);
		const place = validate(placeOverrideSchema, toPlace(row), 'Pickup', serviceLabels);
		if (!place.ok) {
			const { message, description } = place.problem;
			return failure(inRow(`"${name}"`, { message: lowerFirst(message), description }));
		}
		const key = locationKey(location.value);
		if (table.has(key)) return failure(repeatedRowProblem(name));
		table.set(key, place.value);
	}
	return { ok: true, value: table };
}

function toPlace(row: Readonly<Record<string, unknown>>): object {
	const { pickupType, warehouse, address, instructions } = row;
	return {
		contact: { name: row.contactName, email: row.contactEmail, phonenumber: row.contactPhone },
		location: { ...(pickupType === 'address' ? { address } : { warehouse }), instructions },
	};
}

function failure(problem: Problem): { ok: false; problem: Problem } {
	return { ok: false, problem };
}

const nothingSent = 'Nothing was sent for this item.';

function inRow(row: string, { message, description }: Problem): Problem {
	return { message: `Pickup by Location, ${row}: ${message}`, description };
}

function repeatedRowProblem(name: string): Problem {
	return {
		message: `Pickup by Location has several rows for "${name}"`,
		description: `Keep one of them. ${nothingSent}`,
	};
}

/** No order says which of the rows is right, and a driver at the wrong place is noticed late. */
function twoRowsProblem(name: string): Problem {
	return {
		message: `Pickup by Location has two rows for "${name}": one with its name, one with its ID`,
		description: `Keep one of them. ${nothingSent}`,
	};
}
