import type { FaultInput } from './faults';

const creation = { method: 'POST', path: '/v1/deliveries' };

/** A problem that a visitor of the page can cause. */
interface Problem {
	/** The text of its button. */
	readonly label: string;
	/** What to do next, and what will be seen. */
	readonly text: string;
	readonly fault: FaultInput;
}

/**
 * The problems that the page offers, by name. Most last until they are ended: several executions may
 * send the same order, since the shop reports each as new and as updated.
 */
export const problems = {
	rejection: {
		label: 'Reject all orders',
		text: 'Then press New orders in the shop. An email for each order says that it was rejected, and why.',
		fault: {
			...creation,
			kind: 'status',
			status: 422,
			times: null,
			body: { code: 'NO_COURIER', message: 'No courier drives there' },
		},
	},
	lostResponse: {
		label: 'Lose the next response',
		text: 'Then press New orders in the shop. n8n does not learn that a delivery was created. An email says what to look for.',
		fault: { ...creation, kind: 'resetAfter' },
	},
	outage: {
		label: 'Be down',
		text: 'Then press New orders in the shop. n8n tries again for five minutes. End it before: all are sent once, without an email.',
		fault: {
			kind: 'status',
			status: 503,
			times: null,
			headers: { 'Retry-After': '10' },
			body: { code: 'UNAVAILABLE', message: 'The service is down for maintenance' },
		},
	},
	wrongKey: {
		label: 'Reject the API key',
		text: 'Then press New orders in the shop. An email for each order names the cause.',
		fault: {
			kind: 'status',
			status: 401,
			times: null,
			body: { code: 'UNAUTHORIZED', message: 'The API key is not valid' },
		},
	},
} as const satisfies Readonly<Record<string, Problem>>;

export type ProblemName = keyof typeof problems;
