import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { eventForCode, events } from '../service/events';
import type { Subscription } from '../service/requests';
import { problemText } from '../common/result';
import type { SubscriptionSite } from './state';
import type { Leftover, StillBlacklistedError } from './subscriptions';

/*
 * Errors and log lines of the trigger while n8n turns it on or off.
 *
 * When publishing fails, some versions of n8n show only the message of the error, others only its
 * description. So each of them names the service and the reason.
 */

/** The error for a webhook URL on localhost, which the service cannot reach. */
export function localhostError(context: IHookFunctions, webhookUrl: string): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		"The Delivery Service can't reach this n8n: its webhook URL is on localhost",
		{
			description: `The webhook URL ${webhookUrl} works on this computer only. Whoever runs this n8n must set WEBHOOK_URL to a public URL.`,
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
	const removalFailure =
		reason === undefined ? '' : ` The node could not delete it: ${errorMessage(reason)}.`;
	return new NodeOperationError(
		context.getNode(),
		`The Delivery Service has blacklisted this workflow's webhook for ${eventLabelsOf(subscriptions)} and does not re-create it`,
		{
			description: `Delete the webhook in the dashboard of the Delivery Service, or ask its support to. Then publish the workflow (in n8n 1, deactivate and activate it).${removalFailure}`,
		},
	);
}

/** Adds the message of an n8n error to its description; returns the error. */
export function withFullDescription(error: unknown): unknown {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		const { message, description } = error;
		if (description && !description.startsWith(message))
			error.description = problemText({ message, description });
	}
	return error;
}

/**
 * Logs which webhooks may remain at the service.
 *
 * @param site where they are, unless at the current site
 * @param triggersWorkflow whether their events may still trigger the workflow
 */
export function warnAboutLeftover(
	context: IHookFunctions,
	{ subscriptions, reason }: Leftover,
	site?: SubscriptionSite,
	triggersWorkflow = false,
): void {
	const labels = subscriptions.length > 0 ? ` (${eventLabelsOf(subscriptions)})` : '';
	const where = site ? ` at ${site.baseUrl}, company ${site.companyId}` : '';
	const effect = triggersWorkflow
		? 'While Verify Caller is off, their events also trigger this workflow.'
		: "They can't trigger the workflow.";
	context.logger.warn(
		`${nodeLabel(context)}: webhooks of this node may remain in the Delivery Service${where}${labels}: ${errorMessage(reason)}. ${effect} The node retries the removal whenever the workflow is published or unpublished (in n8n 1, activated or deactivated). To remove them now, use the Delivery Service node, Webhook > Delete.`,
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

/** Logs that the service also calls this node at other hosts. */
export function warnAboutOtherHosts(
	context: IHookFunctions,
	subscriptions: readonly Subscription[],
): void {
	const origins = [...new Set(subscriptions.map(({ url }) => new URL(url).origin))].join(', ');
	context.logger.warn(
		`${nodeLabel(context)}: the Delivery Service also calls this node at ${origins} (${eventLabelsOf(subscriptions)}). If that is a former URL of this n8n, each event triggers the workflow twice: delete the webhooks there with the Delivery Service node, Webhook > Delete. If it is another n8n with a copy of this workflow, leave them.`,
	);
}

/** Logs that events may be missing because these webhooks were blacklisted. */
export function warnAboutReactivated(
	context: IHookFunctions,
	blacklisted: readonly Subscription[],
): void {
	context.logger.warn(
		`${nodeLabel(context)}: the Delivery Service had blacklisted the webhook for ${eventLabelsOf(blacklisted)}. The node has re-created it. Earlier events may be missing.`,
	);
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
