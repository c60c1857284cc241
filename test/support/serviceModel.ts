/**
 * An in-memory service that simulates any API variant of creating deliveries. Tests compare what a
 * run reports with what the model has created.
 */
import fc from 'fast-check';

import type { Exchange } from '../../nodes/DeliveryService/service/client';
import type { CreationBody, Delivery } from '../../nodes/DeliveryService/service/schemas';
import { noResponse, respondWith } from './creations';

/** An API variant of the model, put together from how each part of the document is interpreted. */
export interface ModelVariant {
	/** The deliveries of a batch that exist after one of them is rejected. */
	rejectionCreates: 'nothing' | 'those before' | 'all others';
	/** The status of a rejection; 200 is a success with an error code. */
	rejectionStatus: number;
	/** The records in a rejection: none, those of created deliveries, or of all. */
	rejectionRecords: 'none' | 'created' | 'all';
	/** The status of a success; 204 has no body. */
	success: 200 | 201 | 202 | 204;
	index: 'from 0' | 'null' | 'absent';
	/** `trimmed` is without a number sign. */
	reference: 'same' | 'trimmed' | 'null' | 'absent';
	id: 'text' | 'number';
	order: 'as sent' | 'reversed' | 'rotated';
	missing: 'none' | 'first' | 'last' | 'every second' | 'all';
	/** Whether each record is returned twice, or with one of an unrelated delivery. */
	more: 'none' | 'twice' | 'stray';
	envelope: 'documented' | 'no payload';
}

/** The variant that the API document describes. */
export const documented: ModelVariant = {
	rejectionCreates: 'nothing',
	rejectionStatus: 400,
	rejectionRecords: 'none',
	success: 200,
	index: 'from 0',
	reference: 'same',
	id: 'text',
	order: 'as sent',
	missing: 'none',
	more: 'none',
	envelope: 'documented',
};

/** Statuses of a rejection after which it is unknown which deliveries of a batch were created. */
const rejectionStatuses = [400, 402, 403, 404, 405, 409, 410, 413, 415, 418, 422, 431, 451];

/** The usual form in two thirds of the variants, so that only a few other forms occur together. */
function mostly<Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> {
	return fc.oneof(
		{ arbitrary: fc.constant(usual), weight: 2 },
		{ arbitrary: fc.constantFrom(...others), weight: 1 },
	);
}

export const modelVariants: fc.Arbitrary<ModelVariant> = fc.record({
	rejectionCreates: fc.constantFrom<ModelVariant['rejectionCreates'][]>(
		'nothing',
		'those before',
		'all others',
	),
	rejectionStatus: fc.constantFrom(200, ...rejectionStatuses),
	rejectionRecords: fc.constantFrom<ModelVariant['rejectionRecords'][]>('none', 'created', 'all'),
	success: mostly<ModelVariant['success']>(200, 201, 202, 204),
	index: mostly<ModelVariant['index']>('from 0', 'null', 'absent'),
	reference: mostly<ModelVariant['reference']>('same', 'trimmed', 'null', 'absent'),
	id: mostly<ModelVariant['id']>('text', 'number'),
	order: mostly<ModelVariant['order']>('as sent', 'reversed', 'rotated'),
	missing: mostly<ModelVariant['missing']>('none', 'first', 'last', 'every second', 'all'),
	more: mostly<ModelVariant['more']>('none', 'twice', 'stray'),
	envelope: mostly<ModelVariant['envelope']>('documented', 'no payload'),
});

/** A fault between a request and its response. */
export interface Fault {
	/** The status of the response; 0 if there is none. */
	status: number;
	/** The error of the connection if there is no response. */
	code: string;
	/** How many deliveries of the request are created anyway. */
	work: 'nothing' | 'half' | 'all';
	/** Whether the response contains the records of the created deliveries. */
	hasRecords: boolean;
	retryAfter: string | undefined;
	body: 'json' | 'html' | 'empty';
}

/** Errors that occur only before a connection exists. */
const neverConnected = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

