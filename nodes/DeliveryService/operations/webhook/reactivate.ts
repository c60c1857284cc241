import { NodeApiError } from 'n8n-workflow';

import { joinSentences, republishHint } from '../../common/text';
import { type Problem, apiError, unwrap } from '../../common/result';
import { eventForCode } from '../../service/events';
import type { Subscription } from '../../service/client';
import { webhookUrlSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import { webhookName } from '../../service/webhooks';
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
				let outcome = 'unknown';
				try {
					// One that no longer exists can be created, too.
					await webhooks.unsubscribe({ url, action });
					outcome = 'unsubscribed';
					await webhooks.subscribe({ url, action });
					output.push(outputItem({ ...webhook, reactivated: true }, item));
				} catch (error) {
					const problem = failureProblem(error, { url, action }, outcome);
					const progress = `Reactivated before it: ${index} of ${candidates.length}.`;
					const full = { ...problem, description: joinSentences([problem.description, progress]) };
					if (!context.continueOnFail()) {
						const status = error instanceof NodeApiError ? error.httpCode : null;
						throw apiError(context.getNode(), full, status ?? undefined);
					}
					output.push(errorItem(full, item, { outcome, ...webhook }));
					// The others might be lost like this one. The next run reactivates them.
					break;
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

const createAgain = `If it is missing: for a Delivery Service Trigger, ${republishHint}; otherwise, re-create it with Webhook > Create.`;

function failureProblem(error: unknown, webhook: Subscription, outcome: string): Problem {
	const { message, description } = toProblem(error);
	const state =
		outcome === 'unsubscribed'
			? 'was deleted, and may not have been re-created'
			: 'was not reactivated, and may have been deleted';
	return {
		message: `The webhook ${webhookName(webhook)} ${state}. ${message}`,
		description: joinSentences(['Check with Webhook > Get Many.', createAgain, description]),
	};
}
