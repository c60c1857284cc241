import type { Problem } from '../common/result';
import { isLongerThan } from '../common/text';
import { limits } from '../service/limits';
import type { CreationBody, Delivery } from '../service/schemas';
import { decideCash, type CashDecision } from './cash';
import { locationOf, type ShopifyLocation } from './fulfillmentOrder';
import { findOrder } from './item';
import type { OrderMapping } from './mapping';
import { toNumber } from './money';
import {
	fieldName,
	howToRequest,
	orderLabel,
	problemFrom,
	readOrder,
	type Order,
	type OrderIdentifiers,
} from './order';
import { toPackages } from './packages';
import { entryForMethod } from './pickup';
import { recipientEmail, toDropoff } from './recipient';
import { findSkip, missingFields, type MissingField, type Skip } from './skipping';
import { countUnits, type LineUnits, type OrderUnits } from './units';

/** Identifies the Shopify order of a delivery for later workflow steps. */
export interface ShopifyOrder {
	/** Shopify's internal ID, unique across all shops. */
	id?: string;
	name?: string;
	/** The recipient's email, the same as in the delivery. */
	email?: string;
	/** Shopify's ID of the fulfillment order, if the delivery is for one. */
	fulfillmentOrderId?: string;
}

type DeliveryType = CreationBody['type'];

/** What is known about an order in addition to its delivery. */
export interface OrderFacts {
	referenceId?: string;
	/** The reference ID that the whole order would have, if the delivery is for a fulfillment order. */
	orderReferenceId?: string;
	/** The units of the order that the delivery takes, if it is for a fulfillment order. */
	part?: OrderPart;
	/** The location that ships the fulfillment order. */
	location?: ShopifyLocation;
	/** The delivery type by the order's shipping method. */
	type?: DeliveryType;
	shopifyOrder?: ShopifyOrder;
	/** What the driver collects of the order's unpaid amount, if it is the share of a fulfillment order. */
	cashShare?: { cashToCollect: number; cashOutstanding: number };
	/** The payment methods of an order with an unpaid amount that the driver doesn't collect. */
	notCollectedFor?: string[];
	/** Expected fields that the order lacks. */
	missingFields?: MissingField[];
}

/** The part of an order that one delivery takes. */
export interface OrderPart {
	/** The reference ID that the whole order would have. */
	orderReferenceId: string;
	/** All line items of the order: their quantity as ordered, and the units that this delivery takes. */
	lines: Array<{ id: string; quantity: number; units: number }>;
}

/** The result of mapping an order: a delivery without its pickup, or why there is none. */
export type OrderResult = OrderFacts &
	(
		| { kind: 'delivery'; delivery: OrderDelivery }
		| ({ kind: 'skipped'; label: string } & Skip)
		| { kind: 'invalid'; problem: Problem }
	);

/** A delivery without its pickup (section 2.1). Undefined fields count as not set. */
export type OrderDelivery = Omit<Delivery, 'pickup'>;

/**
 * Maps a Shopify order to a delivery (API document, sections 2.1 to 2.5). Never throws.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param mapping how to map it, see {@link OrderMapping}
 * @returns the delivery without its pickup, or why there is none
 */
export function orderToDelivery(value: unknown, mapping: OrderMapping): OrderResult {
	const found = findOrder(value);
	if (!found.ok) return { kind: 'invalid', problem: found.problem };
	const read = readOrder(found.value);
	if (!read.ok)
		return { kind: 'invalid', problem: read.problem, ...identify(read.identifiers, mapping) };
	const order = read.value;
	const identifiers = identify(order, mapping, recipientEmail(order, mapping));
	const units = countUnits(order);
	const lines = units.lines.filter(({ taken }) => taken > 0);
	const skip = findSkip(order, mapping, lines.length > 0 || units.problems.length > 0);
	if (skip) return { kind: 'skipped', label: orderLabel(order), ...skip, ...identifiers };
	const dropoff = toDropoff(order, mapping);
	const cash = decideCash(order, units, mapping);
	const { referenceId, orderReferenceId } = identifiers;
	const isPaymentUnknown = mapping.onlyPaidOrders && !order.financial_status;
	if (
		units.problems.length > 0 ||
		!dropoff.ok ||
		!cash.ok ||
		referenceId === undefined ||
		isPaymentUnknown
	) {
		const noReference = `${orderLabel(order)} has no "${fieldName(order, [referenceFields[mapping.referenceIdFrom]])}" to use as the reference ID. ${howToRequest(order, 'this field')}.`;
		const noStatus = `${orderLabel(order)} has no "${fieldName(order, ['financial_status'])}", so it's unclear whether it is paid. ${howToRequest(order, 'this field')}, or turn off Only Paid Orders under Order Options.`;
		const others = [
			...(dropoff.ok ? [] : problemSentences(dropoff.problem)),
			...(referenceId === undefined ? [noReference] : []),
			...(cash.ok ? [] : problemSentences(cash.problem)),
			...(isPaymentUnknown ? [noStatus] : []),
		];
		const problem = problemFrom(units.problems.length > 0 ? units.problems : others);
		return { kind: 'invalid', problem, ...identifiers };
	}
	const type = entryForMethod(order, mapping.deliveryTypes)?.type;
	return {
		kind: 'delivery',
		...identifiers,
		part: order.fulfillmentOrder && partOf(units, orderReferenceId),
		location: order.fulfillmentOrder && locationOf(order.fulfillmentOrder),
		...(type && { type }),
		cashShare: cashShareOf(cash.value),
		notCollectedFor: cash.value.notCollectedFor,
		missingFields: missingFields(found.value, mapping),
		delivery: {
			dropoff: dropoff.value,
			packages: toPackages(order, lines, mapping),
			referenceId,
			tags: orderTags(order, mapping),
			extraData: orderExtraData(order, lines, mapping),
			cod: cash.value.amount && toNumber(cash.value.amount),
		},
	};
}

