/**
 * What n8n calls when it turns a trigger on or off: when the workflow is published or unpublished,
 * when the user starts or stops listening for a test event, and in n8n 1 when n8n starts.
 */
import { NodeApiError, type IHookFunctions } from 'n8n-workflow';

import { operationError, withFullMessage } from '../common/result';
import type { Subscription } from '../service/client';
import { events } from '../service/events';
import { isSameUrl, type Webhook, type Webhooks } from '../service/webhooks';
import {
	localhostProblem,
	warnAboutLeftover,
	warnAboutReactivated,
	warnAboutUnchecked,
	type Leftover,
} from './messages';
import { assertSettings, openTrigger, readSettings, type OpenTrigger } from './settings';
import { saveDigests, savedDigests } from './signers';
import { isOwnUrl, type EventSubscription } from './urls';

/**
 * Subscribes the trigger's event URLs (docs/api.md, section 4.3): creates missing and blacklisted
 * subscriptions, then removes the others of this node, so that no event is missed when the API secret
 * changes.
 *
 * @throws NodeOperationError when the node or its credential is incomplete, or the service can't reach the
 *   webhook URL; NodeApiError when the service rejects a request or can't be reached. What this call has
 *   subscribed is removed then.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	return await withFullMessage(async () => {
		const settings = readSettings(context);
		assertSettings(context, settings);
		const trigger = await openTrigger(context, settings);
		const { owner, webhooks } = trigger;
		const node = context.getNode();
		if (!trigger.isReachable) throw operationError(node, localhostProblem(owner.webhookUrl));
		const listed = await listUnlessUnavailable(context, webhooks);
		if (!listed) return true;
		const { missing, blacklisted, stale } = compare(trigger, listed);
		const leftover = await unsubscribeEach(webhooks, blacklisted);
		if (leftover) throw leftover.reason;
		await subscribeEach(trigger, [...missing, ...blacklisted]);
		const digests = trigger.desired.map(({ digest }) => digest);
		saveDigests(context, digests);
		if (blacklisted.length > 0) warnAboutReactivated(context, blacklisted);
		const remaining = await unsubscribeEach(webhooks, stale);
		const effect = settings.verifiesCaller ? 'rejected' : 'unverified';
		if (remaining) warnAboutLeftover(context, remaining, effect);
		return true;
	});
}

/**
 * The company's subscriptions. Does not ask if all of the trigger's were removed before: n8n unpublishes a
 * workflow to publish a change, and events in between are lost.
 *
 * @returns undefined if n8n starts while the service is unavailable. Then earlier subscriptions count as
 *   unchanged: otherwise n8n would close the webhook while the service posts events to it.
 */
async function listUnlessUnavailable(
	context: IHookFunctions,
	webhooks: Webhooks,
): Promise<readonly Webhook[] | undefined> {
	const saved = savedDigests(context);
	if (saved?.length === 0) return [];
	const list = await webhooks.listForTrigger().catch((error: unknown) => {
		if (!saved || !isStartOfN8n(context) || !isTemporary(error)) throw error;
		warnAboutUnchecked(context, error);
	});
	return list?.webhooks;
}

/**
 * Removes all subscriptions of the trigger (docs/api.md, section 4.5). Never throws: a failing service
 * must not prevent a user from turning a workflow off. Logs what may remain.
 *
 * n8n 1 also calls this for a workflow whose publishing it has rejected, because another one uses the webhook:
 * that one's subscriptions contain another workflow ID and stay.
 */
export async function unsubscribeAll(context: IHookFunctions): Promise<boolean> {
	const saved = savedDigests(context);
	const leftover = await removeOwn(context, (saved ?? []).length > 0);
	if (leftover) warnAboutLeftover(context, leftover, 'unpublished');
	// A test has its own data, in which nothing is saved.
	if (saved) saveDigests(context, leftover ? undefined : []);
	return true;
}

