import { z } from 'zod';

import {
	ShopRejection,
	type FulfillmentOrder,
	type FulfillmentRequest,
	type Order,
} from './shapes';

const firstId = 6_700_000_000_000;
/** The distance between the IDs of the fulfillment orders of one order. */
const partStep = 1_000_000;

/** The locations of the shop, in the form of a fulfillment order's `assigned_location`. */
export const locations = {
	store: {
		location_id: 61_000_000_001,
		name: 'Main Street Store',
		address1: '12 Main Street',
		address2: null,
		city: 'Springfield',
		province: 'Illinois',
		zip: '62701',
		country_code: 'US',
		phone: '+1 217-555-0100',
	},
	warehouse: {
		location_id: 61_000_000_002,
		name: 'Harbor Warehouse',
		address1: '77 Dock Road',
		address2: null,
		city: 'Springfield',
		province: 'Illinois',
		zip: '62707',
		country_code: 'US',
		phone: '+1 217-555-0177',
	},
} as const;

export type LocationKey = keyof typeof locations;

/** Shopify's delivery methods, as in its REST API. */
export type DeliveryMethod = 'shipping' | 'local' | 'pick_up' | 'pickup_point' | 'retail' | 'none';

/** The part of an order that becomes a fulfillment order. */
export interface OrderPart {
	/** Positions of the line items; by default all. */
	readonly lines?: readonly number[];
	/** By default the store. */
	readonly location?: LocationKey;
	/** By default "shipping". */
	readonly method?: DeliveryMethod;
	/** What the customer wrote at checkout about a local delivery. */
	readonly information?: { readonly instructions?: string; readonly phone?: string };
}

/** A fulfillment order without what is derived from its order. */
type StoredFulfillmentOrder = Pick<
	FulfillmentOrder,
	'id' | 'order_id' | 'status' | 'line_items' | 'fulfill_at' | 'fulfillment_holds'
> & {
	readonly location: LocationKey;
	readonly method: DeliveryMethod;
	readonly information: OrderPart['information'];
};

/** The saved fulfillment orders of a shop. */
export const savedPartsShape = z.array(z.custom<StoredFulfillmentOrder>());

/** What a fulfillment ships. */
export interface Shipment {
	readonly orderId: number;
	readonly locationId: number;
	readonly quantities: ReadonlyMap<number, number>;
}

type Change = Partial<Omit<StoredFulfillmentOrder, 'id' | 'order_id'>>;

/**
 * The fulfillment orders of the shop's orders. Entries are replaced, never modified, so that returned
 * fulfillment orders don't change.
 */
export class FulfillmentOrders {
	private readonly byId = new Map<number, StoredFulfillmentOrder>();
	/** Fulfillment orders whose next fulfillment fails. */
	private readonly failing = new Set<number>();

	clear(): void {
		this.byId.clear();
		this.failing.clear();
	}

	/** All fulfillment orders, for {@link restore}. */
	save(): z.input<typeof savedPartsShape> {
		return [...this.byId.values()];
	}

	/** Adds saved fulfillment orders. */
	restore(saved: z.infer<typeof savedPartsShape>): void {
		for (const part of saved) this.byId.set(part.id, part);
	}

	/**
	 * Adds the fulfillment orders of a new order.
	 *
	 * @param number the number of the order, which the IDs are derived from
	 */
	add(order: Order, number: number, parts: readonly OrderPart[]): void {
		const isCanceled = order.cancelled_at !== null;
		for (const [index, part] of parts.entries()) {
			const id = firstId + number + index * partStep;
			const items = order.line_items.filter(
				(item, position) =>
					item.fulfillable_quantity > 0 && (part.lines?.includes(position) ?? true),
			);
			if (items.length === 0) continue;
			this.byId.set(id, {
				id,
				order_id: order.id,
				status: isCanceled ? 'cancelled' : 'open',
				fulfill_at: null,
				fulfillment_holds: [],
				location: part.location ?? 'store',
				method: part.method ?? 'shipping',
				information: part.information,
				line_items: items.map((item) => ({
					id: item.id + 1,
					fulfillment_order_id: id,
					line_item_id: item.id,
					variant_id: item.variant_id ?? null,
					quantity: item.fulfillable_quantity,
					fulfillable_quantity: isCanceled ? 0 : item.fulfillable_quantity,
				})),
			});
		}
	}

