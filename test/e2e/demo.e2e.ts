import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../playground/n8n/checks';
import { startChild, type Child } from '../../playground/n8n/childProcess';
import { projectFolder } from '../../playground/n8n/folders';
import { installHost } from '../../playground/n8n/host';
import { getTarball, installPackage } from '../../playground/n8n/package';
import { waitFor } from '../../playground/n8n/progress';

let folder: string;
let demo: Child | undefined;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
});

afterAll(async () => {
	await demo?.stop();
	await rm(folder, { recursive: true, force: true });
});

test('the demo runs in an n8n that was started without its launcher', async () => {
	const host = await installHost('newest');
	await installPackage(await getTarball(), folder);
	const port = await freePort();
	const ports: string[] = [];
	for (const name of ['service', 'shopify', 'mailbox', 'smtp'])
		ports.push(`--${name}-port=${await freePort()}`);
	const program = join(projectFolder, 'playground/demo/start.mjs');
	const logFile = join(folder, 'demo.log');
	const url = `http://127.0.0.1:${port}`;
	demo = await startChild(process.execPath, [program, '--once', `--n8n=${url}`, ...ports], {
		cwd: projectFolder,
		logFile,
	});
	let exitCode: number | string | undefined;
	void demo.ended.then((ended) => (exitCode = ended));
	const settings = await waitFor('the settings for n8n', async () => {
		const log = await readFile(logFile, 'utf8');
		if (exitCode !== undefined) throw new Error(`The demo exited with ${exitCode}:\n${log}`);
		const lines = [...log.matchAll(/^ {2}(\w+)=(.+)$/gm)];
		const named = lines.map(([, name = '', value = '']): [string, string] => [name, value]);
		return log.includes('Waiting for n8n') ? Object.fromEntries(named) : undefined;
	});

	const n8n = spawn(host.node.binary, [host.n8n, 'start'], {
		cwd: folder,
		stdio: 'ignore',
		env: {
			...process.env,
			...host.node.env,
			NODE_ENV: 'production',
			N8N_USER_FOLDER: folder,
			N8N_PORT: String(port),
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			N8N_DIAGNOSTICS_ENABLED: 'false',
			...settings,
		},
	});
	try {
		expect(await demo.ended).toBe(0);
		console.log(`  ${(await readFile(logFile, 'utf8')).trimEnd().split('\n').at(-1)}`);
		expect(n8n.exitCode).toBe(null);
	} finally {
		if (n8n.kill()) await once(n8n, 'exit');
	}
});
