/** The command line of `npm run dev`. Plain JavaScript, since it runs before anything is installed. */
import { parseArgs } from 'node:util';

/** Not those of `npm start`, which can run at the same time. */
const ports = { servicePort: 5693, port: 5694 };

const help = `npm run dev             run n8n with this package and the local service
npm run dev -- --help   show this help

Save a file in nodes/, credentials/ or icons/, and the editor shows the change within seconds.

  n8n editor             http://127.0.0.1:${ports.port}
  Delivery Service page  http://127.0.0.1:${ports.servicePort}

Workflows are kept in .cache/dev; delete it to start fresh. \`npm start\` can run at the same time.
The first run installs n8n in .cache (3 GB, a few minutes). To share it between clones, set
the environment variable N8N_HOSTS_DIR to a folder. Runs only on your machine.`;

/**
 * @typedef {object} Options
 * @property {number} port the port of the editor
 * @property {number} servicePort the port of the local service
 */

/**
 * Parses the command line.
 *
 * @param {string[]} args the arguments
 * @returns {{ options: Options } | { message: string, exitCode: number }} the options, or a
 * message to show and the exit code
 */
export function readOptions(args) {
	try {
		const { values } = parseArgs({ args, options: { help: { type: 'boolean' } } });
		return values.help ? { message: help, exitCode: 0 } : { options: ports };
	} catch (error) {
		return { message: `${error.message}\n\n${help}`, exitCode: 2 };
	}
}
