import { NodeApiError, type IHookFunctions } from 'n8n-workflow';

import type { Subscription } from '../service/requests';
import { digestFor, type TriggerOwner } from './eventUrls';
import { diffSubscriptions, subscriptionsFor } from './diff';
import { isSameSite, writeState, type TriggerState, type SubscriptionSite } from './state';
import {
	conflictError,
	blacklistedError,
	unroutableError,
	warnAboutLeftover,
	warnAboutDroppedQuery,
	warnAboutReactivated,
	warnAboutOtherHosts,
	warnAboutUnchecked,
	localhostError,
	withFullDescription,
} from './messages';
import { assertSettings, triggerState, openSite, openTrigger, type OpenTrigger } from './settings';
import {
	ConflictError,
	listWebhooks,
	reconcile,
	removeOwnSubscriptions,
	StillBlacklistedError,
	type Leftover,
} from './subscriptions';

/*
 * What n8n calls when it turns a trigger on and off: when the workflow is published or taken back,
 * when the user listens for a test event or stops, and in some versions when n8n starts.
 */

/**
 * Whether the service's list holds exactly what is desired (service document, section 4.4), and
 * nothing is left to be removed where the node was subscribed before.
 *
 * When n8n starts while the service is out of order, the subscriptions that were made before count
 * as being there: n8n would close the webhook otherwise, and try again only after ever longer
 * times, while the service posts events to it.
 *
 * @throws NodeApiError when the service refuses or cannot be reached, NodeOperationError when the
 *   node or its credential lacks something
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	return await checkSubscriptions(context).catch((error: unknown) => {
		throw withFullDescription(error);
	});
}

async function checkSubscriptions(context: IHookFunctions): Promise<boolean> {
	assertSettings(context);
	const memory = triggerState(context);
	const opened = await openTrigger(context, memory);
	const { webhooks, desired, place } = opened;
	const listed = await listWebhooks(webhooks).catch((error: unknown) => {
		if (!canAssumeUnchanged(context, memory, place, error)) throw error;
		warnAboutUnchecked(context, error);
	});
	if (!listed) return true;
	const { missing, stale, blacklisted, surplus } = diffSubscriptions(desired, listed);
	if ([...missing, ...stale, ...blacklisted, ...surplus].length > 0) return false;
	if (otherSites(memory, place).length > 0) return false;
	rememberSubscription(context, opened, []);
	return true;
}

/**
 * Subscribes the trigger's own URL to each chosen event (section 4.3): makes what is missing, makes
 * anew what is blacklisted, removes what an earlier API secret, choice of events, company or address
 * of the service left behind.
 *
 * @throws NodeOperationError when no event is chosen, something lacks in the credential, or the
 *   address leads nowhere; NodeApiError when the service refuses or cannot be reached.
 *   Nothing that was made now stays subscribed then.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	return await subscribeMissing(context).catch((error: unknown) => {
		throw withFullDescription(error);
	});
}

async function subscribeMissing(context: IHookFunctions): Promise<boolean> {
	assertSettings(context);
	const memory = triggerState(context);
	const opened = await openTrigger(context, memory);
	if (!isRoutable(context, opened.place)) throw unroutableError(context);
	if (!opened.reachable) throw localhostError(context, opened.desired.webhookUrl);
	const { desired } = opened;
	// Another place may be the same list, under another name. There a signature tells the addresses of
	// today, which stay, from those of before; unsigned ones are the same, so the old ones go first.
	const tidied = desired.signer ? undefined : await removeOtherSitesFirst(context, memory, opened);
	const { blacklisted, leftover, isQueryDropped, twins } = await reconcile(
		opened.webhooks,
		desired,
	).catch((error: unknown) => {
		if (error instanceof ConflictError) throw conflictError(context, error.message);
		if (error instanceof StillBlacklistedError) throw blacklistedError(context, error);
		throw error;
	});
	if (isQueryDropped && desired.signer) warnAboutDroppedQuery(context);
	if (leftover) warnAboutLeftover(context, leftover);
	const others =
		tidied ?? (await removeAtOtherSites(context, memory, opened, subscriptionsFor(desired)));
	rememberSubscription(context, opened, others);
	if (blacklisted.length > 0) warnAboutReactivated(context, blacklisted);
	if (twins.length > 0) warnAboutOtherHosts(context, twins);
	return true;
}

/**
 * Unsubscribes all that the trigger has subscribed (section 4.5). Never throws, since nothing at
 * the service may keep a user from turning a workflow off: what may remain is logged.
 */
