/** How the nodes write to n8n's log. */
import type { FunctionsBase } from 'n8n-workflow';

import { oneLine } from './text';

/** Logs a warning, with the node and workflow before it, in one line whatever their names contain. */
export function logWarning(
	context: Pick<FunctionsBase, 'logger' | 'getNode' | 'getWorkflow'>,
	text: string,
): void {
	const { name = '', id = '' } = context.getWorkflow();
	const line = `Node "${context.getNode().name}" in workflow "${name}" (${id}): ${text}`;
	context.logger.warn(oneLine(line));
}
