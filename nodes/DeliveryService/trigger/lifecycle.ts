import { NodeApiError, type IHookFunctions } from 'n8n-workflow';

import type { Subscription } from '../service/requests';
import { digestFor, type Owner } from './address';
import { diff, subscriptionsFor } from './diff';
import { isSamePlace, writeMemory, type Memory, type Place } from './memory';
import {
	conflict,
	dead,
	lost,
	tellLeftover,
	tellQueryDropped,
	tellRenewed,
	tellTwins,
	tellUnchecked,
	unreachable,
	whole,
} from './notices';
import {
	assertSettings,
	memoryOf,
	openPlace,
	openSubscriptions,
	type Subscriptions,
} from './settings';
import {
	ConflictError,
	listOf,
	reconcile,
	removeOwn,
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
	return await check(context).catch((error: unknown) => {
		throw whole(error);
	});
}

async function check(context: IHookFunctions): Promise<boolean> {
	assertSettings(context);
	const memory = memoryOf(context);
	const opened = await openSubscriptions(context, memory);
	const { webhooks, desired, place } = opened;
	const listed = await listOf(webhooks).catch((error: unknown) => {
		if (!isTakenAsBefore(context, memory, place, error)) throw error;
		tellUnchecked(context, error);
	});
	if (!listed) return true;
	const { missing, stale, blacklisted, surplus } = diff(desired, listed);
	if ([...missing, ...stale, ...blacklisted, ...surplus].length > 0) return false;
	if (elsewhere(memory, place).length > 0) return false;
	remember(context, opened, []);
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
	return await bringInLine(context).catch((error: unknown) => {
		throw whole(error);
	});
}

async function bringInLine(context: IHookFunctions): Promise<boolean> {
	assertSettings(context);
	const memory = memoryOf(context);
	const opened = await openSubscriptions(context, memory);
	if (!isFound(context, opened.place)) throw lost(context);
	if (!opened.reachable) throw unreachable(context, opened.desired.webhookUrl);
	const { desired } = opened;
	// Another place may be the same list, under another name. There a signature tells the addresses of
	// today, which stay, from those of before; unsigned ones are the same, so the old ones go first.
	const tidied = desired.signer ? undefined : await tidyFirst(context, memory, opened);
	const { blacklisted, leftover, isQueryDropped, twins } = await reconcile(
		opened.webhooks,
		desired,
	).catch((error: unknown) => {
		if (error instanceof ConflictError) throw conflict(context, error.message);
		if (error instanceof StillBlacklistedError) throw dead(context, error);
		throw error;
	});
	if (isQueryDropped && desired.signer) tellQueryDropped(context);
	if (leftover) tellLeftover(context, leftover);
	const others =
		tidied ?? (await removeElsewhere(context, memory, opened, subscriptionsFor(desired)));
	remember(context, opened, others);
	if (blacklisted.length > 0) tellRenewed(context, blacklisted);
	if (twins.length > 0) tellTwins(context, twins);
	return true;
}

/**
 * Unsubscribes all that the trigger has subscribed (section 4.5). Never throws, since nothing at
 * the service may keep a user from turning a workflow off: what may remain is logged.
 */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	const memory = memoryOf(context);
	let places = memory.places;
	try {
		const opened = await openSubscriptions(context, memory);
		const { webhooks, desired, exact, place, wasHere: wasSubscribed } = opened;
		const leftover = await removeOwn(webhooks, desired, { exact, wasSubscribed });
		if (leftover) tellLeftover(context, leftover);
		places = await removeElsewhere(context, memory, opened);
		if (leftover) places.push(place);
	} catch (reason) {
		tellLeftover(context, { subscriptions: [], reason });
	}
	keep(context, { digests: [], places });
	return true;
}

/**
 * Removes it before anything is made here, as {@link removeElsewhere} does.
 *
 * @throws when the present service does not answer: what is elsewhere still serves then
 */
async function tidyFirst(
	context: IHookFunctions,
	memory: Memory,
	opened: Subscriptions,
): Promise<Place[]> {
	if (elsewhere(memory, opened.place).length === 0) return [];
	await listOf(opened.webhooks);
	return await removeElsewhere(context, memory, opened);
}

/**
 * Removes what the node has subscribed at other places than the present one.
 *
 * @param kept what is not to be removed, should another place show it
 * @returns the places where something may remain
 */
async function removeElsewhere(
	context: IHookFunctions,
	memory: Memory,
	{ desired, place: present }: Subscriptions,
	kept: readonly Subscription[] = [],
): Promise<Place[]> {
	const remaining: Place[] = [];
	for (const place of elsewhere(memory, present)) {
		const leftover = await removeAt(context, place, desired, kept).catch((reason: unknown) => ({
			subscriptions: [],
			reason,
		}));
		if (!leftover) continue;
		remaining.push(place);
		tellLeftover(context, leftover, place, desired.signer === undefined);
	}
	return remaining;
}

async function removeAt(
	context: IHookFunctions,
	place: Place,
	owner: Owner,
	kept: readonly Subscription[],
): Promise<Leftover | undefined> {
	const webhooks = await openPlace(context, place);
	return await removeOwn(webhooks, owner, { exact: [], wasSubscribed: false, kept });
}

/**
 * Other places where this URL was subscribed. Other URLs are left alone: they may be those of an n8n
 * of which this one is a copy.
 */
function elsewhere({ places }: Memory, present: Place): Place[] {
	return places.filter(
		(place) => place.webhookUrl === present.webhookUrl && !isSamePlace(place, present),
	);
}

/**
 * Whether n8n finds the node by its address. Without a webhook ID the address holds the node's name,
 * encoded: a call's path is decoded before n8n looks for it, and then has no match.
 */
function isFound(context: IHookFunctions, { webhookUrl }: Place): boolean {
	return context.getNode().webhookId !== undefined || !new URL(webhookUrl).pathname.includes('%');
}

function remember(
	context: IHookFunctions,
	{ desired, place }: Subscriptions,
	others: Place[],
): void {
	const { webhookUrl, events: chosen, signer } = desired;
	const digests = signer ? chosen.map((event) => digestFor(event, signer)) : [];
	keep(context, { subscribedTo: webhookUrl, digests, places: [...others, place] });
}

function keep(context: IHookFunctions, memory: Memory): void {
	const { id = '' } = context.getWorkflow();
	writeMemory(context.getWorkflowStaticData('node'), id, memory);
}

function isTakenAsBefore(
	context: IHookFunctions,
	{ subscribedTo, places }: Memory,
	place: Place,
	error: unknown,
): boolean {
	const isStartOfN8n = ['init', 'leadershipChange'].includes(context.getActivationMode());
	const isHere = subscribedTo === place.webhookUrl && places.some((one) => isSamePlace(one, place));
	return isStartOfN8n && isHere && isPassing(error);
}

/** Whether the service may well answer later: it gave no answer, is overloaded or out of order. */
function isPassing(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	return error.httpCode === null || /^(429|5\d\d)$/.test(error.httpCode);
}
