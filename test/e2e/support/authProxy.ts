import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { freePort } from '../../../playground/n8n/checks';

/** A proxy that requires authentication and forwards nothing, since no client authenticates. */
export interface AuthProxy {
	/** The environment variables that route n8n's requests through the proxy, except local ones. */
	env: NodeJS.ProcessEnv;
	/** The requests so far: method and URL of each. */
	requests(): string[];
	close(): Promise<void>;
}

/** Starts the proxy on a free port. */
export async function startAuthProxy(): Promise<AuthProxy> {
	const requests: string[] = [];
	const record = ({ method = '', url = '' }: IncomingMessage) => requests.push(`${method} ${url}`);
	const server = createServer((request: IncomingMessage, response: ServerResponse) => {
		record(request);
		response.writeHead(407, { 'Proxy-Authenticate': 'Basic' }).end();
	});
	server.on('connect', (request: IncomingMessage, socket: Duplex) => {
		record(request);
		socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
	});
	const port = await freePort();
	await once(server.listen(port, '127.0.0.1'), 'listening');
	const url = `http://127.0.0.1:${port}`;
	return {
		env: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '127.0.0.1,localhost' },
		requests: () => [...requests],
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
