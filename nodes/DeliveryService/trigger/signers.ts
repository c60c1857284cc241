/**
 * What the URLs of a trigger are signed with, and for: the trigger, its company and its service; and the
 * digests of the signatures that n8n saves.
 */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../common/clock';
import { credentialType } from '../service/client';
import { credentialSchema, selectedCompany, type Credential } from '../service/credential';
import type { Signer } from './urls';

export type TriggerContext = IHookFunctions | IWebhookFunctions;

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

/** Makes the next calls read the credential again. */
export function forgetCallSigners(): void {
	callSigners.clear();
}

/** The signer for calls; undefined when the credential is missing, incomplete or has no company. */
export async function callSigner(
	context: IWebhookFunctions,
	options: Readonly<Record<string, unknown>>,
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
export function createSigner(
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
