import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	disallowedDomain,
	credentialSchema,
	readCredential,
	unencryptedBaseUrl,
	type Credential,
} from './credential';
import { isSuccess, settle, toNoResponse, type Exchange, listWebhooksRequest } from './client';
import { serviceDetail, explainFailure, notADeliveryService } from './errors';
import { problemText, type Problem } from '../common/result';
import { listNotFoundProblem, readWebhookList } from './webhooks';

/** Users don't wait longer for a connection test. */
const testTimeoutMs = 15_000;

/** The hint for a Base URL with http://. The editor does not show it, but n8n's API does. */
const unencryptedHint =
	'The Base URL starts with http://, so the API secret is sent unencrypted. Use https:// if the Delivery Service supports it.';

/**
 * Tests a credential by listing the company's webhooks (API document, section 4.4). The message
 * distinguishes a wrong key, a wrong company or Base URL, and an unreachable host.
 *
 * A function instead of a declared request, for which n8n shows only bare error codes.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const problem = await findProblem(this, data);
	if (problem) return { status: 'Error', message: problemText(problem) };
	const { baseUrl } = credentialSchema.pick({ baseUrl: true }).parse(data);
	const hint = unencryptedBaseUrl.test(baseUrl) ? `. ${unencryptedHint}` : '';
	return { status: 'OK', message: `Connection successful${hint}` };
}

async function findProblem(
	context: ICredentialTestFunctions,
	data: unknown,
): Promise<Problem | undefined> {
	const credential = readCredential(data);
	if (!credential.ok) return credential.problem;
	const { companyId } = credential.value;
	if (companyId === undefined)
		return {
			message: 'The Company ID is missing or not a positive whole number',
			description: "Enter your own company's ID: the connection test lists its webhooks.",
		};
	const blockedReason = disallowedDomain(data, credential.value.baseUrl);
	const { host } = new URL(credential.value.baseUrl);
	const exchange: Exchange =
		blockedReason === undefined
			? await requestWebhookList(context, credential.value, companyId)
			: { kind: 'noResponse', code: '', blockedReason, host };
	if (exchange.kind === 'response') {
		if (exchange.status === 404)
			return listNotFoundProblem(serviceDetail(exchange), ': save the credential and continue');
		if (isSuccess(exchange)) return readWebhookList(exchange) ? undefined : notADeliveryService;
	}
	return explainFailure(exchange.kind === 'response' ? exchange : { ...exchange, host });
}

/** Lists the webhooks with the HTTP helper of connection tests, which differs from that of nodes. */
async function requestWebhookList(
	{ helpers }: ICredentialTestFunctions,
	{ baseUrl, apiKeyId, apiSecret }: Credential,
	companyId: number,
): Promise<Exchange> {
	const { method, path } = listWebhooksRequest(companyId);
	try {
		const response: Promise<unknown> = helpers.request({
			method,
			uri: `${baseUrl}${path}`,
			auth: { user: apiKeyId, pass: apiSecret },
			headers: { Accept: 'application/json' },
			timeout: testTimeoutMs,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
		return await settle(response, baseUrl, testTimeoutMs);
	} catch (error) {
		return toNoResponse(error);
	}
}
