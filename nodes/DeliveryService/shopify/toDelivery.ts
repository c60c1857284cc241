import { isLongerThan } from '../common/text';
import { limits, type CreationBody, type Delivery } from '../service/schemas';
import { decideCash, type CashAction } from './cash';
import { findDeliveryDate, laterSendingDay, type DeliveryDate } from './deliveryDate';
import { locationOf, type ShopifyLocation } from './fulfillmentOrder';
import { findOrder, type OrderCandidate } from './item';
import type { OrderMapping } from './mapping';
import { checkMethods, typeByMethod } from './methods';
import { identifiersOf, orderLabel, readOrder, type Order, type OrderIdentifiers } from './order';
import type { OrderProblem, OrderSubject } from './problems';
import { partlyPaid, paymentOf, type PartlyPaid } from './payment';
import { readRecipient, recipientEmail, toDropoff } from './recipient';
import {
	findSkip,
	findTimeSkip,
	isPaymentExcluded,
	isTooOld,
	missingFields,
	mustStop,
	type Skip,
} from './skipping';
import { countUnits, toPackages, type LineUnits } from './units';

/** What needs a person, although the order was sent, updated or skipped. */
export type Action =
	/** The driver collects nothing. Methods that may be cash on delivery by another name are unknown. */
	| { code: 'cashNotCollected'; methods: string[]; unknownMethods: string[] }
	/** It is skipped as unpaid, but these, or no method, may be cash on delivery. */
	| { code: 'unknownPaymentMethod'; methods: string[] }
	| CashAction
	| PartlyPaid
	/** The order also has these shipping methods, which the filters exclude. */
	| { code: 'excludedMethod'; methods: string[] }
	/** It is skipped: only listed shipping methods are sent. */
	| { code: 'noShippingMethod' }
	/** The fulfillment order has one of these, so the default delivery type is used. */
	| { code: 'typeUnclear'; methods: string[] }
	| { code: 'futureDate'; day: string }
	| { code: 'unclearDate'; text: string }
	| { code: 'missingFields'; fields: string[] }
	| { code: 'tooOld' }
	| { code: 'held'; items: string[] }
	/** It is scheduled, and too old at the end of that day. */
	| { code: 'tooOldThen'; until: string }
	/** It is skipped, but was sent before. */
	| { code: 'stopDelivery'; label: string; skip: Skip['code'] }
	/** An update leaves these unchanged. */
	| { code: 'notUpdated'; fields: string[] }
	/** An update replaces an address with coordinates by one without. */
	| { code: 'noCoordinates' };

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

/** What is known about an order, with its delivery or the reason why there is none. */
export interface OrderInfo {
	/** Its delivery without the pickup. Not checked yet; undefined fields count as not set. */
	delivery?: unknown;
	/** Why it is skipped. */
	skip?: Skip;
	/** Set if its delivery should be stopped, in case it exists. */
	mustStop?: true;
	/** Why it can't be sent. */
	problems?: readonly OrderProblem[];
	/** The subject of messages, e.g. "Order #1001". */
	label?: string;
	referenceId?: string;
	/** The units of the order that the delivery takes, if it is for a fulfillment order and is sent. */
	part?: ReturnType<typeof partOf>;
	/** The location that ships the fulfillment order. */
	location?: ShopifyLocation;
	/** The delivery type by the order's shipping method. */
	type?: CreationBody['type'];
	shopifyOrder?: ShopifyOrder;
	/** The delivery date that the customer chose, as YYYY-MM-DD. */
	deliveryDay?: string;
	/** The names of its shipping methods and payment methods, by which the shop decides. */
	methodNames?: { shipping: string[]; payment: string[] };
	/** The unpaid amount of the order, if the delivery is for a fulfillment order and collects of it. */
	cashOutstanding?: number;
	/** What needs a person, if anything does. */
	actions?: Action[];
}

/** A delivery without its pickup (docs/api.md, section 2.1). Undefined fields count as not set. */
export type OrderDelivery = Omit<Delivery, 'pickup'>;

/**
 * Maps a Shopify order to a delivery (docs/api.md, sections 2.1 to 2.5). Never throws.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param mapping how to map it, see {@link OrderMapping}
 * @returns the delivery without its pickup, or why there is none
 */
