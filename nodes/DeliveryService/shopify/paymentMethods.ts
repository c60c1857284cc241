import { nameForms, normalizeName } from './names';

/**
 * Names of cash on delivery. Shopify's own manual payment method is "Cash on Delivery (COD)"; shops can
 * rename it, and payment apps use their own names.
 */
const cashOnDelivery = `
	cash on delivery, cod, c o d, cod cash, cash on delivery cod, cod cash on delivery, collect on delivery
	cash upon delivery, cash at delivery, cash payment on delivery, payment on delivery, pay on delivery
	pay cash on delivery, pay in cash on delivery, pay with cash on delivery, payment in cash on delivery
	payment upon delivery, pay upon delivery, pay at delivery, pay cash upon delivery, payment at delivery
	cash or card on delivery, card or cash on delivery, cash card on delivery, pay when delivered
	pay when you receive, pay when you receive your order, pay when you receive it, cash when you receive
	pay at the door, pay at your door, pay at door, pay cash at the door, cash at the door, cash at door
	payment at the door, doorstep payment, pay on doorstep, cash on doorstep, cash at doorstep
	cash to driver, cash to the driver, pay cash to the driver, pay cash to driver, pay the driver in cash
	cash to courier, cash to the courier, pay cash to the courier, pay the courier, pay the courier in cash
	cash on arrival, pay on arrival, pay cash on arrival, payment on arrival, cash on receipt
	cash upon receipt, pay cash on receipt

	contra reembolso, contrareembolso, pago contra reembolso, pago contrareembolso, contra reemb
	envío contra reembolso, efectivo contra reembolso, pago en efectivo contra reembolso
	contra entrega, contraentrega, pago contra entrega, pago contraentrega, efectivo contra entrega
	pago en efectivo contra entrega, pago contra entrega en efectivo, pago a contra entrega
	pago al recibir, pagar al recibir, paga al recibir, efectivo al recibir, pago en efectivo al recibir
	pago al recibir el pedido, pagar al recibir el pedido, paga al recibir tu pedido, paga cuando recibas
	pago a la entrega, pago en la entrega, pagar a la entrega, paga a la entrega, efectivo a la entrega
	efectivo en la entrega, pago en efectivo a la entrega, pago en efectivo en la entrega
	pago en destino, pago al repartidor, efectivo al repartidor, pago en efectivo al repartidor
	pago en efectivo al momento de la entrega, pago al momento de la entrega, cobro a la entrega
	contra reemborsament, contra reembossament, pagament contra reemborsament
	pagament contra reembossament

	pagamento na entrega, pagar na entrega, pague na entrega, dinheiro na entrega, paga na entrega
	pagamento em dinheiro na entrega, pagar em dinheiro na entrega, pagamento no ato da entrega
	pagar no ato da entrega, pagamento na entrega em dinheiro, pagamento à cobrança, à cobrança
	envio à cobrança, pagamento contra reembolso, pagamento contra entrega, pagamento contraentrega
	pagamento ao receber, pagar ao receber, pague ao receber, pagar na receção, pagamento no recebimento

	paiement à la livraison, payer à la livraison, payez à la livraison, paiement comptant à la livraison
	paiement en espèces à la livraison, espèces à la livraison, paiement cash à la livraison
	cash à la livraison, comptant à la livraison, paiement par espèces à la livraison
	contre remboursement, paiement contre remboursement, envoi contre remboursement, crbt
	livraison contre remboursement, paiement à la réception, payer à la réception
	paiement en espèces à la réception, paiement à réception du colis, règlement à réception du colis
	paiement à la réception du colis, paiement à la réception de la commande, règlement à la livraison
	paiement au livreur, paiement en espèces au livreur, espèces au livreur

	contrassegno, in contrassegno, pagamento in contrassegno, pagamento contrassegno
	contrassegno in contanti, spedizione in contrassegno, pagamento alla consegna, paga alla consegna
	pagare alla consegna, contanti alla consegna, pagamento contanti alla consegna
	pagamento in contanti alla consegna, pagamento alla consegna in contanti, contanti al corriere
	paga in contanti alla consegna, pagamento al corriere, pagamento in contanti al corriere
	pagamento al ricevimento, pagamento al ricevimento della merce

	nachnahme, per nachnahme, zahlung per nachnahme, nachnahmezahlung, nachnahme zahlung, kauf per nachnahme
	zahlung nachnahme, postnachnahme, barnachnahme, dhl nachnahme, nachnahme dhl, gegen nachnahme
	lieferung per nachnahme, versand per nachnahme, bei lieferung, zahlung bei lieferung
	bezahlung bei lieferung, bezahlen bei lieferung, barzahlung bei lieferung, bar bei lieferung
	zahlung bei zustellung, barzahlung bei zustellung, bar bei zustellung, bezahlung bei zustellung
	zahlung bei übergabe, barzahlung bei übergabe, bar bei übergabe, barzahlung bei anlieferung
	bezahlung an der haustür, barzahlung an der haustür, bar an der haustür, zahlung an der haustür
	bezahlung an der tür, barzahlung an der tür, barzahlung beim fahrer, barzahlung an den fahrer
	barzahlung beim zusteller, bar beim fahrer

	onder rembours, rembours, betaling onder rembours, betalen onder rembours, remboursbetaling
	rembours betaling, rembourszending, betalen bij levering, betaling bij levering
	contant bij levering, contante betaling bij levering, contant betalen bij levering
	betalen bij aflevering, betaling bij aflevering, contant bij aflevering
	contante betaling bij aflevering, contant betalen bij aflevering, betalen bij bezorging
	contant bij bezorging, contant betalen bij bezorging, betaling bij bezorging, betalen aan de deur
	betaling aan de deur, contant aan de deur, contant betalen aan de deur, betalen aan de bezorger
	kontant by aflewering

	ramburs, ramburs la curier, plata ramburs, plata la livrare, plata cash la livrare, numerar la livrare
	plata numerar la livrare, plata la curier, plata la primirea coletului
	postförskott, betala vid leverans, efterkrav, betaling ved levering, kontant ved levering
	postoppkrav, oppkrav, postopkrævning, póstkrafa, postiennakko, maksu toimituksen yhteydessä
	za pobraniem, pobranie, płatność za pobraniem, płatność przy odbiorze, gotówka przy odbiorze
	zapłata przy odbiorze, zapłata gotówką przy odbiorze, płatność gotówką przy odbiorze
	dobírka, na dobírku, platba na dobírku, dobierka, na dobierku, platba na dobierku
	platba při převzetí, hotově při převzetí, platba při doručení, platba pri prevzatí, platba pri doručení
	utánvét, utánvétes fizetés, fizetés átvételkor, fizetés utánvéttel, készpénz a futárnak
	pouzeće, pouzećem, plaćanje pouzećem, plaćanje prilikom preuzimanja, plaćanje prilikom dostave
	po povzetju, plačilo po povzetju, поузећем, плаћање поузећем, плаќање при достава
	наложенный платёж, наложенным платежом, оплата при получении, наличными при получении
	наличными курьеру, оплата курьеру, оплата наличными при доставке, оплата при доставке
	післяплата, накладений платіж, оплата при отриманні, наложен платеж, плащане при доставка
	lunamaks, pēcmaksa, apmaksa piegādes brīdī, apmokėjimas pristatymo metu, apmokėjimas pristatant
	αντικαταβολή, πληρωμή κατά την παράδοση, paguaj në dorëzim
	kapıda ödeme, kapıda nakit ödeme, kapıda nakit, teslimatta ödeme, qapıda ödəniş
	الدفع عند الاستلام, الدفع نقدا عند الاستلام, الدفع عند التسليم, الدفع عند التوصيل, نقدا عند الاستلام
	תשלום במזומן לשליח, תשלום לשליח, תשלום בעת המסירה, מזומן לשליח
	پرداخت در محل, پرداخت هنگام تحویل, کیش آن ڈیلیوری
	कैश ऑन डिलीवरी, कॅश ऑन डिलिव्हरी, क्यास अन डेलिभरी, ক্যাশ অন ডেলিভারি, கேஷ் ஆன் டெலிவரி, క్యాష్ ఆన్ డెలివరీ
	代金引換, 代引き, 商品代引, 货到付款, 貨到付款, 货到付现, 代收货款, 代收貨款, 만나서 결제, 배송 시 결제, 배송시 결제
	เก็บเงินปลายทาง, ชำระเงินปลายทาง, จ่ายเงินปลายทาง
	thanh toán khi nhận hàng, thanh toán tiền mặt khi nhận hàng, thanh toán khi giao hàng
	thanh toán tiền mặt khi giao hàng, trả tiền khi nhận hàng
	bayar di tempat, bayar saat terima, bayar saat barang diterima, tunai semasa penghantaran
`;

