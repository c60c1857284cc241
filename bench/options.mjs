/**
 * The command line of `npm run bench`. Plain JavaScript, since it is read before anything is
 * installed.
 */
import { parseArgs } from 'node:util';

const parts = ['create', 'limit', 'mapping', 'trigger', 'memory', 'weight'];

const help = `npm run bench                 measure in a real n8n, and write docs/benchmarks.md
npm run bench -- [options]

  --quick         smaller sizes and fewer rounds, under 3 minutes; writes nothing
  --only <parts>  only these, separated by commas: ${parts.join(', ')}; writes nothing
  --json          print the data in place of the table (npm run --silent bench -- --json)
  --help          show this

It ends with 0 unless a delivery or an event was lost, came twice, or was refused where it must not
be. A goal that is missed is only told: how long something takes depends on the machine. All of it
takes about half an hour; nothing else should run meanwhile. The first run installs n8n, as \`npm start\`
does.`;

/**
 * @typedef {object} Options
 * @property {boolean} quick whether to measure smaller sizes
 * @property {string[]} parts what to measure
 * @property {boolean} json whether to print the data
 * @property {boolean} whole whether all is measured at full size
 */

/**
 * Reads the command line.
 *
 * @param {string[]} args the arguments
 * @returns {{ options: Options } | { message: string, exitCode: number }} the options, or what to
 * show instead of running
 */
export function readOptions(args) {
	try {
		const { values } = parseArgs({
			args,
			options: {
				quick: { type: 'boolean', default: false },
				only: { type: 'string', default: parts.join(',') },
				json: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
			},
		});
		if (values.help) return { message: help, exitCode: 0 };
		const chosen = values.only.split(',');
		const unknown = chosen.filter((part) => !parts.includes(part));
		if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}`);
		const whole = !values.quick && parts.every((part) => chosen.includes(part));
		return { options: { quick: values.quick, parts: chosen, json: values.json, whole } };
	} catch (error) {
		return { message: `${error.message}\n\n${help}`, exitCode: 2 };
	}
}
