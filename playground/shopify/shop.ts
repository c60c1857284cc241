import { samples } from './samples';
import {
	orderShape,
	ShopRefusal,
	timeText,
	type Fulfillment,
	type FulfillmentOrder,
	type FulfillmentRequest,
	type LineItem,
	type Order,
} from './shapes';

/** Figures from which identifiers are made; the sample orders were made by the same rule. */
const firstOrderId = 5_600_007_920_000;
const orderIdStep = 7919;
const firstLineItemId = 13_200_000_000_000;
const lineItemIdStep = 37;
const firstOrderNumber = 1000;
const firstFulfillmentOrderId = 6_700_000_000_000;
/** Between what is to be shipped of one order from several places. */
const placeStep = 1_000_000;
const firstFulfillmentId = 5_300_000_000_000;
const locationId = 61_000_000_001;

/** A message that the shop sent to a customer. */
export interface Notification {
	readonly orderId: number;
	readonly to: string | null;
	readonly trackingUrl: string | null;
}

/** Something that happened, as webhooks report it. */
export type Report = (topic: string, subject: object) => void;

interface ShopOptions {
	readonly now: () => number;
	/** Called with all that happens. */
	readonly report: Report;
}

type OpenFulfillmentOrder = Pick<FulfillmentOrder, 'id' | 'order_id' | 'status' | 'line_items'>;

