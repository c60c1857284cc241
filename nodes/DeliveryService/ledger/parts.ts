/** Fulfillment orders: which may be sent, by what was sent of their orders, and which units they claim. */
import type { Access } from './access';
import { foundOf, type Claim, type FoundClaim } from './claims';
import {
	claimEntryOf,
	claimReferences,
	firstPartOf,
	unknownReference,
	type FoundReference,
} from './references';
import { traceOfClaims } from './traces';
import {
	freeUnits,
	hasGrown,
	readUnits,
	takeUnits,
	unitsOf,
	type OrderUnits,
	type Part,
} from './units';

/** A fulfillment order, and its order as one that is sent in parts. */
interface FoundPart extends Part {
	claim: Claim;
	own: FoundReference;
	order: FoundReference;
}

/**
 * Finds out which fulfillment orders are free, and claims these: first their orders, as sent in parts, then
 * them and their units.
 *
 * @param claims those of whole orders are left out
 */
export async function findParts(
	access: Access,
	claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, FoundClaim>> {
	const parts = partsOf(claims);
	const orders = new Set(parts.map(({ order }) => order));
	await claimReferences(access, [...orders], 'shared');
	const found = new Map<Claim, FoundClaim>();
	for (const { claim, order } of parts) {
		const claimEntry = claimEntryOf(order);
		if (order.state === 'created') found.set(claim, { state: 'wholeCreated', claimEntry });
		if (order.state === 'unknown') found.set(claim, { state: 'wholeUnknown', claimEntry });
	}
	const open = parts.filter(({ claim }) => !found.has(claim));
	for (const { own, order } of open) own.orderResends = order.resends;
	await claimReferences(
		access,
		open.map(({ own }) => own),
		'claim',
	);
	const units = groupUnits(open);
	// Of an order that is new, no units were claimed.
	const known = [...units.values()].filter(({ order }) => !access.isNew(claimEntryOf(order)));
	await readUnits(access, known);
	for (const part of open) {
		const ofOrder = units.get(claimEntryOf(part.order));
		const trace = traceOfClaims(part.order) ?? traceOfClaims(part.own);
		if (ofOrder) found.set(part.claim, { ...foundPart(access, part, ofOrder), trace });
	}
	return found;
}

/** The fulfillment orders of claims. Those of one order share its reference. */
function partsOf(claims: readonly Claim[]): FoundPart[] {
	const orders = new Map<string, FoundReference>();
	return claims.flatMap((claim) => {
		const { companyId, orderId, referenceId, part, sentAs } = claim;
		if (!part) return [];
		const key = JSON.stringify([companyId, part.orderReferenceId, orderId]);
		const whole = unknownReference(companyId, part.orderReferenceId);
		const order = orders.get(key) ?? { ...whole, orderId, isInParts: true };
		orders.set(key, order);
		const own = { ...unknownReference(companyId, referenceId), sentAs };
		return [{ claim, order, own, lines: part.lines.filter(({ units }) => units > 0) }];
	});
}

/** The units of each order, by its claim: two shops may have orders with the same reference. */
function groupUnits(parts: readonly FoundPart[]): ReadonlyMap<string, OrderUnits> {
	const units = new Map<string, OrderUnits>();
	for (const { own, order, lines } of parts) {
		const known = units.get(claimEntryOf(order));
		if (known) {
			known.parts.push({ own, lines });
			continue;
		}
		// The number 0 would say that the other order was sent in parts.
		const firstNumber = order.state === 'anotherOrder' ? 1 : 0;
		units.set(claimEntryOf(order), unitsOf(order, [{ own, lines }], firstNumber));
	}
	return units;
}

/** What was found about a fulfillment order. If it is free, it takes its units, unless others have. */
function foundPart(access: Access, part: FoundPart, units: OrderUnits): FoundClaim {
	const { own, order, lines } = part;
	// Even if it is not sent: others of its order may be.
	const inAdvance = order.state === 'free' ? [firstPartOf(order)] : [];
	const found = { ...foundOf(own), inAdvance };
	// A change that was reported or accepted has the units as they are now.
	if (found.state === 'created' && !own.hasChanged && lines.some((line) => hasGrown(units, line)))
		return { ...found, state: 'grown' };
	if (found.state !== 'free') return found;
	if (lines.every((line) => freeUnits(units, line) >= line.units)) {
		const { recorded, released } = takeUnits(units, part);
		return {
			...found,
			inAdvance: [...inAdvance, ...recorded],
			released: [...released, found.claimEntry],
		};
	}
	access.setPurpose([found.claimEntry], 'question');
	const isPartly = lines.some((line) => freeUnits(units, line) > 0);
	const state = isPartly ? 'unitsPartlySent' : 'unitsSent';
	return { state, claimEntry: found.claimEntry, inAdvance };
}
