import { Readable } from 'node:stream';

import { UserError } from 'n8n-workflow';

import { exchange, toNoResponse } from '../../../nodes/DeliveryService/service/client';

test('counts a response whose body never ends as lost after the timeout, and closes it', async () => {
	const body = new Readable({
		read() {
			setTimeout(() => this.push(' '), 5);
		},
	});
	const send = async () => await Promise.resolve({ statusCode: 200, headers: {}, body });
	const withoutSecrets = (text: string) => text;
	const options = { baseUrl: 'https://service.example', timeoutMs: 20, withoutSecrets };
	expect(await exchange(send, options)).toMatchObject({ kind: 'noResponse', code: 'ECONNABORTED' });
	if (!body.destroyed) await new Promise((resolve) => body.once('close', resolve));
	expect(body.destroyed).toBe(true);
});

describe('toNoResponse', () => {
	test('returns the error code of the connection', () => {
		expect(toNoResponse(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))).toEqual({
			kind: 'noResponse',
			code: 'ECONNREFUSED',
		});
	});

	test('prefers the error code of the cause, where n8n keeps it', () => {
		const cause = Object.assign(new Error('x'), { code: 'ECONNRESET' });
		expect(
			toNoResponse(
				Object.assign(new Error('y', { cause }), { code: 'OTHER', httpCode: 'ETIMEDOUT' }),
			),
		).toEqual({ kind: 'noResponse', code: 'ECONNRESET' });
	});

	test('returns the reason why n8n blocked a request from any level of causes', () => {
		const blocked = new UserError('Blocked', { description: 'Ask your administrator' });
		const cause = new Error('Blocked', { cause: blocked });
		for (const error of [blocked, cause, new Error('Request failed', { cause })])
			expect(toNoResponse(error)).toEqual({
				kind: 'noResponse',
				code: '',
				blockedReason: 'Blocked. Ask your administrator',
			});
	});

	test.each<[string, object]>([
		['connecting timed out', { syscall: 'connect' }],
		['no IP address of the host was reachable', { errors: [{ syscall: 'connect' }] }],
		[
			'the TLS handshake was interrupted',
			{
				message: 'Client network socket disconnected before secure TLS connection was established',
			},
		],
	])('reports that the connection was never established when %s', (_, cause) => {
		const failure = { code: 'ETIMEDOUT', cause: { code: 'ETIMEDOUT', cause } };
		expect(toNoResponse(failure)).toEqual({
			kind: 'noResponse',
			code: 'ETIMEDOUT',
			neverConnected: true,
		});
	});

	test.each<[string, object]>([
		['reading failed', { syscall: 'read', message: 'read ETIMEDOUT' }],
		['one of several attempts may have connected', { errors: [{ syscall: 'connect' }, {}] }],
		['several attempts left no errors', { errors: [] }],
		['the response did not arrive', { message: 'timeout of 3000ms exceeded' }],
	])('does not claim that the connection was never established when %s', (_, cause) => {
		const failure = { code: 'ETIMEDOUT', cause: { code: 'ETIMEDOUT', cause } };
		expect(toNoResponse(failure)).toEqual({ kind: 'noResponse', code: 'ETIMEDOUT' });
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['text', 'ECONNREFUSED'],
		['an error without a code', new Error('x')],
		['codes that are not text', { code: 5, httpCode: 5, cause: 5 }],
		['a cause whose code is not text', { cause: { code: 5 } }],
	])('returns an empty error code when %s was thrown', (_, error) => {
		expect(toNoResponse(error)).toEqual({ kind: 'noResponse', code: '' });
	});
});
