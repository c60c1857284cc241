/** Fulfillment orders: which may be sent, by what was sent of their orders, and which units they claim. */
import type { Access, Purpose } from './access';
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
	addedUnits,
	freeUnits,
	readUnits,
	takeUnits,
	unitsOf,
	type ClaimedLine,
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
 * @param takesUnits whether each takes its units from those after it: if not, none may be sent
 */
export async function findParts(
	access: Access,
	claims: readonly Claim[],
	takesUnits: boolean,
): Promise<ReadonlyMap<Claim, FoundClaim>> {
	const { wholes, grouped } = await readParts(access, claims, { order: 'shared', own: 'claim' });
	const found = new Map(wholes);
	for (const units of grouped)
		for (const part of units.parts) {
			const trace = traceOfClaims(part.order) ?? traceOfClaims(part.own);
			found.set(part.claim, { ...foundPart(access, part, units, takesUnits), trace });
		}
	return found;
}

/**
 * Claims the units that fulfillment orders have got since they were sent: if Shopify then splits them off,
 * they are not sent again.
 */
export async function claimAddedUnits(access: Access, claims: readonly Claim[]): Promise<void> {
	// The changes are claimed already: to look for them again would remove them.
	const withoutChanges = claims.map((claim) => ({ ...claim, sentAs: undefined }));
	const purposes = { order: 'question', own: 'question' } as const;
	const { grouped } = await readParts(access, withoutChanges, purposes);
	const entries = grouped.flatMap((units) =>
		units.parts.flatMap((part) => {
			const added = addedTo(part, units);
			return added.length > 0 ? takeUnits(units, part, added).recorded : [];
		}),
	);
	await access.addOwn(entries);
}

/** Claims fulfillment orders and their orders, and reads which units were claimed. */
async function readParts(
	access: Access,
	claims: readonly Claim[],
	purposes: Readonly<Record<'order' | 'own', Purpose>>,
) {
	const parts = partsOf(claims);
	const orders = new Set(parts.map(({ order }) => order));
	await claimReferences(access, [...orders], purposes.order);
	const wholes = new Map<Claim, FoundClaim>();
	for (const { claim, order } of parts) {
		const claimEntry = claimEntryOf(order);
		if (order.state === 'created') wholes.set(claim, { state: 'wholeCreated', claimEntry });
		if (order.state === 'unknown') wholes.set(claim, { state: 'wholeUnknown', claimEntry });
	}
	const open = parts.filter(({ claim }) => !wholes.has(claim));
	for (const { own, order } of open) own.orderResends = order.resends;
	await claimReferences(
		access,
		open.map(({ own }) => own),
		purposes.own,
	);
	const grouped = groupUnits(open);
	// Of an order that is new, no units were claimed.
	const known = grouped.filter(({ order }) => !access.isNew(claimEntryOf(order)));
	await readUnits(access, known);
	return { wholes, grouped };
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
		const lines = part.lines.filter(({ units }) => units > 0);
		return [{ claim, order, own, lines, claimed: new Map() }];
	});
}

/** The units of each order, by its claim: two shops may have orders with the same reference. */
function groupUnits(parts: readonly FoundPart[]): Array<OrderUnits<FoundPart>> {
	const units = new Map<string, OrderUnits<FoundPart>>();
	for (const part of parts) {
		const { order } = part;
		const key = claimEntryOf(order);
		// The number 0 would say that the other order was sent in parts.
		const firstNumber = order.state === 'anotherOrder' ? 1 : 0;
		const ofOrder = units.get(key) ?? unitsOf<FoundPart>(order, firstNumber);
		ofOrder.parts.push(part);
		units.set(key, ofOrder);
	}
	return [...units.values()];
}

/** What was found about a fulfillment order. If it is free, it may take its units, unless others have. */
function foundPart(
	access: Access,
	part: FoundPart,
	units: OrderUnits,
	takesUnits: boolean,
): FoundClaim {
	const { own, order, lines } = part;
	// Even if it is not sent: others of its order may be.
	const inAdvance = order.state === 'free' ? [firstPartOf(order)] : [];
	const found = { ...foundOf(own), inAdvance };
	if (addedTo(part, units).length > 0) return { ...found, state: 'grown' };
	if (found.state !== 'free') return found;
	if (lines.every((line) => freeUnits(units, line) >= line.units)) {
		if (!takesUnits) return found;
		const { recorded, released } = takeUnits(units, part, lines);
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

/** The units that a fulfillment order has got since its delivery was created. */
function addedTo(part: FoundPart, units: OrderUnits): ClaimedLine[] {
	return part.own.state === 'created' ? addedUnits(units, part) : [];
}
