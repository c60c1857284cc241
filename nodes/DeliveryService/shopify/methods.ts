import { fold, normalizeName } from '../common/text';
import type { OrderMapping } from './mapping';
import type { Order } from './order';

// Names are compared as a whole: "Card charged on delivery" is no cash, "Pickup and delivery" a delivery.

/** The forms of a name to compare: the whole name, and the name without what is in parentheses. */
function nameForms(name: string): string[] {
	const withoutParentheses = name.replace(/[(（[][^)）\]]*[)）\]]?/g, ' ');
	return withoutParentheses === name ? [name] : [name, withoutParentheses];
}

/**
 * The names in a text, separated by commas or line breaks. Alternatives are in parentheses:
 * "(pay|payment) on delivery" is two names.
 */
function namesIn(text: string): string[] {
	return text.split(/[,\n]/).flatMap((name) => expand(name.trim()));
}

function expand(name: string): string[] {
	const [, before = '', alternatives, after = ''] = /^(.*?)\(([^)]*)\)(.*)$/.exec(name) ?? [];
	if (alternatives === undefined) return name === '' ? [] : [name];
	return alternatives.split('|').flatMap((word) => expand(`${before}${word}${after}`));
}

/** A name for patterns: "0-5 kg" and "0.5 kg" stay different, "Pick-up" and "Pick up" don't. */
function patternForm(name: string): string {
	return fold(name)
		.replace(/(?<=\p{L})[-‐-―_](?=\p{L})|\s+/gu, ' ')
		.trim();
}

/** The latest lists of patterns: parsing one takes longer than mapping an order. */
const parsedPatterns = new Map<string, RegExp>();

/**
 * Whether a whole name is in a list. What it has in parentheses doesn't matter for the built-in names.
 *
 * @param patterns names in which "*" stands for any text; letter case and accents don't matter
 */
export function isListed(name: string, patterns: readonly string[]): boolean {
	const [whole = '', short = whole] = nameForms(name);
	const builtIn = short === whole ? [] : patterns.filter((pattern) => builtInNames.has(pattern));
	return matchesOne(whole, patterns) || matchesOne(short, builtIn);
}

function matchesOne(name: string, patterns: readonly string[]): boolean {
	const key = patterns.join('\n');
	let pattern = parsedPatterns.get(key);
	if (!pattern) {
		const forms = patterns.map((entry) =>
			patternForm(entry)
				.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
				.replace(/\*+/g, '.*'),
		);
		pattern = new RegExp(`^(?:${forms.filter(Boolean).join('|') || '(?!)'})$`, 's');
		if (parsedPatterns.size > 100) parsedPatterns.clear();
		parsedPatterns.set(key, pattern);
	}
	return pattern.test(patternForm(name));
}

/**
 * Names of cash on delivery. Shopify's own manual payment method is "Cash on Delivery (COD)"; shops can
 * rename it, and payment apps use their own names. Parentheses contain alternatives.
 */
