import { valueAt } from '../common/data';
import { foldWords, normalizeName } from '../common/text';
import { laterSendingDay, type DeliveryDate } from './deliveryDate';
import type { DeliveryMethod, FulfillmentOrder } from './fulfillmentOrder';
import { isGraphql } from './graphql';
import type { OrderCandidate } from './item';
import type { OrderMapping } from './mapping';
import type { Order } from './order';
import { paymentOf } from './payment';
import { lacksPersonalData } from './recipient';
import { checkMethods, isListed, storePickupNames } from './methods';
import { unitsByLine, type OrderUnits } from './units';

/** Why an order, or the fulfillment order of it, is skipped. */
export type Skip =
	| { code: 'cancelled' | 'testOrder' | 'voided' | 'refunded' | 'nothingToShip' }
	| { code: 'notPaid'; methods: string[]; isOnlyPaid: boolean }
	| { code: 'localPickup'; pickup: Pickup }
	| { code: 'deliveryMethod'; method: DeliveryMethod }
	| { code: 'shippingMethod'; methods: string[]; isOnlyListed: boolean }
	| { code: 'tag'; tag: string | undefined }
	| { code: 'onHold'; holds: string[] }
	/** Until this day, or this time of Shopify, if it is known. */
	| { code: 'scheduled'; until: string | undefined }
	| { code: 'tooOld'; createdAt: string; maxDays: number }
	| { code: 'fulfillmentService' | 'closed' | 'incomplete' };

/** What shows that the customer picks up the order. */
type Pickup =
	| { shownBy: 'fulfillmentOrder' }
	| { shownBy: 'mark'; mark: string }
	| { shownBy: 'missingAddress'; method: string | undefined };

/**
 * Decides whether to skip an order, or the fulfillment order of it.
 *
 * @param hasItemsLeft whether units are left to ship; true if that can't be determined
 * @returns why, or undefined if the order is to be sent
 */
export function findSkip(
	order: Order,
	mapping: OrderMapping,
	units: OrderUnits,
	hasItemsLeft: boolean,
): Skip | undefined {
	const { fulfillmentOrder: part } = order;
	if (order.cancelled_at) return { code: 'cancelled' };
	if (order.test && !mapping.filters.includeTestOrders) return { code: 'testOrder' };
	const ofPart = part && (findMethodSkip(part, mapping) ?? findStatusSkip(part, mapping));
	if (ofPart) return ofPart;
	if (!hasItemsLeft) return { code: units.isByService ? 'fulfillmentService' : 'nothingToShip' };
	const pickup = findPickup(order, units);
	if (pickup) return { code: 'localPickup', pickup };
	return findPaymentSkip(order, mapping) ?? findFilterSkip(order, mapping);
}

/** Checked before the status: a pickup is never sent, whatever happens to it. */
function findMethodSkip(
	{ delivery_method }: FulfillmentOrder,
	{ filters }: OrderMapping,
): Skip | undefined {
	const method = delivery_method?.method_type;
	if (method === undefined || filters.deliveryMethods.includes(method)) return undefined;
	return method === 'pick_up'
		? { code: 'localPickup', pickup: { shownBy: 'fulfillmentOrder' } }
		: { code: 'deliveryMethod', method };
}

function findStatusSkip(
	{ status, request_status: request, fulfillment_holds: holds, fulfill_at }: FulfillmentOrder,
	{ filters }: OrderMapping,
): Skip | undefined {
	switch (status) {
		case 'open':
		case 'in_progress': {
			const isRequested = request !== undefined && !['unsubmitted', 'rejected'].includes(request);
			return isRequested && !filters.includeFulfillmentServices
				? { code: 'fulfillmentService' }
				: undefined;
		}
		case 'on_hold': {
			const reasons = holds.map(({ reason, reason_notes: notes }) =>
				[reason?.replaceAll('_', ' '), notes].filter(Boolean).join(': '),
			);
			return { code: 'onHold', holds: [...new Set(reasons.filter(Boolean))] };
		}
		case 'scheduled':
			return { code: status, until: fulfill_at };
		default:
			return { code: status };
	}
}

/**
 * Finds out whether the customer picks up the order. Apps mark pickups, Shopify doesn't: such an order has
 * no shipping address, and a shipping line with the pickup location or the source "pos". A missing
 * address proves nothing if Shopify removed all personal data.
 */
