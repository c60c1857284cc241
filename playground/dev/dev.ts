import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import manifest from '../../package.json';
import { requireFreePort } from '../n8n/checks';
import { lastLines, startChild, type Child } from '../n8n/childProcess';
import { N8nClient, N8nRejection, type Owner } from '../n8n/client';
import { SetupError } from '../n8n/errors';
import { cacheFolder, projectFolder } from '../n8n/folders';
import { interruption } from '../n8n/interruption';
import { findHost, startN8n, type N8n } from '../n8n/n8n';
import { buildAndPack, installPackage } from '../n8n/package';
import { startService, type LocalService } from '../service/server';
import { samples } from '../shopify/samples';

const followEveryMs = 2000;
const portAdvice =
	'Stop the program that uses it, or another `npm run dev`, then run the command again.';

/** Kept between runs, including its workflows. */
const userFolder = join(cacheFolder, 'dev');
const buildFolder = join(userFolder, '.n8n', 'nodes', 'node_modules', manifest.name, 'dist');
const guard = join(__dirname, '..', 'n8n', 'end-with-parent.cjs');

const owner: Owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Local-dev-1',
};

/** The ports, see start.mjs. */
interface Options {
	port: number;
	servicePort: number;
}

/**
 * Runs n8n with this package and the local service, and rebuilds the package in it whenever a file is
 * saved. An open editor reloads the nodes automatically. Returns the exit code after Ctrl-C. Throws a
 * SetupError for problems that the user can fix.
 */
export async function dev(options: Options): Promise<number> {
	const closers: Array<() => Promise<void>> = [];
	const interrupted = interruption();
	try {
		const running = await Promise.race([start(options, closers), interrupted]);
		if (running === undefined) return 0;
		const n8nExit = await Promise.race([running.n8n.child.ended, interrupted]);
		if (n8nExit === undefined) return 0;
		const log = await lastLines(running.n8n.child.logFile);
		throw new SetupError(`n8n exited (${n8nExit}). Its log ends with:\n${log}`);
	} finally {
		for (const close of closers.reverse()) await close();
	}
}

async function start(
	{ port, servicePort }: Options,
	closers: Array<() => Promise<void>>,
): Promise<{ n8n: N8n }> {
	await requireFreePort(port, portAdvice);
	await requireFreePort(servicePort, portAdvice);
	const host = await findHost('newest');
	await installPackage(await buildAndPack(), userFolder);
	const service = await startService({
		port: servicePort,
		links: [{ name: 'n8n', url: `http://127.0.0.1:${port}` }],
	});
	closers.push(async () => await service.close());
	const n8n = await startN8n({ host, userFolder, port, env: { N8N_DEV_RELOAD: 'true' } });
	closers.push(async () => await n8n.stop());
	await setUp(n8n.url, service);
	const code = await watchCode();
	closers.push(async () => await code.stop());
	const assets = await watchAssets();
	closers.push(async () => await assets.stop());
	const stopFunctions = [
		follow(n8n.child.logFile, /Hot reload/, true),
		follow(code.logFile, /error/),
		follow(assets.logFile, /error/i),
	];
	closers.push(() => Promise.resolve(stopFunctions.forEach((stop) => stop())));
	console.log(
		[
			`\nn8n editor        ${n8n.url}`,
			`  sign in with    ${owner.email}`,
			`  password        ${owner.password}`,
			`Local service     ${service.url}`,
			`n8n log           ${n8n.child.logFile}`,
			'Save a file in nodes/, credentials/ or icons/ to update the editor. Press Ctrl-C to stop.\n',
		].join('\n'),
	);
	return { n8n };
}

/** Creates an owner, a credential for the local service and a workflow, unless n8n has an owner. */
async function setUp(url: string, { credential }: LocalService): Promise<void> {
	const client = await N8nClient.setUp(url, owner).catch((error: unknown) => {
		if (!(error instanceof N8nRejection)) throw error;
	});
	if (!client) return;
	const name = 'Local service';
	const id = await client.createCredential(name, 'deliveryServiceApi', credential);
	const [start, action] = ['When clicking Execute', 'Delivery Service'];
	await client.createWorkflow({
		name: 'Sample orders to deliveries',
		nodes: [
			{ name: start, type: 'n8n-nodes-base.manualTrigger', parameters: {}, position: [0, 0] },
			{
				name: action,
				type: `${manifest.name}.deliveryService`,
				typeVersion: 1,
				position: [220, 0],
				parameters: {
					pickupName: 'Larch & Linen',
					pickupEmail: 'warehouse@example.com',
					pickupAddress: '18 Depot Street, Springfield, IL 62703',
					fallbackEmail: 'orders@example.com',
				},
				credentials: { deliveryServiceApi: { id, name } },
			},
		],
		connections: { [start]: { main: [[{ node: action, type: 'main', index: 0 }]] } },
		pinData: { [start]: samples.map((json) => ({ json })) },
		settings: { executionOrder: 'v1' },
	});
}

/** Compiles the package into n8n whenever code is saved. */
async function watchCode(): Promise<Child> {
	const config = join(projectFolder, 'tsconfig.build.json');
	// Editors and git replace a file instead of writing to it, which a watcher on the file would miss.
	const options = ['--watch', '--watchFile', 'useFsEventsOnParentDirectory'];
	const output = ['--preserveWatchOutput', '--outDir', buildFolder];
	const args = ['--project', config, ...options, ...output];
	return await startTool('typescript/bin/tsc', args, 'compiler.log');
}

/** Copies icons, codex files and output schemas into n8n whenever one is saved. */
async function watchAssets(): Promise<Child> {
	return await startTool('gulp/bin/gulp.js', ['watch', '--output', buildFolder], 'assets.log');
}

/** Starts a script of an installed package. It ends with this process. */
async function startTool(script: string, args: string[], log: string): Promise<Child> {
	const file = join(projectFolder, 'node_modules', script);
	return await startChild(process.execPath, ['--require', guard, file, ...args], {
		cwd: projectFolder,
		logFile: join(userFolder, log),
		channel: true,
	});
}

/**
 * Shows matching lines that are appended to a log.
 *
 * @param logFile the log
 * @param pattern which lines to show
 * @param onlyLast whether to show only the last of several new lines: n8n reloads several times while
 *   the files of one build arrive, and some of these reloads fail
 * @returns a function that stops it
 */
function follow(logFile: string, pattern: RegExp, onlyLast = false): () => void {
	let read = 0;
	const timer = setInterval(() => {
		void readFile(logFile, 'utf8').then((text) => {
			const lines = text.slice(read).split('\n');
			// The last line may be incomplete.
			read = text.length - (lines.pop()?.length ?? 0);
			const matching = lines.filter((line) => pattern.test(line));
			for (const line of onlyLast ? matching.slice(-1) : matching) console.log(line);
		});
	}, followEveryMs);
	return () => clearInterval(timer);
}
