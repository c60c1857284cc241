import type { Claim } from '../../nodes/DeliveryService/ledger/claims';
import type { Job } from '../../nodes/DeliveryService/sending/job';
import type { Exchange, NoResponse } from '../../nodes/DeliveryService/service/client';
import type { ServiceResponse } from '../../nodes/DeliveryService/service/response';
import { deliverySchema, type CreationBody } from '../../nodes/DeliveryService/service/schemas';
import { delivery } from './sampleDelivery';

/** A job with this reference. All jobs have the same delivery otherwise. */
export function job(
	item: number,
	referenceId?: string,
	{
		orderId,
		part,
		sentAs,
		companyId,
		...more
	}: Partial<Job> & Pick<Claim, 'orderId' | 'part' | 'sentAs'> = {},
): Job {
	if (referenceId === undefined) return { item, delivery: withoutReference, companyId, ...more };
	const claim = { referenceId, companyId, orderId, part, sentAs };
	const delivery = { ...withoutReference, referenceId };
	return { item, referenceId, companyId, claim, delivery, ...more };
}

const withoutReference = deliverySchema.parse(delivery());

/** A number of jobs with the references R0, R1, ... or another letter. */
export function jobsOf(count: number, letter = 'R'): Job[] {
	return Array.from({ length: count }, (_, item) => job(item, `${letter}${item}`));
}

/** A response of the service. */
export function respondWith(
	status: number,
	body?: unknown,
	headers: Record<string, string> = {},
): ServiceResponse {
	return { kind: 'response', status, headers, body, baseUrl: 'https://api.example.com' };
}

/** A request without a response, by the error code of the connection. */
export function noResponse(code: string, details: Partial<NoResponse> = {}): NoResponse {
	return { kind: 'noResponse', code, baseUrl: 'https://api.example.com', ...details };
}

/** An in-memory service that creates everything, unless a test provides another response. */
export class FakeService {
	/** The references of each request, in order. */
	readonly requests: Array<Array<string | undefined>> = [];

	/** The references of the existing deliveries, in order. A duplicate is a delivery created twice. */
	readonly existing: Array<string | undefined> = [];

	/** @param respond returns a response, or undefined to create all deliveries of the request */
	constructor(
		private readonly respond: (
			references: ReadonlyArray<string | undefined>,
			number: number,
			service: FakeService,
		) => Exchange | undefined = () => undefined,
	) {}

	readonly send = async (body: CreationBody): Promise<Exchange> => {
		const references = body.deliveries.map(({ referenceId }) => referenceId);
		this.requests.push(references);
		const response = this.respond(references, this.requests.length, this);
		return await Promise.resolve(response ?? respondWith(200, this.create(references)));
	};

	/** Creates deliveries. @returns the response body with their records */
	create(references: ReadonlyArray<string | undefined>): object {
		return {
			code: 'OK',
			message: 'Success',
			payload: references.map((referenceId, index) => {
				this.existing.push(referenceId);
				return { index, id: `d${this.existing.length}`, referenceId };
			}),
		};
	}
}
