/** Which orders are sent, skipped or need a person. */
import { storePickupNames } from '../../../nodes/DeliveryService/shopify/methods';
import { samplePart } from '../../support/sampleFulfillmentOrder';
import { outcomeOf, problemOf, sampleLine, sampleOrder } from '../../support/sampleOrder';

type Fields = Record<string, unknown>;

/** Names in one text: a list of them would take a line for each. */
const namesIn = (text: string) => text.split(/[|\n]/).flatMap((name) => name.trim() || []);

const outcome = (order: Fields, filters: Fields = {}, mapping: Fields = {}) => {
	const result = outcomeOf(sampleOrder(order), { filters, ...mapping });
	const { kind, needed } = result;
	const code = result.kind === 'skipped' ? result.code : undefined;
	return { kind, code, needed };
};

const methods = (...titles: string[]) => ({
	shipping_lines: titles.map((title) => ({ title, code: title })),
});

describe('Payment', () => {
	const unpaid = { financial_status: 'pending', total_outstanding: '25.00' };
	const bank = { ...unpaid, payment_gateway_names: ['Bank Deposit'] };
	const cash = { ...unpaid, payment_gateway_names: ['Cash on Delivery (COD)'] };
	const terms = { ...bank, payment_terms: { payment_schedules: [] } };

	test.each<[string, Fields, string]>([
		['paid', {}, 'paidOrCash paid any'],
		['paid, whatever is outstanding', { total_outstanding: '5.00' }, 'paidOrCash paid any'],
		['partly refunded', { financial_status: 'partially_refunded' }, 'paidOrCash paid any'],
		['authorized', { ...bank, financial_status: 'authorized' }, 'paidOrCash paid any'],
		['on payment terms', terms, 'paidOrCash paid any'],
		['cash on delivery', cash, 'paidOrCash any'],
		[
			'partly paid, the rest in cash',
			{ ...cash, financial_status: 'partially_paid' },
			'paidOrCash any',
		],
		['unpaid', bank, 'any'],
		['partly paid', { ...bank, financial_status: 'partially_paid' }, 'any'],
		['expired', { ...bank, financial_status: 'expired' }, 'any'],
		[
			'partly refunded with an unpaid amount',
			{ ...bank, financial_status: 'partially_refunded' },
			'any',
		],
		['refunded', { financial_status: 'refunded' }, 'any'],
		['voided', { ...cash, financial_status: 'voided' }, 'any'],
		// As GraphQL and exports write it.
		['PAID', { financial_status: 'PAID', total_outstanding: null }, 'paidOrCash paid any'],
		['Authorized', { ...bank, financial_status: 'Authorized' }, 'paidOrCash paid any'],
		['REFUNDED', { financial_status: 'REFUNDED' }, 'any'],
		['Voided', { ...cash, financial_status: 'Voided' }, 'any'],
	])('sends an order that is %s only with: %s', (_, order, sentWith) => {
		for (const payment of ['paidOrCash', 'paid', 'any'])
			expect([payment, outcome(order, { payment }).kind]).toEqual([
				payment,
				sentWith.split(' ').includes(payment) ? 'delivery' : 'skipped',
			]);
	});

	test('sends each unpaid order if the driver collects whatever is unpaid', () => {
		expect(outcome(bank, {}, { cod: 'unpaid' }).kind).toBe('delivery');
		expect(outcome(bank, { payment: 'paid' }, { cod: 'unpaid' }).kind).toBe('skipped');
	});

	test('names the payment method of an unpaid order', () => {
		expect(outcomeOf(sampleOrder(bank))).toMatchObject({
			code: 'notPaid',
			message:
				'Order #1042 is not paid yet (Bank Deposit). It will be sent when this workflow gets it again after the payment. Nothing to do.',
		});
		expect(outcome(bank).needed).toBe('');
		for (const financial_status of ['partially_paid', 'Partially Paid', 'partially_refunded']) {
			const partly = outcomeOf(sampleOrder({ ...bank, financial_status }));
			expect(partly).toMatchObject({
				message: expect.stringMatching(/ is only partly paid \(Bank Deposit\)\. It will be sent /),
			});
			expect(outcome({ ...bank, financial_status }).needed).toMatch(/only partly/);
		}
	});

	test.each([
		['an unknown method', ['Pay the driver']],
		['no method', []],
		['manual', ['manual']],
	])('lets an unpaid order with %s wait without an alarm', (_, payment_gateway_names) => {
		const order = { ...unpaid, payment_gateway_names, gateway: '' };
		expect(outcome(order)).toEqual({ kind: 'skipped', code: 'notPaid', needed: '' });
	});

	test('says how to collect the cash of an unpaid order that is sent by the filters', () => {
		const unknown = { ...unpaid, payment_gateway_names: ['Pay the driver'] };
		expect(outcome(unknown, { payment: 'any' })).toMatchObject({
			kind: 'delivery',
			needed:
				'Order #1042: no cash is collected, but 25.00 MXN is not paid (Pay the driver). If Pay the driver is cash on delivery, set the cash of this delivery with the operation Update. For later orders, add it to Cash on Delivery Methods under Order Options.',
		});
		const manual = { ...unpaid, payment_gateway_names: ['manual'] };
		expect(outcome(manual, { payment: 'any' }).needed).toMatch(/"manual".* operation Update/);
		const declared = { cashOnDeliveryMethods: ['Pay the driver'] };
		expect(outcome(unknown, {}, declared)).toMatchObject({ kind: 'delivery', needed: '' });
	});

	test('rejects an order that does not say whether it is paid, so that it is not lost', () => {
		const order = sampleOrder({ financial_status: undefined, total_outstanding: null });
		expect(problemOf(order).message).toBe(
			'Order #1042 has no "financial_status", so it\'s unclear whether it is paid. Request this field in the Shopify node or the query.',
		);
		expect(outcomeOf(order, { filters: { payment: 'any' } })).toMatchObject({
			kind: 'delivery',
			actions: [{ code: 'missingFields', fields: ['financial_status'] }],
		});
		const unknown = { financial_status: 'in dispute', total_outstanding: null };
		expect(problemOf(sampleOrder(unknown)).message).toBe(
			'Order #1042 has the unknown "financial_status" "in_dispute", so it\'s unclear whether it is paid. Request "total_outstanding" in the Shopify node or the query.',
		);
		expect(outcome({ financial_status: null, total_outstanding: '0.00' }).kind).toBe('delivery');
	});
});

