import type { Problem } from '../../../service/result';
import { isBlank, readJson } from '../../../shared/parameters';
import type { Source } from './source';

const nothingGiven: Problem = {
	message: 'Delivery (JSON) is empty',
	description:
		'An expression in it gives nothing for this item. Check it in the node, or enter {{ $json }} as an expression to take the item itself. Nothing was sent for this item.',
};

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
	read(context, item) {
		const value: unknown = context.getNodeParameter('deliveryJson', item);
		if (isBlank(value)) return { kind: 'invalid', problem: nothingGiven };
		const delivery = readJson(value, 'Delivery (JSON)');
		return delivery.ok
			? { kind: 'delivery', delivery: delivery.value }
			: { kind: 'invalid', problem: delivery.problem };
	},
};
