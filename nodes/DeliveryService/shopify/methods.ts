/** Shipping methods: which ones of an order are for drivers, and the delivery type that they mean. */
import { foldWords, namesIn, withoutBrackets } from '../common/text';
import type { OrderMapping } from './mapping';
import type { Order } from './order';

/** The patterns of a list of names, and of the built-in ones in it, if there are any. */
interface Patterns {
	/** Names with letters or digits, to compare without emoji. */
	words: RegExp;
	/** Names without letters and digits. Without emoji, "🚚*" would match every shipping method. */
	signs: RegExp;
	builtIn?: RegExp;
}

/** Parsing a list takes longer than mapping an order, and so does comparing the text of a long one. */
const patternsByList = new WeakMap<readonly string[], Patterns>();

/** The latest texts of lists: settings with an expression make equal lists for each order. */
const patternsByText = new Map<string, Patterns>();

function patternsOf(names: readonly string[]): Patterns {
	const known = patternsByList.get(names);
	if (known) return known;
	const text = names.join('\n');
	const patterns = patternsByText.get(text) ?? readPatterns(names);
	if (patternsByText.size > 100) patternsByText.clear();
	patternsByText.set(text, patterns);
	patternsByList.set(names, patterns);
	return patterns;
}

function readPatterns(names: readonly string[]): Patterns {
	const builtIn = names.filter((name) => builtInNames.has(name));
	return {
		words: toPattern(names.map(withoutEmoji).filter(hasWords)),
		signs: toPattern(names.filter((name) => !hasWords(withoutEmoji(name)))),
		...(builtIn.length > 0 && { builtIn: toPattern(builtIn) }),
	};
}

function toPattern(names: readonly string[]): RegExp {
	const forms = names.map((name) =>
		foldWords(name)
			.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
			.replace(/\*+/g, '.*'),
	);
	return new RegExp(`^(?:${forms.filter(Boolean).join('|') || '(?!)'})$`, 's');
}

const emoji = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u200D]/gu;

function withoutEmoji(name: string): string {
	return name.replace(emoji, ' ');
}

function hasWords(name: string): boolean {
	return /[\p{L}\p{N}]/u.test(name);
}

const beforePlace = /(?:\s\p{Pd}|[:：])\s*/gu;

/** Longer than Shopify's titles. Customers write some of these texts, and comparing a long one would stop n8n for seconds. */
const maxNameLength = 300;

/** A name without brackets and emoji, and with " - " before a place: "🏬 Pickup: Harbor (free)" is "Pickup - Harbor". */
function plainName(name: string): string {
	return withoutEmoji(withoutBrackets(name)).replace(beforePlace, ' - ');
}

/**
 * Whether a whole name is in a list: "Pickup and delivery" is a delivery. For the built-in names, it is plain,
 * and a place of the shop may follow.
 *
 * @param names "*" in them stands for any text; letter case, accents and emoji beside words don't matter
 */
export function isListed(name: string, names: readonly string[]): boolean {
	if (name.length > maxNameLength) return false;
	const { words, signs, builtIn } = patternsOf(names);
	if (words.test(foldWords(withoutEmoji(name))) || signs.test(foldWords(name))) return true;
	if (!builtIn) return false;
	const plain = plainName(name);
	const [base = ''] = plain.split(' - ');
	const withoutPlace = foldWords(base);
	const isOfShop = !sharedPickup.test(withoutPlace) && builtIn.test(withoutPlace);
	return isOfShop || builtIn.test(foldWords(plain));
}

/** Names of store pickup that carriers use, too: "Collection - Parcelshop" may be no place of the shop. */
const sharedPickupNames = namesIn(`
	(|Free |Self )Collection, Self Collect, Recogida, Retiro, Retirada, Retrait, Ritiro, Afhaling
	Самовывоз, Самовивіз, איסוף עצמי, 픽업, 自取, 自提
`);

