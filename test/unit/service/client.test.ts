import { Readable } from 'node:stream';

import { UserError } from 'n8n-workflow';

import { exchange, type Exchange } from '../../../nodes/DeliveryService/service/client';

const withoutSecrets = (text: string) => text;
const options = { baseUrl: 'https://service.example', timeoutMs: 20, withoutSecrets };
const noResponse = { kind: 'noResponse', baseUrl: options.baseUrl };

/** The result of a request for which n8n throws an error. */
async function failWith(error: unknown): Promise<Exchange> {
	const send = async () => {
		await Promise.resolve();
		throw error;
	};
	return await exchange(send, options);
}

test('counts a response whose body never ends as lost after the timeout, and closes it', async () => {
	const body = new Readable({
		read() {
			setTimeout(() => this.push(' '), 5);
		},
	});
	const send = async () => await Promise.resolve({ statusCode: 200, headers: {}, body });
	expect(await exchange(send, options)).toEqual({ ...noResponse, code: 'ECONNABORTED' });
	if (!body.destroyed) await new Promise((resolve) => body.once('close', resolve));
	expect(body.destroyed).toBe(true);
});

describe('a request without a response', () => {
	test('has the error code of the connection', async () => {
		const error = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
		expect(await failWith(error)).toEqual({ ...noResponse, code: 'ECONNREFUSED' });
	});

	test('has the error code of the cause if it has one, where n8n keeps it', async () => {
		const cause = Object.assign(new Error('x'), { code: 'ECONNRESET' });
		const error = Object.assign(new Error('y', { cause }), {
			code: 'OTHER',
			httpCode: 'ETIMEDOUT',
		});
		expect(await failWith(error)).toEqual({ ...noResponse, code: 'ECONNRESET' });
	});

	test('has the reason why n8n blocked it, from any level of causes', async () => {
		const blocked = new UserError('Blocked', { description: 'Ask your administrator' });
		const cause = new Error('Blocked', { cause: blocked });
		for (const error of [blocked, cause, new Error('Request failed', { cause })])
			expect(await failWith(error)).toEqual({
				...noResponse,
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
	])('was certainly never connected when %s', async (_, cause) => {
		const failure = { code: 'ETIMEDOUT', cause: { code: 'ETIMEDOUT', cause } };
		expect(await failWith(failure)).toEqual({
			...noResponse,
			code: 'ETIMEDOUT',
			neverConnected: true,
		});
	});

	test.each<[string, object]>([
		['reading failed', { syscall: 'read', message: 'read ETIMEDOUT' }],
		['one of several attempts may have connected', { errors: [{ syscall: 'connect' }, {}] }],
		['several attempts left no errors', { errors: [] }],
		['the response did not arrive', { message: 'timeout of 3000ms exceeded' }],
	])('may have been connected when %s', async (_, cause) => {
		const failure = { code: 'ETIMEDOUT', cause: { code: 'ETIMEDOUT', cause } };
		expect(await failWith(failure)).toEqual({ ...noResponse, code: 'ETIMEDOUT' });
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['text', 'ECONNREFUSED'],
		['an error without a code', new Error('x')],
		['codes that are not text', { code: 5, httpCode: 5, cause: 5 }],
		['a cause whose code is not text', { cause: { code: 5 } }],
	])('has an empty error code when %s was thrown', async (_, error) => {
		expect(await failWith(error)).toEqual({ ...noResponse, code: '' });
	});
});
