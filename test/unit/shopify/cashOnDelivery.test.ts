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

describe('when to collect', () => {
	test('by default the outstanding amount of orders paid by cash on delivery', () => {
		expect(codOf({})).toBe(25.1);
		expect(codOf({ payment_gateway_names: ['visa'] })).toBeUndefined();
		expect(codOf({ payment_gateway_names: null, gateway: null })).toBeUndefined();
	});

	test('never, when it is off', () => {
		expect(codOf({}, 'never')).toBeUndefined();
	});

	test('always the outstanding amount, when so chosen', () => {
		expect(codOf({ payment_gateway_names: ['visa'] }, 'unpaid')).toBe(25.1);
	});

	test('nothing, when nothing or less is outstanding', () => {
		expect(codOf({ total_outstanding: '0.00' })).toBeUndefined();
		expect(codOf({ total_outstanding: '-5.00' })).toBeUndefined();
	});
});

describe('which payment methods are cash on delivery', () => {
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
		// Other languages of Europe
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
	])('%s is', (gateway) => {
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
	])('%s is not', (gateway) => {
		expect(codOf({ payment_gateway_names: [gateway], gateway })).toBeUndefined();
	});
});

describe('how much is outstanding when the order has no total_outstanding', () => {
	test.each([
		['paid', undefined],
		['pending', 25.1],
		['authorized', 25.1],
	])('%s: %p', (financial_status, expected) => {
		expect(codOf({ total_outstanding: null, financial_status })).toBe(expected);
	});

	test('the first total counts where there is no current one', () => {
		expect(codOf({ total_outstanding: null, current_total_price: null })).toBe(30);
	});

	test.each(['partially_paid', 'partially_refunded', null])(
		'%s is not guessed at',
		(financial_status) => {
			const order = sampleOrder({ ...cashOrder, total_outstanding: null, financial_status });
			expect(problemOf(order)).toEqual({
				message: expect.stringContaining('does not tell how much is still to be paid'),
			});
			expect(problemOf(order).message).toContain(financial_status ?? 'missing');
			expect(deliveryOf(order, { cod: 'never' }).cod).toBeUndefined();
		},
	);

	test('an order without any total is not guessed at', () => {
		const order = {
			...cashOrder,
			total_outstanding: null,
			current_total_price: null,
			total_price: null,
		};
		expect(problemOf(sampleOrder(order)).message).toContain('how much is still to be paid');
	});
});

describe('names of the shop’s own', () => {
	const named = (gateway: string, cashOnDeliveryMethods: string[]) =>
		deliveryOf(sampleOrder({ ...cashOrder, payment_gateway_names: [gateway] }), {
			cashOnDeliveryMethods,
		}).cod;

	test.each([
		['Pay the milkman', ['Pay the milkman']],
		['PAY THE MILKMAN (+2 €)', ['pay the milkman']],
		['Bezahlen beim Milchmann', ['Scheck', 'Milchmann']],
		['ödeme kapi', ['Ödeme Kapı']],
	])('%s is cash on delivery with %j', (gateway, names) => {
		expect(named(gateway, [])).toBeUndefined();
		expect(named(gateway, names)).toBe(25.1);
	});

	test('a name is found as whole words, and nothing is found by punctuation alone', () => {
		expect(named('Cashless', ['cash'])).toBeUndefined();
		expect(named('Cash', ['cash'])).toBe(25.1);
		expect(named('visa', ['-'])).toBeUndefined();
	});
});

describe('names are recognised however they are written', () => {
	const known = ['Cash on Delivery', 'Kapıda Ödeme', 'Наложенный платёж', '代金引換', 'Dobírka'];
	const mark = fc.constantFrom(' ', '-', '_', ' / ', ' (', ') ', ': ', '·', ', ');

	test('in any case, with other marks between words and with more around', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...known),
				fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'),
				fc.boolean(),
				mark,
				mark,
				(name, form, isUpper, between, around) => {
					const written = name.replaceAll(' ', between).normalize(form);
					const gateway = `${around}${isUpper ? written.toUpperCase() : written}${around}2`;
					expect(codOf({ payment_gateway_names: [gateway] })).toBe(25.1);
				},
			),
		);
	});
});

test('the driver collects all that is outstanding, or it is told that nothing is collected', () => {
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
			const isOwed =
				changes.total_outstanding === '25.10' &&
				status !== 'refunded' &&
				status !== 'voided' &&
				options.cod !== 'never';
			const isByCash =
				methods.includes('Nachnahme') ||
				(methods.includes('Milkman') && options.cashOnDeliveryMethods.length > 0);
			const collects = isOwed && (options.cod === 'unpaid' || isByCash);
			const isTold = isOwed && !collects && status !== 'authorized';
			expect(outcome.delivery.cod).toBe(collects ? 25.1 : undefined);
			expect(outcome.notCollectedFor).toEqual(isTold ? methods : undefined);
		}),
		{ numRuns: 500 },
	);
});

describe('what is never collected', () => {
	test.each(['voided', 'refunded'])('the money of a %s order', (financial_status) => {
		for (const cod of ['cashOnDeliveryOrders', 'unpaid']) {
			const order = sampleOrder({ ...cashOrder, financial_status });
			expect(deliveryOf(order, { cod, includeRefundedOrders: true }).cod).toBeUndefined();
		}
	});
});
