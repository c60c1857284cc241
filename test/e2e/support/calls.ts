import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { gzipSync, deflateSync } from 'node:zlib';

/** A call of a webhook. */
export interface Call {
	/** Unique in its list. */
	name: string;
	method?: string;
	/** Added to the path of the webhook, or replaces its query. */
	path?: (url: URL) => void;
	headers?: Record<string, string>;
	body?: string | Buffer;
}

/** What the caller sees. */
export interface CallResponse {
	status: number | undefined;
	contentType: string | undefined;
	body: string;
}

/** Sends a call exactly as it is described. */
export async function send(webhookUrl: string, call: Call): Promise<CallResponse> {
	const { method = 'POST', headers = {}, body = '', path } = call;
	const url = new URL(webhookUrl);
	path?.(url);
	// With "Connection: close", a server may end the connection before it has read a large body.
	const agent = new Agent({ keepAlive: true });
	const length = Buffer.byteLength(body);
	const outgoing = request(url, {
		method,
		headers: { ...headers, ...(length > 0 && { 'content-length': length }) },
		agent,
	});
	const response = new Promise<{ status?: number; headers: IncomingHttpHeaders; body: string }>(
		(resolve, reject) => {
			outgoing.once('error', reject);
			outgoing.once('response', (incoming) => {
				outgoing.removeAllListeners('error').on('error', () => undefined);
				const chunks: Buffer[] = [];
				incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
				void once(incoming, 'end').then(() =>
					resolve({
						status: incoming.statusCode,
						headers: incoming.headers,
						body: Buffer.concat(chunks).toString(),
					}),
				);
			});
		},
	);
	outgoing.end(body);
	const received = await response;
	agent.destroy();
	return {
		status: received.status,
		contentType: received.headers['content-type'],
		body: received.body,
	};
}

const event = { id: 'D-1', status: 'delivered', company_id: '1001', city_id: '8' };
const eventForm = new URLSearchParams(event).toString();
const megabyte = 1_000_000;

const type = (value: string) => ({ 'content-type': value });
const json = type('application/json');
const form = type('application/x-www-form-urlencoded');
const text = type('text/plain');
const bytes = type('application/octet-stream');
const gzip = { 'content-encoding': 'gzip' };

const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024, ' '));
const large = JSON.stringify({ ...event, note: 'x'.repeat(1.5 * megabyte) });

