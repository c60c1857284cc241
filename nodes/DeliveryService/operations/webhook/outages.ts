/** Which published triggers get no events because they have no webhooks, and since when. */
import { DateTime } from 'luxon';
import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../../common/clock';
import { asRecord } from '../../common/parameters';
import { republishHint } from '../../common/text';
import { shownUrl, type Webhook } from '../../service/webhooks';
import { missingEvents, type PublishedTrigger } from './publishedTriggers';

/** When each outage was noticed, as ISO 8601, by {@link keyOf}. */
const noticedSchema = z.record(z.string(), z.string()).catch({});

/** What is known about outages before and in this run. */
export type Outages = ReturnType<typeof openOutages>;

/**
 * The outages that n8n remembers for this node, and those of this run. n8n saves them only for executions
 * of the published workflow.
 */
export function openOutages(context: IExecuteFunctions) {
	const data = context.getWorkflowStaticData('node');
	// Without a property of n8n's own.
	const earlier = noticedSchema.parse({ ...asRecord(data.outages) });
	const current: Record<string, string> = {};
	return {
		/**
		 * The output about a trigger; nothing if it has all webhooks.
		 *
		 * @param served the webhooks at the URL of n8n
		 * @param elsewhere those at other URLs, e.g. at that before n8n moved
		 */
		of(
			trigger: PublishedTrigger,
			served: readonly Webhook[],
			elsewhere: readonly Webhook[],
		): object[] {
			const missing = missingEvents(trigger, served);
			if (missing.length === 0) return [];
			const key = keyOf(trigger);
			const since = (current[key] = earlier[key] ?? new Date(realClock.now()).toISOString());
			const time = DateTime.fromISO(since, { zone: context.getTimezone() });
			return [
				{
					...describe(trigger),
					reason: 'missing',
					since,
					message: missingMessage(trigger, {
						events: missing.join(', '),
						since: time.toFormat('yyyy-LL-dd HH:mm'),
						old: elsewhere.find((one) => {
							const others = missingEvents(trigger, [one]);
							return missing.some((event) => !others.includes(event));
						}),
					}),
				},
			];
		},
		/** Keeps what is known about triggers that could not be checked. */
		keep(triggers: readonly PublishedTrigger[]) {
			for (const key of triggers.map(keyOf))
				if (earlier[key] !== undefined) current[key] = earlier[key];
		},
		save() {
			if (JSON.stringify(current) !== JSON.stringify(earlier)) data.outages = current;
		},
	};
}

/** When n8n moves, the trigger does not remove its webhook at the URL before. */
function missingMessage(
	trigger: PublishedTrigger,
	{ events, since, old }: { events: string; since: string; old?: Webhook },
): string {
	return old
		? `${nameOf(trigger)} has had no webhook for ${events} at this URL of n8n since ${since}, only at ${shownUrl(old.url)}. To get these events here, ${republishHint}. Then find the old webhook with Webhook > Get Many, and remove it with Webhook > Delete: otherwise, events may arrive twice.`
		: `${nameOf(trigger)} has had no webhook for ${events} since ${since}, so these events don't start it. To get them again, ${republishHint}.`;
}

/** The output about a trigger whose company is unknown. */
export function uncheckedOutput(trigger: PublishedTrigger): object {
	return {
		...describe(trigger),
		reason: 'notChecked',
		message: `${nameOf(trigger)} was not checked: it has another credential, or its Company ID is an expression. Nothing to do if its events arrive.`,
	};
}

function describe({ workflowId, workflow, trigger, companyId }: PublishedTrigger): object {
	return { workflowId, workflow, trigger, ...(companyId !== undefined && { companyId }) };
}

function nameOf({ trigger, workflow }: PublishedTrigger): string {
	return `"${trigger}" of the workflow "${workflow}"`;
}

function keyOf({ workflowId, webhookId, trigger }: PublishedTrigger): string {
	return `${workflowId}/${webhookId ?? trigger}`;
}
