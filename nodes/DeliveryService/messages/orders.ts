/** The sentences about Shopify orders that are skipped, lack something or need a person. */
import type { Problem } from '../common/result';
import { joinSentences } from '../common/text';
import type { CashReduced } from '../shopify/cash';
import type { Action } from '../shopify/decide';
import type { StopReason } from '../shopify/facts';
import { deliveryMethodNames } from '../shopify/fulfillmentOrder';
import type { ChangedOrder } from '../shopify/laterChanges';
import type { PartlyPaid } from '../shopify/payment';
import type { Skip } from '../shopify/skipping';
import { helpWithAction, helpWithSkip, type Need } from './help';
import { quoted } from './lists';

/**
 * What happened to a skipped order and what to do.
 *
 * @param label the order's name, e.g. "Order #1001"
 */
export function skipMessage(skip: Skip, label: string): string {
	return `${label} ${skipText(skip)}`;
}

/** Why the delivery of a skipped order is not updated, and what the user can do about it. */
export function notUpdatedProblem(skip: Skip, label: string): Problem {
	// The message of a canceled order already says how to stop its delivery.
	const advice = skip.code === 'cancelled' ? '' : ' To stop it, ask the Delivery Service.';
	return {
		message: skipMessage(skip, label),
		description: `Its delivery was not updated.${advice}`,
	};
}

function skipText(skip: Skip): string {
	switch (skip.code) {
		case 'cancelled':
			return 'was canceled. If its delivery already exists, ask the Delivery Service to stop it.';
		case 'testOrder':
			return 'is a test order. To send test orders, add Include Test Orders under Filters.';
		case 'voided':
			return 'has a voided payment.';
		case 'refunded':
			return 'was fully refunded.';
		case 'notPaid':
			return `is not paid yet (${skip.methods.join(', ') || 'no payment method'}). It will be sent when this workflow gets it again after the payment.${skip.partly ? '' : ' Nothing to do.'}`;
		case 'localPickup':
			return pickupText(skip);
		case 'nothingToShip':
			return "has nothing to ship: its items are fulfilled, on hold, refunded, removed or don't need shipping. For a second package, use the operation Create.";
		case 'fulfillmentService':
			return 'is shipped by a fulfillment service. To send it from your shop, add Include Fulfillment Services under Filters.';
		case 'deliveryMethod':
			return `has the delivery method "${deliveryMethodNames[skip.method]}". To deliver such orders, ${addMethod(skip.method)}.`;
		case 'shippingMethod':
			return methodText(skip);
		case 'tag':
			return skip.tag === undefined
				? 'has none of the tags in Tags under Filters. To send it, add one of them to the order.'
				: `has the tag "${skip.tag}", which is in Exclude Tags under Filters. To send it, remove the tag.`;
		case 'onHold': {
			const holds = skip.holds.length > 0 ? ` (${skip.holds.join('; ')})` : '';
			return `is on hold in Shopify${holds}. It will be sent when this workflow gets it again after the hold is released.`;
		}
		case 'scheduled': {
			const day = skip.until === undefined ? 'when it is due' : `on or after ${dayOf(skip.until)}`;
			return `is scheduled. It will be sent when this workflow gets it again ${day}. Nothing to do.`;
		}
		case 'closed':
			return 'is closed in Shopify: its items were fulfilled, moved or removed. If some are left, send their new fulfillment order.';
		case 'incomplete':
			return "was closed as incomplete in Shopify: its location couldn't fulfill it. Check the order in Shopify.";
	}
}

/** How a person sends an order that the workflow would not send, for the end of a sentence. */
export const sendAnyway = 'send it with Send Anyway';

function methodText({ methods, isOnlyListed }: Extract<Skip, { code: 'shippingMethod' }>): string {
	const names = quoted(methods);
	if (names === '') return 'has no shipping method, and only those in Shipping Methods are sent.';
	return isOnlyListed
		? `has the shipping method ${names}. To send it, add the name to Shipping Methods, and remove it from Exclude Shipping Methods.`
		: `has the shipping method ${names}, which Exclude Shipping Methods under Filters excludes. To send it, remove the name there; if you don't see this filter, add it first.`;
}

