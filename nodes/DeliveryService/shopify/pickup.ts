import { normalizeName } from './names';
import type { Order } from './order';

/*
 * How orders are marked that the customer picks up. Apps write it into the additional details, and
 * some of them put the store's address into the shipping address.
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

/** The start of a delivery method or shipping method that is a pickup, normalized. */
const pickupMethods = [
	// English
	...['pickup', 'pick up', 'store pickup', 'store pick up', 'in store pickup', 'in store pick up'],
	...['local pickup', 'local pick up', 'curbside pickup', 'curbside pick up', 'free pickup'],
	...['click and collect', 'click collect', 'collect in', 'collect from', 'collection'],
	...['store collection', 'in store collection'],
	// Spanish, Portuguese, French, Italian
	...['recogida en', 'recoger en', 'retiro en', 'retirada na', 'retirar na', 'levantamento na'],
	...['retrait en', 'retrait au', 'ritiro in', 'ritiro presso'],
	// German, Dutch, Nordic languages
	...['abholung', 'selbstabholung', 'afhalen', 'ophalen', 'hamta i', 'afhentning', 'henting'],
	...['hent i', 'nouto'],
	// Polish, Czech, Slovak, Turkish
	...['odbior osobisty', 'osobni odber', 'osobny odber', 'magazadan teslim'],
];

/** Words behind such a start that make it a delivery after all, e.g. "Pickup and delivery". */
const notPickup = /\b(delivery|courier|carrier)\b/;

function isPickupMethod(text: string): boolean {
	const name = normalizeName(text);
	if (notPickup.test(name)) return false;
	return pickupMethods.some((method) => name === method || name.startsWith(`${method} `));
}

/**
 * Finds what marks an order as a pickup. A delivery method in the additional details decides; without
 * one, a pickup location there, or shipping methods that are all pickups.
 *
 * @returns the mark as text for a message, or undefined if there is none
 */
export function pickupMark(order: Order): string | undefined {
	const attributeIn = (names: readonly string[]) =>
		order.note_attributes.find(({ name }) => names.includes(normalizeName(name)));
	const method = attributeIn(methodAttributes);
	const mark = method ?? attributeIn(locationAttributes);
	if (mark)
		return mark !== method || isPickupMethod(mark.value)
			? `${mark.name}: ${mark.value}`
			: undefined;
	const titles = shippingMethods(order).map(({ title, code }) =>
		[title, code].find((text) => text !== undefined && isPickupMethod(text)),
	);
	return titles.includes(undefined) ? undefined : titles[0];
}

/** The order's shipping methods without those that were removed by editing it. */
export function shippingMethods(order: Order): Order['shipping_lines'] {
	return order.shipping_lines.filter(({ is_removed }) => is_removed !== true);
}

/**
 * The entry of a table for the order's shipping method, by its title or code, in any letter case.
 *
 * @returns the first entry that matches, or undefined
 */
export function entryForMethod<Entry extends { method: string }>(
	order: Order,
	table: readonly Entry[],
): Entry | undefined {
	const names = shippingMethods(order)
		.flatMap(({ title, code }) => [title, code])
		.flatMap((text) => (text === undefined ? [] : [text.toLowerCase()]));
	return table.find(({ method }) => names.includes(method.toLowerCase()));
}
