/** The credential's connection test. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { problemText, type Problem } from '../common/result';
import { joinSentences } from '../common/text';
import { exchange, isSuccess, webhookRequest, type Exchange } from './client';
import { readCredential, travelsUnencrypted, type Credential } from './credential';
import { serviceDetail, explainFailure, otherServer } from './errors';
import { secretRemover } from './secrets';
import { notAList, notFoundProblem, readWebhookList, reportedFailure } from './webhooks';

/** Users don't wait longer for a connection test. */
const testTimeoutMs = 15_000;

/**
 * Tests a credential by listing the company's webhooks (docs/api.md, section 4.4). The message
 * distinguishes a wrong key, a wrong company or Base URL, and an unreachable host.
 *
 * A function instead of a declared request, for which n8n shows only bare error codes.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const credential = readCredential(data);
	if (!credential.ok) return failed(credential.problem);
	const problem = await findProblem(this, credential.value);
	if (problem) return failed(problem);
	return {
		status: 'OK',
		message: travelsUnencrypted(credential.value)
			? 'Connection successful, but API Key ID and API Secret travel unencrypted. Change the Base URL to https:// if the Delivery Service has such a URL.'
			: 'Connection successful',
	};
}

function failed(problem: Problem): INodeCredentialTestResult {
	return { status: 'Error', message: problemText(problem) };
}

async function findProblem(
	context: ICredentialTestFunctions,
	credential: Credential,
): Promise<Problem | undefined> {
	const { companyId, apiKeyId, apiSecret } = credential;
	if (companyId === undefined)
		return {
			message: 'The Company ID is missing or not a positive whole number',
			description: "Enter your own company's ID: the connection test lists its webhooks.",
		};
	const first = await requestWebhookList(context, credential, companyId);
	if (first.kind === 'noResponse') return explainFailure(first);
	const withServer = ({ message, description }: Problem): Problem => ({
		message,
		description: joinSentences([description, otherServer(first)]),
	});
	if (isSuccess(first))
		return readWebhookList(first)
			? undefined
			: (reportedFailure(first) ?? withServer(notAList(first)));
	if (first.status === 404) {
		const problem = notFoundProblem(
			first,
			'If both are right, the company does not have any webhooks yet: save the credential and continue.',
		);
		return serviceDetail(first) ? problem : withServer(problem);
	}
	const failure = explainFailure(first);
	if (first.status !== 401) return failure;
	if (/^\s|\s$/.test(apiSecret))
		return { ...failure, description: 'The API Secret starts or ends with a space: remove it.' };
	const swapped = { ...credential, apiKeyId: apiSecret, apiSecret: apiKeyId };
	const second = await requestWebhookList(context, swapped, companyId);
	return isSuccess(second)
		? {
				...failure,
				description: 'API Key ID and API Secret are swapped: enter each in its field.',
			}
		: failure;
}

/** Lists the webhooks with the HTTP helper of connection tests, which differs from that of nodes. */
async function requestWebhookList(
	{ helpers }: ICredentialTestFunctions,
	credential: Credential,
	companyId: number,
): Promise<Exchange> {
	const { baseUrl, apiKeyId, apiSecret } = credential;
	const { method, path } = webhookRequest('GET', companyId);
	return await exchange(
		() =>
			helpers.request({
				method,
				uri: `${baseUrl}${path}`,
				auth: { user: apiKeyId, pass: apiSecret },
				headers: { Accept: 'application/json' },
				timeout: testTimeoutMs,
				followRedirect: false,
				useStream: true,
				resolveWithFullResponse: true,
				simple: false,
			}),
		{ baseUrl, timeoutMs: testTimeoutMs, withoutSecrets: secretRemover(credential) },
	);
}
