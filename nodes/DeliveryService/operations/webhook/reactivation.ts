import { NodeApiError } from 'n8n-workflow';

import { realClock, type Clock } from '../../common/clock';
import { republishHint } from '../../common/republish';
import type { Subscription } from '../../service/requests';
import {
	findSubscription,
	isCompleteList,
	listAfterSubscribing,
	listUntil,
} from '../../service/subscriptionCheck';
import type { SubscriptionChange, Webhook, WebhookList, Webhooks } from '../../service/webhooks';
import { placeholderFor, probeFor } from './placeholders';

/** A failed reactivation, and the state in which it left the webhook. */
export interface ReactivationFailure {
	state: 'blacklisted' | 'unsubscribed' | 'unknown';
	error: unknown;
	/** What the state means for the user. */
	advice: string;
}

type WebhookState = ReactivationFailure['state'] | 'active';

const advices = {
	unchanged: 'It is still blacklisted, and nothing was changed. Run Reactivate again later.',
	notDeleted:
		'Run Reactivate again later. It re-creates the webhook as soon as the service has deleted it.',
	blacklistedAgain:
		'It was re-created but is blacklisted. Check that its URL responds with status 200, then run Reactivate again.',
	remembered:
		'It was deleted but not re-created, so its events do not arrive. Run Reactivate again, which re-creates it.',
	lost: `It was deleted but could not be re-created, so it no longer exists. Re-create it with Webhook > Create; or, if it belongs to a trigger, ${republishHint}.`,
	unknownButRemembered:
		'The Delivery Service sent no clear response, so the webhook may or may not exist. Run Reactivate again, which re-creates it if it is missing.',
	unknown:
		'The Delivery Service sent no clear response, so the webhook may or may not exist. Check with Webhook > Get Many, and re-create it with Webhook > Create if it is missing.',
} as const;

const notDeletedError = new Error(
	'the Delivery Service confirmed the deletion but still lists the webhook as blacklisted',
);
const notUnblockedError = new Error(
	'the Delivery Service confirmed the change but still lists the webhook as blacklisted',
);
const notListedError = new Error(
	'the Delivery Service confirmed the new webhook but does not list it',
);

/** What is known of a webhook before its reactivation. */
export interface KnownWebhook {
	/** Whether the service lists its placeholder. */
	hasPlaceholder: boolean;
	/** Whether the service no longer lists it: an earlier run was killed before it was created again. */
	isDeleted: boolean;
}

/**
 * Unsubscribes a blacklisted webhook and subscribes it again (API document, sections 4.3 to 4.5), with
 * a placeholder in between. Every step is checked in the service's list, whether it was confirmed or
 * failed; if the list can't be read, a confirmation has to suffice.
 *
 * @returns undefined when the webhook is active, or was confirmed and can't be checked
 */
export async function reactivate(
	webhooks: Webhooks,
	webhook: Subscription,
	{ hasPlaceholder, isDeleted }: KnownWebhook,
	clock: Clock = realClock,
): Promise<ReactivationFailure | undefined> {
	const run = { webhooks, webhook, clock };
	let isRemembered = hasPlaceholder;
	if (!isDeleted) {
		if (!hasPlaceholder)
			try {
				isRemembered = await addPlaceholder(run);
			} catch (error) {
				return { state: 'blacklisted', error, advice: advices.unchanged };
			}
		const failure = await removeBlacklisted(run, isRemembered);
		if (failure) return failure;
	}
	return await createAgain(run, isRemembered);
}

/** Removes the placeholder of a webhook. Never throws: what remains, the next run removes. */
export async function removePlaceholder(webhooks: Webhooks, webhook: Subscription): Promise<void> {
	await remove(webhooks, placeholderFor(webhook) ?? probeFor(webhook));
}

/** A webhook may exist more than once, when a lost response has led to a second attempt. */
const maxRemovals = 3;

