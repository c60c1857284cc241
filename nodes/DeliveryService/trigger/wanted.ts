import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { openClient } from '../service/client';
import { eventNameSchema } from '../service/events';
import { webhooksOf, type Webhooks } from '../service/webhooks';
import type { Signer } from './address';
import type { Wanted } from './subscriptions';

const optionsSchema = z.object({
	companyId: z.unknown(),
	signAddresses: z.boolean().catch(true),
	statuses: z.unknown(),
	companies: z.unknown(),
	cities: z.unknown(),
	skipRepeatsMinutes: z.coerce.number().min(0).catch(0),
});

export type TriggerOptions = z.infer<typeof optionsSchema>;

/** The trigger's options, with defaults for those that the user did not add. */
export function triggerOptions(context: IHookFunctions | IWebhookFunctions): TriggerOptions {
	return optionsSchema.parse(context.getNodeParameter('options', {}));
}

/**
 * What the trigger wants at the service, and the subscriptions to compare it with.
 *
 * @throws NodeOperationError when the node or its credential lacks something
 */
export async function openSubscriptions(
	context: IHookFunctions,
): Promise<{ webhooks: Webhooks; wanted: Wanted; reachable: boolean }> {
	const node = context.getNode();
	const webhookUrl = context.getNodeWebhookUrl('default');
	const events = z.array(eventNameSchema).min(1).safeParse(context.getNodeParameter('events', []));
	if (!webhookUrl || !events.success)
		throw new NodeOperationError(node, 'No event is chosen', {
			description: 'Choose at least one event that is to start the workflow.',
		});
	const client = await openClient(context);
	const { companyId, signAddresses } = triggerOptions(context);
	const { apiSecret, baseUrl } = client.credential;
	return {
		webhooks: webhooksOf(node, client, companyId),
		wanted: {
			webhookUrl,
			events: events.data,
			...(signAddresses && { signer: signerOf(context, apiSecret) }),
		},
		reachable: !isLoopback(webhookUrl) || isLoopback(baseUrl),
	};
}

/** Signs this node's addresses; those of the editor's test differ from those of the live workflow. */
export function signerOf(context: IHookFunctions | IWebhookFunctions, secret: string): Signer {
	const { webhookId, id } = context.getNode();
	const kind = context.getMode() === 'manual' ? 'test' : 'live';
	return { secret, identity: `${kind}\n${webhookId ?? id}` };
}

/** Whether only programs on the same machine reach an address. */
function isLoopback(url: string): boolean {
	const { hostname } = new URL(url);
	return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
