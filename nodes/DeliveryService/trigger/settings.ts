import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { openClient, type ServiceClient } from '../service/client';
import { type Credential, resolveCompanyId } from '../service/credential';
import { eventNameSchema, type EventName } from '../service/events';
import type { Subscription } from '../service/requests';
import { companyWebhooksClient, type Webhooks } from '../service/webhooks';
import { operationError, unwrap } from '../service/nodeErrors';
import { nodeParameter } from '../common/parameters';
import { digestFor, type Signer } from './eventUrls';
import { invalidFilter, readFilters, type Filters } from './filters';
import {
	isSameSite,
	keyDigest,
	readState,
	serviceName,
	type TriggerState,
	type SubscriptionSite,
} from './state';
import { subscriptionsFor, type DesiredSubscriptions } from './diff';

/** How long a request may take while n8n turns a workflow on or off: the user is waiting. */
const requestTimeoutMs = 10_000;

type TriggerContext = IHookFunctions | IWebhookFunctions;

const triggerOptionsSchema = z.object({
	companyId: z.unknown().optional(),
	statuses: z.unknown().optional(),
	companies: z.unknown().optional(),
	cities: z.unknown().optional(),
	ignoreDuplicatesMinutes: z.unknown().optional(),
});

type TriggerOptions = z.infer<typeof triggerOptionsSchema>;

/** The trigger's options as the user entered them. */
function readTriggerOptions(context: TriggerContext): TriggerOptions {
	return triggerOptionsSchema.parse(nodeParameter(context, 'options', {}));
}

/** Which events start the workflow. */
export function triggerFilters(context: TriggerContext): Filters {
	const { statuses: status, companies: company, cities: city } = readTriggerOptions(context);
	return readFilters({ status, company, city });
}

/** What the node remembers of this workflow. */
export function triggerState(context: TriggerContext): TriggerState {
	return readState(context.getWorkflowStaticData('node'), context.getWorkflow().id ?? '');
}

const minutesSchema = z.coerce.number().min(0);

/**
 * Has the user enter what can be read: an event to start with, filters that can match, a time.
 *
 * @throws NodeOperationError that names the setting
 */
export function assertSettings(context: IHookFunctions): void {
	const fail = (message: string, description = '') => {
		throw operationError(context.getNode(), { message, description });
	};
	if (selectedEvents(context).length === 0)
		fail(
			'No event of the Delivery Service is chosen',
			'Choose at least one event under Trigger On.',
		);
	const problem = invalidFilter(triggerFilters(context));
	if (problem) fail(problem.message, problem.description);
	const { ignoreDuplicatesMinutes = 0 } = readTriggerOptions(context);
	if (!minutesSchema.safeParse(ignoreDuplicatesMinutes).success)
		fail(
			'The Delivery Service Trigger cannot read its option Ignore Duplicates Within (Minutes)',
			'Enter a number of minutes, 0 or more.',
		);
}

/** Whether the trigger's addresses are signed: always, unless the user has turned it off. */
export function verifiesCaller(context: TriggerContext): boolean {
	return nodeParameter(context, 'options.verifyCaller', true) !== false;
}

/** The events that the user chose; none when the choice cannot be read. */
export function selectedEvents(context: TriggerContext): EventName[] {
	return z
		.array(eventNameSchema)
		.catch([])
		.parse(nodeParameter(context, 'events', []));
}

/** What a trigger needs to look after its subscriptions. */
export interface OpenTrigger {
	webhooks: Webhooks;
	desired: DesiredSubscriptions;
	/** What it has subscribed, as far as it knows: n8n does not tell it whether that was a test. */
	exact: Subscription[];
	/** Where it subscribes. */
	place: SubscriptionSite;
	/** Whether it has subscribed there before, as far as it remembers, and is not taken off since. */
	wasHere: boolean;
	/** Whether the service can reach the trigger's URL, as far as the URL tells. */
	reachable: boolean;
}

/**
 * What is desired at the service, and what is needed to compare it with what is there.
 *
 * @param memory what the node remembers
 * @throws NodeOperationError when the node or its credential lacks something
 */
