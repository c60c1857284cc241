import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import {
	explainFailure,
	isAboutAllRequests,
	isSuccessCode,
	serviceDetail,
} from '../../../nodes/DeliveryService/service/errors';
import { noResponse, respondWith } from '../../support/creations';

describe('explaining a response', () => {
	test.each([
		[
			401,
			'The Delivery Service rejected the API key',
			'Check API Key ID and API Secret in the credential. If the key was changed in the Delivery Service, enter the new one.',
		],
		[
			403,
			'The Delivery Service does not allow this request with this API key',
			'Check the Company ID: for a child company, your company must be authorized in the Delivery Service.',
		],
		[
			404,
			'The Delivery Service could not find the requested resource (status 404)',
			'Check the Base URL and the Company ID, in the credential and in the node.',
		],
		[
			407,
			'The proxy between n8n and the Delivery Service requires authentication (status 407)',
			"The request did not reach the Delivery Service. Ask your n8n administrator to add the proxy's user name and password to HTTPS_PROXY or HTTP_PROXY.",
		],
		[
			429,
			'Rate limit of the Delivery Service exceeded (status 429)',
			'Wait a minute, then try again.',
		],
	])('explains status %d and advises what to do', (status, message, description) => {
		expect(explainFailure(respondWith(status))).toEqual({ message, description });
	});

	test('expects every other request to fail as well after a wrong key, a proxy or a redirect', () => {
		const statuses = [200, 299, 300, 307, 399, 400, 401, 403, 404, 407, 422, 429, 500, 503];
		const all = statuses.filter((status) => isAboutAllRequests(respondWith(status)));
		expect(all).toEqual([300, 307, 399, 401, 407]);
	});

	test.each([
		[429, '600', 'Wait 10 minutes, as the service requests, then try again.'],
		[503, '1', 'Wait 1 second, as the service requests, then try again.'],
		[429, '7201', 'Wait 121 minutes, as the service requests, then try again.'],
		[
			503,
			'Wed, 21 Oct 2026 07:28:00 GMT',
			'Wait until 2026-10-21T07:28:00.000Z, as the service requests, then try again.',
		],
		[429, '0', 'Wait a minute, then try again.'],
		[503, '1.5', 'Try again later.'],
		[503, 'soon', 'Try again later.'],
	])('explains status %d with Retry-After %s', (status, value, advice) => {
		expect(
			explainFailure(respondWith(status, { message: 'Busy' }, { 'retry-after': value }))
				.description,
		).toBe(`${advice} The service says: Busy`);
	});

	test('advises to check the IDs that the user entered on a 404', () => {
		expect(explainFailure(respondWith(404), 'delivery ID').description).toBe(
			'Check the delivery ID, and the Base URL in the credential.',
		);
		expect(explainFailure(respondWith(401), 'delivery ID')).toEqual(
			explainFailure(respondWith(401)),
		);
	});

	test('advises to check the company only if the request has one', () => {
		expect(explainFailure(respondWith(403), 'reference ID').description).toBe(
			'The delivery may belong to another company: use the API key of that company.',
		);
		expect(explainFailure(respondWith(403), 'Company ID and warehouse IDs')).toEqual(
			explainFailure(respondWith(403)),
		);
	});

	test.each([
		[{ message: 'No' }, 'The service says: No'],
		[{ code: 'E1' }, 'The service says: (E1)'],
		[{ code: 17, message: 'No' }, 'The service says: No (17)'],
		[{ code: null, message: 'No' }, 'The service says: No'],
		[{ message: 'x'.repeat(501) }, `The service says: ${'x'.repeat(500)}`],
		[
			{ message: 'No', errors: [{ field: 'cod' }], payload: null },
			'The service says: No {"errors":[{"field":"cod"}]}',
		],
		[{ message: { cod: 'too much' } }, 'The service says: {"message":{"cod":"too much"}}'],
		[{ error: 'too much' }, 'The service says: {"error":"too much"}'],
		[['too much'], 'The service says: ["too much"]'],
		['too much', 'The service says: too much'],
		[
			{ message: 'dropoff.contact.phonenumber and deliveries[0].packages[0].qty are invalid' },
			'Check Recipient phone, Package quantity. The service says: dropoff.contact.phonenumber and deliveries[0].packages[0].qty are invalid',
		],
		[{ message: 'See api.example.com' }, 'The service says: See api.example.com'],
		[{ errors: 'x'.repeat(600) }, `The service says: {"errors":"${'x'.repeat(489)}`],
	])('quotes the readable fields of the body %j', (body, description) => {
		expect(explainFailure(respondWith(400, body))).toEqual({
			message: 'The Delivery Service rejected the request (status 400)',
			description,
		});
	});

	test.each([undefined, null, '', [], {}, { code: null, message: null }, { code: '' }])(
		'says that the service gave no reason for the body %j',
		(body) => {
			expect(explainFailure(respondWith(422, body))).toEqual({
				message: 'The Delivery Service rejected the request (status 422)',
				description: 'The service gave no reason. Check the values that you entered.',
			});
		},
	);

	const redirect = (baseUrl: string, location: string): Exchange => ({
		...respondWith(308, undefined, { location }),
		baseUrl,
	});

	test('names the target of a redirect only from HTTP to HTTPS of the same host', () => {
		const secured = redirect('http://api.example/base', 'https://api.example/base/v1/deliveries');
		const advice =
			'In the credential, change the Base URL so that it starts with https://api.example.';
		expect(explainFailure(secured)).toEqual({
			message: 'The Delivery Service redirects to a different URL',
			description: advice,
		});
		expect(serviceDetail(secured)).toBe(advice);
	});

	test.each([
		['https://api.example', 'http://evil.example/login'],
		['http://api.example', 'https://evil.example/login'],
		['https://api.example', 'http://api.example/login'],
		['http://api.example', 'http://api.example/login'],
		['https://api.example', '/login'],
		['https://api.example', 'https://api.example@evil.example'],
		['https://api.example', ''],
	])('advises no other host and no HTTP for a redirect from %s to %j', (baseUrl, location) => {
		for (const detail of [
			explainFailure(redirect(baseUrl, location)).description,
			serviceDetail(redirect(baseUrl, location)),
		])
			expect(detail).toBe(
				'Ask the Delivery Service for its API URL, and enter it as the Base URL in place of api.example.',
			);
	});

	test.each([500, 503, 599, 100])('explains status %d as a server error', (status) => {
		expect(explainFailure(respondWith(status))).toEqual({
			message: `The Delivery Service returned a server error (status ${status})`,
			description: 'Try again later.',
		});
		expect(explainFailure(respondWith(status, { message: 'Down' })).description).toBe(
			'Try again later. The service says: Down',
		);
	});
});

