/** Which payment methods are cash on delivery, by the names that shops and apps give them. */
import fc from 'fast-check';

import { paymentKind } from '../../../nodes/DeliveryService/shopify/paymentNames';

/** Names in one text: a list of them would take a line for each. */
const namesIn = (text: string) => text.split(/[|\n]/).flatMap((name) => name.trim() || []);

describe('names of cash on delivery', () => {
	const known = namesIn(`
		cash_on_delivery | CASH ON DELIVERY | COD | C.O.D. | Payment on delivery | Pay On Delivery
		Collect on delivery | Contra reembolso | Contrarembolso | 만나서 현금 결제 | Contrareembolso | Pago contra-entrega
		Pago Contraentrega | Contre-remboursement | Paiement à la livraison | Pagamento na entrega
		Pagamento alla consegna | Contrassegno | Per Nachnahme | Onder rembours | Za pobraniem
		Dobírka | Dobierka | Utánvét | Ramburs la curier | KAPIDA ÖDEME | Kapıda ödeme | Rembours
		Remboursbetaling | Pago en efectivo al recibir | Αντικαταβολή | Thanh toán khi nhận hàng
		الدفع عند الاستلام | Cash upon delivery | Cash at Delivery | Pay when you receive
		Pay at the door | Pay cash to the driver | COD (Cash) | Cash on arrival | Doorstep payment
		Pago a la entrega | Pago en la entrega | Efectivo contra entrega | Efectivo al recibir
		Pago en destino | Pagar al recibir el pedido | Contra reemborsament
		Pagament contra reembossament | Paiement en espèces à la livraison | Payer à la réception
		Règlement à réception du colis | Contre-remboursement (CRBT)
		Pagamento in contanti alla consegna | Paga alla consegna | Contanti al corriere
		Pagamento em dinheiro na entrega | Envio à cobrança | Pagar no ato da entrega
		Plata la livrare | Plată cash la livrare | Plata la primirea coletului | Numerar la livrare
		Postnachnahme | Barnachnahme | Barzahlung bei Lieferung | Zahlung bei Zustellung
		Bezahlung an der Haustür | Betalen bij levering | Contant bij aflevering
		Betalen aan de deur | Postförskott | Betala vid leverans | Efterkrav | Betaling ved levering
		Kontant ved levering | Postoppkrav | Póstkrafa | Kontant by aflewering
		Płatność przy odbiorze | Zapłata gotówką przy odbiorze | Pobranie | Platba na dobírku
		Platba při převzetí | Hotově při převzetí | Platba pri prevzatí | Platba pri doručení
		Plaćanje pouzećem | Pouzeće | Plaćanje prilikom preuzimanja | Plačilo po povzetju
		Наложенный платеж | Наложенный платёж | Оплата при получении | Наличными курьеру
		Оплата наличными при доставке | Післяплата | Накладений платіж | Оплата при отриманні
		Наложен платеж | Плащане при доставка | Плаћање поузећем | Плаќање при достава
		Utánvétes fizetés | Fizetés átvételkor | Postiennakko | Maksu toimituksen yhteydessä
		Lunamaks | Apmokėjimas pristatymo metu | Pēcmaksa | Apmaksa piegādes brīdī
		Πληρωμή κατά την παράδοση | Paguaj në dorëzim | Kapıda Nakit Ödeme | KAPIDA NAKİT ÖDEME
		Teslimatta ödeme | Qapıda ödəniş | الدفع نقداً عند الاستلام | الدفع عند التسليم
		الدفع عند التوصيل | תשלום במזומן לשליח | תשלום בעת המסירה | پرداخت در محل
		پرداخت هنگام تحویل | کیش آن ڈیلیوری | कैश ऑन डिलीवरी | कॅश ऑन डिलिव्हरी | क्यास अन डेलिभरी
		கேஷ் ஆன் டெலிவரி | క్యాష్ ఆన్ డెలివరీ | ক্যাশ অন ডেলিভারি | 代金引換 | 代引き | 商品代引 | 货到付款 | 貨到付款
		代收貨款 | 만나서 결제 | 배송 시 결제 | เก็บเงินปลายทาง | ชำระเงินปลายทาง
		Thanh toán tiền mặt khi giao hàng | Trả tiền khi nhận hàng | Bayar di Tempat
		الدفع عند استلام الطلب | الدفع وقت الاستلام | الدفع بعد الاستلام | Giao hàng thu tiền | Thu tiền tận nơi
		Trả tiền mặt khi giao hàng | เก็บเงินสดปลายทาง | ชำระเงินเมื่อได้รับสินค้า | Bayar saat barang sampai
		Μετρητά κατά την παράδοση | Teslimatta Nakit | Наложка | Плащане при получаване | Оплата під час отримання
		Оплата готівкою при отриманні | Płatność kurierowi przy odbiorze | Paga en casa | Paga cuando lo recibas
		Pagas al recibir | Paga hasta que te llegue | Pago en la puerta de tu casa | الدفع عند باب البيت | Nhận hàng trả tiền | Pague quando receber | Pay in cash when your order is delivered | Betala vid hemleverans
		Betal ved levering | Kontant ved modtagelse | Betaal aan de deur | Contant aan huis | Fizetés a futárnál
		Maksa toimituksen yhteydessä | Atsiskaitymas pristatymo metu | Apmaksa saņemot | کیش آن ڈلیوری
		Releasit COD | EasySell Cash on Delivery | Ship COD | PAGO CONTRAENTREGA 🚚 | Αντικαταβολή με ΕΛΤΑ
		Zahlung in bar bei Lieferung | Platba v hotovosti při převzetí | Plaćanje gotovinom prilikom dostave
		תשלום במזומן בעת קבלת המשלוח | الدفع عند وصول الطلب | پرداخت درب منزل | ڈیلیوری پر ادائیگی | নগদ অন ডেলিভারি
		เก็บปลายทาง | ชำระปลายทาง | Plačilo ob prevzemu | Plaćanje po preuzimanju | Mokėjimas pristatymo metu
		Pagesë në dorëzim | Cash bij levering | Betaling bij ontvangst | Cobrança na entrega | Paga al mensajero
		Kapıda Peşin Ödeme | Pagas en casa | Pago en efectivo a domicilio | Cobrança CTT | Espèces lors de la livraison
		Betalning vid leverans | Kontant ved utlevering | Bussiennakko | Hotově kurýrovi | Platba kuriérovi | Készpénz átvételkor
		Gotovina pri dostavi | Наличные курьеру | Оплата готівкою кур'єру | Πληρωμή κατά την παραλαβή | Πληρωμή στην παράδοση
		Qapıda nağd ödəniş | Nağd ödəniş qapıda | الدفع للمندوب | תשלום במזומן בעת המשלוח | डिलीवरी पर नकद | 만나서 현금결제
		გადახდა მიტანისას | Apmokėti kurjeriui grynais | Apmaksa kurjeram | Sularahas kullerile
		Оплата при доставці | Оплата наложенным платежом | Cash payment to courier | Efectivo al momento de recibir | Tunai Semasa Terima
		Apmaksa piegādes brīdī (skaidrā naudā) | Apmokėjimas pristatymo metu (grynaisiais) | Maksu toimituksen yhteydessä (käteisellä) | Sularahas kullerile (sularahas)
		डिलीवरी पर नकद भुगतान | Bayad sa delivery | Bayar Saat Barang Diterima | Bayar ketika barang sampai | Tunai semasa penghantaran
	`);

	test.each(known)('knows %s', (name) => {
		expect(paymentKind(name, [])).toBe('cashOnDelivery');
	});

	test('are the same in any letter case, Unicode form and with any punctuation', () => {
		const separator = fc.constantFrom(' ', '-', '_', ' / ', ': ', '·', ', ');
		const form = fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD');
		fc.assert(
			fc.property(
				fc.constantFrom(
					'Cash on Delivery',
					'Kapıda Ödeme',
					'Наложенный платёж',
					'代金引換',
					'Dobírka',
				),
				form,
				fc.boolean(),
				separator,
				fc.constantFrom('', ' (COD)', ' [+ 2 €]', '（代引）'),
				(method, unicodeForm, isUpper, between, behind) => {
					const spelled = method.replaceAll(' ', between).normalize(unicodeForm);
					const name = `${isUpper ? spelled.toUpperCase() : spelled}${behind}`;
					expect(paymentKind(name, [])).toBe('cashOnDelivery');
				},
			),
		);
	});
});

