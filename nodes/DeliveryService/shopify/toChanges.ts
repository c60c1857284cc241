/** From an item with a Shopify order to changes of its delivery. */
import type { Result } from '../common/result';
import type { Delivery } from '../service/schemas';
import { decideCash, type CashDecision, type CashProblem } from './cash';
import { missingFieldsAction, noReference, type Action } from './decide';
import { readFacts, type OrderFacts } from './facts';
import { findOrder } from './item';
import { openFilters, type OrderMapping } from './mapping';
import { identifiersOf, orderLabel } from './order';
import { toPackages } from './packages';
import type { OrderProblem } from './problems';
import type { Recipient } from './recipient';
import { findSkip, type Skip } from './skipping';
import { hasFulfilledUnits } from './units';

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
	/** `label`: undefined if the item has no order. */
	| { kind: 'invalid'; label?: string; problems: readonly OrderProblem[] };

/**
 * Maps the current state of a Shopify order to changes of its delivery (docs/api.md, section 4.2):
 * recipient, address, packages as long as nothing is fulfilled, and cash on delivery, which becomes 0 once
 * nothing is to be collected. What the order lacks or its sales channel hides stays unchanged. The address
 * is one line of text, the only format that updates accept. Never throws.
 *
 * The delivery is found by the reference ID with which Create sends this order or fulfillment order, so it
 * can't be that of another one, or of another part.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param createdWith the mapping that the delivery was created with; its filters don't apply
 */
export function orderToChanges(value: unknown, createdWith: OrderMapping): ChangesResult {
	const found = findOrder(value);
	if (!found.ok) return { kind: 'invalid', problems: [found.problem] };
	const mapping: OrderMapping = {
		...createdWith,
		addressFormat: 'text',
		filters: openFilters(createdWith.filters),
	};
	const read = readFacts(found.value, mapping);
	const label = orderLabel(identifiersOf(found.value));
	const invalid = (...problems: readonly OrderProblem[]) =>
		({ kind: 'invalid', problems, label }) as const;
	if (!read.ok) return invalid(...read.problem);
	const facts = read.value;
	const { order, references, units } = facts;
	const { referenceId } = references;
	if (referenceId === undefined) return invalid(noReference(mapping));
	// Something of it may be in this delivery, or may have shipped in another way.
	const hasFulfilled = hasFulfilledUnits(order, units);
	if (!hasFulfilled && units.problems.length > 0) return invalid(...units.problems);
	const skip = findSkip(facts, mapping);
	if (skip && !isChangeable(skip, hasFulfilled)) return { kind: 'skipped', label, ...skip };
	const cash = changedCash(facts, mapping, hasFulfilled);
	if (!cash.ok) return invalid(cash.problem);
	const { cod, isSettled, notCollected } = cash.value;
	const packages = changedPackages(facts, mapping, hasFulfilled);
	const changes = changesOf(facts, label, packages, cod);
	const actions = actionsOf(facts, mapping, changes, notCollected);
	return { kind: 'changes', label, referenceId, changes, isSettled, actions };
}

/** The new cash of a delivery; undefined if it stays as it is. */
interface ChangedCash extends Pick<CashDecision, 'notCollected'> {
	cod: number | undefined;
	isSettled: boolean;
}

function changedCash(
	facts: OrderFacts,
	mapping: OrderMapping,
	hasFulfilled: boolean,
): Result<ChangedCash, CashProblem> {
	const { order, lines } = facts;
	// It may also collect for fulfilled units, or those of a fulfillment order that was replaced.
	const isOfPart = order.fulfillmentOrder !== undefined && (hasFulfilled || lines.length === 0);
	const payer = isOfPart ? { ...order, fulfillmentOrder: undefined } : order;
	const cash = decideCash({ ...facts, order: payer }, mapping);
	if (!cash.ok) return cash;
	const { amount, isUnclear = isOfPart, isSettled = false, notCollected } = cash.value;
	const known = isUnclear ? undefined : amount;
	// The delivery may have been created with an amount to collect.
	const cod = isSettled || notCollected ? 0 : known;
	return { ok: true, value: { cod, isSettled, notCollected } };
}

function changedPackages(
	{ order, units, lines }: OrderFacts,
	mapping: OrderMapping,
	hasFulfilled: boolean,
): Delivery['packages'] | undefined {
	// Whether its delivery has the items of a fulfillment service depends on how it was created.
	const isByService = !order.fulfillmentOrder && units.isByService;
	const isKnown = lines.length > 0 && !hasFulfilled && !isByService;
	return isKnown ? toPackages(order, lines, mapping) : undefined;
}

function changesOf(
	{ recipient, hidden }: OrderFacts,
	label: string,
	packages: Delivery['packages'] | undefined,
	cod: number | undefined,
) {
	const { location, ...contact }: Recipient = hidden === undefined ? recipient : {};
	return {
		...(Object.values(contact).some(Boolean) && { contact }),
		// Overwrites old instructions, since those for the previous address would mislead the driver.
		...(location && { location: { ...location, instructions: location.instructions ?? label } }),
		packages,
		cod,
	};
}

/** What a person must do about the delivery besides. */
function actionsOf(
	facts: OrderFacts,
	mapping: OrderMapping,
	{ contact, location, packages, cod }: ReturnType<typeof changesOf>,
	notCollected: CashDecision['notCollected'],
): Action[] {
	const { stop } = facts;
	const cash = cod !== undefined || mapping.cod === 'never';
	const changed = { recipient: contact, address: location, packages, cash };
	const unchanged = Object.entries(changed).flatMap(([field, value]) => (value ? [] : field));
	const actions: Action[] = stop ? [{ code: 'stopDelivery', why: stop }] : [];
	actions.push(...missingFieldsAction(facts));
	if (notCollected) actions.push(notCollected);
	if (!stop && unchanged.length > 0) actions.push({ code: 'notUpdated', fields: unchanged });
	if (location && !location.lat && mapping.includeCoordinates)
		actions.push({ code: 'noCoordinates' });
	return actions;
}

/** Whether an order that would be skipped now may have a delivery that is under way. */
function isChangeable({ code }: Skip, hasFulfilled: boolean): boolean {
	return (
		['onHold', 'scheduled', 'closed'].includes(code) || (code === 'nothingToShip' && hasFulfilled)
	);
}
