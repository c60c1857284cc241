/** From an item with a Shopify order to its delivery, or why there is none. */
import { isLongerThan } from '../common/text';
import { limits, type CreationBody, type Delivery } from '../service/schemas';
import { decide, type Action, type Decision } from './decide';
import { sentAsOf, type Digests } from './digest';
import { readFacts, type OrderFacts, type StopReason } from './facts';
import { locationOf, type ShopifyLocation } from './fulfillmentOrder';
import { findOrder } from './item';
import { laterChanges, type LaterChanges } from './laterChanges';
import type { OrderMapping } from './mapping';
import { adminUrl, identifiersOf, orderLabel, type Order, type OrderIdentifiers } from './order';
import type { OrderProblem, OrderSubject } from './problems';
import { referencesOf, type OrderReferences } from './references';
import { isWaiting, type Skip } from './skipping';
import { toPackages, type LineUnits } from './units';

/** Identifies the Shopify order of a delivery for later workflow steps. */
interface ShopifyOrder {
	/** Shopify's internal ID, unique across all shops. */
	id?: string;
	name?: string;
	/** The recipient's email, the same as in the delivery. */
	email?: string;
	/** Shopify's ID of the fulfillment order, if the delivery is for one. */
	fulfillmentOrderId?: string;
}

/** What is known about an order, whether it is sent, skipped or invalid. */
export interface OrderInfo extends OrderSubject {
	referenceId?: string;
	/** What the delivery takes of its order, if it is for a fulfillment order. */
	part?: { orderReferenceId: string; lines: PartLine[] };
	/** Who receives it and where, and its page in Shopify's admin, for a person. */
	customer?: string;
	address?: string;
	url?: string;
	/** When it was placed, if that is known. */
	createdAt?: string;
	/** When it was last changed, if that is known. */
	updatedAt?: string;
	/** The location that ships the fulfillment order. */
	location?: ShopifyLocation;
	/** The delivery type by the order's shipping method. */
	type?: CreationBody['type'];
	shopifyOrder?: ShopifyOrder;
	/** The delivery date that the customer chose, as YYYY-MM-DD. */
	deliveryDay?: string;
	/** The names of its shipping methods, by which the shop decides. */
	shippingMethods?: string[];
	/** The names that the filters list, and it doesn't have. */
	absentMethods?: string[];
	/** The unpaid amount of the order, if the delivery is for a fulfillment order and collects of it. */
	cashOutstanding?: number;
	/** Whether it is skipped now, and may be sent when it is met again. */
	isWaiting?: boolean;
	/** Why its delivery is to be stopped, if it was sent before. */
	stop?: StopReason;
	/** By what a later change of it is noticed, and what a person must do then. */
	sentAs?: Digests;
	laterChanges?: LaterChanges;
	/** What a person must do, if it is sent or skipped now. */
	actions?: Action[];
}

/** An order, and whether it is sent. */
export interface MappedOrder extends OrderInfo {
	decision:
		| { kind: 'send'; delivery: OrderDelivery }
		| { kind: 'skip'; skip: Skip }
		| { kind: 'invalid'; problems: readonly OrderProblem[] };
}

/** A delivery without its pickup (docs/api.md, section 2.1). Undefined fields count as not set. */
export type OrderDelivery = Omit<Delivery, 'pickup'>;

/**
 * Maps a Shopify order to a delivery (docs/api.md, sections 2.1 to 2.5). Never throws.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param mapping how to map it, see {@link OrderMapping}
 */
export function orderToDelivery(value: unknown, mapping: OrderMapping): MappedOrder {
	const found = findOrder(value);
	if (!found.ok) return { decision: { kind: 'invalid', problems: [found.problem] } };
	const facts = readFacts(found.value, mapping);
	if (!facts.ok) {
		const names = identifiersOf(found.value);
		const decision = { kind: 'invalid', problems: facts.problem } as const;
		return { ...identityOf(names, referencesOf(names, mapping)), decision };
	}
	const decision = decide(facts.value, mapping);
	const info = infoOf(facts.value, decision, mapping);
	if (decision.kind !== 'send') return { ...info, decision };
	const delivery = toDelivery(facts.value, decision, mapping);
	return { ...info, decision: { kind: 'send', delivery } };
}

/** What identifies an order, even one that can't be read. */
function identityOf(
	order: OrderIdentifiers,
	{ referenceId, orderReferenceId }: OrderReferences,
	units: readonly LineUnits[] = [],
	email?: string,
): OrderInfo {
	const { id, name, fulfillmentOrder: part } = order;
	return {
		label: orderLabel(order),
		referenceId,
		part:
			orderReferenceId === undefined ? undefined : { orderReferenceId, lines: partLines(units) },
		shopifyOrder: { id, name, email, ...(part && { fulfillmentOrderId: part.id }) },
	};
}

function infoOf(facts: OrderFacts, decision: Decision, mapping: OrderMapping): OrderInfo {
	const { order, references, units, methods, date, recipient, address, stop } = facts;
	return {
		...identityOf(order, references, units.lines, recipient.email),
		customer: recipient.name,
		address,
		url: adminUrl(order),
		createdAt: order.created_at,
		updatedAt: order.updated_at,
		location: order.fulfillmentOrder && locationOf(order.fulfillmentOrder),
		...(methods.type && { type: methods.type }),
		deliveryDay: date.day,
		shippingMethods: order.shipping_lines.flatMap(({ title }) => title ?? []),
		absentMethods: methods.absent,
		// With Payment: Any, the user chose to send refunded orders.
		...(stop && decision.kind !== 'send' && { stop }),
		...(decision.kind === 'skip' && isWaiting(decision.skip) && { isWaiting: true }),
		...(decision.kind === 'send' && { cashOutstanding: decision.cash.outstanding }),
		...(decision.kind !== 'invalid' && { actions: decision.actions }),
		// What would not be sent now may have been sent with cash.
		sentAs: sentAsOf(
			facts,
			mapping,
			decision.kind !== 'send' || decision.cash.amount !== undefined,
		),
		laterChanges: laterChanges(facts, mapping),
	};
}

function toDelivery(
	{ order, references: { referenceId }, lines }: OrderFacts,
	{ dropoff, cash }: Extract<Decision, { kind: 'send' }>,
	mapping: OrderMapping,
): OrderDelivery {
	return {
		dropoff,
		packages: toPackages(order, lines, mapping),
		referenceId,
		tags: orderTags(order, mapping),
		extraData: orderExtraData(order, lines, mapping),
		cod: cash.amount,
	};
}

/** The units of a line of an order, for the memory of sent units. */
interface PartLine {
	id: string;
	/** Ordered, canceled and fulfilled units, and those of this delivery. */
	quantity: number;
	canceled: number;
	fulfilled: number;
	units: number;
}

function partLines(lines: readonly LineUnits[]): PartLine[] {
	return lines.flatMap(({ line: { id, quantity }, canceled, fulfilled, taken: units }) =>
		id === undefined ? [] : [{ id, quantity, canceled, fulfilled, units }],
	);
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
