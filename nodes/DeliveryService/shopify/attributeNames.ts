/**
 * The names under which apps and themes write what a customer chose into the additional details of an order.
 * Letter case, accents, spaces and punctuation don't matter.
 */
import { namesIn, normalizeName } from '../common/text';

/** Additional details with the delivery date of the usual apps. */
export const deliveryDateAttributes: readonly string[] = namesIn(`
	(|Select |Select a |Choose |Choose a |Your |Local |Order |Preferred |Requested |Desired |Scheduled )Delivery (Date|Day)
	(|Local |Preferred |Requested )Delivery Date (and|&) Time, Date of Delivery, Order Due Date, Shipping Date
	(Fecha|Día|Data|Dia) de entrega(| preferida| deseada| desejada), Fecha entrega, Fecha de envío, (Data|Dia) da entrega
	Date de livraison, Jour de livraison, Date de livraison souhaitée, Data (|di )consegna, Giorno di consegna
	(|Gewünschtes )Lieferdatum, (|Gewünschter )(Liefertermin|Liefertag), Wunschtermin, Wunschlieferdatum, Wunschliefertermin
	Bezorgdatum, Bezorgdag, Leverdatum, Gewenste bezorgdatum, (|Önskat )leveransdatum, (|Ønsket )leveringsdato, Leveringsdag, Toimituspäivä
	Data dostawy, Datum doručení, Dátum doručenia, Datum dostave, (Szállítás|Kézbesítés) dátuma, Szállítási dátum, Data livrării, (|Желаемая )дата доставки(| желаемая), Дата на доставка
	Ημερομηνία παράδοσης, Teslimat tarihi, تاريخ التوصيل, تاريخ التسليم, موعد التوصيل, תאריך משלוח
	(|希望)(配送|配達|お届け)(|希望)日, 配送日期, 送货日期, 送貨日期, 送達日期, 到貨日期, (배송|배송 희망)일
	วันที่จัดส่ง, Ngày giao hàng, Tanggal pengiriman, Tarikh penghantaran
`);

/** Additional details with the time of the usual apps. */
export const timeAttributes: readonly string[] = namesIn(`
	Delivery Time, Delivery Slot, Delivery Time Slot, Time Slot
	Preferred Delivery Time, Hora de entrega, Horario de entrega, Horário de entrega, Hora da entrega
	Heure de livraison, Créneau de livraison, Créneau horaire, Orario di consegna, Fascia oraria
	Lieferzeitfenster, Zeitfenster, Lieferuhrzeit, Bezorgtijd, Tijdvak, Leveranstid, Leveringstid
	Godzina dostawy, Час доставки, Время доставки, Teslimat saati, وقت التوصيل, وقت التسليم
	(配送|配達|お届け)(|希望)時間(|帯), 配送时间, 배송 시간
`);

/**
 * Additional details that contain the delivery method: apps that mark pickups may put the store's address
 * into the shipping address. The first is Zapiet's
 * (docs.zapiet.com/guides/note-attributes), the others are those of similar apps and themes.
 */
export const methodAttributes: readonly string[] = namesIn(`
	(|Checkout |Shipping )Method, (|Order |Preferred )(Delivery|Fulfillment|Fulfilment) (Method|Type), Delivery Option, Order Type
	(Delivery|Delivered) or Pickup, Pickup or (Delivery|Delivered)
	(Método|Tipo|Forma) de entrega, (Método|Tipo) de envío, (Mode|Méthode) de livraison, Mode de retrait
	Lieferart, Liefermethode, Versandart, Abholung oder Lieferung, Lieferung oder Abholung, (Metodo|Modalità) di consegna, Bezorgmethode, Verzendmethode
	(Metoda|Sposób) dostawy, Metodă de livrare, Teslimat yöntemi, Leveringsmetode, Leveringsmåte, Leveransmetod, Leveranssätt
	Toimitustapa, Způsob (dopravy|doručení), Spôsob (dopravy|doručenia), (Szállítás|Kézbesítés) módja, Szállítási mód, Τρόπος παράδοσης, Способ (доставки|получения), Спосіб (доставки|отримання)
	طريقة (التوصيل|التسليم|الاستلام), 配送方法, 受取方法, 配送方式, 取貨方式
`);

/** A format in brackets, e.g. "(DD/MM/YYYY)" or "[tt.mm.jjjj]": each of its words is one letter. */
const format = /[(（[](?:[^\p{L}()（）[\]]|(\p{L})\1*(?!\p{L}))*[)）\]]/giu;

/**
 * The name of a detail for comparisons, without a format and spaces: "deliveryDate" is "Delivery Date", but
 * "Delivery Date (estimated)" is another name.
 */
export function detailName(name: string): string {
	return normalizeName(name.replace(format, ' ')).replaceAll(' ', '');
}