export function orderToDelivery(
	value: unknown,
	mapping: OrderMapping,
): OrderInfo & { delivery?: OrderDelivery } {
	const found = findOrder(value);
	if (!found.ok) return { problems: [found.problem] };
	const read = readOrder(found.value);
	if (!read.ok) {
		const names = identifiersOf(found.value);
		return { problems: read.problem, ...subjectOf(names), ...identify(names, mapping) };
	}
	const order = read.value;
	const payment = paymentOf(order, mapping);
	const identifiers = {
		...subjectOf(order),
		...identify(order, mapping, recipientEmail(order, mapping)),
		methodNames: {
			shipping: order.shipping_lines.flatMap(({ title }) => title ?? []),
			payment: payment.methods,
		},
	};
	const units = countUnits(order, mapping);
	const lines = units.lines.filter(({ taken }) => taken > 0);
	const held = units.held.length > 0 && ({ code: 'held', items: units.held } as const);
	const date = findDeliveryDate(order, lines, mapping);
	const skip =
		findSkip(order, mapping, units, lines.length > 0 || units.problems.length > 0) ??
		findTimeSkip(order, mapping, date);
	if (skip)
		return {
			...identifiers,
			skip,
			actions: actionsOfSkipped(skip, found.value, order, mapping, held),
			...(mustStop(skip, order) && { mustStop: true }),
		};
	const dropoff = toDropoff(order, readRecipient(order, mapping, date));
	const cash = decideCash({ order, units, payment }, mapping);
	const { referenceId, part } = identifiers;
	const problems: OrderProblem[] = [
		...(dropoff.ok ? [] : dropoff.problem),
		...openQuestions(order, mapping, referenceId, date),
		...(cash.ok ? [] : [cash.problem]),
	];
	const shown = units.problems.length > 0 ? units.problems : problems;
	if (shown.length > 0 || !dropoff.ok || !cash.ok) return { problems: shown, ...identifiers };
	const { amount, outstanding, notCollectedFor } = cash.value;
	const { type, unclearOf } = typeByMethod(order, mapping);
	const missing = missingFields(found.value, mapping);
	const { excluded } = checkMethods(order, mapping);
	const actions = actionsOf(
		notCollectedFor && {
			code: 'cashNotCollected',
			methods: notCollectedFor,
			unknownMethods: payment.unknownMethods,
		},
		...cash.value.actions,
		held,
		excluded.length > 0 && { code: 'excludedMethod', methods: excluded },
		unclearOf && { code: 'typeUnclear', methods: unclearOf },
		date.day !== undefined &&
			laterSendingDay(date, mapping) && { code: 'futureDate', day: date.day },
		date.unclear !== undefined && { code: 'unclearDate', text: date.unclear },
		missing && { code: 'missingFields', fields: missing },
	);
	return {
		...identifiers,
		part: part && partOf(part.orderReferenceId, units.lines),
		location: order.fulfillmentOrder && locationOf(order.fulfillmentOrder),
		...(type && { type }),
		cashOutstanding: outstanding,
		deliveryDay: date.day,
		actions,
		delivery: {
			dropoff: dropoff.value,
			packages: toPackages(order, lines, mapping),
			referenceId,
			tags: orderTags(order, mapping),
			extraData: orderExtraData(order, lines, mapping),
			cod: amount,
		},
	};
}

/** What needs a person, although the order is skipped. */
function actionsOfSkipped(
	skip: Skip,
	candidate: OrderCandidate,
	order: Order,
	mapping: OrderMapping,
	held: Action | false,
) {
	const payment = paymentOf(order, mapping);
	const { methods, unknownMethods } = payment;
	const missing = missingFields(candidate, mapping, skip.code);
	const isUnpaid = skip.code === 'notPaid' && !skip.isOnlyPaid;
	const isUnclear = unknownMethods.length > 0 || (methods.length === 0 && !missing);
	const isPartlyPaid = order.financial_status === 'partially_paid' && !isUnclear;
	const hasNoMethod = skip.code === 'shippingMethod' && skip.methods.length === 0 && !missing;
	const until = skip.code === 'scheduled' ? skip.until : undefined;
	const endOfDay = Date.parse(until ?? '') + 86_400_000;
	return actionsOf(
		skip.code === 'tooOld' && { code: 'tooOld' },
		// A workflow that reads all open orders every day sends it when it is released.
		skip.code === 'nothingToShip' && !mapping.filters.skipUntilDeliveryDate && held,
		until !== undefined && isTooOld(order, mapping, endOfDay) && { code: 'tooOldThen', until },
		isUnpaid && isPartlyPaid && partlyPaid(order, payment),
		isUnpaid && isUnclear && { code: 'unknownPaymentMethod', methods: unknownMethods },
		hasNoMethod && { code: 'noShippingMethod' },
		missing && { code: 'missingFields', fields: missing },
	);
}

