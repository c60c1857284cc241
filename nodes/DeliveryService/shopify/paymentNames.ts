/** Which names of payment methods mean cash on delivery: apps and shops write them as they like. */
import { bracketed, fold, normalizeName, withoutBrackets } from '../common/text';
import { isCountry } from './countryNames';

/** What a payment method means for the driver. */
type PaymentKind = 'cashOnDelivery' | 'other' | 'unknown';

/**
 * The stems of names that mean cash on delivery, one language or script a line. Parentheses have
 * alternatives, and a question mark makes them optional. Spaces, letter case and accents don't matter.
 */
const cashStems = compileStems(`
	(cash|pay|payment|collect) (on|upon|at|when|when you) (the|your)? (order is)? (delivery|delivered|arrival|receipt|receive|door), doorstep payment
	pay (the)? (driver|courier|rider) in cash, pay the courier, cash (payment)? to (the)? (driver|courier|rider)
	contra ree?mb, contra entrega
	(pago|pagar|paga|pagas|efectivo|cobro) (al|a la|en la|al momento de|al momento de la|cuando|cuando lo|cuando te|hasta que te) (recib|entrega|lleg|puerta|repartidor|mensajero|domiciliario), (pago|pagar|paga|pagas) en (casa|destino), efectivo a domicilio
	(pagamento|pagar|pague|paga|dinheiro|cobrança) (na|no ato da|ao|no|quando) (entrega|receber|recebimento), pagar na receção, à cobrança, cobrança ctt
	(paiement|payer|payez|espèces?|cash|comptant|règlement) (à|lors de) (la)? (livraison|réception), au livreur, contre remb
	contrassegno, (paga|pagare|pagamento|contanti) (alla|al) (consegna|corriere|ricevimento)
	nachnahme, (zahlung|bezahlung|bezahlen|barzahlung|bar) (bei|an der|an den|beim) (lieferung|anlieferung|zustellung|übergabe|haustür|tür|fahrer|zusteller)
	rembours(?!ement), (betalen|betaal|betaling|contant|cash) (bij|aan|aan de) (levering|aflevering|bezorging|ontvangst|deur|huis|bezorger), kontant by aflewering
	postförskott, (betala|betalning|kontant) vid (hem)? leverans, efterkrav, oppkrav, opkrævning, (betaling|betal|kontant) ved (levering|utlevering|modtagelse), póstkrafa
	postiennakko, bussiennakko, (maksu|maksa) toimituksen yhteydessä, lunamaks, sularahas kullerile, pēcmaksa, apmaksa (piegādes brīdī|saņemot|kurjeram), (mokėjimas|mokėti|atsiskaitymas) (pristat|kurjeriui)
	ramburs, (plata|cash|numerar) la (livrare|curier|primirea)
	pobrani, (płatność|zapłata|gotówka|gotówką) (kurierowi)? (przy odbiorze(?!osobist)|przy dostawie|u kuriera)
	dobírk, dobierk, (platba|hotově|hotovosť) (při (převzetí|prevzatí|doručení)|kurýrovi|kuriérovi)
	utánvét, (fizetés|készpénz) átvételkor, (fizetés|készpénz) a futár(nak|nál), (paguaj|pagesë) në dorëzim
	pouzeć, po povzetju, (plaćanje|plačilo|gotovina) (prilikom|po|ob|pri) (preuzimanj|prevzemu|dostav), поузећ, (плаќање|плащане) при (достав|получ)
	налож(енный|енным|ен) плат, наложк, (оплата|наличными|готівкою) (при|під час) (получен|достав|отриман), (оплата|наличными|наличные) курьеру, (оплата|готівкою) курєру, післяплат, накладений платіж
	αντικαταβολή, antikatavoli, (πληρωμή|μετρητά) (κατά την|στην) (παράδοση|παραλαβή(?!από)), πληρωμή στον courier
	kapıda (peşin)? (ödeme|nakit), teslimatta (ödeme|nakit), qapıda (nağd|ödəniş), nağd (ödəniş)? qapıda
	(عند|حين|وقت|بعد|لدى) (ال)? (استلام|تسليم|توصيل|وصول|باب) (?!من (ال)? (فرع|متجر|محل|معرض)), دفع للمندوب, پرداخت (در محل|درب منزل|هنگام تحویل), کیش آن (ڈیلیوری|ڈلیوری), ڈیلیوری پر ادائیگی
	(תשלום|מזומן) (לשליח|בעת המסירה|בעת המשלוח|בעת קבלת)
	कैश ऑन डिलीवरी, डिलीवरी पर (भुगतान|नकद|पैसे), कॅश ऑन डिलिव्हरी, क्यास अन डेलिभरी, (ক্যাশ|নগদ) অন ডেলিভারি, გადახდა (მიტანისას|ადგილზე), கேஷ் ஆன் டெலிவரி, క్యాష్ ఆన్ డెలివరీ
	代金引換, 代引, (货到|貨到) (付款|付现|付現), 代收货款, 代收貨款
	만나서 (현금)? 결제, 배송 시 결제, (เก็บ|ชำระ|จ่าย) (เงิน)? (สด)? (ปลายทาง|เมื่อรับ|เมื่อได้รับ)
	(trả|trả tiền|thanh toán) khi (nhận|giao) hàng, (giao hàng|giao hàng và) thu tiền, thu tiền tận nơi, nhận hàng trả tiền
	bayar di (tempat|rumah), (bayar|tunai) (saat|ketika|semasa) (barang)? (di)? (terima|sampai|penghantaran), bayad (sa|pag|pagka) deliver
`);

