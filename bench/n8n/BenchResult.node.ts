import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { z } from 'zod';

import { end } from './runs';

const recordSchema = z.object({ id: z.string(), referenceId: z.string() });

/** An item with one delivery, or with a whole response. */
const createdSchema = z.union([
	recordSchema.transform((record) => [record]),
	z.object({ payload: z.array(recordSchema) }).transform(({ payload }) => payload),
]);

/** Stops the clock and outputs one item with the created references. */
export class BenchResult implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Bench Result',
		name: 'benchResult',
		group: ['transform'],
		version: 1,
		description: 'The created references',
		defaults: { name: 'Bench Result' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const times = end(this.getExecutionId());
		const items = this.getInputData();
		const created = items.map(({ json }) => createdSchema.safeParse(json));
		const references = created.flatMap(({ data = [] }) => data.map((one) => one.referenceId));
		const others = created.filter(({ success }) => !success).length;
		const json = { ...times, items: items.length, references, others };
		return await Promise.resolve([[{ json, pairedItem: { item: 0 } }]]);
	}
}
