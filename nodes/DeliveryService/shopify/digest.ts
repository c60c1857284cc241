/**
 * What a driver acts on, as two short digests by which a later change of a sent order is noticed. They
 * are made of Shopify's facts: not of settings, so that a change of these is none of the order, and not
 * of coordinates, notes and tags, which Shopify and apps change at any time.
 */
import { createHash } from 'crypto';

import { fold } from '../common/text';
import { findDeliveryDate } from './deliveryDate';
import type { OrderFacts } from './facts';
import type { OrderMapping } from './mapping';
import { sign, toNumber } from './money';
import { lacksPersonalData, orderEmail } from './recipient';
import { needsShipping, type LineUnits } from './units';

/** What the ledger compares, see `ledger/changes.ts`. */
export interface Digests {
	/** The amount owed, or '' if nothing is; undefined for a delivery that collects no cash. */
	cash?: string;
	/** All else; undefined if the order doesn't show it, or is fulfilled: its delivery can't follow it. */
	rest?: string;
	/** What `rest` is after a hold; undefined without one. */
	released?: string;
	/** What `rest` is during a hold, and while its delivery is to be stopped for another reason. */
	held: string;
	stopped: string;
}

/**
 * The digests of an order.
 *
 * @param collectsCash whether its delivery collects cash; true if that is unknown
 * @returns undefined for an order that is not compared, because it lacks its amounts
 */
export function sentAsOf(
	facts: OrderFacts,
	mapping: OrderMapping,
	collectsCash: boolean,
): Digests | undefined {
	const { owed } = facts.payment;
	if (!owed) return undefined;
	// 60.00 in REST is 60.0 in GraphQL.
	const cash = sign(owed) > 0 ? String(toNumber(owed)) : '';
	const { stop } = facts;
	const isHeld = stop === 'onHold';
	const withoutStop = detailsDigest(facts, mapping);
	const rest = stop ? notToBring[isHeld ? 'held' : 'stopped'] : withoutStop;
	return {
		...(collectsCash && { cash }),
		...(rest && { rest }),
		...(isHeld && withoutStop && { released: withoutStop }),
		...notToBring,
	};
}

/** All but the cash that a driver acts on, even if it is not to be brought; undefined if it is not compared. */
function detailsDigest(facts: OrderFacts, mapping: OrderMapping): string | undefined {
	const { order, hidden, isFulfilled } = facts;
	// Shopify or the sales channel may remove or hide who ordered at any time: that changes no delivery.
	const isShown = !lacksPersonalData(order) && hidden === undefined;
	return isShown && !isFulfilled ? digest(details(facts, mapping)) : undefined;
}

function details({ order, recipient, units }: OrderFacts, mapping: OrderMapping): unknown[] {
	const { shipping_address: to, fulfillmentOrder: part } = order;
	const ids = part && new Set(part.line_items.map(({ line_item_id: id }) => id));
	const lines = units.lines.filter(
		({ line }) => needsShipping(line) && (!ids || (line.id !== undefined && ids.has(line.id))),
	);
	const { day, unclear, time } = findDeliveryDate(order, lines, {
		...mapping,
		filters: { ...mapping.filters, deliveryDateFormat: 'automatic' },
		time: { ...mapping.time, timeZone: 'UTC' },
	});
	return [
		recipient.name,
		recipient.phonenumber,
		orderEmail(order),
		to?.address1,
		to?.address2,
		to?.company,
		to?.zip,
		to?.city,
		to?.province_code ?? to?.province,
		to?.country_code,
		day,
		unclear,
		time,
		lines.flatMap(unitsOf).sort(),
	];
}

/** The units of a line that its customer ordered and did not cancel, shipped or not. */
function unitsOf({ line: { id, quantity }, name, canceled }: LineUnits): string[] {
	const units = quantity - canceled;
	return units > 0 ? [`${id ?? name} ${units}`] : [];
}

/** Ignores case and spaces, in which the same order may differ. */
function digest(parts: readonly unknown[]): string {
	const text = fold(JSON.stringify(parts)).replace(/\s+/g, '');
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/**
 * What stands for all but the cash while a delivery is not to be brought: nothing else about it matters
 * then. An order that was canceled is often refunded next, so only a hold is told apart.
 */
const notToBring = { held: digest(['hold']), stopped: digest(['stop']) };
