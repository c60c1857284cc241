import { NodeApiError, type IHookFunctions } from 'n8n-workflow';

import type { Subscription } from '../service/requests';
import { digestFor, type TriggerOwner } from './eventUrls';
import {
	diffSubscriptions,
	subscriptionsAtOtherUrls,
	subscriptionsFor,
	canonicalUrl,
	type DesiredSubscriptions,
} from './diff';
import { isSameSite, type TriggerState, type SubscriptionSite } from './state';
import {
	conflictError,
	blacklistedError,
	unlistedError,
	unroutableError,
	warnAboutLeftover,
	warnAboutUnprovenSite,
	type LeftoverEffect,
	warnAboutDroppedQuery,
	warnAboutReactivated,
	warnAboutOtherUrls,
	warnAboutUnchecked,
	localhostError,
	withFullMessage,
} from './messages';
import {
	assertSettings,
	triggerState,
	openSite,
	openTrigger,
	saveTriggerState,
	type OpenTrigger,
} from './settings';
import { removeOwnSubscriptions, type Leftover } from './removal';
import {
	ConflictError,
	listWebhooksIfAllowed,
	reconcile,
	StillBlacklistedError,
	UnlistedError,
} from './subscriptions';

/*
 * What n8n calls when it turns a trigger on or off: when the workflow is published or unpublished,
 * when the user starts or stops listening for a test event, and in some versions when n8n starts.
 */

/**
 * Whether the service lists exactly the desired subscriptions (API document, section 4.4), and
 * no other site may have subscriptions of this node.
 *
 * If n8n starts while the service is unavailable, earlier subscriptions count as unchanged:
 * otherwise n8n would close the webhook and retry with ever longer pauses, while the service posts
 * events to it.
 *
 * @throws NodeApiError when the service rejects the request or can't be reached, NodeOperationError
 *   when the node or its credential is incomplete
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	return await checkSubscriptions(context).catch((error: unknown) => {
		throw withFullMessage(error);
	});
}

async function checkSubscriptions(context: IHookFunctions): Promise<boolean> {
	assertSettings(context);
	const state = triggerState(context);
	const trigger = await openTrigger(context, state);
	const { webhooks, desired, site, wasSubscribed } = trigger;
	// `subscribe` reads the list, too; this saves time in which events are lost.
	if (!wasSubscribed) return false;
	const listed = await listWebhooksIfAllowed(webhooks).catch((error: unknown) => {
		if (!canAssumeUnchanged(context, state, site, error)) throw error;
		warnAboutUnchecked(context, error);
	});
	if (!listed) return true;
	const { missing, stale, blacklisted, surplus } = diffSubscriptions(desired, listed);
	if ([...missing, ...stale, ...blacklisted, ...surplus].length > 0) return false;
	if (otherSites(state, site).length > 0) return false;
	saveSubscription(context, trigger, []);
	return true;
}

/**
 * Subscribes the trigger's event URLs (section 4.3): creates missing subscriptions, re-creates
 * blacklisted ones, and removes those of an earlier API secret, event selection, company or base
 * URL.
 *
 * @throws NodeOperationError when no event is selected, the credential is incomplete, or the service
 *   can't reach the webhook URL; NodeApiError when the service rejects a request or can't be
 *   reached. Subscriptions that this call has created are removed then.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	return await subscribeMissing(context).catch((error: unknown) => {
		throw withFullMessage(error);
	});
}

async function subscribeMissing(context: IHookFunctions): Promise<boolean> {
	assertSettings(context);
	const state = triggerState(context);
	const trigger = await openTrigger(context, state);
	if (!isRoutable(context, trigger.site)) throw unroutableError(context);
	if (!trigger.isReachable) throw localhostError(context, trigger.desired.webhookUrl);
	const { desired } = trigger;
	// Another site may be the same list under another name. Signed URLs of today differ from earlier
	// ones and are kept there; unsigned ones are equal, so the other sites must be cleared first.
	const clearedFirst = desired.signer
		? undefined
		: await removeOtherSitesFirst(context, state, trigger);
	const { blacklisted, leftover, isQueryDropped, atOtherUrls } = await reconcile(
		trigger.webhooks,
		desired,
		trigger.isRemoved,
	).catch((error: unknown) => {
		if (error instanceof ConflictError) throw conflictError(context, error.message);
		if (error instanceof StillBlacklistedError) throw blacklistedError(context, error);
		if (error instanceof UnlistedError) throw unlistedError(context, error);
		throw error;
	});
	if (isQueryDropped && desired.signer) warnAboutDroppedQuery(context);
	if (leftover) warnAboutLeftover(context, leftover, effectOfLeftover(desired, leftover));
	const remainingSites =
		clearedFirst ??
		(await removeAtOtherSites(
			context,
			state,
			trigger,
			effectAtOtherSites(desired),
			subscriptionsFor(desired),
		));
	saveSubscription(context, trigger, remainingSites);
	if (blacklisted.length > 0) warnAboutReactivated(context, blacklisted);
	if (atOtherUrls.length > 0) warnAboutOtherUrls(context, atOtherUrls);
	return true;
}

/**
 * Removes all subscriptions of the trigger (section 4.5). Never throws: a failing service must not
 * prevent a user from turning a workflow off. Logs what may remain.
 */
