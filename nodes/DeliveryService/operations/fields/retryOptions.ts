import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import { amount, numeric } from '../../service/values';

const defaultMaxRetrySeconds = 300;

/** A timer of more than 24 days would fire immediately; an hour is far below that. */
const maxTimeoutSeconds = 3600;

/** The names of both options in messages. */
export const retryLabels = { maxRetrySeconds: 'max retry time', timeoutSeconds: 'timeout' };

/** The schemas of Max Retry Time and Timeout. */
export function retryShape(timeoutSeconds: number) {
	return {
		maxRetrySeconds: amount.default(defaultMaxRetrySeconds),
		timeoutSeconds: numeric(z.number().min(1).max(maxTimeoutSeconds)).default(timeoutSeconds),
	};
}

/** The fields of Max Retry Time and Timeout, with their descriptions. */
export function retryFields(timeoutSeconds: number, maxRetryTime: string, timeout: string) {
	return {
		maxRetryTime: {
			displayName: 'Max Retry Time (Seconds)',
			name: 'maxRetrySeconds',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: defaultMaxRetrySeconds,
			description: maxRetryTime,
		} satisfies INodeProperties,
		timeout: {
			displayName: 'Timeout (Seconds)',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: maxTimeoutSeconds },
			default: timeoutSeconds,
			description: timeout,
		} satisfies INodeProperties,
	};
}
