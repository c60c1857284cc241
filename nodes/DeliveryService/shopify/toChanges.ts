import { decideCash } from './cash';
import { findDeliveryDate } from './deliveryDate';
import { findOrder } from './item';
import { noFilters, type OrderMapping } from './mapping';
import { identifiersOf, orderLabel, readOrder } from './order';
import { paymentOf } from './payment';
import type { OrderProblem, OrderSubject } from './problems';
import { readRecipient } from './recipient';
import { findSkip, missingFields, mustStop, type Skip } from './skipping';
import { actionsOf, identify, noReference, type Action } from './toDelivery';
import { countUnits, isPartlyFulfilled, toPackages } from './units';

/** The changes of the order's delivery, not yet validated, or why there are none. */
export type ChangesResult =
	| { kind: 'changes'; referenceId: string; changes: object; actions: Action[] }
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
	const names = identifiersOf(found.value);
	const subject = { label: orderLabel(names) };
	const invalid = (problems: readonly OrderProblem[]) =>
		({ kind: 'invalid', problems, ...subject }) as const;
	const read = readOrder(found.value);
	if (!read.ok) return invalid(read.problem);
	const order = read.value;
	const { fulfillmentOrder } = order;
	const { referenceId } = identify(order, mapping);
	if (referenceId === undefined) return invalid([noReference(mapping)]);
	const options: OrderMapping = { ...mapping, addressFormat: 'text', filters: noFilters };
	const units = countUnits(order, options);
	// Something of it may be in this delivery, or may have shipped in another way.
	const isFulfilled = isPartlyFulfilled(order, units);
	if (!isFulfilled && units.problems.length > 0) return invalid(units.problems);
	const lines = units.lines.filter(({ taken }) => taken > 0);
	const skip = findSkip(order, options, units, isFulfilled || lines.length > 0);
	if (skip && !changeableReasons.includes(skip.code))
		return { kind: 'skipped', label: orderLabel(order), ...skip };
	const date = findDeliveryDate(order, lines.length > 0 ? lines : units.lines, mapping);
	const { location, ...contact } = readRecipient(order, options, date);
	// It may also collect for fulfilled units, or those of a fulfillment order that was replaced.
	const isCashUnclear = fulfillmentOrder !== undefined && (isFulfilled || lines.length === 0);
	const payer = isCashUnclear ? { ...order, fulfillmentOrder: undefined } : order;
	const payment = paymentOf(order, mapping);
	const cash = decideCash({ order: payer, units, payment }, mapping);
	if (!cash.ok) return invalid([cash.problem]);
	// Whether its delivery has the items of a fulfillment service depends on how it was created.
	const isByService = !fulfillmentOrder && countUnits(order, mapping).isByService;
	const hasPackages = lines.length > 0 && !isFulfilled && !isByService;
	const packages = hasPackages ? toPackages(order, lines, mapping) : undefined;
	const { notCollectedFor, isSettled, amount } = cash.value;
	const isUnclear = isCashUnclear || cash.value.isUnclear;
	// The delivery may have been created with an amount to collect.
	const cod = isSettled || notCollectedFor ? 0 : isUnclear ? undefined : amount;
	const { state, unknownMethods } = payment;
	const stop = skip && mustStop(skip, order) ? skip.code : state === 'refunded' && state;
	const hasContact = Object.values(contact).some(Boolean);
	const hasCash = cod !== undefined || mapping.cod === 'never';
	const changed = { recipient: hasContact, address: location, packages, cash: hasCash };
	const unchanged = Object.entries(changed).flatMap(([field, value]) => (value ? [] : field));
	const missing = missingFields(found.value, options);
	const actions = actionsOf(
		stop && { code: 'stopDelivery', label: orderLabel(order), skip: stop },
		missing && { code: 'missingFields', fields: missing },
		notCollectedFor && { code: 'cashNotCollected', methods: notCollectedFor, unknownMethods },
		!stop && unchanged.length > 0 && { code: 'notUpdated', fields: unchanged },
		location && !location.lat && mapping.includeCoordinates && { code: 'noCoordinates' },
	);
	return {
		kind: 'changes',
		referenceId,
		changes: {
			...(hasContact && { contact }),
			// Overwrites old instructions, since those for the previous address would mislead the driver.
			...(location && {
				location: { ...location, instructions: location.instructions ?? orderLabel(order) },
			}),
			packages,
			cod,
		},
		actions: actions ?? [],
	};
}

/** Reasons not to create a delivery, which may exist and be under way. */
const changeableReasons: ReadonlyArray<Skip['code']> = ['onHold', 'scheduled', 'closed'];
