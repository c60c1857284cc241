/** How messages name an item, its order, and the place of its delivery. */
import type { Job } from '../sending/job';
import type { Delivery } from '../service/schemas';

/** The name of an item in a list: its reference ID if it has one. */
export function itemName({ item, referenceId }: Pick<Job, 'item' | 'referenceId'>): string {
	return referenceId ?? `item ${item}`;
}

/** The name of an item as the subject of a sentence. */
export function labelOf(job: Job): string {
	return job.order?.label ?? itemName(job);
}

/** The name of an item's order, as its customer knows it. */
export function orderName({ order, referenceId = '' }: Job): string {
	return order?.shopifyOrder?.name ?? referenceId;
}

/** The same, with the reference ID of a fulfillment order: its order may have several. */
export function deliveryName(job: Job): string {
	return job.claim?.part ? `${orderName(job)} (${job.claim.referenceId})` : orderName(job);
}

/** The reference ID of an item's whole order; empty if it has none. */
export function orderReference({ claim, referenceId = '' }: Job): string {
	return claim?.part?.orderReferenceId ?? referenceId;
}

/**
 * The deliveries of an order's fulfillment orders, by what their reference IDs have in common: custom or
 * shortened ones may have nothing.
 */
export function partsOf(job: Job): string {
	const start = `${orderReference(job)}-`;
	const isUsual = !job.claim?.part || job.claim.referenceId.startsWith(start);
	return isUsual
		? `reference IDs that start with "${start}"`
		: `other deliveries of ${orderName(job)}`;
}

/** Where a delivery goes, for a person. */
export function addressOf({ order, delivery }: Job): string {
	return order?.address ?? (delivery ? placeText(delivery.dropoff.location) : '');
}

/** A place as text. */
export function placeText({ address, warehouse }: Delivery['dropoff']['location']): string {
	if (address === undefined) return `Warehouse ${warehouse}`;
	if (typeof address === 'string') return address;
	const { streetName, neighborhood, city, state, zipcode, country } = address;
	return [streetName, neighborhood, city, state, zipcode, country].filter(Boolean).join(', ');
}
