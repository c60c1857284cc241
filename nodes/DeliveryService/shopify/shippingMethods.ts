import type { OrderMapping } from './mapping';
import { isListed, namesIn } from './names';
import type { Order } from './order';

/**
 * Names of shipping methods that mean store pickup, in English, Spanish, Portuguese, French, German,
 * Italian and Dutch: the default of Exclude Shipping Methods. Pickup points of carriers are not in it.
 */
export const storePickupNames: readonly string[] = namesIn(`
	(|Free )(|Store |In Store |Local )Pick*up, (Store |In Store |Local |)Pick*up - *
	(Curbside|Customer|Warehouse|Shop|Office|Self|Studio) Pick*up
	Pick*up (in|at|from) (|the |our )(store|shop|warehouse), Pick*up in person, Pick*up only, Will call
	Click*Collect, Click*Collect - *, Collect (in|from|at) (|the |our )(store|shop), Collect in person
	(|Free |Store |In Store |Local |Warehouse |Customer |Self )Collection, Self Collect
	Collection (from|in|at) (|the |our )(store|shop|warehouse)

	Recogida, Retiro, (Recog|Retir|Recole)* en* tienda, (Recog|Retir|Recole)* en* (local|sucursal)
	Recojo en tienda, (Recog|Retir)* en* (almacén|bodega|persona|taller), (Recogida|Retiro) local
	(Recog|Retir)* en* tienda - *, Pick*up en* tienda, Entrega en tienda

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

/** Additional details with the delivery date of the usual apps. */
export const deliveryDateAttributes: readonly string[] = [
	...['Delivery Date', 'Delivery Day', 'Date of Delivery', 'Order Delivery Date', 'Shipping Date'],
	...['Requested Delivery Date', 'Preferred Delivery Date', 'Scheduled Delivery Date'],
	...['Fecha de entrega', 'Data de entrega', 'Date de livraison', 'Lieferdatum', 'Liefertermin'],
	...['Wunschtermin', 'Data di consegna', 'Bezorgdatum', 'Leverdatum'],
];

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
	const { shippingMethods: included, excludeShippingMethods: excluded } = filters;
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
