import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { eventOfCode, events } from '../service/events';
import { diff, reconcile, removeOwn, type Leftover, type Desired } from './subscriptions';
import { openSubscriptions, type Subscriptions } from './settings';

/*
 * What n8n calls when it turns a trigger on and off: when the workflow is published or taken back,
 * when the user listens for a test event or stops, and when n8n starts.
 */

/**
 * Whether the service's list holds exactly what is desired (service document, section 4.4).
 *
 * When n8n starts while the service is out of order, the subscriptions that were made before count
 * as being there: n8n would close the webhook otherwise, and try again only after ever longer
 * times, while the service posts events to it.
 *
 * @throws NodeApiError when the service refuses or cannot be reached, NodeOperationError when the
 *   node or its credential lacks something
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	const subscriptions = await openSubscriptions(context);
	requireEvent(context, subscriptions);
	const { desired, webhooks } = subscriptions;
	const listed = await webhooks.list().catch((error: unknown) => {
		if (!isTakenAsBefore(context, desired, error)) throw error;
		context.logger.warn(
			`${nameOf(context)}: its webhooks could not be checked (${reasonOf(error)}). They are taken to be as they were before n8n started.`,
		);
	});
	if (!listed) return true;
	const { missing, stale } = diff(desired, listed);
	if (missing.length > 0 || stale.length > 0) return false;
	memoryOf(context).subscribedTo = desired.webhookUrl;
	return true;
}

/**
 * Subscribes the trigger's own URL to each chosen event (section 4.3): makes what is missing, makes
 * anew what is blacklisted, removes what an earlier API secret or choice of events left behind.
 *
 * @throws NodeOperationError when no event is chosen, something lacks in the credential, or the
 *   service cannot reach the address; NodeApiError when the service refuses or cannot be reached.
 *   Nothing stays subscribed then.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	const subscriptions = await openSubscriptions(context);
	requireEvent(context, subscriptions);
	requireReachable(context, subscriptions);
	const { desired, webhooks } = subscriptions;
	const found = diff(desired, await webhooks.list());
	const leftover = await reconcile(webhooks, found);
	if (leftover) tellLeftover(context, leftover);
	memoryOf(context).subscribedTo = desired.webhookUrl;
	if (found.blacklisted.length > 0)
		context.logger.warn(
			`${nameOf(context)}: The Delivery Service had stopped reporting ${eventsOf(found.blacklisted)} to this workflow (the webhook was blacklisted). It was subscribed anew. Events from before that may be missing.`,
		);
	return true;
}

/**
 * Unsubscribes all that the trigger has subscribed (section 4.5). Never throws, since nothing at
 * the service may keep a user from turning a workflow off: what may remain is logged.
 */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	delete memoryOf(context).subscribedTo;
	try {
		const { webhooks, desired, possible } = await openSubscriptions(context);
		const leftover = await removeOwn(webhooks, desired.webhookUrl, possible);
		if (leftover) tellLeftover(context, leftover);
	} catch (reason) {
		tellLeftover(context, { subscriptions: [], reason });
	}
	return true;
}

function requireEvent(context: IHookFunctions, { desired }: Subscriptions): void {
	if (desired.events.length > 0) return;
	throw new NodeOperationError(context.getNode(), 'No event is chosen', {
		description: 'Choose at least one event under Trigger On.',
	});
}

function requireReachable(context: IHookFunctions, { desired, reachable }: Subscriptions): void {
	if (reachable) return;
	throw new NodeOperationError(
		context.getNode(),
		'The Delivery Service cannot reach this n8n at a localhost address',
		{
			description: `The address is ${desired.webhookUrl}, which works on this computer only. Whoever runs this n8n must give it an address on the internet (the setting WEBHOOK_URL of n8n).`,
		},
	);
}

/** What the node remembers with its workflow: n8n stores it after these methods and each event. */
function memoryOf(context: IHookFunctions) {
	return context.getWorkflowStaticData('node');
}

function isTakenAsBefore(
	context: IHookFunctions,
	{ webhookUrl }: Desired,
	error: unknown,
): boolean {
	const isStartOfN8n = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isStartOfN8n && memoryOf(context).subscribedTo === webhookUrl && isPassing(error);
}

/** Whether the service may well answer later: it gave no answer, is overloaded or out of order. */
function isPassing(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	return error.httpCode === null || /^(429|5\d\d)$/.test(error.httpCode);
}

function tellLeftover(context: IHookFunctions, { subscriptions, reason }: Leftover): void {
	const which = subscriptions.length > 0 ? ` (${eventsOf(subscriptions)})` : '';
	context.logger.warn(
		`${nameOf(context)}: webhooks of this node may remain at the Delivery Service${which}: ${reasonOf(reason)}. They start nothing. They are removed when the workflow is published again; or remove them with the Delivery Service node, Webhook > Delete.`,
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
