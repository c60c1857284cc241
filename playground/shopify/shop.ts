import { samples } from './samples';
import {
	orderShape,
	ShopRejection,
	toShopifyTime,
	type Fulfillment,
	type FulfillmentOrder,
	type FulfillmentRequest,
	type LineItem,
	type Order,
} from './shapes';

/** Numbers that IDs are derived from; the IDs of the sample orders follow the same rule. */
const firstOrderId = 5_600_007_920_000;
const orderIdStep = 7919;
const firstLineItemId = 13_200_000_000_000;
const lineItemIdStep = 37;
const firstOrderNumber = 1000;
const firstFulfillmentOrderId = 6_700_000_000_000;
/** The distance between the IDs of fulfillment orders of one order at several locations. */
const locationStep = 1_000_000;
const firstFulfillmentId = 5_300_000_000_000;
const locationId = 61_000_000_001;

/** A message that the shop sent to a customer. */
export interface Notification {
	readonly orderId: number;
	readonly to: string | null;
	readonly trackingUrl: string | null;
}

/** Reports an event to webhooks, with the order or fulfillment that it is about. */
export type ReportEvent = (topic: string, resource: object) => void;

interface ShopOptions {
	readonly now: () => number;
	/** Called with every event. */
	readonly report: ReportEvent;
}

type OpenFulfillmentOrder = Pick<FulfillmentOrder, 'id' | 'order_id' | 'status' | 'line_items'>;

/**
 * The shop: orders, fulfillment orders and fulfillments. Entries are replaced, never modified, so that
 * returned orders don't change.
 */
export class Shop {
	private readonly ordersById = new Map<number, Order>();
	private readonly fulfillmentOrdersById = new Map<number, OpenFulfillmentOrder>();
	private readonly sentNotifications: Notification[] = [];
	/** Fulfillment orders whose next fulfillment fails. */
	private readonly failing = new Set<number>();
	private placed = 0;
	private lineItems = 0;
	private fulfillments = 0;

	constructor(private readonly options: ShopOptions) {}

	/** Deletes all orders and restarts the numbering. */
	clear(): void {
		this.ordersById.clear();
		this.fulfillmentOrdersById.clear();
		this.sentNotifications.length = 0;
		this.failing.clear();
		this.placed = this.lineItems = this.fulfillments = 0;
	}

	/** All orders, oldest first. */
	orders(): Order[] {
		return [...this.ordersById.values()];
	}

	/** Returns the order with this ID. Throws a ShopRejection (404) if there is none. */
	order(id: number): Order {
		const order = this.ordersById.get(id);
		if (order === undefined) throw new ShopRejection(404, 'Not Found');
		return order;
	}

	/** The notifications to customers, oldest first. */
	notifications(): Notification[] {
		return [...this.sentNotifications];
	}

	/**
	 * Places an order like a sample, by default the next one in the list, starting over after the last.
	 * Reports the order as created and as updated, as Shopify does for a paid order.
	 */
	place(sample = samples[this.placed % samples.length]): Order {
		if (sample === undefined) throw new Error('There are no sample orders');
		this.placed += 1;
		const number = this.placed;
		const id = firstOrderId + number * orderIdStep;
		const time = toShopifyTime(this.options.now());
		const order = orderShape.parse({
			...sample,
			id,
			admin_graphql_api_id: `gid://shopify/Order/${id}`,
			name: `#${firstOrderNumber + number}`,
			number,
			order_number: firstOrderNumber + number,
			created_at: time,
			processed_at: time,
			updated_at: time,
			cancelled_at: sample.cancelled_at && time,
			line_items: sample.line_items.map((item) => ({ ...item, id: this.nextLineItemId() })),
		});
		this.ordersById.set(id, order);
		this.addFulfillmentOrder(order, number);
		this.options.report('orders/create', order);
		this.options.report('orders/updated', order);
		return order;
	}

	/**
	 * Changes the shipping address of an order. Returns the updated order. Throws a ShopRejection: 404
	 * for an unknown order, 422 for an order without a shipping address.
	 */
	changeAddress(id: number, change: Readonly<Record<string, unknown>>): Order {
		const order = this.order(id);
		const before = order.shipping_address;
		if (before === null) {
			throw new ShopRejection(422, { shipping_address: ['is not needed for this order'] });
		}
		return this.update({ ...order, shipping_address: { ...before, ...change } });
	}

