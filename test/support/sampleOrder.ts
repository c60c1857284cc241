import { defaultLimits } from '../../nodes/DeliveryService/operations/fields/shopifyOrderOptions';
import type { Problem } from '../../nodes/DeliveryService/common/result';
import { neededFor } from '../../nodes/DeliveryService/messages/needs';
import { wordingOf } from '../../nodes/DeliveryService/messages/outcomes';
import { orderProblem } from '../../nodes/DeliveryService/messages/problems';
import { orderMappingSchema, type OrderMapping } from '../../nodes/DeliveryService/shopify/mapping';
import type { OrderInfo } from '../../nodes/DeliveryService/shopify/orderInfo';
import type { Skip } from '../../nodes/DeliveryService/shopify/skipping';
import {
	orderToDelivery,
	type OrderDelivery,
} from '../../nodes/DeliveryService/shopify/toDelivery';

type Fields = Record<string, unknown>;

/** A line item as Shopify's REST API returns it: two mugs of 350 g at 12.50 each. */
export function sampleLine(changes: Fields = {}): Fields {
	return {
		id: 7001,
		name: 'Mug - Blue',
		title: 'Mug',
		quantity: 2,
		current_quantity: 2,
		fulfillable_quantity: 2,
		fulfillment_status: null,
		requires_shipping: true,
		gift_card: false,
		grams: 350,
		price: '12.50',
		total_discount: '0.00',
		discount_allocations: [],
		...changes,
	};
}

/** A shipping address as Shopify's REST API returns it. */
export function sampleAddress(changes: Fields = {}): Fields {
	return {
		first_name: 'Ana',
		last_name: 'Lopez',
		name: 'Ana Lopez',
		company: null,
		phone: '+52 55 1000 2000',
		address1: 'Calle Luna 12',
		address2: '',
		city: 'Puebla',
		province: 'Puebla',
		province_code: 'PUE',
		zip: '72000',
		country: 'Mexico',
		country_code: 'MX',
		latitude: 19.0433,
		longitude: -98.198,
		...changes,
	};
}

/** A paid, unfulfilled order as n8n's Shopify nodes output it. */
export function sampleOrder(changes: Fields = {}): Fields {
	return {
		id: 820982911946154,
		name: '#1042',
		order_number: 1042,
		email: 'ana@example.com',
		contact_email: 'ana.contact@example.com',
		phone: null,
		created_at: '2026-11-20T09:00:00-06:00',
		cancelled_at: null,
		test: false,
		currency: 'MXN',
		financial_status: 'paid',
		total_price: '30.00',
		current_total_price: '30.00',
		total_outstanding: '0.00',
		gateway: null,
		payment_gateway_names: ['shopify_payments'],
		note: null,
		note_attributes: [],
		tags: '',
		shipping_address: sampleAddress(),
		billing_address: null,
		customer: null,
		shipping_lines: [],
		line_items: [sampleLine()],
		refunds: [],
		...changes,
	};
}

/** The default rule for the package size by weight. */
export const byWeight = { packageSizeByWeight: defaultLimits };

/** The options for mapping an order in the tests: these, the defaults, and a fixed time. */
export function mappingOf(options: Fields = {}): OrderMapping {
	const time = { now: Date.parse('2026-11-23T12:00:00Z'), timeZone: 'America/Mexico_City' };
	return orderMappingSchema.parse({ time, ...options });
}

/** A mapped order by its outcome; a skipped one has its message, too. */
type MappedOrder = Omit<OrderInfo, 'label'> & {
	/** What a person must do about it; empty if nothing. */
	needed: string;
} & (
		| { kind: 'delivery'; delivery: OrderDelivery }
		| ({ kind: 'skipped'; message: string } & Skip)
		| { kind: 'invalid'; problem: Problem }
	);

/** Maps an order with these mapping options; the others have their defaults. */
export function outcomeOf(order: unknown, mapping: Fields = {}): MappedOrder {
	const { decision, ...info } = orderToDelivery(order, mappingOf(mapping));
	const { label } = info;
	// Digests and texts for later changes have their own tests.
	const others = { ...info, label: undefined, sentAs: undefined, laterChanges: undefined };
	switch (decision.kind) {
		case 'invalid':
			return {
				kind: 'invalid',
				problem: orderProblem(label, decision.problems),
				needed: '',
				...others,
			};
		case 'send': {
			const needed = neededFor({ item: 0, order: info });
			return { kind: 'delivery', needed, delivery: decision.delivery, ...others };
		}
		case 'skip': {
			const { skip } = decision;
			const outcome = { kind: 'skipped', why: { code: 'order', skip } } as const;
			const { problem, needed } = wordingOf({ item: 0, order: info, outcome });
			return { kind: 'skipped', needed, message: problem.message, ...skip, ...others };
		}
	}
}

/** The delivery of a valid order. @throws Error if the order has another outcome */
export function deliveryOf(order: unknown, mapping: Fields = {}): OrderDelivery {
	const outcome = outcomeOf(order, mapping);
	if (outcome.kind !== 'delivery') throw new Error(JSON.stringify(outcome));
	return outcome.delivery;
}

/** The problem of an invalid order. @throws Error if the order has another outcome */
export function problemOf(order: unknown, mapping: Fields = {}): Problem {
	const outcome = outcomeOf(order, mapping);
	if (outcome.kind !== 'invalid') throw new Error(JSON.stringify(outcome));
	return outcome.problem;
}