describe('the default of Exclude Shipping Methods', () => {
	test.each(
		namesIn(`
		Store Pickup (Main Street) | Customer pickup | In-Store Pickup | Pick up in store | Local pickup
		Pickup | Free pickup | Curbside Pickup | Pickup at our store | Warehouse Pick-up | Will Call
		Local Pickup - Harbor | Pick up from shop | Click & Collect | Click and Collect | Click+Collect
		Collect in store | Store collection | Collection from store | Collection | Collect from shop
		Personal pickup | Envío gratuito a tienda | Recogida en tienda | Recoger en tienda | Retiro en tienda | Retiro en sucursal | Retiro en local
		Recogida en la tienda (gratis) | Recolección en sucursal | Retirar en bodega | Recogida local
		Retirada na loja | Retirar na loja | Levantamento em loja | Levantar na loja | Recolha na loja
		Retirada no local | Retrait en magasin | Retrait gratuit en boutique | Retrait sur place
		Cueillette en magasin | Ramassage en boutique | À retirer en magasin | Retrait à l'atelier
		Abholung | Abholung im Laden | Selbstabholung | Abholung vor Ort | Selbstabholer
		Abholung in der Filiale | Kostenlose Abholung | Im Geschäft abholen | Abholung (Köln)
		Ritiro in negozio | Ritiro in sede | Ritiro presso il punto vendita | Ritiro a mano
		Afhalen | Afhalen in de winkel | Gratis afhalen | Ophalen bij ons | Zelf afhalen
		Odbiór osobisty | Odbiór w sklepie | Ridicare personală | Ridicare din magazin | Ambil di toko
		الاستلام من الفرع | استلام من المتجر | الإستلام من المحل (مجاناً) | اسٹور سے وصولی | स्टोर से पिकअप
		Ambil sendiri | 店舗受取 | 店頭受け取り | 店舗での受取り（送料無料） | Recoger en punto físico
		Retirada na loja física | Osobní odběr | Osobný odber - Bratislava | Személyes átvétel | Afhentning i butik
		Hent i butikk | Hämta i butik | Nouto myymälästä | Παραλαβή από το κατάστημα | Mağazadan Teslim | Gel al
		Самовывоз | Самовивіз з магазину | Osobno preuzimanje | איסוף עצמי | รับที่ร้าน | Nhận tại cửa hàng
		매장 픽업 | 門市自取 | 到店自提 | Store Pickup – Main Street | Abholung – Köln | Pickup: Main Street
		🏬 Store Pickup | Click & Collect 🛍️ | Local pickup [Harbor]
		Abholung im Laden – Köln | Ritiro in negozio - Milano | Retrait en magasin: Lyon
		Curbside Pickup - Dock B | Store Collection – Ubi | Самовывоз со склада: Москва | 店舗受取 - 渋谷店 | 門市自取：台北店
		Free Pickup in Store | Self-pickup from store | Click and collect in store | Retiro en tienda gratis | Abholen im Laden
		Ritiro in store | Odbiór osobisty w sklepie | Osobní odběr na prodejně | Osobný odber na predajni
		Személyes átvétel az üzletben | Самовывоз бесплатно | Hent selv | Nouda myymälästä | Atsiėmimas parduotuvėje | Saņemšana veikalā
		Retiro en tienda gratuito | Ritiro in un nostro negozio | Ritiro gratuito in store
		Upphämtning i butik | Osobné vyzdvihnutie | รับเองที่ร้าน | 店鋪自取 | Self-collection at outlet | Showroom pickup
		Retiro en showroom | Retirar no local | Gratis afhalen in de winkel | Ridicare personală din magazin | 门店自提 | 門店自取 | 매장 픽업 - 강남점 | איסוף מהחנות - תל אביב | BOPIS | Take-away | Dine in
	`),
	)('excludes by default the store pickup %s', (title) => {
		expect(outcome(methods(title))).toMatchObject({ kind: 'skipped', code: 'shippingMethod' });
	});

	test.each(
		namesIn(`
		Standard | Express | Local Delivery | Abholung & Lieferung | Pickup and delivery | Free Shipping
		DHL Paket national | DHL Packstation | Retrait en point relais | Mondial Relay | UPS Access Point
		Pickup point | Recogida en punto de recogida | Ritiro presso punto di ritiro BRT | PostNL afhaalpunt
		Abholung in der Postfiliale | Lieferung | Livraison à domicile | Envío a domicilio | Same-day
		Consegna a domicilio | Entrega a domicilio | Bezorging | Pickup by courier | Store delivery
		Collection of the week | GLS Paketshop | Retirada e entrega | Delivery from store
		Odbiór w punkcie | Kurier InPost | Livrare prin curier | توصيل للمنزل | الاستلام من نقطة التوصيل
		Doprava kurýrem | Zásilkovna | Leverans hem | Nouto Postin automaatista | Kapıya Teslim
		Доставка курьером | จัดส่งถึงบ้าน | Giao hàng tận nơi | 宅配到府 | 超商取貨 | משלוח עד הבית
		Home delivery 🏠 | Delivery: Main Street | Express – Same day | Retrait - Relais Colis | Free Collection - Parcelshop | Self Collection – Locker | Самовывоз: СДЭК | 自提：菜鸟驿站 | Free delivery – pickup not available
		コンビニ受取 | 宅配便 | ہوم ڈیلیوری | होम डिलीवरी | JNE REG | Despacho a domicilio
		Retiro en tienda gratis o envío a domicilio | Ritiro in 24h e consegna dallo store | Ritiro in 24h e consegna dal negozio
	`),
	)('sends by default the delivery %s', (title) => {
		expect(outcome(methods(title)).kind).toBe('delivery');
	});

	test.each(
		namesIn(`
		Fulfilment Method: Click & Collect | Abholung oder Lieferung: Abholung | Mode de retrait: Retrait en boutique
		Leveringsmåte: Hent i butikk | Szállítási mód: Személyes átvétel | Способ получения: Самовывоз
	`),
	)('marks a pickup in the additional details: %s', (detail) => {
		const [name, value] = detail.split(': ');
		const order = sampleOrder({ note_attributes: [{ name, value }] });
		expect(outcomeOf(order)).toMatchObject({ kind: 'skipped', code: 'localPickup' });
	});

	test('is shown as text of one name per line, each without a comma', () => {
		expect(new Set(storePickupNames).size).toBe(storePickupNames.length);
		expect(storePickupNames.filter((name) => /[\n,()|]|^\s|\s$/.test(name))).toEqual([]);
	});
});

