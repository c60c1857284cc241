import type { Creation } from '../../nodes/DeliveryService/sending/outcomes';
import type { Exchange } from '../../nodes/DeliveryService/service/client';
import { deliverySchema, type CreationBody } from '../../nodes/DeliveryService/service/schemas';
import { delivery } from './sampleDelivery';

/** A creation with this reference; only what tells one from another matters. */
export function creation(
	item: number,
	referenceId?: string,
	more: Omit<Partial<Creation>, 'item' | 'delivery'> = {},
): Creation {
	const named = referenceId === undefined ? unnamed : { ...unnamed, referenceId };
	return { item, delivery: named, ...more };
}

const unnamed = deliverySchema.parse(delivery());

/** So many creations, with the references R0, R1, ... or another letter. */
export function creationsOf(count: number, letter = 'R'): Creation[] {
	return Array.from({ length: count }, (_, item) => creation(item, `${letter}${item}`));
}

/** An answer of the service. */
export function answer(
	status: number,
	body?: unknown,
	headers: Record<string, string> = {},
): Exchange {
	return { kind: 'response', status, headers, body };
}

/** A service in memory that creates everything, except where a test says what it answers instead. */
export class FakeService {
	/** The references of each request that came, in order. */
	readonly requests: Array<Array<string | undefined>> = [];

	/** The references of what exists, in order; one twice is a delivery made twice. */
	readonly existing: Array<string | undefined> = [];

	/** @param respond what is answered instead of creating everything, or undefined */
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
		return await Promise.resolve(response ?? answer(200, this.create(references)));
	};

	/** Creates deliveries, and gives the body that says so. */
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
