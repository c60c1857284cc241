import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { z } from 'zod';

import { begin } from './runs';

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** The body of a call of a benchmark workflow. */
const wantedSchema = z.object({
	count: z.number().int(),
	/** The data of each item, except for the field `named`. */
	template: z.custom<IDataObject>(isObject),
	named: z.string(),
	prefix: z.string(),
});

/** Outputs the items to send and starts the clock. */
export class BenchItems implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Bench Items',
		name: 'benchItems',
		group: ['transform'],
		version: 1,
		description: 'The items to send',
		defaults: { name: 'Bench Items' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const [call] = this.getInputData();
		const { count, template, named, prefix } = wantedSchema.parse(call?.json.body);
		const items = Array.from({ length: count }, (_, index) => ({
			json: { ...structuredClone(template), [named]: `${prefix}-${index}` },
			pairedItem: { item: 0 },
		}));
		begin(this.getExecutionId());
		return await Promise.resolve([items]);
	}
}
