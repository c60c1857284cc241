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

/** The state in which a failed reactivation left the webhook. */
const stateDescriptions = {
	blacklisted: 'It is still blacklisted, and nothing was changed. Run Reactivate again later.',
	unsubscribed: `It was deleted but could not be re-created, so it no longer exists. Re-create it with Webhook > Create; or, if it belongs to a trigger, ${republishHint}.`,
	unknown:
		'The Delivery Service sent no clear response, so the webhook may or may not exist. Check with Webhook > Get Many, and re-create it with Webhook > Create if it is missing.',
} as const;

interface ReactivationFailure {
	state: keyof typeof stateDescriptions;
	error: unknown;
}

/**
 * Reactivates blacklisted webhooks by unsubscribing and resubscribing each (API document,
 * sections 4.3 to 4.5).
 */
export const reactivateWebhooks: Operation = {
	option: {
		name: 'Reactivate',
		value: 'reactivate',
		action: 'Reactivate blacklisted webhooks',
		description: 'Reactivate webhooks that the Delivery Service has blacklisted',
	},
	fields: [
		{
			...urlField,
			displayName: 'URL Prefix',
			name: 'urlPrefix',
			placeholder: 'e.g. https://n8n.example.com/',
			description:
				"All blacklisted webhooks at or below this URL are reactivated. Enter your n8n's base URL to include all of its workflows.",
		},
		webhookOptionsField,
	],
	async run(context) {
		const parameters = parameterReader(context);
		const client = await openClient(context);
		return await runPerItem(context, async (item) => {
			const urlPrefix = unwrap(
				context.getNode(),
				validate(webhookUrlSchema, parameters.get('urlPrefix', item), 'URL prefix', {}),
			);
			const webhooks = companyWebhooks(context.getNode(), parameters, client, item);
			const listing = await webhooks.list();
			const blacklisted = listing.webhooks.filter(
				({ url, status }) => status === 'blacklisted' && isAtOrBelow(urlPrefix, url),
			);
			return await reactivateAll(context, webhooks, blacklisted, item);
		});
	},
};

/**
 * Whether a URL equals the prefix or continues it at the end of a URL part: `https://a.example/b`
 * matches `https://a.example/b/c` and `https://a.example/b?d`, but not `https://a.example/bc`.
 */
function isAtOrBelow(urlPrefix: string, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const prefix = new URL(urlPrefix).href;
	const { href } = new URL(url);
	if (!href.startsWith(prefix)) return false;
	return (
		href.length === prefix.length || /[/?&#]/.test(prefix.slice(-1) + href.charAt(prefix.length))
	);
}

/** Reactivates one webhook after another, up to the first failure unless On Error is Continue. */
async function reactivateAll(
	context: IExecuteFunctions,
	webhooks: Webhooks,
	blacklisted: readonly Webhook[],
	item: number,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const [index, webhook] of blacklisted.entries()) {
		const { url, event, action } = webhook;
		const failure = await reactivateOne(webhooks, webhook);
		if (!failure) {
			output.push(outputItem({ url, event, action, reactivated: true }, item));
			continue;
		}
		const problem = reactivationProblem(webhook, failure);
		if (!context.continueOnFail()) {
			const progress =
				blacklisted.length > 1 && `Reactivated before it: ${index} of ${blacklisted.length}.`;
			throw operationError(context.getNode(), {
				message: problem.message,
				description: [problem.description, progress].filter(Boolean).join(' '),
			});
		}
		output.push(errorItem(problem, item, { outcome: failure.state, url, event, action }));
	}
	return output;
}

/** The message contains the URL without its query, which may contain a signature. */
function reactivationProblem(
	{ url, event, action }: Webhook,
	{ state, error }: ReactivationFailure,
): Problem {
	const { origin, pathname } = new URL(url);
	const { message, description } = toProblem(error);
	return {
		message: `The webhook ${origin}${pathname} for ${event ?? `event ${action}`} was not reactivated: ${message}`,
		description: [stateDescriptions[state], description].filter(Boolean).join(' '),
	};
}

/** The errors for a list that contradicts the service's confirmation. */
const contradictions = {
	blacklisted: new Error(
		'the Delivery Service confirmed the change but still lists the webhook as blacklisted',
	),
	unsubscribed: new Error('the Delivery Service confirmed the new webhook but does not list it'),
} as const;

/**
 * Unsubscribes and resubscribes a webhook. If it is missing afterwards, it is subscribed once more,
 * because no later run would find it.
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
 * Sends the requests and checks their outcome in the service's list, whether they were confirmed or
 * failed. If the list can't be read, a confirmation has to suffice.
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

/** @throws Error when the service reports a conflict or the request fails */
async function resubscribe(webhooks: Webhooks, { url, action }: Webhook): Promise<void> {
	const { isDone, detail } = await webhooks.subscribe({ url, action });
	if (isDone) return;
	const reason = 'the Delivery Service reports another webhook in its place (status 409).';
	throw new Error([reason, detail].filter(Boolean).join(' '));
}

async function subscriptionState(
	webhooks: Webhooks,
	{ url, action }: Webhook,
): Promise<ReactivationFailure['state'] | 'active'> {
	try {
		const { webhooks: listed } = await webhooks.list();
		const found = listed.filter((webhook) => webhook.url === url && webhook.action === action);
		if (found.length === 0) return 'unsubscribed';
		return found.some(({ status }) => status === 'blacklisted') ? 'blacklisted' : 'active';
	} catch {
		return 'unknown';
	}
}