/** Names of store pickup that a place of the shop may follow: "Store collection - Harbor". */
const shopPickupNames = namesIn(`
	(|Free )(|Store |In Store |Local )Pick*up, BOPIS, Take away, Take out, Dine in
	(Curbside|Customer|Warehouse|Shop|Showroom|Office|Self|Studio|Personal) Pick*up
	Pick*up (in|at|from) (|the |our )(store|shop|warehouse), Free Pick*up in store, Self Pick*up from store, Pick*up in person, Pick*up only, Will call
	Click*Collect(| in store), Collect (in|from|at) (|the |our )(store|shop), Collect in person
	(Store |In Store |Local |Warehouse |Customer )Collection
	Collection (from|in|at) (|the |our )(store|shop|warehouse), Self Collection (from|at) (store|outlet)

	(Recog|Retir|Recole)* en* tienda, (Recog|Retir|Recole)* en* (local|sucursal)
	Recojo en tienda, Retir* en tienda grat(is|uito), (Recog|Retir)* en* (almacén|bodega|persona|taller|showroom), (Recogida|Retiro) local
	(Recog|Retir|Recole)* en* punto físico, Pick*up en* tienda, Entrega en tienda, Envío (|gratis |gratuito )a tienda

	(Retir|Levant|Recolh)* (na|em)* loja, (Buscar|Coleta|Entrega) na loja
	(Retir|Levant|Recolh)* (na|em)* loja física, (Retirada|Levantamento|Recolha) (local|no local), Retirar no local, Retirada no (balcão|armazém), Retirada em mãos

	(Retrait|Cueillette|Ramassage)* magasin, (Retrait|Cueillette|Ramassage)* boutique
	(Retrait|Ramassage|Enlèvement) (sur place|local), Cueillette (sur place|locale), Retrait*atelier
	(|À )retirer en* (magasin|boutique), Collecte en (magasin|boutique), Retrait*entrepôt

	(|Kostenlose |Lokale |Vor Ort )Abholung, (|Kostenlose )Selbstabholung, Selbstabholer, Selbst abholen
	(Abholung|Selbstabholung) (im Laden|im Ladengeschäft|im Geschäft|im Store|im Shop|im Lager|vor Ort)
	(Abholung|Selbstabholung) (in der Filiale|in unserer Filiale|in unserem Laden|bei uns|ab Lager)
	Ladenabholung, Filialabholung, Abholen im (Laden|Geschäft)
	(Im Laden|Im Geschäft|Im Store|Vor Ort|In der Filiale) abholen

	Ritir* in (|un |un nostro )(negozio|sede|magazzino), Ritiro (|gratuito )in store, Ritir* presso* (negozio|sede|punto vendita)
	Ritiro (in punto vendita|a mano|locale|di persona|in loco|sul posto), Consegna in negozio

	(|Zelf |Gratis |Lokaal )(Afhalen|Ophalen)
	(|Gratis )(Afhalen|Ophalen) (in|bij) (|de |onze )(winkel|showroom), (Afhalen|Ophalen) (bij ons|op locatie)
	(Afhalen|Ophalen) in (|het |ons )magazijn, In de winkel (afhalen|ophalen)
	Afhaling (in de winkel|ter plaatse)

	Odbiór (|osobisty )(w sklepie|w salonie|w magazynie|na miejscu), Odbiór (osobisty|własny)

	Ridicare personală, Ridicare (|personală )(din|de la|in) (magazin|sediu|showroom|depozit)

	(الاستلام|استلام) من (المتجر|المحل|الفرع|المعرض|المستودع|مقرنا)
	اسٹور سے (وصولی|پک اپ), دکان سے (وصولی|پک اپ), (स्टोर|दुकान) से (पिकअप|पिक अप)

	Ambil (|sendiri |langsung )(di|dari) (toko|gudang|tempat|outlet), Ambil sendiri, Ambil di kedai

	Osobní (odběr|vyzvednutí)(| na prodejně), (Osobný odber|Osobné vyzdvihnutie)(| na predajni)
	(Vyzvednutí|Odběr) (na|v) (prodejně|obchodě), Személyes átvétel, (|Személyes )Átvétel (üzletben|az üzletben)
	Osobno preuzimanje, Preuzimanje u (trgovini|poslovnici), Osebni prevzem, Лично преузимање
	Hent selv, Nouda myymälästä, Atsiėmimas parduotuvėje, Saņemšana veikalā
	(Hämta|Hämtas|Upphämtning) i (|vår )butik, Afhent* i butik*, Hent* i butik*, Nouto (myymälästä|liikkeestä), Noudetaan myymälästä

	(Самовывоз|Самовивіз) (бесплатно|из магазина|з магазину|со склада|зі складу), Вземане от (магазин|магазина)
	Παραλαβή από (το |)(κατάστημα|κατάστημά μας), Mağazadan (teslim|teslim al|teslim alma|al), Gel al

	איסוף מהחנות, איסוף עצמי מהחנות, รับที่ร้าน, รับเองที่ร้าน, รับสินค้าที่ร้าน, รับหน้าร้าน
	Nhận (|hàng )tại cửa hàng, (매장|방문) (픽업|수령), (門市|门市|門店|门店|店鋪|店铺|店面|到店|到門市|自行)(自取|取貨|取货|自提)

	(店舗|店頭|来店|実店舗)(|で|での)(受取|受取り|受け取り|お受取り|お受け取り)
`);

