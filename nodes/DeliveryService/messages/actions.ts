/** The sentences about what a person must do about an order or its delivery. */
import { joinSentences } from '../common/text';
import type { CashReduced } from '../shopify/cash';
import type { Action } from '../shopify/decide';
import type { StopReason } from '../shopify/facts';
import type { ChangedOrder } from '../shopify/laterChanges';
import { helpWithAction, type Need } from './help';
import { quoted } from './lists';

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
			const { methods, unknownMethods, unpaid } = action;
			return `${label}: no cash is collected, but ${unpaid} is not paid (${methods.join(', ') || 'no payment method'}). ${collectAdvice(unknownMethods)}`;
		}
		case 'cashReduced':
			return `${label}: the driver collects only ${action.amount} of the unpaid ${action.unpaid}, because ${reducedReasons[action.why]}. If nobody else collects the rest, ${setCash()}.`;
		case 'openReturn':
			return `${label}: no cash is collected, because the order has an open return. Shopify says that ${action.unpaid} is unpaid${returnedText(action.afterReturn)}. If the driver should collect something, ${setCash()}.`;
		case 'otherCurrency': {
			const shown = action.ofCustomer ?? `an amount in ${action.currency}`;
			return `${label}: the driver collects ${action.amount}, in the currency of the shop. The customer was shown ${shown}. If the driver should collect another amount, ${setCash()}.`;
		}
		case 'excludedMethod':
			return `${label} was sent with all its items, but it also has the shipping method ${quoted(action.methods)}, which the filters leave out. If the driver should not bring all of them, correct the packages with the operation Update.`;
		case 'typeUnclear':
			return `${label} has several shipping methods (${quoted(action.methods)}), so the default delivery type is used. If that is wrong, tell the Delivery Service.`;
		case 'futureDate':
			return `${label} was sent now, but its delivery date is ${action.day}. Ask the Delivery Service to bring it on that day.`;
		case 'unclearDate':
			return `${label} was sent now, but its delivery date "${action.text}" is not clear. Tell the Delivery Service the right day. If dates in your shop look like 05/06/2026, set Delivery Date Format under Filters.`;
		case 'missingFields':
			return `${label} may be decided wrongly: Shopify did not return ${quoted(action.fields)}. Request ${action.fields.length === 1 ? 'it' : 'them'} in the Shopify node or the query.`;
		case 'held':
			return `${label} was sent without these items, probably because of a hold in Shopify: ${quoted(action.items)}. When it is released, send them with the operation Create and a reference ID of their own.`;
		case 'stopDelivery': {
			const end = action.why === 'onHold' ? ' until the hold is released' : '';
			return `${label} ${stateNames[action.why]}. Ask the Delivery Service to stop it${end}.`;
		}
		case 'owedChanged':
			return `${label} ${owedText(action)}`;
		case 'orderChanged':
			return `${label} ${changedText(action.order)}`;
		case 'notUpdated':
			return `Not updated: ${action.fields.join(', ')}. Ask the Delivery Service to change this if needed.`;
		case 'noCoordinates':
			return 'The new address has no coordinates. Check whether the Delivery Service has found it.';
	}
}

/** How a person corrects the cash of a delivery, for the end of a sentence. */
function setCash(amount?: string): string {
	return `set the cash of this delivery${amount === undefined ? '' : ` to ${amount}`} with the operation Update`;
}

type OwedChanged = Extract<Action, { code: 'owedChanged' }>;

function owedText({ owed, isPart, isFulfilled, hasOpenReturn }: OwedChanged): string {
	if (owed === undefined)
		return `is paid now, but its delivery collects cash: ${isFulfilled ? 'if the driver has not come yet, ' : ''}${setCash('0')}.`;
	if (hasOpenReturn)
		return `has an open return. Shopify says that the customer now owes ${owed}, and the return may change that. If the driver should collect another amount than before, ${setCash()}.`;
	return isPart
		? `changed after it was sent: the customer now owes ${owed} for the whole order. Compare the cash of its deliveries, and correct it with the operation Update.`
		: `changed after it was sent: the customer now owes ${owed}, and its delivery collects another amount. So ${setCash(owed)}.`;
}

function changedText({ address, items, day, time }: ChangedOrder): string {
	const [to, units] = [address || 'no address', items.join(', ') || 'no items'];
	const part = day === undefined ? 'time' : 'date';
	const when = [day, time].filter(Boolean).join(', ');
	const [chosen, tell] =
		when === ''
			? ['', '']
			: [`; delivery ${part} ${when}`, ` If the ${part} has changed, tell the Delivery Service.`];
	return `was changed in Shopify after it was sent. It is now: ${to}; ${units}${chosen}. Correct its delivery with the operation Update.${tell}`;
}

/** What an open return leaves of an unpaid amount, for the end of a sentence. */
export function returnedText(afterReturn: string | undefined): string {
	return afterReturn === undefined
		? ', but not how much of it the returned items settle'
		: `, or ${afterReturn} without the returned items`;
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
	emptied: 'has no items left',
	closed: 'was closed',
	incomplete: 'was closed',
};

/** What to do about an unpaid amount that no driver collects. */
function collectAdvice(unknownMethods: readonly string[]): string {
	const collect = `If the driver should collect it, ${setCash()}.`;
	if (unknownMethods.length === 0) return collect;
	if (unknownMethods.includes('manual'))
		return `Someone entered it as unpaid ("manual"). ${collect}`;
	const [is, it] = unknownMethods.length === 1 ? ['is', 'it'] : ['are', 'them'];
	return `If ${unknownMethods.join(', ')} ${is} cash on delivery, ${setCash()}. For later orders, add ${it} to Cash on Delivery Methods under Order Options.`;
}
