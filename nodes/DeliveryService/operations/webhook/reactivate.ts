import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { openClient } from '../../service/client';
import { eventForCode } from '../../service/events';
import type { Subscription } from '../../service/requests';
import { webhookUrlSchema } from '../../service/schemas';
import { isCompleteList } from '../../service/subscriptionCheck';
import { validate } from '../../service/validation';
import type { Problem } from '../../common/result';
import type { WebhookList, Webhooks } from '../../service/webhooks';
import { errorItem, outputItem, toProblem, runPerItem } from '../items';
import { operationError, unwrap } from '../../service/nodeErrors';
import { parameterReader } from '../../common/parameters';
import type { Operation } from '../resource';
import { companyWebhooks, requireFound, webhookOptionsField, urlField } from './fields';
import { isPlaceholder, webhookBehind } from './placeholders';
import {
	findExactly,
	reactivate,
	removePlaceholder,
	type KnownWebhook,
	type ReactivationFailure,
} from './reactivation';
import { findUnserved } from './servedUrls';

/** A webhook to reactivate: blacklisted, or deleted by a run that was killed. */
type Candidate = Subscription & KnownWebhook;

/**
 * Reactivates blacklisted webhooks by unsubscribing and resubscribing each (API document,
 * sections 4.3 to 4.5), unless n8n reports that no published workflow uses the URL.
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
		const parameters = parameterReader(context);
		const client = await openClient(context);
		return await runPerItem(context, async (item) => {
			const urlPrefix = unwrap(
				context.getNode(),
				validate(webhookUrlSchema, parameters.get('urlPrefix', item), 'URL prefix', {}),
			);
			const webhooks = companyWebhooks(context.getNode(), parameters, client, item);
			const listing = requireFound(context.getNode(), await webhooks.list());
			const { candidates, restored } = findCandidates(listing, urlPrefix);
			const unserved = await findUnserved(context, candidates);
			addUnservedHint(
				context,
				unserved.filter(({ isDeleted }) => !isDeleted),
			);
			const obsolete = [...restored, ...unserved.filter(({ hasPlaceholder }) => hasPlaceholder)];
			for (const webhook of obsolete) await removePlaceholder(webhooks, webhook);
			const served = candidates.filter((candidate) => !unserved.includes(candidate));
			return await reactivateAll(context, webhooks, served, item);
		});
	},
};

/**
 * The webhooks at or below a URL that need a reactivation. One that is also listed as active needs
 * none: its events arrive.
 *
 * @returns also those that have a placeholder although they are active again
 */
function findCandidates(
	listing: WebhookList,
	urlPrefix: string,
): { candidates: Candidate[]; restored: Subscription[] } {
	const listed = listing.webhooks;
	const isActive = (webhook: Subscription) =>
		findExactly(listed, webhook).some(({ status }) => status !== 'blacklisted');
	const remembered = listed
		.flatMap((webhook) => webhookBehind(webhook) ?? [])
		.filter(
			({ url, action }, index, all) =>
				isAtOrBelow(urlPrefix, url) &&
				all.findIndex((one) => one.url === url && one.action === action) === index,
		);
	const isRemembered = ({ url, action }: Subscription) =>
		remembered.some((one) => one.url === url && one.action === action);
	const blacklisted = listed.filter(
		(webhook, index) =>
			webhook.status === 'blacklisted' &&
			isAtOrBelow(urlPrefix, webhook.url) &&
			!isPlaceholder(webhook) &&
			!isActive(webhook) &&
			listed.indexOf(findExactly(listed, webhook)[0] ?? webhook) === index,
	);
	const deleted = isCompleteList(listing)
		? remembered.filter((webhook) => findExactly(listed, webhook).length === 0)
		: [];
	return {
		candidates: [
			...blacklisted.map((webhook) => toCandidate(webhook, isRemembered(webhook), false)),
			...deleted.map((webhook) => toCandidate(webhook, true, true)),
		],
		restored: remembered.filter(isActive),
	};
}

function toCandidate(
	{ url, action }: Subscription,
	hasPlaceholder: boolean,
	isDeleted: boolean,
): Candidate {
	return { url, action, hasPlaceholder, isDeleted };
}

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

/** The URL without its query, which may contain a signature, and the event. */
function describeWebhook({ url, action }: Subscription): string {
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname} for ${eventForCode(action) ?? `event ${action}`}`;
}

function addUnservedHint(context: IExecuteFunctions, unserved: readonly Subscription[]): void {
	if (unserved.length === 0) return;
	const names = unserved.map(describeWebhook).join(', ');
	context.addExecutionHints({
		message:
			unserved.length === 1
				? `1 blacklisted webhook was not reactivated because no published workflow uses its URL: ${names}. Delete it with Webhook > Delete, or publish its workflow.`
				: `${unserved.length} blacklisted webhooks were not reactivated because no published workflow uses their URLs: ${names}. Delete them with Webhook > Delete, or publish their workflows.`,
		location: 'outputPane',
	});
}

/** Reactivates one webhook after another, up to the first failure unless On Error is Continue. */
async function reactivateAll(
	context: IExecuteFunctions,
	webhooks: Webhooks,
	candidates: readonly Candidate[],
	item: number,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const [index, candidate] of candidates.entries()) {
		const { url, action, ...known } = candidate;
		const event = eventForCode(action);
		const failure = await reactivate(webhooks, { url, action }, known);
		if (!failure) {
			output.push(outputItem({ url, event, action, reactivated: true }, item));
			continue;
		}
		const problem = reactivationProblem(candidate, failure);
		if (!context.continueOnFail()) {
			const progress =
				candidates.length > 1 && `Reactivated before it: ${index} of ${candidates.length}.`;
			throw operationError(context.getNode(), {
				message: problem.message,
				description: [problem.description, progress].filter(Boolean).join(' '),
			});
		}
		output.push(errorItem(problem, item, { outcome: failure.state, url, event, action }));
	}
	return output;
}

function reactivationProblem(
	webhook: Subscription,
	{ error, advice }: ReactivationFailure,
): Problem {
	const { message, description } = toProblem(error);
	return {
		message: `The webhook ${describeWebhook(webhook)} was not reactivated: ${message}`,
		description: [advice, description].filter(Boolean).join(' '),
	};
}