const cashOnDelivery = `
	cash on delivery, cod, c o d, cod cash, cash on delivery cod, cod cash on delivery, collect on delivery
	(pay|pay in|pay with|payment in|) cash (on|upon|at) (delivery|arrival|receipt)
	cash payment (on|upon|at) (delivery|arrival|receipt)
	(pay|payment) (on|upon|at) (delivery|arrival|receipt), pay when delivered, doorstep payment
	(cash or card|card or cash|cash card) on delivery, (pay|cash) when you receive( it| your order|)
	(pay|payment|cash|pay cash|pay in cash) (at|on) (the |your |)(door|doorstep)
	(pay the|pay) (driver|courier) in cash, pay the courier, (pay |)cash to (the |)(driver|courier)

	(pago |pago en efectivo |envío |efectivo |)(contra reembolso|contra entrega), contra reemb
	(pago |)(contrareembolso|contraentrega), pago contra entrega en efectivo, pago a contra entrega
	(pago|pagar|paga|efectivo|pago en efectivo) al recibir( el pedido| tu pedido|), paga cuando recibas
	(pago|pagar|paga|efectivo|pago en efectivo) (a|en) la entrega, cobro a la entrega
	(pago |efectivo |pago en efectivo )al repartidor, pago en destino
	(pago|pago en efectivo) al momento de la entrega, (pagament |)contra (reemborsament|reembossament)

	(pagamento|pagar|pague|paga|dinheiro|pagamento em dinheiro|pagar em dinheiro) na entrega
	(pagamento|pagar) no ato da entrega, pagamento na entrega em dinheiro, (pagamento |envio |)à cobrança
	pagamento (contra reembolso|contra entrega|contraentrega|ao receber|no recebimento)
	(pagar|pague) ao receber, pagar na receção

	(paiement|payer|payez|espèces|cash|comptant|règlement) à la (livraison|réception)
	paiement (comptant|cash|en espèces|par espèces) à la (livraison|réception)
	(paiement |envoi |livraison |)contre remboursement, crbt, (paiement |paiement en |)espèces au livreur
	(paiement|règlement) à (la |)réception (du colis|de la commande), paiement au livreur

	(in |pagamento in |pagamento |spedizione in |)contrassegno, contrassegno in contanti
	(pagamento|paga|pagare|contanti|pagamento contanti) alla consegna
	(pagamento|paga) in contanti alla consegna, pagamento alla consegna in contanti
	(contanti|pagamento|pagamento in contanti) al corriere, pagamento al ricevimento( della merce|)

	(per |zahlung |zahlung per |kauf per |gegen |dhl |lieferung per |versand per |)nachnahme
	(nachnahmezahlung|nachnahme zahlung|postnachnahme|barnachnahme|nachnahme dhl)
	(zahlung |bezahlung |bezahlen |barzahlung |bar |)bei (lieferung|anlieferung|zustellung|übergabe)
	(zahlung|bezahlung|barzahlung|bar) an der (haustür|tür), barzahlung an den fahrer
	(barzahlung|bar) beim (fahrer|zusteller)

	(onder |betaling onder |betalen onder |)rembours, (remboursbetaling|rembours betaling|rembourszending)
	(betalen|betaling|contant|contante betaling|contant betalen) bij (levering|aflevering|bezorging)
	(betalen|betaling|contant|contant betalen) aan (de deur|de bezorger), kontant by aflewering

	(ramburs|ramburs la curier|plata ramburs|plata la curier|plata la primirea coletului)
	(plata|plata cash|plata numerar|numerar) la livrare, póstkrafa, postiennakko
	postförskott, betala vid leverans, efterkrav, (betaling|kontant) ved levering
	postoppkrav, oppkrav, postopkrævning, maksu toimituksen yhteydessä
	(płatność |)za pobraniem, pobranie
	(płatność|gotówka|zapłata|zapłata gotówką|płatność gotówką) przy odbiorze
	dobírka, (platba |)na dobírku, dobierka, (platba |)na dobierku, (platba|hotově) při převzetí
	platba při doručení, platba pri (prevzatí|doručení), készpénz a futárnak
	utánvét, utánvétes fizetés, fizetés (átvételkor|utánvéttel)
	pouzeće, (plaćanje |)pouzećem, plaćanje prilikom (preuzimanja|dostave), (plačilo |)po povzetju
	(плаћање |)поузећем, плаќање при достава, плащане при доставка, наложен платеж
	наложенный платёж, наложенным платежом, (оплата|наличными) при получении, наличными курьеру
	оплата курьеру, (оплата|оплата наличными) при доставке
	післяплата, накладений платіж, оплата при отриманні
	lunamaks, pēcmaksa, apmaksa piegādes brīdī, apmokėjimas (pristatymo metu|pristatant)
	αντικαταβολή, πληρωμή κατά την παράδοση, paguaj në dorëzim
	(kapıda|kapıda nakit|teslimatta) ödeme, kapıda nakit, qapıda ödəniş
	الدفع عند (الاستلام|التسليم|التوصيل), الدفع نقدا عند الاستلام, نقدا عند الاستلام
	תשלום במזומן לשליח, תשלום לשליח, תשלום בעת המסירה, מזומן לשליח
	پرداخت در محل, پرداخت هنگام تحویل, کیش آن ڈیلیوری
	कैश ऑन डिलीवरी, कॅश ऑन डिलिव्हरी, क्यास अन डेलिभरी, ক্যাশ অন ডেলিভারি, கேஷ் ஆன் டெலிவரி, క్యాష్ ఆన్ డెలివరీ
	代金引換, 代引き, 商品代引, (货到付|貨到付)(款|现), (代收货|代收貨)款, 만나서 결제, (배송 시|배송시) 결제
	(เก็บเงิน|ชำระเงิน|จ่ายเงิน)ปลายทาง, trả tiền khi nhận hàng
	thanh toán( tiền mặt|) khi (nhận|giao) hàng
	bayar di tempat, bayar saat( barang|) (terima|diterima), tunai semasa penghantaran
`;

