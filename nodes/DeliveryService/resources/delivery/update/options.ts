import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { Result } from '../../../common/result';
import { check } from '../../../service/validation';
import { filledIn, readCollection, type ParameterReader } from '../../../common/parameters';
import { waitingFields, waitingLabels, waitingShape } from '../waiting';

const waiting = {
	timeoutSeconds: 60,
	descriptions: {
		maximumWait: 'How long to try a request again while the service is too busy to take it',
		timeout:
			'How long to wait for an answer. When none comes, the same changes are sent again, up to three times in all.',
	},
};

const { maximumWait, timeout } = waitingFields(waiting);

const optionsSchema = z.object(waitingShape(waiting));

export type UpdateOptions = z.infer<typeof optionsSchema>;

/** The options, which hold for the whole run: those of the first item. */
export function readUpdateOptions(parameters: ParameterReader): Result<UpdateOptions> {
	const given = filledIn(readCollection(parameters, 'options', 0));
	return check(optionsSchema, given, 'Option', waitingLabels);
}

export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [maximumWait, timeout],
};
