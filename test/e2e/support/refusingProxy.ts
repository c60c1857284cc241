import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { freePort } from '../../../playground/n8n/checks';

/** A proxy that wants a log-in, which nobody gives: it passes nothing on. */
export interface RefusingProxy {
	/** What an n8n is started with whose requests go through it, save those to this machine. */
	env: NodeJS.ProcessEnv;
	/** What it was asked to pass on so far: a method and an address each. */
	asked(): string[];
	close(): Promise<void>;
}

/** Starts the proxy at a port of its own. */
export async function startRefusingProxy(): Promise<RefusingProxy> {
	const asked: string[] = [];
	const note = ({ method = '', url = '' }: IncomingMessage) => asked.push(`${method} ${url}`);
	const server = createServer((request: IncomingMessage, response: ServerResponse) => {
		note(request);
		response.writeHead(407, { 'Proxy-Authenticate': 'Basic' }).end();
	});
	server.on('connect', (request: IncomingMessage, socket: Duplex) => {
		note(request);
		socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
	});
	const port = await freePort();
	await once(server.listen(port, '127.0.0.1'), 'listening');
	const url = `http://127.0.0.1:${port}`;
	return {
		env: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '127.0.0.1,localhost' },
		asked: () => [...asked],
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
