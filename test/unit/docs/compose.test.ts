/** Checks the versions and settings in examples/compose.yaml. `npm run lint` checks its schema. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import manifest from '../../../package.json';
import { projectFolder } from '../../../playground/n8n/folders';
import { versionOf } from '../../../playground/n8n/host';

const { build, environment } = z
	.object({
		build: z.object({ dockerfile_inline: z.string() }),
		environment: z.record(z.string()),
	})
	.parse(
		z
			.object({ 'x-n8n': z.unknown() })
			.parse(parse(readFileSync(join(projectFolder, 'examples/compose.yaml'), 'utf8')))['x-n8n'],
	);

test('compose.yaml installs the current version of the package into the newest tested n8n', async () => {
	const tarball = `${manifest.name}-${manifest.version}.tgz`;
	expect(build.dockerfile_inline.trim().split('\n')).toEqual([
		`FROM n8nio/n8n:${await versionOf('newest')}`,
		`COPY ${tarball} /tmp/`,
		`RUN npm install --omit=peer --ignore-scripts --prefix /home/node/.n8n/nodes /tmp/${tarball}`,
	]);
});

test('compose.yaml uses only settings that n8n reads', () => {
	const folders = ['@n8n/config', 'n8n-core'].map((name) => dirname(require.resolve(name)));
	const known = folders
		.flatMap((folder) =>
			readdirSync(folder, { recursive: true, encoding: 'utf8' })
				.filter((file) => file.endsWith('.js'))
				.map((file) => readFileSync(join(folder, file), 'utf8')),
		)
		.join('\n');
	// The package n8n itself reads these two; it isn't installed here.
	const readElsewhere = ['WEBHOOK_URL', 'N8N_EDITOR_BASE_URL'];
	const unknown = Object.keys(environment).filter(
		(name) => !new RegExp(`\\b${name}\\b`).test(known) && !readElsewhere.includes(name),
	);
	expect(unknown).toEqual([]);
});
