import { tmpdir } from 'node:os';

import { projectFolder } from '../../../playground/n8n/folders';
import { containerArguments } from '../../../playground/n8n/image';

test('n8n in a container gets this network, these folders and no other environment variables', () => {
	const env = { N8N_PORT: '5678', EMPTY: '', ABSENT: undefined };
	const args = containerArguments('one', 'n8n:3', ['worker'], env);
	expect(args.slice(0, 6)).toEqual(['run', '--rm', '--name', 'one', '--network', 'host']);
	expect(args.slice(-2)).toEqual(['n8n:3', 'worker']);
	const valuesOf = (option: string) => args.filter((_, index) => args[index - 1] === option);
	expect(valuesOf('--env')).toEqual(['N8N_PORT=5678', 'EMPTY=']);
	expect(valuesOf('--volume')).toEqual([
		`${tmpdir()}:${tmpdir()}`,
		`${projectFolder}:${projectFolder}`,
	]);
	expect(valuesOf('--user')).toEqual([`${process.getuid?.()}:${process.getgid?.()}`]);
});
