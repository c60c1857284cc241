/** The connection test of the credential, and the authentication of requests. */

import { startService } from '../../playground/service/server';
import { runNode, testCredential, type CredentialData } from '../support/engine/engine';
import { jsonOf, setUp } from '../support/actionNode';

const service = setUp();

const testConnection = async (changes: CredentialData = {}) =>
	await testCredential({ ...service.credential, ...changes });

const listRequest = { method: 'GET', path: '/hooks/companies/1001' };

describe('connection test of the credential', () => {
	test("tests the connection by listing the company's webhooks", async () => {
		await service.subscribe('https://a.example', 1);

		const verdict = await testConnection();

		expect(verdict).toEqual({ status: 'OK', message: 'Connection successful' });
		expect(service.received('GET')).toMatchObject([listRequest]);
		expect(service.control.requests().at(-1)).toMatchObject({
			status: 200,
			headers: { authorization: 'Basic ***', accept: 'application/json' },
		});
	});

	test.each<[string, CredentialData, RegExp]>([
		[
			'the API key ID is wrong',
			{ apiKeyId: 'other' },
			/^The Delivery Service rejected the API key\. Check API Key ID and API Secret/,
		],
		[
			'key and secret are swapped',
			{ apiKeyId: 'local-secret', apiSecret: 'local-key' },
			/rejected the API key\. API Key ID and API Secret are swapped: enter each in its field\.$/,
		],
		[
			'the secret ends with a space',
			{ apiSecret: 'local-secret ' },
			/rejected the API key\. The API Secret starts or ends with a space: remove it\.$/,
		],
		[
			'the company does not exist',
			{ companyId: 77 },
			/this company or URL was not found\. Check Company ID and Base URL\..* any webhooks yet.* The service says/,
		],
	])('fails the connection test with the cause if %s', async (_what, changes, message) => {
		const verdict = await testConnection(changes);

		expect(service.received('GET')[0]).toMatchObject({
			path: `/hooks/companies/${changes.companyId ?? 1001}`,
		});
		expect(verdict).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});

	test.each([
		[
			'an HTML page',
			200,
			'<!doctype html><title>Our shop</title>',
			/is not a valid Delivery Service response.* Check the Base URL.* 127\.0\.0\.1:\d+ responded \(page "Our shop"\)\.$/,
		],
		[
			'a code of failure',
			200,
			{ code: 'ERROR', message: 'Your plan does not allow this' },
			/^The Delivery Service did not complete the request\. The service says: Your plan does not allow this \(ERROR\)$/,
		],
		['an internal error', 500, { message: 'Lost the database' }, /.*Lost the database/],
	])('fails the connection test after a response with %s', async (_what, status, body, message) => {
		service.control.addFault({ kind: 'status', status, body, times: null });

		const verdict = await testConnection();

		expect(service.received()).toMatchObject([listRequest]);
		expect(verdict).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});

	test.each<[string, CredentialData, RegExp]>([
		['no company', { companyId: '' }, /^The Company ID is missing.* Enter your own/],
		['no base URL', { baseUrl: '' }, /^The Delivery Service credential is incomplete\. .*Base URL/],
	])('rejects a credential without sending a request: %s', async (_what, changes, message) => {
		expect(await testConnection(changes)).toEqual({
			status: 'Error',
			message: expect.stringMatching(message),
		});
		expect(service.control.requests()).toEqual([]);
	});
});

test('authenticates with any characters in the API key ID and secret', async () => {
	const other = await startService({ apiKeyId: 'key-é', apiSecret: `p:ä s{{ 1 + 1 }}€="'` });
	try {
		const verdict = await testCredential(other.credential);
		const run = await runNode({
			node: 'deliveryService',
			parameters: { resource: 'webhook', operation: 'getAll' },
			credential: other.credential,
		});

		expect(other.control.requests()).toMatchObject([{ status: 200 }, { status: 200 }]);
		expect(verdict.status).toBe('OK');
		expect(run.error).toBeUndefined();
		expect(jsonOf(run.items)).toEqual([]);
	} finally {
		await other.close();
	}
});