function findPickup(order: Order, units: OrderUnits): Pickup | undefined {
	const method = order.fulfillmentOrder?.delivery_method?.method_type;
	// The user chose to send pickups.
	if (method === 'pick_up') return undefined;
	const mark = pickupMark(order, units);
	if (mark !== undefined && order.shipping_address) return { shownBy: 'mark', mark };
	const [line] = order.shipping_lines;
	const isLocal = line ? !lacksPersonalData(order) : order.source_name?.toLowerCase() === 'pos';
	const isWithoutAddress = method === undefined && !order.shipping_address && isLocal;
	return mark !== undefined || isWithoutAddress
		? { shownBy: 'missingAddress', method: line?.title }
		: undefined;
}

function findPaymentSkip(order: Order, mapping: OrderMapping): Skip | undefined {
	const { state, methods } = paymentOf(order, mapping);
	if (!isPaymentExcluded(order, mapping)) return undefined;
	if (state === 'voided' || state === 'refunded') return { code: state };
	const isOnlyPaid = mapping.filters.payment === 'paid';
	return state === 'unknown' ? undefined : { code: 'notPaid', methods, isOnlyPaid };
}

/** Whether the filters exclude an order by its payment, or may, if its state is unknown. */
export function isPaymentExcluded(order: Order, mapping: OrderMapping): boolean {
	const { state, isByCash } = paymentOf(order, mapping);
	const { payment } = mapping.filters;
	if (payment === 'any' || ['paid', 'reserved', 'later'].includes(state)) return false;
	const isCollected = payment === 'paidOrCash' && (isByCash || mapping.cod === 'unpaid');
	return state === 'voided' || state === 'refunded' || !isCollected;
}

function findFilterSkip(order: Order, mapping: OrderMapping): Skip | undefined {
	const { filters } = mapping;
	const { excluded, isSent } = checkMethods(order, mapping);
	// The user chose to send pickups, whatever they are called.
	const isPickup = order.fulfillmentOrder?.delivery_method?.method_type === 'pick_up';
	const isOnlyListed = filters.shippingMethods.length > 0;
	if (!isSent && !isPickup) return { code: 'shippingMethod', methods: excluded, isOnlyListed };
	const tags = new Set(order.tags.map(foldWords));
	const hasTag = (tag: string) => tags.has(foldWords(tag));
	if (filters.tags.length > 0 && !filters.tags.some(hasTag)) return { code: 'tag', tag: undefined };
	const tag = filters.excludeTags.find(hasTag);
	return tag === undefined ? undefined : { code: 'tag', tag };
}

/**
 * Decides whether an order that could be sent is too old for the memory of sent deliveries, or is
 * scheduled for later.
 *
 * @param date the delivery date that the customer chose
 */
export function findTimeSkip(
	order: Order,
	mapping: OrderMapping,
	date: DeliveryDate,
): Skip | undefined {
	const { maxOrderAgeDays: maxDays, skipUntilDeliveryDate } = mapping.filters;
	if (isTooOld(order, mapping, mapping.time.now))
		return { code: 'tooOld', createdAt: order.created_at?.slice(0, 10) ?? '', maxDays };
	const until = skipUntilDeliveryDate ? laterSendingDay(date, mapping) : undefined;
	return until === undefined ? undefined : { code: 'scheduled', until };
}

/** Whether an order is too old for the memory at a time, in milliseconds since 1970. */
export function isTooOld({ created_at = '' }: Order, { filters }: OrderMapping, time: number) {
	return time - Date.parse(created_at) > filters.maxOrderAgeDays * 86_400_000;
}

/**
 * Whether a person must stop the delivery of a skipped order, if it was sent before. A fulfillment order
 * is also closed when it was delivered, which its order's fulfillments show.
 */
export function mustStop({ code }: Skip, { fulfillmentOrder: part, fulfillments }: Order): boolean {
	if (code !== 'closed') return code === 'onHold' || code === 'cancelled' || code === 'incomplete';
	if (!part || !fulfillments) return false;
	const fulfilled = unitsByLine(fulfillments.flatMap(({ line_items }) => line_items));
	return part.line_items.some(({ line_item_id: id, quantity = 0 }) => fulfilled(id) < quantity);
}

