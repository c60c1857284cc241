import { createHash } from 'crypto';
import { z } from 'zod/v4';

const siteSchema = z.object({
	baseUrl: z.string(),
	companyId: z.number(),
	/** A digest of the API key ID: no other key may be sent to this service. */
	key: z.string(),
	webhookUrl: z.string(),
});

/** Where a node has subscribed: the service, the company, and the node's own webhook URL. */
export type SubscriptionSite = z.infer<typeof siteSchema>;

/** What a trigger saves with its workflow, in n8n's static data. */
export interface TriggerState {
	/** The webhook URL that is subscribed; undefined after the trigger was turned off. */
	subscribedTo?: string;
	/** Digests of the signatures in the subscribed URLs. */
	digests: string[];
	/** Where this node may have subscriptions. */
	sites: SubscriptionSite[];
}

const stateSchema = z.object({
	subscribedTo: z.string().optional().catch(undefined),
	digests: z.array(z.string()).catch([]),
	sites: z.array(siteSchema).catch([]),
});

/** The limit of saved sites: each costs requests whenever the workflow is published. */
const maxSites = 5;

/**
 * Reads the state of this workflow; invalid parts are empty. n8n copies static data into some copies
 * of a workflow, which must not use it.
 */
export function readState(
	data: Readonly<Record<string, unknown>>,
	workflowId: string,
): TriggerState {
	return stateSchema.parse(data.workflowId === workflowId ? { ...data } : {});
}

/**
 * Saves the state. Call it only while n8n turns the trigger on or off: state that is saved during a
 * call is lost, or overwrites newer state.
 */
export function writeState(
	data: Record<string, unknown>,
	workflowId: string,
	{ subscribedTo, digests, sites }: TriggerState,
): void {
	const saved = { workflowId, subscribedTo, digests, sites: sites.slice(-maxSites) };
	for (const [name, value] of Object.entries(saved)) {
		if (value === undefined) delete data[name];
		else data[name] = value;
	}
}

/** Identifies an API key without revealing its ID. */
export function keyDigest(apiKeyId: string): string {
	return createHash('sha256').update(apiKeyId).digest('base64url').slice(0, 22);
}

/** The base URL without its scheme and in lower case: both may change without another service. */
export function serviceName(baseUrl: string): string {
	return baseUrl.replace(/^https?:\/\//i, '').toLowerCase();
}

/** Whether two sites have the same list of subscriptions and the same URL of the node in it. */
export function isSameSite(one: SubscriptionSite, other: SubscriptionSite): boolean {
	return (
		serviceName(one.baseUrl) === serviceName(other.baseUrl) &&
		one.companyId === other.companyId &&
		one.webhookUrl === other.webhookUrl
	);
}
