import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { isSuccess, toAnswer, toNoAnswer, type Exchange } from './client';
import { explain, notTheService } from './errors';
import type { Problem } from './result';
import { subscriptionList } from './requests';
import { credentialSchema, type Credential } from './schemas';
import { readListing } from './webhooks';

/** Longer than that nobody waits in front of the credential. */
const timeoutMs = 15_000;

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
	const parsed = credentialSchema.safeParse(data);
	if (!parsed.success)
		return failed({
			message: 'The credential is not complete',
			description:
				'Fill in Base URL (it starts with https:// or http://), API Key ID and API Secret.',
		});
	const credential = parsed.data;
	if (credential.companyId === undefined)
		return failed({
			message: 'The Company ID is missing or not a whole number of 1 or more',
			description:
				'Enter the number of your own company: the connection is tested by listing its webhooks.',
		});
	const exchange = await request(this, credential, credential.companyId);
	if (exchange.kind === 'noAnswer') return failed(explain(exchange));
	if (exchange.status === 404)
		return failed({
			message: 'The service answers, but knows no such company or address',
			description: 'Check Company ID and Base URL.',
		});
	if (!isSuccess(exchange)) return failed(explain(exchange));
	if (!readListing(exchange)) return failed(notTheService);
	return { status: 'OK', message: 'Connection successful' };
}

function failed({ message, description }: Problem): INodeCredentialTestResult {
	return { status: 'Error', message: [message, description].filter(Boolean).join('. ') };
}

async function request(
	{ helpers }: ICredentialTestFunctions,
	{ baseUrl, apiKeyId, apiSecret }: Credential,
	companyId: number,
): Promise<Exchange> {
	const { method, path } = subscriptionList(companyId);
	try {
		const response: unknown = await helpers.request({
			method,
			uri: `${baseUrl}${path}`,
			auth: { user: apiKeyId, pass: apiSecret },
			headers: { Accept: 'application/json' },
			timeout: timeoutMs,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
		return toAnswer(response);
	} catch (error) {
		return toNoAnswer(error);
	}
}