export const faults: fc.Arbitrary<Fault> = fc.record({
	status: fc.oneof(
		fc.constant(0),
		fc.constantFrom(429, 503),
		fc.constantFrom(...rejectionStatuses, 401, 408),
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

const page = '<!DOCTYPE html><title>Gateway error</title>';

/** An existing delivery. */
export interface Existing {
	id: string;
	/** The order of the delivery. */
	order: string;
	/** The execution that requested it. */
	execution: string;
	reference: string | undefined;
	company: number | undefined;
}

/** The order of a delivery, which the random sequences set as the recipient's name. */
export function orderOf({ dropoff }: Delivery): string {
	return dropoff.contact.name;
}

type CreatedRecord = Record<string, unknown>;

/** A service that simulates one variant, with an optional fault for each request in order. */
export class ServiceModel {
	readonly existing: Existing[] = [];

	private requests = 0;

	/** The company of the current request. */
	private company: number | undefined;

	/**
	 * @param invalidOrders the orders that it rejects
	 */
	constructor(
		public variant: ModelVariant,
		public faults: ReadonlyArray<Fault | undefined>,
		private readonly invalidOrders: ReadonlySet<string>,
	) {}

	/** Handles a request, including its fault. @returns the exchange that the client sees */
	handle({ deliveries, companyId }: CreationBody, execution: string): Exchange {
		this.company = companyId;
		const fault = this.faults[this.requests++];
		if (fault) return this.handleFault(deliveries, execution, fault);
		const isInvalid = deliveries.map((delivery) => this.invalidOrders.has(orderOf(delivery)));
		return isInvalid.includes(true)
			? this.reject(deliveries, execution, isInvalid)
			: this.accept(deliveries, execution);
	}

	private accept(deliveries: readonly Delivery[], execution: string): Exchange {
		const { success } = this.variant;
		const records = this.create(deliveries, () => true, execution);
		if (success === 204) return respondWith(204, undefined);
		return respondWith(success, this.envelope('OK', 'Success', this.returnedRecords(records)));
	}

	private reject(
		deliveries: readonly Delivery[],
		execution: string,
		isInvalid: readonly boolean[],
	): Exchange {
		const { rejectionCreates, rejectionStatus, rejectionRecords } = this.variant;
		const first = isInvalid.indexOf(true);
		const created = this.create(
			deliveries,
			(position) =>
				!isInvalid[position] &&
				(rejectionCreates === 'all others' ||
					(rejectionCreates === 'those before' && position < first)),
			execution,
		);
		const failed = deliveries.flatMap((_, position) =>
			isInvalid[position]
				? [{ index: this.index(position), error: 'The address is not known' }]
				: [],
		);
		const records =
			rejectionRecords === 'none'
				? []
				: [...this.returnedRecords(created), ...(rejectionRecords === 'all' ? failed : [])];
		return respondWith(rejectionStatus, this.envelope('ERROR', 'An address is not known', records));
	}

	private handleFault(deliveries: readonly Delivery[], execution: string, fault: Fault): Exchange {
		const { status, code, body, retryAfter } = fault;
		const countByWork = {
			nothing: 0,
			half: Math.ceil(deliveries.length / 2),
			all: deliveries.length,
		};
		const count = countByWork[fault.work];
		const wouldReturnRecords =
			fault.hasRecords &&
			body === 'json' &&
			this.returnedRecords(deliveries.slice(0, count)).length > 0;
		const isCreating = this.mayCreate(fault, deliveries.length, wouldReturnRecords);
		const records = this.create(
			deliveries,
			(position) => isCreating && position < count,
			execution,
		);
		if (status === 0) {
			const isNever = neverConnected.includes(code);
			return noResponse(code, isNever ? { neverConnected: true } : {});
		}
		const headers: Record<string, string> =
			retryAfter === undefined ? {} : { 'retry-after': retryAfter };
		if (body !== 'json') return respondWith(status, body === 'html' ? page : undefined, headers);
		const returned = fault.hasRecords ? this.returnedRecords(records) : [];
		return respondWith(status, this.envelope('ERROR', 'Gateway error', returned), headers);
	}

	/** Whether a request with this fault may create deliveries, according to HTTP. */
	private mayCreate(
		{ status, code, retryAfter, body }: Fault,
		count: number,
		wouldReturnRecords: boolean,
	): boolean {
		if (status === 0) return !neverConnected.includes(code);
		if (status === 401) return false;
		if (status === 429) return wouldReturnRecords;
		// Any other body comes from a gateway that did not wait for the service, which keeps working.
		const isFromService = body === 'json';
		if (status === 503 && retryAfter !== undefined && isFromService) return wouldReturnRecords;
		if (status < 400 || status >= 500 || status === 408) return true;
		return count > 1 || wouldReturnRecords;
	}

	/** Creates some of the deliveries. @returns their records */
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
			case 'trimmed':
				return reference.replace('#', '').trim();
			case 'null':
				return null;
			case 'absent':
				return undefined;
		}
	}

	/** The records in the response, as the variant returns them. */
	private returnedRecords<Entry>(records: readonly Entry[]): Array<Entry | CreatedRecord> {
		const { missing, more, order, envelope } = this.variant;
		if (envelope === 'no payload') return [];
		const kept = records.filter((_, position) => {
			if (missing === 'first') return position > 0;
			if (missing === 'last') return position < records.length - 1;
			if (missing === 'every second') return position % 2 === 0;
			return missing === 'none';
		});
		const returned: Array<Entry | CreatedRecord> =
			more === 'twice' ? [...kept, ...kept] : [...kept];
		if (more === 'stray' && kept.length > 0) returned.push({ id: 'stray', index: 999 });
		if (order === 'reversed') return returned.reverse();
		return order === 'rotated' ? [...returned.slice(1), ...returned.slice(0, 1)] : returned;
	}

	private envelope(code: string, message: string, records: readonly unknown[]): unknown {
		switch (this.variant.envelope) {
			case 'documented':
				return { code, message, payload: records };
			case 'no payload':
				return { code, message };
		}
	}
}
