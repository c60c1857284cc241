/** Whether the customer picks up an order. */
import { foldWords } from '../common/text';
import { detailName, methodAttributes } from './attributeNames';
import { isListed, storePickupNames } from './methods';
import type { Order } from './order';
import { isPlaceholder } from './placeholders';
import { lacksPersonalData } from './recipient';
import type { LineUnits } from './units';

/** What shows that the customer picks up an order: Shopify's method, an app's mark, or no address. */
export type Pickup =
	| { shownBy: 'fulfillmentOrder' }
	| { shownBy: 'mark'; mark: string }
	| { shownBy: 'missingAddress'; method: string | undefined };

/**
 * Finds out whether the customer picks up the order. Apps mark pickups, Shopify doesn't: an order that is
 * picked up was placed in the shop's own checkout or till, has no shipping address, and from the checkout a
 * shipping line with the pickup location. Elsewhere, a missing address proves nothing: a marketplace may
 * send it later, an order by phone with a custom rate may never have had one, and Shopify may have removed
 * all personal data.
 *
 * @param lines those of which the delivery takes units
 */
export function findPickup(order: Order, lines: readonly LineUnits[]): Pickup | undefined {
	const method = order.fulfillmentOrder?.delivery_method?.method_type;
	if (method === 'pick_up') return { shownBy: 'fulfillmentOrder' };
	const mark = pickupMark(order, lines);
	if (mark !== undefined && order.shipping_address) return { shownBy: 'mark', mark };
	const [line] = order.shipping_lines;
	const isWithoutAddress =
		method === undefined && !order.shipping_address && isFromOwnCheckout(order);
	return mark !== undefined || isWithoutAddress
		? { shownBy: 'missingAddress', method: line?.title }
		: undefined;
}

function isFromOwnCheckout(order: Order): boolean {
	const [line] = order.shipping_lines;
	const source = foldWords(order.source_name ?? '');
	if (!line) return source === 'pos';
	const isCustomRate = foldWords(line.code ?? '') === 'custom';
	return ['web', 'pos'].includes(source) && !isCustomRate && !lacksPersonalData(order);
}

const methodNames = new Set(methodAttributes.map(detailName));

/**
 * Additional details that only pickups have: Zapiet's (see above) and those of "Pick-up Points"
 * (apps.support.code.nl, "Working with 3rd party fulfillments").
 */
const locationAttributes = new Set(
	['Pickup-Location-Id', 'Pickup-Location-Company', 'Pick-up Point Location'].map(detailName),
);

/** The marks of line items by Zapiet (docs.zapiet.com/guides/zapiet_id) and Bird (https://github.com/atinder/bird-docs). */
const itemMarks = new Set(['_ZapietId', '_BirdChimeSlotId']);
const pickupMethod = /(^|[&;])M=P([&;]|$)/;

/** An additional detail of an order, or a property of an item. */
type Detail = Order['note_attributes'][number];

/**
 * Finds what marks an order as a pickup. A delivery method in the additional details decides; without
 * one, that of all items, a pickup location, or an app's mark of an item.
 *
 * @returns the mark as text for a message, or undefined if there is none
 */
function pickupMark(order: Order, lines: readonly LineUnits[]): string | undefined {
	const details = order.note_attributes.filter(({ value }) => !isPlaceholder(value));
	const method = details.find(isMethod);
	if (method && !isPickupMethod(method)) return undefined;
	const properties = lines.map(({ line }) => line.properties);
	const ofItems = properties.map((some) => some.find(isMethod));
	const mark =
		method ??
		(ofItems.every(isPickupMethod) ? ofItems[0] : undefined) ??
		details.find(({ name }) => locationAttributes.has(detailName(name))) ??
		properties.flat().find(({ name, value }) => itemMarks.has(name) && pickupMethod.test(value));
	return mark && `${mark.name}: ${mark.value}`;
}

function isMethod({ name }: Detail): boolean {
	return methodNames.has(detailName(name));
}

function isPickupMethod(method: Detail | undefined): boolean {
	return method !== undefined && isListed(method.value, storePickupNames);
}
