/** Create from JSON in the service's format: the field, and how an item is read. */
import { readJson } from '../../common/parameters';
import { deliveryJsonSchema } from '../../service/schemas';
import type { Source } from './readItem';

/** Creates deliveries from JSON in the service's own format (docs/api.md, section 2.1). */
export const fromJson: Source = {
	fields: [
		{
			displayName: 'Delivery (JSON)',
			name: 'deliveryJson',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description:
				"The delivery in the format of the Delivery Service's API: pickup, dropoff and packages, and optionally referenceId, tags, extraData and cod",
		},
	],
	schema: deliveryJsonSchema,
	read(parameters, item) {
		const delivery = readJson(parameters.get('deliveryJson', item), 'Delivery (JSON)');
		return delivery.ok ? { delivery: delivery.value } : { problem: delivery.problem };
	},
};