describe('explaining a missing response', () => {
	test.each(['ENOTFOUND', 'ECONNREFUSED', 'ECONNRESET', 'EPROTO'])(
		'names the host, and the error code %s in the description only',
		(code) => {
			expect(explainFailure(noResponse(code))).toEqual({
				message: 'The connection to the Delivery Service at api.example.com failed',
				description: `Check the Base URL in the credential and whether this n8n instance can reach it, then try again. The error code is ${code}.`,
			});
		},
	);

	test('names no error code when there is none', () => {
		expect(explainFailure(noResponse(''))).toEqual({
			message: 'The connection to the Delivery Service at api.example.com failed',
			description:
				'Check the Base URL in the credential and whether this n8n instance can reach it, then try again.',
		});
	});

	test('quotes n8n when n8n blocks the request', () => {
		expect(explainFailure(noResponse('', { blockedReason: 'Blocked. Ask' }))).toEqual({
			message: 'n8n does not allow requests to the Delivery Service at api.example.com',
			description: 'Check the Base URL in the credential. n8n says: Blocked. Ask',
		});
	});

	test.each(['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
		'names the certificate as the cause of %s',
		(code) => {
			expect(explainFailure(noResponse(code))).toEqual({
				message: 'The certificate of the Delivery Service at api.example.com is not trusted',
				description: `Check the Base URL in the credential. If it is right, ask your n8n administrator. The error code is ${code}.`,
			});
		},
	);

	test.each(['ECONNABORTED', 'ETIMEDOUT'])(
		'advises to try again later after the timeout %s',
		(code) => {
			expect(explainFailure(noResponse(code))).toEqual({
				message: 'The Delivery Service did not respond in time',
				description: 'Try again later.',
			});
		},
	);

	test('gives no advice when the execution was stopped', () => {
		expect(explainFailure(noResponse('ERR_CANCELED'))).toEqual({
			message: 'The execution was stopped before the Delivery Service responded',
		});
	});
});

describe('the details of a failed request', () => {
	test.each<[Exchange, string]>([
		[respondWith(500), ''],
		[respondWith(500, { message: 'Down' }), 'The service says: Down'],
		[noResponse('ETIMEDOUT'), ''],
		[noResponse('ECONNABORTED'), ''],
		[noResponse('ECONNRESET'), 'The error code is ECONNRESET.'],
		[noResponse('ERR_CANCELED'), ''],
		[noResponse(''), ''],
	])('never advises to try again in the details of %j', (exchange, detail) => {
		expect(serviceDetail(exchange)).toBe(detail);
	});
});

test.each([
	[['OK', ' ok ', 'Success', 'SUCCEEDED', 'Created', 'done', '0', '200', '204'], true],
	[['NOT_OK', 'ok then', 'E0', '00', '20', '2000', '2x0', '20x', '400', 'FAILED'], false],
])('takes the codes %j of a response for a success: %s', (codes, isSuccess) => {
	expect(codes.map((code) => [code, isSuccessCode(code)])).toEqual(
		codes.map((code) => [code, isSuccess]),
	);
});

describe('a signature that the service quotes', () => {
	const signature = '5e'.repeat(32);
	const url = `https://n8n.example/webhook/1?event=updateTask&signature=${signature}`;
	test.each([
		url,
		url.replaceAll('&', '&amp;'),
		encodeURIComponent(url),
		encodeURIComponent(encodeURIComponent(url)),
		url.slice(0, -20),
		`${signature.toUpperCase()} is invalid`,
		`${'x'.repeat(460)} ${signature}`,
	])('removes a quoted signature from %s', (text) => {
		for (const body of [text, { message: text }, { code: 'X', errors: [{ url: text }] }]) {
			const shown = JSON.stringify(explainFailure(respondWith(422, body)));
			expect(shown).not.toMatch(/5e5e/i);
			expect(shown).toContain('The service says');
		}
	});
});