describe('shipping methods', () => {
	test.each<[Fields, string[], string]>([
		[{}, ['DHL Paket national'], 'delivery'],
		[{ excludeShippingMethods: ['DHL*'] }, ['DHL Paket national'], 'skipped'],
		[{ excludeShippingMethods: ['dhl paket'] }, ['DHL Paket national'], 'delivery'],
		[{ excludeShippingMethods: [] }, ['Store pickup'], 'delivery'],
		[{ excludeShippingMethods: ['0-5 kg'] }, ['0.5 kg'], 'delivery'],
		[{ excludeShippingMethods: ['Mail (5.00 €)'] }, ['mail (5.00 €)'], 'skipped'],
		[{ shippingMethods: ['Express'] }, ['Express (3 days)'], 'skipped'],
		[{ excludeShippingMethods: ['Mail', 'store pickup'] }, ['Mail (5.00 €)'], 'delivery'],
		[{}, ['Store pickup (free)'], 'skipped'],
		[{ shippingMethods: ['Local, fast'] }, ['Local, fast'], 'delivery'],
		[{ shippingMethods: ['Local delivery'] }, ['🚚 Local Delivery'], 'delivery'],
		[{ shippingMethods: ['⚡️ Express*'] }, ['Express 2h'], 'delivery'],
		[{ shippingMethods: ['🚚'] }, ['🚚'], 'delivery'],
		[{ shippingMethods: ['🚚'] }, ['Express'], 'skipped'],
		[{ shippingMethods: ['🚚*'] }, ['🚚 Local Delivery'], 'delivery'],
		[{ shippingMethods: ['🚚 *'] }, ['🚚 Local Delivery'], 'delivery'],
		[{ shippingMethods: ['🚚*'] }, ['Standard Post'], 'skipped'],
		[{ shippingMethods: ['😀*'] }, ['🚚 Local Delivery'], 'skipped'],
		[{ excludeShippingMethods: ['🚚 *'] }, ['Standard Post'], 'delivery'],
		[{ excludeShippingMethods: ['*🏬*'] }, ['Standard Post'], 'delivery'],
		[{ excludeShippingMethods: ['*🏬*'] }, ['Harbor 🏬 (free)'], 'skipped'],
		[{ shippingMethods: ['⚡️*'] }, ['Express 2h'], 'skipped'],
		[{ shippingMethods: ['⚡️*'] }, ['⚡ Express 2h'], 'delivery'],
		[{ shippingMethods: ['*'] }, ['🚚'], 'delivery'],
		[{ shippingMethods: ['Express - Today'] }, ['Express – Today'], 'delivery'],
		[{ shippingMethods: ["Aujourd'hui"] }, ['Aujourd’hui'], 'delivery'],
		[{ shippingMethods: ['Local*'] }, ['Standard'], 'skipped'],
		[{ shippingMethods: ['Local*'] }, [], 'skipped'],
		[{ shippingMethods: ['*'] }, ['Store pickup'], 'skipped'],
	])('with %j, an order with %j is: %s', (filters, titles, kind) => {
		expect(outcome(methods(...titles), filters).kind).toBe(kind);
	});

	test('match the code, and only those that were not removed', () => {
		const filters = { excludeShippingMethods: ['STD'] };
		const line = { title: 'Standard', code: 'std' };
		expect(outcome({ shipping_lines: [line] }, filters).kind).toBe('skipped');
		const removed = { ...line, is_removed: true };
		expect(outcome({ shipping_lines: [removed] }, filters).kind).toBe('delivery');
	});

	test('that are excluded beside another one need a person', () => {
		expect(outcome(methods('Standard', 'Store pickup'))).toEqual({
			kind: 'delivery',
			code: undefined,
			needed:
				'Order #1042 was sent with all its items, but it also has the shipping method "Store pickup", which the filters leave out. If the driver should not bring all of them, correct the packages with the operation Update.',
		});
		expect(outcome(methods('Pickup', 'Collect in store')).kind).toBe('skipped');
	});

	test('are named in the message, with the filter that excludes them', () => {
		expect(outcomeOf(sampleOrder(methods('Store pickup')))).toMatchObject({
			message:
				'Order #1042 has the shipping method "Store pickup", which Exclude Shipping Methods under Filters excludes. Nothing to do.',
		});
		const filters = { shippingMethods: ['Local*'] };
		expect(outcomeOf(sampleOrder(methods('Mail')), { filters })).toMatchObject({
			message:
				'Order #1042 has the shipping method "Mail", which is not in Shipping Methods, or is in Exclude Shipping Methods under Filters. Nothing to do.',
		});
	});

	test('of a fulfillment order are its own, else those of its order', () => {
		const kindOf = (method: Fields, ...titles: string[]) =>
			outcomeOf({
				order: sampleOrder(methods(...titles)),
				fulfillmentOrder: samplePart({
					delivery_method: { method_type: 'shipping', ...method },
				}),
			}).kind;
		expect(kindOf({}, 'Store pickup')).toBe('skipped');
		expect(kindOf({}, 'Store pickup', 'Standard')).toBe('delivery');
		expect(kindOf({ presented_name: 'Standard' }, 'Store pickup')).toBe('delivery');
		expect(kindOf({ presented_name: 'Store pickup' }, 'Standard')).toBe('skipped');
		expect(kindOf({ service_code: 'store pickup' }, 'Standard')).toBe('skipped');
	});
});