function pickupText({ pickup }: Extract<Skip, { code: 'localPickup' }>): string {
	switch (pickup.shownBy) {
		case 'fulfillmentOrder':
			return `is picked up by the customer. To deliver such orders, ${addMethod('pick_up')}.`;
		case 'mark':
			return `is marked as a store pickup (${pickup.mark}). To deliver it, correct its additional details in Shopify.`;
		case 'missingAddress': {
			const method = pickup.method === undefined ? '' : ` (${pickup.method})`;
			return `has no shipping address, so it looks like a store pickup${method}. To deliver it, add an address to the order in Shopify.`;
		}
	}
}

function addMethod(method: keyof typeof deliveryMethodNames): string {
	return `add "${deliveryMethodNames[method]}" to Delivery Methods under Filters`;
}

/** A time stamp as the shop's day if it has a time zone, e.g. "2026-12-01", else with its time. */
function dayOf(time: string): string {
	const [, day, clock] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(time) ?? [];
	if (day === undefined) return time;
	return time.endsWith('Z') ? `${day} ${clock} UTC` : day;
}

/** What a person must do about an order that is skipped; undefined if nothing. */
export function skipNeed(skip: Skip): Need | undefined {
	const text = skipAdvice(skip);
	return text === '' ? undefined : { text, help: helpWithSkip(skip) };
}

function skipAdvice(skip: Skip): string {
	switch (skip.code) {
		case 'notPaid':
			return skip.partly ? partlyPaidText(skip.partly) : '';
		case 'shippingMethod':
			return skip.methods.length === 0
				? `Not sent: it has no shipping method, and only those in Shipping Methods are sent. If a driver should bring it, ${sendAnyway}.`
				: '';
		case 'nothingToShip':
			return skip.held.length > 0
				? `Not sent, probably because of a hold in Shopify: ${quoted(skip.held)}. When it is released, ${sendAnyway}.`
				: '';
		default:
			return '';
	}
}

/** What a person must do about an order or its delivery. */
export function actionNeeds(actions: readonly Action[] = [], label = 'The order'): Need[] {
	return actions.map((action) => ({
		text: actionText(action, label),
		help: helpWithAction[action.code],
	}));
}

/** The same as one text; empty if nothing. */
export function actionNeeded(actions: readonly Action[] = [], label?: string): string {
	return joinSentences(actionNeeds(actions, label).map(({ text }) => text));
}

function actionText(action: Action, label: string): string {
	switch (action.code) {
		case 'cashNotCollected': {
			const { methods, unknownMethods } = action;
			const advice = unknownMethods.length > 0 ? ` ${addCashMethod(unknownMethods)}` : '';
			return `No cash is collected, but the order is not paid (${methods.join(', ') || 'no payment method'}).${advice}`;
		}
		case 'cashReduced':
			return `The driver collects only ${action.amount} of the unpaid ${action.unpaid}, because ${reducedReasons[action.why]}. If nobody else collects the rest, set the cash of this delivery with the operation Update.`;
		case 'openReturn':
			return `No cash is collected, because the order has an open return: Shopify says that ${action.unpaid} is unpaid${returnedText(action.afterReturn)}. If the driver should collect something, set the cash of this delivery with the operation Update.`;
		case 'otherCurrency': {
			const shown = action.ofCustomer ?? `an amount in ${action.currency}`;
			return `The driver collects ${action.amount}, in the currency of the shop. The customer was shown ${shown}. If the driver should collect another amount, set the cash of this delivery with the operation Update.`;
		}
		case 'excludedMethod':
			return `The order also has the shipping method ${quoted(action.methods)}, which is not sent by the filters. Check which items to send.`;
		case 'typeUnclear':
			return `The order has several shipping methods (${quoted(action.methods)}), so the default delivery type is used. Check it.`;
		case 'futureDate':
			return `The delivery date is ${action.day}, but the delivery is created now. Check with the Delivery Service that it comes on that day.`;
		case 'unclearDate':
			return `The delivery date "${action.text}" is not clear. Set Delivery Date Format under Filters.`;
		case 'missingFields':
			return `Shopify did not return ${quoted(action.fields)}, so this order may be decided wrongly. Request ${action.fields.length === 1 ? 'it' : 'them'} in the Shopify node or the query.`;
		case 'held':
			return `These items were not sent, probably because of a hold in Shopify: ${quoted(action.items)}. When it is released, send them with the operation Create and a reference ID of their own.`;
		case 'stopDelivery':
			return `${label} ${stateNames[action.why]}. Ask the Delivery Service to stop it.`;
		case 'owedChanged':
			return owedText(action);
		case 'orderChanged':
			return changedText(action.order);
		case 'notUpdated':
			return `Not updated: ${action.fields.join(', ')}. Ask the Delivery Service to change this if needed.`;
		case 'noCoordinates':
			return 'The new address has no coordinates. Check whether the Delivery Service has found it.';
	}
}

