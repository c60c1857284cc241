import { createHash, createHmac, timingSafeEqual } from 'crypto';
import { z } from 'zod/v4';

import { credentialSchema, type Credential } from '../service/credential';

const siteSchema = z.object({
	baseUrl: credentialSchema.shape.baseUrl,
	companyId: z.number(),
	webhookUrl: z.string(),
	/** Proves that this node has subscribed there itself, see {@link siteProof}. */
	proof: z.string().catch(''),
});

/** Where a node has subscribed: the service, the company, and the node's own webhook URL. */
export type SubscriptionSite = z.infer<typeof siteSchema>;

/** What a trigger saves with its workflow, in n8n's static data. */
export interface TriggerState {
	/** The webhook URL that is subscribed; undefined after the trigger was turned off. */
	subscribedTo?: string;
	/** The webhook URL whose subscriptions were all removed when the trigger was turned off. */
	removedFrom?: string;
	/** Digests of the signatures in the subscribed URLs. */
	digests: string[];
	/** Where this node may have subscriptions. */
	sites: SubscriptionSite[];
}

const stateSchema = z
	.object({
		workflowId: z.unknown().optional(),
		subscribedTo: z.string().optional().catch(undefined),
		removedFrom: z.string().optional().catch(undefined),
		digests: z.array(z.string()).catch([]),
		/** Parsed one by one: an invalid site must not hide the others. */
		sites: z
			.array(siteSchema.nullable().catch(null))
			.catch([])
			.transform((sites) => sites.filter((site) => site !== null)),
	})
	.catch({ digests: [], sites: [] });

/** The limit of saved sites: each costs requests whenever the workflow is published. */
const maxSites = 5;

/** The node whose state it is. Unlike its name, which n8n goes by, its ID never changes. */
export interface StateOwner {
	workflowId: string;
	nodeId: string;
}

/**
 * Reads the state of a node of this workflow; invalid parts are empty. n8n copies static data into
 * some copies of a workflow, which must not use it.
 *
 * @param data the static data of the workflow
 */
export function readState(
	data: Readonly<Record<string, unknown>>,
	{ workflowId, nodeId }: StateOwner,
): TriggerState {
	const { workflowId: savedFor, ...state } = stateSchema.parse(data[stateName(nodeId)]);
	return savedFor === workflowId ? state : { digests: [], sites: [] };
}

/**
 * Saves the state. Call it only while n8n turns the trigger on or off: state that is saved during a
 * call is lost, or overwrites newer state.
 *
 * @param data the static data of the workflow
 */
export function writeState(
	data: Record<string, unknown>,
	{ workflowId, nodeId }: StateOwner,
	state: TriggerState,
): void {
	// n8n notices only changes at the top level, and saves them as JSON.
	data[stateName(nodeId)] = { workflowId, ...state, sites: state.sites.slice(-maxSites) };
}

function stateName(nodeId: string): string {
	return `deliveryServiceTrigger:${nodeId}`;
}

/**
 * The proof that a node subscribed at a site with this API key: whoever can write the static data
 * could otherwise have the key sent to any host.
 */
export function siteProof(
	{ baseUrl, companyId, webhookUrl }: Omit<SubscriptionSite, 'proof'>,
	{ apiKeyId, apiSecret }: Pick<Credential, 'apiKeyId' | 'apiSecret'>,
	workflowId: string,
): string {
	const content = JSON.stringify([apiKeyId, workflowId, baseUrl, companyId, webhookUrl]);
	return createHmac('sha256', apiSecret)
		.update(`n8n-nodes-delivery-service trigger site\n${content}`)
		.digest('base64url');
}

/** Whether a site has its proof, compared in constant time. */
export function isProven(
	site: SubscriptionSite,
	credential: Pick<Credential, 'apiKeyId' | 'apiSecret'>,
	workflowId: string,
): boolean {
	const digestOf = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digestOf(site.proof), digestOf(siteProof(site, credential, workflowId)));
}

/** The base URL without its scheme and in lower case: both may change without another service. */
export function serviceName(baseUrl: string): string {
	return baseUrl.replace(/^https?:\/\//i, '').toLowerCase();
}

/** Whether two sites have the same list of subscriptions and the same URL of the node in it. */
export function isSameSite(
	one: Omit<SubscriptionSite, 'proof'>,
	other: Omit<SubscriptionSite, 'proof'>,
): boolean {
	return (
		serviceName(one.baseUrl) === serviceName(other.baseUrl) &&
		one.companyId === other.companyId &&
		one.webhookUrl === other.webhookUrl
	);
}
