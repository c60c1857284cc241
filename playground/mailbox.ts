import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';

import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

const host = '127.0.0.1';

/** An email that was sent to the mailbox. */
export interface Email {
	readonly to: readonly string[];
	readonly subject: string;
	readonly text: string;
}

/** A running email server that keeps every email. */
export interface Mailbox {
	/** The fields of n8n's SMTP credential. */
	readonly credential: Readonly<Record<string, unknown>>;
	/** The received emails, oldest first. */
	emails(): Email[];
	close(): Promise<void>;
}

/** Starts an email server on the loopback address, which accepts emails to anyone. */
export async function startMailbox(): Promise<Mailbox> {
	const received: Email[] = [];
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
					received.push({ to, subject, text: text.trim() });
					done();
				}, done);
		},
	});
	const port = await new Promise<number>((resolve, reject) => {
		server.on('error', reject);
		const listening = server.listen(0, host, () => {
			const address = listening.address() as AddressInfo;
			resolve(address.port);
		});
	});
	return {
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
		close: async () => await new Promise<void>((resolve) => server.close(resolve)),
	};
}
