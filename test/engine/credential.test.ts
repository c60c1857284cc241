/** The credential's connection test, and the authentication that it gives to requests. */
import { startService } from '../../playground/service/server';
import { runNode, testCredential, type CredentialData } from '../support/engine/engine';
import { jsonOf, setUp } from '../support/actionNode';

const service = setUp();

const verdictOn = async (changes: CredentialData = {}) =>
	await testCredential({ ...service.credential, ...changes });

const listing = { method: 'GET', path: '/hooks/companies/1001' };

describe('the connection test', () => {
	test("lists the company's webhooks", async () => {
		await service.subscribe('https://a.example', 1);

		const verdict = await verdictOn();

		expect(verdict).toEqual({ status: 'OK', message: 'Connection successful' });
		expect(service.received('GET')).toMatchObject([listing]);
		expect(service.control.requests().at(-1)).toMatchObject({
			status: 200,
			headers: { authorization: 'Basic ***', accept: 'application/json' },
		});
	});

	test.each([
		['a slash', '/'],
		['slashes', '///'],
		['spaces', '  '],
		['a slash and a space', '/ '],
	])('tolerates %s after the base URL', async (_what, end) => {
		const verdict = await verdictOn({ baseUrl: ` ${service.credential.baseUrl}${end}` });

		expect(verdict.status).toBe('OK');
		expect(service.received()).toMatchObject([listing]);
	});

	test('takes the company as text', async () => {
		expect(await verdictOn({ companyId: '1002' })).toMatchObject({ status: 'OK' });
		expect(service.received()).toMatchObject([{ path: '/hooks/companies/1002' }]);
	});

	test.each<[string, CredentialData, RegExp]>([
		[
			'the key is wrong',
			{ apiKeyId: 'other' },
			/^The Delivery Service rejected the API key\. Check API Key ID and API Secret/,
		],
		[
			'the secret is wrong',
			{ apiSecret: 'other' },
			/^The Delivery Service rejected the API key\. Check API Key ID and API Secret/,
		],
		[
			'the company is wrong',
			{ companyId: 77 },
			/this company or URL was not found\. Check Company ID and Base URL\..* any webhooks yet.* The service says/,
		],
	])('says so when %s', async (_what, changes, message) => {
		const verdict = await verdictOn(changes);

		expect(service.received()).toMatchObject([
			{ method: 'GET', path: `/hooks/companies/${changes.companyId ?? 1001}` },
		]);
		expect(verdict).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});

	test('says so when nothing is at the base URL', async () => {
		const verdict = await verdictOn({ baseUrl: `${service.credential.baseUrl}/api` });

		expect(service.control.requests()).toMatchObject([
			{ path: '/api/hooks/companies/1001', status: 404 },
		]);
		expect(verdict).toEqual({
			status: 'Error',
			message: expect.stringMatching(/this company or URL was not found\. .*Base URL/),
		});
	});

	test.each([
		[
			'a page',
			200,
			'<!doctype html>',
			/is not a valid Delivery Service response.* Check the Base URL/,
		],
		['other JSON', 200, { hello: 'world' }, /is not a valid Delivery Service response/],
		[
			'a page with 404',
			404,
			'<!doctype html>',
			/Check the Base URL: its host responded, but not as/,
		],
		['an address elsewhere', 301, '', /redirects to a different URL\. .*https:\/\/new\.example$/],
		[
			'that it does not allow this',
			403,
			{ code: 'NO', message: 'Not you' },
			/does not allow this.*Not you \(NO\)/,
		],
		[
			'a failure',
			500,
			{ message: 'Lost the database' },
			/server error \(status 500\)\. .*Lost the database/,
		],
	])('says so when the base URL answers %s', async (_what, status, body, message) => {
		const headers: Record<string, string> =
			status === 301 ? { Location: 'https://new.example/hooks' } : {};
		service.control.addFault({ kind: 'status', status, body, headers, times: null });

		const verdict = await verdictOn();

		expect(service.received()).toMatchObject([listing]);
		expect(verdict).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});

	test('says so when the service does not speak HTTPS', async () => {
		const verdict = await verdictOn({
			baseUrl: service.credential.baseUrl.replace('http:', 'https:'),
		});

		expect(verdict).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^Could not establish a secure .* start with http:\/\//),
		});
	});

	test('says so when the connection breaks', async () => {
		service.control.addFault({ kind: 'resetBefore', times: null });

		const verdict = await verdictOn();

		expect(service.received()).toMatchObject([listing]);
		expect(verdict).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^The connection to the Delivery Service failed\. .*Base URL/),
		});
	});

	test('says so when nothing listens', async () => {
		expect(await verdictOn({ baseUrl: 'http://127.0.0.1:9' })).toEqual({
			status: 'Error',
			message: expect.stringMatching(
				/^Could not connect to the Base URL of the Delivery Service\. /,
			),
		});
	});

	test('says so when the host is not found', async () => {
		const host = 'no-such-host.invalid';
		// A developer's proxy would look the name up itself.
		process.env.no_proxy = `${process.env.no_proxy},${host}`;

		expect(await verdictOn({ baseUrl: `http://${host}` })).toEqual({
			status: 'Error',
			message: expect.stringMatching(
				/^The host in the Base URL of the Delivery Service was not found\. /,
			),
		});
	});

	test.each<[string, CredentialData, RegExp]>([
		['no company', { companyId: '' }, /^The Company ID is missing.* Enter your own/],
		[
			'a company by its name',
			{ companyId: 'Larch' },
			/^The Company ID is missing or not a positive whole/,
		],
		['company 0', { companyId: 0 }, /^The Company ID is missing or not a positive whole number/],
		[
			'half a company',
			{ companyId: 1.5 },
			/^The Company ID is missing or not a positive whole number/,
		],
		['no base URL', { baseUrl: '' }, /^The Delivery Service credential is incomplete\. .*Base URL/],
		[
			'a base URL that is no web address',
			{ baseUrl: 'api.shop.example' },
			/^The Base URL .* must start with https:\/\/ or http:\/\/\. /,
		],
		['another protocol', { baseUrl: 'ftp://api.shop.example' }, /must start with https:\/\//],
		[
			'a query',
			{ baseUrl: 'https://a.example/?key=1' },
			/^The Base URL .* must not contain a query/,
		],
		[
			'the address of an endpoint',
			{ baseUrl: 'https://a.example/v1/deliveries' },
			/^The Base URL .* must not end with \/v1\/deliveries/,
		],
		['no key', { apiKeyId: ' ' }, /^The Delivery Service credential is incomplete\. .*API Key ID/],
		[
			'no secret',
			{ apiSecret: '' },
			/^The Delivery Service credential is incomplete\. .*API Secret/,
		],
	])('asks for what is missing: %s', async (_what, changes, message) => {
		expect(await verdictOn(changes)).toEqual({
			status: 'Error',
			message: expect.stringMatching(message),
		});
		expect(service.control.requests()).toEqual([]);
	});
});

test('authenticates as the connection test does when there are spaces around the key ID', async () => {
	const credential = { ...service.credential, apiKeyId: ` ${service.credential.apiKeyId}\n` };
	expect(await testCredential(credential)).toMatchObject({ status: 'OK' });
	const { error } = await runNode({
		node: 'deliveryService',
		parameters: { resource: 'webhook', operation: 'getAll' },
		credential,
	});
	expect(error).toBeUndefined();
});

test('authenticates with any characters that a key and a secret may have', async () => {
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
