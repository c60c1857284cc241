/** The settings of the trigger: reads and checks them, and keeps what a call needs of them. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../common/clock';
import { asRecord, nodeParameter, toList } from '../common/parameters';
import { operationError, unwrap } from '../common/result';
import { describeValue } from '../common/text';
import { credentialType, openClient } from '../service/client';
import {
	credentialSchema,
	isLoopback,
	selectedCompany,
	type Credential,
} from '../service/credential';
import { eventNames, eventNameSchema, type EventName } from '../service/events';
import { companyWebhooksClient, type Webhooks } from '../service/webhooks';
import { invalidFilter, readFilters, type Filters } from './filters';
import { subscriptionFor, type EventSubscription, type Signer, type UrlOwner } from './urls';

/**
 * The timeout of a request while n8n turns a workflow on or off. n8n 2 tries to publish five times, waits
 * 15 s in between, and gives up after 84 s without naming a cause. Each try has up to three requests after
 * each other: listing or subscribing, undoing that, and removing what n8n has turned off.
 */
const requestTimeoutMs = 4_000;

type TriggerContext = IHookFunctions | IWebhookFunctions;

/** The settings of a trigger, read once per call of n8n. */
export interface TriggerSettings {
	options: Readonly<Record<string, unknown>>;
	/** The values of Trigger On, which may be an expression. */
	triggerOn: readonly unknown[];
	/** The selected events. */
	events: readonly EventName[];
	filters: Filters;
	/** Whether the trigger's URLs are signed: always, unless the user has turned it off. */
	verifiesCaller: boolean;
}

export function readSettings(context: TriggerContext): TriggerSettings {
	const options = asRecord(nodeParameter(context, 'options', {}));
	const triggerOn = toList(nodeParameter(context, 'events', []));
	return {
		options,
		triggerOn,
		events: eventNames.filter((name) => triggerOn.includes(name)),
		filters: readFilters(options),
		verifiesCaller: options.verifyCaller !== false,
	};
}

/**
 * Checks the selected events and the filters.
 *
 * @throws NodeOperationError that names the invalid parameter
 */
export function assertSettings(context: IHookFunctions, settings: TriggerSettings): void {
	const { triggerOn, events, filters } = settings;
	const unknown = triggerOn.find((one) => !eventNameSchema.safeParse(one).success);
	if (unknown !== undefined)
		throw operationError(context.getNode(), {
			message: `Trigger On contains ${describeValue(unknown)}, which is not a Delivery Service event`,
			description:
				'Select the events under Trigger On. An expression must return their names, e.g. updateTask.',
		});
	if (events.length === 0)
		throw operationError(context.getNode(), {
			message: 'No Delivery Service event is selected',
			description: 'Select at least one event under Trigger On.',
		});
	const problem = invalidFilter(filters);
	if (problem) throw operationError(context.getNode(), problem);
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
export async function openTrigger(
	context: IHookFunctions,
	settings: TriggerSettings,
): Promise<OpenTrigger> {
	// The credential or the settings may have changed.
	callSigners.clear();
	const owner = urlOwner(context);
	const { credential, send } = await openClient(context);
	const company = unwrap(context.getNode(), selectedCompany(credential, settings.options));
	const signer = createSigner(context, credential, company);
	const withTimeout: typeof send = async (request) =>
		await send({ ...request, timeoutMs: requestTimeoutMs });
	return {
		webhooks: companyWebhooksClient(context.getNode(), { send: withTimeout }, company),
		owner,
		desired: settings.events.map((event) =>
			subscriptionFor(owner, event, signer, settings.verifiesCaller),
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

/**
 * What tells the triggers of a workflow apart: the webhook ID, by which n8n finds the trigger of a call. Two
 * nodes that were copied outside the editor may have one node ID.
 */
export function triggerId(context: Pick<TriggerContext, 'getNode'>): string {
	const { webhookId, id, name } = context.getNode();
	return webhookId || id || name;
}

const signingSchema = credentialSchema.pick({ apiSecret: true, baseUrl: true, companyId: true });

/**
 * The signers of calls, by trigger. To read a credential, n8n 2 starts a JavaScript engine, which takes as
 * long as half of the call, so that a node reads its own once a second.
 */
const callSigners = new Map<string, { readAt: number; signer: Promise<Signer | undefined> }>();

const signerLifetimeMs = 1000;

/** The signer for calls; undefined when the credential is missing, incomplete or has no company. */
export async function callSigner(
	context: IWebhookFunctions,
	{ options }: TriggerSettings,
): Promise<Signer | undefined> {
	const key = [context.getWorkflow().id, triggerId(context), context.getMode()].join('\n');
	const known = callSigners.get(key);
	const now = realClock.now();
	if (known && Math.abs(now - known.readAt) < signerLifetimeMs) return await known.signer;
	const signer = readSigner(context, options).catch(() => undefined);
	callSigners.set(key, { readAt: now, signer });
	// The reason may be gone at the next call.
	if (!(await signer)) callSigners.delete(key);
	return await signer;
}

async function readSigner(
	context: IWebhookFunctions,
	options: Readonly<Record<string, unknown>>,
): Promise<Signer | undefined> {
	const credential = signingSchema.parse(await context.getCredentials(credentialType));
	const company = selectedCompany(credential, options);
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
	const kind = isTest(context) ? 'test' : 'live';
	const identity = [
		kind,
		context.getWorkflow().id,
		triggerId(context),
		new URL(baseUrl).host,
		companyId,
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

/** n8n's own data of a node goes by its name, which may change. */
function digestsName(context: TriggerContext): string {
	return `deliveryServiceTrigger:${triggerId(context)}`;
}
