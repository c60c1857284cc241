import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

import type { Answer } from './shapes';

const creationEndpoint = { method: 'POST', path: '/v1/deliveries' };
const hourMs = 3_600_000;

const count = z.number().int().min(1).nullable();
const scope = {
	/** HTTP method; any when left out. */
	method: z
		.string()
		.transform((method) => method.toUpperCase())
		.optional(),
	/** Beginning of the path; any when left out. */
	path: z.string().startsWith('/').optional(),
	/** So many matching requests pass untouched first. */
	skip: z.number().int().min(0).default(0),
	/** So many matching requests are hit; null: all from then on. */
	times: count.default(1),
};
const answer = {
	status: z.number().int().min(200).max(599),
	body: z.unknown(),
	headers: z.record(z.string()).default({}),
};

/** A fault to inject. Which of them happen before and which after the work: see each kind. */
export const faultSchema = z.discriminatedUnion('kind', [
	/** Answered so; the work is not done. */
	z.object({ ...scope, kind: z.literal('status'), ...answer }).strict(),
	/** The work is done, then answered so. */
	z.object({ ...scope, kind: z.literal('statusAfter'), ...answer }).strict(),
	/** Waits, then goes on as usual, even if the client has gone. */
	z
		.object({ ...scope, kind: z.literal('delay'), ms: z.number().int().min(0).max(hourMs) })
		.strict(),
	/** Connection reset; the work is not done. */
	z.object({ ...scope, kind: z.literal('resetBefore') }).strict(),
	/** The work is done, then the connection is reset. */
	z.object({ ...scope, kind: z.literal('resetAfter') }).strict(),
	/** Never answered; the work is not done. */
	z.object({ ...scope, kind: z.literal('hang') }).strict(),
	/** The work is done, but never answered. */
	z.object({ ...scope, kind: z.literal('hangAfter') }).strict(),
	/** The work is done; the answer waits until the control releases it. */
	z.object({ ...scope, kind: z.literal('holdAfter') }).strict(),
	/** The work is done; answered 200 with HTML. */
	z.object({ ...scope, kind: z.literal('garbage') }).strict(),
	/** The work is done; answered with `code` and `message` only. */
	z.object({ ...scope, kind: z.literal('emptySuccess') }).strict(),
	/** Creation only: the first so many records are left out of the answer. */
	z
		.object({ ...scope, kind: z.literal('missingRecords'), count: z.number().int().min(1) })
		.strict(),
	/** Creation only: no record of the answer is in its place (two or more records). */
	z.object({ ...scope, kind: z.literal('shuffleRecords') }).strict(),
	/** Creation only: the records of the answer have no index. */
	z.object({ ...scope, kind: z.literal('withoutIndex') }).strict(),
	/** Creation only: a request that holds one of these references is refused as a whole. */
	z
		.object({
			...scope,
			times: count.default(null),
			kind: z.literal('rejectReference'),
			referenceIds: z.array(z.string()).min(1),
			status: z.union([z.literal(400), z.literal(422)]).default(422),
		})
		.strict(),
]);

export type FaultInput = z.input<typeof faultSchema>;
export type Fault = z.infer<typeof faultSchema>;

/** What a fault is matched against. */
export interface FaultTarget {
	readonly method: string;
	readonly path: string;
	/** The references that a creation request holds. */
	readonly references: ReadonlySet<string>;
}

/** The faults that wait for a request, in the order in which they were added. */
export class Faults {
	private waiting: Array<{ fault: Fault; skip: number; times: number }> = [];

	/** Removes all. */
	clear(): void {
		this.waiting = [];
	}

	/** Adds one, behind those that are there; gives it with its defaults. Throws a ZodError. */
	add(input: FaultInput): Fault {
		const fault = faultSchema.parse(input);
		this.waiting.push({ fault, skip: fault.skip, times: fault.times ?? Infinity });
		return fault;
	}

	/**
	 * The fault that hits this request: the first one that matches it and does not let it pass.
	 * A request is hit by one fault at most.
	 */
	take(target: FaultTarget): Fault | undefined {
		for (const entry of this.waiting) {
			if (!matches(entry.fault, target)) continue;
			if (entry.skip > 0) {
				entry.skip -= 1;
				continue;
			}
			entry.times -= 1;
			if (entry.times === 0) this.waiting = this.waiting.filter((other) => other !== entry);
			return entry.fault;
		}
		return undefined;
	}
}

/** The answer that a `status` or `statusAfter` fault asks for. */
export function faultAnswer(fault: {
	status: number;
	body?: unknown;
	headers: Record<string, string>;
}): Answer {
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

/** The answer to a request whose work was done, as the fault leaves it. */
export function spoiled(fault: Fault | undefined, original: Answer): Answer {
	if (fault?.kind === 'statusAfter') return faultAnswer(fault);
	if (fault?.kind === 'garbage') {
		return {
			status: 200,
			body: '<!doctype html><title>Gateway</title><p>Something else answered.</p>',
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
			return {
				...original,
				body: { ...success.data, payload: payload.map(withoutIndex) },
			};
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
	switch (fault.kind) {
		case 'missingRecords':
		case 'shuffleRecords':
		case 'withoutIndex':
			return method === creationEndpoint.method && path === creationEndpoint.path;
		case 'rejectReference':
			return fault.referenceIds.some((referenceId) => references.has(referenceId));
		default:
			return true;
	}
}