/** The order's identifiers, by which the user finds it in Shopify, and its reference IDs. */
function identify(
	order: OrderIdentifiers,
	mapping: OrderMapping,
	email?: string,
): Pick<OrderFacts, 'referenceId' | 'orderReferenceId' | 'shopifyOrder'> {
	const { id, name, fulfillmentOrder: part } = order;
	return {
		...referenceIds(order, mapping),
		shopifyOrder: { id, name, email, ...(part && { fulfillmentOrderId: part.id }) },
	};
}

function partOf({ lines }: OrderUnits, orderReferenceId: string | undefined) {
	if (orderReferenceId === undefined) return undefined;
	const withIds = lines.flatMap(({ line: { id, quantity }, taken: units }) =>
		id === undefined ? [] : [{ id, quantity, units }],
	);
	return { orderReferenceId, lines: withIds };
}

function cashShareOf({ amount, unpaid }: CashDecision): OrderFacts['cashShare'] {
	if (!unpaid) return undefined;
	return { cashToCollect: amount ? toNumber(amount) : 0, cashOutstanding: toNumber(unpaid) };
}

function problemSentences({ message, description }: Problem): string[] {
	return description ? [message, description] : [message];
}

const referenceFields = { name: 'name', id: 'id', orderNumber: 'order_number' } as const;

/**
 * The reference ID of the delivery. That of a fulfillment order contains its ID, which stays the same
 * when others are added, split or moved.
 */
function referenceIds(
	order: OrderIdentifiers,
	mapping: OrderMapping,
): Pick<OrderFacts, 'referenceId' | 'orderReferenceId'> {
	const { referenceId: custom } = mapping.overrides;
	const ofOrder = order[referenceFields[mapping.referenceIdFrom]];
	const reference = custom ?? ofOrder;
	if (!order.fulfillmentOrder) return { referenceId: reference };
	const { id } = order.fulfillmentOrder;
	if (reference === undefined || id === undefined) return {};
	if (custom?.includes(id)) return { referenceId: custom, orderReferenceId: ofOrder };
	const room = limits.referenceIdLength - id.length - 1;
	return {
		referenceId: `${[...reference].slice(0, room).join('')}-${id}`,
		orderReferenceId: reference,
	};
}

/**
 * The order's tags without duplicates. Tags that are too long are left out, since a truncated tag
 * would be a different tag. Shopify allows only 40 characters, less than the Delivery Service
 * (section 8), so such tags don't come from Shopify.
 */
function orderTags(order: Order, mapping: OrderMapping): string[] | undefined {
	if (mapping.overrides.tags.length > 0) return mapping.overrides.tags;
	if (!mapping.includeTags) return undefined;
	return undefinedIfEmpty(
		[...new Set(order.tags)].filter((tag) => !isLongerThan(tag, limits.tagLength)),
	);
}

/**
 * The order's additional details and the properties of the shipped items, without internal ones,
 * which Shopify starts with "_".
 */
function orderExtraData(
	order: Order,
	lines: readonly LineUnits[],
	mapping: OrderMapping,
): OrderDelivery['extraData'] {
	if (!mapping.includeAdditionalDetails) return undefined;
	const isPublic = ({ name }: { name: string }) => !name.startsWith('_');
	const properties = lines.flatMap(({ line, name: product }) =>
		line.properties
			.filter(isPublic)
			.map(({ name, value }) => ({ name: `${product}: ${name}`, value })),
	);
	return undefinedIfEmpty([...order.note_attributes.filter(isPublic), ...properties]);
}

function undefinedIfEmpty<Item>(items: Item[]): Item[] | undefined {
	return items.length > 0 ? items : undefined;
}
