/** `npm start`: plain JavaScript without dependencies, so that it works in a fresh clone. */
import { runCommand } from '../../tools/setup.mjs';

const help = `npm start                 run n8n with this package and stand-ins for Shopify and
                          the Delivery Service
npm start -- [options]

  --new                   start over, without the orders, emails and workflows of the last time
  --once                  start over, and exit after the demo run: with code 0 only if all
                          expectations are met
  --port <number>         port of the n8n editor (5690)
  --n8n <url>             use a new n8n that you start yourself, e.g. as a container: shows the
                          settings that it needs, and waits for it
  --service-port <number> port of the Delivery Service page (5691)
  --shopify-port <number> port of the shop page (5692)
  --mailbox-port <number> port of the mailbox page (5693)
  --smtp-port <number>    port of the mailbox for emails (5694)
  --help                  show this help

The first run installs n8n in .cache (3 GB, a few minutes). To share it between clones, set
the environment variable N8N_HOSTS_DIR to a folder. Runs only on your machine.`;

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

await runCommand({
	file: new URL('./start.ts', import.meta.url),
	name: 'start',
	help,
	options: {
		new: { type: 'boolean', default: false },
		once: { type: 'boolean', default: false },
		port: { type: 'string', default: '5690' },
		n8n: { type: 'string' },
		'service-port': { type: 'string', default: '5691' },
		'shopify-port': { type: 'string', default: '5692' },
		'mailbox-port': { type: 'string', default: '5693' },
		'smtp-port': { type: 'string', default: '5694' },
	},
	read(values) {
		const names = ['port', 'service-port', 'shopify-port', 'mailbox-port', 'smtp-port'];
		const ports = names.map((name) => readPort(`--${name}`, values[name]));
		if (new Set(ports).size < ports.length)
			throw new Error(`${names.map((name) => `--${name}`).join(', ')} must be different`);
		const [port, servicePort, shopifyPort, mailboxPort, smtpPort] = ports;
		const n8n = values.n8n === undefined ? undefined : readUrl('--n8n', values.n8n);
		const startsOver = values.new || values.once;
		return {
			once: values.once,
			startsOver,
			port,
			n8n,
			servicePort,
			shopifyPort,
			mailboxPort,
			smtpPort,
		};
	},
});