	/** Marks an order as paid. Returns the updated order. Throws a ShopRejection (404). */
	pay(id: number): Order {
		const paid = { financial_status: 'paid', total_outstanding: '0.00' };
		return this.update({ ...this.order(id), ...paid });
	}

	/** Cancels an order. Returns the updated order. Throws a ShopRejection (404). */
	cancel(id: number): Order {
		for (const { id: openId } of this.fulfillmentOrders(id)) this.setStatus(openId, 'cancelled');
		return this.update({ ...this.order(id), cancelled_at: toShopifyTime(this.options.now()) });
	}

	/** Changes the tags of an order. Returns the updated order. Throws a ShopRejection (404). */
	tag(id: number, tags: string): Order {
		return this.update({ ...this.order(id), tags });
	}

	/**
	 * Splits an order into one fulfillment order per line item, each at its own location. Returns the
	 * fulfillment orders. Throws a ShopRejection (404).
	 */
	split(orderId: number): FulfillmentOrder[] {
		for (const { id } of this.fulfillmentOrders(orderId)) {
			const original = this.fulfillmentOrdersById.get(id);
			if (original === undefined) continue;
			this.fulfillmentOrdersById.delete(id);
			for (const [index, line] of original.line_items.entries()) {
				const newId = id + index * locationStep;
				const newLine = { ...line, fulfillment_order_id: newId };
				this.fulfillmentOrdersById.set(newId, { ...original, id: newId, line_items: [newLine] });
			}
		}
		return this.fulfillmentOrders(orderId);
	}

	/** Puts a fulfillment order on hold, or releases it. */
	hold(fulfillmentOrderId: number, onHold = true): void {
		this.setStatus(fulfillmentOrderId, onHold ? 'on_hold' : 'open');
	}

	/** Makes the next fulfillment of a fulfillment order fail with a server error. */
	failOnce(fulfillmentOrderId: number): void {
		this.failing.add(fulfillmentOrderId);
	}

	/** Returns the fulfillment orders of an order. Throws a ShopRejection (404). */
	fulfillmentOrders(orderId: number): FulfillmentOrder[] {
		const order = this.order(orderId);
		return [...this.fulfillmentOrdersById.values()]
			.filter(({ order_id }) => order_id === orderId)
			.map((open) => ({
				...open,
				assigned_location_id: locationId,
				request_status: 'unsubmitted',
				supported_actions: isFulfillable(open) ? ['create_fulfillment', 'hold'] : [],
				destination: order.shipping_address && { ...order.shipping_address, email: order.email },
				created_at: order.created_at,
				updated_at: order.updated_at,
			}));
	}

	/**
	 * Creates a fulfillment for all or some line items of a fulfillment order, notifies the customer if
	 * requested, and reports the events. Throws a ShopRejection (422) if nothing is left to ship.
	 */
	fulfill(request: FulfillmentRequest): Fulfillment {
		const [requested] = request.line_items_by_fulfillment_order;
		const open = this.fulfillmentOrdersById.get(requested?.fulfillment_order_id ?? 0);
		if (requested === undefined || open === undefined) {
			throw new ShopRejection(422, ['Fulfillment order does not exist.']);
		}
		if (!isFulfillable(open)) {
			const reason = `Fulfillment order ${open.id} has an unfulfillable status= ${open.status}.`;
			throw new ShopRejection(422, [reason]);
		}
		if (this.failing.delete(open.id)) throw new ShopRejection(500, 'Internal Server Error');
		const quantities = quantitiesToShip(open, requested.fulfillment_order_line_items);
		const remaining = open.line_items.map((line) => ({
			...line,
			fulfillable_quantity: line.fulfillable_quantity - (quantities.get(line.line_item_id) ?? 0),
		}));
		const isClosed = remaining.every(({ fulfillable_quantity }) => fulfillable_quantity === 0);
		this.fulfillmentOrdersById.set(open.id, {
			...open,
			status: isClosed ? 'closed' : 'in_progress',
			line_items: remaining,
		});
		const isFulfilled = this.fulfillmentOrders(open.order_id).every(
			({ status }) => status === 'closed',
		);

		const order = this.order(open.order_id);
		const fulfillment = this.createFulfillment(order, quantities, request);
		const isPaid = order.financial_status === 'paid';
		const updated = this.store({
			...order,
			fulfillment_status: isFulfilled ? 'fulfilled' : 'partial',
			// By default, Shopify archives an order that is both paid and fulfilled.
			closed_at: isFulfilled && isPaid ? toShopifyTime(this.options.now()) : order.closed_at,
			line_items: order.line_items.map((item) => shipQuantity(item, quantities.get(item.id) ?? 0)),
			fulfillments: [...order.fulfillments, fulfillment],
		});
		if (request.notify_customer) {
			const { tracking_url: trackingUrl } = fulfillment;
			this.sentNotifications.push({ orderId: order.id, to: order.email, trackingUrl });
		}
		this.options.report('fulfillments/create', fulfillment);
		this.options.report(isFulfilled ? 'orders/fulfilled' : 'orders/partially_fulfilled', updated);
		this.options.report('orders/updated', updated);
		return fulfillment;
	}