describe('the delivery type of a fulfillment order', () => {
	const deliveryTypes = [{ method: 'Same-Day*', type: 'express' }];
	const typeOf = (method: Fields, ...titles: string[]) =>
		outcomeOf(
			{
				order: sampleOrder(methods(...titles)),
				fulfillmentOrder: samplePart({
					delivery_method: { method_type: 'shipping', ...method },
				}),
			},
			{ deliveryTypes },
		);

	test('is that of its own method, or of its order if there is one', () => {
		expect(typeOf({ presented_name: 'Same-Day Delivery' }, 'Standard')).toMatchObject({
			type: 'express',
		});
		expect(typeOf({ presented_name: 'Standard' }, 'Same-Day')).not.toHaveProperty('type');
		expect(typeOf({}, 'Same-Day')).toMatchObject({ type: 'express' });
	});

	test('is the default one, and needs a person, if the methods of its order differ', () => {
		const result = typeOf({}, 'Same-Day', 'Standard');
		expect(result).not.toHaveProperty('type');
		expect(result.needed).toBe(
			'Order #1042 (Harbor Warehouse) has several shipping methods ("Same-Day", "Standard"), so the default delivery type is used. If that is wrong, tell the Delivery Service.',
		);
	});
});

test.each<[Fields, string | undefined]>([
	[{ tags: ['local'] }, undefined],
	[{ tags: ['mail', 'LOCAL'] }, undefined],
	[{ tags: ['mail'] }, 'Order #1042 has none of the tags in Tags under Filters. Nothing to do.'],
	[{ excludeTags: ['wholesale'] }, undefined],
	[{ tags: ['LÓCAL'] }, undefined],
	[
		{ tags: ['local'], excludeTags: ['vip'] },
		'Order #1042 has the tag "vip", which is in Exclude Tags under Filters. Nothing to do.',
	],
])('compares the tags of an order with %j', (filters, message) => {
	const result = outcomeOf(sampleOrder({ tags: 'Local, VIP' }), { filters });
	expect(result).toMatchObject(
		message === undefined ? { kind: 'delivery' } : { kind: 'skipped', message },
	);
});

describe('items that a fulfillment service ships', () => {
	const service = sampleLine({ id: 7002, name: 'Shirt', fulfillment_service: 'shipwire' });
	const own = sampleLine({ fulfillment_service: 'manual' });

	test('are not sent with a whole order, unless included', () => {
		const order = sampleOrder({ line_items: [own, service] });
		const namesOf = (filters: Fields) => {
			const result = outcomeOf(order, { filters, packagesPer: 'unit' });
			return result.kind === 'delivery' && result.delivery.packages.map(({ name }) => name);
		};
		expect(namesOf({})).toEqual(['Mug - Blue']);
		expect(namesOf({ includeFulfillmentServices: true })).toEqual(['Mug - Blue', 'Shirt']);
		expect(outcome({ line_items: [service] })).toMatchObject({ code: 'fulfillmentService' });
		const fulfilled = { ...service, fulfillable_quantity: 0 };
		expect(outcome({ line_items: [fulfilled] })).toMatchObject({ code: 'nothingToShip' });
	});

	test.each<[string, Fields, Fields, boolean]>([
		['not requested', {}, own, true],
		['requested', { request_status: 'submitted' }, own, false],
		['accepted', { request_status: 'accepted' }, own, false],
		['rejected', { request_status: 'rejected' }, { ...service, id: 7001 }, true],
		['not requested, but its items are from a service', {}, { ...service, id: 7001 }, false],
		[
			'at the location of a service',
			{ assigned_location: { name: 'Shipwire', is_fulfillment_service: true } },
			own,
			false,
		],
		[
			'moved to the shop',
			{ assigned_location: { name: 'Shop', is_fulfillment_service: false } },
			{ ...service, id: 7001 },
			true,
		],
	])('are not sent by fulfillment order: %s', (_, part, line, isSent) => {
		const value = {
			order: sampleOrder({ line_items: [line] }),
			fulfillmentOrder: samplePart(part),
		};
		expect(outcomeOf(value)).toMatchObject(
			isSent ? { kind: 'delivery' } : { kind: 'skipped', code: 'fulfillmentService' },
		);
		const filters = { includeFulfillmentServices: true };
		expect(outcomeOf(value, { filters }).kind).toBe('delivery');
	});
});

describe('a field that Shopify did not return', () => {
	const without = (order: Fields, ...names: string[]) =>
		sampleOrder({ ...order, ...Object.fromEntries(names.map((name) => [name, undefined])) });
	const neededOf = (order: Fields, filters: Fields = {}) => outcomeOf(order, { filters }).needed;

	test.each(['shipping_lines', 'note_attributes', 'created_at'])(
		'is named with a sent order: %s',
		(field) => {
			expect(neededOf(without({}, field))).toMatch(`Shopify did not return "${field}".`);
		},
	);

	test('is named with a fulfillment order whose cash depends on refunds', () => {
		const line = sampleLine({ current_quantity: undefined });
		const neededWith = (changes: Fields, cod?: string) => {
			const order = { ...without({}, 'refunds'), line_items: [line], ...changes };
			return outcomeOf({ order, fulfillmentOrder: samplePart() }, { cod }).needed;
		};
		expect(neededWith({})).toMatch('"line_items.current_quantity"');
		for (const needed of [neededWith({ refunds: [] }), neededWith({}, 'never')])
			expect(needed).toBe('');
		expect(neededWith({ line_items: [sampleLine()] })).toBe('');
	});

	test('is named with a skipped order only if it may be the reason', () => {
		const unpaid = { financial_status: 'pending', total_outstanding: '25.00' };
		const names = ['payment_gateway_names', 'gateway', 'shipping_lines', 'tags'];
		expect(neededOf(without(unpaid, ...names))).toMatch(
			/: Shopify did not return "payment_gateway/,
		);
		expect(neededOf(without({}, ...names), { tags: ['a'], shippingMethods: ['a'] })).toMatch(
			/: Shopify did not return "shipping_lines"\./,
		);
		expect(neededOf(without({}, 'tags'), { tags: ['a'] })).toMatch(/"tags"/);
		expect(neededOf(without({ test: true }, ...names))).toBe('');
	});
});

