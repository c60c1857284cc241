import { UserError } from 'n8n-workflow';

import { toResponse, toNoResponse } from '../../../nodes/DeliveryService/service/client';

describe('an answer', () => {
	test('has its status, its headers in lower case and its parsed body', () => {
		expect(
			toResponse({
				statusCode: 200,
				headers: { 'Content-Type': 'application/json', 'Retry-After': 5, Via: ['a', 'b'] },
				body: '{"code":"OK"}',
				statusMessage: 'OK',
			}),
		).toEqual({
			kind: 'response',
			status: 200,
			headers: { 'content-type': 'application/json', 'retry-after': '5', via: 'a,b' },
			body: { code: 'OK' },
		});
	});

	test('keeps a body that was parsed before', () => {
		expect(toResponse({ statusCode: 200, headers: {}, body: [1] }).body).toEqual([1]);
	});

	test.each(['', ' \n'])('has no body when it is %j', (body) => {
		expect(toResponse({ statusCode: 200, headers: {}, body })).toMatchObject({
			status: 200,
			body: undefined,
		});
	});

	test.each(['Too late', '<html>', '{"code":'])('has the text %j, which is not JSON', (body) => {
		expect(toResponse({ statusCode: 200, headers: {}, body }).body).toBe(body);
	});

	test.each(['null', '0', '"text"', 'false'])('has the body that %s stands for', (body) => {
		expect(toResponse({ statusCode: 200, headers: {}, body }).body).toBe(JSON.parse(body));
	});

	test('has no headers when there are none to read', () => {
		expect(toResponse({ statusCode: 204, headers: undefined }).headers).toEqual({});
	});

	test.each([undefined, null, {}, { statusCode: '200' }])('is not made of %j', (response) => {
		expect(() => toResponse(response)).toThrow();
	});
});

describe('no answer', () => {
	test('has the error code of the connection', () => {
		expect(toNoResponse(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))).toEqual({
			kind: 'noResponse',
			code: 'ECONNREFUSED',
		});
	});

	test('has the code of the cause, where errors of n8n keep it, before any other', () => {
		const cause = Object.assign(new Error('x'), { code: 'ECONNRESET' });
		expect(
			toNoResponse(
				Object.assign(new Error('y', { cause }), { code: 'OTHER', httpCode: 'ETIMEDOUT' }),
			),
		).toEqual({ kind: 'noResponse', code: 'ECONNRESET' });
	});

	test('has the code that n8n calls httpCode when there is no other', () => {
		expect(toNoResponse({ httpCode: 'ENOTFOUND', cause: {} }).code).toBe('ENOTFOUND');
		expect(toNoResponse({ httpCode: null }).code).toBe('');
	});

	test('has the words in which n8n forbids the request, wherever they are among the causes', () => {
		const forbidden = new UserError('Blocked', { description: 'Ask your administrator' });
		const cause = new Error('Blocked', { cause: forbidden });
		for (const error of [forbidden, cause, new Error('Request failed', { cause })])
			expect(toNoResponse(error)).toEqual({
				kind: 'noResponse',
				code: '',
				prevented: 'Blocked. Ask your administrator',
			});
	});

	test.each<[string, object]>([
		['connecting took too long', { syscall: 'connect' }],
		['no address of the host could be connected to', { errors: [{ syscall: 'connect' }] }],
		[
			'it ended while it was made secure',
			{
				message: 'Client network socket disconnected before secure TLS connection was established',
			},
		],
	])('tells that there was no connection when %s', (_, cause) => {
		const failure = { code: 'ETIMEDOUT', cause: { code: 'ETIMEDOUT', cause } };
		expect(toNoResponse(failure)).toEqual({
			kind: 'noResponse',
			code: 'ETIMEDOUT',
			neverConnected: true,
		});
	});

	test.each<[string, object]>([
		['reading failed', { syscall: 'read', message: 'read ETIMEDOUT' }],
		['one of several tries may have connected', { errors: [{ syscall: 'connect' }, {}] }],
		['several tries left no trace', { errors: [] }],
		['the answer did not come', { message: 'timeout of 3000ms exceeded' }],
	])('does not tell that there was no connection when %s', (_, cause) => {
		const failure = { code: 'ETIMEDOUT', cause: { code: 'ETIMEDOUT', cause } };
		expect(toNoResponse(failure)).toEqual({ kind: 'noResponse', code: 'ETIMEDOUT' });
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['text', 'ECONNREFUSED'],
		['an error without a code', new Error('x')],
		['codes that are no text', { code: 5, httpCode: 5, cause: 5 }],
		['a cause whose code is no text', { cause: { code: 5 } }],
	])('has an empty code when %s was thrown', (_, error) => {
		expect(toNoResponse(error)).toEqual({ kind: 'noResponse', code: '' });
	});

	test('looks past a part of an error that it cannot read', () => {
		expect(toNoResponse({ code: 'ECONNRESET', httpCode: 5, cause: 'x' }).code).toBe('ECONNRESET');
	});
});