function owedText({ owed, isPart, isFulfilled }: Extract<Action, { code: 'owedChanged' }>): string {
	if (owed === undefined)
		return `Its delivery collects cash, but the order is now paid. ${isFulfilled ? 'If the driver has not come yet, set' : 'Set'} its cash to 0 with the operation Update, or ask the Delivery Service.`;
	const now = `Its delivery collects cash, and the customer now owes ${owed} for the whole order.`;
	return isPart
		? `${now} Compare the cash of the deliveries of this order, and correct it with the operation Update, or ask the Delivery Service.`
		: `Its delivery collects cash, and the customer now owes ${owed}. Set its cash to ${owed} with the operation Update, or ask the Delivery Service.`;
}

function changedText({ address, items, day }: ChangedOrder): string {
	const [to, what] = [address || 'no address', items.join(', ') || 'no items'];
	const date = day === undefined ? '' : `; delivery date ${day}`;
	return `The order was changed in Shopify after it was sent. Compare its delivery with the order: ${to}; ${what}${date}. Correct it with the operation Update, or ask the Delivery Service.`;
}

/** What an open return leaves of an unpaid amount, for the end of a sentence. */
function returnedText(afterReturn: string | undefined): string {
	return afterReturn === undefined
		? ', but not how much of it the returned items settle'
		: `, or ${afterReturn} without the returned items`;
}

function partlyPaidText({ unpaid, hasOpenReturn, afterReturn, ...order }: PartlyPaid): string {
	const { total, isAuthorizationKnown } = order;
	const returned = hasOpenReturn ? returnedText(afterReturn) : '';
	const amounts =
		unpaid === undefined ? '' : ` Shopify says that ${unpaid} of ${total} is unpaid${returned}.`;
	const authorized = isAuthorizationKnown
		? ''
		: " The order doesn't say whether the rest is authorized; orders from Shopify's GraphQL API with totalCapturableSet do.";
	return `Not sent: it is only partly paid.${amounts}${authorized} Collect or capture the rest, or mark the order as paid in Shopify.`;
}

const reducedReasons: Readonly<Record<CashReduced['why'], string>> = {
	paymentUnclear: "the order doesn't say which of its items are paid",
	feesLost: 'shipping and taxes are collected with an item that was removed from the order',
};

/** What happened to an order whose delivery should be stopped. */
const stateNames: Readonly<Record<StopReason, string>> = {
	onHold: 'is on hold',
	cancelled: 'was canceled',
	refunded: 'was fully refunded',
	voided: 'has a voided payment',
	closed: 'was closed',
	incomplete: 'was closed',
};

function addCashMethod(methods: readonly string[]): string {
	if (methods.includes('manual'))
		return `Someone entered it as unpaid ("manual"). If the driver should collect the cash, use Update, and set Cash on Delivery.`;
	const [is, it] = methods.length === 1 ? ['is', 'it'] : ['are', 'them'];
	return `If ${methods.join(', ')} ${is} cash on delivery, add ${it} to Cash on Delivery Methods under Order Options.`;
}