/**
 * Names of shipping methods that mean store pickup, in the languages of shops that deliver by driver: the
 * default of Exclude Shipping Methods. Pickup points of carriers are not in it.
 */
export const storePickupNames: readonly string[] = [...shopPickupNames, ...sharedPickupNames];

const builtInNames = new Set(storePickupNames);
const sharedPickup = toPattern(sharedPickupNames);

/** A shipping method, as the customer chose it. */
type ShippingMethod = Pick<Order['shipping_lines'][number], 'title' | 'code'>;

/** The fulfillment order's own method, if it is known, else those of the order. */
function shippingMethods({ fulfillmentOrder, shipping_lines }: Order): ShippingMethod[] {
	const { presented_name: title, service_code: code } = fulfillmentOrder?.delivery_method ?? {};
	return title === undefined && code === undefined ? shipping_lines : [{ title, code }];
}

function matches({ title, code }: ShippingMethod, names: readonly string[]): boolean {
	return [title, code].some((name) => name !== undefined && isListed(name, names));
}

const nameOf = ({ title, code }: ShippingMethod) => title ?? code ?? 'unnamed';

/** The shipping methods of an order, or of its fulfillment order, and what the options say of them. */
export interface ShippingMethods {
	/** Those that don't pass the filters. */
	excluded: string[];
	/** The names that the filters list, and the order doesn't have. */
	absent: string[];
	/** Whether another one passes: true without any method, unless only some are sent. */
	isSent: boolean;
	/** The delivery type by the table, if it has one of them. */
	type?: OrderMapping['deliveryTypes'][number]['type'];
	/** Methods with different types: which of them the fulfillment order has is not known. */
	unclearTypes?: string[];
}

/** Reads the shipping methods of an order, or of its fulfillment order. */
export function readMethods(
	order: Order,
	{ filters, deliveryTypes }: OrderMapping,
): ShippingMethods {
	const { shippingMethods: included, excludeShippingMethods: excluded = storePickupNames } =
		filters;
	const methods = shippingMethods(order);
	const isExcluded = (method: ShippingMethod) =>
		(included.length > 0 && !matches(method, included)) || matches(method, excluded);
	const failed = methods.filter(isExcluded);
	// If an order has several, the first row of the table counts.
	const rowOf = (...of: ShippingMethod[]) =>
		deliveryTypes.find(({ method }) => of.some((one) => matches(one, [method])));
	const types = new Set(methods.map((method) => rowOf(method)?.type));
	const isUnclear = order.fulfillmentOrder !== undefined && types.size > 1;
	return {
		excluded: failed.map(nameOf),
		absent: included.filter((name) => !methods.some((method) => matches(method, [name]))),
		isSent: methods.length > failed.length || (methods.length === 0 && included.length === 0),
		...(isUnclear ? { unclearTypes: methods.map(nameOf) } : { type: rowOf(...methods)?.type }),
	};
}
