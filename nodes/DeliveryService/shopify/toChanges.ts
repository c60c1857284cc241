/** From an item with a Shopify order to changes of its delivery. */
import { decideCash } from './cash';
import { missingFieldsAction, noReference, type Action } from './decide';
import { readFacts } from './facts';
import { findOrder } from './item';
import { openFilters, type OrderMapping } from './mapping';
import { identifiersOf, orderLabel } from './order';
import type { OrderProblem, OrderSubject } from './problems';
import { findSkip, type Skip } from './skipping';
import { isPartlyFulfilled, toPackages } from './units';

/** The changes of the order's delivery, not yet validated, or why there are none. */
type ChangesResult =
	| {
			kind: 'changes';
			label: string;
			referenceId: string;
			changes: object;
			/** Whether the driver has nothing to collect, because all is paid, reserved or due later. */
			isSettled: boolean;
			actions: Action[];
	  }
	| ({ kind: 'skipped'; label: string } & Skip)
	| ({ kind: 'invalid'; problems: readonly OrderProblem[] } & OrderSubject);

/**
 * Maps the current state of a Shopify order to changes of its delivery (docs/api.md, section 4.2):
 * recipient, address, packages as long as nothing is fulfilled, and cash on delivery, which becomes 0 once
 * nothing is to be collected. What the order lacks stays unchanged. The address is one line of text, the
 * only format that updates accept. Never throws.
 *
 * The delivery is found by the reference ID with which Create sends this order or fulfillment order, so it
 * can't be that of another one, or of another part.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param mapping the mapping that the delivery was created with; its filters don't apply
 */
export function orderToChanges(value: unknown, mapping: OrderMapping): ChangesResult {
	const found = findOrder(value);
	if (!found.ok) return { kind: 'invalid', problems: [found.problem] };
	const filters = openFilters(mapping.filters);
	const read = readFacts(found.value, { ...mapping, addressFormat: 'text', filters });
	const names = identifiersOf(found.value);
	const subject = { label: orderLabel(names) };
	const invalid = (...problems: readonly OrderProblem[]) =>
		({ kind: 'invalid', problems, ...subject }) as const;
	if (!read.ok) return invalid(...read.problem);
	const facts = read.value;
	const { order, label, references, units, lines, recipient, stop } = facts;
	const { referenceId } = references;
	const { fulfillmentOrder } = order;
	if (referenceId === undefined) return invalid(noReference(mapping));
	// Something of it may be in this delivery, or may have shipped in another way.
	const isFulfilled = isPartlyFulfilled(order, units);
	if (!isFulfilled && units.problems.length > 0) return invalid(...units.problems);
	const skip = findSkip(facts, { ...mapping, filters });
	if (skip && !isChangeable(skip, isFulfilled)) return { kind: 'skipped', label, ...skip };
	const { location, ...contact } = recipient;
	// It may also collect for fulfilled units, or those of a fulfillment order that was replaced.
	const isCashUnclear = fulfillmentOrder !== undefined && (isFulfilled || lines.length === 0);
	const payer = isCashUnclear ? { ...order, fulfillmentOrder: undefined } : order;
	const cash = decideCash({ ...facts, order: payer }, mapping);
	if (!cash.ok) return invalid(cash.problem);
	// Whether its delivery has the items of a fulfillment service depends on how it was created.
	const isByService = !fulfillmentOrder && units.isByService;
	const hasPackages = lines.length > 0 && !isFulfilled && !isByService;
	const packages = hasPackages ? toPackages(order, lines, mapping) : undefined;
	const { notCollected, isSettled = false, amount } = cash.value;
	const isUnclear = isCashUnclear || cash.value.isUnclear;
	// The delivery may have been created with an amount to collect.
	const cod = isSettled || notCollected ? 0 : isUnclear ? undefined : amount;
	const hasContact = Object.values(contact).some(Boolean);
	const hasCash = cod !== undefined || mapping.cod === 'never';
	const changed = { recipient: hasContact, address: location, packages, cash: hasCash };
	const unchanged = Object.entries(changed).flatMap(([field, value]) => (value ? [] : field));
	const actions: Action[] = stop ? [{ code: 'stopDelivery', why: stop }] : [];
	actions.push(...missingFieldsAction(facts));
	if (notCollected) actions.push(notCollected);
	if (!stop && unchanged.length > 0) actions.push({ code: 'notUpdated', fields: unchanged });
	if (location && !location.lat && mapping.includeCoordinates)
		actions.push({ code: 'noCoordinates' });
	return {
		kind: 'changes',
		label,
		referenceId,
		changes: {
			...(hasContact && { contact }),
			// Overwrites old instructions, since those for the previous address would mislead the driver.
			...(location && {
				location: { ...location, instructions: location.instructions ?? label },
			}),
			packages,
			cod,
		},
		isSettled,
		actions,
	};
}

/** Whether an order that would be skipped now may have a delivery that is under way. */
function isChangeable({ code }: Skip, isFulfilled: boolean): boolean {
	return (
		['onHold', 'scheduled', 'closed'].includes(code) || (code === 'nothingToShip' && isFulfilled)
	);
}
