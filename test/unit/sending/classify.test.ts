import {
	classifyCreation,
	classifyExchange,
	type ExchangeClass,
} from '../../../nodes/DeliveryService/sending/classify';
import type { NoResponse } from '../../../nodes/DeliveryService/service/client';
import { noResponse, respondWith } from '../../support/creations';

test.each<[ExchangeClass, number[]]>([
	['done', [200, 201, 204, 299]],
	['notProcessed', [429]],
	['rejected', [400, 401, 403, 404, 409, 413, 415, 422, 428, 430, 499]],
	// A redirect, a gateway's 408, a server error, and what is no final status.
	['unknown', [300, 301, 302, 303, 307, 308, 399, 408, 500, 502, 503, 504, 599, 600, 0, 100, 199]],
])('classifies responses as %s: %j', (expected, statuses) => {
	for (const status of statuses)
		expect([status, classifyExchange(respondWith(status))]).toEqual([status, expected]);
});

test.each<[ExchangeClass, string[]]>([
	['notProcessed', ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EPROTO']],
	['notProcessed', ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH']],
	['notProcessed', ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT']],
	['notProcessed', ['SELF_SIGNED_CERT_IN_CHAIN']],
	['unknown', ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'ERR_CANCELED', 'XCERT_', '']],
	// A route that is lost while waiting for the response has the same codes as one that never existed.
	['unknown', ['EHOSTUNREACH', 'ENETUNREACH']],
	// The codes of a secure connection that broke: observed after the service had responded.
	['unknown', ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC']],
])('classifies error codes as %s: %j', (expected, codes) => {
	for (const code of codes)
		expect([code, classifyExchange(noResponse(code))]).toEqual([code, expected]);
});

test.each<[ExchangeClass, Partial<NoResponse>]>([
	['notProcessed', { code: 'ETIMEDOUT', neverConnected: true }],
	['notProcessed', { code: '', neverConnected: true }],
	['notProcessed', { blockedReason: 'Blocked' }],
])('classifies a missing response as %s if it is certain: %j', (expected, details) => {
	expect(classifyExchange(noResponse('', details))).toBe(expected);
});

test.each<[ExchangeClass, unknown]>([
	['notProcessed', { code: 'BUSY', message: 'Try again later' }],
	['unknown', '\n<!DOCTYPE html><title>503 Backend fetch failed</title>'],
	['unknown', undefined],
	['unknown', 'upstream connect error'],
	['unknown', { message: 'Service Unavailable' }],
	['unknown', { code: 14, message: 'upstream request timeout' }],
])('classifies a creation with 503 and Retry-After as %s for the body %j', (expected, body) => {
	const exchange = respondWith(503, body, { 'retry-after': '5' });
	expect(classifyCreation(exchange)).toBe(expected);
	// Making an update twice does no harm.
	expect(classifyExchange(exchange)).toBe('notProcessed');
	expect(classifyExchange(respondWith(500, body, { 'retry-after': '5' }))).toBe('unknown');
});
