import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { createCertificate } from './certificate';

/** A proxy that redirects a program's requests for one internet host to this process. */
export interface ShopProxy {
	/** The URL of the proxy. */
	readonly url: string;
	/** Environment variables that make a Node.js program, such as n8n, use the proxy. */
	readonly env: NodeJS.ProcessEnv;
	/** Closes all connections and deletes the authority's file. */
	close(): Promise<void>;
}

/**
 * Makes a listening HTTP server an HTTPS proxy that passes requests for one host name to an
 * application in this process, with its own certificate. It rejects all other hosts, so that its
 * clients reach nothing on the internet.
 *
 * @param server the listening HTTP server
 * @param hostName the host name to serve
 * @param application handles its requests
 * @returns the proxy
 */
export async function attachShopProxy(
	server: http.Server,
	hostName: string,
	application: http.RequestListener,
): Promise<ShopProxy> {
	const { key, cert, authority } = await createCertificate([hostName]);
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-proxy-'));
	const authorityFile = join(folder, 'authority.pem');
	await writeFile(authorityFile, authority);

	// This server never listens: it gets its connections from the proxy.
	const httpsServer = https.createServer({ key, cert }, application);
	const open = new Set<Duplex>();
	server.on('connect', ({ url }, socket, head) => {
		socket.on('error', () => socket.destroy());
		if (url !== `${hostName}:443`) {
			socket.end(
				forbiddenResponse(`This n8n runs with a test shop. It can only reach ${hostName}.`),
			);
			return;
		}
		open.add(socket);
		socket.once('close', () => open.delete(socket));
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		if (head.length > 0) socket.unshift(head);
		httpsServer.emit('connection', socket);
	});

	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('Not listening on a port');
	const url = `http://127.0.0.1:${address.port}`;
	return {
		url,
		env: {
			// Programs differ in which spelling they use.
			HTTPS_PROXY: url,
			https_proxy: url,
			NO_PROXY: '127.0.0.1,localhost',
			no_proxy: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: authorityFile,
		},
		async close() {
			for (const socket of open) socket.destroy();
			httpsServer.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function forbiddenResponse(message: string): string {
	const headers = ['Content-Type: text/plain', `Content-Length: ${message.length}`];
	return ['HTTP/1.1 403 Forbidden', ...headers, '', message].join('\r\n');
}