/** Other payment methods of many shops: their unpaid orders are paid before they ship. */
const otherMethods = `
	bank deposit, bank transfer, direct bank transfer, wire transfer, money order, check, cheque, e transfer
	interac e transfer, store credit, gift card, external credit, external debit, credit card, card, invoice
	shopify payments, shop pay, shop cash, paypal, stripe, klarna, afterpay, affirm, amazon pay, apple pay
	google pay, bizum, satispay, mollie, mercado pago, bogus, payu, ideal, bancontact, sofort, visa, mastercard, authorize net
	transferencia, transferencia bancaria, depósito bancario, tarjeta de crédito, factura
	transferência bancária, depósito bancário, boleto, boleto bancário, pix, multibanco, mb way
	virement, virement bancaire, chèque, carte bancaire, facture
	vorkasse, überweisung, banküberweisung, rechnung, kauf auf rechnung, lastschrift, kreditkarte
	bonifico, bonifico bancario, carta di credito, overboeking, bankoverschrijving, vooruitbetaling, factuur
`;

function toSet(names: string): Set<string> {
	return new Set(namesIn(names).map(normalizeName));
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
	const forms = nameForms(method).map(normalizeName).filter(Boolean);
	const own = ownMethods.map(normalizeName);
	if (forms.some((form) => cash.has(form) || own.includes(form))) return 'cashOnDelivery';
	return forms.some((form) => other.has(form)) ? 'other' : 'unknown';
}

/**
 * Names of shipping methods that mean store pickup, in English, Spanish, Portuguese, French, German,
 * Italian and Dutch: the default of Exclude Shipping Methods. Pickup points of carriers are not in it.
 */