describe('the delivery date', () => {
	const on = (value: string, name = 'Delivery-Date') => ({ note_attributes: [{ name, value }] });
	const skipping = { skipUntilDeliveryDate: true };
	const instructionsOf = (order: Fields, part?: Fields, filters: Fields = {}) => {
		const parts = part && { order: sampleOrder(order), fulfillmentOrder: samplePart(part) };
		const result = outcomeOf(parts ?? sampleOrder(order), { filters });
		return result.kind === 'delivery' ? result.delivery.dropoff.location.instructions : result;
	};

	test.each([
		['2026-12-24', ''],
		['2026/12/24', '', 'dayFirst'],
		['24/12/2026', ''],
		['12/24/2026', ''],
		['24/12/26', '', 'dayFirst'],
		['Thu, 24.12.2026', ', Thu, 24.12.2026'],
		['Dec 24th, 2026', ', Dec 24th, 2026'],
		['Donnerstag, 24. Dezember 2026', ', Donnerstag, 24. Dezember 2026', 'monthFirst'],
		['24 de diciembre de 2026', ', 24 de diciembre de 2026'],
		['mar. 24 dic. 2026', ', mar. 24 dic. 2026'],
		['8 - 12 Uhr, 24. Dezember 2026', ', 8 - 12 Uhr, 24. Dezember 2026'],
		['2026-12-24 10:00 - 12:00', ', 2026-12-24 10:00 - 12:00'],
		['2026-12-24 00:00:00', ''],
		['2026-12-24 10-12', ', 2026-12-24 10-12'],
		// The workflow's time zone is six hours behind UTC.
		['2026-12-25T02:00:00.000Z', ', 2026-12-24 20:00'],
		['2026-12-25T02:00:00+00:00', ', 2026-12-24 20:00'],
		['2026-12-24T00:00:00.000Z', ''],
		['2026-12-24T23:30:00-08:00', ', 2026-12-24 23:30'],
		['2026年12月24日', ', 2026年12月24日'],
		['２０２６年１２月２４日（木）', ', ２０２６年１２月２４日（木）'],
		['2026년 12월 24일', ', 2026년 12월 24일'],
		['24. 12. 2026', ', 24. 12. 2026'],
		['24–12–2026', ', 24–12–2026'],
		['٢٤/١٢/٢٠٢٦', ', ٢٤/١٢/٢٠٢٦'],
		['2026. december 24.', ', 2026. december 24.'],
		['24 grudnia 2026', ', 24 grudnia 2026'],
		['24 Aralık 2026 Perşembe', ', 24 Aralık 2026 Perşembe'],
		['24 декабря 2026 г.', ', 24 декабря 2026 г.'],
		['٢٤ ديسمبر ٢٠٢٦', ', ٢٤ ديسمبر ٢٠٢٦'],
		// Without a year, it is the next one after the order was placed.
		['12月24日(木)', ', 12月24日(木)'],
		['令和8年12月24日', ', 令和8年12月24日'],
		['12월 24일', ', 12월 24일'],
		['Thu 24 Dec', ', Thu 24 Dec'],
		['Thursday, December 24th', ', Thursday, December 24th'],
		['Dec 24, 10-12', ', Dec 24, 10-12'],
		['24. Dezember 2026, 10 bis 12 Uhr', ', 24. Dezember 2026, 10 bis 12 Uhr'],
		['12月24日 14-16時', ', 12月24日 14-16時'],
		['10h-12h, 24 décembre 2026', ', 10h-12h, 24 décembre 2026'],
		['24 בדצמבר 2026', ', 24 בדצמבר 2026'],
		['2026-12-24 8:00 - 2026-12-24 9:00', ', 2026-12-24 8:00 - 2026-12-24 9:00'],
		['2026-12-24 - 10:00', ', 2026-12-24 - 10:00'],
		['9:00 - 24.12.2026', ', 9:00 - 24.12.2026'],
		['9.00 - 24.12.2026', ', 9.00 - 24.12.2026'],
		['24 décembre, 10h-12h30', ', 24 décembre, 10h-12h30'],
		['December 24 AM', ', December 24 AM'],
		['December 24, 10:00 AM', ', December 24, 10:00 AM'],
		['24 December 10am', ', 24 December 10am'],
		['9 Uhr 24. Dezember', ', 9 Uhr 24. Dezember'],
		['24 Dec 10:00', ', 24 Dec 10:00'],
		['24 Dec 10:00 2026', ', 24 Dec 10:00 2026'],
		['Dec 24 - 10:00', ', Dec 24 - 10:00'],
		['10:00-12:00 24 Dec', ', 10:00-12:00 24 Dec'],
		['24 December 2026 - 10-12', ', 24 December 2026 - 10-12'],
		['2026/12/24~10:00', ', 2026/12/24~10:00'],
		['24º de dezembro de 2026', ', 24º de dezembro de 2026'],
		['24 tháng 12, 2026', ', 24 tháng 12, 2026'],
		['Delivery on Thursday, 24 Dec 2026', ', Delivery on Thursday, 24 Dec 2026'],
		['Standard - 24/12/2026, slot 2', ', Standard - 24/12/2026, slot 2'],
		['24.12.2026, nicht vor 10:00 Uhr', ', 24.12.2026, nicht vor 10:00 Uhr'],
		['2026年12月24日 14時以降', ', 2026年12月24日 14時以降'],
		['2026年12月24日 午前中', ', 2026年12月24日 午前中'],
		['24 December 2026 - Morning', ', 24 December 2026 - Morning'],
		['24/12/2026 después de las 17:00', ', 24/12/2026 después de las 17:00'],
		['24/12/2026 (24 December)', ', 24/12/2026 (24 December)'],
	])(
		'%s skips an order until the day before, and is in the instructions, with "%s"',
		(text, beside, deliveryDateFormat = 'automatic') => {
			const filters = { ...skipping, deliveryDateFormat };
			const message =
				'Order #1042 is scheduled. It will be sent when this workflow gets it again on or after 2026-12-23. Nothing to do.';
			expect(outcomeOf(sampleOrder(on(text)), { filters })).toMatchObject({ message });
			const sent = instructionsOf(on(text), undefined, { deliveryDateFormat });
			expect(sent).toBe(`Deliver: 2026-12-24${beside}`);
		},
	);

	test.each(
		namesIn(`
		Thurs 24 Dec 2026 | Thur 24 Dec | torsdag d. 24. december 2026 | Do, 24.12.2026 | quinta-feira, 24 de dezembro de 2026
		يوم الخميس الموافق 24/12/2026 | Thứ 5, 24/12/2026 | Thứ Năm 24/12/2026 | Morning 24 Dec | Afternoon 24 Dec 2026
		下午 2026-12-24 | Express 24/12/2026 | Wunschtermin 24.12.2026 | Bezorgdatum 24-12-2026
		Livraison prévue le 24/12/2026 | Arriving on 24 Dec 2026 | Delivery date is 24 Dec 2026
		お届け希望日 2026/12/24 | 配達日 12月24日 | 送货日期 2026年12月24日 | 희망일 12월 24일 | วันที่ 24 ธันวาคม 2026
		Slot 2, 24/12/2026 | 24 Dec, slot 2 | 24 Dec 2026 at 10
		24 Dec 2026 PM | 24.12.2026 10:00 → 12:00 | 12月24日 10〜12時 | 12月24日 14:00～16:00 | 12月24日 14時〜 | zwischen 9 und 12 Uhr, 24.12.2026
		24. december 2026 kl. 10-12 | 24 Dec 2026 at 10 to 12 | um 10 bis 12, 24.12.2026 | slot 10-12, 24 Dec 2026 | 24 dicembre 2026 ore 10-12
		24 december 2026 mellan 10 och 12 | 24/12/2026, 10:00 às 12:00 | 24.12.2026 godz. 10:00 | 24/12/2026 saat 10:00-12:00 | 24 Aralık 2026 10-12 arası
		24 ديسمبر 2026 الساعة 10 صباحا | 24 ديسمبر 2026 من 10 إلى 12 | 24 December 2026 pukul 10.00 | 2026년 12월 24일 오전 10시~12시 | 24 дек 2026, 10-12 ч
		24 grudnia 2026 r. | 24 декабря 2026 года | ngày 24 tháng 12 năm 2026 | 2026 m. gruodžio 24 d. | 24.12.2026 vormittags | 24 Dec 2026 in the morning | 24/12/2026 por la mañana
		entre 9 y 12, 24/12/2026 | 24 Dec 2026 after 17:00 | 24 Dec 2026 no later than 6 pm | 24/12/2026 no antes de las 10:00 | 24 december 2026 tot 12 uur
	`),
	)('is read with a weekday, a label, a time of day or a number beside it: %s', (text) => {
		const until = { code: 'scheduled', until: '2026-12-23' };
		expect(outcomeOf(sampleOrder(on(text)), { filters: skipping })).toMatchObject(until);
	});

	test.each([
		['Tues 22 Dec 2026', '2026-12-22'],
		['Weds 23 Dec', '2026-12-23'],
		['Miérc 23 dic', '2026-12-23'],
		['Thứ Sáu 25/12/2026', '2026-12-25'],
		['25.12.2026 do 12:00', '2026-12-25'],
		['2026-12-01 slot 2', '2026-12-01'],
		['3 dicembre 2026 ore 14', '2026-12-03'],
		['3 Dec 2026 at 10', '2026-12-03'],
		['24/12/2026 | 10:00', '2026-12-24'],
		['24 dic 2026, 10:00 a. m.', '2026-12-24'],
		['24/12/2026 9:00 a. m. - 1:00 p. m.', '2026-12-24'],
		['24 déc. 2026, 10 h 30', '2026-12-24'],
		['24/12/2026 10:00 ص', '2026-12-24'],
		['24/12/2026 10:00 π.μ.', '2026-12-24'],
		['2026/12/24（週四）', '2026-12-24'],
	])('%s is read as %s', (text, until) => {
		const filters = { ...skipping, sendDaysAhead: 0 };
		expect(outcomeOf(sampleOrder(on(text)), { filters })).toMatchObject({ until });
	});

	test('without a year is of the year in which it is next after the order was placed', () => {
		const untilOf = (text: string, created_at: string | null) =>
			outcome({ ...on(text), created_at }, skipping);
		const [november, january] = ['2026-11-20T09:00:00-06:00', '2027-01-02T00:30:00+09:00'];
		expect(untilOf('5 Jan', november)).toMatchObject({ code: 'scheduled' });
		expect(untilOf('12월 30일', january).kind).toBe('invalid');
		expect(untilOf('20 Nov', november).kind).toBe('delivery');
		expect(untilOf('1 Jan', january)).toMatchObject({ code: 'scheduled' });
		expect(untilOf('24 Dec', null).kind).toBe('invalid');
	});

	test('is read day first or month first if that is set', () => {
		const untilOf = (deliveryDateFormat: string, text = '05/12/2026') =>
			outcomeOf(sampleOrder(on(text)), {
				filters: { ...skipping, deliveryDateFormat, sendDaysAhead: 0 },
			});
		expect(untilOf('dayFirst')).toMatchObject({ until: '2026-12-05' });
		expect(untilOf('monthFirst').kind).toBe('delivery');
		expect(untilOf('monthFirst', '12/05/2026')).toMatchObject({ until: '2026-12-05' });
		expect(untilOf('automatic', '12/12/2026')).toMatchObject({ until: '2026-12-12' });
	});

	test.each([
		'05/12/2026',
		'in 2 days',
		'2026-13-24',
		'13月24日',
		'24/12/26',
		'12 Dec or 12 Jan 2026',
		'24/12',
		'1-2 days',
		'Thursday 10:00 - 12:00',
		'10:00',
		'30 February',
		// The first is too far away for a date without a year, and the second one is of another calendar.
		'20 June',
		'24/12/2569',
		'Dec 24 - Dec 26, 2026',
		'2026-12-24 - 2026-12-26',
		'24/12/2026 - 26/12/2026',
		'24-26 Dec 2026',
		'December 24 to 26',
		'24 or 25 December 2026',
		'entre 24 y 26 de diciembre',
		'24. bis 26. Dezember 2026',
		'12月24日〜26日',
		'12月24日〜12月26日',
		'24-26/12/2026',
		'24.-26.12.2026',
		'24/12 - 26/12/2026',
		'12/24 to 12/26/2026',
		'2026/12/24～26',
		'24 Minggu',
		'24 & 26 Dec',
		'Dec 24 & 26',
		'24/26 December',
		'24 ve 26 Aralık 2026',
		'с 24 по 26 декабря',
		'12月24日か26日',
		'24/26.12.2026',
		'24 & 26/12/2026',
		'not on 24 Dec 2026',
		'Any day except 24 December 2026',
		'not before Thursday, 24.12.2026',
		'nach dem 24.12.2026',
		'no el 24 de diciembre de 2026',
		'à partir du 24 décembre 2026',
		'после 24 декабря 2026',
		'בלי 24 בדצמבר 2026',
		'week of 24 Dec 2026',
		'24 Dec 2026 or later',
		"24 Aralık'tan sonra",
		'2026年12月24日以降',
		'2026年12月24日はNG',
		'12月24日前',
		'24 Dec is not possible',
		'24.12.2026 spätestens',
		'24.12.2026 után',
		'24 दिसंबर को नहीं',
		'ne 24. 12. 2026',
		'Latest: 24 Dec 2026',
		'除了12月24日',
		'12월 24일까지',
		'24, 25, 26 Dec 2026',
		'Dec 24, 27',
		'2026-12-24 ± 1 day',
		'12月上旬',
		...namesIn(`
		24 Dec 2026 or later, 10:00 | 24 Dec 2026 or later 10-12 | 24 Dec or later, call 555 | 24 Dec 2026 or after 10:00
		24/12/2026 not possible, please at 10:00 next day | 24/12/2026 not today, 10:00 tomorrow | 12月24日以降 10:00
		do 26 grudnia 2026 | do 26. 12. 2026 | to 26 Dec 2026 | Friday 24 Dec 2026 | Fri, 24 Dec | Thu or Fri, 24 Dec 2026
		24 Dec 2026 (Fri) | 24/12/2026, Friday | 12月24日(金) | po 28. 12. 2026 | nie 27.12.2026
		12月24日から | 12月24日迄 | 12月24日起 | 12月24日は無理 | 24.12.2026 alkaen | 24/12/2026 au plus tôt
		24/12/2026 al massimo | 24 декабря 2026 и позже | 24 grudnia 2026 i później | 24/12/2026 más tarde
		not available: 24/12/2026 | No deliveries - 24/12/2026 | Do not deliver 10:00 24 Dec 2026 | I don't want it: 24/12/2026
		Excluding: 24/12/2026 | Kein Versand: 24.12.2026 | Pas de livraison, 24/12/2026 | Sauf - 24/12/2026
		Não entregar: 24/12/2026 | Excepto: 24/12/2026 | Tranne: 24/12/2026 | Bez dostawy: 24.12.2026 | Кроме: 24.12.2026
		Не доставлять: 24.12.2026 | لا توصيل: 24/12/2026 | غير متاح: 24/12/2026 | 不可: 2026-12-24 | 除: 2026-12-24
		24 Dec 2026 at 10, 26 | days 24, 26 Dec 2026 | 3 Dec 2026 to 10 | 3 Dec 2026 and 10 | 3 Dec 2026, 10
		24/12/2026, 2 boxes | 24/12/2026 ohne Klingeln | Ab: 24.12.2026 | 24 Dec 10:00 or later | 24/12/2026 como muy tarde
		24 Dec 2026 or 10:00 the next day | Dec 10, 12 or 14 | Dec 10, 12 ou 14 | 24/12/2026, 10 or 12
		≥24.12.2026 | >24.12.2026 | ~24.12.2026 | 24.12.2026 → | ≠ 24.12.2026 | 24/12/2026 × | ❌ 24/12/2026 | 24/12/2026?
		12月24日～ | ～12月24日 | 12月24日〜 | 〜12月24日 | ne 27.12.2026 | Pazar 28.12.2026 | Cuma 26.12.2026 | dim. 22 déc. 2026
		Friday | every Friday | Freitag | viernes | Niedziela | 木曜日 | 星期四 | 목요일 | الخميس
		`),
		// The month is another one in Polish than in Croatian.
		'24 listopada 2026',
	])('is an error if it is not clear (%s), or a note without the option', (text) => {
		expect(problemOf(sampleOrder(on(text)), { filters: skipping }).message).toBe(
			`Order #1042 has the delivery date "${text}", which is not clear. Write it in Shopify with the year first, e.g. 2026-12-24. If dates in your shop look like 05/06/2026, set Delivery Date Format under Filters.`,
		);
		expect(outcome(on(text))).toMatchObject({
			kind: 'delivery',
			needed: `Order #1042 was sent now, but its delivery date "${text}" is not clear. Tell the Delivery Service the right day. If dates in your shop look like 05/06/2026, set Delivery Date Format under Filters.`,
		});
	});

	test.each([
		'ASAP (30-45 min)',
		'Within 24 hours',
		'2-3 hrs',
		'En 24h',
		'24/7',
		'10 am - 12 pm',
		'9:30 AM',
		'between 9 a.m. and 5 p.m.',
		'0000-00-00',
		'0000-00-00 00:00',
		'0000-00-00 00:00:00',
		'0000-00-00T00:00:00Z',
		'00:00',
		'No date, 00:00',
		'ASAP',
		'Any day',
		'So soon as possible',
		'Standard (Monday to Saturday)',
		'Lieferung Montag bis Freitag',
		'10〜12時',
		'No preference',
		'指定なし',
		'-',
		'なるべく早く',
		'سريعا',
	])('was not chosen if the text has no digit, or only zeros or those of hours: %s', (text) => {
		expect(outcome(on(text), skipping)).toMatchObject({ kind: 'delivery', needed: '' });
		expect(instructionsOf(on(text))).toBeUndefined();
	});

	test.each(
		namesIn(`
		配送希望日 | お届け希望日 | 配送日期 | 배송 희망일 | Delivery Date & Time | delivery_date: | Fecha de entrega
		Data da entrega | Jour de livraison | Wunschlieferdatum | Giorno di consegna | Bezorgdag
		Leveransdatum | Toimituspäivä | Data dostawy | Datum doručení | Дата доставки | Teslimat Tarihi
		deliveryDate | Select Delivery Date | Fecha entrega | Szállítási dátum | تاريخ التوصيل | תאריך משלוח | Ngày giao hàng | วันที่จัดส่ง | Delivery Date (DD/MM/YYYY) | Lieferdatum [tt.mm.jjjj]
		Fecha de entrega preferida | Gewünschtes Lieferdatum | Önskat leveransdatum | Ønsket leveringsdato | Kézbesítés dátuma | Datum dostave
		Requested Delivery Day | Select a delivery date: | Local Delivery Date and Time | Order Due Date
		Дата доставки (желаемая) | 希望配達日 | 배송일 | 送達日期 | Tarikh penghantaran
	`),
	)('is found as %s', (name) => {
		const until = { code: 'scheduled', until: '2026-12-23' };
		const order = sampleOrder(on('2026-12-24', name));
		expect(outcomeOf(order, { filters: skipping })).toMatchObject(until);
	});

	test.each(
		namesIn(`
		Estimated Delivery Date | Delivery Date (estimated) | Pickup-Date | Order date | Delivery | Birthday
	`),
	)('is not taken from %s', (name) => {
		expect(outcome(on('2026-12-24', name), skipping).kind).toBe('delivery');
	});

	test.each(
		namesIn(`
		Delivery-Time | Hora de entrega | Créneau de livraison | Zeitfenster
		Fascia oraria | Bezorgtijd | Godzina dostawy | お届け時間 | 配送時間帯 | وقت التوصيل
	`),
	)('has its time as %s', (name) => {
		const date = { name: 'Delivery Date', value: '2026-11-23' };
		const note_attributes = [date, { name, value: '10-12' }];
		expect(instructionsOf({ note_attributes })).toBe('Deliver: 2026-11-23, 10-12');
	});

	test('sends an order from the day before on, in the time zone of the workflow', () => {
		const kindAt = (now: string, timeZone: string, filters: Fields = {}) =>
			outcomeOf(sampleOrder(on('2026-12-24')), {
				time: { now: Date.parse(now), timeZone },
				filters: { ...skipping, ...filters },
			}).kind;
		expect(kindAt('2026-12-23T03:00:00Z', 'UTC')).toBe('delivery');
		expect(kindAt('2026-12-23T03:00:00Z', 'America/Mexico_City')).toBe('skipped');
		expect(kindAt('2026-12-23T03:00:00Z', 'UTC', { sendDaysAhead: 0 })).toBe('skipped');
		expect(kindAt('2026-12-30T03:00:00Z', 'UTC')).toBe('delivery');
	});

	test('is in the instructions, and a future one needs a person without the option', () => {
		expect(outcome(on('2026-12-24'))).toEqual({
			kind: 'delivery',
			code: undefined,
			needed:
				'Order #1042 was sent now, but its delivery date is 2026-12-24. Ask the Delivery Service to bring it on that day.',
		});
		expect(outcome(on('2026-11-24')).needed).toBe('');
		const note_attributes = [
			{ name: 'Delivery-Date', value: '2026/12/24' },
			{ name: 'Delivery-Time', value: '10:00 - 12:00' },
		];
		expect(instructionsOf({ note_attributes, note: 'Gate 4' })).toBe(
			'Deliver: 2026-12-24, 10:00 - 12:00; Gate 4',
		);
	});

	test('comes from the attributes that are named, or from the properties of items', () => {
		const filters = { ...skipping, deliveryDateAttributes: ['Termin'] };
		expect(outcome(on('2026-12-24'), filters).kind).toBe('delivery');
		expect(outcome(on('2026-12-24', 'termin'), filters).code).toBe('scheduled');
		const properties = [{ name: 'Delivery Date', value: '2026-12-24' }];
		expect(outcome({ line_items: [sampleLine({ properties })] }, skipping).code).toBe('scheduled');
		properties.unshift({ name: 'Delivery Day', value: 'Thursday' });
		expect(outcome({ line_items: [sampleLine({ properties })] }, skipping).code).toBe('scheduled');
		expect(outcome({ note_attributes: properties }, skipping).code).toBe('scheduled');
	});

	test.each(['ASAP', 'None'])('is looked for further where a field says only "%s"', (value) => {
		const none = { name: 'Delivery Date', value };
		const chosen = { name: 'Delivery Date', value: '2026-12-24' };
		const line_items = [sampleLine({ properties: [chosen] })];
		expect(outcome({ note_attributes: [none], line_items }, skipping).code).toBe('scheduled');
		const preferred = { ...chosen, name: 'Preferred Delivery Date' };
		expect(outcome({ note_attributes: [none, preferred] }, skipping).code).toBe('scheduled');
	});

	test('of an item counts only if the delivery has the item, and if its others have the same', () => {
		const line = (value: string, changes: Fields = {}) =>
			sampleLine({ properties: [{ name: 'Delivery Date', value }], ...changes });
		const shipped = line('2026-11-24', { id: 2, fulfillable_quantity: 0 });
		const ofLines = (...line_items: Fields[]) =>
			outcomeOf(sampleOrder({ line_items }), { filters: skipping });
		const [until, open] = ['2026-12-23', line('2026-12-24', { id: 2 })];
		expect(ofLines(shipped, open)).toMatchObject({ until });
		expect(ofLines(open, line('24 Dec 2026'))).toMatchObject({ until });
		const message = expect.stringContaining('date "2026-12-24 or 2026-12-25", which is not');
		expect(ofLines(open, line('2026-12-25'))).toMatchObject({ problem: { message } });
	});

	test('of a local delivery is its time window', () => {
		const times = {
			min_delivery_date_time: '2026-11-24T16:00:00Z',
			max_delivery_date_time: '2026-11-24T18:30:00Z',
		};
		const part = (method_type: string) => ({ delivery_method: { method_type, ...times } });
		expect(instructionsOf({}, part('local'))).toBe('Deliver: 2026-11-24, 10:00 to 12:30');
		expect(instructionsOf({}, part('shipping'))).toBeUndefined();
		times.max_delivery_date_time = '2026-11-25T18:30:00Z';
		expect(instructionsOf({}, part('local'))).toBe('Deliver: 2026-11-24');
	});
});
