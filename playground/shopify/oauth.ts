import express, { Router, type Request } from 'express';

import { tokenRequestShape, type App } from './app';
import { ShopRejection } from './shapes';

/**
 * The paths where a user installs the app and where the app gets its tokens: the authorization code
 * grant with its consent page, and the client credentials grant.
 */
export function oauthRouter(app: App): Router {
	const router = Router();
	router.get('/authorize', (req, res) => {
		app.checkAuthorization(queryOf(req));
		res.type('html').send(consentPage(queryOf(req).get('scope') ?? ''));
	});
	router.post('/authorize', (req, res) => {
		res.redirect(app.authorize(queryOf(req)));
	});
	const body = [express.json(), express.urlencoded({ extended: false })];
	router.post('/access_token', ...body, (req, res) => {
		const request = tokenRequestShape.safeParse(req.body);
		if (!request.success) throw new ShopRejection(400, 'invalid_request');
		res.json(app.createToken(request.data));
	});
	return router;
}

const queryOf = ({ url }: Request) => new URL(url, 'https://shop').searchParams;

function consentPage(scope: string): string {
	const items = scope.split(/[\s,]+/).map((name) => `<li>${escapeHtml(name)}</li>`);
	return `<!doctype html><html lang="en"><title>Install app</title>
<h1>Install n8n in Larch &amp; Linen?</h1><p>The app may:</p><ul>${items.join('')}</ul>
<form method="post"><button>Install</button></form></html>`;
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
