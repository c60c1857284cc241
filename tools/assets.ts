import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { projectFolder } from '../playground/n8n/folders';

/** The files that n8n reads next to the compiled code: icons, codex files and output schemas. */
const asset = /\.svg$|\.node\.json$|__schema__.*\.json$/;

/** The folders that contain assets. */
export const assetFolders = ['icons', 'nodes'].map((name) => join(projectFolder, name));

/** Copies the assets next to the compiled code, into dist or another folder. */
export async function copyAssets(output = join(projectFolder, 'dist')): Promise<void> {
	for (const folder of assetFolders)
		for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
			const file = join(entry.parentPath, entry.name);
			if (entry.isFile() && asset.test(file))
				await cp(file, join(output, file.slice(projectFolder.length)));
		}
}

if (require.main === module) void copyAssets();