export async function unsubscribeAll(context: IHookFunctions): Promise<boolean> {
	const state = triggerState(context);
	let { sites } = state;
	let removedFrom: string | undefined;
	try {
		const trigger = await openTrigger(context, state);
		const { webhooks, desired, known, site, wasSubscribed } = trigger;
		const removal = await removeOwnSubscriptions(webhooks, desired, { known, wasSubscribed });
		const { leftover, listed } = removal;
		if (leftover) warnAboutLeftover(context, leftover, 'unpublished');
		else removedFrom = site.webhookUrl;
		const atOtherUrls = subscriptionsAtOtherUrls(desired, listed);
		if (atOtherUrls.length > 0) warnAboutOtherUrls(context, atOtherUrls);
		sites = await removeAtOtherSites(context, state, trigger, 'unpublished');
		if (leftover) sites.push(site);
	} catch (reason) {
		warnAboutLeftover(context, { subscriptions: [], reason }, 'unpublished');
	}
	saveTriggerState(context, { ...(removedFrom && { removedFrom }), digests: [], sites });
	return true;
}

/**
 * Like {@link removeAtOtherSites}, before anything is created at the current site.
 *
 * @throws when the current service does not respond: subscriptions at the other sites still work then
 */
async function removeOtherSitesFirst(
	context: IHookFunctions,
	state: TriggerState,
	trigger: OpenTrigger,
): Promise<SubscriptionSite[]> {
	if (otherSites(state, trigger.site).length === 0) return [];
	await listWebhooksIfAllowed(trigger.webhooks);
	return await removeAtOtherSites(context, state, trigger, effectAtOtherSites(trigger.desired));
}

/**
 * Removes the node's subscriptions at all sites except the current one.
 *
 * @param keep subscriptions not to remove if another site lists them
 * @returns the sites where subscriptions may remain
 */
async function removeAtOtherSites(
	context: IHookFunctions,
	state: TriggerState,
	{ desired, site: current }: OpenTrigger,
	effect: LeftoverEffect,
	keep: readonly Subscription[] = [],
): Promise<SubscriptionSite[]> {
	const remaining: SubscriptionSite[] = [];
	for (const site of otherSites(state, current)) {
		const leftover = await removeAtSite(context, site, desired, keep).catch((reason: unknown) => ({
			subscriptions: [],
			reason,
		}));
		if (!leftover) continue;
		remaining.push(site);
		if (leftover === 'unproven') warnAboutUnprovenSite(context, site);
		else warnAboutLeftover(context, leftover, effect, site);
	}
	return remaining;
}

/** @returns what may remain, or `unproven` if the node must send nothing there */
async function removeAtSite(
	context: IHookFunctions,
	site: SubscriptionSite,
	owner: TriggerOwner,
	keep: readonly Subscription[],
): Promise<Leftover | 'unproven' | undefined> {
	const webhooks = await openSite(context, site);
	if (!webhooks) return 'unproven';
	const options = { known: [], wasSubscribed: false, keep };
	return (await removeOwnSubscriptions(webhooks, owner, options)).leftover;
}

/** What the events of other companies and services do: their URLs have other signatures, if any. */
function effectAtOtherSites({ signer }: DesiredSubscriptions): LeftoverEffect {
	return signer ? 'rejected' : 'unverified';
}

/**
 * What the events of unwanted subscriptions do while the trigger is subscribed. A desired one is among
 * them only if the service lists it more than once or has blacklisted it.
 */
function effectOfLeftover(
	desired: DesiredSubscriptions,
	{ subscriptions }: Leftover,
): LeftoverEffect {
	if (!desired.signer) return 'unverified';
	const wanted = new Set(subscriptionsFor(desired).map(({ url }) => url));
	return subscriptions.some(({ url }) => wanted.has(canonicalUrl(desired, url)))
		? 'repeated'
		: 'rejected';
}

/**
 * The other sites where the current webhook URL was subscribed. Sites with another URL are skipped:
 * they may belong to an n8n that this one was copied from.
 */
function otherSites({ sites }: TriggerState, current: SubscriptionSite): SubscriptionSite[] {
	return sites.filter(
		(site) => site.webhookUrl === current.webhookUrl && !isSameSite(site, current),
	);
}

/**
 * Whether n8n routes calls of the webhook URL to the node. Without a webhook ID, the URL contains the
 * node's name, encoded: n8n decodes a call's path before it looks for the webhook, and finds none.
 */
function isRoutable(context: IHookFunctions, { webhookUrl }: SubscriptionSite): boolean {
	return context.getNode().webhookId !== undefined || !new URL(webhookUrl).pathname.includes('%');
}

function saveSubscription(
	context: IHookFunctions,
	{ desired, site }: OpenTrigger,
	remainingSites: SubscriptionSite[],
): void {
	const { webhookUrl, events: selected, signer } = desired;
	const digests = signer ? selected.map((event) => digestFor(event, signer)) : [];
	saveTriggerState(context, {
		subscribedTo: webhookUrl,
		digests,
		sites: [...remainingSites, site],
	});
}

function canAssumeUnchanged(
	context: IHookFunctions,
	{ subscribedTo, sites }: TriggerState,
	current: SubscriptionSite,
	error: unknown,
): boolean {
	const isStartOfN8n = ['init', 'leadershipChange'].includes(context.getActivationMode());
	const wasSubscribed =
		subscribedTo === current.webhookUrl && sites.some((site) => isSameSite(site, current));
	return isStartOfN8n && wasSubscribed && isTemporary(error);
}

/** Whether the service may respond later: no response so far, rate limit or server error. */
function isTemporary(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	return error.httpCode === null || /^(429|5\d\d)$/.test(error.httpCode);
}