	private nextLineItemId(): number {
		this.lineItems += 1;
		return firstLineItemId + this.lineItems * lineItemIdStep;
	}

	private addFulfillmentOrder(order: Order, number: number): void {
		const id = firstFulfillmentOrderId + number;
		const items = order.line_items.filter((item) => item.fulfillable_quantity > 0);
		if (items.length === 0) return;
		this.fulfillmentOrdersById.set(id, {
			id,
			order_id: order.id,
			status: order.cancelled_at === null ? 'open' : 'cancelled',
			line_items: items.map((item) => ({
				id: item.id + 1,
				fulfillment_order_id: id,
				line_item_id: item.id,
				variant_id: item.variant_id ?? null,
				quantity: item.fulfillable_quantity,
				fulfillable_quantity: order.cancelled_at === null ? item.fulfillable_quantity : 0,
			})),
		});
	}

	private createFulfillment(
		order: Order,
		quantities: ReadonlyMap<number, number>,
		{ tracking_info: { number = null, url = null, company = null } }: FulfillmentRequest,
	): Fulfillment {
		this.fulfillments += 1;
		const id = firstFulfillmentId + this.fulfillments;
		const time = toShopifyTime(this.options.now());
		return {
			id,
			order_id: order.id,
			name: `${order.name}.${order.fulfillments.length + 1}`,
			status: 'success',
			service: 'manual',
			location_id: locationId,
			created_at: time,
			updated_at: time,
			shipment_status: null,
			tracking_company: company,
			tracking_number: number,
			tracking_numbers: number === null ? [] : [number],
			tracking_url: url,
			tracking_urls: url === null ? [] : [url],
			line_items: order.line_items
				.filter((item) => quantities.has(item.id))
				.map((item) => ({ ...item, quantity: quantities.get(item.id) })),
		};
	}

	private setStatus(id: number, status: FulfillmentOrder['status']): void {
		const before = this.fulfillmentOrdersById.get(id);
		if (before !== undefined) this.fulfillmentOrdersById.set(id, { ...before, status });
	}

	private update(order: Order): Order {
		const updated = this.store(order);
		this.options.report('orders/updated', updated);
		return updated;
	}

	private store(order: Order): Order {
		const updated = { ...order, updated_at: toShopifyTime(this.options.now()) };
		this.ordersById.set(order.id, updated);
		return updated;
	}
}

function isFulfillable({ status }: OpenFulfillmentOrder): boolean {
	return status === 'open' || status === 'in_progress';
}

type RequestedLines =
	FulfillmentRequest['line_items_by_fulfillment_order'][number]['fulfillment_order_line_items'];

/** Returns the quantity to ship by line item ID: the requested lines, or all that remain. */
function quantitiesToShip(
	{ line_items: lines }: OpenFulfillmentOrder,
	requested: RequestedLines,
): Map<number, number> {
	const selected =
		requested ?? lines.map(({ id, fulfillable_quantity: quantity }) => ({ id, quantity }));
	return new Map(
		selected.map(({ id, quantity }) => {
			const line = lines.find((candidate) => candidate.id === id);
			if (line === undefined || quantity > line.fulfillable_quantity) {
				throw new ShopRejection(422, ['Invalid fulfillment order line item quantity requested.']);
			}
			return [line.line_item_id, quantity];
		}),
	);
}

function shipQuantity(item: LineItem, quantity: number): LineItem {
	if (quantity === 0) return item;
	const remaining = item.fulfillable_quantity - quantity;
	return {
		...item,
		fulfillable_quantity: remaining,
		fulfillment_status: remaining === 0 ? 'fulfilled' : 'partial',
	};
}
