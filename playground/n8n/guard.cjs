/**
 * Runs a server that would otherwise outlive the parent process: `node guard.cjs <JSON> <args ...>`.
 * The server gets its signal for an orderly exit when this process gets SIGTERM, or when the channel
 * to the parent process closes.
 */
const { spawn } = require('node:child_process');

const [settings, ...args] = process.argv.slice(2);
const { program, uid, gid, endSignal } = JSON.parse(settings);

const server = spawn(program, args, { stdio: 'inherit', uid, gid });
const end = () => server.kill(endSignal);
process.on('SIGTERM', end);
process.on('disconnect', end);
process.channel?.unref();
server.on('error', (error) => {
	console.error(error.message);
	process.exit(1);
});
server.on('exit', (code) => process.exit(code ?? 1));
