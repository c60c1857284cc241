import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import manifest from '../../package.json';
import { requireFreePort } from '../n8n/checks';
import { lastLines, startChild, type Child } from '../n8n/childProcess';
import { N8nClient, N8nRefusal, type Owner } from '../n8n/client';
import { SetupError } from '../n8n/errors';
import { cacheFolder, projectFolder } from '../n8n/folders';
import { installHost } from '../n8n/host';
import { interruption } from '../n8n/interruption';
import { startN8n, type N8n } from '../n8n/n8n';
import { buildAndPack, installPackage } from '../n8n/package';
import { startService, type LocalService } from '../service/server';
import { samples } from '../shopify/samples';

const port = 5692;
const servicePort = 5693;
const followEveryMs = 2000;
const remedy = 'End what uses it, or another `npm run dev`, then run the command again.';

/** Kept from one run to the next, with the workflows in it. */
const userFolder = join(cacheFolder, 'dev');
const buildFolder = join(userFolder, '.n8n', 'nodes', 'node_modules', manifest.name, 'dist');
const guard = join(__dirname, '..', 'n8n', 'end-with-parent.cjs');

const owner: Owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Local-dev-1',
};

/**
 * Runs n8n with this package against the local service, and builds the package into it whenever a
 * file is saved. The open editor shows the new build by itself. Gives the exit code, after Ctrl-C.
 * Throws a SetupError with what the user can do something about.
 */
export async function dev(): Promise<number> {
	const closers: Array<() => Promise<void>> = [];
	const interrupted = interruption();
	try {
		const running = await Promise.race([start(closers), interrupted]);
		if (running === undefined) return 0;
		const ended = await Promise.race([running.n8n.child.ended, interrupted]);
		if (ended === undefined) return 0;
		const log = await lastLines(running.n8n.child.logFile);
		throw new SetupError(`n8n ended (${ended}). Its log ends with:\n${log}`);
	} finally {
		for (const close of closers.reverse()) await close();
	}
}

async function start(closers: Array<() => Promise<void>>): Promise<{ n8n: N8n }> {
	await requireFreePort(port, remedy);
	await requireFreePort(servicePort, remedy);
	const host = await installHost('newest');
	await installPackage(await buildAndPack(), userFolder);
	const service = await startService({ port: servicePort });
	closers.push(async () => await service.close());
	const n8n = await startN8n({ host, userFolder, port, env: { N8N_DEV_RELOAD: 'true' } });
	closers.push(async () => await n8n.stop());
	await setUp(n8n.url, service);
	const code = await watchCode();
	closers.push(async () => await code.stop());
	const assets = await watchAssets();
	closers.push(async () => await assets.stop());
	const follows = [
		follow(n8n.child.logFile, /Hot reload/, true),
		follow(code.logFile, /error/),
		follow(assets.logFile, /error/i),
	];
	closers.push(() => Promise.resolve(follows.forEach((stop) => stop())));
	console.log(
		[
			`\nn8n's editor      ${n8n.url}`,
			`  sign in with    ${owner.email}`,
			`  password        ${owner.password}`,
			`Local service     ${service.url}`,
			`n8n's log         ${n8n.child.logFile}`,
			'Save a file of nodes/, credentials/ or icons/: the editor shows it. Ctrl-C ends all of it.\n',
		].join('\n'),
	);
	return { n8n };
}

/** Gives n8n, unless it has them, an owner, a credential of the local service, and a workflow. */
async function setUp(url: string, { credential }: LocalService): Promise<void> {
	const client = await N8nClient.setUp(url, owner).catch((error: unknown) => {
		if (!(error instanceof N8nRefusal)) throw error;
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
					source: 'shopifyOrder',
					pickupName: 'Larch & Linen',
					pickupEmail: 'warehouse@example.com',
					pickupAddress: '18 Depot Street, Springfield, IL 62703',
					orderOptions: { fallbackEmail: 'orders@example.com' },
				},
				credentials: { deliveryServiceApi: { id, name } },
			},
		],
		connections: { [start]: { main: [[{ node: action, type: 'main', index: 0 }]] } },
		pinData: { [start]: samples.map((json) => ({ json })) },
		settings: { executionOrder: 'v1' },
	});
}

/** Compiles into n8n what is saved. */
async function watchCode(): Promise<Child> {
	const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
	const config = join(projectFolder, 'tsconfig.build.json');
	// Editors and git replace a file instead of writing into it, which a watch on the file itself loses.
	const options = ['--watch', '--watchFile', 'useFsEventsOnParentDirectory'];
	const output = ['--preserveWatchOutput', '--outDir', buildFolder];
	return await startWatcher('compiler', [compiler, '--project', config, ...options, ...output]);
}

/** Copies into n8n what stands beside the code. */
async function watchAssets(): Promise<Child> {
	const gulp = join(projectFolder, 'node_modules', 'gulp', 'bin', 'gulp.js');
	return await startWatcher('assets', [gulp, 'watchAssets'], { BUILD_FOLDER: buildFolder });
}

async function startWatcher(
	name: string,
	args: readonly string[],
	env?: NodeJS.ProcessEnv,
): Promise<Child> {
	return await startChild(process.execPath, ['--require', guard, ...args], {
		cwd: projectFolder,
		logFile: join(userFolder, `${name}.log`),
		env,
		channel: true,
	});
}

/**
 * Shows of what is appended to a log the lines that matter, until it is told to stop.
 *
 * @param shown which lines matter
 * @param onlyLast whether only the last of those that come together is shown: n8n reloads several times
 *   while the files of one build come in, and some of these fail
 */
function follow(logFile: string, shown: RegExp, onlyLast = false): () => void {
	let read = 0;
	const timer = setInterval(() => {
		void readFile(logFile, 'utf8').then((text) => {
			const lines = text.slice(read).split('\n');
			// The last line may not be whole yet.
			read = text.length - (lines.pop()?.length ?? 0);
			const matching = lines.filter((line) => shown.test(line));
			for (const line of onlyLast ? matching.slice(-1) : matching) console.log(line);
		});
	}, followEveryMs);
	return () => clearInterval(timer);
}
