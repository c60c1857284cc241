import { orderMappingSchema } from '../../../nodes/DeliveryService/shopify/mapping';
import {
	deliveryOf,
	outcomeOf,
	problemOf,
	sampleAddress,
	sampleLine,
	sampleOrder,
} from '../../support/sampleOrder';

/** What becomes of an order, without what it says of the order itself. */
function outcomeWithoutNames(order: unknown): object {
	return { ...outcomeOf(order), shopifyOrder: undefined };
}

test('an order becomes a delivery', () => {
	expect(deliveryOf(sampleOrder())).toEqual({
		dropoff: {
			contact: { name: 'Ana Lopez', email: 'ana@example.com', phonenumber: '+52 55 1000 2000' },
			location: {
				address: {
					streetName: 'Calle Luna 12',
					city: 'Puebla',
					state: 'Puebla',
					zipcode: '72000',
					country: 'Mexico',
				},
				lat: '19.0433',
				lng: '-98.198',
			},
		},
		packages: [{ name: '#1042', qty: 1, weight: 0.7, size: 'm', price: 25 }],
		referenceId: '#1042',
	});
});

describe('the order itself is named', () => {
	const shopifyOrder = { id: '820982911946154', name: '#1042', email: 'ana@example.com' };

	test('beside its delivery', () => {
		expect(outcomeOf(sampleOrder())).toMatchObject({ kind: 'delivery', shopifyOrder });
	});

	test('when it is not sent', () => {
		const outcome = outcomeOf(sampleOrder({ test: true }));
		expect(outcome).toMatchObject({ kind: 'skipped', shopifyOrder });
	});

	test('when it lacks something', () => {
		const outcome = outcomeOf(sampleOrder({ shipping_address: sampleAddress({ address1: null }) }));
		expect(outcome).toMatchObject({ kind: 'invalid', shopifyOrder });
	});

	test('with the e-mail address that the delivery has', () => {
		const order = sampleOrder({ email: null, contact_email: null, customer: null });
		const outcome = outcomeOf(order, { fallbackEmail: 'shop@example.com' });
		expect(outcome).toMatchObject({ shopifyOrder: { email: 'shop@example.com' } });
	});
});

describe('the mapping', () => {
	test('has a default for everything', () => {
		expect(orderMappingSchema.parse({})).toEqual({
			addressFormat: 'components',
			packagesPer: 'order',
			packageSize: { by: 'fixed', size: 'm' },
			referenceIdFrom: 'name',
			includeTags: true,
			includeAdditionalDetails: true,
			cod: 'cashOnDeliveryOrders',
			cashOnDeliveryMethods: [],
			includeRefundedOrders: false,
			includeTestOrders: false,
			onlyPaidOrders: false,
			overrides: { tags: [] },
		});
	});

	test('refuses members it does not know and limits without a weight', () => {
		expect(orderMappingSchema.safeParse({ packagePer: 'order' }).success).toBe(false);
		expect(orderMappingSchema.safeParse({ overrides: { mail: 'a@b.example' } }).success).toBe(
			false,
		);
		const packageSize = { by: 'weight', limits: [{ size: 's' }] };
		expect(orderMappingSchema.safeParse({ packageSize }).success).toBe(false);
	});
});

