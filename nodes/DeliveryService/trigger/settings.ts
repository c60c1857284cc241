import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { openClient, type ServiceClient } from '../service/client';
import { eventNameSchema, type EventName } from '../service/events';
import type { Subscription } from '../service/requests';
import { webhooksOf, type Webhooks } from '../service/webhooks';
import type { Signer } from './address';
import { subscriptionsFor, type Desired } from './subscriptions';

/** How long a request may take while n8n turns a workflow on or off: the user is waiting. */
const patienceMs = 10_000;

const optionsSchema = z.object({
	companyId: z.unknown(),
	statuses: z.unknown(),
	companies: z.unknown(),
	cities: z.unknown(),
});

export type TriggerOptions = z.infer<typeof optionsSchema>;

/** The trigger's options, with defaults for those that the user did not add. */
export function triggerOptions(context: IHookFunctions | IWebhookFunctions): TriggerOptions {
	return optionsSchema.parse(context.getNodeParameter('options', {}));
}

/** Whether the trigger's addresses are signed: always, unless the user has turned it off. */
export function signsAddresses(context: IHookFunctions | IWebhookFunctions): boolean {
	return context.getNodeParameter('options.signAddresses', true) !== false;
}

/** The events that the user chose; none when the choice cannot be read. */
export function chosenEvents(context: IHookFunctions | IWebhookFunctions): EventName[] {
	return z.array(eventNameSchema).catch([]).parse(context.getNodeParameter('events', []));
}

/** What a trigger needs to look after its subscriptions. */
export interface Subscriptions {
	webhooks: Webhooks;
	desired: Desired;
	/** Every subscription that this node makes with its present settings, tests included. */
	possible: Subscription[];
	/** Whether the service can reach the trigger's URL, as far as the URL tells. */
	reachable: boolean;
}

/**
 * What the trigger desires at the service, and the subscriptions to compare it with.
 *
 * @throws NodeOperationError when the node or its credential lacks something
 */
export async function openSubscriptions(context: IHookFunctions): Promise<Subscriptions> {
	const webhookUrl = context.getNodeWebhookUrl('default');
	if (!webhookUrl)
		throw new NodeOperationError(context.getNode(), 'n8n gives this node no webhook address');
	const client = await openClient(context);
	const { companyId } = triggerOptions(context);
	const { apiSecret, baseUrl } = client.credential;
	const events = chosenEvents(context);
	const possible = kinds.flatMap((kind) =>
		subscriptionsFor({ webhookUrl, events, signer: signer(context, apiSecret, kind) }),
	);
	const unsigned: Desired = { webhookUrl, events };
	const signs = signsAddresses(context);
	return {
		webhooks: webhooksOf(context.getNode(), impatient(client), companyId),
		desired: signs ? { ...unsigned, signer: signerOf(context, apiSecret) } : unsigned,
		possible: signs ? possible : subscriptionsFor(unsigned),
		reachable: !isLoopback(webhookUrl) || isLoopback(baseUrl),
	};
}

/**
 * What n8n calls a node's webhook: the one of the live workflow, or that of the editor's test. The
 * URL itself cannot be signed: to a running webhook n8n always tells the live one, and not every
 * process of n8n knows the host.
 */
const kinds = ['live', 'test'] as const;

/** Signs this node's addresses; those of the editor's test differ from those of the live workflow. */
export function signerOf(context: IHookFunctions | IWebhookFunctions, secret: string): Signer {
	return signer(context, secret, context.getMode() === 'manual' ? 'test' : 'live');
}

function signer(
	context: IHookFunctions | IWebhookFunctions,
	secret: string,
	kind: (typeof kinds)[number],
): Signer {
	const { webhookId, id } = context.getNode();
	return {
		secret,
		identity: [kind, context.getWorkflow().id, webhookId ?? id].join('\n'),
	};
}

function impatient(client: ServiceClient): ServiceClient {
	return {
		...client,
		send: async (request) => await client.send({ ...request, timeoutMs: patienceMs }),
	};
}

const loopbackHost = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** Whether only programs on the same machine reach an address. */
function isLoopback(url: string): boolean {
	return loopbackHost.test(new URL(url).hostname);
}
