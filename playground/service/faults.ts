import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

import type { ServiceResponse } from './shapes';

const createEndpoint = { method: 'POST', path: '/v1/deliveries' };
const hourMs = 3_600_000;

const count = z.number().int().min(1).nullable();
const scope = {
	/** The HTTP method; by default any. */
	method: z
		.string()
		.transform((method) => method.toUpperCase())
		.optional(),
	/** The start of the path; by default any. */
	path: z.string().startsWith('/').optional(),
	/** Only requests that create one of these references, which may arrive in any order. */
	referenceIds: z.array(z.string()).min(1).optional(),
	/** The number of matching requests to let through first. */
	skip: z.number().int().min(0).default(0),
	/** The number of matching requests to affect; null for all. */
	times: count.default(1),
};
const responseFields = {
	status: z.number().int().min(200).max(599),
	body: z.unknown(),
	headers: z.record(z.string()).default({}),
};

/** A fault to inject. It happens before or after the request is handled, depending on its kind. */
export const faultSchema = z.discriminatedUnion('kind', [
	/** Responds without handling the request. */
	z.object({ ...scope, kind: z.literal('status'), ...responseFields }).strict(),
	/** Handles the request, then sends this response instead. */
	z.object({ ...scope, kind: z.literal('statusAfter'), ...responseFields }).strict(),
	/** Waits, then handles the request, even if the client has disconnected. */
	z
		.object({ ...scope, kind: z.literal('delay'), ms: z.number().int().min(0).max(hourMs) })
		.strict(),
	/** Resets the connection without handling the request. */
	z.object({ ...scope, kind: z.literal('resetBefore') }).strict(),
	/** Handles the request, then resets the connection. */
	z.object({ ...scope, kind: z.literal('resetAfter') }).strict(),
	/** Neither handles the request nor responds. */
	z.object({ ...scope, kind: z.literal('hang') }).strict(),
	/** Handles the request, but never responds. */
	z.object({ ...scope, kind: z.literal('hangAfter') }).strict(),
	/** Handles the request, then responds 200 with HTML. */
	z.object({ ...scope, kind: z.literal('garbage') }).strict(),
	/** Handles the request, then responds with `code` and `message` only. */
	z.object({ ...scope, kind: z.literal('emptySuccess') }).strict(),
	/** Create only: omits the first `count` records from the response. */
	z
		.object({ ...scope, kind: z.literal('missingRecords'), count: z.number().int().min(1) })
		.strict(),
	/** Create only: rotates the records of the response, so that none is in its place. */
	z.object({ ...scope, kind: z.literal('shuffleRecords') }).strict(),
	/** Create only: omits the index of all records from the response. */
	z.object({ ...scope, kind: z.literal('withoutIndex') }).strict(),
]);

export type FaultInput = z.input<typeof faultSchema>;
export type Fault = z.infer<typeof faultSchema>;

/** The request that a fault must match. */
export interface FaultTarget {
	readonly method: string;
	readonly path: string;
	/** The references in a create request. */
	readonly references: ReadonlySet<string>;
}

/** The pending faults, in the order in which they were added. */
export class Faults {
	private pending: Array<{ fault: Fault; skip: number; times: number }> = [];

	/** Removes all faults. */
	clear(): void {
		this.pending = [];
	}

	/** Removes a fault, if it is still pending. */
	remove(fault: Fault): void {
		this.pending = this.pending.filter((entry) => entry.fault !== fault);
	}

	/** Whether a fault will still affect requests. */
	isPending(fault: Fault): boolean {
		return this.pending.some((entry) => entry.fault === fault);
	}

	/** Adds a fault after the pending ones; returns it with its defaults. Throws a ZodError. */
	add(input: FaultInput): Fault {
		const fault = faultSchema.parse(input);
		this.pending.push({ fault, skip: fault.skip, times: fault.times ?? Infinity });
		return fault;
	}

	/**
	 * Returns the fault to inject into a request: the first one that matches and has no request left
	 * to skip. At most one fault affects a request.
	 */
	take(target: FaultTarget): Fault | undefined {
		for (const entry of this.pending) {
			if (!matches(entry.fault, target)) continue;
			if (entry.skip > 0) {
				entry.skip -= 1;
				continue;
			}
			entry.times -= 1;
			if (entry.times === 0) this.pending = this.pending.filter((other) => other !== entry);
			return entry.fault;
		}
		return undefined;
	}
}

/** Returns the response of a `status` or `statusAfter` fault. */
export function faultResponse(fault: {
	status: number;
	body?: unknown;
	headers: Record<string, string>;
}): ServiceResponse {
	const { status, headers } = fault;
	const body = fault.body ?? {
		code: String(status),
		message: STATUS_CODES[status] ?? 'Injected fault',
	};
	return { status, body, headers };
}

const successShape = z
	.object({ code: z.string(), message: z.string(), payload: z.array(z.object({}).passthrough()) })
	.partial()
	.passthrough();

/** Returns the response to a handled request after the fault was injected. */
export function applyFault(fault: Fault | undefined, original: ServiceResponse): ServiceResponse {
	if (fault?.kind === 'statusAfter') return faultResponse(fault);
	if (fault?.kind === 'garbage') {
		return {
			status: 200,
			body: '<!doctype html><title>Gateway</title><p>This is a gateway.</p>',
			headers: { 'Content-Type': 'text/html; charset=utf-8' },
		};
	}
	const success = successShape.safeParse(original.body);
	if (original.status !== 200 || !success.success) return original;
	const { code, message, payload = [] } = success.data;
	switch (fault?.kind) {
		case 'emptySuccess':
			return { ...original, body: { code, message } };
		case 'missingRecords':
			return { ...original, body: { ...success.data, payload: payload.slice(fault.count) } };
		case 'shuffleRecords':
			return {
				...original,
				body: { ...success.data, payload: [...payload.slice(1), ...payload.slice(0, 1)] },
			};
		case 'withoutIndex':
			return { ...original, body: { ...success.data, payload: payload.map(withoutIndex) } };
		default:
			return original;
	}
}

function withoutIndex(record: object): object {
	return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'index'));
}

function matches(fault: Fault, { method, path, references }: FaultTarget): boolean {
	if (fault.method !== undefined && fault.method !== method) return false;
	if (fault.path !== undefined && !path.startsWith(fault.path)) return false;
	if (fault.referenceIds?.some((referenceId) => references.has(referenceId)) === false)
		return false;
	switch (fault.kind) {
		case 'missingRecords':
		case 'shuffleRecords':
		case 'withoutIndex':
			return method === createEndpoint.method && path === createEndpoint.path;
		default:
			return true;
	}
}
