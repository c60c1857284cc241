import type { ItemResult, Problem } from '../common/result';
import { limits } from '../service/limits';
import type { CreationBody, Delivery } from '../service/schemas';
import { isLongerThan } from '../common/text';
import { decideCash, type CashDecision } from './cashOnDelivery';
import { toNumber } from './decimal';
import { toDropoff, recipientEmail } from './dropoff';
import { locationOf } from './fulfillmentOrder';
import type { ShopifyLocation } from './location';
import type { OrderMapping } from './mapping';
import {
	fieldName,
	howToRequest,
	orderLabel,
	readOrder,
	readOrderIdentifiers,
	type Order,
	type OrderIdentifiers,
} from './order';
import { toPackages } from './packages';
import { entryForMethod } from './pickup';
import { problemFrom } from './problems';
import { findOrder } from './recognize';
import { remainingLines, type RemainingLine } from './remaining';
import { findSkip, missingFields, type MissingField } from './skipping';

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

/** The result of mapping an order: a delivery without its pickup, or why there is none. */
export type OrderResult<Body = OrderDelivery> = OrderFacts & ItemResult<Body>;

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
	if (!read.ok) return unreadableResult(read.problem, readOrderIdentifiers(found.value), mapping);
	const order = read.value;
	const identifiers = {
		...referenceIds(order, mapping),
		shopifyOrder: toShopifyOrder(order, mapping),
	};
	const lines = remainingLines(order);
	const skip = findSkip(order, mapping, !lines.ok || lines.value.length > 0);
	if (skip) return { kind: 'skipped', ...skip, ...identifiers };
	if (!lines.ok) return { kind: 'invalid', problem: lines.problem, ...identifiers };
	const result = buildDelivery(order, lines.value, mapping);
	return result.kind === 'delivery'
		? { ...result, missingFields: missingFields(found.value, mapping) }
		: result;
}

/** Includes the order's identifiers, so that the user can find it in Shopify. */
function unreadableResult(
	problem: Problem,
	identifiers: OrderIdentifiers,
	mapping: OrderMapping,
): OrderResult {
	const { id, name, fulfillmentOrder } = identifiers;
	return {
		kind: 'invalid',
		problem,
		...referenceIds(identifiers, mapping),
		shopifyOrder: {
			id,
			name,
			...(fulfillmentOrder && { fulfillmentOrderId: fulfillmentOrder.id }),
		},
	};
}

function buildDelivery(
	order: Order,
	lines: readonly RemainingLine[],
	mapping: OrderMapping,
): OrderResult {
	const dropoff = toDropoff(order, mapping);
	const references = referenceIds(order, mapping);
	const { referenceId } = references;
	const cash = decideCash(order, mapping);
	const shopifyOrder = toShopifyOrder(order, mapping);
	const type = entryForMethod(order, mapping.deliveryTypes)?.type;
	const isPaymentUnknown = mapping.onlyPaidOrders && !order.financial_status;
	if (dropoff.ok && referenceId && cash.ok && !isPaymentUnknown)
		return {
			kind: 'delivery',
			...references,
			location: order.fulfillmentOrder && locationOf(order.fulfillmentOrder),
			...(type && { type }),
			shopifyOrder,
			cashShare: cashShareOf(cash.value),
			notCollectedFor: cash.value.notCollectedFor,
			delivery: {
				dropoff: dropoff.value,
				packages: toPackages(order, lines, mapping),
				referenceId,
				tags: orderTags(order, mapping),
				extraData: orderExtraData(order, lines, mapping),
				cod: cash.value.amount && toNumber(cash.value.amount),
			},
		};
	const noReference = `${orderLabel(order)} has no "${fieldName(order, [referenceFields[mapping.referenceIdFrom]])}" to use as the reference ID. ${howToRequest(order, 'this field')}.`;
	const noStatus = `${orderLabel(order)} has no "${fieldName(order, ['financial_status'])}", so it's unclear whether it is paid. ${howToRequest(order, 'this field')}, or turn off Only Paid Orders under Order Options.`;
	const problems = [
		...(dropoff.ok ? [] : problemSentences(dropoff.problem)),
		...(referenceId ? [] : [noReference]),
		...(cash.ok ? [] : problemSentences(cash.problem)),
		...(isPaymentUnknown ? [noStatus] : []),
	];
	return { kind: 'invalid', problem: problemFrom(problems), ...references, shopifyOrder };
}

function toShopifyOrder(order: Order, mapping: OrderMapping): ShopifyOrder {
	const { id, name, fulfillmentOrder: part } = order;
	const email = recipientEmail(order, mapping);
	return { id, name, email, ...(part && { fulfillmentOrderId: part.id }) };
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
	lines: readonly RemainingLine[],
	mapping: OrderMapping,
): OrderDelivery['extraData'] {
	if (!mapping.includeAdditionalDetails) return undefined;
	const isPublic = ({ name }: { name: string }) => !name.startsWith('_');
	const properties = lines.flatMap((line) =>
		line.properties.filter(isPublic).map(({ name, value }) => ({
			name: `${line.name}: ${name}`,
			value,
		})),
	);
	return undefinedIfEmpty([...order.note_attributes.filter(isPublic), ...properties]);
}

function undefinedIfEmpty<Item>(items: Item[]): Item[] | undefined {
	return items.length > 0 ? items : undefined;
}
