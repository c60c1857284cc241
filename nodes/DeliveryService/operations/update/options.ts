import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { Result } from '../../common/result';
import { validate } from '../../service/validation';
import { optionsField } from '../../common/fields';
import { omitBlank, collectionParameter, type ParameterReader } from '../../common/parameters';
import { advancedField, retryFields, retryLabels, retryShape } from '../fields/retryOptions';

const updateRetryDefaults = {
	timeoutSeconds: 60,
	descriptions: {
		maxRetryTime: 'How long to keep retrying a request while the service is busy',
		timeout:
			'How long to wait for a response. After a timeout, the same update is retried, with up to three attempts in total.',
	},
};

const { maxRetryTime, timeout } = retryFields(updateRetryDefaults);

const updateOptionsSchema = z.object(retryShape(updateRetryDefaults));

export type UpdateOptions = z.infer<typeof updateOptionsSchema>;

/** The options of the whole run, from the first item. */
export function readUpdateOptions(parameters: ParameterReader): Result<UpdateOptions> {
	const options = omitBlank(collectionParameter(parameters, 'advanced', 0));
	return validate(updateOptionsSchema, options, 'Option', retryLabels);
}

/** The options of an update, in groups. */
export const updateOptionsFields: INodeProperties[] = [
	{
		...optionsField,
		options: [
			{
				displayName: 'Recalculate City',
				name: 'recalculateCity',
				type: 'boolean',
				default: true,
				description: 'Whether to recalculate the city after the update',
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
		],
	},
	{ ...advancedField, options: [maxRetryTime, timeout] },
];
