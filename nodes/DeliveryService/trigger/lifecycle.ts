import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { eventOfCode, events } from '../service/events';
import { publishAnew } from '../common/publishing';
import { inOneText } from '../service/result';
import { digestFor } from './address';
import { diff, type Desired, type Holder } from './diff';
import { isSamePlace, writeMemory, type Memory, type Place } from './memory';
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
 *
 * When publishing fails, some versions of n8n show the message of the error only, others its
 * description only. So each of them says all.
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
	const { webhooks, place } = opened;
	const desired = owning(opened.desired);
	const listed = await listOf(webhooks).catch((error: unknown) => {
		if (!isTakenAsBefore(context, memory, place, error)) throw error;
		context.logger.warn(
			`${nameOf(context)}: its webhooks could not be checked (${reasonOf(error)}). They are taken to be as they were before n8n started.`,
		);
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
 *   service cannot reach the address; NodeApiError when the service refuses or cannot be reached.
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
	assertReachable(context, opened);
	const desired = owning(opened.desired);
	const { blacklisted, leftover, isQueryDropped } = await reconcile(opened.webhooks, desired).catch(
		(error: unknown) => {
			if (error instanceof ConflictError) throw conflict(context, error.message);
			if (error instanceof StillBlacklistedError) throw dead(context, error);
			throw error;
		},
	);
	if (isQueryDropped && desired.signer)
		context.logger.warn(
			`${nameOf(context)}: the Delivery Service lists the addresses of this node without what follows the question mark. If it calls them so, its calls are refused: then turn off the option Signed Addresses, and let something in front of n8n check who calls.`,
		);
	if (leftover) tellLeftover(context, leftover);
	remember(context, opened, await removeElsewhere(context, memory, opened));
	if (blacklisted.length > 0)
		context.logger.warn(
			`${nameOf(context)}: The Delivery Service had stopped reporting ${eventsOf(blacklisted)} to this workflow (the webhook was blacklisted). It was subscribed anew. Events from before that may be missing.`,
		);
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
	keep(context, { places });
	return true;
}

/**
 * Removes what the node has subscribed at other places than the present one.
 *
 * @returns the places where something may remain
 */
async function removeElsewhere(
	context: IHookFunctions,
	memory: Memory,
	{ desired, place: present }: Subscriptions,
): Promise<Place[]> {
	const remaining: Place[] = [];
	for (const place of elsewhere(memory, present)) {
		const leftover = await removeAt(context, place, desired).catch((reason: unknown) => ({
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
	holder: Holder,
): Promise<Leftover | undefined> {
	const webhooks = await openPlace(context, place);
	return await removeOwn(webhooks, holder, { exact: [], wasSubscribed: false });
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
 * What is desired while n8n publishes the workflow: it lets one workflow have a path, so what version
 * 0.1.0 has subscribed there is this workflow's or dead, whatever it was signed with.
 */
function owning(desired: Desired): Desired {
	return { ...desired, isFormer: () => true };
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

function assertReachable(context: IHookFunctions, { desired, reachable }: Subscriptions): void {
	if (reachable) return;
	throw new NodeOperationError(
		context.getNode(),
		'The Delivery Service cannot reach this n8n at a localhost address',
		{
			description: `The address is ${desired.webhookUrl}, which works on this computer only. Whoever runs this n8n must give it an address on the internet (the setting WEBHOOK_URL of n8n).`,
		},
	);
}

function conflict(context: IHookFunctions, said: string): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'The Delivery Service takes no further address for an event that another one is subscribed to (status 409)',
		{
			description:
				`Look with Webhook > Get Many. Delete the other webhook, or have one workflow take the event and start the others. ${said}`.trim(),
		},
	);
}

function dead(
	context: IHookFunctions,
	{ subscriptions, reason }: StillBlacklistedError,
): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		`The Delivery Service has stopped reporting ${eventsOf(subscriptions)} to this workflow (the webhook is blacklisted), and does not take it anew`,
		{
			description: `Have the webhook deleted at the Delivery Service, on its dashboard or by its support; then ${publishAnew}. When it was to be removed: ${reasonOf(reason)}.`,
		},
	);
}

/** Has an error say in its description all that it says. */
function whole(error: unknown): unknown {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		const { message, description } = error;
		if (description && !description.startsWith(message))
			error.description = inOneText({ message, description });
	}
	return error;
}

function keep(context: IHookFunctions, memory: Memory): void {
	const { id = '' } = context.getWorkflow();
	writeMemory(context.getWorkflowStaticData('node'), id, memory);
}

function isTakenAsBefore(
	context: IHookFunctions,
	{ subscribedTo }: Memory,
	{ webhookUrl }: Place,
	error: unknown,
): boolean {
	const isStartOfN8n = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isStartOfN8n && subscribedTo === webhookUrl && isPassing(error);
}

/** Whether the service may well answer later: it gave no answer, is overloaded or out of order. */
function isPassing(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	return error.httpCode === null || /^(429|5\d\d)$/.test(error.httpCode);
}

/**
 * @param place where they are, when that is not the present place
 * @param startsWorkflow whether what comes from there may still start the workflow
 */
function tellLeftover(
	context: IHookFunctions,
	{ subscriptions, reason }: Leftover,
	place?: Place,
	startsWorkflow = false,
): void {
	const which = subscriptions.length > 0 ? ` (${eventsOf(subscriptions)})` : '';
	const where = place ? ` at ${place.baseUrl}, company ${place.companyId}` : '';
	const effect = startsWorkflow
		? 'While addresses are not signed, their events start this workflow too.'
		: 'They start nothing.';
	context.logger.warn(
		`${nameOf(context)}: webhooks of this node may remain at the Delivery Service${where}${which}: ${reasonOf(reason)}. ${effect} To have them removed, ${publishAnew}; or use the Delivery Service node, Webhook > Delete.`,
	);
}

function nameOf(context: IHookFunctions): string {
	const { name, id } = context.getWorkflow();
	return `Node "${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''})`;
}

function eventsOf(subscriptions: ReadonlyArray<{ action: number }>): string {
	const codes = subscriptions.map(({ action }) => action).sort((one, other) => one - other);
	return [...new Set(codes)]
		.map((action) => {
			const event = eventOfCode(action);
			return event ? events[event].name : `Event ${action}`;
		})
		.join(', ');
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : 'unknown reason';
}
