/** The command line of `npm start`. Plain JavaScript, since it runs before anything is installed. */
import { parseArgs } from 'node:util';

const defaults = { port: 5690, servicePort: 5691, shopifyPort: 5692 };

const help = `npm start                 run n8n with this package and stand-ins for Shopify and
                          the Delivery Service
npm start -- [options]

  --once                  exit after the demo run, with code 0 only if all expectations are met
  --port <number>         port of the n8n editor (${defaults.port})
  --n8n <url>             use a new n8n that you start yourself, e.g. as a container: shows the
                          settings that it needs, and waits for it
  --service-port <number> port of the Delivery Service page (${defaults.servicePort})
  --shopify-port <number> port of the shop page (${defaults.shopifyPort})
  --help                  show this help

The first run installs n8n in .cache (3 GB, a few minutes). To share it between clones, set
the environment variable N8N_HOSTS_DIR to a folder. Runs only on your machine.`;

/**
 * @typedef {object} Options
 * @property {boolean} once whether to exit after the demo run
 * @property {number} port the port of the editor
 * @property {string | undefined} n8n the URL of an n8n that is started elsewhere
 * @property {number} servicePort the port of the local service
 * @property {number} shopifyPort the port of the stand-in for Shopify
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
		const { values } = parseArgs({
			args,
			options: {
				once: { type: 'boolean', default: false },
				port: { type: 'string', default: String(defaults.port) },
				n8n: { type: 'string' },
				'service-port': { type: 'string', default: String(defaults.servicePort) },
				'shopify-port': { type: 'string', default: String(defaults.shopifyPort) },
				help: { type: 'boolean', default: false },
			},
		});
		if (values.help) return { message: help, exitCode: 0 };
		const port = readPort('--port', values.port);
		const servicePort = readPort('--service-port', values['service-port']);
		const shopifyPort = readPort('--shopify-port', values['shopify-port']);
		if (new Set([port, servicePort, shopifyPort]).size < 3)
			throw new Error('--port, --service-port and --shopify-port must be different');
		const n8n = values.n8n === undefined ? undefined : readUrl('--n8n', values.n8n);
		return { options: { once: values.once, port, n8n, servicePort, shopifyPort } };
	} catch (error) {
		return { message: `${error.message}\n\n${help}`, exitCode: 2 };
	}
}

function readPort(name, text) {
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
	throw new Error(`${name} must be a number from 1 to 65535, not "${text}"`);
}

function readUrl(name, text) {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin;
	throw new Error(
		`${name} must be a URL without a path, such as http://127.0.0.1:5678, not "${text}"`,
	);
}
