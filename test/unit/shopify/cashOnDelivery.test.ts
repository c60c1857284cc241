import fc from 'fast-check';

import { deliveryOf, outcomeOf, problemOf, sampleOrder } from '../../support/sampleOrder';

const cashOrder = {
	payment_gateway_names: ['Cash on Delivery (COD)'],
	financial_status: 'pending',
	total_price: '30.00',
	current_total_price: '25.10',
	total_outstanding: '25.10',
};

function codOf(changes: Record<string, unknown>, cod?: string): number | undefined {
	return deliveryOf(sampleOrder({ ...cashOrder, ...changes }), { cod }).cod;
}

describe('the option Cash on Delivery', () => {
	test('collects the unpaid amount of cash on delivery orders by default', () => {
		expect(codOf({})).toBe(25.1);
		expect(codOf({ payment_gateway_names: ['visa'] })).toBeUndefined();
		expect(codOf({ payment_gateway_names: null, gateway: null })).toBeUndefined();
	});

	test('collects nothing with Cash on Delivery set to Never', () => {
		expect(codOf({}, 'never')).toBeUndefined();
	});

	test('collects the unpaid amount for any payment method with Whenever Something Is Unpaid', () => {
		expect(codOf({ payment_gateway_names: ['visa'] }, 'unpaid')).toBe(25.1);
	});

	test('does not collect an authorized payment a second time, unless it is cash on delivery', () => {
		const financial_status = 'authorized';
		for (const cod of ['cashOnDeliveryOrders', 'unpaid']) {
			expect(codOf({ payment_gateway_names: ['visa'], financial_status }, cod)).toBeUndefined();
			expect(codOf({ financial_status }, cod)).toBe(25.1);
		}
	});

	test('collects nothing if the outstanding amount is 0 or negative', () => {
		expect(codOf({ total_outstanding: '0.00' })).toBeUndefined();
		expect(codOf({ total_outstanding: '-5.00' })).toBeUndefined();
	});
});

