/**
 * An in-memory service that simulates any API variant of creating deliveries. Tests compare what a
 * run reports with what the model has created.
 */
import fc from 'fast-check';

import type { Exchange } from '../../nodes/DeliveryService/service/client';
import type { CreationBody, Delivery } from '../../nodes/DeliveryService/service/schemas';

/** An API variant of the model, put together from how each part of the document is interpreted. */
export interface ModelVariant {
	/** What it has created of a request with several deliveries when it refuses one of them. */
	refusalCreates: 'nothing' | 'those before' | 'all others';
	/** The status of a refusal; 200 is a success with the code of an error. */
	refusalStatus: number;
	/** What a refusal holds: nothing, the records of what was created, and of what was not. */
	refusalRecords: 'none' | 'created' | 'all';
	/** The status of a success; 204 has no body. */
	success: 200 | 201 | 202 | 204;
	index: 'from 0' | 'from 1' | 'text' | 'text from 1' | 'null' | 'absent';
	reference: 'same' | 'spaces' | 'lower case' | 'without #' | 'number' | 'null' | 'absent';
	id: 'text' | 'number';
	order: 'as sent' | 'reversed' | 'rotated';
	missing: 'none' | 'first' | 'last' | 'every second' | 'all';
	/** Whether each record comes twice, or one of somebody else's delivery comes besides. */
	more: 'none' | 'twice' | 'stray';
	envelope: 'documented' | 'list' | 'object with a list' | 'no payload';
}

/** What the document says. */
export const documented: ModelVariant = {
	refusalCreates: 'nothing',
	refusalStatus: 400,
	refusalRecords: 'none',
	success: 200,
	index: 'from 0',
	reference: 'same',
	id: 'text',
	order: 'as sent',
	missing: 'none',
	more: 'none',
	envelope: 'documented',
};

/** Refusals after which nobody knows what was carried out of a request with several deliveries. */
const refusals = [400, 402, 403, 404, 405, 409, 410, 413, 415, 418, 422, 431, 451];

/** The documented form in two thirds of the variants, so that few other forms occur together. */
function mostly<Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> {
	return fc.oneof(
		{ arbitrary: fc.constant(usual), weight: 2 },
		{ arbitrary: fc.constantFrom(...others), weight: 1 },
	);
}

export const modelVariants: fc.Arbitrary<ModelVariant> = fc.record({
	refusalCreates: fc.constantFrom<ModelVariant['refusalCreates'][]>(
		'nothing',
		'those before',
		'all others',
	),
	refusalStatus: fc.constantFrom(200, ...refusals),
	refusalRecords: fc.constantFrom<ModelVariant['refusalRecords'][]>('none', 'created', 'all'),
	success: mostly<ModelVariant['success']>(200, 201, 202, 204),
	index: mostly<ModelVariant['index']>('from 0', 'from 1', 'text', 'text from 1', 'null', 'absent'),
	reference: mostly<ModelVariant['reference']>(
		'same',
		'spaces',
		'lower case',
		'without #',
		'number',
		'null',
		'absent',
	),
	id: mostly<ModelVariant['id']>('text', 'number'),
	order: mostly<ModelVariant['order']>('as sent', 'reversed', 'rotated'),
	missing: mostly<ModelVariant['missing']>('none', 'first', 'last', 'every second', 'all'),
	more: mostly<ModelVariant['more']>('none', 'twice', 'stray'),
	envelope: mostly<ModelVariant['envelope']>(
		'documented',
		'list',
		'object with a list',
		'no payload',
	),
});

/** What comes between one request and its answer. */
export interface Fault {
	/** The status of the answer; 0 when none comes. */
	status: number;
	/** The error of the connection when no answer comes. */
	code: string;
	/** How much of the request is carried out all the same. */
	work: 'nothing' | 'half' | 'all';
	/** Whether the answer names what was created. */
	hasRecords: boolean;
	retryAfter: string | undefined;
	body: 'json' | 'html' | 'empty';
}

/** Errors that come only before there is a connection. */
const neverConnected = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