async function remove(webhooks: Webhooks, subscription: Subscription): Promise<void> {
	for (let removals = 0; removals < maxRemovals; removals++) {
		const change = await webhooks.unsubscribe(subscription).catch(() => undefined);
		if (!change?.isDone) return;
	}
}

interface Reactivation {
	webhooks: Webhooks;
	webhook: Subscription;
	clock: Clock;
}

/** A service that checks URLs may reject a placeholder with these statuses. */
const placeholderRejections = ['400', '422'];

/**
 * A failed placeholder prevents the reactivation only if the service does not create a shorter, plain
 * URL on the same host either.
 *
 * @returns false when the service does not accept placeholders
 * @throws when it does not create webhooks at all: then nothing must be deleted
 */
async function addPlaceholder(run: Reactivation): Promise<boolean> {
	const { webhooks, webhook } = run;
	const placeholder = placeholderFor(webhook);
	let attempt: PlaceholderAttempt | undefined;
	if (placeholder) {
		attempt = await place(run, placeholder);
		// A confirmed one may be listed later, and would exist twice.
		if (attempt.state === 'failed') attempt = await place(run, placeholder);
		if (attempt.state === 'placed') return true;
		await removeFailedPlaceholder(run);
		if (attempt.state === 'rejected') return false;
		if (attempt.state === 'conflicting') throw attempt.error ?? notListedError;
	}
	const probe = probeFor(webhook);
	const { state, error } = await place(run, probe);
	await remove(webhooks, probe);
	if (state === 'placed' || state === 'rejected') return false;
	throw attempt?.error ?? error ?? notListedError;
}

/** The outcome of one attempt to create a placeholder. */
interface PlaceholderAttempt {
	/** `conflicting`: another webhook would also conflict with a new one. */
	state: 'placed' | 'rejected' | 'conflicting' | 'unlisted' | 'failed';
	error?: Error;
}

async function place(run: Reactivation, placeholder: Subscription): Promise<PlaceholderAttempt> {
	const { webhooks, clock } = run;
	let change: SubscriptionChange | undefined;
	let error: Error | undefined;
	try {
		change = await webhooks.subscribe(placeholder);
	} catch (thrown) {
		if (thrown instanceof NodeApiError && placeholderRejections.includes(thrown.httpCode ?? ''))
			return { state: 'rejected' };
		error = thrown instanceof Error ? thrown : new Error('unknown reason');
	}
	if (change?.isDone === false) {
		if (!(await hasOtherForEvent(run))) return { state: 'rejected' };
		return { state: 'conflicting', error: conflictingError(change.detail) };
	}
	const { webhooks: listed, unlisted } = await listAfterSubscribing(webhooks, [placeholder], clock);
	if (error !== undefined)
		return findSubscription(listed, placeholder).length > 0
			? { state: 'placed' }
			: { state: 'failed', error };
	return unlisted.length === 0 ? { state: 'placed' } : { state: 'unlisted', error: notListedError };
}

/** Removes the placeholder also if the service has cut off its URL. Never throws. */
async function removeFailedPlaceholder({ webhooks, webhook }: Reactivation): Promise<void> {
	await removePlaceholder(webhooks, webhook);
	const listing = await webhooks.list().catch(() => undefined);
	for (const listed of listing?.webhooks ?? [])
		if (isTraceOf(webhook, listed)) await remove(webhooks, listed);
}

function isTraceOf(webhook: Subscription, { url, action }: Subscription): boolean {
	return action === webhook.action && url.startsWith(probeFor(webhook).url);
}

/** Whether another webhook for the same event remains, with which a new one would conflict again. */
async function hasOtherForEvent({ webhooks, webhook }: Reactivation): Promise<boolean> {
	const { webhooks: listed } = await webhooks.list();
	return listed.some(
		(other) =>
			other.action === webhook.action && other.url !== webhook.url && !isTraceOf(webhook, other),
	);
}

