/** Errors and log lines of the trigger. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { realClock } from '../common/clock';
import { logWarning } from '../common/log';
import type { Problem } from '../common/result';
import { endSentence, listUpTo, maxListedNames } from '../common/text';
import type { Subscription } from '../service/client';
import { eventLabel } from '../service/events';
import { shownUrl, webhookName } from '../service/webhooks';
import { triggerId } from './signers';

/** A webhook URL on localhost, which the service cannot reach. */
export function localhostProblem(webhookUrl: string): Problem {
	return {
		message: "The Delivery Service can't reach this n8n: its webhook URL is on localhost",
		description: `The webhook URL ${shownUrl(webhookUrl)} works on this computer only. Ask your n8n administrator to set N8N_WEBHOOK_URL (in n8n 1, WEBHOOK_URL) to a public URL.`,
	};
}

/** An expression of the trigger failed. */
export function expressionProblem(error: unknown): Problem {
	return {
		message: `An expression of this trigger failed: ${errorMessage(error)}`,
		description:
			'It can use no data of items or other nodes: it is evaluated before the workflow starts.',
	};
}

/** Subscriptions that may not have been removed, and why. */
export interface Leftover {
	subscriptions: readonly Subscription[];
	reason: unknown;
}

const leftoverEffects = {
	unpublished: "While the workflow is unpublished, they can't trigger it.",
	rejected: "They can't trigger the workflow.",
	unverified: 'While Verify Caller is off, their events also trigger this workflow.',
} as const;

/**
 * Logs which webhooks may remain at the service. After the workflow is deleted, only the Delivery Service
 * node can remove them.
 *
 * @param effect what their events do
 */
export function warnAboutLeftover(
	context: IHookFunctions,
	{ subscriptions, reason }: Leftover,
	effect: keyof typeof leftoverEffects,
): void {
	const names =
		subscriptions.length > 0
			? ` (${listUpTo(maxListedNames, subscriptions.map(webhookName))})`
			: '';
	logWarning(
		context,
		`webhooks of this node may remain in the Delivery Service${names}: ${endSentence(errorMessage(reason))} ${leftoverEffects[effect]} Find them with the Delivery Service node, Webhook > Get Many, then remove them with Webhook > Delete.`,
	);
}

/** Logs that the subscriptions could not be checked. */
export function warnAboutUnchecked(context: IHookFunctions, reason: unknown): void {
	logWarning(
		context,
		`its webhooks could not be checked (${errorMessage(reason)}). The node assumes that they have not changed since before n8n started.`,
	);
}

/** Logs that events may be missing because these webhooks were blacklisted. */
export function warnAboutReactivated(
	context: IHookFunctions,
	blacklisted: readonly Subscription[],
): void {
	const [webhooks, them] = blacklisted.length === 1 ? ['webhook', 'it'] : ['webhooks', 'them'];
	const labels = blacklisted.map(({ action }) => eventLabel(action)).join(', ');
	logWarning(
		context,
		`the Delivery Service had blacklisted the ${webhooks} for ${labels}. The node has re-created ${them}. Earlier events may be missing.`,
	);
}

/** How long equal rejections are not logged again. */
const rejectionPeriodMs = 60_000;

/** When rejections were last logged, by node and reason. */
const loggedRejections = new Map<string, number>();

/**
 * Logs a rejected call. Anyone can call the URL, so equal rejections are logged once per minute.
 *
 * @param advice what to do about it
 */
export function logRejection(
	context: IWebhookFunctions,
	status: number,
	message: string,
	advice = '',
): void {
	const key = [context.getWorkflow().id, triggerId(context), message].join('\n');
	const now = realClock.now();
	if (now - (loggedRejections.get(key) ?? -Infinity) < rejectionPeriodMs) return;
	loggedRejections.set(key, now);
	logWarning(context, `rejected a call (status ${status}): ${message}. ${advice}`.trim());
}

function errorMessage(error: unknown): string {
	return error instanceof Error ? error.message : 'unknown reason';
}
