import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { owner, runDemo } from './demo';
import { checkExpectations } from './expectations';
import { requireFreePort } from '../n8n/checks';
import { lastLines } from '../n8n/childProcess';
import { SetupError } from '../n8n/errors';
import { cacheFolder } from '../n8n/folders';
import { installHost } from '../n8n/host';
import { startN8n, type N8n } from '../n8n/n8n';
import { buildAndPack, installPackage } from '../n8n/package';
import { describe, describeExpectations } from './report';
import { startService, type LocalService } from '../service/server';

const interruptedExitCode = 130;

/** The command line's options, see options.mjs. */
interface Options {
	once: boolean;
	port: number;
	servicePort: number;
}

/** What ends the things that run, in the order in which they were started. */
type Closers = Array<() => Promise<void>>;

interface Running {
	n8n: N8n;
	service: LocalService;
	/** Whether every expectation held. */
	held: boolean;
}

/**
 * Runs the whole: n8n with this package against the local service, the run-through, and then,
 * unless it is for once, waits for Ctrl-C. Whatever way it ends, nothing is left running. Gives the
 * exit code: 0 when every expectation held. Throws what the user can do nothing about.
 */
export async function start(options: Options): Promise<number> {
	const closers: Closers = [];
	const interrupted = interruption();
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

/** Resolves when the user or the system asks this process to end. */
async function interruption(): Promise<undefined> {
	return await new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.once(signal, () => {
				console.log('\nEnding ...');
				resolve(undefined);
			});
		}
	});
}

async function runThrough(options: Options, closers: Closers): Promise<Running> {
	await requireFreePort(options.port, 'Choose another with: npm start -- --port <number>');
	await requireFreePort(
		options.servicePort,
		'Choose another with: npm start -- --service-port <number>',
	);
	const host = await installHost('newest');
	const tarball = await buildAndPack();
	const userFolder = join(cacheFolder, 'demo', String(options.port));
	await rm(userFolder, { recursive: true, force: true });
	await installPackage(tarball, userFolder);

	const service = await startService({ port: options.servicePort });
	closers.push(async () => await service.close());
	const n8n = await startN8n({ host, userFolder, port: options.port });
	closers.push(async () => await n8n.stop());

	const result = await runDemo(n8n.url, service);
	const expectations = checkExpectations(result, service, n8n.url);
	console.log(`\n${describe(result, service)}\n\n${describeExpectations(expectations)}`);
	return { n8n, service, held: expectations.every(({ instead }) => instead === undefined) };
}

function invitation({ n8n, service }: Running): string {
	return [
		`n8n's editor      ${n8n.url}`,
		`  sign in with    ${owner.email}`,
		`  password        ${owner.password}`,
		`Local service     ${service.url}`,
		`n8n's log         ${n8n.child.logFile}`,
		'Ctrl-C ends all of it.',
	].join('\n');
}