/** Whole words: in other words, "cod" means nothing, and it is a code in several languages. */
const cashWord = /(?:^| )(?:cod|c o d|crbt)(?= |$)/;

/** Cash, in the languages above: a name may say it in brackets or in between, as in "Pay in cash on delivery". */
const cash = new Set(
	`
	cash, in cash, cash only, efectivo, en efectivo, solo efectivo, dinheiro, em dinheiro, somente dinheiro, espèces, en espèces, liquide
	contanti, in contanti, solo contanti, bar, in bar, nur bar, bargeld, contant, kontant, kontanter, käteinen, sularaha
	hotově, hotovost, v hotovosti, gotówka, gotówką, készpénz, készpénzben, numerar, gotovina, gotovinom
	nakit, nakit ödeme, наличные, наличными, готівка, готівкою, в брой, μετρητά, με μετρητά, grynais, grynaisiais, skaidrā naudā, käteisellä, sularahas
	نقدا, نقدي, كاش, نقد, نقدی, מזומן, במזומן, नकद, कैश, নগদ, 現金, 現金のみ, 现金, 현금, เงินสด, tiền mặt, tunai
`
		.split(/[,\n]/)
		.map(normalizeName),
);

/** Methods whose orders are paid before they are sent. An asterisk stands for the rest of a word. */
const otherWords = compileWords(`
	prepaid prepay* prepag* prepagad* prépay* pre-paid vorkasse vorauskasse vooruitbetal* предоплат* передоплат* anticip* advance upfront anzahlung* acompte acconto aanbetaling zaliczka zadatek záloha* zálohy avans előleg* sinal seña enganche kapora عربون العربون forskud handpenning προκαταβολή online онлайн en-ligne en-línea link
	bank* banc* banq* banco* deposit* depósito transfer* transferencia* transferência* virement* bonifico überweisung* overboeking przelew* převod* prevod* havale eft swift wire sepa spei pse
	card* debit* débito cb tarjeta* cartão carte cartes carta kreditkarte* kart* kort* kaard* карт* καρτ* کارت* thẻ-tín-dụng bằng-thẻ بطاقة البطاقة بالبطاقة ببطاقة فيزا بالفيزا مدى شبكة بنك بنكي تحويل أونلاين ბარათ* כרטיס חשבונית החשבונית فاتورة الفاتورة
	terminal терминал* pos mpos tpe datáfono* maquininha pin pinnen vipps swish mobilepay
	invoice factura* facture* fattura factuur faktur* rechnung* lastschrift cheque check chèque money-order
	paypal stripe klarna afterpay affirm clearpay sezzle tabby tamara tamam mollie payu ideal bancontact sofort visa mastercard amex bizum satispay multibanco mbway paymob fawry فوري فودافون
	shopify-payments shop-pay shop-cash bogus authorize-net external-* store-credit credit* gift* voucher wallet* billetera monedero apple-pay google-pay amazon-pay
	mercado mercadopago oxxo* paynet conekta kueski aplazo 7-eleven boleto* pix efecty baloto nequi daviplata addi webpay khipu servipag
	upi paytm phonepe gpay jazzcash easypaisa gcash maya paymaya gopay ovo dana shopeepay alfamart indomaret virtual qris blik przelewy24 netopia konbini paypay linepay instapay vodafone meeza
	m-pesa mpesa twint bkash yape plin knet k-net mada picpay sinpe tikkie zelle venmo payconiq momo alipay wechat line-pay stc nagad сбп iris ביט אשראי chuyển-khoản
	qr sms promo* barras bare
`);

/** The same in scripts without spaces between words, and what says the opposite there. */
const otherSigns = compileStems(`
	コンビニ, 振込, 銀行, 银行, 前払, カード, クレジット, 刷卡, บัตร, 支付宝, 微信, 转账, 轉帳, โอน, ธนาคาร, 在线, 在線, 계좌이체, 카드, 不可, 不支持, ไม่
`);

/** Words by which a name says the opposite, or that it is about something else. */
const contradictions = compileWords(`
	not non nao não sin sem pas sans senza kein keine keinen nicht ohne statt geen zonder niet inte utan ikke uden uten nie bez nem ei nu fara neni değil yok не без нет όχι χωρίς ليس بدون غير לא ללא bukan tidak tanpa không
	before prior antes previo avant prima înainte vor vóór voor före før przed před pred до перед előtt ennen πριν قبل לפני sebelum trước önce
	discount* descuento* desconto* save off instead unavailable disabled code codes coupon fiscal token reserve partial partially half mitad metade moitié hälfte abono
	no-cash no-cod no-pago recibir-el-pago recibir-tu-pago recibir-su-pago receipt-of-payment تم
	магазин* trgovin* poslovaln* poslovnic* prodajaln* prodavnic*
`);

