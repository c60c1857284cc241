/** Pickup by Location: its fields, and the pickup of an order by the location that ships it. */
import type { INodeProperties } from 'n8n-workflow';
import type { z } from 'zod/v4';

import { requiredField, textField } from '../../common/fields';
import {
	collectionEntries,
	collectionParameter,
	oncePerRun,
	type ParameterReader,
} from '../../common/parameters';
import { failure, type Result } from '../../common/result';
import { isBlank, stripInvisible, excerpt } from '../../common/text';
import type { PickupProblem } from '../../messages/pickup';
import { placeOverrideSchema } from '../../service/schemas';
import { serviceLabels, validate } from '../../service/validation';
import { text } from '../../service/values';
import type { ShopifyLocation } from '../../shopify/fulfillmentOrder';
import { locationForms, placeholders, readPlace, warehouseField } from '../fields/place';
import { showFor } from '../resource';

const contactDescription = 'Leave empty to use the one in the pickup fields';

const locationField = requiredField(
	'Shopify Location',
	'shopifyLocation',
	'e.g. Harbor Warehouse',
	'Name or ID of the location in Shopify (under Settings > Locations)',
);

/** The pickup of a row, in the order in which users fill it in. */
const pickupFields: INodeProperties[] = [
	{
		displayName: 'Pickup Address Format',
		name: 'pickupType',
		type: 'options',
		noDataExpression: true,
		options: [locationForms.oneLine, locationForms.warehouse],
		default: 'warehouse',
		description: 'How to enter the pickup address of this location',
	},
	...showFor({ pickupType: ['warehouse'] }, [warehouseField('Warehouse ID', 'warehouse')]),
	...showFor({ pickupType: ['address'] }, [
		requiredField('Address', 'address', placeholders.pickup.address),
	]),
	textField('Contact Name', 'contactName', placeholders.pickup.name, contactDescription),
	textField('Contact Email', 'contactEmail', placeholders.pickup.email, contactDescription),
	textField('Contact Phone', 'contactPhone', 'e.g. +1 555 0100', contactDescription),
	textField(
		'Instructions',
		'instructions',
		placeholders.pickup.instructions,
		'Note for the driver. Replaces the general pickup instructions, also if it is empty.',
	),
];

const othersName = 'All Other Locations';

/** The table of pickups by the Shopify location that ships the order. */
export const pickupByLocationField: INodeProperties = {
	displayName: 'Pickup by Location',
	name: 'pickupByLocation',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Location',
	default: {},
	description:
		'For shops that ship from several locations: the pickup of each. Orders from other locations, and orders not sent by fulfillment order, are not sent unless you add All Other Locations. Empty contact fields use the pickup fields.',
	options: [
		{ displayName: othersName, name: 'others', values: pickupFields },
		{ displayName: 'Location', name: 'entry', values: [locationField, ...pickupFields] },
	],
};

/**
 * The pickup of an order: that of the location that ships it. If the table is empty, the one in the
 * pickup fields.
 *
 * @param location the location that ships the order, if it is known
 * @returns the pickup, not yet checked against the rules of the service, or which row is invalid or
 *   missing
 * @throws what n8n throws, e.g. when an expression fails
 */
export function readOrderPickup(
	parameters: ParameterReader,
	item: number,
	location: ShopifyLocation | undefined,
): Result<object, PickupProblem> {
	const pickup = readPlace(parameters, 'pickup', item);
	const table = readTable(
		parameters,
		collectionParameter(parameters, 'pickupDetails.pickupByLocation', item),
	);
	if (!table.ok) return table;
	const { rows, others } = table.value;
	if (rows.size === 0 && !others) return { ok: true, value: pickup };
	const name = location?.name ?? location?.id;
	const byId = findRow(rows, location?.id);
	const byName = findRow(rows, location?.name);
	// No order says which of them is right, and a driver at the wrong place is noticed late.
	if (name !== undefined && byId && byName && byId !== byName)
		return failure({ code: 'repeatedRow', row: name });
	const row = byId ?? byName ?? others;
	if (!row) return failure({ code: 'noRow', location: name });
	const contact = { ...pickup.contact, ...row.contact };
	return { ok: true, value: { contact, location: row.location } };
}

type PlaceOverride = z.output<typeof placeOverrideSchema>;

interface PickupTable {
	/** By location, see {@link locationKey}. */
	rows: ReadonlyMap<string, PlaceOverride>;
	/** The row All Other Locations. */
	others?: PlaceOverride;
}

function findRow(
	rows: PickupTable['rows'],
	location: string | undefined,
): PlaceOverride | undefined {
	return location === undefined ? undefined : rows.get(locationKey(location));
}

const locationGid = /^gid:\/\/shopify\/location\/(\d+)/;

/** A location's name, however it is typed, or its ID as a number. */
function locationKey(location: string): string {
	const key = stripInvisible(location).normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
	return locationGid.exec(key)?.[1] ?? key;
}

type TableResult<Value> = Result<Value, PickupProblem>;

const readTable = oncePerRun((value: Record<string, unknown>): TableResult<PickupTable> => {
	const rows = new Map<string, PlaceOverride>();
	for (const [index, row] of collectionEntries(value, 'entry').entries()) {
		const named = isBlank(row.shopifyLocation) ? undefined : row.shopifyLocation;
		const location = validate(text, named, 'Shopify location', {});
		if (!location.ok)
			return failure({ code: 'invalidLocation', number: index + 1, problem: location.problem });
		const name = excerpt(location.value, 60);
		const place = readRow(row, name);
		if (!place.ok) return place;
		const key = locationKey(location.value);
		if (rows.has(key)) return failure({ code: 'repeatedRow', row: name });
		rows.set(key, place.value);
	}
	const [others, second] = collectionEntries(value, 'others');
	if (second) return failure({ code: 'repeatedRow', row: othersName });
	if (!others) return { ok: true, value: { rows } };
	const place = readRow(others, othersName);
	return place.ok ? { ok: true, value: { rows, others: place.value } } : place;
});

function readRow(row: Readonly<Record<string, unknown>>, name: string): TableResult<PlaceOverride> {
	const place = validate(placeOverrideSchema, toPlace(row), 'Pickup', serviceLabels);
	return place.ok ? place : failure({ code: 'invalidRow', row: name, problem: place.problem });
}

function toPlace(row: Readonly<Record<string, unknown>>): object {
	const { pickupType, warehouse, address, instructions } = row;
	return {
		contact: { name: row.contactName, email: row.contactEmail, phonenumber: row.contactPhone },
		location: { ...(pickupType === 'address' ? { address } : { warehouse }), instructions },
	};
}
