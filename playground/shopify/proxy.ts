import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { portOf } from '../page/serve';
import { createCertificate } from './certificate';

/** A proxy that redirects a program's requests for shops to this process. */
export interface ShopProxy {
	/** Environment variables that make a Node.js program, such as n8n, use the proxy. */
	readonly env: NodeJS.ProcessEnv;
	/** Passes the requests for a host name, which the certificate must cover, to an application. */
	serve(hostName: string, application: http.RequestListener): void;
	/** Closes all connections and deletes the authority's file. */
	close(): Promise<void>;
}

/**
 * Makes a listening HTTP server an HTTPS proxy that passes requests for shops to applications in this
 * process, with its own certificate. It rejects all other hosts, so that its clients reach nothing on
 * the internet.
 *
 * @param server the listening HTTP server
 * @param hostNames the host names of the certificate, e.g. `*.myshopify.com`
 * @returns the proxy
 */
export async function attachShopProxy(
	server: http.Server,
	hostNames: readonly string[],
): Promise<ShopProxy> {
	const { key, cert, authority } = await createCertificate(hostNames);
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-proxy-'));
	const authorityFile = join(folder, 'authority.pem');
	await writeFile(authorityFile, authority);

	// These servers never listen: they get their connections from the proxy.
	const httpsServers = new Map<string, https.Server>();
	const open = new Set<Duplex>();
	server.on('connect', ({ url = '' }, socket, head) => {
		socket.on('error', () => socket.destroy());
		const httpsServer = httpsServers.get(url.replace(/:443$/, ''));
		if (httpsServer === undefined) {
			const shops = [...httpsServers.keys()].join(' and ');
			socket.end(forbiddenResponse(`This n8n runs with a test shop. It can only reach ${shops}.`));
			return;
		}
		open.add(socket);
		socket.once('close', () => open.delete(socket));
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		if (head.length > 0) socket.unshift(head);
		httpsServer.emit('connection', socket);
	});

	const url = `http://127.0.0.1:${portOf(server)}`;
	return {
		env: {
			// Programs differ in which spelling they use.
			HTTPS_PROXY: url,
			https_proxy: url,
			NO_PROXY: '127.0.0.1,localhost',
			no_proxy: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: authorityFile,
		},
		serve(hostName, application) {
			httpsServers.set(hostName, https.createServer({ key, cert }, application));
		},
		async close() {
			for (const socket of open) socket.destroy();
			for (const httpsServer of httpsServers.values()) httpsServer.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function forbiddenResponse(message: string): string {
	const headers = ['Content-Type: text/plain', `Content-Length: ${message.length}`];
	return ['HTTP/1.1 403 Forbidden', ...headers, '', message].join('\r\n');
}
