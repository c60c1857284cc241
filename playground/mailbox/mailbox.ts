import { once } from 'node:events';
import { finished } from 'node:stream/promises';

import express, { Router } from 'express';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';

import { pageRouter, portOf, type PageLink } from '../page/serve';
import { allowLocalOnly } from '../service/control';
import { Feed } from '../service/feed';

const host = '127.0.0.1';

/** An email that was sent to the mailbox. */
export interface Email {
	readonly to: readonly string[];
	readonly subject: string;
	readonly text: string;
	/** When it arrived, in milliseconds since 1970. */
	readonly at: number;
}

/** The page of a mailbox. */
export interface MailboxPage {
	readonly port: number;
	/** The port of the email server. Defaults to a free one. */
	readonly smtpPort?: number;
	/** Links at the top of the page. */
	readonly links: readonly PageLink[];
	/** The emails that the shop sends to its customers itself. */
	readonly shopEmails: () => readonly Email[];
}

/** A running email server that keeps every email. */
export interface Mailbox {
	/** The fields of n8n's SMTP credential. */
	readonly credential: Readonly<Record<string, unknown>>;
	/** Where its page is, if it has one. */
	readonly url: string;
	/** The received emails, oldest first. */
	emails(): Email[];
	/** Adds saved emails. Throws a ZodError if these are no emails. */
	restore(saved: unknown): void;
	/** Shows the emails of the shop on the page. */
	refresh(): void;
	close(): Promise<void>;
}

/**
 * Starts an email server on the loopback address, which accepts emails to anyone.
 *
 * @param page its page, if it has one
 */
export async function startMailbox(page?: MailboxPage): Promise<Mailbox> {
	const received: Email[] = [];
	const feed = new Feed(() =>
		[...received, ...(page?.shopEmails() ?? [])].sort((one, other) => other.at - one.at),
	);
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onAuth: (_auth, _session, done) => done(null, { user: 'owner' }),
		onData(stream, { envelope }, done) {
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			void finished(stream)
				.then(async () => await PostalMime.parse(Buffer.concat(chunks)))
				.then(({ subject = '', text = '' }) => {
					const to = envelope.rcptTo.map(({ address }) => address);
					received.push({ to, subject, text: text.trim(), at: Date.now() });
					feed.scheduleUpdate();
					done();
				}, done);
		},
	});
	const port = await new Promise<number>((resolve, reject) => {
		server.on('error', reject);
		const listening = server.listen(page?.smtpPort ?? 0, host, () => {
			resolve(portOf(listening));
		});
	});
	const web = page && express().disable('x-powered-by');
	web?.use('/control', allowLocalOnly, streamRouter(feed));
	web?.use(pageRouter(__dirname, allowLocalOnly, page?.links));
	const webServer = page && web?.listen(page.port, host);
	if (webServer) await once(webServer, 'listening');
	return {
		url: webServer ? `http://${host}:${portOf(webServer)}` : '',
		credential: {
			user: 'owner',
			password: 'local',
			host,
			port,
			secure: false,
			disableStartTls: true,
			hostName: 'localhost',
		},
		emails: () => [...received],
		restore(saved) {
			received.push(...z.array(z.custom<Email>()).parse(saved));
			feed.scheduleUpdate();
		},
		refresh: feed.scheduleUpdate,
		async close() {
			feed.close();
			webServer?.close();
			webServer?.closeAllConnections();
			await new Promise<void>((resolve) => server.close(resolve));
		},
	};
}

function streamRouter(feed: Feed): Router {
	const router = Router();
	router.get('/stream', (_req, res) => feed.watch(res));
	return router;
}
