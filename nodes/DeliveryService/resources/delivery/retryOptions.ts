import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

/** What is particular to an operation about waiting for the service. */
interface RetryDefaults {
	/** What the option Timeout starts with. */
	timeoutSeconds: number;
	/** What the user reads below each of the options. */
	descriptions: { maximumWait: string; timeout: string };
}

const defaultMaxRetrySeconds = 300;

/** A timer of more than 24 days would go off at once; an hour is far below that. */
const maxTimeoutSeconds = 3600;

/** The labels of both options in messages. */
export const retryLabels = { maxRetrySeconds: 'maximum wait', timeoutSeconds: 'timeout' };

/** A number of an option, which an expression may give as text. */
export const numberBetween = (min: number, max = Infinity) => z.coerce.number().min(min).max(max);

/** How the options Max Retry Time and Timeout are read. */
export function retryShape({ timeoutSeconds }: RetryDefaults) {
	return {
		maxRetrySeconds: numberBetween(0).default(defaultMaxRetrySeconds),
		timeoutSeconds: numberBetween(1, maxTimeoutSeconds).default(timeoutSeconds),
	};
}

/** The options Max Retry Time and Timeout as the user sees them. */
export function retryFields({
	timeoutSeconds,
	descriptions,
}: RetryDefaults): Record<'maximumWait' | 'timeout', INodeProperties> {
	return {
		maximumWait: {
			displayName: 'Max Retry Time (Seconds)',
			name: 'maxRetrySeconds',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: defaultMaxRetrySeconds,
			description: descriptions.maximumWait,
		},
		timeout: {
			displayName: 'Timeout (Seconds)',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: maxTimeoutSeconds },
			default: timeoutSeconds,
			description: descriptions.timeout,
		},
	};
}
