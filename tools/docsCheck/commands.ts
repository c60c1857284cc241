/** The commands that the pages name, and the form in which `npm run docs:check` runs each of them. */
import { codesIn, prose, type Page } from '../markdown';

/** How a command is run in the fresh clone. */
export interface Form {
	/** The command to run instead, if the original takes too long, needs a value, or never ends. */
	run?: string;
	/** For a command that doesn't exit: its output once it works. */
	until?: RegExp;
}

/**
 * The commands with a form, in the order in which they run; all others run as written. Commands that are
 * only listed here run in full in the gate (.ci/run) or the release.
 */
export const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
	['npm ci', {}],
	['npm test', { run: 'npm test -- test/unit/common' }],
	['npm test -- test/unit', { run: 'npm test -- test/unit/docs' }],
	[
		'SEQUENCES_SEED=1 npm test -- test/unit/sending',
		{ run: 'SEQUENCES_SEED=1 SEQUENCES=1 npm test -- test/unit/sending/randomSequences.test.ts' },
	],
	['npm run docs:variants', { run: 'npm run docs:variants -- --listTests' }],
	['npm run docs:check', { run: 'npm run docs:check -- --list' }],
	['npm run docs:images', { run: 'npm run docs:images -- --listTests' }],
	['npm run test:e2e', { run: 'npm run test:e2e -- --listTests' }],
	[
		"npm run test:e2e -- trigger -t 'blacklisted'",
		{ run: "npm run test:e2e -- trigger -t 'blacklisted' --listTests" },
	],
	[
		'KILL_SEED=1 npm run test:e2e -- kill',
		{ run: 'KILL_SEED=1 npm run test:e2e -- kill --listTests' },
	],
	['npm run dev', { until: /Press Ctrl-C to stop/ }],
	['npm start', { run: 'npm start -- --help' }],
	['npm start -- --once', { run: 'npm start -- --once --help' }],
	['npm run bench', { run: 'npm run bench -- --help' }],
	[
		'npm run n8n:newest',
		{
			run: `npm run n8n:newest -- "$(node -p "require('./playground/n8n/hosts/newest/package.json').dependencies.n8n")"`,
		},
	],
	['npm run service', { run: 'npm run service -- --port 0', until: /Local service: http/ }],
	[
		'npm run service -- --variant <name>',
		{
			run: 'npm run service -- --port 0 --variant rejected-400',
			until: /API variant rejected-400/,
		},
	],
	['npm run build', {}],
	['npm run build:watch', { until: /Watching for file changes/ }],
	// Would push a tag.
	['npm run release', { run: '! npm run release:check -- --tag v0.0.0' }],
	['npm pack', {}],
	[
		'npm install --omit=peer --prefix ~/.n8n/nodes ./n8n-nodes-delivery-service-<version>.tgz',
		{
			run: 'npm install --omit=peer --prefix .cache/nodes ./n8n-nodes-delivery-service-*.tgz && ls .cache/nodes/node_modules/n8n-nodes-delivery-service/dist/nodes/DeliveryService/*.node.js',
		},
	],
	[
		'npm version <version> --no-git-tag-version',
		{
			run: 'npm version 9.9.9 --no-git-tag-version && git checkout package.json package-lock.json',
		},
	],
]);

/** Returns the commands of a page: in its code blocks without a language, and in its text. */
export function commandsOf({ markdown }: Page): string[] {
	const blocks = [...markdown.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)];
	const lines = blocks.flatMap(([, block = '']) => block.trim().split('\n'));
	return [...lines, ...codesIn(prose(markdown))].filter((code) =>
		/^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|docker|git) /.test(code),
	);
}

/** Returns all commands of the pages, each once, those with a form first. */
export function commandsToRun(pages: readonly Page[]): Array<{ command: string; form: Form }> {
	const named = new Set(pages.flatMap(commandsOf));
	const inOrder = [...forms.keys(), ...[...named].filter((command) => !forms.has(command))];
	return inOrder.map((command) => ({ command, form: forms.get(command) ?? {} }));
}
