/*
 * Names of cash on delivery. Shopify's own manual payment method is "Cash on Delivery (COD)"; shops
 * can rename it, and payment apps use their own names. Since these are names of payment methods,
 * the words for "on delivery" are enough.
 */

/** Matched at the start of a word, so that all endings are recognized. */
const wordPrefixes = [
	// English
	...['on delivery', 'upon delivery', 'at delivery', 'when delivered', 'when you receive'],
	...['cash on arrival', 'cash on receipt', 'cash upon receipt', 'at the door', 'doorstep'],
	...['to the driver', 'to the courier', 'to driver', 'to courier'],
	// Spanish, Catalan
	...['contra reembolso', 'contrareembolso', 'contra entrega', 'contraentrega', 'a la entrega'],
	...['en la entrega', 'al recibir', 'en destino', 'contra reemb', 'contrareemb'],
	// French
	...[
		'contre remboursement',
		'a la livraison',
		'a la reception',
		'a reception du colis',
		'a reception de la commande',
		'au livreur',
	],
	// Italian
	...['contrassegno', 'alla consegna', 'al corriere'],
	// Portuguese
	...['na entrega', 'da entrega', 'a cobranca'],
	// Romanian
	...['ramburs', 'la livrare', 'la primire', 'la curier'],
	// German
	...['bei lieferung', 'bei zustellung', 'bei ubergabe'],
	...['an der hausture', 'an der haustur', 'an der tur'],
	// Dutch, Afrikaans
	...['remboursbetaling', 'bij levering', 'bij aflevering', 'aan de deur', 'by aflewering'],
	// Swedish, Danish, Norwegian, Icelandic
	...['postforskott', 'vid leverans', 'efterkrav', 'postopkrævning', 'ved levering'],
	...['postoppkrav', 'oppkrav', 'etterkrav', 'postkrafa'],
	// Polish
	...['pobranie', 'za pobraniem', 'przy odbiorze', 'przy dostawie'],
	// Czech, Slovak
	...['dobirk', 'dobierk', 'pri prevzeti', 'pri prevzati', 'pri doruceni', 'pri dodani'],
	// Croatian, Serbian, Bosnian, Slovenian
	...['pouzec', 'prilikom preuzimanja', 'pri preuzimanju', 'po povzetju', 'pri dostavi'],
	...['prilikom dostave', 'поузећ', 'приликом преузимања'],
	// Russian, Ukrainian, Bulgarian, Macedonian
	...['наложенн', 'наложен плат', 'при получении', 'при доставке', 'курьеру', 'післяплат'],
	...['накладен', 'наложка', 'при отриманні', 'при доставці', 'курʼєру', "кур'єру"],
	...['при доставка', 'при получаване', 'при достава', 'при испорака'],
	// Hungarian
	...['utanvet', 'atvetelkor', 'kiszallitaskor', 'a futarnak'],
	// Finnish, Estonian, Lithuanian, Latvian
	...['postiennakko', 'jalkivaatimus', 'toimituksen yhteydessa', 'lunamaks', 'kattesaamisel'],
	...['pristatymo metu', 'pristatant', 'pecmaksa', 'piegades bridi', 'sanemot', 'sanemsanas bridi'],
	// Greek, Albanian, Turkish, Azerbaijani
	...[
		'αντικαταβολη',
		'κατα την παραδοση',
		'ne dorezim',
		'kapida',
		'teslimatta',
		'teslimat sirasinda',
		'qapida',
	],
	// Arabic, Hebrew, Persian, Urdu
	...['عند الاستلام', 'عند التسليم', 'عند التوصيل', 'לשליח', 'בעת המסירה', 'במסירה', 'בעת קבלת'],
	...['در محل', 'هنگام تحویل', 'کیش آن'],
	// Hindi, Marathi, Nepali, Bengali, Tamil, Telugu
	...[
		'कैश ऑन',
		'डिलीवरी पर',
		'क्यास अन',
		'ক্যাশ অন ডেলিভারি',
		'ডেলিভারিতে পেমেন্ট',
		'கேஷ் ஆன்',
		'క్యాష్ ఆన్',
	],
	// Vietnamese, Indonesian, Malay
	...['khi nhan hang', 'khi giao hang', 'bayar di tempat', 'saat terima', 'saat barang diterima'],
	...['saat pengiriman', 'semasa penghantaran', 'semasa terima'],
	// Korean
	...['대금상환', '만나서 결제', '배송 시 결제', '배송시 결제'],
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

/** Compiled on first use, since that takes a few milliseconds. */
let compiledPattern: RegExp | undefined;

function cashOnDeliveryPattern(): RegExp {
	return new RegExp(
		`(^| )(${alternatives(wordPrefixes)})|(^| )(${alternatives(wholeWords)})( |$)|${alternatives(substrings)}`,
		'u',
	);
}

function alternatives(names: readonly string[]): string {
	return names.map(normalizeName).join('|');
}

/**
 * Whether a payment method is cash on delivery, judged by its name.
 *
 * @param method the name of the payment method, in any language and spelling
 * @param customMethods the shop's own names for cash on delivery, in addition to the known ones
 */
export function isCashOnDelivery(method: string, customMethods: readonly string[]): boolean {
	const name = normalizeName(method);
	compiledPattern ??= cashOnDeliveryPattern();
	if (compiledPattern.test(name)) return true;
	return customMethods
		.map(normalizeName)
		.some((customName) => customName !== '' && ` ${name} `.includes(` ${customName} `));
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
