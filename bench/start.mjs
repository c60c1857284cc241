/** `npm run bench`: plain JavaScript without dependencies, so that it works in a fresh clone. */
import { runCommand } from '../tools/setup.mjs';

const parts = ['create', 'saved', 'limit', 'trigger'];

const help = `npm run bench                 measure in a real n8n and write bench/README.md
npm run bench -- [options]

  --quick         small sizes and one round, about six minutes; writes nothing
  --only <parts>  comma-separated list of: ${parts.join(', ')}; writes nothing
  --help          show this help

Exits with 0 unless a delivery or an event was lost, duplicated or wrongly rejected. A missed target
is only reported, since times depend on the machine. The whole run takes about 20 minutes, and nothing
else should run in the meantime. The first run installs n8n, as \`npm start\` does.`;

await runCommand({
	file: new URL('./main.ts', import.meta.url),
	name: 'main',
	help,
	options: {
		quick: { type: 'boolean', default: false },
		only: { type: 'string', default: parts.join(',') },
	},
	read({ quick, only }) {
		const chosen = only.split(',');
		const unknown = chosen.filter((part) => !parts.includes(part));
		if (unknown.length > 0) throw new Error(`Unknown part: ${unknown.join(', ')}`);
		const whole = !quick && parts.every((part) => chosen.includes(part));
		return { quick, parts: chosen, whole };
	},
});
