import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import type { Mailbox } from '../mailbox/mailbox';
import type { LocalService } from '../service/server';
import type { Shopify } from '../shopify/server';

const savedShape = z.object({
	/** The API key of n8n. */
	apiKey: z.string(),
	service: z.unknown(),
	shopify: z.unknown(),
	emails: z.unknown(),
});

/** The saved data of the stand-ins. n8n keeps its own in its database. */
type Saved = z.infer<typeof savedShape>;

interface StandIns {
	readonly service: LocalService;
	readonly shopify: Shopify;
	readonly mailbox: Mailbox;
}

const fileIn = (folder: string) => join(folder, 'stand-ins.json');

/** Returns what the last demo in this folder saved; undefined if its first run did not end. */
export async function readSaved(folder: string): Promise<Saved | undefined> {
	try {
		return savedShape.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
	} catch {
		return undefined;
	}
}

/** Gives the stand-ins their saved data. Throws a ZodError if another version saved it. */
export function restore({ service, shopify, mailbox }: StandIns, saved: Saved): void {
	service.control.restore(saved.service);
	shopify.restore(saved.shopify);
	mailbox.restore(saved.emails);
}

/** Returns a function that saves the data of the stand-ins if it has changed. */
export function saver({ service, shopify, mailbox }: StandIns, folder: string, apiKey: string) {
	let last = '';
	let saving = Promise.resolve();
	const save = async () => {
		const saved: Saved = {
			apiKey,
			service: service.control.save(),
			shopify: shopify.save(),
			emails: mailbox.emails(),
		};
		const text = JSON.stringify(saved);
		if (text === last) return;
		last = text;
		await mkdir(folder, { recursive: true });
		// Whoever ends this process in between finds the whole file of before.
		const next = `${fileIn(folder)}.new`;
		await writeFile(next, text);
		await rename(next, fileIn(folder));
	};
	// One after the other: they write the same file.
	return async (): Promise<void> => await (saving = saving.then(save));
}
