import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import {
	serviceDetail,
	explainFailure,
	notADeliveryService,
} from '../../../nodes/DeliveryService/service/errors';

function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Exchange {
	return { kind: 'response', status, headers, body };
}

describe('an answer that is no success', () => {
	test.each([
		[401, 'rejected the API key', 'API Key ID and API Secret'],
		[403, 'does not allow this', 'child company'],
		[303, 'redirected to another URL for its response', 'Look on the service'],
		[404, 'could not find the requested resource', 'Base URL and the Company ID'],
		[429, 'too many requests', 'Wait a minute'],
	])('with status %d tells what happened and what to do', (status, happened, advice) => {
		const { message, description } = explainFailure(answer(status));
		expect(message).toContain(happened);
		expect(description).toContain(advice);
		expect(description).not.toContain('The service says');
	});

	test.each([
		[429, '600', 'Wait 10 minutes, as the service requests, then try again.'],
		[503, '1', 'Wait 1 second, as the service requests, then try again.'],
		[503, 'soon', 'Try again later.'],
	])('%d with Retry-After %s says so', (status, value, advice) => {
		expect(
			explainFailure(answer(status, { message: 'Busy' }, { 'retry-after': value })).description,
		).toBe(`${advice} The service says: Busy`);
	});

	test('names the IDs that the user entered when something is not found', () => {
		expect(explainFailure(answer(404), 'delivery IDs or reference IDs').description).toBe(
			'Check the delivery IDs or reference IDs, and the Base URL in the credential.',
		);
		expect(explainFailure(answer(403), 'delivery IDs or reference IDs')).toEqual(
			explainFailure(answer(403)),
		);
	});

	test('carries the words of the service after the advice', () => {
		expect(
			explainFailure(answer(401, { code: 'UNAUTHORIZED', message: 'Wrong key' })).description,
		).toBe(
			'Check API Key ID and API Secret in the credential. If the key was changed on the Delivery Service, enter the new one. ' +
				'The service says: Wrong key (UNAUTHORIZED)',
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
		[{ errors: 'x'.repeat(600) }, `The service says: {"errors":"${'x'.repeat(489)}`],
	])('quotes of the body %j what can be read', (body, description) => {
		expect(explainFailure(answer(400, body))).toEqual({
			message: 'The Delivery Service rejected the request (status 400)',
			description,
		});
	});

	test.each([undefined, null, '', [], {}, { code: null, message: null }, { code: '' }])(
		'says that the service gave no reason when the body is %j',
		(body) => {
			expect(explainFailure(answer(422, body))).toEqual({
				message: 'The Delivery Service rejected the request (status 422)',
				description: 'The service gave no reason. Check the values that you entered.',
			});
		},
	);

	test('tells the new address of a service that has moved', () => {
		expect(
			explainFailure(answer(308, undefined, { location: 'https://new.example/v1/deliveries' })),
		).toEqual({
			message: 'The Delivery Service redirects to a different URL',
			description:
				'Enter the new URL as Base URL in the credential: https://new.example',
		});
		for (const location of ['', '/v1/elsewhere'])
			expect(explainFailure(answer(302, undefined, { location })).description).toBe(
				'Enter the new URL as Base URL in the credential',
			);
	});

	test.each([500, 503, 599, 100])('with status %d is a failure of the service', (status) => {
		expect(explainFailure(answer(status))).toEqual({
			message: `The Delivery Service returned a server error (status ${status})`,
			description: 'Try again later.',
		});
		expect(explainFailure(answer(status, { message: 'Down' })).description).toBe(
			'Try again later. The service says: Down',
		);
	});

	test.each([300, 399])('counts %d as moved', (status) => {
		expect(explainFailure(answer(status)).message).toContain('moved');
	});

	test.each([400, 499])('counts %d as refused', (status) => {
		expect(explainFailure(answer(status)).message).toContain('refused');
	});
});

describe('no answer', () => {
	test.each([
		['ENOTFOUND', 'The host in the Base URL of the Delivery Service was not found'],
		['EAI_AGAIN', 'The host in the Base URL of the Delivery Service was not found'],
		['ECONNREFUSED', 'Could not connect to the Base URL of the Delivery Service'],
		['ECONNRESET', 'The connection to the Delivery Service failed'],
		['', 'The Delivery Service could not be reached'],
	])('with the code %j sends the user to the credential', (code, message) => {
		const problem = explainFailure({ kind: 'noResponse', code });
		expect(problem.message).toBe(message);
		expect(problem.description).toContain('Check the Base URL in the credential');
	});

	test.each(['ECONNRESET', 'EPROTO', 'CERT_HAS_EXPIRED'])(
		'tells its code (%s), but not in the message',
		(code) => {
			const problem = explainFailure({ kind: 'noResponse', code });
			expect(problem.message).not.toContain(code);
			expect(problem.description).toContain(`The error code is ${code}.`);
		},
	);

	test('gives the words of n8n when it does not let the request out', () => {
		expect(explainFailure({ kind: 'noResponse', code: '', blockedReason: 'Blocked. Ask' })).toEqual({
			message: 'n8n does not allow requests to the Delivery Service',
			description: 'Check the Base URL in the credential. n8n says: Blocked. Ask',
		});
	});

	test('because there was no secure connection names the two beginnings of an address', () => {
		const { message, description } = explainFailure({ kind: 'noResponse', code: 'EPROTO' });
		expect(message).toBe('Could not establish a secure (TLS) connection to the Delivery Service');
		expect(description).toContain('https://');
		expect(description).toContain('http://');
	});

	test('because of the certificate says so', () => {
		const { message, description } = explainFailure({ kind: 'noResponse', code: 'CERT_HAS_EXPIRED' });
		expect(message).toBe('The certificate of the Delivery Service is not trusted');
		expect(description).toContain('Base URL');
	});

	test('because nothing could be connected to in time does not ask for more time', () => {
		expect(explainFailure({ kind: 'noResponse', code: 'ETIMEDOUT', neverConnected: true })).toEqual(
			explainFailure({ kind: 'noResponse', code: 'ECONNREFUSED' }),
		);
	});

	// Most operations have no option Timeout.
	test.each(['ECONNABORTED', 'ETIMEDOUT'])('in time (%s) asks for another try', (code) => {
		expect(explainFailure({ kind: 'noResponse', code })).toEqual({
			message: 'The Delivery Service did not respond in time',
			description: 'Try again later.',
		});
	});

	test('because the execution was stopped asks nothing of the user', () => {
		expect(explainFailure({ kind: 'noResponse', code: 'ERR_CANCELED' })).toEqual({
			message: 'The execution was stopped before the Delivery Service responded',
		});
	});
});

describe('what else is known', () => {
	test.each<[Exchange, string]>([
		[answer(500), ''],
		[answer(500, { message: 'Down' }), 'The service says: Down'],
		[
			{ kind: 'noResponse', code: 'ETIMEDOUT' },
			'To wait longer for a response, increase the option Timeout.',
		],
		[
			{ kind: 'noResponse', code: 'ECONNABORTED' },
			'To wait longer for a response, increase the option Timeout.',
		],
		[{ kind: 'noResponse', code: 'ECONNRESET' }, 'The error code is ECONNRESET.'],
		[{ kind: 'noResponse', code: 'ERR_CANCELED' }, ''],
		[{ kind: 'noResponse', code: '' }, ''],
	])('of %j never says to try again', (exchange, detail) => {
		expect(serviceDetail(exchange)).toBe(detail);
	});
});

test('a success that cannot be read sends the user to the Base URL', () => {
	expect(notADeliveryService.description).toContain('Base URL');
});