export const storePickupNames: readonly string[] = namesIn(`
	(|Free )(|Store |In Store |Local )Pick*up, (Store |In Store |Local |)Pick*up - *
	(Curbside|Customer|Warehouse|Shop|Office|Self|Studio|Personal) Pick*up
	Pick*up (in|at|from) (|the |our )(store|shop|warehouse), Pick*up in person, Pick*up only, Will call
	Click*Collect, Click*Collect - *, Collect (in|from|at) (|the |our )(store|shop), Collect in person
	(|Free |Store |In Store |Local |Warehouse |Customer |Self )Collection, Self Collect
	Collection (from|in|at) (|the |our )(store|shop|warehouse)

	Recogida, Retiro, (Recog|Retir|Recole)* en* tienda, (Recog|Retir|Recole)* en* (local|sucursal)
	Recojo en tienda, (Recog|Retir)* en* (almacén|bodega|persona|taller), (Recogida|Retiro) local
	(Recog|Retir)* en* tienda - *, Pick*up en* tienda, Entrega en tienda, Envío (|gratis |gratuito )a tienda

	Retirada, (Retir|Levant|Recolh)* (na|em)* loja, (Buscar|Coleta|Entrega) na loja
	(Retirada|Levantamento|Recolha) (local|no local), Retirada no (balcão|armazém), Retirada em mãos

	Retrait, (Retrait|Cueillette|Ramassage)* magasin, (Retrait|Cueillette|Ramassage)* boutique
	(Retrait|Ramassage|Enlèvement) (sur place|local), Cueillette (sur place|locale), Retrait*atelier
	(|À )retirer en* (magasin|boutique), Collecte en (magasin|boutique), Retrait*entrepôt

	(|Kostenlose |Lokale |Vor Ort )Abholung, (|Kostenlose )Selbstabholung, Selbstabholer, Selbst abholen
	(Abholung|Selbstabholung) (im Laden|im Ladengeschäft|im Geschäft|im Store|im Shop|im Lager|vor Ort)
	(Abholung|Selbstabholung) (in der Filiale|in unserer Filiale|in unserem Laden|bei uns|ab Lager)
	(Abholung|Selbstabholung) - *, Ladenabholung, Filialabholung
	(Im Laden|Im Geschäft|Im Store|Vor Ort|In der Filiale) abholen

	Ritiro, Ritir* in* (negozio|sede|magazzino), Ritir* presso* (negozio|sede|punto vendita)
	Ritiro (in punto vendita|a mano|locale|di persona|in loco|sul posto), Consegna in negozio

	(|Zelf |Gratis |Lokaal )(Afhalen|Ophalen), (Afhalen|Ophalen) - *
	(Afhalen|Ophalen) (in|bij) (|de |onze )(winkel|showroom), (Afhalen|Ophalen) (bij ons|op locatie)
	(Afhalen|Ophalen) in (|het |ons )magazijn, In de winkel (afhalen|ophalen)
	Afhaling, Afhaling (in de winkel|ter plaatse)
`);

const builtInNames = new Set(storePickupNames);

/** A shipping method, as the customer chose it. */
type ShippingMethod = Pick<Order['shipping_lines'][number], 'title' | 'code'>;

/** The fulfillment order's own method, if it is known, else those of the order. */
function shippingMethods({ fulfillmentOrder, shipping_lines }: Order): ShippingMethod[] {
	const { presented_name: title, service_code: code } = fulfillmentOrder?.delivery_method ?? {};
	return title === undefined && code === undefined ? shipping_lines : [{ title, code }];
}

function matches({ title, code }: ShippingMethod, patterns: readonly string[]): boolean {
	return [title, code].some((name) => name !== undefined && isListed(name, patterns));
}

const nameOf = ({ title, code }: ShippingMethod) => title ?? code ?? 'unnamed';

/**
 * Checks the shipping methods of an order, or of its fulfillment order, by the filters.
 *
 * @returns the methods that don't pass, and whether another one does: true without any method, unless
 *   only some are sent
 */
export function checkMethods(order: Order, { filters }: OrderMapping) {
	const { shippingMethods: included, excludeShippingMethods: excluded = storePickupNames } =
		filters;
	const methods = shippingMethods(order);
	const isExcluded = (method: ShippingMethod) =>
		(included.length > 0 && !matches(method, included)) || matches(method, excluded);
	const failed = methods.filter(isExcluded);
	return {
		excluded: failed.map(nameOf),
		isSent: methods.length > failed.length || (methods.length === 0 && included.length === 0),
	};
}

/**
 * The delivery type of an order by its shipping method, if the table has it. If an order has several,
 * the first row of the table counts. Which of them a fulfillment order has is then unknown.
 */
export function typeByMethod(order: Order, { deliveryTypes }: OrderMapping) {
	const methods = shippingMethods(order);
	const rowOf = (...of: ShippingMethod[]) =>
		deliveryTypes.find(({ method }) => of.some((one) => matches(one, [method])));
	const types = new Set(methods.map((method) => rowOf(method)?.type));
	if (order.fulfillmentOrder && types.size > 1) return { unclearOf: methods.map(nameOf) };
	return { type: rowOf(...methods)?.type };
}
