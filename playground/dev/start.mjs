/** `npm run dev`: plain JavaScript without dependencies, so that it works in a fresh clone. */
import { runCommand } from '../../tools/setup.mjs';

/** Not those of `npm start` (5690 to 5694), which can run at the same time. */
const ports = { port: 5695, servicePort: 5696 };

const help = `npm run dev             run n8n with this package and the local service
npm run dev -- --help   show this help

Save a file in nodes/, credentials/ or icons/, and the editor shows the change within seconds.

  n8n editor             http://127.0.0.1:${ports.port}
  Delivery Service page  http://127.0.0.1:${ports.servicePort}

Workflows are kept in .cache/dev; delete it to start fresh. \`npm start\` can run at the same time.
The first run installs n8n in .cache (3 GB, a few minutes). To share it between clones, set
the environment variable N8N_HOSTS_DIR to a folder. Runs only on your machine.`;

await runCommand({
	file: new URL('./dev.ts', import.meta.url),
	name: 'dev',
	help,
	options: {},
	read: () => ports,
});
