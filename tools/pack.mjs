/**
 * `npm run pack`: builds the package and leaves it in n8n-nodes-delivery-service.tgz, a name without
 * a version, so that the installation commands in the docs work as they are written.
 */
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './setup.mjs';

const run = (command) =>
	execFileSync(command, { cwd: projectFolder, encoding: 'utf8', shell: true });

run('npm run build');
const [{ name, filename }] = JSON.parse(run('npm pack --ignore-scripts --json'));
renameSync(join(projectFolder, filename), join(projectFolder, `${name}.tgz`));
console.log(`Packed ${name}.tgz`);