describe('payment method names', () => {
	test.each([
		'cash_on_delivery',
		'CASH ON DELIVERY',
		'COD',
		'C.O.D.',
		'Gift card + cod',
		'Payment on delivery',
		'Pay On Delivery',
		'Collect on delivery',
		'Contra reembolso',
		'Contrareembolso',
		'Pago contra-entrega',
		'Pago Contraentrega',
		'Contre-remboursement',
		'Paiement à la livraison',
		'Pagamento na entrega',
		'Pagamento alla consegna',
		'Contrassegno',
		'Per Nachnahme',
		'Onder rembours',
		'Za pobraniem',
		'Dobírka',
		'Dobierka',
		'Utánvét',
		'Ramburs la curier',
		'KAPIDA ÖDEME',
		'Kapıda ödeme',
		'Rembours',
		'Remboursbetaling',
		'Pago en efectivo al recibir',
		'Αντικαταβολή',
		'Thanh toán khi nhận hàng',
		'الدفع عند الاستلام',
		// English
		'Cash upon delivery',
		'Cash at Delivery',
		'Pay when you receive',
		'Pay at the door',
		'Pay cash to the driver',
		'COD (Cash)',
		'cash-on-delivery-fee',
		'Cash on arrival',
		'Doorstep payment',
		// Romance languages
		'Pago a la entrega',
		'Pago en la entrega',
		'Efectivo contra entrega',
		'Efectivo al recibir',
		'Pago en destino',
		'Pagar al recibir el pedido',
		'Contra reemborsament',
		'Pagament contra reembossament',
		'Paiement en espèces à la livraison',
		'Payer à la réception',
		'Règlement à réception du colis',
		'Contre-remboursement (CRBT)',
		'Pagamento in contanti alla consegna',
		'Paga alla consegna',
		'Contanti al corriere',
		'Pagamento em dinheiro na entrega',
		'Envio à cobrança',
		'Pagar no ato da entrega',
		'Plata la livrare',
		'Plată cash la livrare',
		'Plata la primirea coletului',
		'Numerar la livrare',
		// Germanic languages
		'Postnachnahme',
		'Barnachnahme (DHL)',
		'Barzahlung bei Lieferung',
		'Zahlung bei Zustellung',
		'Bezahlung an der Haustür',
		'Betalen bij levering',
		'Contant bij aflevering',
		'Betalen aan de deur',
		'Postförskott',
		'Betala vid leverans',
		'Efterkrav',
		'Betaling ved levering',
		'Kontant ved levering',
		'Postoppkrav',
		'Póstkrafa',
		'Kontant by aflewering',
		// Slavic languages
		'Płatność przy odbiorze',
		'Zapłata gotówką przy odbiorze',
		'Pobranie',
		'Platba na dobírku',
		'Platba při převzetí',
		'Hotově při převzetí',
		'Platba pri prevzatí',
		'Platba pri doručení',
		'Plaćanje pouzećem',
		'Pouzeće',
		'Plaćanje prilikom preuzimanja',
		'Plačilo po povzetju',
		'Наложенный платеж',
		'Наложенный платёж',
		'Оплата при получении',
		'Наличными курьеру',
		'Оплата наличными при доставке',
		'Післяплата',
		'Накладений платіж',
		'Оплата при отриманні',
		'Наложен платеж',
		'Плащане при доставка',
		'Плаћање поузећем',
		'Плаќање при достава',
		// Other European languages
		'Utánvétes fizetés',
		'Fizetés átvételkor',
		'Postiennakko',
		'Maksu toimituksen yhteydessä',
		'Lunamaks',
		'Apmokėjimas pristatymo metu',
		'Pēcmaksa',
		'Apmaksa piegādes brīdī',
		'Πληρωμή κατά την παράδοση',
		'Paguaj në dorëzim',
		'Kapıda Nakit Ödeme',
		'KAPIDA NAKİT ÖDEME',
		'Kapıda kredi kartı ile ödeme',
		'Teslimatta ödeme',
		'Qapıda ödəniş',
		// Asia and the Middle East
		'الدفع نقداً عند الاستلام',
		'الدفع عند التسليم',
		'الدفع عند التوصيل',
		'תשלום במזומן לשליח',
		'תשלום בעת המסירה',
		'پرداخت در محل',
		'پرداخت هنگام تحویل',
		'کیش آن ڈیلیوری',
		'कैश ऑन डिलीवरी',
		'कॅश ऑन डिलिव्हरी',
		'क्यास अन डेलिभरी',
		'கேஷ் ஆன் டெலிவரி',
		'క్యాష్ ఆన్ డెలివరీ',
		'ক্যাশ অন ডেলিভারি',
		'代金引換',
		'代引き',
		'代引手数料',
		'商品代引',
		'货到付款',
		'貨到付款',
		'代收貨款',
		'만나서 결제',
		'배송 시 결제',
		'เก็บเงินปลายทาง',
		'ชำระเงินปลายทาง',
		'Thanh toán tiền mặt khi giao hàng',
		'Trả tiền khi nhận hàng',
		'Bayar di Tempat',
		'Bayar Saat Barang Diterima',
		'Tunai semasa penghantaran',
	])('recognizes %s as cash on delivery', (gateway) => {
		expect(codOf({ payment_gateway_names: ['gift_card', gateway] })).toBe(25.1);
		expect(codOf({ payment_gateway_names: [], gateway })).toBe(25.1);
	});

	test.each([
		'visa',
		'bogus',
		'Bank Deposit',
		'codensa',
		'barcode pay',
		'paypal',
		'Código QR',
		'reimbursement',
		'Remboursement',
		"Banque Co d'Azur",
		'Salon Delivery',
		'Payment before delivery',
		'Pago en efectivo',
		'Cash',
		'Bank transfer',
		'Vorkasse',
		'Rechnung',
		'银行转账',
		'銀行振込',
	])('does not recognize %s as cash on delivery', (gateway) => {
		expect(codOf({ payment_gateway_names: [gateway], gateway })).toBeUndefined();
	});
});

