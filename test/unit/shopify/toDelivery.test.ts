import {
	byWeight,
	deliveryOf,
	outcomeOf,
	problemOf,
	sampleAddress,
	sampleLine,
	sampleOrder,
} from '../../support/sampleOrder';

test('maps an order to a delivery', () => {
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

test('returns the identifiers of an order with every outcome, and the email of the delivery', () => {
	const shopifyOrder = { id: '820982911946154', name: '#1042', email: 'ana@example.com' };
	const noStreet = { shipping_address: sampleAddress({ address1: null }) };
	for (const [kind, changes] of [
		['delivery', {}],
		['skipped', { test: true }],
		['invalid', noStreet],
	] as const)
		expect(outcomeOf(sampleOrder(changes))).toMatchObject({ kind, shopifyOrder });
	const order = sampleOrder({ email: null, contact_email: null });
	const fallbackEmail = 'shop@example.com';
	expect(outcomeOf(order, { fallbackEmail }).shopifyOrder?.email).toBe(fallbackEmail);
});

describe('skipped orders', () => {
	test('skips a test order unless test orders are included', () => {
		const order = sampleOrder({ test: true, name: null });
		expect(outcomeOf(order)).toMatchObject({
			kind: 'skipped',
			code: 'testOrder',
			message:
				'Order 1042 is a test order, and Include Test Orders under Filters is off. Nothing to do.',
		});
		const included = { filters: { includeTestOrders: true }, referenceIdFrom: 'id' };
		expect(outcomeOf(order, included).kind).toBe('delivery');
	});

	test.each([
		['no lines', []],
		['only gift cards', [sampleLine({ gift_card: true })]],
		['only items that need no shipping', [sampleLine({ requires_shipping: false })]],
		['only removed units', [sampleLine({ current_quantity: 0 })]],
		['only fulfilled units', [sampleLine({ fulfillable_quantity: 0 })]],
		[
			'a fulfilled line without unit counts',
			[sampleLine({ fulfillable_quantity: null, fulfillment_status: 'fulfilled' })],
		],
		['a negative unit count', [sampleLine({ fulfillable_quantity: -1 })]],
	])('skips an order with nothing left to ship: %s', (_, line_items) => {
		const order = sampleOrder({ line_items, name: null, order_number: null, id: null });
		expect(outcomeOf(order)).toMatchObject({
			kind: 'skipped',
			code: 'nothingToShip',
			message:
				'The order has nothing to ship: its items are fulfilled, refunded, removed or digital. Nothing to do.',
		});
	});

	test('says which items are probably on hold, if nothing else explains that none is left', () => {
		const held = sampleLine({ id: 2, name: 'Lamp', fulfillable_quantity: 0 });
		const need = (line_items: unknown[], filters = {}) => {
			const order = sampleOrder({ line_items, fulfillments: [] });
			const { kind, needed } = outcomeOf(order, { filters });
			return [kind, needed];
		};
		const unsent =
			'Order #1042 was not sent, probably because of a hold in Shopify: "Lamp". When it is released, send it with Send Anyway.';
		const partlySent =
			'Order #1042 was sent without these items, probably because of a hold in Shopify: "Lamp". When it is released, send them with the operation Create and a reference ID of their own.';
		expect(need([held])).toEqual(['skipped', unsent]);
		expect(need([held], { skipUntilDeliveryDate: true })).toEqual(['skipped', '']);
		expect(need([sampleLine(), held])).toEqual(['delivery', partlySent]);
		const fulfilled = { ...held, fulfillment_status: 'fulfilled' };
		expect(need([sampleLine(), fulfilled])).toEqual(['delivery', '']);
		const fulfillments = [{ status: 'pending', line_items: [{ id: 2, quantity: 2 }] }];
		expect(outcomeOf(sampleOrder({ line_items: [held], fulfillments }))).toMatchObject({
			code: 'nothingToShip',
			needed: '',
		});
	});

	describe('a local pickup order', () => {
		const localPickup = {
			shipping_address: null,
			shipping_lines: [{ title: 'Calle Sol', code: 'Calle Sol', price: '0.00' }],
			source_name: 'web',
		};

		test.each([
			['with a named location', localPickup, ' (Calle Sol)'],
			['at an nameless store', { ...localPickup, shipping_lines: [{}] }, ''],
			['sold in person', { shipping_address: null, source_name: 'pos' }, ''],
		])('skips a local pickup order: %s', (_, changes, method) => {
			expect(outcomeOf(sampleOrder(changes))).toMatchObject({
				kind: 'skipped',
				code: 'localPickup',
				message: `Order #1042 has no shipping address, so it looks like a store pickup${method}. Nothing to do.`,
				referenceId: '#1042',
			});
			expect(problemOf(sampleOrder(changes), { sendAnyway: true }).message).toMatch(
				/has items to ship, but no shipping address\. Add one/,
			);
		});

		test.each([
			['a marketplace, which may send the address later', { source_name: 'tiktok' }],
			['an app of the shop', { source_name: '1424624' }],
			['a phone order with a custom rate', { shipping_lines: [{ title: 'Van', code: 'custom' }] }],
			['a draft', { source_name: 'shopify_draft_order' }],
			['an unknown channel', { source_name: null }],
		])('takes no missing address for a pickup: %s', (_, changes) => {
			expect(problemOf(sampleOrder({ ...localPickup, ...changes })).message).toBe(
				'Order #1042 has items to ship, but no shipping address. Add one to the order in Shopify. If the customer picks it up, fulfill it there.',
			);
		});
	});

	describe('an order that an app marks as a pickup', () => {
		const attribute = (name: string, value: string) => ({ note_attributes: [{ name, value }] });
		const zapietPickup = { properties: [{ name: '_ZapietId', value: 'M=P' }] };
		const removed = { id: 2, current_quantity: 0, fulfillable_quantity: 0 };
		const property = (name: string, value: string) => ({
			line_items: [sampleLine({ properties: [{ name, value }] })],
		});

		test.each<[Record<string, unknown>, string]>([
			[attribute('Checkout-Method', 'pickup'), 'Checkout-Method: pickup'],
			[attribute('checkout_method', ' Pickup '), 'checkout_method: Pickup'],
			[attribute('Delivery Method', 'Store Pickup'), 'Delivery Method: Store Pickup'],
			[attribute('Delivery-Type', 'Pick-up'), 'Delivery-Type: Pick-up'],
			[attribute('Delivery Method (*)', 'Pickup: Harbor'), 'Delivery Method (*): Pickup: Harbor'],
			[attribute('Order Type', 'Click & Collect'), 'Order Type: Click & Collect'],
			[attribute('deliveryMethod', 'Store Pickup'), 'deliveryMethod: Store Pickup'],
			[attribute('Metoda dostawy', 'Odbiór osobisty'), 'Metoda dostawy: Odbiór osobisty'],
			[attribute('Pickup or Delivery?', 'PICKUP'), 'Pickup or Delivery?: PICKUP'],
			[attribute('受取方法', '店舗受取'), '受取方法: 店舗受取'],
			[attribute('Pickup-Location-Id', '100001'), 'Pickup-Location-Id: 100001'],
			[attribute('Pick-up Location ID', '7'), 'Pick-up Location ID: 7'],
			[property('_ZapietId', 'M=P&L=1002'), '_ZapietId: M=P&L=1002'],
			[property('_BirdChimeSlotId', 'M=P;L=1'), '_BirdChimeSlotId: M=P;L=1'],
			[attribute('Order Fulfillment Type', 'Pickup'), 'Order Fulfillment Type: Pickup'],
			[property('Delivery Method', 'Store Pickup'), 'Delivery Method: Store Pickup'],
			[attribute('Method', 'Pickup'), 'Method: Pickup'],
			[property('Method', 'Store Pickup'), 'Method: Store Pickup'],
			[property('Pick Up or Delivered', 'Pick Up'), 'Pick Up or Delivered: Pick Up'],
			[
				{
					note_attributes: [
						{ name: 'Delivery Method', value: 'null' },
						{ name: 'Pickup-Location-Id', value: '12' },
					],
				},
				'Pickup-Location-Id: 12',
			],
		])('is skipped with an address: %j', (changes, mark) => {
			expect(outcomeOf(sampleOrder(changes))).toMatchObject({
				kind: 'skipped',
				code: 'localPickup',
				message: `Order #1042 is marked as a store pickup (${mark}). Nothing to do.`,
				referenceId: '#1042',
			});
		});

		test.each<[Record<string, unknown>]>([
			[attribute('Checkout-Method', 'delivery')],
			[attribute('Checkout-Method', 'shipping')],
			[attribute('Gift note', 'pickup')],
			[attribute('Pickup-Date', '2021-05-13')],
			[attribute('Pickup-Location-Id', 'null')],
			[attribute('Pick-up Point Location', 'N/A')],
			[attribute('Delivery type', 'Pickup by courier')],
			[attribute('Pickup or Delivery?', 'Delivery')],
			[attribute('Mode de livraison', 'Livraison à domicile')],
			[property('_ZapietId', 'M=D&L=1002')],
			[property('Note', 'M=P')],
			[property('Delivery Method', 'Delivery')],
			[attribute('Method', 'Local delivery')],
			[property('Method', 'French press')],
			[
				{
					line_items: [
						sampleLine({ properties: [{ name: 'Delivery Method', value: 'Store Pickup' }] }),
						sampleLine({ id: 2 }),
					],
				},
			],
			[{ ...attribute('Checkout-Method', 'delivery'), ...property('_ZapietId', 'M=P') }],
			[{ line_items: [sampleLine(), { ...sampleLine(zapietPickup), ...removed }] }],
			[
				{
					note_attributes: [
						{ name: 'Pickup-Location-Id', value: '1' },
						{ name: 'Checkout-Method', value: 'delivery' },
					],
				},
			],
		])('is sent if it is not a pickup: %j', (changes) => {
			expect(outcomeOf(sampleOrder(changes)).kind).toBe('delivery');
		});
	});
});

describe('an order without personal data', () => {
	const address = { country: 'Mexico', country_code: 'MX', province: 'Puebla', name: '' };
	const anonymous = {
		email: '',
		contact_email: null,
		customer: { id: 1, tags: '' },
		shipping_address: address,
		billing_address: address,
	};
	const nothing = { customer: null, billing_address: null, shipping_address: null };

	test.each([
		['with addresses and a customer', anonymous],
		['with a customer and a billing address', { ...anonymous, shipping_address: null }],
		[
			'without a customer or any address',
			{ ...anonymous, ...nothing, shipping_lines: [{ title: 'Standard' }] },
		],
	])('rejects an order without personal data %s', (_, changes) => {
		expect(outcomeOf(sampleOrder(changes))).toMatchObject({
			kind: 'invalid',
			problem: {
				message:
					'Order #1042 contains no name, email, phone or street. If Shopify shows them, your app lacks access to protected customer data.',
				description: expect.stringMatching(
					/^If Shopify shows none, add .* Dev Dashboard needs Custom distribution;.*Protected customer data access/,
				),
			},
			referenceId: '#1042',
		});
	});

	test('asks to set up an order form that writes the personal data only into the additional details', () => {
		const hint = 'set up your order form to fill in the shipping address';
		const note_attributes = [{ name: 'Address', value: 'Calle Luna 12' }];
		const { description } = problemOf(sampleOrder({ ...anonymous, ...nothing, note_attributes }));
		expect(description).toContain(`If it shows them only under Additional details, ${hint}.`);
		expect(problemOf(sampleOrder({ ...anonymous, ...nothing })).description).not.toContain(hint);
	});

	test.each([
		['a name', { customer: { first_name: 'Ana' } }],
		['an email', { email: 'ana@example.com' }],
		['a phone number', { phone: '1' }],
		['a street', { billing_address: { address1: 'Calle Luna 12' } }],
	])('does not report missing personal data for an order with %s', (_, changes) => {
		expect(problemOf(sampleOrder({ ...anonymous, ...changes })).message).not.toContain(
			'personal data',
		);
	});

	test('skips an order without personal data as a local pickup if it was sold in person', () => {
		const order = sampleOrder({ ...anonymous, shipping_address: null, source_name: 'pos' });
		expect(outcomeOf(order)).toMatchObject({ kind: 'skipped', code: 'localPickup' });
	});
});

describe('recipient', () => {
	const shipping = (changes: Record<string, unknown>) => ({
		shipping_address: sampleAddress(changes),
	});
	const nameless = { name: null, first_name: '', last_name: ' ', phone: null };
	const customer = { first_name: 'Cus', last_name: 'Tomer', email: 'c@example.com', phone: '3' };
	const billing_address = { name: 'Bill Payer', first_name: 'B', last_name: 'P', phone: '4' };
	const localDelivery = { shipping_lines: [{ title: 'Local' }, { title: 'Local', phone: '5' }] };
	const removedMethod = { shipping_lines: [{ title: 'Local', phone: '5', is_removed: true }] };

	test.each([
		['shipping name', shipping({}), 'Ana Lopez'],
		['shipping first and last name', shipping({ name: '' }), 'Ana Lopez'],
		['shipping last name alone', shipping({ name: '', first_name: null }), 'Lopez'],
		['customer', { ...shipping(nameless), customer, billing_address }, 'Cus Tomer'],
		['billing name', { ...shipping(nameless), billing_address }, 'Bill Payer'],
		[
			'billing first and last name',
			{ ...shipping(nameless), billing_address: { ...billing_address, name: null } },
			'B P',
		],
		['company if no person is named', shipping({ ...nameless, company: 'Acme' }), 'Acme'],
	])('takes the recipient name from: %s', (_, changes, expected) => {
		expect(deliveryOf(sampleOrder(changes)).dropoff.contact.name).toBe(expected);
	});

	test.each([
		['order', {}, 'ana@example.com'],
		['contact email', { email: null }, 'ana.contact@example.com'],
		['customer', { email: null, contact_email: '', customer }, 'c@example.com'],
		['fallback', { email: null, contact_email: null }, 'shop@example.com'],
		['the next valid one', { email: 'ana@' }, 'ana.contact@example.com'],
		['fallback if none is valid', { email: 'ana', contact_email: '@b' }, 'shop@example.com'],
	])('takes the recipient email from: %s', (_, changes, expected) => {
		const delivery = deliveryOf(sampleOrder(changes), { fallbackEmail: 'shop@example.com' });
		expect(delivery.dropoff.contact.email).toBe(expected);
	});

	test.each([
		['shipping address', { phone: '2', customer, billing_address }, '+52 55 1000 2000'],
		['order', { ...shipping(nameless), phone: '2', customer, billing_address }, '2'],
		['customer', { ...shipping(nameless), customer, billing_address }, '3'],
		['billing address', { ...shipping(nameless), billing_address }, '4'],
		[
			'shipping method, as in local deliveries',
			{ ...shipping(nameless), customer: { ...customer, phone: null }, ...localDelivery },
			'5',
		],
		['a remaining shipping method', { ...shipping({ phone: null }), ...removedMethod }, undefined],
		['nowhere', shipping({ phone: null }), undefined],
	])('takes the recipient phone from: %s', (_, changes, expected) => {
		expect(deliveryOf(sampleOrder(changes)).dropoff.contact.phonenumber).toBe(expected);
	});

	test.each([
		['+1 502 555 0181 ext. 12', '+1 502 555 0181 ext. 12'],
		['1-800-FLOWERS', '1-800-FLOWERS'],
		['0171 23 / 0172 34', '0171 23 / 0172 34'],
		['+٩٦٦ ٥٠ ١٢٣', '+966 50 123'],
		['０９０－１２３４', '090-1234'],
		['000-000-0000', undefined],
		['+1 000 0000000', undefined],
		['Call before arrival', undefined],
	])('reads the phone %s as %s', (phone, expected) => {
		expect(deliveryOf(sampleOrder(shipping({ phone }))).dropoff.contact.phonenumber).toBe(expected);
	});

	test.each([
		['Ana .', 'Ana'],
		['. Lopez', 'Lopez'],
		['undefined Lopez', 'Lopez'],
		['N/A Lopez', 'Lopez'],
		['Ana n/a', 'Ana'],
		['Ana null -', 'Ana'],
		['Ana - Maria J. Lopez', 'Ana - Maria J. Lopez'],
		['Na Li', 'Na Li'],
		['Robin Null', 'Robin Null'],
	])('reads the recipient name %s as %s', (name, expected) => {
		expect(deliveryOf(sampleOrder(shipping({ name }))).dropoff.contact.name).toBe(expected);
	});

	test('leaves out invisible characters', () => {
		const address = sampleAddress({ name: '\uFEFFAna', address1: '\u200ECalle Luna 12\u200B' });
		const order = sampleOrder({ email: 'mia@example.com\u200B', shipping_address: address });
		expect(deliveryOf(order).dropoff).toMatchObject({
			contact: { name: 'Ana', email: 'mia@example.com' },
			location: { address: { streetName: 'Calle Luna 12' } },
		});
	});

	test('rejects an order with only invalid emails and names the first', () => {
		const order = sampleOrder({ email: 'ana@', contact_email: 'ana(at)b' });
		expect(problemOf(order)).toEqual({
			message:
				'Order #1042 has the email address "ana@", which is not valid. Correct it in Shopify, or set Fallback Email.',
		});
	});

	test('rejects an order with everything that is missing and how to fix it', () => {
		const order = sampleOrder({
			...shipping({ ...nameless, address1: null }),
			email: null,
			contact_email: null,
			phone: '2',
			name: null,
			total_outstanding: null,
			financial_status: null,
		});
		expect(problemOf(order, { cod: 'unpaid' })).toEqual({
			message:
				'Order 1042 has no street ("address1") in its shipping address. Add it to the order in Shopify.',
			description: expect.stringMatching(
				/has no recipient name.*Set Fallback Email.*no "name" to use as the reference ID.*doesn't say how much is unpaid/,
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

	test('sends the address as one line of text', () => {
		expect(locationOf({ address1: 'Calle Luna\n12' }, { addressFormat: 'text' }).address).toBe(
			'Calle Luna 12, Puebla, Puebla 72000, Mexico',
		);
		const sparse = { province: null, province_code: null, city: '', zip: null };
		expect(locationOf(sparse, { addressFormat: 'text' }).address).toBe('Calle Luna 12, Mexico');
	});

	describe('with additional address fields, which Shopify joins with U+2060', () => {
		const joiner = '\u2060';
		const joined = {
			address1: `Market Street, ${joiner}1508`,
			address2: `Apt 4, ${joiner}Riverside`,
		};

		test.each([
			[`Luna ${joiner}12`, 'Luna 12'],
			[`Luna${joiner}12`, 'Luna 12'],
			[`Luna,${joiner}12`, 'Luna, 12'],
			[`12 ${joiner}Elm`, '12 Elm'],
			[`${joiner}12`, '12'],
			[`Luna ${joiner}`, 'Luna'],
			[`a${joiner}b${joiner}c`, 'a b c'],
		])('sends the street %j as %j', (address1, streetName) => {
			expect(locationOf({ address1 }).address).toMatchObject({ streetName });
		});

		test.each([
			[`${joiner}Downtown`, 'Downtown', undefined],
			[`Apt 4 ${joiner}Downtown`, 'Downtown', 'Apt 4'],
			[`30號${joiner}大甲區`, '大甲區', '30號'],
			[`Apt 4${joiner}`, undefined, 'Apt 4'],
			[`Apt 4 ${joiner}Downtown${joiner}Sur`, 'Downtown Sur', 'Apt 4'],
			['Apt 4, Downtown', undefined, 'Apt 4, Downtown'],
		])('splits the second line %j', (address2, neighborhood, instructions) => {
			const location = locationOf({ address2 });
			expect(location.address).toHaveProperty('neighborhood', neighborhood);
			expect(location.instructions).toBe(instructions);
		});

		test('sends all parts in one line of text, without that character', () => {
			expect(locationOf(joined, { addressFormat: 'text' })).toMatchObject({
				address: 'Market Street, 1508, Riverside, Puebla, Puebla 72000, Mexico',
				instructions: 'Apt 4',
			});
		});
	});

	test('leaves out the coordinates of the order without Include Coordinates', () => {
		const address = locationOf({}, { includeCoordinates: false });
		expect([address.lat, address.lng]).toEqual([undefined, undefined]);
	});

	test('uses the codes of province and country if their names are missing', () => {
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
	])('maps the coordinates %j to the latitude %p', (changes, expected) => {
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
		[{ company: 'Acme', name: null, first_name: null, last_name: null }, undefined],
	])('maps %j to the instructions %p', (changes, expected) => {
		expect(locationOf(changes).instructions).toBe(expected);
	});

	test('rejects an order without a shipping address and shipping lines', () => {
		const order = sampleOrder({ shipping_address: null, billing_address: sampleAddress() });
		expect(problemOf(order)).toEqual({
			message:
				'Order #1042 has items to ship, but no shipping address. Add one to the order in Shopify. If the customer picks it up, fulfill it there.',
		});
	});

	test.each([
		[{ address1: '******' }, '******'],
		[{ address1: '＊＊＊' }, '＊＊＊'],
		[{ name: 'M*** R****' }, 'M*** R****'],
		[{ name: 'M•• R•••' }, 'M•• R•••'],
		[{ name: null, first_name: 'M***', last_name: 'R****' }, 'M*** R****'],
		[{ name: null, first_name: null, last_name: null, company: '*****' }, '*****'],
		[{ address1: 'Main Street 5', zip: '50***' }, '50***'],
		[{ address1: 'XXXXX' }, 'XXXXX'],
		[{ name: 'XXXX XXXX' }, 'XXXX XXXX'],
		[{ address1: '[REDACTED]' }, '[REDACTED]'],
		[{ address1: 'Hidden' }, 'Hidden'],
		[{ address1: '######' }, '######'],
	])('rejects an address that the sales channel hides: %j', (changes, value) => {
		const order = sampleOrder({
			shipping_address: sampleAddress(changes),
			source_name: 'marketplace',
		});
		expect(problemOf(order)).toEqual({
			message: `Order #1042 has "${value}" in its address: the sales channel (marketplace) hides it. Enter the name and the address in Shopify, without such signs. If the channel ships the order itself, fulfill it there.`,
		});
	});

	test.each([null, '', '2891397'])(
		'names no sales channel that hides an address if Shopify has only the ID of its app: %j',
		(source_name) => {
			const shipping_address = sampleAddress({ name: 'L******g' });
			expect(problemOf(sampleOrder({ shipping_address, source_name })).message).toBe(
				'Order #1042 has "L******g" in its address: the sales channel hides it. Enter the name and the address in Shopify, without such signs. If the channel ships the order itself, fulfill it there.',
			);
		},
	);

	test.each([
		'Hidden Valley Road 5',
		'Unit 4*, 12 Main Street',
		'XXX Main Street',
		'XXXX Lane',
		'Redacted Lane 5',
		'本町',
		'A',
	])('sends a street that resembles a hidden or missing one: %s', (streetName) => {
		expect(locationOf({ address1: streetName }).address).toMatchObject({ streetName });
	});

	test.each(['(+52)555*****81', '050-XXX-XX12'])(
		'ignores an email and a phone number that the sales channel hides: %s',
		(hidden) => {
			const shipping_address = sampleAddress({ phone: hidden });
			const order = sampleOrder({ shipping_address, email: 'a***@example.com' });
			expect(deliveryOf(order).dropoff.contact).toMatchObject({
				email: 'ana.contact@example.com',
				phonenumber: undefined,
			});
		},
	);

	test.each(['-', '.', '———', 'N/A', 'null', '000', 'Not available', 'unknown', 'TBD'])(
		'takes %s for a missing value',
		(text) => {
			const address = { address2: text, company: text, city: text, province: text, country: text };
			const location = locationOf({ ...address, note: text });
			expect(location.instructions).toBeUndefined();
			for (const field of ['city', 'state', 'country'])
				expect(location.address).not.toHaveProperty(field, text);
			const names = { name: `${text} ${text}`, first_name: text, last_name: text };
			const unnamed = sampleAddress({ ...names, phone: text });
			const phone = '+52 55 1000 2001';
			const customer = { first_name: 'Eva', last_name: text, phone };
			expect(
				deliveryOf(sampleOrder({ shipping_address: unnamed, customer, phone: null })).dropoff
					.contact,
			).toMatchObject({ name: 'Eva', phonenumber: phone });
			const order = sampleOrder({ shipping_address: sampleAddress({ address1: text }) });
			expect(problemOf(order)).toEqual({
				message:
					'Order #1042 has no street ("address1") in its shipping address. Add it to the order in Shopify.',
			});
		},
	);

	test.each([
		['Main Street', '7', 'Main Street 7', undefined],
		['Canal Street', '14 bis', 'Canal Street 14 bis', undefined],
		['Chapel Street', '21 bus 3', 'Chapel Street 21 bus 3', undefined],
		['Market Street', '890, Apt 12', 'Market Street 890, Apt 12', undefined],
		['Main Street 7', '12', 'Main Street 7', '12'],
		['Harbor House', '2nd floor', 'Harbor House', '2nd floor'],
		['Harbor House', 'Apt 4', 'Harbor House', 'Apt 4'],
		['Apt 4', '12 Main Street,', '12 Main Street', 'Apt 4'],
	])('finds the street in two lines: %s / %s', (address1, address2, streetName, instructions) => {
		const location = locationOf({ address1, address2 });
		expect(location.address).toMatchObject({ streetName });
		expect(location.instructions).toBe(instructions);
	});

	test.each([
		[{ latitude: 91 }],
		[{ longitude: '-180.5' }],
		[{ latitude: 'north' }],
		[{ longitude: {} }],
	])('leaves out invalid coordinates: %j', (changes) => {
		const { lat, lng } = locationOf(changes);
		expect([lat, lng]).toEqual([undefined, undefined]);
	});
});

test.each([
	['has no address', { shipping_address: null }, '#1042'],
	[
		'has a line without a unit count',
		{ line_items: [sampleLine({ fulfillable_quantity: null, fulfillment_status: 'partial' })] },
		'#1042',
	],
	['has no name', { name: null }, undefined],
])('rejects an order that %s, with its reference ID if there is one', (_, changes, referenceId) => {
	expect(outcomeOf(sampleOrder(changes))).toMatchObject({ kind: 'invalid', referenceId });
});

describe('overrides', () => {
	test('overrides replace the data of the order', () => {
		const overrides = {
			instructions: 'Use the back door',
			referenceId: 'R-1',
			tags: ['x', 'x, y'],
			packageName: 'Parcel',
		};
		const order = sampleOrder({ note: 'n', tags: 'a' });
		const delivery = deliveryOf(order, { overrides });
		expect(delivery).toMatchObject({
			dropoff: { location: { instructions: 'Use the back door' } },
			packages: [{ name: 'Parcel' }],
			referenceId: 'R-1',
			tags: ['x', 'x, y'],
		});
		const perUnit = deliveryOf(order, { overrides, packagesPer: 'unit' });
		expect(perUnit.packages).toMatchObject([{ name: 'Parcel' }]);
	});

	test('ignores empty overrides', () => {
		const overrides = { instructions: ' ', packageName: null, referenceId: '', tags: [] };
		expect(deliveryOf(sampleOrder({ tags: 'a' }), { overrides })).toEqual(
			deliveryOf(sampleOrder({ tags: 'a' })),
		);
	});
});

describe('packages', () => {
	test('names packages of an order and a line without names', () => {
		const line_items = [sampleLine({ name: '', title: null })];
		const order = sampleOrder({ line_items, name: null, order_number: null, id: null });
		const overrides = { referenceId: 'R' };
		expect(deliveryOf(order, { overrides }).packages[0]?.name).toBe('Order');
		expect(deliveryOf(order, { overrides, packagesPer: 'unit' }).packages[0]?.name).toBe('Item 1');
	});

	test('treats a weight of 0 as unknown, but not a price of 0', () => {
		const order = sampleOrder({ line_items: [sampleLine({ grams: 0, price: '0.00' })] });
		expect(deliveryOf(order).packages[0]).toEqual({ name: '#1042', qty: 1, size: 'm', price: 0 });
	});

	describe('package size', () => {
		function sizeOf(grams: unknown, size: object, packagesPer = 'order') {
			const order = sampleOrder({ line_items: [sampleLine({ grams })] });
			return deliveryOf(order, { ...size, packagesPer }).packages[0]?.size;
		}

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
		])('chooses the size of a package with two units of %p g by weight: %s', (grams, expected) => {
			expect(sizeOf(grams, byWeight)).toBe(expected);
		});

		test('creates an XL package without a weight if a product has none', () => {
			const lamp = sampleLine({ grams: 100 });
			for (const grams of [0, '0', null]) {
				const wardrobe = sampleLine({ id: 7002, grams });
				const order = sampleOrder({ line_items: [lamp, wardrobe] });
				const { packages } = deliveryOf(order, byWeight);
				expect(packages).toEqual([{ name: '#1042', qty: 1, size: 'xl', price: 50 }]);
			}
		});

		test('chooses the size by the weight of one unit with one package per unit', () => {
			expect(sizeOf(1000, byWeight, 'unit')).toBe('xs');
			expect(sizeOf(1000, byWeight, 'order')).toBe('s');
		});

		test('accepts size limits in any order and as text', () => {
			const limits = [
				{ upToKg: '30', size: 'l' },
				{ upToKg: 0.7, size: 's' },
				{ upToKg: 3, size: 'm' },
			];
			expect(sizeOf(350, { packageSizeByWeight: limits })).toBe('s');
			expect(sizeOf(351, { packageSizeByWeight: limits })).toBe('m');
			expect(sizeOf(20_000, { packageSizeByWeight: limits })).toBe('xl');
		});
	});
});

describe('units left to ship', () => {
	test('rejects a line with canceled units and without fulfillments if the count is ambiguous', () => {
		const line = sampleLine({
			quantity: 5,
			current_quantity: 4,
			fulfillable_quantity: 3,
			fulfillment_status: 'partial',
		});
		const refunds = [
			{ refund_line_items: [{ line_item_id: 7001, quantity: 1, restock_type: 'cancel' }] },
		];
		expect(problemOf(sampleOrder({ line_items: [line], refunds }))).toEqual({
			message:
				'Order #1042 doesn\'t say how many units of the partly fulfilled item "Mug - Blue" are left to ship. Request "fulfillments" in the Shopify node or the query, or fulfill the rest manually.',
		});
	});

	test('rejects a partly fulfilled line without fulfillable_quantity', () => {
		const line = sampleLine({ fulfillable_quantity: null, fulfillment_status: 'partial' });
		expect(problemOf(sampleOrder({ line_items: [sampleLine(), line] }))).toEqual({
			message:
				'Order #1042 doesn\'t say how many units of the partly fulfilled item "Mug - Blue" are left to ship. Request "line_items.fulfillable_quantity" in the Shopify node or the query, or fulfill the rest manually.',
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
	const allUnits = { current_quantity: 3, fulfillable_quantity: 3 };

	test.each([
		['no discount', {}, 30],
		['null discounts', { total_discount: null, discount_allocations: null }, 30],
		['allocations', { discount_allocations: [{ amount: '5.00' }, { amount: '0.01' }] }, 24.99],
		[
			'a line discount that is also in the allocations',
			{ total_discount: '5.00', discount_allocations: [{ amount: '5.00' }, { amount: '3.00' }] },
			22,
		],
		['a line discount alone', { total_discount: '5.00' }, 25],
		['an allocation without an amount', { discount_allocations: [{}] }, undefined],
		['a discount above the price', { discount_allocations: [{ amount: '31.00' }] }, 0],
	])('calculates the price of a package with %s', (_, line, expected) => {
		expect(priceOf({ ...allUnits, ...line })).toBe(expected);
	});

	test.each([
		['MXN', '10.00', 6.67],
		['JPY', '10', 7],
		['KWD', '10.000', 6.667],
		['usd', '10', 6.67],
		['no currency', '10', 6.67],
		[null, '10', 6.67],
	])(
		'subtracts the discount share of the remaining units, rounded for the currency %s',
		(currency, amount, expected) => {
			const line = { current_quantity: 1, price: '10', discount_allocations: [{ amount }] };
			expect(priceOf(line, currency)).toBe(expected);
		},
	);
});

describe('reference ID', () => {
	test.each([
		['name', '#1042'],
		['id', '820982911946154'],
		['orderNumber', '1042'],
	])('takes the reference ID from %s', (referenceIdFrom, expected) => {
		expect(deliveryOf(sampleOrder(), { referenceIdFrom }).referenceId).toBe(expected);
	});
});

describe('delivery type by shipping method', () => {
	const deliveryTypes = [
		{ method: 'Same-Day Delivery', type: 'express' },
		{ method: 'STD', type: 'flex' },
		{ method: 'std', type: 'slot' },
	];
	const typeOf = (...shipping_lines: object[]) =>
		outcomeOf(sampleOrder({ shipping_lines }), { deliveryTypes });

	test.each([
		[[{ title: 'Same-Day Delivery' }], 'express'],
		[[{ title: ' same-day delivery ' }], 'express'],
		[[{ title: 'Standard', code: 'std' }], 'flex'],
		[[{ title: 'Other' }, { title: 'Same-Day Delivery' }], 'express'],
	])('is taken from the title or code of %j', (lines, type) => {
		expect(typeOf(...lines)).toMatchObject({ kind: 'delivery', type });
	});

	test.each([
		[[]],
		[[{ title: 'Same-Day Delivery Plus' }]],
		[[{ title: 'Same-Day Delivery', is_removed: true }]],
	])('is not set for %j', (lines) => {
		expect(typeOf(...lines)).not.toHaveProperty('type');
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
	])('maps the tags %j to %j', (tags, expected) => {
		expect(deliveryOf(sampleOrder({ tags })).tags).toEqual(expected);
	});

	test('leaves out tags if Include Tags is off', () => {
		expect(deliveryOf(sampleOrder({ tags: 'vip' }), { includeTags: false }).tags).toBeUndefined();
	});
});

describe('an unreadable optional value', () => {
	test.each([
		[{ grams: 'heavy' }, { name: '#1042', qty: 1, size: 'm', price: 25 }],
		[{ price: '12,50' }, { name: '#1042', qty: 1, weight: 0.7, size: 'm' }],
		[
			{ discount_allocations: [{ amount: 'x' }] },
			{ name: '#1042', qty: 1, weight: 0.7, size: 'm' },
		],
		[
			{ name: {}, title: [] },
			{ name: '#1042', qty: 1, weight: 0.7, size: 'm', price: 25 },
		],
	])('leaves out an unreadable value in a line: %j', (changes, expected) => {
		expect(deliveryOf(sampleOrder({ line_items: [sampleLine(changes)] })).packages).toEqual([
			expected,
		]);
	});

	test('leaves out a tag that is too long for the Delivery Service', () => {
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

	test('maps note attributes to extra data as text, without empty and internal ones', () => {
		expect(deliveryOf(sampleOrder({ note_attributes })).extraData).toEqual([
			{ name: 'Delivery-Date', value: '2024-05-20' },
			{ name: 'Floor', value: '3' },
			{ name: 'Gift', value: 'true' },
			{ name: 'Wrapped', value: 'false' },
		]);
	});

	describe('from properties of line items', () => {
		const properties = [
			{ name: 'Engraving', value: 'For Ana' },
			{ name: '_bundle', value: '7' },
			{ name: 'Gift', value: true },
			{ name: 'Empty', value: '' },
		];

		test('follows the note attributes, with the product in front', () => {
			const order = sampleOrder({
				note_attributes: [{ name: 'Slot', value: '8-12' }],
				line_items: [sampleLine({ properties }), sampleLine({ id: 7002, name: null, properties })],
			});
			expect(deliveryOf(order).extraData).toEqual([
				{ name: 'Slot', value: '8-12' },
				{ name: 'Mug - Blue: Engraving', value: 'For Ana' },
				{ name: 'Mug - Blue: Gift', value: 'true' },
				{ name: 'Mug: Engraving', value: 'For Ana' },
				{ name: 'Mug: Gift', value: 'true' },
			]);
		});

		test('is left out for items that are not shipped, and if Include Additional Details is off', () => {
			const shipped = sampleLine();
			const refunded = sampleLine({ id: 7002, current_quantity: 0, properties });
			const order = sampleOrder({ line_items: [shipped, refunded] });
			expect(deliveryOf(order).extraData).toBeUndefined();
			const off = { includeAdditionalDetails: false };
			expect(
				deliveryOf(sampleOrder({ line_items: [sampleLine({ properties })] }), off).extraData,
			).toBeUndefined();
		});
	});

	test('leaves out extra data without note attributes or if Include Additional Details is off', () => {
		expect(deliveryOf(sampleOrder({ note_attributes: [{}] })).extraData).toBeUndefined();
		const off = { includeAdditionalDetails: false };
		expect(deliveryOf(sampleOrder({ note_attributes }), off).extraData).toBeUndefined();
	});
});
