import { createHash, randomUUID } from 'node:crypto';

import type {
	DeliveryRecord,
	DeliveryRequest,
	DeliveryType,
	Location,
	StoredDelivery,
	UpdateRequest,
} from './shapes';

const sizes = ['xs', 's', 'm', 'l', 'xl'];
const hourMs = 3_600_000;

/** The first two are documented; the others are invented for the local service. */
const statuses = ['pending review', 'processing', 'assigned', 'picked up', 'delivered'];

/** The symbol of the local service's only currency (docs/api.md, section 6, create task). */
export const currencySign = '$';

/**
 * Returns the next status in the local service's own order (docs/api.md, section 3 shows no transitions),
 * or undefined after the last one.
 */
export function nextStatus(status: string): string | undefined {
	return statuses[statuses.indexOf(status) + 1];
}

/**
 * Returns the stored delivery for one delivery of a create request (docs/api.md, sections 2.1 and 2.6).
 * Its status follows the geocoding rules of docs/api.md, section 2.4.
 */
export function createDelivery(
	request: DeliveryRequest,
	context: { index: number; companyId: number; type: DeliveryType; nowMs: number },
): StoredDelivery {
	const id = randomUUID();
	const located = isLocatable(request.pickup.location) && isLocatable(request.dropoff.location);
	const hours = context.type === 'express' ? 2 : 24;
	const record: DeliveryRecord = {
		index: context.index,
		id,
		...quote(request),
		currencyCode: 'USD',
		cityId: cityIdFor(request.pickup.location),
		destinationCityId: cityIdFor(request.dropoff.location),
		statusDelivery: located ? 'processing' : 'pending review',
		deliveryDate: new Date(context.nowMs + hours * hourMs).toISOString(),
		trackLink: `https://track.delivery-service.example/${id}`,
		...(request.referenceId === undefined ? {} : { referenceId: request.referenceId }),
	};
	return { request, record, companyId: context.companyId, type: context.type, tagIds: [] };
}

/**
 * Returns the delivery with the changes of an update request (docs/api.md, section 4.2). Location and
 * contact are merged into the dropoff, packages are replaced; price and city change only if requested.
 */
export function updateDelivery(delivery: StoredDelivery, update: UpdateRequest): StoredDelivery {
	const { location, contact, packages, cod, referenceId, addTags, removeTags } =
		update.deliveryChanges;
	const { dropoff } = delivery.request;
	const removed = new Set(removeTags);
	const request: DeliveryRequest = {
		...delivery.request,
		dropoff: {
			contact: { ...dropoff.contact, ...contact },
			location:
				location === undefined ? dropoff.location : mergeLocation(dropoff.location, location),
		},
		...(packages === undefined ? {} : { packages }),
		...(cod === undefined ? {} : { cod }),
		...(referenceId === undefined ? {} : { referenceId }),
	};
	return {
		...delivery,
		request,
		record: {
			...delivery.record,
			...(update.recalculatePrice === true ? quote(request) : {}),
			...(update.recalculateCity === true
				? { destinationCityId: cityIdFor(request.dropoff.location) }
				: {}),
			...(referenceId === undefined ? {} : { referenceId }),
		},
		tagIds: [...new Set([...delivery.tagIds, ...(addTags ?? [])])].filter((id) => !removed.has(id)),
	};
}

/** Merges a change into a location. A new address replaces the old coordinates and warehouse. */
function mergeLocation(before: Location, change: Location): Location {
	if (change.address === undefined) return { ...before, ...change };
	const { instructions } = before;
	return { ...(instructions === undefined ? {} : { instructions }), ...change };
}

function isLocatable(location: Location): boolean {
	const { lat = '', lng = '' } = location;
	const hasCoordinates = lat !== '' && lng !== '';
	// A location with a warehouse has no address text.
	return hasCoordinates || !addressText(location).toLowerCase().includes('nowhere');
}

function addressText({ address = '' }: Location): string {
	return typeof address === 'string' ? address : Object.values(address).join(' ');
}

type Quote = Pick<DeliveryRecord, 'price' | 'distance' | 'insurance' | 'vehicleCapacity'>;

/** Returns made-up but deterministic numbers: the same request always costs the same. */
function quote({ pickup, dropoff, packages }: DeliveryRequest): Quote {
	const places = JSON.stringify([pickup.location, dropoff.location]);
	const distance = 1 + (hashToNumber(places) % 2900) / 100;
	const value = packages.reduce((sum, { price = 0 }) => sum + Math.max(price, 0), 0);
	const capacities = packages.map(({ size = '' }) => sizes.indexOf(String(size).toLowerCase()) + 1);
	return {
		distance,
		price: roundToCents(3 + 0.8 * distance),
		insurance: roundToCents(value / 100),
		vehicleCapacity: Math.max(1, ...capacities),
	};
}

function cityIdFor(location: Location): number {
	const { address, warehouse } = location;
	const city = typeof address === 'object' ? address.city : undefined;
	return 1 + (hashToNumber(city ?? `${warehouse ?? addressText(location)}`) % 500);
}

function hashToNumber(text: string): number {
	return createHash('sha256').update(text).digest().readUInt32BE(0);
}

function roundToCents(value: number): number {
	return Math.round(value * 100) / 100;
}