/**
 * Fields that decide whether an order is sent and whether the driver collects cash. Every Shopify
 * order has them, if only as null, false or an empty list, unless the Shopify node limits the fields
 * that it returns. An order of the GraphQL API without them is not read.
 *
 * @param candidate the order before it is parsed
 * @param mapping decides which fields are relevant
 * @param skip why it is skipped, if it is: only fields that may have caused it are relevant then
 * @returns the missing fields, or undefined if there are none
 */
export function missingFields(
	{ order, fulfillmentOrder: part }: OrderCandidate,
	{ filters, cod }: OrderMapping,
	skip?: Skip['code'],
): string[] | undefined {
	if (isGraphql(order)) return undefined;
	const lacks = (field: string) => valueAt(order, [field]) === undefined;
	const mayCollect = cod !== 'never';
	const lines = valueAt(order, ['line_items']);
	const hasRefunds =
		!lacks('refunds') ||
		(Array.isArray(lines) &&
			lines.every((line) => valueAt(line, ['current_quantity']) !== undefined));
	const byGateway = cod === 'cashOnDeliveryOrders' && lacks('gateway');
	const byTag = filters.tags.length > 0 || filters.excludeTags.length > 0;
	const byMethod = valueAt(part, ['delivery_method', 'presented_name']) === undefined;
	const { shippingMethods: included, excludeShippingMethods: excluded } = filters;
	const hasMethods = byMethod && (included.length > 0 || excluded?.length !== 0);
	const checks: Array<[field: string, isMissing: boolean, causes?: Skip['code']]> = [
		['cancelled_at', lacks('cancelled_at')],
		['test', lacks('test') && !filters.includeTestOrders],
		['financial_status', lacks('financial_status') && (mayCollect || filters.payment !== 'any')],
		['payment_gateway_names', lacks('payment_gateway_names') && byGateway, 'notPaid'],
		['shipping_lines', lacks('shipping_lines') && hasMethods, 'shippingMethod'],
		['note_attributes', lacks('note_attributes')],
		['created_at', lacks('created_at')],
		['tags', lacks('tags') && byTag, 'tag'],
		// The cash of a fulfillment order depends on the refunded items of the whole order.
		['line_items.current_quantity', part !== undefined && mayCollect && !hasRefunds],
	];
	const missing = checks.flatMap(([field, isMissing, causes]) =>
		isMissing && (skip === undefined || skip === causes) ? [field] : [],
	);
	return missing.length > 0 ? missing : undefined;
}

/**
 * Additional details that contain the delivery method: apps that mark pickups may put the store's address
 * into the shipping address. The first is Zapiet's
 * (docs.zapiet.com/guides/note-attributes), the others are those of similar apps and themes.
 */
const methodAttributes =
	/^((checkout|shipping) method|delivery (method|type|option)|fulfillment (method|type)|order type)$/;

/**
 * Additional details that only pickups have: Zapiet's (see above) and those of "Pick-up Points"
 * (apps.support.code.nl, "Working with 3rd party fulfillments").
 */
const locationAttributes = /^(pickup location (id|company)|pick up (location id|point location))$/;

/** Zapiet's mark of a line item (docs.zapiet.com/guides/zapiet_id). */
const zapietProperty = { name: '_ZapietId', pickup: /(^|&)M=P(&|$)/ };

/**
 * Finds what marks an order as a pickup. A delivery method in the additional details decides; without
 * one, a pickup location there or the property of a line item.
 *
 * @returns the mark as text for a message, or undefined if there is none
 */
function pickupMark({ note_attributes }: Order, { lines }: OrderUnits): string | undefined {
	const attributeLike = (pattern: RegExp) =>
		note_attributes.find(({ name }) => pattern.test(normalizeName(name)));
	const method = attributeLike(methodAttributes);
	if (method && !isListed(method.value, storePickupNames)) return undefined;
	const mark =
		method ??
		attributeLike(locationAttributes) ??
		lines
			.flatMap(({ line, taken }) => (taken > 0 ? line.properties : []))
			.find(({ name, value }) => name === zapietProperty.name && zapietProperty.pickup.test(value));
	return mark && `${mark.name}: ${mark.value}`;
}
