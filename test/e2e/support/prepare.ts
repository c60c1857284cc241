import { installHost } from '../../../playground/n8n/host';
import { findHost } from '../../../playground/n8n/n8n';
import { requireBrowser } from './browser';
import { requireServers } from '../../../playground/n8n/servers';

/** The groups that also run n8n 1. */
const withN8n1 = [
	'versions',
	'examples',
	'shopify',
	'harness',
	'takeover',
	'migration',
	'kill',
	'sending',
];

/**
 * Installs the missing dependencies of groups of end-to-end tests. Runs before the groups start, so
 * that parallel groups don't compete for the system's installer.
 *
 * @param groups the names of the groups
 * @throws SetupError that says what to install, when this process lacks the permission to install it
 */
export async function prepare(groups: readonly string[]): Promise<void> {
	const includesAny = (...names: string[]) => names.some((name) => groups.includes(name));
	await findHost('newest');
	if (includesAny(...withN8n1)) await installHost('1.123');
	if (includesAny('editor', 'canvas', 'pages', 'quickStart')) await requireBrowser();
	if (includesAny('queue', 'kill', 'takeover')) await requireServers();
}