export const faults: fc.Arbitrary<Fault> = fc.record({
	status: fc.oneof(
		fc.constant(0),
		fc.constantFrom(429, 503),
		fc.constantFrom(...refusals, 401, 408),
		fc.constantFrom(200, 202, 204, 301, 302, 303, 307, 308, 500, 502, 504),
	),
	code: fc.constantFrom(
		...neverConnected,
		'ECONNRESET',
		'ETIMEDOUT',
		'ECONNABORTED',
		'EPIPE',
		'EHOSTUNREACH',
		'ENETUNREACH',
		'',
	),
	work: fc.constantFrom<Fault['work'][]>('nothing', 'half', 'all'),
	hasRecords: fc.boolean(),
	retryAfter: fc.constantFrom(undefined, undefined, '1', '20', '400', 'soon'),
	body: fc.constantFrom<Fault['body'][]>('json', 'json', 'html', 'empty'),
});

const page = '<!DOCTYPE html><title>Something came between</title>';

/** A delivery that exists. */
export interface Existing {
	id: string;
	/** The order that it is for. */
	order: string;
	/** The execution that asked for it. */
	execution: string;
	reference: string | undefined;
	company: number | undefined;
}

/** Which order a delivery is for: the sequences write it into the name of the recipient. */
export function orderOf({ dropoff }: Delivery): string {
	return dropoff.contact.name;
}

type CreatedRecord = Record<string, unknown>;

/** A service that simulates one variant, with a fault or none for each request in order. */
export class ServiceModel {
	readonly existing: Existing[] = [];

	private requests = 0;

	/** The company of the request that is at hand. */
	private company: number | undefined;

	/**
	 * @param bad the orders that it refuses
	 * @param keepsPromise whether a refused request has created nothing
	 */
	constructor(
		public variant: ModelVariant,
		public faults: ReadonlyArray<Fault | undefined>,
		private readonly bad: ReadonlySet<string>,
		private readonly keepsPromise: boolean,
	) {}

	/** Carries a request out as far as that goes, and answers. */
	handle({ deliveries, companyId }: CreationBody, execution: string): Exchange {
		this.company = companyId;
		const fault = this.faults[this.requests++];
		if (fault) return this.disturbed(deliveries, execution, fault);
		const isBad = deliveries.map((delivery) => this.bad.has(orderOf(delivery)));
		return isBad.includes(true)
			? this.refused(deliveries, execution, isBad)
			: this.done(deliveries, execution);
	}

	private done(deliveries: readonly Delivery[], execution: string): Exchange {
		const { success } = this.variant;
		const records = this.create(deliveries, () => true, execution);
		if (success === 204) return answer(204, undefined);
		return answer(success, this.envelope('OK', 'Success', this.shown(records)));
	}

	private refused(
		deliveries: readonly Delivery[],
		execution: string,
		isBad: readonly boolean[],
	): Exchange {
		const { refusalCreates, refusalStatus, refusalRecords } = this.variant;
		const isRefusal = refusalStatus >= 400;
		const first = isBad.indexOf(true);
		const creates = this.keepsPromise && isRefusal ? 'nothing' : refusalCreates;
		const created = this.create(
			deliveries,
			(position) =>
				!isBad[position] &&
				(creates === 'all others' || (creates === 'those before' && position < first)),
			execution,
		);
		const failed = deliveries.flatMap((_, position) =>
			isBad[position] ? [{ index: this.index(position), error: 'The address is not known' }] : [],
		);
		const records =
			refusalRecords === 'none'
				? []
				: [...this.shown(created), ...(refusalRecords === 'all' ? failed : [])];
		return answer(refusalStatus, this.envelope('ERROR', 'An address is not known', records));
	}

