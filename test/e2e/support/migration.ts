import type { MigrationReport } from '../../../playground/n8n/client';

/** The rules of n8n 3 that concern neither this package nor its examples, each with the reason. */
const notOurs = {
	'docker-only-deployment-v3': 'The tests install n8n from npm.',
	'task-runner-task-timeout-v3': 'The only Code node, All Orders, takes milliseconds.',
	'offload-manual-executions-v3': 'It asks for a setting that n8n 3 removes.',
	'workflow-import-url-removed-v3': 'The examples are imported from a file.',
	'compression-node-limits-v3': 'No example has a Compression node.',
};

/** Returns the findings of a Migration Report that concern this package, its examples or its settings. */
export function ourFindings({ instance, workflows }: MigrationReport): string[] {
	return [...instance.filter((rule) => !(rule in notOurs)), ...workflows];
}
