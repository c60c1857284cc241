import type { Server } from 'node:net';

import { Router, type RequestHandler } from 'express';

const policy = [
	"default-src 'none'",
	"script-src 'self' 'unsafe-inline'",
	"style-src 'self'",
	"connect-src 'self'",
	'img-src data:',
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

/** A link from a page to another one, e.g. to n8n's editor. */
export interface PageLink {
	readonly name: string;
	readonly url: string;
}

/**
 * Serves the file `page.html` of a folder, its links, and the files that all pages share. The page may
 * load from and call only its own server.
 *
 * @param folder the folder of the page
 * @param guard rejects requests that must not see the page
 * @param links the links at the top of the page
 * @returns a router for the root path
 */
export function pageRouter(
	folder: string,
	guard: RequestHandler,
	links: readonly PageLink[] = [],
): Router {
	const router = Router();
	router.get('/', guard, sendPageFile('page.html', folder));
	router.get('/links', guard, (_req, res) => void res.json(links));
	router.get('/page.css', guard, sendPageFile('page.css', __dirname));
	router.get('/page.mjs', guard, sendPageFile('page.mjs', __dirname));
	return router;
}

/** The port of a server that listens. Throws an Error if it doesn't. */
export function portOf(server: Pick<Server, 'address'>): number {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('Not listening on a port');
	return address.port;
}

function sendPageFile(name: string, root: string): RequestHandler {
	return (_req, res) => {
		res.set({
			'Cache-Control': 'no-store',
			'Content-Security-Policy': policy,
			'X-Content-Type-Options': 'nosniff',
		});
		res.sendFile(name, { root, cacheControl: false });
	};
}
