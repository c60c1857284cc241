import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { owner, runDemo, type Places } from './demo';
import { checkExpectations } from './expectations';
import { requireFreePort } from '../n8n/checks';
import { lastLines } from '../n8n/childProcess';
import { SetupError } from '../n8n/errors';
import { cacheFolder } from '../n8n/folders';
import { installHost } from '../n8n/host';
import { interruption } from '../n8n/interruption';
import { startN8n, type N8n } from '../n8n/n8n';
import { buildAndPack, installPackage } from '../n8n/package';
import { describe, describeExpectations } from './report';
import { startService } from '../service/server';
import { startShopify } from '../shopify/server';

const interruptedExitCode = 130;

/** The command line's options, see options.mjs. */
interface Options {
	once: boolean;
	port: number;
	servicePort: number;
	shopifyPort: number;
}

/** What ends the things that run, in the order in which they were started. */
type Closers = Array<() => Promise<void>>;

interface Running extends Places {
	n8n: N8n;
	/** Whether every expectation held. */
	held: boolean;
}

/**
 * Runs the whole: n8n with this package against both stand-ins, the run-through, and then,
 * unless it is for once, waits for Ctrl-C. Whatever way it ends, nothing is left running. Gives the
 * exit code: 0 when every expectation held. Throws what the user can do nothing about.
 */
export async function start(options: Options): Promise<number> {
	const closers: Closers = [];
	const interrupted = interruption('\nEnding ...');
	try {
		const running = await Promise.race([runThrough(options, closers), interrupted]);
		if (running === undefined) return interruptedExitCode;
		const exitCode = running.held ? 0 : 1;
		if (options.once) return exitCode;
		console.log(`\n${invitation(running)}`);
		const n8nEnded = await Promise.race([running.n8n.child.ended, interrupted]);
		if (n8nEnded === undefined) return exitCode;
		throw new SetupError(
			`n8n ended (${n8nEnded}). Its log ends with:\n${await lastLines(running.n8n.child.logFile)}`,
		);
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(`\n${error.message}`);
		return 1;
	} finally {
		for (const close of closers.reverse()) await close();
	}
}

async function runThrough(options: Options, closers: Closers): Promise<Running> {
	const ports = [
		['port', options.port],
		['service-port', options.servicePort],
		['shopify-port', options.shopifyPort],
	] as const;
	for (const [option, port] of ports) {
		await requireFreePort(port, `Choose another with: npm start -- --${option} <number>`);
	}
	const host = await installHost('newest');
	const tarball = await buildAndPack();
	const userFolder = join(cacheFolder, 'demo', String(options.port));
	await rm(userFolder, { recursive: true, force: true });
	await installPackage(tarball, userFolder);

	const service = await startService({ port: options.servicePort });
	closers.push(async () => await service.close());
	const shopify = await startShopify({ port: options.shopifyPort });
	closers.push(async () => await shopify.close());
	const n8n = await startN8n({ host, userFolder, port: options.port, env: shopify.env });
	closers.push(async () => await n8n.stop());

	const places = { n8nUrl: n8n.url, service, shopify };
	const result = await runDemo(places);
	const expectations = checkExpectations(result, places);
	console.log(`\n${describe(result, places)}\n\n${describeExpectations(expectations)}`);
	return { ...places, n8n, held: expectations.every(({ instead }) => instead === undefined) };
}

function invitation({ n8n, service, shopify }: Running): string {
	return [
		`n8n's editor      ${n8n.url}`,
		`  sign in with    ${owner.email}`,
		`  password        ${owner.password}`,
		`Shop              ${shopify.url} (press “New orders”)`,
		`Delivery Service  ${service.url} (move a delivery on until it is delivered)`,
		`n8n's log         ${n8n.child.logFile}`,
		'Ctrl-C ends all of it.',
	].join('\n');
}
