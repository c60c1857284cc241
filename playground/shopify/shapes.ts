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

/** A fulfillment: packages on their way, with what the customer follows them by. */
export interface Fulfillment {
	readonly id: number;
	readonly order_id: number;
	readonly name: string;
	readonly status: 'success';
	readonly tracking_company: string | null;
	readonly tracking_number: string | null;
	readonly tracking_url: string | null;
	readonly [member: string]: unknown;
}

/** An order as Shopify's REST Admin API gives it, as far as the shop itself looks at it. */
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

/** What is to be shipped of an order from one place. */
export interface FulfillmentOrder {
	readonly id: number;
	readonly order_id: number;
	readonly status: 'open' | 'in_progress' | 'on_hold' | 'closed' | 'cancelled';
	readonly line_items: ReadonlyArray<{
		readonly id: number;
		readonly line_item_id: number;
		readonly quantity: number;
		readonly fulfillable_quantity: number;
		readonly [member: string]: unknown;
	}>;
	readonly [member: string]: unknown;
}

const idShape = z.coerce.number().int().positive();

/** Body of the call that creates a fulfillment. */
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

/** Body of the call that subscribes an address to a topic. */
export const webhookRequestShape = z.object({
	webhook: z.object({ topic: z.string(), address: z.string(), format: z.literal('json') }),
});

/** A request that Shopify refuses: the status, and what stands under `errors` in the answer. */
export class ShopRefusal extends Error {
	override readonly name = 'ShopRefusal';

	constructor(
		readonly status: number,
		readonly errors: unknown,
	) {
		super(typeof errors === 'string' ? errors : JSON.stringify(errors));
	}
}

/** A moment as Shopify writes it. */
export function timeText(ms: number): string {
	return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
}