/** A word of cash on delivery is not enough. */
const similar = namesIn(`
	Plata cu cod QR | 5% discount over COD | Card on file charged upon delivery | Código QR
	codensa | barcode pay | Cash | Pago en efectivo | reimbursement | Remboursement
	Salon Delivery | Gift card + cod | visa | bogus | Bank Deposit | paypal
	Payment before delivery | Bank transfer | Vorkasse | Rechnung | 银行转账 | 銀行振込
	Chuyển khoản trước khi giao hàng | Thanh toán trước khi nhận hàng | Teslimattan önce havale
	Ödeme teslimattan önce | Pagamento antes da entrega | Transferência antes da entrega
	Pago antes de la entrega | Pago previo a la entrega | Paiement avant la livraison
	Pagamento prima della consegna | Plata înainte de livrare | Vorkasse (vor Lieferung)
	Betalen vóór levering | Betalning före leverans | Betaling før levering
	Płatność przed dostawą | Platba před doručením | Оплата до получения
	Предоплата перед доставкой | Fizetés kiszállítás előtt | Maksu ennen toimitusta
	Πληρωμή πριν την παράδοση | الدفع قبل الاستلام | תשלום לפני המסירה
	Bayar sebelum pengiriman | 배송 전 결제 | 配達前に支払い | 货到前付款 | Prepayment before delivery
	Kapıda ödeme değil | Prepaid (no cash on delivery) | Bank transfer - COD not available
	Kartla kapıda ödeme | Πληρωμή στον courier με κάρτα | ชำระเงินปลายทางด้วยบัตร | 貨到付款 刷卡
	Thanh toán khi nhận hàng bằng thẻ | پرداخت در محل با کارت | Maksu toimituksen yhteydessä kortilla
	الدفع بالبطاقة عند الاستلام | الدفع عند الاستلام بالفيزا | شبكة عند الاستلام | Betaling ved levering med Vipps
	Betalen bij levering met pin | Plata la curier cu cardul | Pago contra entrega con datáfono
	Pagamento na entrega com maquininha | Paiement à la livraison par TPE | Pagamento alla consegna con POS
	Bayar di tempat pakai kartu | Paga ahora y recibe en casa | 超商取貨付款 | Pago en tienda al recoger
	Pay on Delivery - M-Pesa | Zahlung bei Lieferung mit TWINT | Pay on Delivery via bKash | STC Pay عند الاستلام
	Pago contra entrega con Yape | Pagamento na entrega via PicPay | Thanh toán khi nhận hàng qua MoMo
	50% anticipo, resto contra entrega | Half now, half cash on delivery | Mitad ahora, mitad contra entrega
	Anzahlung, Rest Nachnahme | Acompte, paiement à la livraison | Acconto + contrassegno | Aanbetaling, rest onder rembours
	Zaliczka, reszta za pobraniem | Zadatek i pobranie | Záloha a dobírka | Avans + ramburs | Előleg, maradék utánvéttel | Sinal + pagamento na entrega
	Seña y resto contra entrega | Enganche, resto contra entrega | Kapora + kapıda ödeme | عربون والباقي عند الاستلام | Προκαταβολή και αντικαταβολή
	Forskud, rest efterkrav | Handpenning och postförskott | Abono y saldo contra entrega | COD ٪50 | Payment on receipt of invoice | תשלום בעת קבלת החשבונית
	Sin contra reembolso | Pas de paiement à la livraison | Non alla consegna | Não na entrega
	Keine Nachnahme | Ohne Nachnahme | Überweisung statt Nachnahme | Geen rembours
	Inte postförskott | Ikke efterkrav | Nie za pobraniem | Bez dobírky | Не при получении
	代引き不可 | 不支持货到付款 | ไม่รับเก็บเงินปลายทาง | Płatność przy odbiorze osobistym | الدفع عند الاستلام من الفرع
	Оплата при самовывозе | Оплата при отриманні в магазині | الدفع عند الاستلام من المعرض | Накладений платіж (передоплата 200 грн)
	COD Token | Reserve COD | Partially paid - rest COD | COD Coupon | Cod fiscal | Оплата при получении онлайн
	Paiement à la livraison par CB | Πληρωμή στην παράδοση με IRIS | เก็บเงินปลายทาง โอน | COD via payment link
	Faktura - betalning vid leverans | Betaling ved levering - faktura | Płatność przy odbiorze - faktura
	გადახდა მიტანისას ბარათით | გადახდა ადგილზე ბარათით | تم الدفع للمندوب | Оплата курьеру по терминалу
	Gotovina ob prevzemu v trgovini | Gotovina pri prevzemu v poslovalnici | Plačilo ob prevzemu v prodajalni
	Gotovina pri preuzimanju u poslovnici | Plaćanje prilikom preuzimanja u prodavnici
	Nem utánvét | Ei postiennakkoa | Όχι αντικαταβολή | ليس عند الاستلام | לא במסירה
`);

