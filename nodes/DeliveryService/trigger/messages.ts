import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { eventForCode, events } from '../service/events';
import type { Subscription } from '../service/requests';
import { problemText } from '../common/result';
import { webhookBase } from './diff';
import type { SubscriptionSite } from './state';
import type { Leftover } from './removal';
import type { StillBlacklistedError, UnlistedError } from './subscriptions';

/* Errors and log lines of the trigger while n8n turns it on or off. Each names the service. */

/** The error for a webhook URL on localhost, which the service cannot reach. */
export function localhostError(context: IHookFunctions, webhookUrl: string): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		"The Delivery Service can't reach this n8n: its webhook URL is on localhost",
		{
			description: `The webhook URL ${webhookUrl} works on this computer only. Ask your n8n administrator to set N8N_WEBHOOK_URL (in n8n 1, WEBHOOK_URL) to a public URL.`,
		},
	);
}

/** The error for a webhook URL that n8n would not route to this node. */
export function unroutableError(context: IHookFunctions): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		"The Delivery Service Trigger can't receive events: n8n can't resolve its webhook URL",
		{
			description:
				'The workflow was not created in the editor, so this trigger has no webhook ID. Delete this trigger and add a new one.',
		},
	);
}

/**
 * The error for a service that allows only one URL per event.
 *
 * @param detail the service's own message
 */
export function conflictError(context: IHookFunctions, detail: string): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'The Delivery Service allows only one URL per event, and another one is already subscribed (status 409)',
		{
			description:
				`Find the other webhook with Webhook > Get Many and delete it, or let one workflow receive the event and start the others. ${detail}`.trim(),
		},
	);
}

/** The error for a blacklisted webhook that the service neither deletes nor re-creates. */
export function blacklistedError(
	context: IHookFunctions,
	{ subscriptions, reason }: StillBlacklistedError,
): NodeOperationError {
	const [webhooks, them] = webhookWords(subscriptions);
	const removalFailure =
		reason === undefined ? '' : ` The node could not delete ${them}: ${errorMessage(reason)}.`;
	return new NodeOperationError(
		context.getNode(),
		`The Delivery Service has blacklisted this workflow's ${webhooks} for ${eventLabelsOf(subscriptions)} and does not re-create ${them}`,
		{
			description: `Delete the ${webhooks} in the dashboard of the Delivery Service, or ask its support to. Then publish the workflow (in n8n 1, deactivate and activate it).${removalFailure}`,
		},
	);
}

/** The error for webhooks that the service confirmed but does not list. */
export function unlistedError(
	context: IHookFunctions,
	{ subscriptions }: UnlistedError,
): NodeOperationError {
	const [webhooks, them] = subscriptions.length > 1 ? ['webhooks', 'them'] : ['webhook', 'it'];
	return new NodeOperationError(
		context.getNode(),
		`The Delivery Service confirmed the ${webhooks} for ${eventLabelsOf(subscriptions)} but does not list ${them}, so no events would arrive`,
		{
			description:
				'Publish the workflow again later (in n8n 1, activate it). If this happens again, ask the support of the Delivery Service.',
		},
	);
}

/**
 * Moves the description of an n8n error into its message: when publishing fails, n8n 2 shows only the
 * message, n8n 1 only the description if there is one. Returns the error.
 */
export function withFullMessage(error: unknown): unknown {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		const { message, description } = error;
		error.message = problemText({ message, description: description ?? undefined });
		error.description = undefined;
	}
	return error;
}

/** What the events of webhooks that may remain do. */
export type LeftoverEffect = keyof typeof leftoverEffects;

const leftoverEffects = {
	unpublished: "While the workflow is unpublished, they can't trigger it.",
	rejected: "They can't trigger the workflow.",
	unverified: 'While Verify Caller is off, their events also trigger this workflow.',
	repeated: 'Each of their events may trigger the workflow more than once.',
} as const;

/**
 * Logs which webhooks may remain at the service.
 *
 * @param site where they are, unless at the current site
 */