	/** The fulfillment orders of an order, in the format of Shopify's REST Admin API. */
	list(order: Order): FulfillmentOrder[] {
		return [...this.byId.values()]
			.filter(({ order_id }) => order_id === order.id)
			.map(({ location, method, information, ...stored }) => ({
				...stored,
				assigned_location_id: locations[location].location_id,
				assigned_location: locations[location],
				delivery_method: {
					id: stored.id + 5,
					method_type: method,
					additional_information: information ?? null,
				},
				request_status: 'unsubmitted',
				supported_actions: isFulfillable(stored) ? ['create_fulfillment', 'hold'] : [],
				destination: deliveredMethods.has(method)
					? order.shipping_address && { ...order.shipping_address, email: order.email }
					: null,
				created_at: order.created_at,
				updated_at: order.updated_at,
			}));
	}

	/** Splits each fulfillment order of an order by line item, at the store and the warehouse in turn. */
	split(orderId: number): void {
		for (const original of [...this.byId.values()]) {
			if (original.order_id !== orderId) continue;
			this.byId.delete(original.id);
			for (const [index, line] of original.line_items.entries()) {
				const id = original.id + index * partStep;
				const lines = [{ ...line, fulfillment_order_id: id }];
				const location = index % 2 === 0 ? 'store' : 'warehouse';
				this.byId.set(id, { ...original, id, location, line_items: lines });
			}
		}
	}

	/** Changes a fulfillment order. Throws a ShopRejection (404) if there is none with this ID. */
	change(id: number, change: Change): void {
		this.byId.set(id, { ...this.stored(id), ...change });
	}

	/** Removes a line item of an order from its fulfillment orders. */
	removeLine(orderId: number, lineItemId: number): void {
		for (const { id, order_id, line_items: lines } of this.byId.values())
			if (order_id === orderId)
				this.change(id, { line_items: lines.filter((line) => line.line_item_id !== lineItemId) });
	}

	/** Cancels the fulfillment orders of an order. */
	cancel(orderId: number): void {
		for (const { id, order_id } of this.byId.values())
			if (order_id === orderId) this.change(id, { status: 'cancelled' });
	}

	/** Makes the next fulfillment of a fulfillment order fail with a server error. */
	failOnce(id: number): void {
		this.failing.add(id);
	}

	/**
	 * Ships all or some line items of a fulfillment order. Throws a ShopRejection if that isn't possible.
	 *
	 * @returns its order and location, and the shipped quantity by ID of the order's line item
	 */
	ship(request: FulfillmentRequest): Shipment {
		const [requested] = request.line_items_by_fulfillment_order;
		const open = this.byId.get(requested?.fulfillment_order_id ?? 0);
		if (requested === undefined || open === undefined)
			throw new ShopRejection(422, ['Fulfillment order does not exist.']);
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
		this.change(open.id, { status: isClosed ? 'closed' : 'in_progress', line_items: remaining });
		const { location_id: locationId } = locations[open.location];
		return { orderId: open.order_id, locationId, quantities };
	}

	private stored(id: number): StoredFulfillmentOrder {
		const stored = this.byId.get(id);
		if (stored === undefined) throw new ShopRejection(404, 'Not Found');
		return stored;
	}
}

/** The methods that bring the packages to the customer's address. */
const deliveredMethods: ReadonlySet<DeliveryMethod> = new Set(['shipping', 'local']);

function isFulfillable({ status }: Pick<FulfillmentOrder, 'status'>): boolean {
	return status === 'open' || status === 'in_progress';
}

type RequestedLines =
	FulfillmentRequest['line_items_by_fulfillment_order'][number]['fulfillment_order_line_items'];

/** Returns the quantity to ship by line item ID: the requested lines, or all that remain. */
function quantitiesToShip(
	{ line_items: lines }: StoredFulfillmentOrder,
	requested: RequestedLines,
): Map<number, number> {
	const selected =
		requested ?? lines.map(({ id, fulfillable_quantity: quantity }) => ({ id, quantity }));
	return new Map(
		selected.map(({ id, quantity }) => {
			const line = lines.find((candidate) => candidate.id === id);
			if (line === undefined || quantity > line.fulfillable_quantity)
				throw new ShopRejection(422, ['Invalid fulfillment order line item quantity requested.']);
			return [line.line_item_id, quantity];
		}),
	);
}
