import { isListed, normalizeName } from './names';
import type { Order } from './order';
import { storePickupNames } from './shippingMethods';

/*
 * How apps mark orders that the customer picks up. Some of them put the store's address into the
 * shipping address.
 */

/**
 * Additional details that contain the delivery method. The first is Zapiet's
 * (docs.zapiet.com/guides/note-attributes), the others are those of similar apps and themes.
 */
const methodAttributes = [
	...['checkout method', 'delivery method', 'delivery type', 'delivery option', 'order type'],
	...['fulfillment method', 'fulfillment type', 'shipping method'],
];

/**
 * Additional details that only pickups have: Zapiet's (see above) and those of "Pick-up Points"
 * (apps.support.code.nl, "Working with 3rd party fulfillments").
 */
const locationAttributes = [
	...['pickup location id', 'pickup location company'],
	...['pick up location id', 'pick up point location'],
];

/** Zapiet's mark of a line item (docs.zapiet.com/guides/zapiet_id). */
const zapietProperty = { name: '_ZapietId', pickup: /(^|&)M=P(&|$)/ };

/**
 * Finds what marks an order as a pickup. A delivery method in the additional details decides; without
 * one, a pickup location there or the property of a line item.
 *
 * @returns the mark as text for a message, or undefined if there is none
 */
export function pickupMark({ note_attributes, line_items }: Order): string | undefined {
	const attributeIn = (names: readonly string[]) =>
		note_attributes.find(({ name }) => names.includes(normalizeName(name)));
	const method = attributeIn(methodAttributes);
	if (method && !isListed(method.value, storePickupNames)) return undefined;
	const mark =
		method ??
		attributeIn(locationAttributes) ??
		line_items
			.flatMap(({ properties }) => properties)
			.find(({ name, value }) => name === zapietProperty.name && zapietProperty.pickup.test(value));
	return mark && `${mark.name}: ${mark.value}`;
}
