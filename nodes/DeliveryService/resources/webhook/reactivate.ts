import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { openClient } from '../../service/client';
import { webhookUrlSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import type { Problem } from '../../common/result';
import type { Webhook, Webhooks } from '../../service/webhooks';
import { errorItem, outputItem, toProblem, runPerItem } from '../items';
import { operationError, unwrap } from '../../service/nodeErrors';
import { parameterReader } from '../../common/parameters';
import { republishHint } from '../../common/republish';
import type { Operation } from '../resource';
import { companyWebhooks, webhookOptionsField, urlField } from './fields';

/** What is left at the service of a webhook whose repair failed. */
const stateDescriptions = {
	blacklisted: 'It is still blacklisted; nothing was changed. Run Repair again later.',
	unsubscribed: `It was removed but could not be made anew, so it is not subscribed now. Make it with Webhook > Create; or, when it is that of a trigger, ${republishHint}.`,
	unknown:
		'The Delivery Service gave no clear answer, so it may be subscribed or not. Look with Webhook > Get Many, and make it with Webhook > Create if it is not there.',
} as const;

/** A repair that failed, and what it left behind. */
interface ReactivationFailure {
	state: keyof typeof stateDescriptions;
	error: unknown;
}

/**
 * Makes blacklisted subscriptions anew: unsubscribes and subscribes each (service document, sections
 * 4.3 to 4.5).
 */
export const reactivateWebhooks: Operation = {
	option: {
		name: 'Reactivate',
		value: 'reactivate',
		action: 'Reactivate blacklisted webhooks',
		description:
			'Have the Delivery Service call URLs again that it has stopped calling (blacklisted)',
	},
	fields: [
		{
			...urlField,
			displayName: 'URL Prefix',
			name: 'urlPrefix',
			placeholder: 'e.g. https://n8n.example.com/',
			description:
				'The blacklisted webhooks at this URL, and at all URLs below it, are repaired. The address of your n8n repairs those of all its workflows.',
		},
		webhookOptionsField,
	],
	async run(context) {
		const parameters = parameterReader(context);
		const client = await openClient(context);
		return await runPerItem(context, async (item) => {
			const beginning = unwrap(
				context.getNode(),
				validate(webhookUrlSchema, parameters.get('urlPrefix', item), 'URL', {}),
			);
			const webhooks = companyWebhooks(context.getNode(), parameters, client, item);
			const listing = await webhooks.list();
			const blacklisted = listing.webhooks.filter(
				({ url, status }) => status === 'blacklisted' && isAtOrBelow(beginning, url),
			);
			return await reactivateAll(context, webhooks, blacklisted, item);
		});
	},
};

/**
 * Whether a URL is the given one or continues it where a part of a URL ends: `https://a.example/b`
 * leads to `https://a.example/b/c` and `https://a.example/b?d`, not to `https://a.example/bc`.
 */
function isAtOrBelow(beginning: string, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const start = new URL(beginning).href;
	const { href } = new URL(url);
	if (!href.startsWith(start)) return false;
	return href.length === start.length || /[/?&#]/.test(start.slice(-1) + href.charAt(start.length));
}

/** Repairs one after the other. The first failure ends it, unless the node goes on after errors. */
async function reactivateAll(
	context: IExecuteFunctions,
	webhooks: Webhooks,
	blacklisted: readonly Webhook[],
	item: number,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const [done, webhook] of blacklisted.entries()) {
		const { url, event, action } = webhook;
		const failure = await reactivateOne(webhooks, webhook);
		if (!failure) {
			output.push(outputItem({ url, event, action, reactivated: true }, item));
			continue;
		}
		const problem = notReactivated(webhook, failure);
		if (!context.continueOnFail())
			throw operationError(context.getNode(), {
				message: problem.message,
				description: `${problem.description} Repaired before it: ${done} of ${blacklisted.length}.`,
			});
		output.push(errorItem(problem, item, { outcome: failure.state, url, event, action }));
	}
	return output;
}

/** The message names the URL without its query, where a signature may be. */
function notReactivated(
	{ url, event, action }: Webhook,
	{ state, error }: ReactivationFailure,
): Problem {
	const { origin, pathname } = new URL(url);
	const { message, description } = toProblem(error);
	return {
		message: `The webhook ${origin}${pathname} for ${event ?? `event ${action}`} was not repaired: ${message}`,
		description: [stateDescriptions[state], description].filter(Boolean).join(' '),
	};
}

/** What is wrong when everything was confirmed, and the list shows this all the same. */
const contradictions = {
	blacklisted: new Error(
		'the Delivery Service confirmed what it was asked for, but still lists it as blacklisted',
	),
	unsubscribed: new Error(
		'the Delivery Service confirmed the new subscription, but does not list it',
	),
} as const;

/**
 * Unsubscribes and subscribes. What is not subscribed after that is subscribed once more: no later
 * repair would find it.
 */
async function reactivateOne(
	webhooks: Webhooks,
	webhook: Webhook,
): Promise<ReactivationFailure | undefined> {
	const { url, action } = webhook;
	const failure = await attempt(webhooks, webhook, async () => {
		await webhooks.unsubscribe({ url, action });
		await resubscribe(webhooks, webhook);
	});
	if (failure?.state !== 'unsubscribed') return failure;
	return await attempt(webhooks, webhook, async () => await resubscribe(webhooks, webhook));
}

/**
 * The service's list tells what was done, also when a request fails or is confirmed. Where the list
 * cannot be read, the confirmation must do.
 */
async function attempt(
	webhooks: Webhooks,
	webhook: Webhook,
	requests: () => Promise<void>,
): Promise<ReactivationFailure | undefined> {
	try {
		await requests();
	} catch (error) {
		const state = await subscriptionState(webhooks, webhook);
		return state === 'active' ? undefined : { state, error };
	}
	const state = await subscriptionState(webhooks, webhook);
	if (state === 'active' || state === 'unknown') return undefined;
	return { state, error: contradictions[state] };
}

/** @throws Error when the service names a conflict, and what the failing request threw */
async function resubscribe(webhooks: Webhooks, { url, action }: Webhook): Promise<void> {
	const { isDone, detail } = await webhooks.subscribe({ url, action });
	if (isDone) return;
	const reason = 'the Delivery Service says that it has another webhook in its place (status 409).';
	throw new Error([reason, detail].filter(Boolean).join(' '));
}

async function subscriptionState(
	webhooks: Webhooks,
	{ url, action }: Webhook,
): Promise<ReactivationFailure['state'] | 'active'> {
	try {
		const { webhooks: listed } = await webhooks.list();
		const found = listed.filter((one) => one.url === url && one.action === action);
		if (found.length === 0) return 'unsubscribed';
		return found.some(({ status }) => status === 'blacklisted') ? 'blacklisted' : 'active';
	} catch {
		return 'unknown';
	}
}
