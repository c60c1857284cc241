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
const earthRadiusKm = 6371;

/** The document names the first two; the rest are the local service's own invention. */
const statuses = ['pending review', 'processing', 'assigned', 'picked up', 'delivered'];

/** Symbol of the one currency that the local service charges in (section 6, create task). */
export const currencySign = '$';

/**
 * The status after the given one in the local service's own order (section 3 shows no transitions);
 * undefined after the last.
 */
export function nextStatus(status: string): string | undefined {
	return statuses[statuses.indexOf(status) + 1];
}

/**
 * Makes the stored delivery for one item of a creation request (sections 2.1 and 2.6), with its
 * status by the geocoding rules of section 2.4.
 */
export function createDelivery(
	request: DeliveryRequest,
	place: { index: number; companyId: number; type: DeliveryType; nowMs: number },
): StoredDelivery {
	const id = randomUUID();
	const located = isLocatable(request.pickup.location) && isLocatable(request.dropoff.location);
	const hours = place.type === 'express' ? 2 : 24;
	const record: DeliveryRecord = {
		index: place.index,
		id,
		...quote(request),
		currencyCode: 'USD',
		cityId: cityOf(request.pickup.location),
		destinationCityId: cityOf(request.dropoff.location),
		statusDelivery: located ? 'processing' : 'pending review',
		deliveryDate: new Date(place.nowMs + hours * hourMs).toISOString(),
		trackLink: `https://track.delivery-service.example/${id}`,
		...(request.referenceId === undefined ? {} : { referenceId: request.referenceId }),
	};
	return { request, record, companyId: place.companyId, type: place.type, tagIds: [] };
}

/**
 * The delivery after an update request's changes (section 4.2): location and contact are merged
 * into the dropoff, packages are replaced, price and city follow only when asked for.
 */
export function changeDelivery(delivery: StoredDelivery, update: UpdateRequest): StoredDelivery {
	const { location, contact, packages, cod, referenceId, addTags, removeTags } =
		update.deliveryChanges;
	const { dropoff } = delivery.request;
	const removed = new Set(removeTags);
	const request: DeliveryRequest = {
		...delivery.request,
		dropoff: {
			contact: { ...dropoff.contact, ...contact },
			location: location === undefined ? dropoff.location : moved(dropoff.location, location),
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
				? { destinationCityId: cityOf(request.dropoff.location) }
				: {}),
			...(referenceId === undefined ? {} : { referenceId }),
		},
		tagIds: [...new Set([...delivery.tagIds, ...(addTags ?? [])])].filter((id) => !removed.has(id)),
	};
}

/** A new address makes the coordinates or the warehouse of the old one wrong. */
function moved(before: Location, change: Location): Location {
	if (change.address === undefined) return { ...before, ...change };
	const { instructions } = before;
	return { ...(instructions === undefined ? {} : { instructions }), ...change };
}

function isLocatable(location: Location): boolean {
	// A warehouse stands in place of an address, so it has no text that could fail.
	return (
		coordinatesOf(location) !== undefined ||
		!addressText(location).toLowerCase().includes('nowhere')
	);
}

function addressText({ address = '' }: Location): string {
	return typeof address === 'string' ? address : Object.values(address).join(' ');
}

function coordinatesOf({ lat, lng }: Location): { lat: number; lng: number } | undefined {
	if (lat === undefined || lng === undefined || lat === '' || lng === '') return undefined;
	const point = { lat: Number(lat), lng: Number(lng) };
	return Number.isFinite(point.lat) && Number.isFinite(point.lng) ? point : undefined;
}

type Quote = Pick<DeliveryRecord, 'price' | 'distance' | 'insurance' | 'vehicleCapacity'>;

/** Invented but repeatable figures: the same request always costs the same. */
function quote({ pickup, dropoff, packages }: DeliveryRequest): Quote {
	const distance = toCents(distanceOf(pickup.location, dropoff.location));
	const value = packages.reduce((sum, { price = 0 }) => sum + Math.max(price, 0), 0);
	const capacities = packages.map(({ size = '' }) => sizes.indexOf(size) + 1);
	return {
		distance,
		price: toCents(3 + 0.8 * distance),
		insurance: toCents(value / 100),
		vehicleCapacity: Math.max(1, ...capacities),
	};
}

function distanceOf(from: Location, to: Location): number {
	const a = coordinatesOf(from);
	const b = coordinatesOf(to);
	if (a === undefined || b === undefined) {
		return 1 + (numberFrom(JSON.stringify([from, to])) % 2900) / 100;
	}
	const radians = Math.PI / 180;
	const half = (degrees: number) => Math.sin((degrees * radians) / 2) ** 2;
	const chord =
		half(b.lat - a.lat) +
		Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * half(b.lng - a.lng);
	return 2 * earthRadiusKm * Math.asin(Math.sqrt(Math.min(1, Math.max(0, chord))));
}

function cityOf(location: Location): number {
	const { address, warehouse } = location;
	const city = typeof address === 'object' ? address.city : undefined;
	return 1 + (numberFrom(city ?? `${warehouse ?? addressText(location)}`) % 500);
}

function numberFrom(text: string): number {
	return createHash('sha256').update(text).digest().readUInt32BE(0);
}

function toCents(value: number): number {
	return Math.round(value * 100) / 100;
}