test.each(similar)('does not take %s for cash on delivery', (name) => {
	expect(paymentKind(name, [])).not.toBe('cashOnDelivery');
});

describe("the shop's own names", () => {
	test.each<[string, string, boolean]>([
		['Pay the driver', 'pay the driver', true],
		['PAY THE DRIVER (+2 €)', 'Pay the driver', true],
		['Pay the driver (cash)', 'Pay the driver (cash)', true],
		['Pay (card)', 'Pay (cash)', false],
		['Pay the driver by card', 'Pay the driver', false],
		['Cashless', 'cash', false],
		['visa', '-', false],
	])('%s is cash on delivery by the name %s: %s', (method, own, expected) => {
		expect(paymentKind(method, [])).not.toBe('cashOnDelivery');
		expect(paymentKind(method, ['other', own]) === 'cashOnDelivery').toBe(expected);
	});
});

describe('a name with more than one known part, or with a word more', () => {
	const cash = namesIn(`
		Advanced Cash on Delivery | Razorpay COD | GoKwik COD | Cash on Delivery / Pending Offline
		Cash on Delivery (COD) الدفع عند الاستلام | Dobírka - platba při převzetí | دفع عند الاستلام
		Cash on Delivery [COD] - Pakistan | COD – Bayar di Tempat | Efectivo / Contra entrega
		Cash or card on delivery | Platnosc za pobraniem | DHL Nachnahme | Cash on Delivery (+ 3.50)
		Оплата при получении (наличными) | Onder rembours (contant) | Dobírka (hotově) | Thu hộ (COD)
		Cash on Delivery (+10 SAR) | COD (+ Rs. 50) | Nachnahme (+5,90 EUR) | Kapıda Ödeme (+25 TL)
		代金引換（手数料330円） | Nachnahme (zzgl. 5,90 €) | COD (+ 5 AED fee) | Contrassegno [costo: 4,90 €] | Pay on Delivery (POD)
		الدفع عند الاستلام (+10 ر.س) | Utánvét (990 Ft) | Αντικαταβολή (μετρητά) | الدفع عند الاستلام (كاش) | 💵 Cash on Delivery | COD via Shiprocket
		Cash on Delivery (Saudi Arabia) | COD (UAE) | COD (U.A.E.) | Cash on Delivery (Hong Kong) | 货到付款（香港） | Nachnahme (Deutschland) | Contra reembolso (España) | الدفع عند الاستلام (السعودية)
		Dobírka (Česká republika) | COD (₹49 COD charges)
		代金引換（現金のみ） | Pago contra entrega (sólo efectivo) | Przesyłka pobraniowa | Antikatavoli (+2€) | الدفع عند الاستلام من المندوب
	`);

	test.each(cash)('%s is cash on delivery', (name) => {
		expect(paymentKind(name, [])).toBe('cashOnDelivery');
	});

	const unknown = namesIn(`
		Cash on Delivery (prepaid) | COD (invoice) | Cash on Delivery (Klarna) | COD [only Karachi]
		Pay on Delivery (Card) | Zahlung bei Abholung | Cash on Pickup | Kapıda Kredi Kartı ile Ödeme
		Płatność kartą przy odbiorze | Оплата картой при получении | Cash on Delivery (Dubai only)
		Contra entrega (tarjeta) | Cash on Delivery / Bank Transfer | COD - OXXO | COD advance
		Pay on Delivery (PayU) | COD (Klarna 50 EUR) | COD (partial: 50 EUR) | COD (zone Karachi 50) | COD fee (50 Rs)
		COD (UPI 50) | COD (50 advance) | Partial COD | Pago contra entrega con tarjeta | Cod promoțional | COD charges | Cod QR
		Pay with our wallet app now and never think of paying cash on delivery again
	`);

	test.each(unknown)('%s is not cash on delivery', (name) => {
		expect(paymentKind(name, [])).not.toBe('cashOnDelivery');
	});

	test('is not cash on delivery by its own name if a bracket has another one', () => {
		expect(paymentKind('Pay the driver (Klarna)', ['Pay the driver'])).not.toBe('cashOnDelivery');
		expect(paymentKind('Pay the driver (Klarna)', ['Pay the driver (Klarna)'])).toBe(
			'cashOnDelivery',
		);
	});
});