async function removeBlacklisted(
	run: Reactivation,
	isRemembered: boolean,
): Promise<ReactivationFailure | undefined> {
	const { webhooks, webhook } = run;
	const error = await errorOf(unsubscribeOrThrow(webhooks, webhook));
	const state = await stateOf(run, (latest) => latest !== 'blacklisted');
	if (state === 'unknown' && error !== undefined) return unknownState(error, isRemembered);
	if (state !== 'blacklisted') return undefined;
	// A service that has confirmed may list the webhook for longer: then the next run needs the memory.
	if (error === undefined) return { state, error: notDeletedError, advice: advices.notDeleted };
	if (isRemembered) await removePlaceholder(webhooks, webhook);
	return { state, error, advice: advices.unchanged };
}

async function createAgain(
	run: Reactivation,
	isRemembered: boolean,
	isLastAttempt = false,
): Promise<ReactivationFailure | undefined> {
	const { webhooks, webhook } = run;
	const error = await errorOf(subscribeOrThrow(webhooks, webhook));
	const state = await stateOf(run, (latest) => latest === 'active');
	if (state === 'unknown')
		return error === undefined ? undefined : unknownState(error, isRemembered);
	// A confirmed webhook may appear later, and would exist twice; but without a memory, it may be lost.
	const mayRetry = !isLastAttempt && (error !== undefined || !isRemembered);
	if (state === 'unsubscribed') {
		if (mayRetry) return await createAgain(run, isRemembered, true);
		const advice = isRemembered ? advices.remembered : advices.lost;
		return { state, error: error ?? notListedError, advice };
	}
	if (isRemembered) await removePlaceholder(webhooks, webhook);
	if (state === 'active') return undefined;
	return { state, error: error ?? notUnblockedError, advice: advices.blacklistedAgain };
}

function unknownState(error: unknown, isRemembered: boolean): ReactivationFailure {
	const advice = isRemembered ? advices.unknownButRemembered : advices.unknown;
	return { state: 'unknown', error, advice };
}

/** @throws Error when the service does not find the webhook or the request fails */
async function unsubscribeOrThrow(webhooks: Webhooks, webhook: Subscription): Promise<void> {
	const { isDone, detail } = await webhooks.unsubscribe(webhook);
	if (isDone) return;
	const reason =
		'the Delivery Service lists the webhook, but says that it does not exist when asked to delete it (status 404).';
	throw new Error([reason, detail].filter(Boolean).join(' '));
}

/** @throws Error when the service reports a conflict or the request fails */
async function subscribeOrThrow(webhooks: Webhooks, webhook: Subscription): Promise<void> {
	const { isDone, detail } = await webhooks.subscribe(webhook);
	if (!isDone) throw conflictingError(detail);
}

function conflictingError(detail: string): Error {
	const reason = 'the Delivery Service reports another webhook in its place (status 409).';
	return new Error([reason, detail].filter(Boolean).join(' '));
}

async function errorOf(request: Promise<unknown>): Promise<unknown> {
	return await request.then(
		() => undefined,
		(error: unknown) => error ?? new Error('unknown reason'),
	);
}

/** The state in the list, once it is as expected or has had time to show the latest change. */
async function stateOf(
	{ webhooks, webhook, clock }: Reactivation,
	isExpected: (state: WebhookState) => boolean,
): Promise<WebhookState> {
	const stateIn = (listing: WebhookList): WebhookState => {
		const found = findExactly(listing.webhooks, webhook);
		if (found.length === 0) return isCompleteList(listing) ? 'unsubscribed' : 'unknown';
		return found.every(({ status }) => status === 'blacklisted') ? 'blacklisted' : 'active';
	};
	const listing = await listUntil(webhooks, (latest) => isExpected(stateIn(latest)), clock);
	return listing ? stateIn(listing) : 'unknown';
}

/** The listed webhooks with exactly this URL and event. */
export function findExactly(listed: readonly Webhook[], { url, action }: Subscription): Webhook[] {
	return listed.filter((webhook) => webhook.url === url && webhook.action === action);
}
