/** The command line of `npm run bench`. Plain JavaScript, since it runs before the installation. */
import { parseArgs } from 'node:util';

const parts = ['create', 'limit', 'mapping', 'memory', 'shopify', 'trigger'];

const help = `npm run bench                 measure in a real n8n and write docs/benchmarks.md
npm run bench -- [options]

  --quick         small sizes and one round, less than 3 minutes; writes nothing
  --only <parts>  comma-separated list of: ${parts.join(', ')}; writes nothing
  --json          print the data instead of the table (npm run --silent bench -- --json)
  --from <file>   measure nothing; write docs/benchmarks.md from data printed by --json
  --help          show this help

Exits with 0 unless a delivery or an event was lost, duplicated or wrongly rejected. A missed target
is only reported, since times depend on the machine. The whole run takes about 20 minutes, and nothing
else should run in the meantime. The first run installs n8n, as \`npm start\` does.`;

/**
 * @typedef {object} Options
 * @property {boolean} quick whether to measure small sizes
 * @property {string[]} parts what to measure
 * @property {boolean} json whether to print the data
 * @property {boolean} whole whether everything is measured at full size
 * @property {string} [from] the file of data to write the page from
 */

/**
 * Reads the command line.
 *
 * @param {string[]} args the arguments
 * @returns {{ options: Options } | { message: string, exitCode: number }} the options, or a message
 * to print instead of running
 */
export function readOptions(args) {
	try {
		const { values } = parseArgs({
			args,
			options: {
				quick: { type: 'boolean', default: false },
				only: { type: 'string', default: parts.join(',') },
				json: { type: 'boolean', default: false },
				from: { type: 'string' },
				help: { type: 'boolean', default: false },
			},
		});
		if (values.help) return { message: help, exitCode: 0 };
		const { quick, json, from } = values;
		const chosen = values.only.split(',');
		const unknown = chosen.filter((part) => !parts.includes(part));
		if (unknown.length > 0) throw new Error(`Unknown part: ${unknown.join(', ')}`);
		const whole = !quick && parts.every((part) => chosen.includes(part));
		return { options: { quick, parts: chosen, json, whole, from } };
	} catch (error) {
		return { message: `${error.message}\n\n${help}`, exitCode: 2 };
	}
}
