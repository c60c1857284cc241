/** A node of the benchmarks: outputs the items to send, and starts the clock. */
const { begin } = require('./clock');

class BenchItems {
	description = {
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

	async execute() {
		const [call] = this.getInputData();
		const { count, template, named, prefix, firstId } = call.json.body;
		const items = Array.from({ length: count }, (_, index) => ({
			json: {
				...structuredClone(template),
				...(firstId !== undefined && { id: firstId + index }),
				[named]: `${prefix}-${index}`,
			},
			pairedItem: { item: 0 },
		}));
		begin(this.getExecutionId(), { collectsGarbage: count > 1 });
		return [items];
	}
}

module.exports = { BenchItems };
