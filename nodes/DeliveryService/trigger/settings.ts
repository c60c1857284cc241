import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { openClient, type ServiceClient } from '../service/client';
import { selectedCompany } from '../service/companyOption';
import type { Credential } from '../service/credential';
import { eventNameSchema, type EventName } from '../service/events';
import type { Subscription } from '../service/requests';
import { companyWebhooksClient, type Webhooks } from '../service/webhooks';
import { operationError, unwrap } from '../service/nodeErrors';
import { asRecord, nodeParameter } from '../common/parameters';
import type { Result } from '../common/result';
import { digestFor, type Signer } from './eventUrls';
import { invalidFilter, readFilters, type Filters } from './filters';
import {
	isProven,
	isSameSite,
	readState,
	serviceName,
	siteProof,
	writeState,
	type StateOwner,
	type TriggerState,
	type SubscriptionSite,
} from './state';
import { subscriptionsFor, type DesiredSubscriptions } from './diff';

/** The timeout of a request while n8n turns a workflow on or off: the user is waiting. */
const requestTimeoutMs = 10_000;

type TriggerContext = IHookFunctions | IWebhookFunctions;

const triggerOptionsSchema = z.object({
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

/** The company whose events trigger the workflow. */
function triggerCompany(
	context: TriggerContext,
	credential: Pick<Credential, 'companyId' | 'hasInvalidCompanyId'>,
): Result<number> {
	return selectedCompany(credential, asRecord(nodeParameter(context, 'options', {})));
}

/** The filters in the trigger's options. */
export function triggerFilters(context: TriggerContext): Filters {
	const { statuses: status, companies: company, cities: city } = readTriggerOptions(context);
	return readFilters({ status, company, city });
}

/** The saved state of this node in this workflow. */
export function triggerState(context: TriggerContext): TriggerState {
	return readState(context.getWorkflowStaticData('global'), stateOwner(context));
}

/** Saves the state of this node, see {@link writeState}. */
export function saveTriggerState(context: IHookFunctions, state: TriggerState): void {
	writeState(context.getWorkflowStaticData('global'), stateOwner(context), state);
}

/** Workflows that were not created in the editor may have nodes without an ID. */
function stateOwner(context: TriggerContext): StateOwner {
	const { id, name } = context.getNode();
	return { workflowId: context.getWorkflow().id ?? '', nodeId: id || name };
}

const minutesSchema = z.coerce.number().min(0);

/**
 * Checks the selected events, the filters and the minutes of Ignore Duplicates.
 *
 * @throws NodeOperationError that names the invalid parameter
 */
export function assertSettings(context: IHookFunctions): void {
	const fail = (message: string, description = '') => {
		throw operationError(context.getNode(), { message, description });
	};
	if (selectedEvents(context).length === 0)
		fail('No Delivery Service event is selected', 'Select at least one event under Trigger On.');
	const problem = invalidFilter(triggerFilters(context));
	if (problem) fail(problem.message, problem.description);
	const { ignoreDuplicatesMinutes = 0 } = readTriggerOptions(context);
	if (!minutesSchema.safeParse(ignoreDuplicatesMinutes).success)
		fail(
			'Delivery Service Trigger: invalid value in the option Ignore Duplicates Within (Minutes)',
			'Enter a number of minutes, 0 or more.',
		);
}

/** Whether the trigger's URLs are signed: always, unless the user has turned it off. */
export function verifiesCaller(context: TriggerContext): boolean {
	return nodeParameter(context, 'options.verifyCaller', true) !== false;
}

/** The events that the user selected; none when the parameter is invalid. */
export function selectedEvents(context: TriggerContext): EventName[] {
	return z
		.array(eventNameSchema)
		.catch([])
		.parse(nodeParameter(context, 'events', []));
}

/** What a trigger needs to manage its subscriptions. */
export interface OpenTrigger {
	webhooks: Webhooks;
	desired: DesiredSubscriptions;
	/**
	 * The node's subscriptions as far as it knows. Includes those of the live workflow and of the test
	 * if it can't know which were subscribed.
	 */
	known: Subscription[];
	/** Where the trigger subscribes. */
	site: SubscriptionSite;
	/** Whether the saved state shows that the trigger is subscribed at this site. */
	wasSubscribed: boolean;
	/** Whether it shows that the trigger has removed all its subscriptions. */
	isRemoved: boolean;
	/** Whether the service can reach the webhook URL, judging by the URL alone. */
	isReachable: boolean;
}

/**
 * Determines the desired subscriptions and what is needed to compare them with the service's list.
 *
 * @param state the saved state of the node
 * @throws NodeOperationError when the node or its credential is incomplete
 */
export async function openTrigger(
	context: IHookFunctions,
	{ subscribedTo, removedFrom, digests, sites }: TriggerState,
): Promise<OpenTrigger> {
	const webhookUrl = context.getNodeWebhookUrl('default');
	if (!webhookUrl)
		throw operationError(context.getNode(), {
			message: 'n8n did not provide a webhook URL for the Delivery Service Trigger',
		});
	const client = await openClient(context);
	const companyId = unwrap(context.getNode(), triggerCompany(context, client.credential));
	const { baseUrl } = client.credential;
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
	const place = { baseUrl, companyId, webhookUrl };
	const current = { ...place, proof: siteProof(place, client.credential, workflowId) };
	const isSaved = sites.some((site) => isSameSite(site, current));
	const wasSubscribed = subscribedTo === webhookUrl && isSaved;
	const { signer: currentSigner } = desired;
	const hasSameSignatures = !currentSigner
		? digests.length === 0
		: unsigned.events.every((event) => digests.includes(digestFor(event, currentSigner)));
	const knownSigners = signers.filter((signer) =>
		unsigned.events.some((event) => digests.includes(digestFor(event, signer))),
	);
	return {
		webhooks: companyWebhooksClient(context.getNode(), withShortTimeout(client), companyId),
		desired: { ...desired, wasSubscribed: wasSubscribed && hasSameSignatures },
		wasSubscribed,
		isRemoved: removedFrom === webhookUrl && !isSaved,
		known: desired.signer
			? (knownSigners.length > 0 ? knownSigners : signers).flatMap((signer) =>
					subscriptionsFor({ ...unsigned, signer }),
				)
			: subscriptionsFor(unsigned),
		site: current,
		isReachable: !isLoopback(webhookUrl) || isLoopback(baseUrl),
	};
}

/**
 * The subscriptions at a site other than the current one. The API key is sent only to the Base URL of
 * the credential, and to a site that proves to be a former one.
 *
 * @returns undefined for any other site
 * @throws NodeOperationError when the credential is incomplete
 */
export async function openSite(
	context: IHookFunctions,
	site: SubscriptionSite,
): Promise<Webhooks | undefined> {
	const client = await openClient(context);
	const isCurrent = serviceName(site.baseUrl) === serviceName(client.credential.baseUrl);
	const { workflowId } = stateOwner(context);
	if (!isCurrent && !isProven(site, client.credential, workflowId)) return undefined;
	const { send } = isCurrent ? client : await openClient(context, site.baseUrl);
	return companyWebhooksClient(
		context.getNode(),
		withShortTimeout({ ...client, send }),
		site.companyId,
	);
}

/**
 * The kinds of a node's webhook: of the live workflow, and of the editor's test. The signature
 * contains the kind, not the URL: n8n always shows the live URL to a running webhook, and some n8n
 * processes don't know the public host.
 */
const webhookKinds = ['live', 'test'] as const;

function isTest(context: TriggerContext): boolean {
	return context.getMode() === 'manual';
}

/** The signer for calls; undefined without a company, which is part of what is signed. */
export function callSigner(
	context: IWebhookFunctions,
	credential: Pick<Credential, 'apiSecret' | 'baseUrl' | 'companyId'>,
): Signer | undefined {
	const company = triggerCompany(context, credential);
	if (!company.ok) return undefined;
	return createSigner(context, credential, company.value, isTest(context) ? 'test' : 'live');
}

/** The signer for this node's URLs of the live workflow or of the editor's test. */
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

/** Whether a URL can be reached on the same machine only. */
function isLoopback(url: string): boolean {
	return loopbackHost.test(new URL(url).hostname);
}
