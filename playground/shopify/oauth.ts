import express, { Router } from 'express';
import { z } from 'zod';

import type { App, AuthorizationRequest } from './app';
import { ShopRejection } from './shapes';

const authorizationShape = z
	.object({
		client_id: z.string().default(''),
		redirect_uri: z.string().default(''),
		scope: z.string().default(''),
		state: z.string().default(''),
	})
	.transform(
		({ client_id: clientId, redirect_uri: redirectUri, scope, state }): AuthorizationRequest => {
			return { clientId, redirectUri, scope, state };
		},
	);

const tokenShape = z.object({
	client_id: z.string().optional(),
	client_secret: z.string().optional(),
	code: z.string().optional(),
	grant_type: z.string().optional(),
});

/**
 * The paths where a user installs the app and where the app gets its tokens: the authorization code
 * grant with its consent page, and the client credentials grant.
 */
export function oauthRouter(app: App): Router {
	const router = Router();
	router.get('/authorize', (req, res) => {
		const request = authorizationShape.parse(req.query);
		app.checkAuthorization(request);
		res.type('html').send(consentPage(request));
	});
	router.post('/authorize', (req, res) => {
		res.redirect(app.authorize(authorizationShape.parse(req.query)));
	});
	const body = [express.json(), express.urlencoded({ extended: false })];
	router.post('/access_token', ...body, (req, res) => {
		const request = tokenShape.safeParse(req.body);
		if (!request.success) throw new ShopRejection(400, 'invalid_request');
		res.json(app.createToken(request.data));
	});
	return router;
}

function consentPage({ scope }: AuthorizationRequest): string {
	const items = scope.split(/[\s,]+/).map((name) => `<li>${escapeHtml(name)}</li>`);
	return `<!doctype html><html lang="en"><title>Install app</title>
<h1>Install n8n in Larch &amp; Linen?</h1><p>The app may:</p><ul>${items.join('')}</ul>
<form method="post"><button>Install</button></form></html>`;
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
