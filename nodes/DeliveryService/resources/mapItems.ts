import type { IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../common/clock';

/** How long items are read before n8n's other work gets its turn. */
const longestTurnMs = 20;

/**
 * Reads every input item. n8n takes up to a millisecond for each expression: without pauses its
 * editor, webhooks and queue would stand still while thousands of items are read.
 */
export async function mapItems<Value>(
	context: Pick<IExecuteFunctions, 'getInputData'>,
	read: (item: number) => Value,
): Promise<Value[]> {
	const values: Value[] = [];
	let since = realClock.now();
	for (const item of context.getInputData().keys()) {
		values.push(read(item));
		if (realClock.now() - since < longestTurnMs) continue;
		await realClock.wait(1);
		since = realClock.now();
	}
	return values;
}
