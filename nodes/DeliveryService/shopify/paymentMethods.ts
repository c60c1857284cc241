/*
 * Names of cash on delivery. Shopify's own manual payment method is "Cash on Delivery (COD)"; shops
 * can rename it, and payment apps use their own names. Since these are names of payment methods,
 * the words for "on delivery" are enough, unless the words beside them say otherwise.
 */

/**
 * Phrases that only say when the customer pays, by language. Matched at the start of a word, so that
 * all endings are recognized.
 */
const deliveryPhrases = [
	// English
	...['on delivery', 'upon delivery', 'at delivery', 'when delivered', 'when you receive'],
	// Spanish
	...['a la entrega', 'en la entrega', 'al recibir', 'en destino'],
	// French
	...['a la livraison', 'a la reception', 'a reception du colis', 'a reception de la commande'],
	// Italian, Portuguese, Romanian
	...['alla consegna', 'na entrega', 'da entrega', 'la livrare', 'la primire'],
	// German
	...['bei lieferung', 'bei zustellung', 'bei ubergabe'],
	// Dutch, Afrikaans
	...['bij levering', 'bij aflevering', 'by aflewering'],
	// Swedish, Danish, Norwegian
	...['vid leverans', 'ved levering'],
	// Polish
	...['przy odbiorze', 'przy dostawie'],
	// Czech, Slovak
	...['pri prevzeti', 'pri prevzati', 'pri doruceni', 'pri dodani'],
	// Croatian, Serbian, Bosnian, Slovenian
	...['prilikom preuzimanja', 'pri preuzimanju', 'pri dostavi'],
	...['prilikom dostave', 'приликом преузимања'],
	// Russian, Ukrainian, Bulgarian, Macedonian
	...['при получении', 'при доставке', 'при отриманні', 'при доставці'],
	...['при доставка', 'при получаване', 'при достава', 'при испорака'],
	// Hungarian
	...['atvetelkor', 'kiszallitaskor'],
	// Finnish, Estonian, Lithuanian, Latvian
	...['toimituksen yhteydessa', 'kattesaamisel'],
	...['pristatymo metu', 'pristatant', 'piegades bridi', 'sanemot', 'sanemsanas bridi'],
	// Greek, Albanian, Turkish
	...['κατα την παραδοση', 'ne dorezim', 'teslimatta', 'teslimat sirasinda'],
	// Arabic, Hebrew, Persian
	...['عند الاستلام', 'عند التسليم', 'عند التوصيل', 'בעת המסירה', 'במסירה', 'בעת קבלת'],
	...['در محل', 'هنگام تحویل'],
	// Hindi, Bengali
	...['डिलीवरी पर', 'ডেলিভারিতে পেমেন্ট'],
	// Vietnamese, Indonesian, Malay
	...['khi nhan hang', 'khi giao hang', 'saat terima', 'saat barang diterima'],
	...['saat pengiriman', 'semasa penghantaran', 'semasa terima'],
	// Korean
	...['배송 시 결제', '배송시 결제'],
];

