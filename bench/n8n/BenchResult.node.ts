import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { z } from 'zod';

import { end } from './runs';

const recordSchema = z.object({ id: z.string(), referenceId: z.string() });

/** An item that tells of deliveries: of one, as our node does, or of a whole answer. */
const createdSchema = z.union([
	recordSchema.transform((record) => [record]),
	z.object({ payload: z.array(recordSchema) }).transform(({ payload }) => payload),
]);

/** Stops the clock, and puts out one item that tells what came. Only the bench has this node. */
export class BenchResult implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Bench Result',
		name: 'benchResult',
		group: ['transform'],
		version: 1,
		description: 'What came of the items',
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
