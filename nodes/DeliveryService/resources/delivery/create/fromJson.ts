import { readJson } from '../../../common/parameters';
import type { Source } from './source';

/** A delivery object as the service's document defines it (section 2.1). */
export const fromJson: Source = {
	option: {
		name: 'JSON',
		value: 'json',
		description: 'Give the whole delivery as a JSON object, for example the input item itself',
	},
	skipsAlreadySent: false,
	fields: [
		{
			displayName: 'Delivery (JSON)',
			name: 'deliveryJson',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description:
				'The delivery as the Delivery Service documents it: pickup, dropoff and packages, and optionally referenceId, tags, extraData and cod',
		},
	],
	read(parameters, item) {
		const delivery = readJson(parameters.get('deliveryJson', item), 'Delivery (JSON)');
		return delivery.ok
			? { kind: 'delivery', delivery: delivery.value }
			: { kind: 'invalid', problem: delivery.problem };
	},
};
