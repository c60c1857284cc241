import { realClock, type Clock } from '../common/clock';
import type { Subscription } from './requests';
import type { Webhook, WebhookList, Webhooks } from './webhooks';

/** What the service lists after it has confirmed subscriptions. */
export interface ListAfterSubscribing {
	/** The listed webhooks; none if the list can't be read. */
	webhooks: Webhook[];
	/** The confirmed subscriptions that the service certainly does not list. */
	unlisted: Subscription[];
}

/**
 * Checks in the service's list (API document, section 4.4) whether subscriptions were made: no
 * response body is shown (4.3), so a confirmation alone proves nothing. Never throws.
 *
 * A subscription counts as unlisted only if that is certain: the confirmation suffices if the list
 * can't be read or may be incomplete, and any spelling of the URL counts.
 */
export async function listAfterSubscribing(
	webhooks: Pick<Webhooks, 'list'>,
	confirmed: readonly Subscription[],
	clock = realClock,
): Promise<ListAfterSubscribing> {
	const unlistedIn = (listing: WebhookList) =>
		isCompleteList(listing)
			? confirmed.filter((subscription) => !isListed(listing, subscription))
			: [];
	const listing = await listUntil(webhooks, (latest) => unlistedIn(latest).length === 0, clock);
	return listing
		? { webhooks: listing.webhooks, unlisted: unlistedIn(listing) }
		: { webhooks: [], unlisted: [] };
}

/** Pauses before listing again: the service may list a change a moment later. */
const relistPausesMs = [300, 1000, 3000];

/**
 * Lists until the list is as expected or has had time to show the latest change. Never throws.
 *
 * @returns the last list; undefined when it can't be read
 */
export async function listUntil(
	webhooks: Pick<Webhooks, 'list'>,
	isExpected: (listing: WebhookList) => boolean,
	clock: Clock,
): Promise<WebhookList | undefined> {
	let listing: WebhookList | undefined;
	for (const ms of [0, ...relistPausesMs]) {
		if (ms > 0) await clock.wait(ms);
		listing = await webhooks.list().catch(() => undefined);
		if (!listing || isExpected(listing)) break;
	}
	return listing;
}

/** The listed webhooks that are this subscription, in any spelling of the service. */
export function findSubscription(
	listed: readonly Webhook[],
	{ url, action }: Subscription,
): Webhook[] {
	return listed.filter((webhook) => webhook.action === action && isSameUrl(webhook.url, url));
}

function isListed({ webhooks, unreadable }: WebhookList, subscription: Subscription): boolean {
	if (findSubscription(webhooks, subscription).length > 0) return true;
	const { page } = comparableUrl(subscription.url);
	return unreadable.some((entry) => plainText(JSON.stringify(entry)).includes(page));
}

/**
 * Whether a list certainly contains everything. A round number of entries may be the first page of a
 * longer list: the document does not mention pages.
 */
export function isCompleteList({
	webhooks,
	unreadable,
	isInferred,
	notFoundDetail,
}: WebhookList): boolean {
	const count = webhooks.length + unreadable.length;
	const mayBePage = count >= 10 && count % 5 === 0;
	return !mayBePage && !isInferred && notFoundDetail === undefined;
}

/** Whether a listed URL is the subscribed one. The service may rewrite it or drop its query. */
function isSameUrl(listedUrl: string, url: string): boolean {
	const [listed, subscribed] = [comparableUrl(listedUrl), comparableUrl(url)];
	if (listed.page !== subscribed.page) return false;
	return listed.query === '' || listed.query === subscribed.query;
}

/** The parts of a URL, without what services change: encoding, case, the order of the query. */
function comparableUrl(url: string): { page: string; query: string } {
	const text = plainText(url);
	const [page = '', ...query] = (URL.canParse(text) ? new URL(text).href : text).split(/[?#]/);
	return {
		page: page.replace(/^https?:\/\//, '').replace(/\/+$/, ''),
		query: query.join('?').split('&').sort().join('&'),
	};
}

/** Text in lower case that is decoded as often as it was encoded, also for HTML. */
function plainText(text: string, maxDecodings = 3): string {
	const unescaped = text
		.trim()
		.toLowerCase()
		.replaceAll(/&(amp|#38|#x26);/g, '&');
	if (maxDecodings === 0) return unescaped;
	try {
		const decoded = decodeURIComponent(unescaped);
		return decoded === unescaped ? unescaped : plainText(decoded, maxDecodings - 1);
	} catch {
		return unescaped;
	}
}
