import { deliveryOf, problemOf, sampleOrder } from '../../support/sampleOrder';

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
		expect(codOf({}, 'off')).toBeUndefined();
	});

	test('always the outstanding amount, when so chosen', () => {
		expect(codOf({ payment_gateway_names: ['visa'] }, 'outstanding')).toBe(25.1);
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
	])('%s is not', (gateway) => {
		expect(codOf({ payment_gateway_names: [gateway], gateway })).toBeUndefined();
	});
});

describe('how much is outstanding when the order has no total_outstanding', () => {
	test.each([
		['paid', undefined],
		['refunded', undefined],
		['pending', 25.1],
		['authorized', 25.1],
	])('%s: %p', (financial_status, expected) => {
		expect(codOf({ total_outstanding: null, financial_status })).toBe(expected);
	});

	test('the first total counts where there is no current one', () => {
		expect(codOf({ total_outstanding: null, current_total_price: null })).toBe(30);
	});

	test.each(['partially_paid', 'partially_refunded', 'voided', null])(
		'%s is not guessed at',
		(financial_status) => {
			const order = sampleOrder({ ...cashOrder, total_outstanding: null, financial_status });
			expect(problemOf(order)).toEqual({
				message: expect.stringContaining('does not tell how much is still to be paid'),
			});
			expect(problemOf(order).message).toContain(financial_status ?? 'missing');
			expect(deliveryOf(order, { cod: 'off' }).cod).toBeUndefined();
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