/** Names that mean that the driver collects the money. Matched like {@link deliveryPhrases}. */
const cashNames = [
	// English
	...['cash on arrival', 'cash on receipt', 'cash upon receipt', 'at the door', 'doorstep'],
	...['to the driver', 'to the courier', 'to driver', 'to courier'],
	// Spanish, Catalan
	...['contra reembolso', 'contrareembolso', 'contra entrega', 'contraentrega'],
	...['contra reemb', 'contrareemb'],
	// French, Italian, Portuguese, Romanian
	...['contre remboursement', 'au livreur', 'contrassegno', 'al corriere', 'a cobranca'],
	...['ramburs', 'la curier'],
	// German
	...['an der hausture', 'an der haustur', 'an der tur'],
	// Dutch
	...['remboursbetaling', 'aan de deur'],
	// Swedish, Danish, Norwegian, Icelandic
	...['postforskott', 'efterkrav', 'postopkrævning'],
	...['postoppkrav', 'oppkrav', 'etterkrav', 'postkrafa'],
	// Polish, Czech, Slovak
	...['pobranie', 'za pobraniem', 'dobirk', 'dobierk'],
	// Croatian, Serbian, Bosnian, Slovenian
	...['pouzec', 'po povzetju', 'поузећ'],
	// Russian, Ukrainian, Bulgarian
	...['наложенн', 'наложен плат', 'курьеру', 'післяплат'],
	...['накладен', 'наложка', 'курʼєру', "кур'єру"],
	// Hungarian, Finnish, Estonian, Latvian
	...['utanvet', 'a futarnak', 'postiennakko', 'jalkivaatimus', 'lunamaks', 'pecmaksa'],
	// Greek, Turkish, Azerbaijani
	...['αντικαταβολη', 'kapida', 'qapida'],
	// Hebrew, Urdu
	...['לשליח', 'کیش آن'],
	// Hindi, Marathi, Nepali, Bengali, Tamil, Telugu
	...['कैश ऑन', 'क्यास अन', 'ক্যাশ অন ডেলিভারি', 'கேஷ் ஆன்', 'క్యాష్ ఆన్'],
	// Indonesian, Korean
	...['bayar di tempat', '대금상환', '만나서 결제'],
];

/** Matched only as whole words, since other words contain them. */
const wholeWords = ['cod', 'c o d', 'rembours', 'crbt'];

/** Matched anywhere: parts of compound words, and scripts without spaces between words. */
const substrings = [
	'nachnahme',
	...[
		'代金引換',
		'代金引き換え',
		'代引',
		'货到付款',
		'貨到付款',
		'货到付现',
		'代收货款',
		'代收貨款',
	],
	...['เก็บเงินปลายทาง', 'ชำระเงินปลายทาง', 'จ่ายเงินปลายทาง', 'ชําระเงินปลายทาง'],
];

/*
 * What turns such a name into the opposite. Only words directly next to it count: "no prepayment,
 * pay on delivery" is cash on delivery.
 */

/** "Not" and "before", in front of a name. */
const negations = [
	...['no', 'not', 'without', 'instead of', 'except', 'before', 'prior to'],
	...['sin', 'excepto', 'antes', 'previo', 'previa', 'anterior', 'anticipado', 'anticipada'],
	...['pas', 'pas de', 'sans', 'sauf', 'avant', 'non', 'senza', 'tranne', 'prima'],
	...['nao', 'sem', 'nu', 'fara', 'inainte'],
	...['kein', 'keine', 'ohne', 'nicht', 'statt', 'ausser', 'vor', 'geen', 'niet', 'zonder'],
	...['inte', 'ej', 'ikke', 'uden', 'uten', 'utan', 'ei', 'ilman', 'nem', 'nie', 'ne', 'bez'],
	...['не', 'без', 'до', 'перед', 'οχι', 'χωρις', 'πριν'],
	...['ليس', 'بدون', 'قبل', 'לא', 'ללא', 'לפני'],
	...['khong', 'truoc', 'bukan', 'tanpa', 'tidak', 'sebelum'],
];

/** Words between a negation and the name, as in "no cash on delivery". */
const payingWords = [
	...['cash', 'payment', 'pay', 'pago', 'pagos', 'paiement', 'pagamento', 'plata', 'zahlung'],
	...['betaling', 'platba', 'platnosc', 'оплата', 'оплаты', 'الدفع', 'תשלום', 'thanh toan'],
];

/** "Not" behind a name. */
const negationsBehind = [
	...['not available', 'unavailable', 'not possible', 'not accepted', 'no disponible'],
	...['non disponible', 'non disponibile', 'indisponible', 'nao disponivel'],
	...['nicht moglich', 'nicht verfugbar', 'niet mogelijk', 'niedostepn', 'недоступ'],
	...['nelkul', 'degil', 'odeme degil', 'deyil', '불가', 'नहीं'],
];

/** The same in scripts without spaces between words. */
const negationsWithin = [
	'不支持',
	'不支援',
	'不可',
	'不能',
	'无法',
	'無法',
	'不接受',
	'非',
	'ไม่',
	'ไม่ใช่',
	'ไม่รับ',
];
const negationsWithinBehind = ['不可', 'き不可', '以外', '除外', '不支持', '不支援'];

