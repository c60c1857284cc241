import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { eventForCode, events } from '../service/events';
import type { Subscription } from '../service/requests';
import { problemText } from '../common/result';
import type { SubscriptionSite } from './state';
import type { Leftover, StillBlacklistedError } from './subscriptions';

/*
 * What the trigger says while n8n turns it on and off: errors, and lines in n8n's log.
 *
 * When publishing fails, some versions of n8n show the message of the error only, others its
 * description only. So each of them says all.
 */

/** The error where the service cannot reach the address. */
export function localhostError(context: IHookFunctions, webhookUrl: string): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'The Delivery Service cannot reach this n8n at a localhost address',
		{
			description: `The address is ${webhookUrl}, which works on this computer only. Whoever runs this n8n must give it an address on the internet (the setting WEBHOOK_URL of n8n).`,
		},
	);
}

/** The error where n8n would not take a call of the address for one of this node. */
export function unroutableError(context: IHookFunctions): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'No event would reach this Delivery Service Trigger: n8n does not find it at the address that it has given it',
		{
			description:
				'The workflow came from outside the editor, without the webhook ID of this trigger. Delete this trigger and add a new one in its place.',
		},
	);
}

/** The error where the service takes no further address for an event; it said this. */
export function conflictError(context: IHookFunctions, said: string): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'The Delivery Service takes no further address for an event that another one is subscribed to (status 409)',
		{
			description:
				`Look with Webhook > Get Many. Delete the other webhook, or have one workflow take the event and start the others. ${said}`.trim(),
		},
	);
}

/** The error where the service calls an address no more, and neither removes nor renews it. */
export function blacklistedError(
	context: IHookFunctions,
	{ subscriptions, reason }: StillBlacklistedError,
): NodeOperationError {
	const removal =
		reason === undefined ? '' : ` When it was to be removed: ${errorMessage(reason)}.`;
	return new NodeOperationError(
		context.getNode(),
		`The Delivery Service has stopped reporting ${eventNamesOf(subscriptions)} to this workflow (the webhook is blacklisted), and does not take it anew`,
		{
			description: `Have the webhook deleted at the Delivery Service, on its dashboard or by its support; then publish the workflow (in n8n 1, turn it off and on).${removal}`,
		},
	);
}

/** Has an error say in its description all that it says. */
export function withFullDescription(error: unknown): unknown {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		const { message, description } = error;
		if (description && !description.startsWith(message))
			error.description = problemText({ message, description });
	}
	return error;
}

/**
 * Says in n8n's log what may remain at the service.
 *
 * @param place where they are, when that is not the present place
 * @param startsWorkflow whether what comes from there may still start the workflow
 */
export function warnAboutLeftover(
	context: IHookFunctions,
	{ subscriptions, reason }: Leftover,
	place?: SubscriptionSite,
	startsWorkflow = false,
): void {
	const which = subscriptions.length > 0 ? ` (${eventNamesOf(subscriptions)})` : '';
	const where = place ? ` at ${place.baseUrl}, company ${place.companyId}` : '';
	const effect = startsWorkflow
		? 'While addresses are not signed, their events start this workflow too.'
		: 'They start nothing.';
	context.logger.warn(
		`${nodeLabel(context)}: webhooks of this node may remain at the Delivery Service${where}${which}: ${errorMessage(reason)}. ${effect} Removing them is tried again whenever the workflow is published or unpublished (in n8n 1, turned on or off); or use the Delivery Service node, Webhook > Delete.`,
	);
}

/** Says in n8n's log that nobody could look at what is subscribed. */
export function warnAboutUnchecked(context: IHookFunctions, reason: unknown): void {
	context.logger.warn(
		`${nodeLabel(context)}: its webhooks could not be checked (${errorMessage(reason)}). They are taken to be as they were before n8n started.`,
	);
}

/** Says in n8n's log that the service may call addresses without their signatures. */
export function warnAboutDroppedQuery(context: IHookFunctions): void {
	context.logger.warn(
		`${nodeLabel(context)}: the Delivery Service lists the addresses of this node without what follows the question mark. If it calls them so, its calls are refused: then turn off the option Verify Caller, and let something in front of n8n check who calls.`,
	);
}

/** Says in n8n's log that the service calls the node at another address of n8n as well. */
export function warnAboutOtherHosts(context: IHookFunctions, twins: readonly Subscription[]): void {
	const origins = [...new Set(twins.map(({ url }) => new URL(url).origin))].join(', ');
	context.logger.warn(
		`${nodeLabel(context)}: the Delivery Service calls this node at ${origins} as well (${eventNamesOf(twins)}). If that is this n8n too, by its former address, each event starts the workflow twice: delete the webhooks there with the Delivery Service node, Webhook > Delete. If it is another n8n with a copy of this workflow, leave them.`,
	);
}

/** Says in n8n's log that events may be missing, since these were blacklisted until now. */
export function warnAboutReactivated(
	context: IHookFunctions,
	blacklisted: readonly Subscription[],
): void {
	context.logger.warn(
		`${nodeLabel(context)}: The Delivery Service had stopped reporting ${eventNamesOf(blacklisted)} to this workflow (the webhook was blacklisted). It was subscribed anew. Events from before that may be missing.`,
	);
}

function nodeLabel(context: IHookFunctions): string {
	const { name, id } = context.getWorkflow();
	return `Node "${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''})`;
}

function eventNamesOf(subscriptions: readonly Subscription[]): string {
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