/** Bodies with their headers, which every kind of webhook gets. */
const bodies: Call[] = [
	{ name: 'no body' },
	{ name: 'JSON', headers: json, body: JSON.stringify(event) },
	{ name: 'JSON as UTF-8', headers: type('application/json; charset=utf-8'), body: '{"id":"é"}' },
	{
		name: 'JSON, quoted charset in capitals',
		headers: type('application/json; charset="UTF-8"'),
		body: '{"id":"é"}',
	},
	{
		name: 'JSON as Latin-1',
		headers: type('application/json; charset=latin1'),
		body: Buffer.from('{"id":"é"}', 'latin1'),
	},
	{
		name: 'JSON as UTF-16',
		headers: type('application/json; charset=utf-16le'),
		body: Buffer.from('{"id":"é"}', 'utf16le'),
	},
	{ name: 'JSON in an unknown subtype', headers: type('application/json-patch'), body: '[1]' },
	{ name: 'JSON with a byte order mark', headers: json, body: '\uFEFF{"id":"D-1"}' },
	{ name: 'JSON with a type in capitals', headers: type('APPLICATION/JSON'), body: '{"id":"D-1"}' },
	{ name: 'a list in JSON', headers: json, body: JSON.stringify([event, { ...event, id: 'D-2' }]) },
	...['null', 'true', '0', '5', '""', '"text"', '[]', '{}'].map((body) => ({
		name: `JSON ${body}`,
		headers: json,
		body,
	})),
	{ name: 'malformed JSON', headers: json, body: '{"id":' },
	{ name: 'an empty body with JSON headers', headers: json },
	{ name: 'a form', headers: form, body: eventForm },
	{ name: 'an empty form', headers: form },
	{ name: 'a form with a list', headers: form, body: 'id=D-1&id=D-2&prices[0][id]=T1' },
	{ name: 'a form in Latin-1 escapes', headers: form, body: 'id=D-1&status=ready+%E9' },
	{ name: 'a form in UTF-8 escapes', headers: form, body: 'id=D-1&status=ready+%C3%A9' },
	{ name: 'a form that is JSON', headers: form, body: JSON.stringify(event) },
	{ name: 'a form with 1,100 fields', headers: form, body: 'a=1&'.repeat(1100) },
	{ name: 'text', headers: text, body: 'hello' },
	{ name: 'ping as text', headers: text, body: 'ping' },
	{ name: 'JSON as text', headers: text, body: JSON.stringify(event) },
	{ name: 'bytes', headers: bytes, body: randomBytes(64) },
	{ name: 'JSON as bytes', headers: bytes, body: JSON.stringify(event) },
	{ name: 'JSON without a type', body: JSON.stringify(event) },
	{ name: 'gzip', headers: { ...json, ...gzip }, body: gzipSync(JSON.stringify(event)) },
	{ name: 'gzip of bytes', headers: { ...bytes, ...gzip }, body: gzipSync(JSON.stringify(event)) },
	{
		name: 'deflate',
		headers: { ...json, 'content-encoding': 'deflate' },
		body: deflateSync(JSON.stringify(event)),
	},
	{
		name: 'an unknown content encoding',
		headers: { ...json, 'content-encoding': 'br' },
		body: JSON.stringify(event),
	},
	{ name: 'JSON that is not gzip', headers: { ...json, ...gzip }, body: 'not gzip' },
	{ name: 'bytes that are not gzip', headers: { ...bytes, ...gzip }, body: 'not gzip' },
	{
		name: 'gzip that is cut off',
		headers: { ...bytes, ...gzip },
		body: gzipSync(JSON.stringify(event)).subarray(0, 30),
	},
	{ name: 'a gzip bomb of JSON', headers: { ...json, ...gzip }, body: bomb },
	{ name: 'a gzip bomb of bytes', headers: { ...bytes, ...gzip }, body: bomb },
	{ name: '1.5 MB of JSON', headers: json, body: large },
	{ name: '1.5 MB of bytes', headers: bytes, body: large },
	{ name: '1.5 MB of JSON in gzip', headers: { ...json, ...gzip }, body: gzipSync(large) },
	{ name: '17 MB of JSON', headers: json, body: Buffer.alloc(17 * 1024 * 1024, ' ') },
	{ name: '17 MB of bytes', headers: bytes, body: Buffer.alloc(17 * 1024 * 1024, ' ') },
];

const otherMethods: Call[] = [
	...['GET', 'HEAD', 'PATCH'].map((method) => ({ name: `the method ${method}`, method })),
	{ name: 'GET with a body', method: 'GET', headers: json, body: JSON.stringify(event) },
	{ name: 'a trailing slash', path: (url) => (url.pathname += '/') },
];

const unsigned = (call: Call): Call => ({
	...call,
	name: `unsigned: ${call.name}`,
	path: (url) => url.searchParams.delete('signature'),
});

/** Calls of the Delivery Service Trigger's webhook URL for updated deliveries. */
export const triggerCalls: Call[] = [
	...bodies,
	...otherMethods,
	...bodies.slice(0, 2).map(unsigned),
	unsigned({ name: 'a body that is not gzip', headers: { ...bytes, ...gzip }, body: 'not gzip' }),
	unsigned({ name: 'GET', method: 'GET' }),
];

/** A call that starts an execution, whose first item contains this ID. */
export function marker(id: string): Call {
	return { name: id, headers: json, body: JSON.stringify({ ...event, id }) };
}
