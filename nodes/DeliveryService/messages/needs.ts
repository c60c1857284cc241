/** What a person must do about an item besides what its failure says, and where the docs say more. */
import { endSentence, joinSentences, pluralize } from '../common/text';
import type { Created, Job, Skipped } from '../sending/job';
import { isPendingReview } from '../service/statuses';
import type { Action } from '../shopify/decide';
import { actionNeeds } from './actions';
import { helpUrl, helpWithFailure, helpWithInvalid, type Need } from './help';
import { addressOf, deliveryName, labelOf, partsOf } from './names';
import { sendAnyway, skipNeed } from './skips';
import { failedUpdateText } from './updates';

/** What a person must do about an item, as one text; empty if nothing. */
export function neededFor(job: Job): string {
	return textOf(needsOf(job));
}

/** Needs as one text; empty if there are none. */
export function textOf(needs: readonly Need[]): string {
	return joinSentences(needs.map(({ text }) => text));
}

/** The URL of the docs about what a person must do about an item; empty if nothing. */
export function helpFor(job: Job, [need]: readonly Need[]): string {
	const { outcome, order } = job;
	switch (outcome?.kind) {
		case 'invalid':
			return order ? helpUrl(helpWithInvalid(outcome)) : '';
		case 'rejected':
		case 'unknown':
		case 'notSent':
			return helpUrl(helpWithFailure(outcome));
		default:
			return need ? helpUrl(need.help) : '';
	}
}

/** What a person must do about an item. */
export function needsOf(job: Job): Need[] {
	const { outcome } = job;
	switch (outcome?.kind) {
		case 'updated':
			return changeNeeds(job);
		case 'skipped':
			return needsOfSkipped(job, outcome);
		case 'created':
			return needsReview(outcome) ? [reviewNeed(job), ...orderNeeds(job)] : orderNeeds(job);
		default:
			return orderNeeds(job);
	}
}

/** What to do about an order that is sent or skipped now. If it may have a delivery, stopping that is all. */
function orderNeeds(job: Job): Need[] {
	const stop = job.mayHaveDelivery ? stopNeeds(job) : [];
	return stop.length > 0 ? stop : actionNeeds(job.order?.actions, labelOf(job));
}

/** Whether the service did not find the address of a created delivery. */
export function needsReview({ record: { statusDelivery } }: Created): boolean {
	return typeof statusDelivery === 'string' && isPendingReview(statusDelivery);
}

function reviewNeed(job: Job): Need {
	return {
		text: `${labelOf(job)} is pending review: the Delivery Service did not find an address, and no driver comes. Is this the right delivery address: ${addressOf(job)}? If not, correct it with the operation Update. If it is, tell the Delivery Service.`,
		help: 'pending-review',
	};
}

function needsOfSkipped(job: Job, { why }: Skipped): Need[] {
	switch (why.code) {
		case 'order': {
			const needs = orderNeeds(job);
			const need = skipNeed(why.skip, labelOf(job));
			return needs.length > 0 || !need ? needs : [need];
		}
		case 'alreadyCreated':
			return [...failedUpdateNeeds(job), ...laterNeeds(job)];
		case 'grown':
			return [...failedUpdateNeeds(job), grownNeed(job), ...laterNeeds(job)];
		case 'unitsSent':
			return [movedNeed(job), ...stopNeeds(job)];
		case 'wholeCreated':
			return stopNeeds(job);
		case 'unseen':
			return why.isNamed ? [] : [{ text: unseenText(job), help: 'older-order' }];
		case 'sameReference':
		case 'sameOrder':
		case 'outdated':
			return [];
	}
}

/**
 * What to do about an order that was sent before. What else it needs was said when it was sent: a nightly
 * run would say it every night.
 */
function laterNeeds(job: Job): Need[] {
	return job.claim?.sentAs ? changeNeeds(job) : stopNeeds(job);
}

/** What to do about the changes of a sent order that this run reports. */
function changeNeeds(job: Job): Need[] {
	const { order, change } = job;
	if (!change) return [];
	const { cash = [], rest = [] } = order?.laterChanges ?? {};
	const actions = [...(change.cash ? cash : []), ...(change.rest ? rest : [])];
	const needs = actionNeeds(actions, labelOf(job));
	if (change.before && !order?.stop) needs.unshift(releasedNeed(job, change.before));
	if (needs.length > 0 && change.number > 1)
		needs.push(changed(`This is change ${change.number} of the order.`));
	return needs;
}

/** If a sent order is not compared, each run says that its delivery is to be stopped. */
function stopNeeds(job: Job): Need[] {
	const { stop } = job.order ?? {};
	const actions: Action[] = stop ? [{ code: 'stopDelivery', why: stop }] : [];
	return actionNeeds(actions, labelOf(job));
}

function releasedNeed(job: Job, before: 'held' | 'stopped'): Need {
	const label = labelOf(job);
	const goOn = 'If you had its delivery stopped, ask the Delivery Service to go on.';
	return {
		text:
			before === 'held'
				? `${label} is no longer on hold. ${goOn}`
				: `${label} is to be delivered again. ${goOn}`,
		help: 'delivery-to-stop',
	};
}

function changed(text: string): Need {
	return { text, help: 'changed-order' };
}

function failedUpdateNeeds({ failedUpdate }: Job): Need[] {
	return failedUpdate ? [changed(endSentence(failedUpdateText(failedUpdate)))] : [];
}

/** The fulfillment order has more units than when its delivery was created. */
function grownNeed({ referenceId = '' }: Job): Need {
	return changed(
		`${referenceId} has more items than when it was sent. If its delivery does not have them, add them with the operation Update.`,
	);
}

/** The fulfillment order was moved, or replaces one that was sent, or whose outcome is unknown. */
function movedNeed(job: Job): Need {
	const { referenceId = '', order } = job;
	const { name = 'the right location' } = order?.location ?? {};
	return changed(
		`The items of ${referenceId} were sent, or may have been, with another fulfillment order. Look in the Delivery Service for ${partsOf(job)}. Check whether that delivery starts at ${name} and has all items. If not, ask the Delivery Service to correct it.`,
	);
}

/** Why a late order is not sent, and what to do: another workflow may have created its delivery. */
export function unseenText(job: Job): string {
	return `${deliveryName(job)} was not sent: it was placed ${ageText(job)} ago, and this workflow did not see it in time. Look for it in the Delivery Service; if it is not there, ${sendAnyway}.`;
}

/** How long ago the item's order was placed. */
function ageText({ ageHours = 0 }: Job): string {
	return ageHours < 48
		? pluralize(Math.floor(ageHours), 'hour', 'hours')
		: pluralize(Math.floor(ageHours / 24), 'day', 'days');
}
