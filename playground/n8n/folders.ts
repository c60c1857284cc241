import { join } from 'node:path';

/** The folder that holds package.json. */
export const projectFolder = join(__dirname, '..', '..');

/** Everything that can be deleted at any time: hosts, packed tarballs, user folders. */
export const cacheFolder = join(projectFolder, '.cache');

/** The manifests with which each n8n version is installed. */
export const manifestsFolder = join(__dirname, 'hosts');

/**
 * Gives the folder that holds the installed n8n versions and their Node.js: the one named by
 * `N8N_HOSTS_DIR`, so that several clones can share 2 GB a version, else one in the project.
 */
export function hostsFolder(): string {
	return process.env.N8N_HOSTS_DIR ?? cacheFolder;
}