/**
 * The shop: its orders, what is to be shipped of them, and what was. Entries are replaced, never
 * altered, so that an order handed out stays as it was.
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

	/** Forgets all orders, and counts from the beginning. */
	clear(): void {
		this.ordersById.clear();
		this.fulfillmentOrdersById.clear();
		this.sentNotifications.length = 0;
		this.failing.clear();
		this.placed = this.lineItems = this.fulfillments = 0;
	}

	/** All orders, in the order in which they were placed. */
	orders(): Order[] {
		return [...this.ordersById.values()];
	}

	/** The order with this identifier. Throws a ShopRefusal (404). */
	order(id: number): Order {
		const order = this.ordersById.get(id);
		if (order === undefined) throw new ShopRefusal(404, 'Not Found');
		return order;
	}

	/** What customers were told, oldest first. */
	notifications(): Notification[] {
		return [...this.sentNotifications];
	}

	/**
	 * A customer places an order like a sample, by default the next one; they begin anew once all
	 * were placed. Reports the order, and at the same time that it was updated, as it happens when it
	 * is paid.
	 */
	place(sample = samples[this.placed % samples.length]): Order {
		if (sample === undefined) throw new Error('There are no sample orders');
		this.placed += 1;
		const number = this.placed;
		const id = firstOrderId + number * orderIdStep;
		const time = timeText(this.options.now());
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
	 * Somebody edits where an order is to be shipped. Gives the order as it is now. Throws a
	 * ShopRefusal: 404 unknown, 422 for an order without an address.
	 */
	changeAddress(id: number, change: Readonly<Record<string, unknown>>): Order {
		const order = this.order(id);
		const before = order.shipping_address;
		if (before === null) {
			throw new ShopRefusal(422, { shipping_address: ['is not needed for this order'] });
		}
		return this.update({ ...order, shipping_address: { ...before, ...change } });
	}

	/** An order is paid after it was placed. Gives it as it is now. Throws a ShopRefusal (404). */
	pay(id: number): Order {
		const paid = { financial_status: 'paid', total_outstanding: '0.00' };
		return this.update({ ...this.order(id), ...paid });
	}

	/** Somebody cancels an order. Gives it as it is now. Throws a ShopRefusal (404). */
	cancel(id: number): Order {
		for (const { id: openId } of this.fulfillmentOrders(id)) this.setStatus(openId, 'cancelled');
		return this.update({ ...this.order(id), cancelled_at: timeText(this.options.now()) });
	}

	/** Somebody edits the tags of an order. Gives it as it is now. Throws a ShopRefusal (404). */
	tag(id: number, tags: string): Order {
		return this.update({ ...this.order(id), tags });
	}

	/**
	 * Has each line item of an order shipped from a place of its own. Gives what is to be shipped.
	 * Throws a ShopRefusal (404).
	 */
	split(orderId: number): FulfillmentOrder[] {
		for (const { id } of this.fulfillmentOrders(orderId)) {
			const whole = this.fulfillmentOrdersById.get(id);
			if (whole === undefined) continue;
			this.fulfillmentOrdersById.delete(id);
			for (const [place, line] of whole.line_items.entries()) {
				const part = id + place * placeStep;
				const own = { ...line, fulfillment_order_id: part };
				this.fulfillmentOrdersById.set(part, { ...whole, id: part, line_items: [own] });
			}
		}
		return this.fulfillmentOrders(orderId);
	}

	/** Holds back what is to be shipped, or lets it go again. */
	hold(fulfillmentOrderId: number, held = true): void {
		this.setStatus(fulfillmentOrderId, held ? 'on_hold' : 'open');
	}

	/** Has the next fulfillment of it fail, as when something is wrong at Shopify. */
	failOnce(fulfillmentOrderId: number): void {
		this.failing.add(fulfillmentOrderId);
	}

	/** What is to be shipped of an order. Throws a ShopRefusal (404). */
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
	 * Marks what is to be shipped of an order as on its way, whole or in part, tells the customer
	 * when asked to, and reports all that. Throws a ShopRefusal (422) when nothing is left to ship.
	 */
	fulfill(request: FulfillmentRequest): Fulfillment {
		const [wanted] = request.line_items_by_fulfillment_order;
		const open = this.fulfillmentOrdersById.get(wanted?.fulfillment_order_id ?? 0);
		if (wanted === undefined || open === undefined) {
			throw new ShopRefusal(422, ['Fulfillment order does not exist.']);
		}
		if (!isFulfillable(open)) {
			const reason = `Fulfillment order ${open.id} has an unfulfillable status= ${open.status}.`;
			throw new ShopRefusal(422, [reason]);
		}
		if (this.failing.delete(open.id)) throw new ShopRefusal(500, 'Internal Server Error');
		const quantities = quantitiesOf(open, wanted.fulfillment_order_line_items);
		const left = open.line_items.map((line) => ({
			...line,
			fulfillable_quantity: line.fulfillable_quantity - (quantities.get(line.line_item_id) ?? 0),
		}));
		const closed = left.every(({ fulfillable_quantity }) => fulfillable_quantity === 0);
		this.fulfillmentOrdersById.set(open.id, {
			...open,
			status: closed ? 'closed' : 'in_progress',
			line_items: left,
		});
		const done = this.fulfillmentOrders(open.order_id).every(({ status }) => status === 'closed');

		const order = this.order(open.order_id);
		const fulfillment = this.fulfillmentOf(order, quantities, request);
		const paid = order.financial_status === 'paid';
		const updated = this.store({
			...order,
			fulfillment_status: done ? 'fulfilled' : 'partial',
			// By default a shop archives an order that is both paid and fulfilled.
			closed_at: done && paid ? timeText(this.options.now()) : order.closed_at,
			line_items: order.line_items.map((item) => shipped(item, quantities.get(item.id) ?? 0)),
			fulfillments: [...order.fulfillments, fulfillment],
		});
		if (request.notify_customer) {
			const { tracking_url: trackingUrl } = fulfillment;
			this.sentNotifications.push({ orderId: order.id, to: order.email, trackingUrl });
		}
		this.options.report('fulfillments/create', fulfillment);
		this.options.report(done ? 'orders/fulfilled' : 'orders/partially_fulfilled', updated);
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

	private fulfillmentOf(
		order: Order,
		quantities: ReadonlyMap<number, number>,
		{ tracking_info: { number = null, url = null, company = null } }: FulfillmentRequest,
	): Fulfillment {
		this.fulfillments += 1;
		const id = firstFulfillmentId + this.fulfillments;
		const time = timeText(this.options.now());
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
		const updated = { ...order, updated_at: timeText(this.options.now()) };
		this.ordersById.set(order.id, updated);
		return updated;
	}
}

function isFulfillable({ status }: OpenFulfillmentOrder): boolean {
	return status === 'open' || status === 'in_progress';
}

type WantedLines =
	FulfillmentRequest['line_items_by_fulfillment_order'][number]['fulfillment_order_line_items'];

/** How many of each line item are shipped: those wanted, or all that are left. */
function quantitiesOf(
	{ line_items: lines }: OpenFulfillmentOrder,
	wanted: WantedLines,
): Map<number, number> {
	const chosen =
		wanted ?? lines.map(({ id, fulfillable_quantity: quantity }) => ({ id, quantity }));
	return new Map(
		chosen.map(({ id, quantity }) => {
			const line = lines.find((one) => one.id === id);
			if (line === undefined || quantity > line.fulfillable_quantity) {
				throw new ShopRefusal(422, ['Invalid fulfillment order line item quantity requested.']);
			}
			return [line.line_item_id, quantity];
		}),
	);
}

function shipped(item: LineItem, quantity: number): LineItem {
	if (quantity === 0) return item;
	const left = item.fulfillable_quantity - quantity;
	return {
		...item,
		fulfillable_quantity: left,
		fulfillment_status: left === 0 ? 'fulfilled' : 'partial',
	};
}