export function warnAboutLeftover(
	context: IHookFunctions,
	{ subscriptions, reason }: Leftover,
	effect: LeftoverEffect,
	site?: SubscriptionSite,
): void {
	const labels = subscriptions.length > 0 ? ` (${eventLabelsOf(subscriptions)})` : '';
	const where = site ? ` at ${site.baseUrl}, company ${site.companyId}` : '';
	context.logger.warn(
		`${nodeLabel(context)}: webhooks of this node may remain in the Delivery Service${where}${labels}: ${errorMessage(reason)}. ${leftoverEffects[effect]} The node retries the removal whenever the workflow is published or unpublished (in n8n 1, activated or deactivated). To remove them now, use the Delivery Service node, Webhook > Delete.`,
	);
}

/** Logs that the node sent nothing to a saved site, since someone else may have written it there. */
export function warnAboutUnprovenSite(context: IHookFunctions, site: SubscriptionSite): void {
	const { baseUrl, companyId } = site;
	context.logger.warn(
		`${nodeLabel(context)}: it sent nothing to ${new URL(baseUrl).href}, company ${companyId}, because it can't tell whether it subscribed there itself (the API key or secret may have changed since). If it did, delete its webhooks there with the Delivery Service node, Webhook > Delete.`,
	);
}

/** Logs that the subscriptions could not be checked. */
export function warnAboutUnchecked(context: IHookFunctions, reason: unknown): void {
	context.logger.warn(
		`${nodeLabel(context)}: its webhooks could not be checked (${errorMessage(reason)}). The node assumes that they have not changed since before n8n started.`,
	);
}

/** Logs that the service may call the URLs without their signatures. */
export function warnAboutDroppedQuery(context: IHookFunctions): void {
	context.logger.warn(
		`${nodeLabel(context)}: the Delivery Service lists the webhook URLs of this node without their query (the part after the question mark). If it also calls them without it, the node rejects its calls. In that case, turn off the option Verify Caller and have a proxy in front of n8n verify the caller.`,
	);
}

/** Logs that the service also calls this node at other URLs of n8n. */
export function warnAboutOtherUrls(
	context: IHookFunctions,
	subscriptions: readonly Subscription[],
): void {
	const bases = [...new Set(subscriptions.map(({ url }) => webhookBase(url)))].join(', ');
	context.logger.warn(
		`${nodeLabel(context)}: the Delivery Service also calls this node at ${bases} (${eventLabelsOf(subscriptions)}). If that is a former URL of this n8n, each event triggers the published workflow twice: delete the webhooks there with the Delivery Service node, Webhook > Delete. If it is another n8n with a copy of this workflow, leave them.`,
	);
}

/** Logs that events may be missing because these webhooks were blacklisted. */
export function warnAboutReactivated(
	context: IHookFunctions,
	blacklisted: readonly Subscription[],
): void {
	const [webhooks, them] = webhookWords(blacklisted);
	context.logger.warn(
		`${nodeLabel(context)}: the Delivery Service had blacklisted the ${webhooks} for ${eventLabelsOf(blacklisted)}. The node has re-created ${them}. Earlier events may be missing.`,
	);
}

/** The noun and pronoun for a number of webhooks. */
function webhookWords(subscriptions: readonly Subscription[]): [string, string] {
	return subscriptions.length === 1 ? ['webhook', 'it'] : ['webhooks', 'them'];
}

function nodeLabel(context: IHookFunctions): string {
	const { name, id } = context.getWorkflow();
	return `Node "${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''})`;
}

function eventLabelsOf(subscriptions: readonly Subscription[]): string {
	const codes = subscriptions.map(({ action }) => action).sort((one, other) => one - other);
	return [...new Set(codes)]
		.map((action) => {
			const event = eventForCode(action);
			return event ? events[event].name : `Event ${action}`;
		})
		.join(', ');
}

function errorMessage(error: unknown): string {
	return error instanceof Error ? error.message : 'unknown reason';
}