async function removeOwn(
	context: IHookFunctions,
	wasSubscribed: boolean,
): Promise<Leftover | undefined> {
	let trigger: OpenTrigger;
	let actions: number[] = [];
	try {
		const settings = readSettings(context);
		actions = settings.events.map((event) => events[event].code);
		trigger = await openTrigger(context, settings);
	} catch (reason) {
		const url = context.getNodeWebhookUrl('default') ?? '';
		return { subscriptions: actions.map((action) => ({ url, action })), reason };
	}
	const { webhooks, owner, desired } = trigger;
	// n8n already rejects their events, so they are removed while the list is read.
	const known = wasSubscribed ? desired : [];
	const removal = unsubscribeEach(webhooks, known);
	try {
		const { webhooks: listed } = await webhooks.listForTrigger();
		const others = listed.filter(
			(webhook) => isOwnUrl(owner, webhook.url) && !known.some(isSame(webhook)),
		);
		return mergeLeftovers(await removal, await unsubscribeEach(webhooks, others));
	} catch (reason) {
		const subscriptions = wasSubscribed ? ((await removal)?.subscriptions ?? []) : desired;
		return { subscriptions, reason };
	}
}

function mergeLeftovers(one?: Leftover, other?: Leftover): Leftover | undefined {
	if (!one || !other) return one ?? other;
	return { ...one, subscriptions: [...one.subscriptions, ...other.subscriptions] };
}

interface Comparison {
	/** Desired, but not listed. */
	missing: EventSubscription[];
	/** Desired and listed, but no longer called by the service. */
	blacklisted: EventSubscription[];
	/** This node's, but not desired: signed with another secret, or for a deselected event. */
	stale: Subscription[];
}

function compare({ owner, desired }: OpenTrigger, listed: readonly Webhook[]): Comparison {
	// To parse each of 100,000 URLs several times takes seconds, in which n8n responds to nobody.
	const own = listed.filter(({ url }) => isOwnUrl(owner, url));
	const findListed = (one: Subscription) => own.filter(isSame(one));
	return {
		missing: desired.filter((one) => findListed(one).length === 0),
		blacklisted: desired.filter((one) => {
			const found = findListed(one);
			return found.length > 0 && found.every(({ status }) => status === 'blacklisted');
		}),
		stale: own.filter((one) => !desired.some(isSame(one))),
	};
}

function isSame(one: Subscription): (other: Subscription) => boolean {
	return (other) => other.action === one.action && isSameUrl(other.url, one.url);
}

/**
 * Creates subscriptions. If one fails, removes all of them: one without a clear response may exist.
 *
 * @throws the error of the first failed request
 */
async function subscribeEach(
	{ webhooks }: OpenTrigger,
	subscriptions: readonly Subscription[],
): Promise<void> {
	const failure = await requestEach(subscriptions, async (one) => await webhooks.subscribe(one));
	if (!failure) return;
	await unsubscribeEach(webhooks, subscriptions);
	throw failure.reason;
}

/** Removes subscriptions. One that no longer exists is not an error. Never throws. */
async function unsubscribeEach(
	webhooks: Webhooks,
	subscriptions: readonly Subscription[],
): Promise<Leftover | undefined> {
	return await requestEach(subscriptions, async (one) => await webhooks.unsubscribe(one));
}

/** With 400 requests at once, n8n loses its own database for a minute. */
const maxRequestsAtOnce = 5;

/**
 * Sends a request for each subscription, some at once, so that a service that hangs costs one timeout
 * only: after a failed one, the others are left out. Never throws.
 *
 * @returns the subscriptions whose request failed or was not sent
 */
async function requestEach(
	subscriptions: readonly Subscription[],
	request: (subscription: Subscription) => Promise<unknown>,
): Promise<Leftover | undefined> {
	const waiting = [...subscriptions];
	while (waiting.length > 0) {
		const sent = waiting.splice(0, maxRequestsAtOnce);
		const attempts = await Promise.allSettled(sent.map(request));
		const failed = attempts.find((attempt) => attempt.status === 'rejected');
		if (failed) {
			const isFailed = (_: Subscription, index: number) => attempts[index]?.status === 'rejected';
			return { subscriptions: [...sent.filter(isFailed), ...waiting], reason: failed.reason };
		}
	}
	return undefined;
}

function isStartOfN8n(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** Whether the service may respond later: no response so far, rate limit or server error. */
function isTemporary(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	return error.httpCode === null || /^(429|5\d\d)$/.test(error.httpCode);
}