describe('payment method names that mention delivery but mean another payment', () => {
	test.each([
		// Before delivery
		'Chuyển khoản trước khi giao hàng',
		'Thanh toán trước khi nhận hàng',
		'Teslimattan önce havale',
		'Ödeme teslimattan önce',
		'Pagamento antes da entrega',
		'Transferência antes da entrega',
		'Pago antes de la entrega',
		'Pago previo a la entrega',
		'Pago por adelantado, anterior a la entrega',
		'Paiement avant la livraison',
		'Pagamento prima della consegna',
		'Plata înainte de livrare',
		'Vorkasse (vor Lieferung)',
		'Betalen vóór levering',
		'Betalning före leverans',
		'Betaling før levering',
		'Płatność przed dostawą',
		'Platba před doručením',
		'Оплата до получения',
		'Предоплата перед доставкой',
		'Fizetés kiszállítás előtt',
		'Maksu ennen toimitusta',
		'Πληρωμή πριν την παράδοση',
		'Qapıda deyil, öncədən ödəniş',
		'الدفع قبل الاستلام',
		'תשלום לפני המסירה',
		'Bayar sebelum pengiriman',
		'배송 전 결제',
		'配達前に支払い',
		'货到前付款',
		'Prepayment before delivery',
		// Not on delivery
		'Kapıda değil, havale ile',
		'Kapıda ödeme değil',
		'Prepaid (no cash on delivery)',
		'Pay online, not on delivery',
		'Bank transfer - COD not available',
		'Sin contra reembolso',
		'Pas de paiement à la livraison',
		'Non alla consegna',
		'Não na entrega',
		'Keine Nachnahme',
		'Ohne Nachnahme',
		'Überweisung statt Nachnahme',
		'Geen rembours',
		'Inte postförskott',
		'Ikke efterkrav',
		'Nie za pobraniem',
		'Bez dobírky',
		'Не при получении',
		'Nem utánvét',
		'Ei postiennakkoa',
		'Όχι αντικαταβολή',
		'ليس عند الاستلام',
		'לא במסירה',
		'Không thanh toán khi nhận hàng',
		'Bukan bayar di tempat',
		'代引き不可',
		'代金引換以外',
		'不支持货到付款',
		'非貨到付款',
		'대금상환 불가',
		'ไม่เก็บเงินปลายทาง',
		// Invoice
		'Pago al recibir la factura',
		'Pagar al recibir su factura',
		'Factura a la entrega',
		'Rechnung bei Lieferung, 14 Tage',
		'Zahlung bei Lieferung auf Rechnung',
		'Rechnungskauf bei Lieferung',
		'Pay when you receive the invoice',
		'Pay when you receive your bill',
		'Payment on delivery of the invoice',
		'Invoice on delivery',
		'Invoice at delivery, net 30',
		'Faktura vid leverans',
		'Betala vid leverans mot faktura',
		'Faktura ved levering',
		'Factuur bij levering',
		'Betalen bij levering op rekening',
		'Facture à la livraison',
		'Paiement à la réception de la facture',
		'Fattura alla consegna',
		'Fatura na entrega',
		'Factură la livrare',
		'Płatność przy odbiorze faktury',
		'Faktura przy odbiorze',
		'Platba při převzetí faktury',
		'Faktura při doručení',
		'Račun prilikom dostave',
		'Оплата при получении счёта',
		'Счет при доставке',
		'Рахунок при отриманні',
		'Számla kiszállításkor',
		'Lasku toimituksen yhteydessä',
		'Τιμολόγιο κατά την παράδοση',
		'Teslimatta fatura',
		'فاتورة عند الاستلام',
		'חשבונית במסירה',
		'Hóa đơn khi giao hàng',
		'Faktur saat pengiriman',
	])('does not recognize %s as cash on delivery, and reports it', (gateway) => {
		const order = sampleOrder({ ...cashOrder, payment_gateway_names: [gateway] });
		expect(outcomeOf(order)).toMatchObject({ kind: 'delivery', notCollectedFor: [gateway] });
		expect(codOf({ payment_gateway_names: [gateway], gateway })).toBeUndefined();
	});

	test.each([
		'Invoice or cash on delivery',
		'Cash on delivery (with invoice)',
		'Cash on delivery – no card',
		'No contact: cash on delivery',
		'No prepayment, pay on delivery',
		'Nachnahme mit Rechnung',
		'Nachnahme ohne Aufpreis',
		'Nicht vorab, sondern bei Lieferung',
		'Pobranie (faktura VAT)',
		'Pago contra entrega con factura',
		'Pagar al recibir, con factura',
		'Kapıda ödeme, faturalı',
		'Trả trước 50%, còn lại khi nhận hàng',
		'50% Vorkasse, Rest bei Lieferung',
		'货到付款，可开发票',
	])('recognizes %s as cash on delivery', (gateway) => {
		expect(codOf({ payment_gateway_names: [gateway] })).toBe(25.1);
	});

	test('collects the unpaid amount if another payment method of the order is cash on delivery', () => {
		const payment_gateway_names = ['Rechnung bei Lieferung', 'Nachnahme'];
		expect(codOf({ payment_gateway_names })).toBe(25.1);
	});
});

