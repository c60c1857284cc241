import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runCommand, startChild, type Child } from './childProcess';
import { SetupError } from './errors';
import { projectFolder } from './folders';
import { step } from './progress';
import { requireProgram } from './system';

/** n8n as a container image, for versions that are not published as npm packages. */
export interface N8nImage {
	version: string;
	/** The image's name, such as `docker.n8n.io/n8nio/n8n:latest`. */
	image: string;
}

/** How to start a container. */
export interface ContainerOptions {
	/** n8n's command and its arguments. */
	command: readonly string[];
	/** All environment variables of n8n; those that are undefined are left out. */
	env: NodeJS.ProcessEnv;
	cwd: string;
	/** Receives the output; overwritten. */
	logFile: string;
}

const guard = join(__dirname, 'guard.cjs');

/**
 * Reads the version of n8n in an image, which Docker downloads if it is missing.
 *
 * @throws SetupError if there is no Docker or the image does not contain n8n
 */
export async function openImage(image: string): Promise<N8nImage> {
	const docker = await requireProgram('docker', 'docker.io');
	const output = await step(`Reading the version of ${image}, downloaded if missing`, async () => {
		const logFile = join(tmpdir(), `delivery-service-image-${process.pid}.log`);
		return await runCommand(docker, ['run', '--rm', image, '--version'], {
			cwd: tmpdir(),
			logFile,
		});
	});
	const version = /^\d+\.\d+\.\d+\S*$/m.exec(output)?.[0];
	if (version === undefined)
		throw new SetupError(`${image} did not report a version of n8n:\n${output}`);
	return { version, image };
}

/**
 * Starts n8n in a container. It uses this machine's network, and sees this clone and the folder for
 * temporary files under the same paths. It ends when this process ends.
 *
 * @returns the running container; its process ID is that of the program that controls the container
 */
export async function startContainer(
	{ image }: N8nImage,
	{ command, env, cwd, logFile }: ContainerOptions,
): Promise<Child> {
	const docker = await requireProgram('docker', 'docker.io');
	const name = `delivery-service-${randomUUID()}`;
	const args = containerArguments(name, image, command, env);
	const settings = JSON.stringify({ program: docker, endSignal: 'SIGTERM' });
	const child = await startChild(process.execPath, [guard, settings, ...args], {
		cwd,
		logFile,
		channel: true,
	});
	const remove = () => void spawnSync(docker, ['rm', '--force', name]);
	process.once('exit', remove);
	return {
		...child,
		// A signal to the program that controls the container would not kill n8n.
		kill: (signal) => void spawnSync(docker, ['kill', '--signal', signal, name]),
		async stop(graceMs) {
			await child.stop(graceMs);
			// Still there if n8n did not stop in time.
			remove();
			process.removeListener('exit', remove);
		},
	};
}

/** The arguments of `docker` that start a container of n8n in the foreground. */
export function containerArguments(
	name: string,
	image: string,
	command: readonly string[],
	env: NodeJS.ProcessEnv,
): string[] {
	const user = process.getuid && process.getgid ? [`${process.getuid()}:${process.getgid()}`] : [];
	return [
		'run',
		'--rm',
		'--name',
		name,
		'--network',
		'host',
		...user.flatMap((ids) => ['--user', ids]),
		...[tmpdir(), projectFolder].flatMap((folder) => ['--volume', `${folder}:${folder}`]),
		...Object.entries(env).flatMap(([key, value]) =>
			value === undefined ? [] : ['--env', `${key}=${value}`],
		),
		image,
		...command,
	];
}
