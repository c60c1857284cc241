/** Which triggers of this n8n should have webhooks, by n8n's own list of its published workflows. */
import type { INode } from 'n8n-workflow';
import { z } from 'zod/v4';

import { asRecord } from '../../common/parameters';
import { credentialType } from '../../service/client';
import { selectedCompany } from '../../service/credential';
import { defaultEvents, eventNameSchema, events, type EventName } from '../../service/events';
import { urlParameters, type Webhook } from '../../service/webhooks';

/** A trigger of a published workflow. */
export interface PublishedTrigger {
	workflowId: string;
	workflow: string;
	trigger: string;
	/** Part of the path of its webhook URLs, unless it was made outside the editor. */
	webhookId?: string;
	/** The company whose events it gets. Undefined if only the trigger itself knows it. */
	companyId?: number;
	/** The selected events. Undefined if only the trigger itself knows them. */
	events?: readonly EventName[];
}

const nodeSchema = z.object({
	type: z.string().endsWith('.deliveryServiceTrigger'),
	name: z.string(),
	webhookId: z.string().min(1).optional().catch(undefined),
	disabled: z.literal(false).optional(),
	// n8n leaves out fields with their default.
	parameters: z.object({ events: z.unknown().default(defaultEvents), options: z.unknown() }),
	credentials: z.unknown(),
});

const nodesSchema = z.array(z.unknown());

/** A workflow of n8n's public API. In n8n 2, its nodes are those of the draft. */
const workflowSchema = z.object({
	id: z.string(),
	name: z.string(),
	nodes: nodesSchema,
	activeVersion: z.object({ nodes: nodesSchema }).nullish().catch(undefined),
});

/**
 * The triggers in workflows of n8n's public API. Entries that are no workflows have none.
 *
 * @param companyId the company of the credential
 */
export function publishedTriggers(
	node: Pick<INode, 'credentials'>,
	workflows: unknown,
	companyId: number | undefined,
): PublishedTrigger[] {
	return [workflows].flat().flatMap((entry) => {
		const workflow = workflowSchema.safeParse(entry).data;
		const nodes = workflow?.activeVersion?.nodes ?? workflow?.nodes ?? [];
		return nodes.flatMap((one) => {
			const trigger = nodeSchema.safeParse(one).data;
			if (!workflow || !trigger) return [];
			const hasSameCredential = credentialId(trigger) === credentialId(node);
			const company = selectedCompany({ companyId }, asRecord(trigger.parameters.options));
			return [
				{
					workflowId: workflow.id,
					workflow: workflow.name,
					trigger: trigger.name,
					webhookId: trigger.webhookId,
					companyId: hasSameCredential && company.ok ? company.value : undefined,
					events: z
						.array(eventNameSchema)
						.optional()
						.catch(undefined)
						.parse(trigger.parameters.events),
				},
			];
		});
	});
}

/** The labels of the events for which none of the webhooks is the trigger's. */
export function missingEvents(trigger: PublishedTrigger, webhooks: readonly Webhook[]): string[] {
	const own = webhooks.filter(({ url }) => isUrlOf(trigger, url));
	if (!trigger.events) return own.length > 0 ? [] : ['any event'];
	return trigger.events
		.filter((name) => !own.some(({ event }) => event === name))
		.map((name) => events[name].name);
}

function isUrlOf({ workflowId, webhookId }: PublishedTrigger, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { pathname, searchParams } = new URL(url);
	return (
		searchParams.get(urlParameters.workflow) === workflowId &&
		(webhookId === undefined || pathname.split('/').includes(webhookId))
	);
}

function credentialId({ credentials }: { credentials?: unknown }): unknown {
	return asRecord(asRecord(credentials)[credentialType]).id;
}