export async function unsubscribeAll(context: IHookFunctions): Promise<boolean> {
	const memory = triggerState(context);
	let places = memory.sites;
	try {
		const opened = await openTrigger(context, memory);
		const { webhooks, desired, exact, place, wasHere: wasSubscribed } = opened;
		const leftover = await removeOwnSubscriptions(webhooks, desired, { exact, wasSubscribed });
		if (leftover) warnAboutLeftover(context, leftover);
		places = await removeAtOtherSites(context, memory, opened);
		if (leftover) places.push(place);
	} catch (reason) {
		warnAboutLeftover(context, { subscriptions: [], reason });
	}
	saveState(context, { digests: [], sites: places });
	return true;
}

/**
 * Removes it before anything is made here, as {@link removeAtOtherSites} does.
 *
 * @throws when the present service does not answer: what is elsewhere still serves then
 */
async function removeOtherSitesFirst(
	context: IHookFunctions,
	memory: TriggerState,
	opened: OpenTrigger,
): Promise<SubscriptionSite[]> {
	if (otherSites(memory, opened.place).length === 0) return [];
	await listWebhooks(opened.webhooks);
	return await removeAtOtherSites(context, memory, opened);
}

/**
 * Removes what the node has subscribed at other places than the present one.
 *
 * @param kept what is not to be removed, should another place show it
 * @returns the places where something may remain
 */
async function removeAtOtherSites(
	context: IHookFunctions,
	memory: TriggerState,
	{ desired, place: present }: OpenTrigger,
	kept: readonly Subscription[] = [],
): Promise<SubscriptionSite[]> {
	const remaining: SubscriptionSite[] = [];
	for (const place of otherSites(memory, present)) {
		const leftover = await removeAtSite(context, place, desired, kept).catch((reason: unknown) => ({
			subscriptions: [],
			reason,
		}));
		if (!leftover) continue;
		remaining.push(place);
		warnAboutLeftover(context, leftover, place, desired.signer === undefined);
	}
	return remaining;
}

async function removeAtSite(
	context: IHookFunctions,
	place: SubscriptionSite,
	owner: TriggerOwner,
	kept: readonly Subscription[],
): Promise<Leftover | undefined> {
	const webhooks = await openSite(context, place);
	return await removeOwnSubscriptions(webhooks, owner, { exact: [], wasSubscribed: false, kept });
}

/**
 * Other places where this URL was subscribed. Other URLs are left alone: they may be those of an n8n
 * of which this one is a copy.
 */
function otherSites(
	{ sites: places }: TriggerState,
	present: SubscriptionSite,
): SubscriptionSite[] {
	return places.filter(
		(place) => place.webhookUrl === present.webhookUrl && !isSameSite(place, present),
	);
}

/**
 * Whether n8n finds the node by its address. Without a webhook ID the address holds the node's name,
 * encoded: a call's path is decoded before n8n looks for it, and then has no match.
 */
function isRoutable(context: IHookFunctions, { webhookUrl }: SubscriptionSite): boolean {
	return context.getNode().webhookId !== undefined || !new URL(webhookUrl).pathname.includes('%');
}

function rememberSubscription(
	context: IHookFunctions,
	{ desired, place }: OpenTrigger,
	others: SubscriptionSite[],
): void {
	const { webhookUrl, events: chosen, signer } = desired;
	const digests = signer ? chosen.map((event) => digestFor(event, signer)) : [];
	saveState(context, { subscribedTo: webhookUrl, digests, sites: [...others, place] });
}

function saveState(context: IHookFunctions, memory: TriggerState): void {
	const { id = '' } = context.getWorkflow();
	writeState(context.getWorkflowStaticData('node'), id, memory);
}

function canAssumeUnchanged(
	context: IHookFunctions,
	{ subscribedTo, sites: places }: TriggerState,
	place: SubscriptionSite,
	error: unknown,
): boolean {
	const isStartOfN8n = ['init', 'leadershipChange'].includes(context.getActivationMode());
	const isHere = subscribedTo === place.webhookUrl && places.some((one) => isSameSite(one, place));
	return isStartOfN8n && isHere && isTemporary(error);
}

/** Whether the service may well answer later: it gave no answer, is overloaded or out of order. */
function isTemporary(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	return error.httpCode === null || /^(429|5\d\d)$/.test(error.httpCode);
}
