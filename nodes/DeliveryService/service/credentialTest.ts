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

/** Nobody waits longer in front of the credential. */
const testTimeoutMs = 15_000;

/**
 * Tests a credential by listing the company's webhooks (service document, section 4.4), and tells
 * a wrong key, a wrong company or base URL, and a host that cannot be reached apart.
 *
 * It is a function, not a declared request, because n8n shows bare error codes for the latter.
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
			message: 'The Company ID is missing or not a whole number of 1 or more',
			description:
				'Enter the number of your own company: the connection is tested by listing its webhooks.',
		};
	const exchange = await listWebhooks(context, credential.value, companyId);
	if (exchange.kind === 'response') {
		if (exchange.status === 404) return notFoundProblem(exchange);
		if (isSuccess(exchange)) return readWebhookList(exchange) ? undefined : notADeliveryService;
	}
	return explainFailure(exchange);
}

/**
 * What a 404 means. The document shows none (service document, section 4.4): it may be an unknown
 * company, or one without webhooks. One that says nothing, or is a page, is not the service's own.
 */
function notFoundProblem(answer: ServiceResponse): Problem {
	const said = serviceDetail(answer);
	const advice = said
		? `Check Company ID and Base URL. If both are right, the company may just have no webhooks yet: then save the credential and use it. ${said}`
		: 'Check the Base URL: its host answers, but not as the Delivery Service.';
	return {
		message: 'The Delivery Service answers, but knows no such company or address',
		description: advice,
	};
}

/** Lists the webhooks with the helper that n8n gives to connection tests, which is another one. */
async function listWebhooks(
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
