import { createHash } from 'crypto';
import { z } from 'zod/v4';

const siteSchema = z.object({
	baseUrl: z.string(),
	companyId: z.number(),
	/** A digest of the API key ID: another key must not be sent to a service that has never had it. */
	key: z.string(),
	webhookUrl: z.string(),
});

/** Where a node has subscribed: at which service, for which company, at which URL of its own. */
export type SubscriptionSite = z.infer<typeof siteSchema>;

/** What a trigger keeps with its workflow, in n8n's static data. */
export interface TriggerState {
	/** The webhook URL that is subscribed; absent after the trigger was turned off. */
	subscribedTo?: string;
	/** By which signed addresses are known again. */
	digests: string[];
	/** Where subscriptions of this node may be. */
	sites: SubscriptionSite[];
}

const stateSchema = z.object({
	subscribedTo: z.string().optional().catch(undefined),
	digests: z.array(z.string()).catch([]),
	sites: z.array(siteSchema).catch([]),
});

/** More places than that are not looked after: each costs requests on every publishing. */
const maxSites = 5;

/**
 * What was kept for this workflow; whatever cannot be read counts as not kept. n8n takes static data
 * along into some copies of a workflow, which must not act on it.
 */
export function readState(
	data: Readonly<Record<string, unknown>>,
	workflowId: string,
): TriggerState {
	return stateSchema.parse(data.workflowId === workflowId ? { ...data } : {});
}

/**
 * Keeps it. Only to be called while n8n turns the trigger on or off: what is kept during a call is
 * lost, or is written over what was kept in the meantime.
 */
export function writeState(
	data: Record<string, unknown>,
	workflowId: string,
	{ subscribedTo, digests, sites }: TriggerState,
): void {
	const kept = { workflowId, subscribedTo, digests, sites: sites.slice(-maxSites) };
	for (const [name, value] of Object.entries(kept)) {
		if (value === undefined) delete data[name];
		else data[name] = value;
	}
}

/** What tells an API key from others, without telling its ID. */
export function keyDigest(apiKeyId: string): string {
	return createHash('sha256').update(apiKeyId).digest('base64url').slice(0, 22);
}

/** A service's address without what may change while it stays the same service. */
export function serviceName(baseUrl: string): string {
	return baseUrl.replace(/^https?:\/\//i, '').toLowerCase();
}

/** Whether two places have the same list of subscriptions, and the same URL of the node in it. */
export function isSameSite(one: SubscriptionSite, other: SubscriptionSite): boolean {
	return (
		serviceName(one.baseUrl) === serviceName(other.baseUrl) &&
		one.companyId === other.companyId &&
		one.webhookUrl === other.webhookUrl
	);
}
