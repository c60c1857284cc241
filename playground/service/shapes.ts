import { z } from 'zod';

/*
 * The types that the handlers use. Only openapi.yaml decides what is valid, before a handler runs;
 * these shapes only name the properties of a valid request.
 */

const locationShape = z.object({
	address: z.union([z.string(), z.record(z.string())]).optional(),
	instructions: z.string().optional(),
	lat: z.union([z.string(), z.number()]).optional(),
	lng: z.union([z.string(), z.number()]).optional(),
	warehouse: z.number().optional(),
});

const contactShape = z.object({
	name: z.string(),
	/** Samples omit it on a pickup. */
	email: z.string().optional(),
	phonenumber: z.string().optional(),
});

const placeShape = z.object({ contact: contactShape, location: locationShape });

const packageShape = z.object({
	id: z.string().optional(),
	name: z.string().optional(),
	qty: z.number().optional(),
	weight: z.number().optional(),
	size: z.union([z.string(), z.number()]).optional(),
	price: z.number().optional(),
});

const deliveryShape = z.object({
	pickup: placeShape,
	dropoff: placeShape,
	packages: z.array(packageShape),
	referenceId: z.string().optional(),
	tags: z.array(z.string()).optional(),
	extraData: z
		.array(z.object({ name: z.string(), value: z.string(), searchable: z.boolean().optional() }))
		.optional(),
	cod: z.number().optional(),
});

/** Body of the create request (docs/api.md, section 4.1). */
export const creationShape = z.object({
	deliveries: z.array(deliveryShape),
	companyId: z.number().optional(),
	type: z.enum(['flex', 'express', 'slot']).default('slot'),
});

/** Body of the update request (docs/api.md, section 4.2). */
export const updateShape = z.object({
	deliveryIds: z.array(z.string()).optional(),
	referenceIds: z.array(z.string()).optional(),
	deliveryChanges: z.object({
		location: locationShape.extend({ address: z.string().optional() }).optional(),
		contact: contactShape.partial().optional(),
		packages: z.array(packageShape).optional(),
		cod: z.number().optional(),
		referenceId: z.string().optional(),
		addTags: z.array(z.number()).optional(),
		removeTags: z.array(z.number()).optional(),
	}),
	recalculatePrice: z.boolean().optional(),
	reorderRoute: z.boolean().optional(),
	recalculateCity: z.boolean().optional(),
});

/** An event code of docs/api.md, section 6. */
export const actionShape = z.union([z.literal(1), z.literal(2), z.literal(3)]);

/** Body of the subscribe and unsubscribe requests (docs/api.md, sections 4.3 and 4.5). */
export const subscriptionShape = z.object({ url: z.string(), action: actionShape });

export type Location = z.infer<typeof locationShape>;
export type CreationRequest = z.infer<typeof creationShape>;
export type SubscriptionRequest = z.infer<typeof subscriptionShape>;
export type DeliveryRequest = z.infer<typeof deliveryShape>;
export type DeliveryType = z.infer<typeof creationShape>['type'];
export type UpdateRequest = z.infer<typeof updateShape>;
export type Action = z.infer<typeof actionShape>;

/** A created-delivery record (docs/api.md, section 2.6). */
export interface DeliveryRecord {
	readonly index: number;
	readonly id: string;
	readonly price: number;
	readonly currencyCode: string;
	readonly distance: number;
	readonly cityId: number;
	readonly destinationCityId: number;
	readonly insurance: number;
	readonly statusDelivery: string;
	readonly vehicleCapacity: number;
	readonly deliveryDate: string;
	readonly trackLink: string;
	readonly referenceId?: string;
}

/** A delivery in the local service: the request and the record in the response. */
export interface StoredDelivery {
	readonly request: DeliveryRequest;
	readonly record: DeliveryRecord;
	readonly companyId: number;
	readonly type: DeliveryType;
	/** IDs from `addTags`; the document does not show how they relate to tag names. */
	readonly tagIds: readonly number[];
}

/** A webhook subscription of a company (docs/api.md, section 2.7). */
export interface Webhook {
	readonly companyId: number;
	readonly url: string;
	readonly action: Action;
	readonly status: 'Active' | 'Banned';
}

/** The response to a request. */
export interface ServiceResponse {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Whether the connection is dropped instead of sending the response. */
	readonly isLost?: boolean;
}

/** A POST to a subscriber. */
export interface Call {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** A rejected request: becomes a response of `code` and `message` (docs/api.md, section 7). */
export class Rejection extends Error {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
		this.name = 'Rejection';
	}
}