/** Words for what cash on delivery costs: a method of this name may be paid before, unless it is in brackets. */
const feeWords = compileWords('fee fees charge charged charges surcharge');

function compileStems(text: string): RegExp {
	const stems = text.split(/[,\n]/).map((stem) => fold(stem).replace(/\s+/g, ''));
	return new RegExp(stems.filter(Boolean).join('|'), 'u');
}

/** @param text words without punctuation; a hyphen stands for a space */
function compileWords(text: string): RegExp {
	const words = fold(text)
		.split(/\s+/)
		.filter(Boolean)
		.map((word) => word.replaceAll('-', ' ').replace('*', '[\\p{L}\\p{N}]*'));
	return new RegExp(`(?:^| )(?:${words.join('|')})(?= |$)`, 'u');
}

/** A name whose other words are many more is a sentence: "Pay with … instead of …". */
const maxOtherLetters = 30;

const cashWords = new RegExp(`(?:^| )(?:${[...cash].join('|')})(?= |$)`, 'gu');

/** Whether a text says "cash on delivery", in letters and numbers as by `normalizeName`. */
function saysCash(text: string): boolean {
	return isCash(text) || isCash(text.replace(cashWords, ''));
}

function isCash(text: string): boolean {
	const joined = text.replaceAll(' ', '');
	const rest = joined.replace(new RegExp(cashStems, 'gu'), '');
	const isNamed = rest.length < joined.length || cashWord.test(text);
	return isNamed && rest.length <= maxOtherLetters;
}

/** A share of the price: the rest is paid before. */
const percent = /[%٪]/;

/** An amount with its currency, e.g. "5,90 €", "Rs. 50" or "330円". */
const amount =
	/(?:\p{Sc}|(?<!\p{L})\p{L}{1,3}\.?)\s?\p{Nd}[\p{Nd}.,]*|\p{Nd}[\p{Nd}.,]*\s?(?:\p{Sc}|\p{L}{1,3}(?!\p{L}))/u;

/** Whether a text is an amount, perhaps with a word beside those for fees: "+ 5,90 EUR", "zzgl. 5,90 €", "手数料330円". */
function isFee(bracketed: string): boolean {
	const text = bracketed.normalize('NFKC');
	const letters = text.replace(/\P{L}/gu, '').length;
	if (letters <= 3) return letters === 0 || /\p{Nd}/u.test(text);
	const words = normalizeName(text.replace(amount, ' ')).split(' ');
	return amount.test(text) && words.filter((word) => !feeWords.test(word)).length <= 1;
}

/** Whether a text has the first letters of a name: "POD" of "Pay on Delivery". */
function isShort(text: string, name: string): boolean {
	return text === name.replace(/(\p{L})\p{L}*|./gu, '$1');
}

function readName(name: string): PaymentKind {
	const brackets = Array.from(name.matchAll(bracketed), ([, text = '']) => text);
	const inside = brackets.map(wordsOf);
	const outside = wordsOf(withoutBrackets(name));
	const whole = wordsOf(name);
	const isOther = otherWords.test(whole) || otherSigns.test(whole.replaceAll(' ', ''));
	if (![outside, ...inside].some(saysCash)) return isOther ? 'other' : 'unknown';
	const others = brackets
		.filter((text) => !isFee(text))
		.map(wordsOf)
		.filter((text) => !isShort(text, outside));
	const areBracketsKnown = others.every(
		(text) => cash.has(text) || saysCash(text) || isCountry(text),
	);
	const isContradicted =
		contradictions.test(whole) ||
		percent.test(withoutBrackets(name).normalize('NFKC')) ||
		[outside, ...others].some((text) => feeWords.test(text));
	return isOther || isContradicted || !areBracketsKnown ? 'unknown' : 'cashOnDelivery';
}

/** The words of a name. Whoever may pay by card at the door may pay in cash. */
function wordsOf(name: string): string {
	return normalizeName(name).replace(/\b(?:cash or card|card or cash|cash card)\b/, 'cash');
}

/** The latest names: reading one takes longer than mapping an order. */
const kinds = new Map<string, PaymentKind>();

/**
 * What a payment method is, by its name.
 *
 * @param method the name of the payment method, in any language and spelling
 * @param ownMethods the shop's own names for cash on delivery, in addition to the known ones
 */
export function paymentKind(method: string, ownMethods: readonly string[]): PaymentKind {
	const name = normalizeName(
		method.replace(bracketed, (all, text: string) => (/\p{L}/u.test(text) ? all : ' ')),
	);
	if (name !== '' && ownMethods.some((own) => normalizeName(own) === name)) return 'cashOnDelivery';
	const known = kinds.get(method) ?? readName(method);
	if (kinds.size > 1000) kinds.clear();
	kinds.set(method, known);
	return known;
}
