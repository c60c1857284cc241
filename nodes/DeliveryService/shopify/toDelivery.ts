import type { Problem } from '../service/result';
import type { Delivery } from '../service/schemas';
import { amountToCollect } from './cashOnDelivery';
import { toNumber } from './decimal';
import { dropoffOf } from './dropoff';
import type { OrderMapping } from './mapping';
import { readOrder, sentenceStart, type Order } from './order';
import { packagesOf } from './packages';
import { problemFrom } from './problems';
import { remainingLines, type RemainingLine } from './remaining';

/** What becomes of an order. */
export type OrderOutcome =
	/** To be sent, once the caller has added the pickup and checked it against the document. */
	| { kind: 'delivery'; delivery: OrderDelivery }
	/** Not to be sent, for a reason that is no fault. */
	| { kind: 'skipped'; reason: SkipReason; message: string; referenceId?: string }
	/** No order, or one that lacks what a delivery needs. */
	| { kind: 'invalid'; problem: Problem; referenceId?: string };

export type SkipReason = 'cancelled' | 'testOrder' | 'nothingToShip';

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
export function orderToDelivery(value: unknown, mapping: OrderMapping): OrderOutcome {
	const read = readOrder(value);
	if (!read.ok) return { kind: 'invalid', problem: read.problem };
	const order = read.value;
	const reason = reasonNotToSend(order, mapping);
	if (reason) return skip(order, mapping, reason);
	const lines = remainingLines(order);
	if (!lines.ok)
		return { kind: 'invalid', problem: lines.problem, referenceId: referenceOf(order, mapping) };
	if (lines.value.length === 0) return skip(order, mapping, 'nothingToShip');
	return build(order, lines.value, mapping);
}

function reasonNotToSend(order: Order, mapping: OrderMapping): SkipReason | undefined {
	if (order.cancelled_at) return 'cancelled';
	return order.test && !mapping.includeTestOrders ? 'testOrder' : undefined;
}

const skipMessages: Readonly<Record<SkipReason, string>> = {
	cancelled: 'was cancelled.',
	testOrder: 'is a test order. Turn on Include Test Orders to send it.',
	nothingToShip:
		'has nothing left to ship: its items are fulfilled, refunded, removed, or need no shipping.',
};

function skip(order: Order, mapping: OrderMapping, reason: SkipReason): OrderOutcome {
	const message = `${sentenceStart(order)} ${skipMessages[reason]}`;
	return { kind: 'skipped', reason, message, referenceId: referenceOf(order, mapping) };
}

function build(order: Order, lines: readonly RemainingLine[], mapping: OrderMapping): OrderOutcome {
	const dropoff = dropoffOf(order, mapping);
	const referenceId = referenceOf(order, mapping);
	const cash = amountToCollect(order, mapping.cod);
	if (dropoff.ok && referenceId && cash.ok)
		return {
			kind: 'delivery',
			delivery: {
				dropoff: dropoff.value,
				packages: packagesOf(order, lines, mapping),
				referenceId,
				tags: tagsOf(order, mapping),
				extraData: extraDataOf(order, mapping),
				cod: cash.value && toNumber(cash.value),
			},
		};
	const noReference = `${sentenceStart(order)} has no "${referenceMembers[mapping.referenceFrom]}" to be the reference ID. Choose another source of it under Order Options, or let the Shopify node return this field.`;
	const problems = [
		...(dropoff.ok ? [] : sentencesOf(dropoff.problem)),
		...(referenceId ? [] : [noReference]),
		...(cash.ok ? [] : sentencesOf(cash.problem)),
	];
	return { kind: 'invalid', problem: problemFrom(problems), referenceId };
}

function sentencesOf({ message, description }: Problem): string[] {
	return description ? [message, description] : [message];
}

const referenceMembers = { name: 'name', id: 'id', orderNumber: 'order_number' } as const;

function referenceOf(order: Order, mapping: OrderMapping): string | undefined {
	return mapping.overrides.referenceId ?? order[referenceMembers[mapping.referenceFrom]];
}

/**
 * The order's tags, each once. Shopify's limit of 40 characters for an order's tag is below the
 * service's (section 8), so none has to be cut.
 */
function tagsOf(order: Order, mapping: OrderMapping): string[] | undefined {
	if (mapping.overrides.tags.length > 0) return mapping.overrides.tags;
	if (!mapping.tagsFromOrder || !order.tags) return undefined;
	const tags = order.tags.split(',').map((tag) => tag.trim());
	return notEmpty([...new Set(tags)].filter((tag) => tag !== ''));
}

function extraDataOf(order: Order, mapping: OrderMapping): OrderDelivery['extraData'] {
	if (!mapping.extraDataFromNoteAttributes) return undefined;
	return notEmpty(
		order.note_attributes.flatMap(({ name, value }) => (name && value ? [{ name, value }] : [])),
	);
}

function notEmpty<Item>(items: Item[]): Item[] | undefined {
	return items.length > 0 ? items : undefined;
}
