/** The operation Webhook: Reactivate: which blacklisted webhooks it re-creates, and what may be lost on the way. */
import { NodeApiError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../../common/clock';
import { companyIdField, optionsField, textField } from '../../common/fields';
import { asRecord } from '../../common/parameters';
import { type Problem, apiError, unwrap } from '../../common/result';
import { joinSentences, republishHint } from '../../common/text';
import type { Subscription } from '../../service/client';
import { eventForCode } from '../../service/events';
import { webhookUrlSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import {
	isTriggerUrl,
	plainUrl,
	webhookName,
	type Webhook,
	type Webhooks,
} from '../../service/webhooks';
import { errorItem, outputItem, toProblem } from '../items';
import type { Operation } from '../resource';
import { runForWebhooks, urlField, type WebhookItem } from './fields';
import { openOutages, uncheckedOutput, type Outages } from './outages';
import { publishedTriggers, type PublishedTrigger } from './publishedTriggers';

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
		{
			...optionsField,
			options: [
				companyIdField,
				textField(
					'Published Workflows',
					'publishedWorkflows',
					'e.g. {{ $json.workflows }}',
					'A list of workflows from the n8n node (Workflow > Get Many). The output then also names each Delivery Service Trigger in them without a webhook, and the webhooks of their companies are reactivated, too.',
				),
			],
		},
	],
	async run(context) {
		const outages = openOutages(context);
		const output = await runForWebhooks(
			context,
			async (input) => await reactivateForItem(context, input, outages),
		);
		outages.save();
		return output;
	},
};

/**
 * Reactivates the webhooks of an item's company, and those of the companies of its published triggers.
 *
 * @throws the error of a company, unless On Error is Continue
 */
async function reactivateForItem(
	context: IExecuteFunctions,
	{ item, companyId, credential, webhooksOf, read }: WebhookItem,
	outages: Outages,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const urlPrefix = unwrap(node, validate(webhookUrlSchema, read('urlPrefix'), 'URL prefix', {}));
	const { publishedWorkflows } = asRecord(read('options'));
	const triggers = publishedTriggers(node, publishedWorkflows, credential.companyId);
	const companies = new Set([companyId, ...triggers.flatMap((one) => one.companyId ?? [])]);
	const items: INodeExecutionData[] = [];
	for (const company of companies) {
		const expected = triggers.filter((one) => one.companyId === company);
		const webhooks = webhooksOf(company);
		const run = { webhooks, expected, urlPrefix, outages };
		const reactivated = reactivateForCompany(context, item, run);
		const settled = context.continueOnFail()
			? reactivated.catch((error: unknown) => {
					outages.keep(expected);
					const { message, description } = toProblem(error);
					const which = company === companyId ? '' : `Company ${company}: `;
					return [errorItem({ message: `${which}${message}`, description }, item)];
				})
			: reactivated;
		items.push(...(await settled));
	}
	const unchecked = triggers.filter((one) => one.companyId === undefined);
	return [...items, ...unchecked.map((one) => outputItem(uncheckedOutput(one), item))];
}

/** A run for one company. */
interface CompanyRun {
	webhooks: Webhooks;
	/** The published triggers of the company. */
	expected: readonly PublishedTrigger[];
	urlPrefix: string;
	outages: Outages;
}

/** Reactivates a company's webhooks at or below the URL, and compares them with its triggers. */
async function reactivateForCompany(
	context: IExecuteFunctions,
	item: number,
	{ webhooks, expected, urlPrefix, outages }: CompanyRun,
): Promise<INodeExecutionData[]> {
	const list = await (expected.length > 0 ? webhooks.listForTrigger() : webhooks.list());
	const isHere = ({ url }: Webhook) => isAtOrBelow(urlPrefix, url);
	const here = list.webhooks.filter(isHere);
	const elsewhere = list.webhooks.filter((one) => !isHere(one));
	const { items, notServed } = await reactivateEach(context, item, webhooks, here);
	const served = here.filter((one) => !notServed.has(one));
	const missing = expected.flatMap((trigger) => outages.of(trigger, served, elsewhere));
	return [...items, ...missing.map((json) => outputItem(json, item))];
}

/**
 * Reactivates the blacklisted ones of a company's webhooks.
 *
 * @returns an item for each, and those that n8n does not serve
 */
async function reactivateEach(
	context: IExecuteFunctions,
	item: number,
	webhooks: Webhooks,
	listed: readonly Webhook[],
): Promise<{ items: INodeExecutionData[]; notServed: Set<Webhook> }> {
	const items: INodeExecutionData[] = [];
	const notServed = new Set<Webhook>();
	const blacklisted = listed.filter(({ status }) => status === 'blacklisted');
	for (const [index, one] of blacklisted.entries()) {
		const { url, action } = one;
		const webhook = { url, event: eventForCode(action), action };
		const rejection = await rejectedWith(context, url);
		if (rejection !== undefined) {
			notServed.add(one);
			items.push(
				outputItem({ ...webhook, reactivated: false, ...notServedOutput(one, rejection) }, item),
			);
			continue;
		}
		let outcome: FailedOutcome = 'unknown';
		try {
			// One that no longer exists can be created, too.
			await webhooks.unsubscribe({ url, action });
			outcome = 'unsubscribed';
			await subscribeAgain(webhooks, { url, action });
			items.push(
				outputItem({ ...webhook, reactivated: true, message: reactivatedMessage(one) }, item),
			);
		} catch (error) {
			const problem = failureProblem(error, { url, action }, outcome);
			const progress = `Reactivated before it: ${index} of ${blacklisted.length}.`;
			const full = { ...problem, description: joinSentences([problem.description, progress]) };
			if (!context.continueOnFail()) {
				const status = error instanceof NodeApiError ? error.httpCode : null;
				throw apiError(context.getNode(), full, status ?? undefined);
			}
			items.push(errorItem(full, item, { outcome, ...webhook }));
			// The others might be lost like this one. The next run reactivates them.
			break;
		}
	}
	return { items, notServed };
}

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

function reactivatedMessage(webhook: Subscription): string {
	return `The Delivery Service had stopped calling ${webhookName(webhook)}. It was reactivated. Events from before may be missing.`;
}

function notServedOutput(webhook: Subscription, status: number) {
	const name = webhookName(webhook);
	return status === 404
		? {
				reason: 'notServed',
				message: `The webhook ${name} was not reactivated: no published workflow uses it (status 404). Nothing to do. To remove it, use Webhook > Delete.`,
			}
		: {
				reason: 'rejected',
				message: `The webhook ${name} was not reactivated: its trigger rejects this URL (status 401). To replace it, ${republishHint}.`,
			};
}

const createAgain = `If it is missing: for a Delivery Service Trigger, ${republishHint}; otherwise, re-create it with Webhook > Create.`;

/** How far a webhook that was not reactivated has come: its removal is confirmed, or not. */
type FailedOutcome = 'unknown' | 'unsubscribed';

function failureProblem(error: unknown, webhook: Subscription, outcome: FailedOutcome): Problem {
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