/** The start of "invoice". Beside a phrase for "on delivery", it means that an invoice follows. */
const invoiceWords = [
	...['invoice', 'billed', 'factura', 'fatura', 'fattura', 'facture', 'rechnung', 'factuur'],
	...['rekening', 'faktur', 'regning', 'racun', 'szamla', 'lasku', 'arve', 'saskait', 'rekin'],
	...['счет', 'фактур', 'рахун', 'τιμολογι', 'فاتورة', 'חשבונית', 'hóa đơn', 'invois', 'tagihan'],
];

/** Words between such a phrase and the invoice. "With" is not among them: the customer still pays. */
const invoiceLinks = [
	...['the', 'your', 'our', 'an', 'a', 'of', 'by', 'la', 'el', 'su', 'tu', 'una', 'de', 'por'],
	...['sur', 'votre', 'une', 'della', 'una', 'sua', 'do', 'auf', 'per', 'der', 'einer', 'ihrer'],
	...['op', 'de', 'uw', 'mot', 'mod', 'av', 'pa', 'din', 'по'],
];

/** The forms of "invoice" that need no word in between, such as genitives. */
const invoiceGenitives = ['factura', 'fatura', 'faktury', 'racuna', 'счета', 'рахунку', 'фактури'];

interface Patterns {
	/** A name of cash on delivery. */
	cash: RegExp;
	/** Every part of a name that only looks like cash on delivery. */
	notCash: RegExp;
}

/** Compiled on first use, since that takes a few milliseconds. */
let compiledPatterns: Patterns | undefined;

function compilePatterns(): Patterns {
	const phrases = alternatives(deliveryPhrases);
	const compact = alternatives(substrings);
	const words = `(?:${phrases}|${alternatives(cashNames)})\\p{L}*|(?:${alternatives(wholeWords)})(?= |$)`;
	const anyName = `(?:${words}|\\p{L}*(?:${compact})\\p{L}*)`;
	const invoice = `(?:${alternatives(invoiceWords)})\\p{L}*`;
	const notCash = [
		`(?:${alternatives(negations)}) (?:(?:${alternatives(payingWords)}) )?${anyName}`,
		`${anyName} (?:${alternatives(negationsBehind)})\\p{L}*`,
		`${invoice} (?:${phrases})\\p{L}*`,
		`(?:${phrases})\\p{L}* (?:(?:${alternatives(invoiceLinks)}) )+(?:${invoice}|bill)`,
		`(?:${phrases})\\p{L}* (?:${alternatives(invoiceGenitives)})\\p{L}*`,
		// Not "at", but "from" delivery on.
		'teslimattan',
	];
	const notCashWithin = `(?:${alternatives(negationsWithin)})(?:${compact})|(?:${compact}) ?(?:${alternatives(negationsWithinBehind)})`;
	return {
		cash: new RegExp(`(?:^| )(?:${words})|${compact}`, 'u'),
		notCash: new RegExp(`(?<![^ ])(?:${notCash.join('|')})|${notCashWithin}`, 'gu'),
	};
}

function alternatives(names: readonly string[]): string {
	return names.map(normalizeName).join('|');
}

/**
 * Whether a payment method is cash on delivery, judged by its name.
 *
 * @param method the name of the payment method, in any language and spelling
 * @param customMethods the shop's own names for cash on delivery, in addition to the known ones
 * @param exceptions the shop's own names that are not cash on delivery, whatever they look like
 */
export function isCashOnDelivery(
	method: string,
	customMethods: readonly string[],
	exceptions: readonly string[],
): boolean {
	const name = normalizeName(method);
	const matches = (words: string) => words !== '' && ` ${name} `.includes(` ${words} `);
	if (exceptions.map(normalizeName).some(matches)) return false;
	if (customMethods.map(normalizeName).some(matches)) return true;
	compiledPatterns ??= compilePatterns();
	const { cash, notCash } = compiledPatterns;
	return cash.test(name.replace(notCash, ' '));
}

/** Lowercase, without accents, and with a single space between words. */
function normalizeName(name: string): string {
	return name
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/ı/g, 'i')
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();
}
