import { randomUUID } from 'node:crypto';

import type { WorkflowFile } from './client';

/** A node at the origin of the canvas. */
export function node(
	name: string,
	type: string,
	parameters: Record<string, unknown> = {},
): WorkflowFile['nodes'][number] {
	return { id: randomUUID(), name, type, typeVersion: 1, position: [0, 0], parameters };
}

/** A connection to the input of a node. */
export function connection(name: string) {
	return { node: name, type: 'main', index: 0 };
}