describe('the option Cash on Delivery Exceptions', () => {
	const codExcept = (gateway: string, cashOnDeliveryExceptions: string[], methods: string[] = []) =>
		deliveryOf(sampleOrder({ ...cashOrder, payment_gateway_names: [gateway] }), {
			cashOnDeliveryExceptions,
			cashOnDeliveryMethods: methods,
		}).cod;

	test.each([
		['COD by bank link', ['bank link']],
		['Kapıda Ödeme (HAVALE)', ['havale']],
		['Nachnahme', ['NACHNAHME']],
	])('does not collect for %s with the exceptions %j', (gateway, exceptions) => {
		expect(codExcept(gateway, [])).toBe(25.1);
		expect(codExcept(gateway, exceptions)).toBeUndefined();
	});

	test('prefers an exception to a method of the shop, and that to the known exceptions', () => {
		expect(codExcept('Invoice on delivery', [], ['invoice'])).toBe(25.1);
		expect(codExcept('Invoice on delivery', ['invoice on delivery'], ['invoice'])).toBeUndefined();
	});

	test('matches exceptions as whole words and ignores empty ones', () => {
		expect(codExcept('Cash on delivery', ['cas', '-'])).toBe(25.1);
	});
});

describe('an order in another currency than the shop', () => {
	const money = (shop: string, presentment: string) => ({
		shop_money: { amount: shop, currency_code: 'USD' },
		presentment_money: { amount: presentment, currency_code: 'MXN' },
	});
	const abroad = {
		currency: 'USD',
		presentment_currency: 'MXN',
		total_outstanding: '25.10',
		current_total_price: '25.10',
		current_total_price_set: money('25.10', '455.20'),
		total_price_set: money('30.00', '544.06'),
	};

	test.each([
		['everything is unpaid', {}, 455.2],
		[
			'the outstanding amount has its own set',
			{ total_outstanding: '10.00', total_outstanding_set: money('10', '181.4') },
			181.4,
		],
		['a part is paid', { total_outstanding: '12.55' }, 227.6],
		['only the original total has both', { current_total_price_set: null }, 455.2],
		['the total is used', { total_outstanding: null }, 455.2],
		['nothing is unpaid', { total_outstanding: '0.00', current_total_price_set: null }, undefined],
		['both currencies are the same', { presentment_currency: 'USD' }, 25.1],
		['the currency of the customer is missing', { presentment_currency: null }, 25.1],
	])("collects the customer's currency if %s", (_, changes, expected) => {
		expect(codOf({ ...abroad, ...changes })).toBe(expected);
	});

	test('rounds a part of the total to the decimals of the currency', () => {
		const yen = {
			...abroad,
			presentment_currency: 'JPY',
			total_outstanding: '10.00',
			current_total_price_set: money('25.10', '3700'),
		};
		expect(codOf(yen)).toBe(1474);
	});

	test.each([
		[{ current_total_price_set: null, total_price_set: null }],
		[{ current_total_price_set: { shop_money: {} }, total_price_set: money('0.00', '0.00') }],
	])(
		"rejects an order that doesn't contain the amount in the customer's currency: %j",
		(changes) => {
			const order = sampleOrder({ ...cashOrder, ...abroad, ...changes });
			expect(problemOf(order)).toEqual({
				message:
					"Order #1042 doesn't say how much is unpaid in MXN, the currency of the customer. Make sure the Shopify node returns current_total_price_set, or set Cash on Delivery to Never if drivers never collect cash.",
			});
			expect(deliveryOf(order, { cod: 'never' }).cod).toBeUndefined();
		},
	);
});

describe('an order without total_outstanding', () => {
	test.each([
		['paid', undefined],
		['pending', 25.1],
		['authorized', 25.1],
	])('derives the amount from the total for the status %s: %p', (financial_status, expected) => {
		expect(codOf({ total_outstanding: null, financial_status })).toBe(expected);
	});

	test('collects the original total of an order without a current total', () => {
		expect(codOf({ total_outstanding: null, current_total_price: null })).toBe(30);
	});

	test.each(['partially_paid', 'partially_refunded', null])(
		'rejects an order with the status %s and no outstanding amount unless nothing is collected',
		(financial_status) => {
			const order = sampleOrder({ ...cashOrder, total_outstanding: null, financial_status });
			expect(problemOf(order)).toEqual({
				message: expect.stringContaining("Order #1042 doesn't say how much is unpaid"),
			});
			expect(problemOf(order).message).toContain(financial_status ?? 'missing');
			expect(deliveryOf(order, { cod: 'never' }).cod).toBeUndefined();
		},
	);

	test('rejects a cash on delivery order without any total', () => {
		const order = {
			...cashOrder,
			total_outstanding: null,
			current_total_price: null,
			total_price: null,
		};
		expect(problemOf(sampleOrder(order)).message).toContain("doesn't say how much is unpaid");
	});
});

