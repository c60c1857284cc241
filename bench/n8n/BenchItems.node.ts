import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { z } from 'zod';

import { orderShape } from '../../playground/shopify/shapes';
import { withFulfillmentOrder } from '../orders';
import { begin } from './runs';

const dataSchema = z.custom<IDataObject>((value) => typeof value === 'object' && value !== null);

/** The body of a call of a benchmark workflow. */
const wantedSchema = z.object({
	count: z.number().int(),
	/** The data of each item, except for the field `named`. */
	template: dataSchema,
	named: z.string(),
	prefix: z.string(),
	withFulfillmentOrders: z.boolean().default(false),
});

type Wanted = z.infer<typeof wantedSchema>;

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
		const wanted = wantedSchema.parse(call?.json.body);
		const items = Array.from({ length: wanted.count }, (_, index) => ({
			json: dataSchema.parse(structuredClone(itemAt(wanted, index))),
			pairedItem: { item: 0 },
		}));
		begin(this.getExecutionId());
		return await Promise.resolve([items]);
	}
}

function itemAt({ template, named, prefix, withFulfillmentOrders }: Wanted, index: number): object {
	const item = { ...template, [named]: `${prefix}-${index}` };
	if (!withFulfillmentOrders) return item;
	const order = orderShape.parse(item);
	// Fulfillment orders with the same order ID would belong together.
	return withFulfillmentOrder({ ...order, id: order.id + index }, index);
}
