/** The operation Webhook: Reactivate: which blacklisted webhooks it re-creates, and what may be lost on the way. */
import { NodeApiError, type IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../../common/clock';

import { joinSentences, republishHint } from '../../common/text';
import { type Problem, apiError, unwrap } from '../../common/result';
import { eventForCode } from '../../service/events';
import type { Subscription } from '../../service/client';
import { webhookUrlSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import { isTriggerUrl, plainUrl, webhookName, type Webhooks } from '../../service/webhooks';
import { errorItem, outputItem, toProblem } from '../items';
import type { Operation } from '../resource';
import { runForWebhooks, urlField, webhookOptionsField } from './fields';

/**
 * Reactivates blacklisted webhooks by unsubscribing and resubscribing each (docs/api.md, sections 4.3 to
 * 4.5).
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
				const rejection = await rejectedWith(context, url);
				if (rejection !== undefined) {
					output.push(
						outputItem({ ...webhook, reactivated: false, message: notServed(rejection) }, item),
					);
					continue;
				}
				let outcome = 'unknown';
				try {
					// One that no longer exists can be created, too.
					await webhooks.unsubscribe({ url, action });
					outcome = 'unsubscribed';
					await subscribeAgain(webhooks, { url, action });
					output.push(outputItem({ ...webhook, reactivated: true, message: 'Reactivated.' }, item));
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
	const prefix = plainUrl(urlPrefix);
	const href = plainUrl(url);
	if (!href.startsWith(prefix)) return false;
	return (
		href.length === prefix.length || /[/?&#]/.test(prefix.slice(-1) + href.charAt(prefix.length))
	);
}

const retryAfterMs = 1_000;

/** Subscribes a URL that was just unsubscribed. Tries once more, because without it no event arrives. */
async function subscribeAgain(webhooks: Webhooks, subscription: Subscription): Promise<void> {
	try {
		await webhooks.subscribe(subscription);
	} catch {
		await realClock.wait(retryAfterMs);
		await webhooks.subscribe(subscription);
	}
}

const probeTimeoutMs = 5_000;

const statusSchema = z.object({ statusCode: z.number() }).optional().catch(undefined);

/**
 * The status with which a trigger's URL rejects calls; undefined if it doesn't, or if that is unknown. A
 * trigger responds to HEAD without starting anything; n8n responds with 404 where nothing is published or
 * listens, the trigger with 401 to an old signature. The service would blacklist such a URL again.
 */
async function rejectedWith(context: IExecuteFunctions, url: string): Promise<number | undefined> {
	if (!isTriggerUrl(url)) return undefined;
	const response: unknown = await context.helpers
		.httpRequest({
			method: 'HEAD',
			url,
			timeout: probeTimeoutMs,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		})
		.catch(() => undefined);
	const { statusCode } = statusSchema.parse(response) ?? {};
	return statusCode === 404 || statusCode === 401 ? statusCode : undefined;
}

function notServed(status: number): string {
	return status === 404
		? 'Not reactivated: no published workflow has this webhook (status 404). Remove it with Webhook > Delete.'
		: `Not reactivated: the trigger rejects this URL (status 401). To replace it, ${republishHint}.`;
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