/** By country: cash on delivery, methods that are paid before, and names that could be either. */
const byCountry: ReadonlyArray<[country: string, cash: string, other: string, unknown: string]> = [
	[
		'Mexico',
		'Pago contra entrega | Pago al recibir',
		'OXXO | Pago en OXXO | SPEI | Mercado Pago',
		'Efectivo',
	],
	[
		'Brazil',
		'Pagamento na entrega | Dinheiro na entrega',
		'Pix | Boleto Bancário | Cartão de crédito',
		'Dinheiro',
	],
	[
		'Colombia',
		'Pago contraentrega | Contra Entrega',
		'Efecty | Nequi | PSE | Addi',
		'Pago en efectivo',
	],
	['Chile', 'Pago contra entrega en efectivo', 'Webpay Plus | Khipu | Transferencia', 'Manual'],
	[
		'Egypt',
		'الدفع عند الاستلام | الدفع نقدًا عند الاستلام',
		'فوري | Vodafone Cash | InstaPay',
		'كاش',
	],
	['Emirates', 'Cash on Delivery | الدفع عند التوصيل', 'Tabby | Tamara | بطاقة ائتمان', 'نقدا'],
	['India', 'Cash on Delivery (COD) | कैश ऑन डिलीवरी', 'UPI | Paytm | PhonePe', 'Razorpay'],
	['Pakistan', 'Cash on Delivery | کیش آن ڈیلیوری', 'JazzCash | EasyPaisa | Bank Deposit', 'Cash'],
	[
		'Indonesia',
		'Bayar di Tempat (COD) | COD',
		'GoPay | OVO | Virtual Account BCA | Alfamart',
		'Tunai',
	],
	['Philippines', 'Cash on Delivery | COD - Cash', 'GCash | Maya | 7-Eleven', 'Cash pickup'],
	[
		'Poland',
		'Płatność za pobraniem | Płatność przy odbiorze',
		'BLIK | Przelewy24 | Przelew',
		'Gotówka',
	],
	['Romania', 'Ramburs | Plata la livrare', 'Transfer bancar | Card online | Netopia', 'Numerar'],
	['Germany', 'Nachnahme | Barzahlung bei Lieferung', 'Vorkasse | Rechnung | Überweisung', 'Bar'],
	['Japan', '代金引換 | 代引き（現金）', 'コンビニ決済 | 銀行振込 | PayPay | Konbini', '現金'],
];

test.each(byCountry)('knows the names of shops in %s', (_country, cash, other, unknown) => {
	const kinds = (names: string) => namesIn(names).map((name) => [name, paymentKind(name, [])]);
	const expected = (names: string, kind: string) => namesIn(names).map((name) => [name, kind]);
	expect(kinds(cash)).toEqual(expected(cash, 'cashOnDelivery'));
	expect(kinds(other)).toEqual(expected(other, 'other'));
	expect(kinds(unknown)).toEqual(expected(unknown, 'unknown'));
});
