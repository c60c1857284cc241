import type { IDataObject } from 'n8n-workflow';

/*
 * Orders as n8n's Shopify nodes output them: the REST resource. Those in playground/shopify/orders.json
 * have all fields of real orders, most of which the node does not use.
 */

/** A line item: one tablecloth of 850 g at 54.00. */
export function lineItem(changes: IDataObject = {}): IDataObject {
	return {
		id: 13200000000037,
		title: 'Linen Tablecloth',
		name: 'Linen Tablecloth - Sand / 150 x 250 cm',
		sku: 'LL-TC-SND',
		quantity: 1,
		current_quantity: 1,
		fulfillable_quantity: 1,
		fulfillment_service: 'manual',
		fulfillment_status: null,
		grams: 850,
		price: '54.00',
		total_discount: '0.00',
		discount_allocations: [],
		requires_shipping: true,
		gift_card: false,
		properties: [],
		...changes,
	};
}

/** A line item: two mugs of 380 g at 14.50 each, with a discount of 10 %. */
export function mugs(changes: IDataObject = {}): IDataObject {
	return lineItem({
		id: 13200000000074,
		title: 'Stoneware Mug',
		name: 'Stoneware Mug - Blue',
		sku: 'LL-MG-BLU',
		quantity: 2,
		current_quantity: 2,
		fulfillable_quantity: 2,
		grams: 380,
		price: '14.50',
		discount_allocations: [{ amount: '2.90' }],
		...changes,
	});
}

/** The shipping address of an order. */
export function shippingAddress(changes: IDataObject = {}): IDataObject {
	return {
		first_name: 'Maya',
		last_name: 'Okafor',
		name: 'Maya Okafor',
		company: null,
		address1: '214 Larkspur Lane',
		address2: 'Apt 3B',
		city: 'Springfield',
		province: 'Illinois',
		province_code: 'IL',
		zip: '62704',
		country: 'United States',
		country_code: 'US',
		phone: '+1 217-555-0101',
		latitude: 39.7817,
		longitude: -89.6501,
		...changes,
	};
}

/** A paid, unfulfilled order of a tablecloth and two mugs. */
export function shopifyOrder(changes: IDataObject = {}): IDataObject {
	return {
		id: 5600007927919,
		name: '#1001',
		order_number: 1001,
		created_at: new Date().toISOString(),
		cancelled_at: null,
		test: false,
		currency: 'USD',
		email: 'maya.okafor@mail.example',
		contact_email: 'maya.okafor@mail.example',
		phone: null,
		source_name: 'web',
		financial_status: 'paid',
		fulfillment_status: null,
		payment_gateway_names: ['shopify_payments'],
		total_price: '87.00',
		current_total_price: '87.00',
		total_outstanding: '0.00',
		note: 'Leave at the reception',
		note_attributes: [{ name: 'Delivery window', value: '8:00 - 12:00' }],
		tags: 'gift, VIP',
		customer: {
			id: 7300000001001,
			first_name: 'Maya',
			last_name: 'Okafor',
			email: 'maya.okafor@mail.example',
			phone: null,
			tags: '',
			currency: 'USD',
		},
		billing_address: shippingAddress({ phone: null }),
		shipping_address: shippingAddress(),
		line_items: [lineItem(), mugs()],
		shipping_lines: [
			{ id: 4400000001001, title: 'Standard', code: 'Standard', price: '6.90', source: 'shopify' },
		],
		fulfillments: [],
		refunds: [],
		...changes,
	};
}

/** The fields of a cash on delivery order. */
export const payableInCash = {
	financial_status: 'pending',
	payment_gateway_names: ['Cash on Delivery (COD)'],
	total_outstanding: '87.00',
};

/** What changes if it is then paid in another way than cash. */
export const paidByLink = {
	financial_status: 'paid',
	payment_gateway_names: [...payableInCash.payment_gateway_names, 'Razorpay'],
	total_outstanding: '0.00',
};

/** A refund of some units of a line item. */
export function refund(lineItemId: unknown, quantity: number): IDataObject {
	const line = { line_item_id: Number(lineItemId), quantity, restock_type: 'return' };
	return { refund_line_items: [line] };
}
