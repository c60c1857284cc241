import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import type { Result } from '../../../service/result';
import { check } from '../../../service/validation';
import type { ParameterReader } from '../../../shared/parameterReader';
import { filledIn, readCollection } from '../../../shared/parameters';

const defaultMaximumWaitSeconds = 300;
const defaultTimeoutSeconds = 60;
/** Far below the 24 days beyond which timers overflow and every request would time out at once. */
const maxTimeoutSeconds = 3600;

const optionsSchema = z.object({
	maximumWaitSeconds: z.coerce.number().finite().min(0).default(defaultMaximumWaitSeconds),
	timeoutSeconds: z.coerce
		.number()
		.finite()
		.min(1)
		.max(maxTimeoutSeconds)
		.default(defaultTimeoutSeconds),
});

const optionLabels = { maximumWaitSeconds: 'maximum wait', timeoutSeconds: 'timeout' };

export type UpdateOptions = z.infer<typeof optionsSchema>;

/** The options, which hold for the whole run: those of the first item. */
export function readUpdateOptions(parameters: ParameterReader): Result<UpdateOptions> {
	const given = filledIn(readCollection(parameters, 'options', 0));
	return check(optionsSchema, given, 'Option', optionLabels);
}

export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Maximum Wait (Seconds)',
			name: 'maximumWaitSeconds',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: defaultMaximumWaitSeconds,
			description: 'How long to try a request again while the service is too busy to take it',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: maxTimeoutSeconds },
			default: defaultTimeoutSeconds,
			description:
				'How long to wait for an answer. When none comes, the same changes are sent again, up to three times in all.',
		},
	],
};
