import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';

import type { Shopify } from '../../playground/shopify/server';

/** The response to a request through the proxy. */
export interface Answered {
	readonly status: number;
	readonly data: unknown;
	/** The header with the links to the pages before and after a page of a list. */
	readonly link?: string;
}

/** The options of a call besides its method and path. */
export interface CallOptions {
	readonly accessToken?: string;
	readonly body?: object;
	/** The host to call; by default the shop. */
	readonly hostName?: string;
}

/**
 * Calls a host as n8n does: through the proxy and over TLS.
 *
 * @throws Error with the response of the proxy if it rejects the call, or if the certificate is not
 * trusted
 */
export async function callThroughProxy(
	shopify: Shopify,
	method: string,
	path: string,
	options: CallOptions = {},
): Promise<Answered> {
	const { env, domain, credential } = shopify;
	const { hostName = domain, accessToken = credential.accessToken, body } = options;
	const ca = [await readFile(String(env.NODE_EXTRA_CA_CERTS), 'utf8')];
	const socket = await tunnel(String(env.HTTPS_PROXY), `${hostName}:443`);
	const request = https.request({
		method,
		path,
		host: hostName,
		headers: { 'X-Shopify-Access-Token': accessToken, 'Content-Type': 'application/json' },
		createConnection: () => tls.connect({ socket, servername: hostName, ca }),
	});
	try {
		const { text, ...response } = await responseTo(request, body && JSON.stringify(body));
		return { ...response, data: JSON.parse(text) };
	} finally {
		socket.destroy();
	}
}

async function tunnel(proxy: string, path: string): Promise<Duplex> {
	return await new Promise((resolve, reject) => {
		const request = http.request(proxy, { method: 'CONNECT', path });
		request.once('error', reject);
		request.once('connect', ({ statusCode }, socket, head) => {
			if (statusCode === 200) return resolve(socket);
			let text = head.toString();
			socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
			socket.once('end', () => reject(new Error(`${statusCode}: ${text}`)));
		});
		request.end();
	});
}

async function responseTo(request: http.ClientRequest, body?: string) {
	return await new Promise<{ status: number; link?: string; text: string }>((resolve, reject) => {
		request.once('error', reject);
		request.once('response', (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.once('end', () => {
				const { statusCode: status = 0, headers } = response;
				const [link] = [headers.link].flat();
				resolve({ status, link, text: Buffer.concat(chunks).toString() });
			});
		});
		request.end(body);
	});
}