/** Why it is unclear whether, when or under which reference ID an order is to be sent. */
export type DecisionProblem =
	| { code: 'noReference'; field: string }
	| { code: 'unknownPayment' }
	| { code: 'unclearDate'; text: string };

/** The order lacks the field that its reference ID is from. */
export function noReference({ referenceIdFrom }: OrderMapping): DecisionProblem {
	return { code: 'noReference', field: referenceFields[referenceIdFrom] };
}

function openQuestions(
	order: Order,
	mapping: OrderMapping,
	referenceId: string | undefined,
	date: DeliveryDate,
): DecisionProblem[] {
	const problems: DecisionProblem[] = [];
	if (referenceId === undefined) problems.push(noReference(mapping));
	if (paymentOf(order, mapping).state === 'unknown' && isPaymentExcluded(order, mapping))
		problems.push({ code: 'unknownPayment' });
	if (mapping.filters.skipUntilDeliveryDate && date.unclear !== undefined)
		problems.push({ code: 'unclearDate', text: date.unclear });
	return problems;
}

/** What messages about an order need to know of it. */
function subjectOf(order: OrderIdentifiers): OrderSubject {
	return { label: orderLabel(order) };
}

/** @param orderReferenceId the reference ID that the whole order would have */
function partOf(orderReferenceId: string, lines: readonly LineUnits[] = []) {
	const withIds = lines.flatMap(({ line: { id, quantity }, canceled, fulfilled, taken: units }) =>
		id === undefined ? [] : [{ id, quantity, canceled, fulfilled, units }],
	);
	return { orderReferenceId, lines: withIds };
}

/** The actions that apply; undefined if there are none. */
export function actionsOf(...actions: Array<Action | false | undefined | ''>) {
	return undefinedIfEmpty(actions.filter((action) => typeof action === 'object'));
}

const referenceFields = { name: 'name', id: 'id', orderNumber: 'order_number' } as const;

/**
 * The order's identifiers, by which the user finds it in Shopify, and its reference IDs. That of a
 * fulfillment order contains its ID, which never changes.
 */
export function identify(
	order: OrderIdentifiers,
	mapping: OrderMapping,
	email?: string,
): Pick<OrderInfo, 'referenceId' | 'part' | 'shopifyOrder'> {
	const { id, name, fulfillmentOrder: part } = order;
	const shopifyOrder = { id, name, email, ...(part && { fulfillmentOrderId: part.id }) };
	const { referenceId: custom } = mapping.overrides;
	const ofOrder = order[referenceFields[mapping.referenceIdFrom]];
	const reference = custom ?? ofOrder;
	if (!part) return { shopifyOrder, referenceId: reference };
	if (reference === undefined || part.id === undefined) return { shopifyOrder };
	const referenceId = partReference(reference, part.id);
	const ofWhole = referenceId === custom ? ofOrder : reference;
	return { shopifyOrder, referenceId, part: ofWhole === undefined ? undefined : partOf(ofWhole) };
}

/** The reference ID of a fulfillment order, by that of its order or a custom one. */
function partReference(reference: string, partId: string): string {
	if (reference.endsWith(`-${partId}`)) return reference;
	const room = limits.referenceIdLength - partId.length - 1;
	return `${[...reference].slice(0, room).join('')}-${partId}`;
}

/** The order's tags without duplicates. A tag that is too long is left out: truncated, it is another tag. */
function orderTags(order: Order, mapping: OrderMapping): string[] | undefined {
	if (mapping.overrides.tags.length > 0) return mapping.overrides.tags;
	if (!mapping.includeTags) return undefined;
	const tags = [...new Set(order.tags)].filter((tag) => !isLongerThan(tag, limits.tagLength));
	return undefinedIfEmpty(tags);
}

/** The order's additional details and the shipped items' properties, without internal ones ("_..."). */
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
