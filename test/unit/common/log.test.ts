import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { logWarning } from '../../../nodes/DeliveryService/common/log';
import { projectFolder } from '../../../playground/n8n/folders';

test('logs one line with the node and the workflow, whatever names and texts contain', () => {
	const warn = jest.fn();
	const silent = jest.fn();
	const position: [number, number] = [0, 0];

	logWarning(
		{
			logger: { warn, error: silent, info: silent, debug: silent },
			getNode: () => ({
				id: '1',
				name: 'A\r\nFORGED',
				type: 'a',
				typeVersion: 1,
				position,
				parameters: {},
			}),
			getWorkflow: () => ({ id: 'w', name: 'B\u2028FORGED', active: true }),
		},
		'#1001\u0085FORGED',
	);

	expect(warn.mock.calls).toEqual([['Node "A FORGED" in workflow "B FORGED" (w): #1001 FORGED']]);
});

test('no other file of the nodes logs', () => {
	const nodes = join(projectFolder, 'nodes', 'DeliveryService');
	const files = readdirSync(nodes, { recursive: true, encoding: 'utf8' }).filter(
		(file) =>
			file.endsWith('.ts') && /logger|console/.test(readFileSync(join(nodes, file), 'utf8')),
	);
	expect(files).toEqual([join('common', 'log.ts')]);
});
