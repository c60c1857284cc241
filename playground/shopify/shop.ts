import { z } from 'zod';

import {
	FulfillmentOrders,
	savedPartsShape,
	type LocationKey,
	type OrderPart,
	type Shipment,
} from './fulfillmentOrders';
import { samples } from './samples';
import {
	orderShape,
	ShopRejection,
	toShopifyTime,
	type Fulfillment,
	type FulfillmentEvent,
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
const firstFulfillmentId = 5_300_000_000_000;
const firstEventId = 9_100_000_000_000;

/** A message that the shop sent to a customer. */
export interface Notification {
	readonly orderId: number;
	readonly orderName: string;
	/** When it was sent, in milliseconds since 1970. */
	readonly at: number;
	readonly to: string | null;
	readonly trackingUrl: string | null;
}

/** The saved data of a shop. */
const savedShape = z.object({
	orders: z.array(orderShape),
	parts: savedPartsShape,
	notifications: z.array(z.custom<Notification>()),
	/** The ID of each fulfillment with that of its fulfillment order. */
	fulfillmentOrderIds: z.array(z.tuple([z.number(), z.number()])),
	events: z.array(z.custom<FulfillmentEvent>()),
	counts: z.object({ placed: z.number(), lineItems: z.number(), fulfillments: z.number() }),
});

/** A new fulfillment event. */
export interface FulfillmentEventRequest {
	readonly fulfillmentId: number;
	/** As in GraphQL, in capitals. */
	readonly status: string;
	/** Defaults to now. */
	readonly happenedAt?: string | null;
	readonly message?: string | null;
}

/** Reports an event to webhooks, with the order or fulfillment that it is about. */
export type ReportEvent = (topic: string, resource: object) => void;

interface ShopOptions {
	/** The domain in the URLs of orders. */
	readonly domain: string;
	/** How many orders other shops have before, so that all IDs differ. */
	readonly idsBefore: number;
	readonly now: () => number;
	/** Called with every event. */
	readonly report: ReportEvent;
}

/**
 * The shop: orders, fulfillment orders and fulfillments. Entries are replaced, never modified, so that
 * returned orders don't change.
 */
export class Shop {
	private readonly ordersById = new Map<number, Order>();
	private readonly shipping = new FulfillmentOrders();
	private readonly sentNotifications: Notification[] = [];
	/** The fulfillment order of each fulfillment, which the REST API doesn't return. */
	private readonly fulfillmentOrderIds = new Map<number, number>();
	private readonly events: FulfillmentEvent[] = [];
	private placed = 0;
	private lineItems = 0;
	private fulfillments = 0;

	/** How many queries still find no fulfillment orders, as right after an order was placed. */
	emptyReads = 0;

	constructor(private readonly options: ShopOptions) {}

	/** Deletes all orders and restarts the numbering. */
	clear(): void {
		this.ordersById.clear();
		this.shipping.clear();
		this.sentNotifications.length = this.events.length = 0;
		this.fulfillmentOrderIds.clear();
		this.placed = this.lineItems = this.fulfillments = 0;
	}

	/** What {@link restore} needs to go on after a restart. */
	save(): z.input<typeof savedShape> {
		const { placed, lineItems, fulfillments } = this;
		return {
			orders: this.orders(),
			parts: this.shipping.save(),
			notifications: this.notifications(),
			fulfillmentOrderIds: [...this.fulfillmentOrderIds],
			events: this.events,
			counts: { placed, lineItems, fulfillments },
		};
	}

	/** Adds saved data. Throws a ZodError if it was not saved by {@link save}. */
	restore(saved: unknown): void {
		const { orders, parts, notifications, fulfillmentOrderIds, events, counts } =
			savedShape.parse(saved);
		for (const order of orders) this.ordersById.set(order.id, order);
		this.shipping.restore(parts);
		this.sentNotifications.push(...notifications);
		for (const [id, part] of fulfillmentOrderIds) this.fulfillmentOrderIds.set(id, part);
		this.events.push(...events);
		Object.assign(this, counts);
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
	 *
	 * @param parts its fulfillment orders; by default one for all line items
	 */
	place(sample = samples[this.placed % samples.length], parts: readonly OrderPart[] = [{}]): Order {
		if (sample === undefined) throw new Error('There are no sample orders');
		const { domain, idsBefore } = this.options;
		const number = (this.placed += 1);
		const id = firstOrderId + (idsBefore + number) * orderIdStep;
		const time = toShopifyTime(this.options.now());
		const lineIds = new Map(sample.line_items.map((line) => [line.id, this.nextLineItemId()]));
		const order = orderShape.parse({
			...withLineIds(sample, lineIds),
			id,
			admin_graphql_api_id: `gid://shopify/Order/${id}`,
			name: `#${firstOrderNumber + number}`,
			number,
			order_number: firstOrderNumber + number,
			order_status_url: `https://${domain}/1/orders/${id}/authenticate`,
			created_at: time,
			processed_at: time,
			updated_at: time,
			cancelled_at: sample.cancelled_at && time,
		});
		this.ordersById.set(id, order);
		this.shipping.add(order, idsBefore + number, parts);
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
		const change = { financial_status: 'paid', total_outstanding: '0.00' };
		const paid = this.update({ ...this.order(id), ...change });
		this.options.report('orders/paid', paid);
		return paid;
	}

	/** Makes an order older than it is. Throws a ShopRejection (404). */
	backdate(id: number, ms: number): void {
		const time = toShopifyTime(this.options.now() - ms);
		const times = { created_at: time, processed_at: time, updated_at: time };
		this.ordersById.set(id, { ...this.order(id), ...times });
	}

	/** Cancels an order. Returns the updated order. Throws a ShopRejection (404). */
	cancel(id: number): Order {
		const order = this.order(id);
		this.shipping.cancel(id);
		const change = { cancelled_at: toShopifyTime(this.options.now()) };
		const canceled = this.update({ ...order, ...change });
		this.options.report('orders/cancelled', canceled);
		return canceled;
	}

	/** Changes fields of an order. Returns the updated order. Throws a ShopRejection (404). */
	edit(id: number, change: Readonly<Record<string, unknown>>): Order {
		return this.update({ ...this.order(id), ...change });
	}

	/**
	 * Removes a line item that was not shipped, as the merchant does with Edit order.
	 *
	 * @param change the amounts of the order without it
	 * @returns the updated order
	 * @throws ShopRejection (404)
	 */
	removeLine(id: number, lineItemId: number, change: Readonly<Record<string, unknown>>): Order {
		const order = this.order(id);
		this.shipping.removeLine(id, lineItemId);
		const removed = { current_quantity: 0, fulfillable_quantity: 0 };
		const line_items = order.line_items.map((line) =>
			line.id === lineItemId ? { ...line, ...removed } : line,
		);
		return this.update({ ...order, ...change, line_items });
	}

	/**
	 * Splits an order into one fulfillment order per line item, at the store and the warehouse in turn.
	 * Returns the fulfillment orders. Throws a ShopRejection (404).
	 */
	split(orderId: number): FulfillmentOrder[] {
		this.shipping.split(orderId);
		return this.fulfillmentOrders(orderId);
	}

	/** Moves a fulfillment order to another location. Throws a ShopRejection (404). */
	move(fulfillmentOrderId: number, location: LocationKey): void {
		this.shipping.change(fulfillmentOrderId, { location });
	}

	/** Puts a fulfillment order on hold, or releases it. Throws a ShopRejection (404). */
	hold(fulfillmentOrderId: number, onHold = true): void {
		const hold = { reason: 'high_risk_of_fraud', reason_notes: 'Check the card first' };
		const status = onHold ? 'on_hold' : 'open';
		this.shipping.change(fulfillmentOrderId, { status, fulfillment_holds: onHold ? [hold] : [] });
	}

	/** Schedules a fulfillment order for a later time, or opens it now. Throws a ShopRejection (404). */
	schedule(fulfillmentOrderId: number, fulfillAt: string | null): void {
		const status = fulfillAt === null ? 'open' : 'scheduled';
		this.shipping.change(fulfillmentOrderId, { status, fulfill_at: fulfillAt });
	}

	/** Makes the next fulfillment of a fulfillment order fail with a server error. */
	failOnce(fulfillmentOrderId: number): void {
		this.shipping.failOnce(fulfillmentOrderId);
	}

	/** Returns the fulfillment orders of an order. Throws a ShopRejection (404). */
	fulfillmentOrders(orderId: number): FulfillmentOrder[] {
		return this.shipping.list(this.order(orderId));
	}

	/**
	 * Creates a fulfillment for all or some line items of a fulfillment order, notifies the customer if
	 * requested, and reports the events. Throws a ShopRejection (422) if nothing is left to ship.
	 */
	fulfill(request: FulfillmentRequest): Fulfillment {
		const shipment = this.shipping.ship(request);
		const { orderId, quantities } = shipment;
		const isFulfilled = this.fulfillmentOrders(orderId).every(({ status }) => status === 'closed');

		const order = this.order(orderId);
		const fulfillment = this.createFulfillment(order, shipment, request);
		const [{ fulfillment_order_id: part = 0 } = {}] = request.line_items_by_fulfillment_order;
		this.fulfillmentOrderIds.set(fulfillment.id, part);
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
			const { id, name, email } = order;
			const at = this.options.now();
			this.sentNotifications.push({ orderId: id, orderName: name, at, to: email, trackingUrl });
		}
		this.options.report('fulfillments/create', fulfillment);
		this.options.report(isFulfilled ? 'orders/fulfilled' : 'orders/partially_fulfilled', updated);
		this.options.report('orders/updated', updated);
		return fulfillment;
	}

	/** Returns the fulfillments of a fulfillment order, oldest first. */
	fulfillmentsOf({ id, order_id: orderId }: FulfillmentOrder): Fulfillment[] {
		const all = this.order(orderId).fulfillments;
		return all.filter((fulfillment) => this.fulfillmentOrderIds.get(fulfillment.id) === id);
	}

	/**
	 * Adds an event to a fulfillment, as its newest status. Throws a ShopRejection (404) if there is no
	 * fulfillment with this ID.
	 */
	addFulfillmentEvent(request: FulfillmentEventRequest): FulfillmentEvent {
		const { fulfillmentId, status, message = null } = request;
		const isMeant = ({ id }: Fulfillment) => id === fulfillmentId;
		const order = this.orders().find(({ fulfillments }) => fulfillments.some(isMeant));
		if (order === undefined) throw new ShopRejection(404, 'Fulfillment does not exist.');
		const time = toShopifyTime(this.options.now());
		const id = firstEventId + this.options.idsBefore + this.events.length + 1;
		const happened = request.happenedAt ?? time;
		const event = { id, fulfillment_id: fulfillmentId, status, happened_at: happened, message };
		this.events.push(event);
		const change = { shipment_status: status.toLowerCase(), updated_at: time };
		const fulfillments = order.fulfillments.map((one) =>
			isMeant(one) ? { ...one, ...change } : one,
		);
		this.store({ ...order, fulfillments });
		this.options.report('fulfillment_events/create', event);
		for (const fulfillment of fulfillments.filter(isMeant))
			this.options.report('fulfillments/update', fulfillment);
		return event;
	}

	/** The events of a fulfillment, oldest first. */
	fulfillmentEvents(fulfillmentId: number): FulfillmentEvent[] {
		return this.events.filter((event) => event.fulfillment_id === fulfillmentId);
	}

	private nextLineItemId(): number {
		this.lineItems += 1;
		return firstLineItemId + (this.options.idsBefore * 100 + this.lineItems) * lineItemIdStep;
	}

	private createFulfillment(
		order: Order,
		{ locationId, quantities }: Shipment,
		{ tracking_info: { number = null, url = null, company = null } }: FulfillmentRequest,
	): Fulfillment {
		this.fulfillments += 1;
		const id = firstFulfillmentId + this.options.idsBefore + this.fulfillments;
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

/** An order with other IDs of its line items, also where its refunds name them. */
function withLineIds(order: Order, lineIds: ReadonlyMap<number, number>): object {
	const withNewId = (_key: string, value: unknown) =>
		typeof value === 'number' ? (lineIds.get(value) ?? value) : value;
	return orderShape.parse(JSON.parse(JSON.stringify(order), withNewId));
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
