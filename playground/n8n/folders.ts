import { join } from 'node:path';

/** The folder that contains package.json. */
export const projectFolder = join(__dirname, '..', '..');

/** Hosts, packed tarballs and user folders, which can be deleted at any time. */
export const cacheFolder = join(projectFolder, '.cache');

/** The manifests from which each n8n version is installed. */
export const manifestsFolder = join(__dirname, 'hosts');

/**
 * Returns the folder of the installed n8n versions and their Node.js: `N8N_HOSTS_DIR`, so that several
 * clones can share it (2 GB per version), or by default the cache folder of the project.
 */
export function hostsFolder(): string {
	return process.env.N8N_HOSTS_DIR ?? cacheFolder;
}