describe('the option Cash on Delivery Methods', () => {
	const codWithMethods = (gateway: string, cashOnDeliveryMethods: string[]) =>
		deliveryOf(sampleOrder({ ...cashOrder, payment_gateway_names: [gateway] }), {
			cashOnDeliveryMethods,
		}).cod;

	test.each([
		['Pay the milkman', ['Pay the milkman']],
		['PAY THE MILKMAN (+2 €)', ['pay the milkman']],
		['Bezahlen beim Milchmann', ['Scheck', 'Milchmann']],
		['ödeme kapi', ['Ödeme Kapı']],
	])('recognizes %s with the Cash on Delivery Methods %j', (gateway, methods) => {
		expect(codWithMethods(gateway, [])).toBeUndefined();
		expect(codWithMethods(gateway, methods)).toBe(25.1);
	});

	test('matches Cash on Delivery Methods as whole words and ignores punctuation', () => {
		expect(codWithMethods('Cashless', ['cash'])).toBeUndefined();
		expect(codWithMethods('Cash', ['cash'])).toBe(25.1);
		expect(codWithMethods('visa', ['-'])).toBeUndefined();
	});
});

describe('payment method spelling', () => {
	const knownMethods = [
		'Cash on Delivery',
		'Kapıda Ödeme',
		'Наложенный платёж',
		'代金引換',
		'Dobírka',
	];
	const separator = fc.constantFrom(' ', '-', '_', ' / ', ' (', ') ', ': ', '·', ', ');

	test('recognizes known payment methods in any letter case and Unicode form, with any separators', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...knownMethods),
				fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'),
				fc.boolean(),
				separator,
				separator,
				(method, form, isUpper, between, around) => {
					const variant = method.replaceAll(' ', between).normalize(form);
					const gateway = `${around}${isUpper ? variant.toUpperCase() : variant}${around}2`;
					expect(codOf({ payment_gateway_names: [gateway] })).toBe(25.1);
				},
			),
		);
	});
});

test('an unpaid amount is either collected or reported as not collected', () => {
	const statuses = ['paid', 'pending', 'authorized', 'partially_paid', 'refunded', 'voided', null];
	const order = fc.record({
		financial_status: fc.constantFrom(...statuses),
		total_outstanding: fc.constantFrom('25.10', '0.00', '-1.00'),
		payment_gateway_names: fc.subarray(['visa', 'gift_card', 'Nachnahme', 'Milkman']),
	});
	const mapping = fc.record({
		cod: fc.constantFrom('never', 'cashOnDeliveryOrders', 'unpaid'),
		cashOnDeliveryMethods: fc.subarray(['Milkman']),
		includeRefundedOrders: fc.constant(true),
	});
	fc.assert(
		fc.property(order, mapping, (changes, options) => {
			const outcome = outcomeOf(sampleOrder(changes), options);
			if (outcome.kind !== 'delivery') throw new Error(JSON.stringify(outcome));
			const { financial_status: status, payment_gateway_names: methods } = changes;
			const isUnpaid =
				changes.total_outstanding === '25.10' &&
				status !== 'refunded' &&
				status !== 'voided' &&
				options.cod !== 'never';
			const isByCash =
				methods.includes('Nachnahme') ||
				(methods.includes('Milkman') && options.cashOnDeliveryMethods.length > 0);
			const isReserved = status === 'authorized' && !isByCash;
			const collects = isUnpaid && !isReserved && (options.cod === 'unpaid' || isByCash);
			const isReported = isUnpaid && !collects && !isReserved;
			expect(outcome.delivery.cod).toBe(collects ? 25.1 : undefined);
			expect(outcome.notCollectedFor).toEqual(isReported ? methods : undefined);
		}),
		{ numRuns: 500 },
	);
});

describe('a voided or refunded order', () => {
	test.each(['voided', 'refunded'])(
		'collects nothing for a %s order that is sent anyway',
		(financial_status) => {
			for (const cod of ['cashOnDeliveryOrders', 'unpaid']) {
				const order = sampleOrder({ ...cashOrder, financial_status });
				expect(deliveryOf(order, { cod, includeRefundedOrders: true }).cod).toBeUndefined();
			}
		},
	);
});
