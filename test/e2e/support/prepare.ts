import { installHost } from '../../../playground/n8n/host';
import { requireBrowser } from './editor';
import { requireServers } from '../../../playground/n8n/servers';

/**
 * Installs what groups of end-to-end tests need and is not there: before they run at once, since
 * they would otherwise meet at the system's installer.
 *
 * @throws SetupError that says what to install, when this process may not install it
 */
export async function prepare(groups: readonly string[]): Promise<void> {
	const needs = (...some: string[]) => some.some((group) => groups.includes(group));
	await installHost('newest');
	if (needs('versions', 'examples', 'takeover')) await installHost('1.123');
	if (needs('editor')) await requireBrowser();
	if (needs('queue', 'kill', 'takeover')) await requireServers();
}
