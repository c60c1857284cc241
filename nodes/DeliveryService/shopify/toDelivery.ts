import type { ItemResult, Problem } from '../common/result';
import { limits } from '../service/limits';
import type { Delivery } from '../service/schemas';
import { isLongerThan } from '../common/text';
import { decideCash } from './cashOnDelivery';
import { toNumber } from './decimal';
import { toDropoff, recipientEmail } from './dropoff';
import type { OrderMapping } from './mapping';
import { namesOf, orderIn, readOrder, orderLabel, type Order, type OrderNames } from './order';
import { toPackages } from './packages';
import { problemFrom } from './problems';
import { remainingLines, type RemainingLine } from './remaining';
import { reasonToSkip, skipMessage, missingFields, type MissingField } from './skipping';

/** By what a later step finds the order of a delivery in Shopify again, and whom it writes to. */
export interface ShopifyOrder {
	/** Shopify's own ID of the order, which no other order has, of whatever shop. */
	id?: string;
	name?: string;
	/** The recipient's, as the delivery has it. */
	email?: string;
}

/** What is known about an order besides its delivery, as far as it can be read. */
export interface OrderFacts {
	referenceId?: string;
	shopifyOrder?: ShopifyOrder;
	/** Its payment methods, when money is outstanding of which the driver collects nothing. */
	notCollectedFor?: string[];
	/** Fields that it lacks, though every order of Shopify has them. */
	missingFields?: MissingField[];
}

/** What an order becomes: a delivery that still needs its pickup, or why there is none. */
export type OrderResult<Body = OrderDelivery> = OrderFacts & ItemResult<Body>;

/** A delivery without its pickup (section 2.1). Members that are undefined are not given. */
export type OrderDelivery = Omit<Delivery, 'pickup'>;

/**
 * Turns a Shopify order, as n8n's Shopify nodes emit it, into a delivery (service document,
 * sections 2.1 to 2.5).
 *
 * @param value the order, also wrapped in a member "order"
 * @param mapping how to turn it, see {@link OrderMapping}
 * @returns the delivery without its pickup, or why there is none; it never throws
 */
export function orderToDelivery(value: unknown, mapping: OrderMapping): OrderResult {
	const read = readOrder(value);
	if (!read.ok) return unreadableResult(read.problem, namesOf(value), mapping);
	const order = read.value;
	const known = {
		referenceId: orderReference(order, mapping),
		shopifyOrder: toShopifyOrder(order, mapping),
	};
	const lines = remainingLines(order);
	const reason = reasonToSkip(order, mapping, !lines.ok || lines.value.length > 0);
	if (reason) return { kind: 'skipped', reason, message: skipMessage(order, reason), ...known };
	if (!lines.ok) return { kind: 'invalid', problem: lines.problem, ...known };
	const result = buildDelivery(order, lines.value, mapping);
	return result.kind === 'delivery'
		? { ...result, missingFields: missingFields(orderIn(value), mapping) }
		: result;
}

/** What can't be read is told with the order's names, so that somebody finds it in Shopify. */
function unreadableResult(
	problem: Problem,
	names: OrderNames | undefined,
	mapping: OrderMapping,
): OrderResult {
	if (!names) return { kind: 'invalid', problem };
	const { id, name } = names;
	return {
		kind: 'invalid',
		problem,
		referenceId: orderReference(names, mapping),
		shopifyOrder: { id, name },
	};
}

function buildDelivery(
	order: Order,
	lines: readonly RemainingLine[],
	mapping: OrderMapping,
): OrderResult {
	const dropoff = toDropoff(order, mapping);
	const referenceId = orderReference(order, mapping);
	const cash = decideCash(order, mapping);
	const shopifyOrder = toShopifyOrder(order, mapping);
	const isPaymentUnknown = mapping.onlyPaidOrders && !order.financial_status;
	if (dropoff.ok && referenceId && cash.ok && !isPaymentUnknown)
		return {
			kind: 'delivery',
			referenceId,
			shopifyOrder,
			notCollectedFor: cash.value.notCollectedFor,
			delivery: {
				dropoff: dropoff.value,
				packages: toPackages(order, lines, mapping),
				referenceId,
				tags: orderTags(order, mapping),
				extraData: orderExtraData(order, mapping),
				cod: cash.value.amount && toNumber(cash.value.amount),
			},
		};
	const noReference = `${orderLabel(order)} has no "${referenceFields[mapping.referenceIdFrom]}" to be the reference ID. Choose another source of it under Order Options, or let the Shopify node return this field.`;
	const noStatus = `${orderLabel(order)} has no "financial_status", which tells whether it is paid. Let the Shopify node return this field, or remove Only Paid Orders under Order Options.`;
	const problems = [
		...(dropoff.ok ? [] : problemSentences(dropoff.problem)),
		...(referenceId ? [] : [noReference]),
		...(cash.ok ? [] : problemSentences(cash.problem)),
		...(isPaymentUnknown ? [noStatus] : []),
	];
	return { kind: 'invalid', problem: problemFrom(problems), referenceId, shopifyOrder };
}

function toShopifyOrder(order: Order, mapping: OrderMapping): ShopifyOrder {
	return { id: order.id, name: order.name, email: recipientEmail(order, mapping) };
}

function problemSentences({ message, description }: Problem): string[] {
	return description ? [message, description] : [message];
}

const referenceFields = { name: 'name', id: 'id', orderNumber: 'order_number' } as const;

function orderReference(order: OrderNames, mapping: OrderMapping): string | undefined {
	return mapping.overrides.referenceId ?? order[referenceFields[mapping.referenceIdFrom]];
}

/**
 * The order's tags, each once. Shopify's limit of 40 characters for an order's tag is below the
 * service's (section 8), so only tags of another origin can be too long: they are left out, since
 * a cut tag is another tag.
 */
function orderTags(order: Order, mapping: OrderMapping): string[] | undefined {
	if (mapping.overrides.tags.length > 0) return mapping.overrides.tags;
	if (!mapping.includeTags) return undefined;
	return undefinedIfEmpty(
		[...new Set(order.tags)].filter((tag) => !isLongerThan(tag, limits.tagLength)),
	);
}

/** The order's additional details; those whose name begins with "_" are for programs (Shopify). */
function orderExtraData(order: Order, mapping: OrderMapping): OrderDelivery['extraData'] {
	if (!mapping.includeAdditionalDetails) return undefined;
	return undefinedIfEmpty(order.note_attributes.filter(({ name }) => !name.startsWith('_')));
}

function undefinedIfEmpty<Item>(items: Item[]): Item[] | undefined {
	return items.length > 0 ? items : undefined;
}
