/** The reference IDs by which the deliveries of an order are recognized. */
import { limits } from '../service/schemas';
import type { OrderMapping } from './mapping';
import type { OrderIdentifiers } from './order';

/** The reference IDs of an order and its fulfillment orders, by which deliveries are recognized. */
export interface OrderReferences {
	/** That of the delivery; undefined if the order lacks the field for it, or the custom one is empty. */
	referenceId?: string;
	/** For a fulfillment order: that of its whole order. */
	orderReferenceId?: string;
}

/** The field that the reference ID is from, by Reference ID From. */
export const referenceFields = { name: 'name', id: 'id', orderNumber: 'order_number' } as const;

/** The reference IDs of an order. That of a fulfillment order contains its ID, which never changes. */
export function referencesOf(order: OrderIdentifiers, mapping: OrderMapping): OrderReferences {
	const { fulfillmentOrder: part } = order;
	const { referenceId: custom, hasReference } = mapping.overrides;
	const ofOrder = order[referenceFields[mapping.referenceIdFrom]];
	const reference = custom ?? (hasReference ? undefined : ofOrder);
	if (!part) return { referenceId: reference };
	if (reference === undefined || part.id === undefined) return {};
	const referenceId = partReference(reference, part.id);
	// A custom one that already names the fulfillment order does not name the whole order.
	const orderReferenceId = referenceId === custom ? ofOrder : reference;
	return orderReferenceId === undefined ? {} : { referenceId, orderReferenceId };
}

/** The reference ID of a fulfillment order, by that of its order or a custom one. */
function partReference(reference: string, partId: string): string {
	if (reference.endsWith(`-${partId}`)) return reference;
	const room = limits.referenceIdLength - partId.length - 1;
	return `${[...reference].slice(0, room).join('')}-${partId}`;
}