export async function openTrigger(
	context: IHookFunctions,
	{ subscribedTo, digests, sites: places }: TriggerState,
): Promise<OpenTrigger> {
	const webhookUrl = context.getNodeWebhookUrl('default');
	if (!webhookUrl)
		throw operationError(context.getNode(), {
			message: 'n8n gives this node no address for the Delivery Service to call',
		});
	const client = await openClient(context);
	const companyId = unwrap(
		context.getNode(),
		resolveCompanyId(client.credential, readTriggerOptions(context).companyId),
	);
	const { apiKeyId, baseUrl } = client.credential;
	const signers = webhookKinds.map((kind) =>
		createSigner(context, client.credential, companyId, kind),
	);
	const workflowId = context.getWorkflow().id ?? '';
	const unsigned: DesiredSubscriptions = {
		webhookUrl,
		workflowId,
		events: selectedEvents(context),
	};
	const desired = verifiesCaller(context)
		? { ...unsigned, signer: signers[isTest(context) ? 1 : 0] }
		: unsigned;
	const place = { baseUrl, companyId, key: keyDigest(apiKeyId), webhookUrl };
	const wasHere = subscribedTo === webhookUrl && places.some((one) => isSameSite(one, place));
	const { signer: present } = desired;
	const isSame = !present
		? digests.length === 0
		: unsigned.events.every((event) => digests.includes(digestFor(event, present)));
	const used = signers.filter((one) =>
		unsigned.events.some((event) => digests.includes(digestFor(event, one))),
	);
	return {
		webhooks: companyWebhooksClient(context.getNode(), withShortTimeout(client), companyId),
		desired: { ...desired, wasSubscribed: wasHere && isSame },
		wasHere,
		exact: desired.signer
			? (used.length > 0 ? used : signers).flatMap((one) =>
					subscriptionsFor({ ...unsigned, signer: one }),
				)
			: subscriptionsFor(unsigned),
		place,
		reachable: !isLoopback(webhookUrl) || isLoopback(baseUrl),
	};
}

/**
 * The subscriptions at another place of the service than the present one.
 *
 * @throws NodeOperationError when the credential is not complete, or holds another API key than then
 */
export async function openSite(
	context: IHookFunctions,
	place: SubscriptionSite,
): Promise<Webhooks> {
	const client = await openClient(context, place.baseUrl);
	if (keyDigest(client.credential.apiKeyId) !== place.key)
		throw operationError(context.getNode(), {
			message: 'The credential holds another API key now, which must not be sent there',
		});
	return companyWebhooksClient(context.getNode(), withShortTimeout(client), place.companyId);
}

/**
 * What n8n calls a node's webhook: the one of the live workflow, or that of the editor's test. The
 * URL itself cannot be signed: to a running webhook n8n always tells the live one, and not every
 * process of n8n knows the host.
 */
const webhookKinds = ['live', 'test'] as const;

function isTest(context: TriggerContext): boolean {
	return context.getMode() === 'manual';
}

/** What a call must be signed with; undefined when no company is known, which is part of it. */
export function callSigner(
	context: IWebhookFunctions,
	credential: Pick<Credential, 'apiSecret' | 'baseUrl' | 'companyId'>,
): Signer | undefined {
	const company = resolveCompanyId(credential, readTriggerOptions(context).companyId);
	if (!company.ok) return undefined;
	return createSigner(context, credential, company.value, isTest(context) ? 'test' : 'live');
}

/** Signs this node's addresses; those of the editor's test differ from those of the live workflow. */
function createSigner(
	context: TriggerContext,
	{ apiSecret, baseUrl }: Pick<Credential, 'apiSecret' | 'baseUrl'>,
	companyId: number,
	kind: (typeof webhookKinds)[number],
): Signer {
	const { webhookId, id } = context.getNode();
	const workflowId = context.getWorkflow().id;
	const identity = [kind, workflowId, webhookId ?? id, serviceName(baseUrl), companyId];
	return { secret: apiSecret, identity: identity.join('\n') };
}

function withShortTimeout(client: ServiceClient): ServiceClient {
	return {
		...client,
		send: async (request) => await client.send({ ...request, timeoutMs: requestTimeoutMs }),
	};
}

const loopbackHost = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** Whether only programs on the same machine reach an address. */
function isLoopback(url: string): boolean {
	return loopbackHost.test(new URL(url).hostname);
}
