import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

import { projectFolder } from '../../../playground/n8n/folders';

test('n8n-node reports the package as eligible for n8n Cloud', () => {
	const output = execFileSync('npx', ['--no', 'n8n-node', 'cloud-support'], {
		cwd: projectFolder,
		encoding: 'utf8',
	});
	expect(stripVTControlCharacters(output)).toMatch(/: eligible for n8n Cloud verification/);
});
