import { z } from 'zod';

const lineItemShape = z
	.object({
		id: z.number(),
		name: z.string(),
		variant_id: z.number().nullish(),
		fulfillable_quantity: z.number(),
		fulfillment_status: z.string().nullable(),
	})
	.passthrough();

/** A fulfillment: shipped packages with their tracking information. */
export interface Fulfillment {
	readonly id: number;
	readonly order_id: number;
	readonly name: string;
	readonly status: 'success';
	readonly tracking_company: string | null;
	readonly tracking_number: string | null;
	readonly tracking_url: string | null;
	/** The status of the last event, in lower case, or null before the first one. */
	readonly shipment_status: string | null;
	readonly [property: string]: unknown;
}

/** A fulfillment event: a status of a shipment, which the order page and emails show. */
export interface FulfillmentEvent {
	readonly id: number;
	readonly fulfillment_id: number;
	/** As in GraphQL, in capitals. */
	readonly status: string;
	readonly happened_at: string;
	readonly message: string | null;
}

/** An order as Shopify's REST Admin API returns it. Checks only the properties that the shop uses. */
export const orderShape = z
	.object({
		id: z.number(),
		name: z.string(),
		created_at: z.string(),
		processed_at: z.string(),
		updated_at: z.string(),
		closed_at: z.string().nullable(),
		cancelled_at: z.string().nullable(),
		email: z.string().nullable(),
		financial_status: z.string(),
		fulfillment_status: z.string().nullable(),
		shipping_address: z.record(z.unknown()).nullable(),
		line_items: z.array(lineItemShape),
		fulfillments: z.array(z.custom<Fulfillment>()),
	})
	.passthrough();

export type Order = z.infer<typeof orderShape>;
export type LineItem = z.infer<typeof lineItemShape>;

/** The line items of an order to ship from one location by one delivery method. */
export interface FulfillmentOrder {
	readonly id: number;
	readonly order_id: number;
	readonly status: 'open' | 'in_progress' | 'on_hold' | 'scheduled' | 'closed' | 'cancelled';
	/** When a scheduled fulfillment order opens. */
	readonly fulfill_at: string | null;
	readonly fulfillment_holds: ReadonlyArray<{ reason: string; reason_notes: string | null }>;
	readonly assigned_location: { readonly location_id: number; readonly name: string };
	readonly delivery_method: {
		readonly id: number;
		readonly method_type: string;
		readonly additional_information: { instructions?: string; phone?: string } | null;
	};
	readonly destination: object | null;
	readonly supported_actions: readonly string[];
	readonly line_items: ReadonlyArray<{
		readonly id: number;
		readonly line_item_id: number;
		readonly quantity: number;
		readonly fulfillable_quantity: number;
		readonly [property: string]: unknown;
	}>;
	readonly [property: string]: unknown;
}

const idShape = z.coerce.number().int().positive();

/** Body of the request that creates a fulfillment. */
export const fulfillmentRequestShape = z.object({
	fulfillment: z.object({
		line_items_by_fulfillment_order: z
			.array(
				z.object({
					fulfillment_order_id: idShape,
					fulfillment_order_line_items: z
						.array(z.object({ id: idShape, quantity: z.number().int().positive() }))
						.optional(),
				}),
			)
			.length(1),
		tracking_info: z
			.object({
				number: z.string().nullish(),
				url: z.string().nullish(),
				company: z.string().nullish(),
			})
			.default({}),
		notify_customer: z.boolean().default(false),
	}),
});

export type FulfillmentRequest = z.infer<typeof fulfillmentRequestShape>['fulfillment'];

/** Body of the request that subscribes a URL to a topic; `address` is Shopify's name for the URL. */
export const webhookRequestShape = z.object({
	webhook: z.object({ topic: z.string(), address: z.string(), format: z.literal('json') }),
});

/** A rejected request: the status and the `errors` of the response. */
export class ShopRejection extends Error {
	override readonly name = 'ShopRejection';

	constructor(
		readonly status: number,
		readonly errors: unknown,
	) {
		super(typeof errors === 'string' ? errors : JSON.stringify(errors));
	}
}

/** Formats a time as Shopify does. */
export function toShopifyTime(ms: number): string {
	return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
}