describe('orders that are not sent', () => {
	test('a cancelled one', () => {
		const order = sampleOrder({ cancelled_at: '2024-05-17T04:14:36-04:00', test: true });
		expect(outcomeWithoutNames(order)).toEqual({
			kind: 'skipped',
			reason: 'cancelled',
			message:
				'Order #1042 was cancelled. If its delivery was created before, stop that in the dashboard of the Delivery Service.',
			referenceId: '#1042',
		});
	});

	test('a test order, unless test orders are included', () => {
		const order = sampleOrder({ test: true, name: null });
		expect(outcomeWithoutNames(order)).toEqual({
			kind: 'skipped',
			reason: 'testOrder',
			message: 'Order 1042 is a test order. Turn on Include Test Orders to send it.',
		});
		expect(outcomeOf(order, { includeTestOrders: true, referenceIdFrom: 'id' }).kind).toBe(
			'delivery',
		);
	});

	test.each([
		['no lines', []],
		['only gift cards', [sampleLine({ gift_card: true })]],
		['only what needs no shipping', [sampleLine({ requires_shipping: false })]],
		['only removed units', [sampleLine({ current_quantity: 0 })]],
		['only fulfilled units', [sampleLine({ fulfillable_quantity: 0 })]],
		[
			'a fulfilled line without counts',
			[sampleLine({ fulfillable_quantity: null, fulfillment_status: 'fulfilled' })],
		],
		['negative counts', [sampleLine({ fulfillable_quantity: -1 })]],
	])('one with nothing left to ship: %s', (_, line_items) => {
		const order = sampleOrder({ line_items, name: null, order_number: null, id: null });
		expect(outcomeWithoutNames(order)).toEqual({
			kind: 'skipped',
			reason: 'nothingToShip',
			message:
				'The order has nothing left to ship: its items are fulfilled, refunded, removed, or need no shipping.',
		});
	});

	test.each(['voided', 'refunded'])('one that is %s, unless such orders are included', (status) => {
		const order = sampleOrder({ financial_status: status });
		expect(outcomeWithoutNames(order)).toEqual({
			kind: 'skipped',
			reason: status,
			message: expect.stringMatching(/^Order #1042's payment was .* Include Refunded Orders/),
			referenceId: '#1042',
		});
		expect(outcomeOf(order, { includeRefundedOrders: true }).kind).toBe('delivery');
	});

	describe('one that is not paid, when only paid ones are wanted', () => {
		const wanted = { onlyPaidOrders: true };

		test.each(['pending', 'authorized', 'partially_paid', 'expired'])(
			'by its status %s',
			(status) => {
				const order = sampleOrder({ financial_status: status, total_outstanding: '5.00' });
				expect(outcomeWithoutNames(order)).toMatchObject({ kind: 'delivery' });
				expect(outcomeOf(order, wanted)).toMatchObject({
					kind: 'skipped',
					reason: 'notPaid',
					message: `Order #1042 is not paid in full: its payment status is "${status}". Because of Only Paid Orders under Order Options it is sent when it comes here again after its payment.`,
				});
			},
		);

		test.each(['paid', 'partially_refunded'])('but not one that is %s', (status) => {
			expect(outcomeOf(sampleOrder({ financial_status: status }), wanted).kind).toBe('delivery');
		});

		test('by what is outstanding, where its status leaves that open', () => {
			const order = sampleOrder({
				financial_status: 'partially_refunded',
				total_outstanding: '60.00',
			});
			expect(outcomeOf(order, wanted)).toMatchObject({ reason: 'notPaid' });
		});

		test.each(['refunded', 'voided'])('nor one that is %s, and wanted all the same', (status) => {
			const order = sampleOrder({ financial_status: status, total_outstanding: '60.00' });
			const { kind } = outcomeOf(order, { ...wanted, includeRefundedOrders: true });
			expect(kind).toBe('delivery');
		});

		test('and one that does not tell is invalid: left out, it would be lost', () => {
			const problem = problemOf(sampleOrder({ financial_status: null }), wanted);
			expect(problem.message).toMatch(/^Order #1042 has no "financial_status".*Only Paid Orders/);
		});
	});

	test('one whose items were refunded too has nothing left to ship', () => {
		const line_items = [sampleLine({ current_quantity: 0 })];
		const order = sampleOrder({ financial_status: 'refunded', line_items });
		expect(outcomeOf(order)).toMatchObject({ reason: 'nothingToShip' });
	});

	test('a partly refunded one is sent', () => {
		expect(outcomeOf(sampleOrder({ financial_status: 'partially_refunded' })).kind).toBe(
			'delivery',
		);
	});

	describe('one that the customer picks up', () => {
		const pickedUp = {
			shipping_address: null,
			shipping_lines: [{ title: 'Calle Sol', code: 'Calle Sol', price: '0.00' }],
		};

		test.each([
			['in a store', pickedUp, ' (Calle Sol)'],
			['in a store without a name', { ...pickedUp, shipping_lines: [{}] }, ''],
			['at the till', { shipping_address: null, source_name: 'pos' }, ''],
		])('%s', (_, changes, place) => {
			expect(outcomeWithoutNames(sampleOrder(changes))).toEqual({
				kind: 'skipped',
				reason: 'localPickup',
				message: `Order #1042 has no shipping address: the customer picks it up${place}. To have such orders delivered all the same, set Delivery Address under Order Options.`,
				referenceId: '#1042',
			});
		});

		test('is sent to another address that is given', () => {
			const overrides = { address: 'Calle Luna 12, Puebla', name: 'Ana' };
			expect(outcomeOf(sampleOrder(pickedUp), { overrides }).kind).toBe('delivery');
		});

		test('is skipped when its customer left no data', () => {
			const anonymous = { ...pickedUp, email: null, contact_email: null };
			expect(outcomeOf(sampleOrder(anonymous))).toMatchObject({ reason: 'localPickup' });
		});
	});

	test('nothing to ship is no fault of the address', () => {
		const order = sampleOrder({ line_items: [], shipping_address: null });
		expect(outcomeOf(order).kind).toBe('skipped');
	});
});

describe('an order whose personal data Shopify holds back', () => {
	const place = { country: 'Mexico', country_code: 'MX', province: 'Puebla', name: '' };
	const withheld = {
		email: '',
		contact_email: null,
		customer: { id: 1, tags: '' },
		shipping_address: place,
		billing_address: place,
	};

	test.each([
		['with places and a customer without a name', withheld],
		['with a customer without a name alone', { ...withheld, shipping_address: null }],
		[
			'with a place alone',
			{ ...withheld, customer: null, billing_address: null, shipping_lines: [{ title: 'x' }] },
		],
		[
			'without the shipping address, which is no local pickup then',
			{ ...withheld, shipping_address: null, shipping_lines: [{ title: 'Standard' }] },
		],
	])('says so, %s', (_, changes) => {
		expect(outcomeWithoutNames(sampleOrder(changes))).toEqual({
			kind: 'invalid',
			problem: {
				message: expect.stringMatching(/^Order #1042 comes without any personal data/),
				description: expect.stringMatching(/protected customer data.*plan/),
			},
			referenceId: '#1042',
		});
	});

	test.each([
		['a name', { customer: { first_name: 'Ana' } }],
		['an e-mail address', { email: 'ana@example.com' }],
		['a phone number', { phone: '1' }],
		['a street', { billing_address: { address1: 'Calle Luna 12' } }],
	])('is not one that has %s', (_, changes) => {
		expect(problemOf(sampleOrder({ ...withheld, ...changes })).message).not.toContain(
			'personal data',
		);
	});

	test('is not one that was sold at the till to a customer without data', () => {
		const order = sampleOrder({ ...withheld, shipping_address: null, source_name: 'pos' });
		expect(outcomeOf(order)).toMatchObject({ kind: 'skipped', reason: 'localPickup' });
	});

	test('is sent when the options give what it lacks', () => {
		const overrides = { name: 'Ana', email: 'ana@example.com', address: 'Calle Luna 12' };
		expect(outcomeOf(sampleOrder(withheld), { overrides }).kind).toBe('delivery');
	});
});

describe('contact', () => {
	const shipping = (changes: Record<string, unknown>) => ({
		shipping_address: sampleAddress(changes),
	});
	const unnamed = { name: null, first_name: '', last_name: ' ', phone: null };
	const customer = { first_name: 'Cus', last_name: 'Tomer', email: 'c@example.com', phone: '3' };
	const billing_address = { name: 'Bill Payer', first_name: 'B', last_name: 'P', phone: '4' };

	test.each([
		['shipping name', shipping({}), 'Ana Lopez'],
		['shipping first and last name', shipping({ name: '' }), 'Ana Lopez'],
		['shipping last name alone', shipping({ name: '', first_name: null }), 'Lopez'],
		['customer', { ...shipping(unnamed), customer, billing_address }, 'Cus Tomer'],
		['billing name', { ...shipping(unnamed), billing_address }, 'Bill Payer'],
		[
			'billing first and last name',
			{ ...shipping(unnamed), billing_address: { ...billing_address, name: null } },
			'B P',
		],
		['company, when nobody is named', shipping({ ...unnamed, company: 'Acme' }), 'Acme'],
	])('name from: %s', (_, changes, expected) => {
		expect(deliveryOf(sampleOrder(changes)).dropoff.contact.name).toBe(expected);
	});

	test.each([
		['order', {}, 'ana@example.com'],
		['contact e-mail', { email: null }, 'ana.contact@example.com'],
		['customer', { email: null, contact_email: '', customer }, 'c@example.com'],
		['fallback', { email: null, contact_email: null }, 'shop@example.com'],
		['the next that is usable', { email: 'ana@' }, 'ana.contact@example.com'],
		['fallback, when none is usable', { email: 'ana', contact_email: '@b' }, 'shop@example.com'],
	])('e-mail from: %s', (_, changes, expected) => {
		const delivery = deliveryOf(sampleOrder(changes), { fallbackEmail: 'shop@example.com' });
		expect(delivery.dropoff.contact.email).toBe(expected);
	});

	test.each([
		['shipping address', { phone: '2', customer, billing_address }, '+52 55 1000 2000'],
		['order', { ...shipping(unnamed), phone: '2', customer, billing_address }, '2'],
		['customer', { ...shipping(unnamed), customer, billing_address }, '3'],
		['billing address', { ...shipping(unnamed), billing_address }, '4'],
		['nowhere', shipping({ phone: null }), undefined],
	])('phone from: %s', (_, changes, expected) => {
		expect(deliveryOf(sampleOrder(changes)).dropoff.contact.phonenumber).toBe(expected);
	});

	test('an e-mail address that cannot be used is named, with the order', () => {
		const order = sampleOrder({ email: 'ana@', contact_email: 'ana(at)b' });
		expect(problemOf(order)).toEqual({
			message:
				'Order #1042 has the e-mail address "ana@", which no mail server takes. Correct it in Shopify, or set Fallback Email under Order Options.',
		});
	});

	test('what is missing is told, with what to do', () => {
		const order = sampleOrder({
			...shipping({ ...unnamed, address1: null }),
			email: null,
			contact_email: null,
			phone: '2',
			name: null,
			total_outstanding: null,
			financial_status: null,
		});
		expect(problemOf(order, { cod: 'unpaid' })).toEqual({
			message: expect.stringContaining('no street'),
			description: expect.stringMatching(
				/names no recipient.*Set Fallback Email.*no "name" to be the reference ID.*still to be paid/,
			),
		});
	});
});

describe('location', () => {
	function locationOf(changes: Record<string, unknown>, mapping: Record<string, unknown> = {}) {
		const { note, ...address } = changes;
		return deliveryOf(sampleOrder({ note, shipping_address: sampleAddress(address) }), mapping)
			.dropoff.location;
	}

	test('text, in one line', () => {
		expect(locationOf({ address1: 'Calle Luna\n12' }, { addressFormat: 'text' }).address).toBe(
			'Calle Luna 12, Puebla, Puebla 72000, Mexico',
		);
		const sparse = { province: null, province_code: null, city: '', zip: null };
		expect(locationOf(sparse, { addressFormat: 'text' }).address).toBe('Calle Luna 12, Mexico');
	});

	test('codes stand in for names of province and country', () => {
		expect(locationOf({ province: null, country: null }).address).toMatchObject({
			state: 'PUE',
			country: 'MX',
		});
	});

	test.each([
		[{ latitude: null }, undefined],
		[{ longitude: null }, undefined],
		[{ latitude: 0, longitude: 0 }, undefined],
		[{ latitude: '0.0', longitude: '0' }, undefined],
		[{ latitude: 0 }, '0'],
		[{ longitude: 0 }, '19.0433'],
		[{ latitude: 1e-7 }, '0.0000001'],
	])('coordinates %j: latitude %p', (changes, expected) => {
		const location = locationOf(changes);
		expect(location.lat).toBe(expected);
		expect(location.lng === undefined).toBe(expected === undefined);
	});

	test.each([
		[{}, undefined],
		[{ address2: 'Apt 4' }, 'Apt 4'],
		[{ note: ' Ring twice ' }, 'Ring twice'],
		[{ company: 'Acme', address2: 'Apt 4', note: 'Ring twice' }, 'Acme; Apt 4; Ring twice'],
		[{ company: 'Ana Lopez', name: null }, undefined],
	])('instructions from %j: %p', (changes, expected) => {
		expect(locationOf(changes).instructions).toBe(expected);
	});

	test('without a shipping address and a way of shipping it does not guess', () => {
		const order = sampleOrder({ shipping_address: null, billing_address: sampleAddress() });
		expect(problemOf(order)).toEqual({
			message: expect.stringMatching(/no shipping address.*shipping_lines/),
		});
	});

	test.each([
		[{ latitude: 91 }],
		[{ longitude: '-180.5' }],
		[{ latitude: 'north' }],
		[{ longitude: {} }],
	])('coordinates that are none are left out: %j', (changes) => {
		const { lat, lng } = locationOf(changes);
		expect([lat, lng]).toEqual([undefined, undefined]);
	});
});

test.each([
	['lacks an address', { shipping_address: null }, '#1042'],
	[
		'has a line that cannot be read',
		{ line_items: [sampleLine({ fulfillable_quantity: null, fulfillment_status: 'partial' })] },
		'#1042',
	],
	['has no name', { name: null }, undefined],
])(
	'an order that %s is refused with its reference ID, if it has one',
	(_, changes, referenceId) => {
		expect(outcomeOf(sampleOrder(changes))).toMatchObject({ kind: 'invalid', referenceId });
	},
);

describe('overrides win over the order', () => {
	test('each of them', () => {
		const overrides = {
			name: 'Front Desk',
			email: 'desk@example.com',
			phone: 5551234,
			instructions: 'Use the back door',
			lat: '1.5',
			lng: 2,
			referenceId: 'R-1',
			tags: ['x', 'x, y'],
			packageName: 'Parcel',
		};
		const order = sampleOrder({ note: 'n', tags: 'a' });
		const delivery = deliveryOf(order, { overrides });
		expect(delivery).toMatchObject({
			dropoff: {
				contact: { name: 'Front Desk', email: 'desk@example.com', phonenumber: '5551234' },
				location: { instructions: 'Use the back door', lat: '1.5', lng: '2' },
			},
			packages: [{ name: 'Parcel' }],
			referenceId: 'R-1',
			tags: ['x', 'x, y'],
		});
		const perLine = deliveryOf(order, { overrides, packagesPer: 'unit' });
		expect(perLine.packages).toMatchObject([{ name: 'Parcel' }]);
	});

	test('an empty one does not', () => {
		const overrides = { name: '', email: ' ', phone: null, address: '', tags: [] };
		expect(deliveryOf(sampleOrder({ tags: 'a' }), { overrides })).toEqual(
			deliveryOf(sampleOrder({ tags: 'a' })),
		);
	});

	test('another address leaves out what belongs to the order’s own', () => {
		const order = sampleOrder({
			note: 'Ring twice',
			shipping_address: sampleAddress({ address2: 'Apt 4', company: 'Acme' }),
		});
		const overrides = { address: 'Gran Via 1, Madrid' };
		expect(deliveryOf(order, { overrides }).dropoff.location).toEqual({
			address: 'Gran Via 1, Madrid',
			instructions: 'Ring twice',
		});
		const more = { ...overrides, instructions: 'i', lat: 40.4, lng: -3.7 };
		expect(deliveryOf(order, { overrides: more }).dropoff.location).toEqual({
			address: 'Gran Via 1, Madrid',
			instructions: 'i',
			lat: '40.4',
			lng: '-3.7',
		});
	});

	test('another address serves where the order has none', () => {
		const order = sampleOrder({ shipping_address: null });
		const overrides = { address: 'Gran Via 1, Madrid', name: 'Ana' };
		expect(outcomeOf(order, { overrides }).kind).toBe('delivery');
	});

	test('one coordinate is never paired with the order’s other one', () => {
		const { lat, lng } = deliveryOf(sampleOrder(), { overrides: { lng: '2' } }).dropoff.location;
		expect([lat, lng]).toEqual([undefined, '2']);
	});
});

describe('packages', () => {
	const lines = [
		sampleLine({ quantity: 3, current_quantity: 3, fulfillable_quantity: 3, price: '0.10' }),
		sampleLine({ id: 7002, name: null, quantity: 1, grams: '1250.5', price: '99.99' }),
		sampleLine({ id: 7003, name: 'Voucher', requires_shipping: false }),
	];

	test('one for the order', () => {
		expect(deliveryOf(sampleOrder({ line_items: lines })).packages).toEqual([
			{ name: '#1042', qty: 1, weight: 2.3005, size: 'm', price: 100.29 },
		]);
	});

	test('one for each unit of each line', () => {
		const packages = deliveryOf(sampleOrder({ line_items: lines }), {
			packagesPer: 'unit',
		}).packages;
		expect(packages).toEqual([
			{ name: 'Mug - Blue', qty: 3, weight: 1.05, size: 'm', price: 0.3 },
			{ name: 'Mug', qty: 1, weight: 1.2505, size: 'm', price: 99.99 },
		]);
	});

	test('a name is found for each', () => {
		const line_items = [sampleLine({ name: '', title: null })];
		const order = sampleOrder({ line_items, name: null, order_number: null, id: null });
		const overrides = { referenceId: 'R' };
		expect(deliveryOf(order, { overrides }).packages[0]?.name).toBe('Order');
		expect(deliveryOf(order, { overrides, packagesPer: 'unit' }).packages[0]?.name).toBe('Item 1');
	});

	test('what the order does not tell is left out', () => {
		const unknown = sampleLine({ grams: null, price: null });
		const order = sampleOrder({ line_items: [sampleLine(), unknown] });
		expect(deliveryOf(order).packages[0]).toEqual({ name: '#1042', qty: 1, size: 'm' });
	});

	test('no grams are no weight, but no price is a price', () => {
		const order = sampleOrder({ line_items: [sampleLine({ grams: 0, price: '0.00' })] });
		expect(deliveryOf(order).packages[0]).toEqual({ name: '#1042', qty: 1, size: 'm', price: 0 });
	});

	describe('size', () => {
		function sizesOf(grams: unknown, packageSize: unknown, packagesPer = 'order') {
			const order = sampleOrder({ line_items: [sampleLine({ grams })] });
			return deliveryOf(order, { packageSize, packagesPer }).packages[0]?.size;
		}

		test('fixed, in either case', () => {
			expect(sizesOf(1, { by: 'fixed', size: 'XL' })).toBe('xl');
		});

		test.each([
			[1, 'xs'],
			[500, 'xs'],
			[500.5, 's'],
			[2500, 's'],
			[5000, 'm'],
			[10_000, 'l'],
			[10_001, 'xl'],
			[0, 'xl'],
			[null, 'xl'],
		])('by weight, two units of %p g: %s', (grams, expected) => {
			expect(sizesOf(grams, { by: 'weight' })).toBe(expected);
		});

		test('a product without a weight leaves the package without one, and XL', () => {
			const lamp = sampleLine({ grams: 100 });
			for (const grams of [0, '0', null]) {
				const wardrobe = sampleLine({ id: 7002, grams });
				const order = sampleOrder({ line_items: [lamp, wardrobe] });
				const { packages } = deliveryOf(order, { packageSize: { by: 'weight' } });
				expect(packages).toEqual([{ name: '#1042', qty: 1, size: 'xl', price: 50 }]);
			}
		});

		test('a package of one unit is weighed by itself', () => {
			expect(sizesOf(1000, { by: 'weight' }, 'unit')).toBe('xs');
			expect(sizesOf(1000, { by: 'weight' }, 'order')).toBe('s');
		});

		test('limits may stand in any order and be text', () => {
			const limits = [
				{ upToKg: '30', size: 'l' },
				{ upToKg: 0.7, size: 's' },
				{ upToKg: 3, size: 'm' },
			];
			expect(sizesOf(350, { by: 'weight', limits, otherwise: 'xs' })).toBe('s');
			expect(sizesOf(351, { by: 'weight', limits, otherwise: 'xs' })).toBe('m');
			expect(sizesOf(20_000, { by: 'weight', limits, otherwise: 'xs' })).toBe('xs');
		});
	});
});

describe('units that are left to ship', () => {
	function packageOf(line: Record<string, unknown>, refunds: unknown = []) {
		const order = sampleOrder({
			line_items: [sampleLine({ quantity: 4, price: '1', ...line })],
			refunds,
		});
		return deliveryOf(order, { packagesPer: 'unit' }).packages[0];
	}

	const refunds = [
		{
			refund_line_items: [
				{ line_item_id: '7001', quantity: 1 },
				{ line_item_id: 9, quantity: 4 },
			],
		},
		{ refund_line_items: [{ line_item_id: 7001, quantity: 2 }] },
		{},
	];

	test.each([
		['the current quantity', { current_quantity: 3, fulfillable_quantity: 4 }, [], 3],
		['the fulfillable quantity', { current_quantity: 4, fulfillable_quantity: 1 }, [], 1],
		['the quantity', { current_quantity: null, fulfillable_quantity: null }, [], 4],
		['never more than the quantity', { current_quantity: 9, fulfillable_quantity: 9 }, [], 4],
		['refunds', { current_quantity: null, fulfillable_quantity: null }, refunds, 1],
		[
			'the current quantity, which knows of refunds',
			{ current_quantity: 2, fulfillable_quantity: null },
			refunds,
			2,
		],
		[
			'a partly fulfilled line with its count',
			{ current_quantity: 4, fulfillable_quantity: 3, fulfillment_status: 'partial' },
			[],
			3,
		],
	])('by %s', (_, line, given, expected) => {
		expect(packageOf(line, given)).toMatchObject({ qty: expected, price: expected });
	});

	test('a partly fulfilled line without its count is not guessed at', () => {
		const line = sampleLine({ fulfillable_quantity: null, fulfillment_status: 'partial' });
		expect(problemOf(sampleOrder({ line_items: [sampleLine(), line] }))).toEqual({
			message:
				'Order #1042 does not tell how much is left of "Mug - Blue", which is partly fulfilled: its "line_items[1].fulfillable_quantity" is missing. Let the Shopify node return it, or fulfil the rest by hand.',
		});
	});
});

describe('price after discounts', () => {
	function priceOf(line: Record<string, unknown>, currency: unknown = 'MXN') {
		const order = sampleOrder({
			line_items: [sampleLine({ quantity: 3, price: '10.00', ...line })],
			currency,
		});
		return deliveryOf(order).packages[0]?.price;
	}
	const all = { current_quantity: 3, fulfillable_quantity: 3 };

	test.each([
		['no discount', {}, 30],
		['nothing said of discounts', { total_discount: null, discount_allocations: null }, 30],
		['allocations', { discount_allocations: [{ amount: '5.00' }, { amount: '0.01' }] }, 24.99],
		[
			'a line discount that the allocations repeat',
			{ total_discount: '5.00', discount_allocations: [{ amount: '5.00' }, { amount: '3.00' }] },
			22,
		],
		['a line discount alone', { total_discount: '5.00' }, 25],
		['an allocation without an amount', { discount_allocations: [{}] }, undefined],
		['more than the price', { discount_allocations: [{ amount: '31.00' }] }, 0],
	])('%s', (_, line, expected) => {
		expect(priceOf({ ...all, ...line })).toBe(expected);
	});

	test.each([
		['MXN', '10.00', 6.67],
		['JPY', '10', 7],
		['KWD', '10.000', 6.667],
		['usd', '10', 6.67],
		['no currency', '10', 6.67],
		[null, '10', 6.67],
	])('remaining units bear their share, rounded as %s is', (currency, amount, expected) => {
		const line = { current_quantity: 1, price: '10', discount_allocations: [{ amount }] };
		expect(priceOf(line, currency)).toBe(expected);
	});
});

describe('reference ID', () => {
	test.each([
		['name', '#1042'],
		['id', '820982911946154'],
		['orderNumber', '1042'],
	])('from %s', (referenceIdFrom, expected) => {
		expect(deliveryOf(sampleOrder(), { referenceIdFrom }).referenceId).toBe(expected);
	});
});

describe('tags', () => {
	test.each([
		['', undefined],
		[' , ,', undefined],
		['vip', ['vip']],
		['vip, gift ,, vip,Gift', ['vip', 'gift', 'Gift']],
		[
			['vip', ' gift ', '', null, 7, {}, 'vip'],
			['vip', 'gift', '7'],
		],
	])('%j become %j', (tags, expected) => {
		expect(deliveryOf(sampleOrder({ tags })).tags).toEqual(expected);
	});

	test('are left out when so chosen', () => {
		expect(deliveryOf(sampleOrder({ tags: 'vip' }), { includeTags: false }).tags).toBeUndefined();
	});
});

describe('an optional part that cannot be read is left out', () => {
	test.each([
		['note', { text: 'x' }],
		['currency', true],
		['customer', 'Ana'],
		['billing_address', 7],
		['phone', {}],
		['note_attributes', 'x'],
		['tags', { a: 1 }],
	])('%s', (member, value) => {
		expect(deliveryOf(sampleOrder({ [member]: value }))).toEqual(
			deliveryOf(sampleOrder({ [member]: null })),
		);
	});

	test.each([
		['phone', {}],
		['company', ['x']],
		['address2', false],
	])('%s of the address', (member, value) => {
		const [unread, none] = [value, null].map((given) =>
			deliveryOf(sampleOrder({ shipping_address: sampleAddress({ [member]: given }) })),
		);
		expect(unread).toEqual(none);
	});

	test.each([
		[{ grams: 'heavy' }, { name: '#1042', qty: 1, size: 'm', price: 25 }],
		[{ price: '12,50' }, { name: '#1042', qty: 1, weight: 0.7, size: 'm' }],
		[{ price: -1 }, { name: '#1042', qty: 1, weight: 0.7, size: 'm' }],
		[{ discount_allocations: 'x' }, { name: '#1042', qty: 1, weight: 0.7, size: 'm' }],
		[
			{ discount_allocations: [{ amount: 'x' }] },
			{ name: '#1042', qty: 1, weight: 0.7, size: 'm' },
		],
		[{ total_discount: false }, { name: '#1042', qty: 1, weight: 0.7, size: 'm' }],
		[
			{ name: {}, title: [] },
			{ name: '#1042', qty: 1, weight: 0.7, size: 'm', price: 25 },
		],
	])('of a line: %j', (changes, expected) => {
		expect(deliveryOf(sampleOrder({ line_items: [sampleLine(changes)] })).packages).toEqual([
			expected,
		]);
	});

	test('a tag that is too long for the service', () => {
		const long = 'x'.repeat(51);
		expect(deliveryOf(sampleOrder({ tags: `vip, ${long}` })).tags).toEqual(['vip']);
		expect(deliveryOf(sampleOrder({ tags: '🎁'.repeat(50) })).tags).toEqual(['🎁'.repeat(50)]);
	});
});

describe('extra data', () => {
	const note_attributes = [
		{ name: 'Delivery-Date', value: '2024-05-20' },
		{ name: 'Floor', value: 3 },
		{ name: 'Gate', value: '' },
		{ name: null, value: 'x' },
		{ name: 'Gift', value: true },
		{ name: 'Wrapped', value: false },
		{ name: 'Days', value: ['Mon', 'Tue'] },
		{ name: 'Slot', value: { from: 8, to: 12 } },
		{ name: 'Nothing', value: [] },
		{ name: {}, value: 'x' },
		{ name: '_checkout_token', value: 'secret' },
		'text',
		null,
	];

	test('from note attributes as text, without empty and hidden ones', () => {
		expect(deliveryOf(sampleOrder({ note_attributes })).extraData).toEqual([
			{ name: 'Delivery-Date', value: '2024-05-20' },
			{ name: 'Floor', value: '3' },
			{ name: 'Gift', value: 'true' },
			{ name: 'Wrapped', value: 'false' },
			{ name: 'Days', value: 'Mon, Tue' },
			{ name: 'Slot', value: '{"from":8,"to":12}' },
		]);
	});

	test('none when there are none, or when so chosen', () => {
		expect(deliveryOf(sampleOrder({ note_attributes: [{}] })).extraData).toBeUndefined();
		const off = { includeAdditionalDetails: false };
		expect(deliveryOf(sampleOrder({ note_attributes }), off).extraData).toBeUndefined();
	});
});