	private disturbed(deliveries: readonly Delivery[], execution: string, fault: Fault): Exchange {
		const { status, code, body, retryAfter } = fault;
		const most = { nothing: 0, half: Math.ceil(deliveries.length / 2), all: deliveries.length };
		const count = most[fault.work];
		const wouldShow =
			fault.hasRecords && body === 'json' && this.shown(deliveries.slice(0, count)).length > 0;
		const isCarriedOut = this.mayCarryOut(fault, deliveries.length, wouldShow);
		const records = this.create(
			deliveries,
			(position) => isCarriedOut && position < count,
			execution,
		);
		if (status === 0) {
			const isNever = neverConnected.includes(code);
			return { kind: 'noResponse', code, ...(isNever && { neverConnected: true }) };
		}
		const headers: Record<string, string> =
			retryAfter === undefined ? {} : { 'retry-after': retryAfter };
		if (body !== 'json') return answer(status, body === 'html' ? page : undefined, headers);
		const shown = fault.hasRecords ? this.shown(records) : [];
		return answer(status, this.envelope('ERROR', 'Something came between', shown), headers);
	}

	/** Whether a request that was answered so may have been carried out, as HTTP says. */
	private mayCarryOut(
		{ status, code, retryAfter, body }: Fault,
		count: number,
		wouldShow: boolean,
	): boolean {
		if (status === 0) return !neverConnected.includes(code);
		if (status === 401 || [301, 302, 307, 308].includes(status)) return false;
		if (status === 429) return wouldShow;
		// A gateway answers with a page when it did not wait for the service, which goes on working.
		if (status === 503 && retryAfter !== undefined && body !== 'html') return wouldShow;
		if (status < 400 || status >= 500 || status === 408) return true;
		return !this.keepsPromise && (count > 1 || wouldShow);
	}

	/** Creates some of the deliveries, and gives their records. */
	private create(
		deliveries: readonly Delivery[],
		isCreated: (position: number) => boolean,
		execution: string,
	): CreatedRecord[] {
		return deliveries.flatMap((delivery, position) => {
			if (!isCreated(position)) return [];
			const id = String(this.existing.length + 1);
			const { company } = this;
			const reference = delivery.referenceId;
			this.existing.push({ id, order: orderOf(delivery), execution, reference, company });
			const index = this.index(position);
			const referenceId = this.reference(reference);
			return [
				{
					id: this.variant.id === 'number' ? Number(id) : id,
					...(index !== undefined && { index }),
					...(referenceId !== undefined && { referenceId }),
				},
			];
		});
	}

	private index(position: number): unknown {
		switch (this.variant.index) {
			case 'from 0':
				return position;
			case 'from 1':
				return position + 1;
			case 'text':
				return String(position);
			case 'text from 1':
				return String(position + 1);
			case 'null':
				return null;
			case 'absent':
				return undefined;
		}
	}

	private reference(reference: string | undefined): unknown {
		if (reference === undefined) return undefined;
		switch (this.variant.reference) {
			case 'same':
				return reference;
			case 'spaces':
				return ` ${reference}  `;
			case 'lower case':
				return reference.toLowerCase();
			case 'without #':
				return reference.replace(/^#/, '');
			case 'number':
				return /^\d+$/.test(reference) ? Number(reference) : reference;
			case 'null':
				return null;
			case 'absent':
				return undefined;
		}
	}

	/** The records that the answer holds, of all that it could hold. */
	private shown<Entry>(records: readonly Entry[]): Array<Entry | CreatedRecord> {
		const { missing, more, order, envelope } = this.variant;
		if (envelope === 'no payload') return [];
		const kept = records.filter((_, position) => {
			if (missing === 'first') return position > 0;
			if (missing === 'last') return position < records.length - 1;
			if (missing === 'every second') return position % 2 === 0;
			return missing === 'none';
		});
		const given: Array<Entry | CreatedRecord> = more === 'twice' ? [...kept, ...kept] : [...kept];
		if (more === 'stray' && kept.length > 0) given.push({ id: 'stray', index: 999 });
		if (order === 'reversed') return given.reverse();
		return order === 'rotated' ? [...given.slice(1), ...given.slice(0, 1)] : given;
	}

	private envelope(code: string, message: string, records: readonly unknown[]): unknown {
		switch (this.variant.envelope) {
			case 'documented':
				return { code, message, payload: records };
			case 'list':
				return records;
			case 'object with a list':
				return { code, message, payload: { deliveries: records } };
			case 'no payload':
				return { code, message };
		}
	}
}

function answer(
	status: number,
	body: unknown,
	headers: Readonly<Record<string, string>> = {},
): Exchange {
	return { kind: 'response', status, headers, body };
}
