import { republishHint } from '../../common/text';
import { type Problem, operationError, unwrap } from '../../common/result';
import { eventForCode } from '../../service/events';
import type { Subscription } from '../../service/client';
import { webhookUrlSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import { webhookName, type Webhooks } from '../../service/webhooks';
import { errorItem, outputItem, toProblem } from '../items';
import type { Operation } from '../resource';
import { runForWebhooks, urlField, webhookOptionsField } from './fields';

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
				"All blacklisted webhooks at or below this URL are reactivated. Enter your n8n's base URL to include all of its published workflows.",
		},
		webhookOptionsField,
	],
	async run(context) {
		return await runForWebhooks(context, async ({ item, webhooks, read }) => {
			const urlPrefix = unwrap(
				context.getNode(),
				validate(webhookUrlSchema, read('urlPrefix'), 'URL prefix', {}),
			);
			const candidates = (await webhooks.list()).webhooks.filter(
				({ status, url }) => status === 'blacklisted' && isAtOrBelow(urlPrefix, url),
			);
			const output = [];
			for (const [index, { url, action }] of candidates.entries()) {
				const webhook = { url, event: eventForCode(action), action };
				const failure = await reactivate(webhooks, { url, action });
				if (!failure) {
					output.push(outputItem({ ...webhook, reactivated: true }, item));
				} else if (context.continueOnFail()) {
					const { outcome, ...problem } = failure;
					output.push(errorItem(problem, item, { outcome, ...webhook }));
				} else {
					const progress = ` Reactivated before it: ${index} of ${candidates.length}.`;
					const description = failure.description + (candidates.length > 1 ? progress : '');
					throw operationError(context.getNode(), { message: failure.message, description });
				}
			}
			return output;
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

/** A failed reactivation, and the state in which it left the webhook. */
type Failure = Required<Problem> & { outcome: 'unsubscribed' | 'unknown' };

const createAgain = `If it is missing: for a Delivery Service Trigger, ${republishHint}; otherwise, re-create it with Webhook > Create.`;

/** @returns undefined when the webhook is subscribed again */
async function reactivate(webhooks: Webhooks, webhook: Subscription): Promise<Failure | undefined> {
	let outcome: Failure['outcome'] = 'unknown';
	try {
		// One that no longer exists can be created, too.
		await webhooks.unsubscribe(webhook);
		outcome = 'unsubscribed';
		await webhooks.subscribe(webhook);
		return undefined;
	} catch (error) {
		const { message, description = '' } = toProblem(error);
		const state =
			outcome === 'unsubscribed'
				? 'is gone: it was deleted, not re-created'
				: 'was not reactivated';
		return {
			outcome,
			message: `The webhook ${webhookName(webhook)} ${state}. ${message}`,
			description: `Check with Webhook > Get Many. ${createAgain} ${description}`.trim(),
		};
	}
}
