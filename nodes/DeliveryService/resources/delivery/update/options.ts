import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { Result } from '../../../common/result';
import { validate } from '../../../service/validation';
import { omitBlank, collectionParameter, type ParameterReader } from '../../../common/parameters';
import { retryFields, retryLabels, retryShape } from '../retryOptions';

const updateRetryDefaults = {
	timeoutSeconds: 60,
	descriptions: {
		maximumWait: 'How long to try a request again while the service is too busy to take it',
		timeout:
			'How long to wait for an answer. When none comes, the same changes are sent again, up to three times in all.',
	},
};

const { maximumWait, timeout } = retryFields(updateRetryDefaults);

const updateOptionsSchema = z.object(retryShape(updateRetryDefaults));

export type UpdateOptions = z.infer<typeof updateOptionsSchema>;

/** The options, which hold for the whole run: those of the first item. */
export function readUpdateOptions(parameters: ParameterReader): Result<UpdateOptions> {
	const given = omitBlank(collectionParameter(parameters, 'options', 0));
	return validate(updateOptionsSchema, given, 'Option', retryLabels);
}

export const updateOptionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		maximumWait,
		{
			displayName: 'Recalculate City',
			name: 'recalculateCity',
			type: 'boolean',
			default: true,
			description: 'Whether to determine the city again after the update',
		},
		{
			displayName: 'Recalculate Price',
			name: 'recalculatePrice',
			type: 'boolean',
			default: true,
			description: 'Whether to recalculate the price after the update',
		},
		{
			displayName: 'Reorder Route',
			name: 'reorderRoute',
			type: 'boolean',
			default: true,
			description: 'Whether to reorder the stops of the route, if the delivery is on one',
		},
		timeout,
	],
};
