import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { serviceDetail, explainFailure } from '../../../nodes/DeliveryService/service/errors';
import { respondWith } from '../../support/creations';

describe('explaining a response', () => {
	test.each([
		[401, 'rejected the API key', 'API Key ID and API Secret'],
		[403, 'does not allow this request', 'child company'],
		[404, 'could not find the requested resource', 'Base URL and the Company ID'],
		[429, 'Rate limit of the Delivery Service exceeded', 'Wait a minute'],
	])('explains status %d and advises what to do', (status, explanation, advice) => {
		const { message, description } = explainFailure(respondWith(status));
		expect(message).toContain(explanation);
		expect(description).toContain(advice);
		expect(description).not.toContain('The service says');
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
		expect(explainFailure(respondWith(404), 'delivery IDs or reference IDs').description).toBe(
			'Check the delivery IDs or reference IDs, and the Base URL in the credential.',
		);
		expect(explainFailure(respondWith(403), 'delivery IDs or reference IDs')).toEqual(
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

	const redirect = (baseUrl: string | undefined, location: string): Exchange => ({
		...{ kind: 'response', status: 308, headers: { location }, body: undefined, baseUrl },
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
				'Another server responded (api.example). Ask the Delivery Service for its API URL.',
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
			expect(explainFailure({ kind: 'noResponse', code, host: 'api.example.com' })).toEqual({
				message: 'The connection to the Delivery Service at api.example.com failed',
				description: `Check the Base URL in the credential and whether this n8n instance can reach it, then try again. The error code is ${code}.`,
			});
		},
	);

	test('names no error code when there is none', () => {
		expect(explainFailure({ kind: 'noResponse', code: '' })).toEqual({
			message: 'The connection to the Delivery Service failed',
			description:
				'Check the Base URL in the credential and whether this n8n instance can reach it, then try again.',
		});
	});

	test('quotes n8n when n8n blocks the request', () => {
		expect(explainFailure({ kind: 'noResponse', code: '', blockedReason: 'Blocked. Ask' })).toEqual(
			{
				message: 'n8n does not allow requests to the Delivery Service',
				description: 'Check the Base URL in the credential. n8n says: Blocked. Ask',
			},
		);
	});

	test.each(['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
		'names the certificate as the cause of %s',
		(code) => {
			expect(explainFailure({ kind: 'noResponse', code })).toEqual({
				message: 'The certificate of the Delivery Service is not trusted',
				description: `Check the Base URL in the credential. If it is right, ask your n8n administrator. The error code is ${code}.`,
			});
		},
	);

	test.each(['ECONNABORTED', 'ETIMEDOUT'])(
		'advises to try again later after the timeout %s',
		(code) => {
			expect(explainFailure({ kind: 'noResponse', code })).toEqual({
				message: 'The Delivery Service did not respond in time',
				description: 'Try again later.',
			});
		},
	);

	test('gives no advice when the execution was stopped', () => {
		expect(explainFailure({ kind: 'noResponse', code: 'ERR_CANCELED' })).toEqual({
			message: 'The execution was stopped before the Delivery Service responded',
		});
	});
});

describe('the details of a failed request', () => {
	test.each<[Exchange, string]>([
		[respondWith(500), ''],
		[respondWith(500, { message: 'Down' }), 'The service says: Down'],
		[{ kind: 'noResponse', code: 'ETIMEDOUT' }, ''],
		[{ kind: 'noResponse', code: 'ECONNABORTED' }, ''],
		[{ kind: 'noResponse', code: 'ECONNRESET' }, 'The error code is ECONNRESET.'],
		[{ kind: 'noResponse', code: 'ERR_CANCELED' }, ''],
		[{ kind: 'noResponse', code: '' }, ''],
	])('never advises to try again in the details of %j', (exchange, detail) => {
		expect(serviceDetail(exchange)).toBe(detail);
	});
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
