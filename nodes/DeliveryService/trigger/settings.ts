import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { asRecord, nodeParameter, toList } from '../common/parameters';
import { credentialType, openClient } from '../service/client';
import { credentialSchema, selectedCompany, type Credential } from '../service/credential';
import { eventNames, eventNameSchema, type EventName } from '../service/events';
import { operationError, unwrap } from '../common/result';
import { describeValue } from '../common/text';
import { companyWebhooksClient, type Webhooks } from '../service/webhooks';
import { invalidFilter, readFilters, type Filters } from './filters';
import { subscriptionFor, type EventSubscription, type Signer, type UrlOwner } from './urls';

/** The timeout of a request while n8n turns a workflow on or off: the user is waiting. */
const requestTimeoutMs = 10_000;

type TriggerContext = IHookFunctions | IWebhookFunctions;

function triggerOptions(context: TriggerContext): Record<string, unknown> {
	return asRecord(nodeParameter(context, 'options', {}));
}

/** The filters in the trigger's options. */
export function triggerFilters(context: TriggerContext): Filters {
	return readFilters(triggerOptions(context));
}

/**
 * Checks the selected events and the filters.
 *
 * @throws NodeOperationError that names the invalid parameter
 */
export function assertSettings(context: IHookFunctions): void {
	const unknown = triggerOn(context).find((one) => !eventNameSchema.safeParse(one).success);
	if (unknown !== undefined || selectedEvents(context).length === 0)
		throw operationError(context.getNode(), {
			message:
				unknown === undefined
					? 'No Delivery Service event is selected'
					: `Trigger On contains ${describeValue(unknown)}, which is not a Delivery Service event`,
			description: 'Select at least one event under Trigger On.',
		});
	const problem = invalidFilter(triggerFilters(context));
	if (problem) throw operationError(context.getNode(), problem);
}

/** Whether the trigger's URLs are signed: always, unless the user has turned it off. */
export function verifiesCaller(context: TriggerContext): boolean {
	return nodeParameter(context, 'options.verifyCaller', true) !== false;
}

/** The values of the parameter, which may be an expression. */
function triggerOn(context: TriggerContext): unknown[] {
	return toList(nodeParameter(context, 'events', []));
}

/** The events that the user selected. */
export function selectedEvents(context: TriggerContext): EventName[] {
	const selected = triggerOn(context);
	return eventNames.filter((name) => selected.includes(name));
}

/** What a trigger needs to manage its subscriptions. */
export interface OpenTrigger {
	webhooks: Webhooks;
	owner: UrlOwner;
	/** One subscription per selected event. */
	desired: EventSubscription[];
	/** Whether the service can reach the webhook URL, judging by the URL alone. */
	isReachable: boolean;
}

/**
 * Determines the desired subscriptions, and opens the service's list of them.
 *
 * @throws NodeOperationError when the node or its credential is incomplete
 */
export async function openTrigger(context: IHookFunctions): Promise<OpenTrigger> {
	// The credential or the settings may have changed.
	callSigners.clear();
	const owner = urlOwner(context);
	const { credential, send } = await openClient(context);
	const company = unwrap(context.getNode(), selectedCompany(credential, triggerOptions(context)));
	const signer = createSigner(context, credential, company);
	const isSigned = verifiesCaller(context);
	const withTimeout: typeof send = async (request) =>
		await send({ ...request, timeoutMs: requestTimeoutMs });
	return {
		webhooks: companyWebhooksClient(context.getNode(), { send: withTimeout }, company),
		owner,
		desired: selectedEvents(context).map((event) =>
			subscriptionFor(owner, event, signer, isSigned),
		),
		isReachable: !isLoopback(owner.webhookUrl) || isLoopback(credential.baseUrl),
	};
}

/** @throws NodeOperationError when n8n has no webhook URL for the node */
function urlOwner(context: IHookFunctions): UrlOwner {
	const webhookUrl = context.getNodeWebhookUrl('default');
	if (!webhookUrl)
		throw operationError(context.getNode(), {
			message: 'n8n did not provide a webhook URL for the Delivery Service Trigger',
		});
	return { webhookUrl, workflowId: context.getWorkflow().id ?? '' };
}

const signingSchema = credentialSchema.pick({ apiSecret: true, baseUrl: true, companyId: true });

/**
 * The signers of calls, by node. To read a credential, n8n 2 starts a JavaScript engine, which takes as
 * long as half of the call, so that a node reads its own once a second.
 */
const callSigners = new Map<string, { readAt: number; signer: Promise<Signer | undefined> }>();

const signerLifetimeMs = 1000;

/** The signer for calls; undefined when the credential is missing, incomplete or has no company. */
export async function callSigner(context: IWebhookFunctions): Promise<Signer | undefined> {
	const key = [context.getWorkflow().id, context.getNode().id, context.getMode()].join('\n');
	const known = callSigners.get(key);
	const now = Date.now();
	if (known && Math.abs(now - known.readAt) < signerLifetimeMs) return await known.signer;
	const signer = readSigner(context).catch(() => undefined);
	callSigners.set(key, { readAt: now, signer });
	// The reason may be gone at the next call.
	if (!(await signer)) callSigners.delete(key);
	return await signer;
}

async function readSigner(context: IWebhookFunctions): Promise<Signer | undefined> {
	const credential = signingSchema.parse(await context.getCredentials(credentialType));
	const company = selectedCompany(credential, triggerOptions(context));
	return company.ok ? createSigner(context, credential, company.value) : undefined;
}

/**
 * The identity contains the path of the webhook instead of its URL: n8n always shows the live URL to a
 * running webhook, and some n8n processes don't know the public host.
 */
function createSigner(
	context: TriggerContext,
	{ apiSecret, baseUrl }: Pick<Credential, 'apiSecret' | 'baseUrl'>,
	companyId: number,
): Signer {
	const { webhookId, id } = context.getNode();
	const kind = isTest(context) ? 'test' : 'live';
	const identity = [
		...[kind, context.getWorkflow().id, webhookId ?? id],
		...[new URL(baseUrl).host, companyId],
	];
	return { secret: apiSecret, identity: identity.join('\n') };
}

function isTest(context: TriggerContext): boolean {
	return context.getMode() === 'manual';
}

const digestsSchema = z.array(z.string()).optional().catch(undefined);

/**
 * The digests of the subscribed signatures: with them, events keep arriving after the API secret has
 * changed, until the workflow is published again. All else is derived.
 *
 * @returns none after all subscriptions were removed; undefined when nothing is known, as in a test
 */
export function savedDigests(context: TriggerContext): string[] | undefined {
	if (isTest(context)) return undefined;
	return digestsSchema.parse(context.getWorkflowStaticData('global')[digestsName(context)]);
}

/**
 * Saves the digests, or forgets them. Call it only while n8n turns the trigger on or off: what is saved
 * during a call is lost, or overwrites newer data.
 */
export function saveDigests(context: IHookFunctions, digests: string[] | undefined): void {
	if (!isTest(context)) context.getWorkflowStaticData('global')[digestsName(context)] = digests;
}

/** By the node's ID: n8n's own data of a node goes by its name, which may change. */
function digestsName(context: TriggerContext): string {
	const { id, name } = context.getNode();
	return `deliveryServiceTrigger:${id || name}`;
}

const loopbackHost = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** Whether a URL can be reached on the same machine only. */
function isLoopback(url: string): boolean {
	return loopbackHost.test(new URL(url).hostname);
}
