import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { isSuccess, toResponse, toNoResponse, type ServiceResponse, type Exchange } from './client';
import { readCredential, type Credential } from './credential';
import { serviceDetail, explainFailure, notADeliveryService } from './errors';
import { listWebhooksRequest } from './requests';
import { problemText, type Problem } from '../common/result';
import { readWebhookList } from './webhooks';

/** Users don't wait longer for a connection test. */
const testTimeoutMs = 15_000;

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
	return problem
		? { status: 'Error', message: problemText(problem) }
		: { status: 'OK', message: 'Connection successful' };
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
	const exchange = await requestWebhookList(context, credential.value, companyId);
	if (exchange.kind === 'response') {
		if (exchange.status === 404) return notFoundProblem(exchange);
		if (isSuccess(exchange)) return readWebhookList(exchange) ? undefined : notADeliveryService;
	}
	return explainFailure(exchange);
}

/**
 * What a 404 means. The API document shows none (section 4.4): the company may be unknown or have no
 * webhooks. An empty body or a web page does not come from the service.
 */
function notFoundProblem(response: ServiceResponse): Problem {
	const detail = serviceDetail(response);
	const advice = detail
		? `Check Company ID and Base URL. If both are right, the company may not have any webhooks yet: save the credential and continue. ${detail}`
		: 'Check the Base URL: its host responded, but not as the Delivery Service.';
	return {
		message: 'The Delivery Service responded, but this company or URL was not found',
		description: advice,
	};
}

/** Lists the webhooks with the HTTP helper of connection tests, which differs from that of nodes. */
async function requestWebhookList(
	{ helpers }: ICredentialTestFunctions,
	{ baseUrl, apiKeyId, apiSecret }: Credential,
	companyId: number,
): Promise<Exchange> {
	const { method, path } = listWebhooksRequest(companyId);
	try {
		const response: unknown = await helpers.request({
			method,
			uri: `${baseUrl}${path}`,
			auth: { user: apiKeyId, pass: apiSecret },
			headers: { Accept: 'application/json' },
			timeout: testTimeoutMs,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
		return toResponse(response);
	} catch (error) {
		return toNoResponse(error);
	}
}
