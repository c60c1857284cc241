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

/**
 * Serves the file `page.html` of a folder and what all pages share, to whom `guard` lets through.
 * The page may load and call nothing but its own server.
 */
export function pageRouter(folder: string, guard: RequestHandler): Router {
	const router = Router();
	router.get('/', guard, file('page.html', folder));
	router.get('/page.css', guard, file('page.css', __dirname));
	router.get('/page.mjs', guard, file('page.mjs', __dirname));
	return router;
}

function file(name: string, root: string): RequestHandler {
	return (_req, res) => {
		res.set({
			'Cache-Control': 'no-store',
			'Content-Security-Policy': policy,
			'X-Content-Type-Options': 'nosniff',
		});
		res.sendFile(name, { root, cacheControl: false });
	};
}