/** Other payment methods of many shops: their unpaid orders are paid before they ship. */
const otherMethods = `
	bank deposit, bank transfer, direct bank transfer, wire transfer, money order, check, cheque, e transfer
	interac e transfer, store credit, gift card, external credit, external debit, credit card, card, invoice
	shopify payments, shop pay, shop cash, paypal, stripe, klarna, afterpay, affirm, amazon pay, apple pay
	google pay, mollie, mercado pago, bogus, payu, ideal, bancontact, sofort, visa, mastercard, authorize net
	transferencia, transferencia bancaria, depósito bancario, tarjeta de crédito, factura
	transferência bancária, depósito bancário, boleto, boleto bancário, pix, multibanco, mb way
	virement, virement bancaire, chèque, carte bancaire, facture
	vorkasse, überweisung, banküberweisung, rechnung, kauf auf rechnung, lastschrift, kreditkarte
	bonifico, bonifico bancario, carta di credito, overboeking, bankoverschrijving, vooruitbetaling, factuur
`;

function toSet(names: string): Set<string> {
	return new Set(names.split(/[,\n]/).map((name) => normalizeName(name)));
}

/** Parsed on first use, since that takes a few milliseconds. */
let knownNames: Record<'cash' | 'other', Set<string>> | undefined;

/** What a payment method means for the driver. */
export type PaymentKind = 'cashOnDelivery' | 'other' | 'unknown';

/**
 * What a payment method is, by its whole name.
 *
 * @param method the name of the payment method, in any language and spelling
 * @param ownMethods the shop's own names for cash on delivery, in addition to the known ones
 */
export function paymentKind(method: string, ownMethods: readonly string[]): PaymentKind {
	knownNames ??= { cash: toSet(cashOnDelivery), other: toSet(otherMethods) };
	const { cash, other } = knownNames;
	const forms = nameForms(method);
	const own = ownMethods.map((name) => normalizeName(name));
	if (forms.some((form) => cash.has(form) || own.includes(form))) return 'cashOnDelivery';
	return forms.some((form) => other.has(form)) ? 'other' : 'unknown';
}
