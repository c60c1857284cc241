/** A node of the benchmarks: stops the clock, and outputs the references of the created deliveries. */
const { end } = require('./clock');

class BenchResult {
	description = {
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

	async execute() {
		const figures = end(this.getExecutionId());
		// An item has one delivery, or a whole response.
		const created = this.getInputData().flatMap(({ json }) => json.payload ?? [json]);
		const references = created.flatMap(({ id, referenceId }) =>
			id && referenceId ? [referenceId] : [],
		);
		const others = created.length - references.length;
		return [[{ json: { ...figures, references, others }, pairedItem: { item: 0 } }]];
	}
}

module.exports = { BenchResult };
