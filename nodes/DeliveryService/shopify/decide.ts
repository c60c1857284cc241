/** Whether an order is sent, by what is known about it and the user's options. */
import type { Delivery } from '../service/schemas';
import { decideCash, type CashAction, type CashDecision, type CashNotCollected } from './cash';
import type { OrderFacts, StopReason } from './facts';
import type { LaterChange } from './laterChanges';
import type { OrderMapping } from './mapping';
import type { OrderProblem } from './problems';
import { toDropoff } from './recipient';
import { referenceFields } from './references';
import { findSkip, isPaymentExcluded, type Skip } from './skipping';

/** Whether an order is sent, and what a person must do about it besides. */
export type Decision =
	| { kind: 'send'; dropoff: Delivery['dropoff']; cash: CashDecision; actions: Action[] }
	/** Not for drivers, or not now. */
	| { kind: 'skip'; skip: Skip; actions: Action[] }
	| { kind: 'invalid'; problems: readonly OrderProblem[] };

/** What a person must do about a delivery that was sent or updated, or about the workflow. */
export type Action =
	| CashNotCollected
	| CashAction
	/** The order also has these shipping methods, which the filters exclude. */
	| { code: 'excludedMethod'; methods: string[] }
	/** The fulfillment order has one of these, so the default delivery type is used. */
	| { code: 'typeUnclear'; methods: string[] }
	| { code: 'futureDate'; day: string }
	| { code: 'unclearDate'; text: string }
	/** The order may be decided wrongly without them. */
	| { code: 'missingFields'; fields: string[] }
	/** These items of the order can't ship now. */
	| { code: 'held'; items: string[] }
	/** The order of an existing delivery changed. */
	| { code: 'stopDelivery'; why: StopReason }
	| LaterChange
	/** An update leaves these unchanged. */
	| { code: 'notUpdated'; fields: string[] }
	/** An update replaces an address with coordinates by one without. */
	| { code: 'noCoordinates' };

/** Decides whether an order is sent. */
export function decide(facts: OrderFacts, mapping: OrderMapping): Decision {
	const skip = findSkip(facts, mapping);
	if (skip) return { kind: 'skip', skip, actions: missingFieldsAction(facts, skip) };
	const { units } = facts;
	if (units.problems.length > 0) return { kind: 'invalid', problems: units.problems };
	const dropoff = toDropoff(facts);
	const cash = decideCash(facts, mapping);
	const problems: OrderProblem[] = [
		...(dropoff.ok ? [] : dropoff.problem),
		...openQuestions(facts, mapping),
		...(cash.ok ? [] : [cash.problem]),
	];
	if (!dropoff.ok || !cash.ok || problems.length > 0) return { kind: 'invalid', problems };
	const actions = actionsOfSent(facts, cash.value);
	return { kind: 'send', dropoff: dropoff.value, cash: cash.value, actions };
}

/** Why it is unclear whether, when or under which reference ID an order is to be sent. */
export type DecisionProblem =
	/** `field`: undefined if it is a custom one. */
	| { code: 'noReference'; field: string | undefined }
	| { code: 'unknownPayment'; status: string | undefined }
	| { code: 'unclearDate'; text: string };

function openQuestions(
	{ order, references, payment, date }: OrderFacts,
	mapping: OrderMapping,
): DecisionProblem[] {
	const problems: DecisionProblem[] = [];
	if (references.referenceId === undefined) problems.push(noReference(mapping));
	if (payment.state === 'unknown' && isPaymentExcluded(payment, mapping))
		problems.push({ code: 'unknownPayment', status: order.financial_status });
	if (mapping.filters.skipUntilDeliveryDate && date.unclear !== undefined)
		problems.push({ code: 'unclearDate', text: date.unclear });
	return problems;
}

/** The problem of an order without the field that its reference ID is from. */
export function noReference({ overrides, referenceIdFrom }: OrderMapping): DecisionProblem {
	const field = overrides.hasReference ? undefined : referenceFields[referenceIdFrom];
	return { code: 'noReference', field };
}

/** What a person should know about an order that is sent. */
function actionsOfSent(
	facts: OrderFacts,
	{ notCollected, actions: ofCash }: CashDecision,
): Action[] {
	const { units, methods, date, sendingDay } = facts;
	const actions: Action[] = [];
	if (notCollected) actions.push(notCollected);
	actions.push(...ofCash);
	if (units.held.length > 0) actions.push({ code: 'held', items: units.held });
	if (methods.excluded.length > 0)
		actions.push({ code: 'excludedMethod', methods: methods.excluded });
	if (methods.unclearTypes) actions.push({ code: 'typeUnclear', methods: methods.unclearTypes });
	if (date.day !== undefined && sendingDay !== undefined)
		actions.push({ code: 'futureDate', day: date.day });
	if (date.unclear !== undefined) actions.push({ code: 'unclearDate', text: date.unclear });
	return [...actions, ...missingFieldsAction(facts)];
}

/** The notice of fields without which an order may have been decided wrongly. */
export function missingFieldsAction({ missing }: OrderFacts, skip?: Skip): Action[] {
	const fields = missing
		.filter(({ causes }) => skip === undefined || causes === skip.code)
		.map(({ field }) => field);
	return fields.length > 0 ? [{ code: 'missingFields', fields }] : [];
}
