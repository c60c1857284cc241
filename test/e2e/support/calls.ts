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
const multipart = type('multipart/form-data; boundary=cut');
const gzip = { 'content-encoding': 'gzip' };

/** The parts of a multipart form, each with its name and content, or with more headers. */
function parts(all: Record<string, string>): string {
	const lines = Object.entries(all).map(
		([head, content]) => `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`,
	);
	return `${lines.join('')}--cut--\r\n`;
}

function eventParts(fields: Record<string, string>): string {
	return parts(
		Object.fromEntries(Object.entries(fields).map(([name, value]) => [`name="${name}"`, value])),
	);
}

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
	...['iso-8859-1', 'windows-1252', 'unknown'].map((charset) => ({
		name: `JSON as ${charset}`,
		headers: type(`application/json; charset=${charset}`),
		body: Buffer.from('{"id":"é"}', 'latin1'),
	})),
	{ name: 'JSON, charset without value', headers: type('application/json; charset'), body: '{}' },
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
	{
		name: 'a form as iso-8859-1',
		headers: type('application/x-www-form-urlencoded; charset=iso-8859-1'),
		body: eventForm,
	},
	{ name: 'a form with 1,100 fields', headers: form, body: 'a=1&'.repeat(1100) },
	{ name: 'a multipart form', headers: multipart, body: eventParts(event) },
	{
		name: 'a multipart form with another status',
		headers: multipart,
		body: eventParts({ ...event, status: 'cancelled' }),
	},
	{ name: 'a multipart form without parts', headers: multipart, body: '--cut--\r\n' },
	{ name: 'a multipart form without a body', headers: multipart },
	{ name: 'a multipart form that is cut off', headers: multipart, body: '--cut\r\nContent-Dis' },
	{
		name: 'a multipart form with a file',
		headers: multipart,
		body: parts({
			'name="id"': 'D-1',
			'name="file"; filename="a.txt"\r\nContent-Type: text/plain': 'content',
		}),
	},
	{
		name: 'a multipart form with an empty file',
		headers: multipart,
		body: parts({ 'name="file"; filename="a.txt"\r\nContent-Type: text/plain': '' }),
	},
	{
		name: 'a multipart form with a file input that was left empty',
		headers: multipart,
		body: parts({ 'name="file"; filename=""\r\nContent-Type: text/plain': '', 'name="id"': 'D-1' }),
	},
	{ name: 'another multipart type', headers: type('multipart/mixed; boundary=cut'), body: 'x' },
	{ name: 'text', headers: text, body: 'hello' },
	{ name: 'ping as text', headers: text, body: 'ping' },
	{ name: 'JSON as text', headers: text, body: JSON.stringify(event) },
	{ name: 'XML', headers: type('text/xml'), body: '<A b="1"><C>2</C></A>' },
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
	...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].map((method) => ({
		name: `the method ${method}`,
		method,
	})),
	{ name: 'PUT with a body', method: 'PUT', headers: json, body: JSON.stringify(event) },
	{ name: 'GET with a body', method: 'GET', headers: json, body: JSON.stringify(event) },
	{ name: 'a trailing slash', path: (url) => (url.pathname += '/') },
	{ name: 'an unknown path', path: (url) => (url.pathname += '/more') },
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
	// Once: n8n's XML parser treats the next malformed one in another way.
	{ name: 'malformed XML', headers: type('application/xml'), body: '<A><b></A>' },
	...bodies.slice(0, 2).map(unsigned),
	unsigned({ name: 'a body that is not gzip', headers: { ...bytes, ...gzip }, body: 'not gzip' }),
	unsigned({ name: 'GET', method: 'GET' }),
];

/** The query makes the probe do this; see ProbeTrigger.node.js. */
const ask = (what: string, path?: string): Call => ({
	name: `${what} ${path ?? ''}`.trim(),
	path: (url) => {
		if (path !== undefined) url.pathname = url.pathname.replace(/probe$/, path);
		url.searchParams.set('do', what);
	},
	headers: json,
	body: '{"id":"P-1"}',
});

const starts = ['start', 'startWithText', 'startWithObject', 'startWithTwo'];

/** Calls of the probe's webhook, which show how n8n treats what a node does. */
export const probeCalls: Call[] = [
	...bodies,
	...otherMethods,
	...['throw', 'ignore', 'ignoreWithText', 'ignoreWithObject', 'respond', 'respondAndStart'].map(
		(what) => ask(what),
	),
	...starts.map((what) => ask(what)),
	...starts.map((what) => ask(what, 'blank')),
	...starts.map((what) => ask(what, 'none')),
	...['count', 'count', 'countAndThrow', 'countAndIgnore', 'countAndRespond'].flatMap(
		(what, index) => [
			{ ...ask(what), name: `${index}: ${what}` },
			{ ...ask('ignoreWithObject'), name: `${index}: the saved count after ${what}` },
		],
	),
	...['not gzip', gzipSync('{}'), bomb].map((body, index) => ({
		...ask('read'),
		name: `the node reads the body itself, ${index}`,
		headers: { ...bytes, ...gzip },
		body,
	})),
];

/** Calls of a probe that listens for a test event. The first that starts an execution ends this. */
export const testCalls: Call[] = [
	{ name: 'test: PUT', method: 'PUT' },
	{ name: 'test: malformed JSON', headers: json, body: '{"id":' },
	{ ...ask('ignore'), name: 'test: ignore' },
	{ ...ask('throw'), name: 'test: throw' },
	{ ...ask('start'), name: 'test: start after the end' },
];

/** A call that starts an execution, whose first item contains this ID. */
export function marker(id: string): Call {
	return { name: id, headers: json, body: JSON.stringify({ ...event, id }) };
}
