/**
 * Runs a server that would outlive the program that started it: `node guard.cjs <JSON> <args ...>`.
 * It ends with the signal that it takes for an orderly end when this process is asked to end, or
 * when the channel to that program closes because it is gone.
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
