import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { certificateFor } from './authority';

/** The place at which a program's calls of a host on the internet land here instead. */
export interface Border {
	/** Where the proxy listens. */
	readonly url: string;
	/** Environment variables with which a Node.js program, such as n8n, calls through the border. */
	readonly env: NodeJS.ProcessEnv;
	/** Ends every connection and deletes the authority's file. */
	close(): Promise<void>;
}

/**
 * Makes a listening HTTP server also an HTTPS proxy that leads one host name to an application here,
 * under a certificate of the border's own, and no other host anywhere: who calls through it reaches
 * nothing on the internet.
 */
export async function openBorder(
	proxy: http.Server,
	hostName: string,
	application: http.RequestListener,
): Promise<Border> {
	const { key, cert, authority } = await certificateFor([hostName]);
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-border-'));
	const authorityFile = join(folder, 'authority.pem');
	await writeFile(authorityFile, authority);

	// It never listens: it gets the connections that come through the proxy.
	const inner = https.createServer({ key, cert }, application);
	const open = new Set<Duplex>();
	proxy.on('connect', ({ url }, socket, head) => {
		socket.on('error', () => socket.destroy());
		if (url !== `${hostName}:443`) {
			socket.end(
				refusal(`This n8n runs with a test shop: it reaches ${hostName} and nothing else.`),
			);
			return;
		}
		open.add(socket);
		socket.once('close', () => open.delete(socket));
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		if (head.length > 0) socket.unshift(head);
		inner.emit('connection', socket);
	});

	const address = proxy.address();
	if (address === null || typeof address === 'string') throw new Error('Not listening on a port');
	const url = `http://127.0.0.1:${address.port}`;
	return {
		url,
		env: {
			// Programs differ in which spelling they look at, and in which one wins.
			HTTPS_PROXY: url,
			https_proxy: url,
			NO_PROXY: '127.0.0.1,localhost',
			no_proxy: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: authorityFile,
		},
		async close() {
			for (const socket of open) socket.destroy();
			inner.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function refusal(message: string): string {
	const headers = ['Content-Type: text/plain', `Content-Length: ${message.length}`];
	return ['HTTP/1.1 403 Forbidden', ...headers, '', message].join('\r\n');
}
