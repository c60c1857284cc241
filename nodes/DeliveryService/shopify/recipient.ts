/** Who receives an order, and where. */
import { failure, type Result } from '../common/result';
import { joinParts } from '../common/text';
import type { Delivery } from '../service/schemas';
import { isEmailAddress, latitude, longitude } from '../service/values';
import type { Address } from './addressSchema';
import { dateText, type DeliveryDate } from './deliveryDate';
import type { OrderFacts } from './facts';
import type { OrderMapping } from './mapping';
import { sign, toText } from './money';
import type { Order } from './order';
import { isHidden } from './placeholders';

type DropoffPlace = Delivery['dropoff'];
type DropoffLocation = DropoffPlace['location'];

/** Who receives an order, and where, as far as the order says. */
export interface Recipient {
	name?: string;
	email?: string;
	phonenumber?: string;
	location?: DropoffLocation;
}

/** The recipient and address of an order, as far as it has them (docs/api.md, sections 2.2 to 2.4). */
export function readRecipient(order: Order, mapping: OrderMapping, date: DeliveryDate): Recipient {
	return {
		name: recipientName(order),
		email: orderEmail(order) ?? mapping.fallbackEmail,
		phonenumber: recipientPhone(order),
		location: dropoffLocation(order, mapping, date),
	};
}

/** What an order lacks for a delivery. */
export type RecipientProblem =
	/** Shopify may have removed the personal data, or an order form wrote it only into the additional details. */
	| { code: 'noPersonalData'; hasDetails: boolean }
	/** The sales channel hides the value, e.g. with asterisks. `channel`: its name, if Shopify has one. */
	| { code: 'hidden'; value: string; channel: string | undefined }
	| { code: 'noAddress' | 'noStreet' | 'noRecipientName' | 'noEmail' }
	| { code: 'invalidEmail'; email: string };

/** The dropoff of a new delivery, or what is missing. */
export function toDropoff({
	order,
	recipient: { name, email, phonenumber, location },
	hidden,
}: Pick<OrderFacts, 'order' | 'recipient' | 'hidden'>): Result<DropoffPlace, RecipientProblem[]> {
	if (hidden !== undefined)
		return failure([{ code: 'hidden', value: hidden, channel: channelName(order) }]);
	if (name && email && location)
		return { ok: true, value: { contact: { name, email, phonenumber }, location } };
	if (lacksPersonalData(order))
		return failure([{ code: 'noPersonalData', hasDetails: order.note_attributes.length > 0 }]);
	const problems: RecipientProblem[] = [];
	if (!location) problems.push({ code: order.shipping_address ? 'noStreet' : 'noAddress' });
	if (!name) problems.push({ code: 'noRecipientName' });
	if (!email) problems.push(emailProblem(order));
	return failure(problems);
}

/** The address of an order as a driver needs it, with company and second line; empty if it has none. */
export function fullAddress({ shipping_address: to }: Order): string {
	return joinParts([to?.company, to?.address1, to?.address2, to?.city, to?.zip], ', ') ?? '';
}

/**
 * Whether Shopify removed the personal data, as it does for apps without access to it: the order has
 * no name, email, phone or street, and perhaps no customer or address at all.
 */
export function lacksPersonalData(order: Order): boolean {
	const { customer, shipping_address: shipping, billing_address: billing } = order;
	const personal = [
		order.email,
		order.contact_email,
		order.phone,
		...[customer, shipping, billing].flatMap((person) => [fullName(person), person?.phone]),
		customer?.email,
		...[shipping, billing].flatMap((address) => [address?.name, address?.address1]),
	];
	return personal.every((value) => value === undefined);
}

/** A name or a part of the address that the sales channel hides; undefined if there is none. */
export function hiddenValue(
	{ shipping_address: shipping }: Order,
	{ name }: Recipient,
): string | undefined {
	return [shipping?.address1, name, shipping?.city, shipping?.zip].find(
		(value) => value !== undefined && isHidden(value),
	);
}

/** Shopify knows the channels of other companies only by the ID of their app. */
function channelName({ source_name: name = '' }: Order): string | undefined {
	return /\P{Nd}/u.test(name) ? name : undefined;
}

function emailProblem(order: Order): RecipientProblem {
	const [email] = orderEmails(order);
	return email === undefined ? { code: 'noEmail' } : { code: 'invalidEmail', email };
}

/** The company of the shipping address is the recipient only if the order names no person. */
function recipientName(order: Order): string | undefined {
	const { shipping_address: shipping, customer, billing_address: billing } = order;
	return (
		shipping?.name ??
		fullName(shipping) ??
		fullName(customer) ??
		billing?.name ??
		fullName(billing) ??
		shipping?.company
	);
}

function fullName(
	person: Pick<Address, 'first_name' | 'last_name'> | null | undefined,
): string | undefined {
	return joinParts([person?.first_name, person?.last_name], ' ');
}

/** The first valid email of an order. */
export function orderEmail(order: Order): string | undefined {
	return orderEmails(order).find(isEmailAddress);
}

function orderEmails(order: Order): string[] {
	const { shipping_address: shipping, email, contact_email, customer } = order;
	return [shipping?.email, email, contact_email, customer?.email].filter(
		(email) => email !== undefined,
	);
}

function recipientPhone(order: Order): string | undefined {
	return (
		checkoutDetails(order)?.phone ??
		order.shipping_address?.phone ??
		order.phone ??
		order.customer?.phone ??
		order.billing_address?.phone ??
		order.shipping_lines.find(({ phone }) => phone !== undefined)?.phone
	);
}

/** What the customer entered at checkout for this delivery, if it is a local one. */
function checkoutDetails({ fulfillmentOrder }: Order) {
	return fulfillmentOrder?.delivery_method?.additional_information;
}

/**
 * The delivery location (docs/api.md, section 2.4), or undefined if the order has none. The billing
 * address is not used instead, because packages could go to the wrong place.
 */
function dropoffLocation(
	order: Order,
	mapping: OrderMapping,
	date: DeliveryDate,
): DropoffLocation | undefined {
	const { overrides } = mapping;
	const withDate = (...notes: Array<string | undefined>) =>
		joinParts([dateText(date), ...notes], '; ');
	const shipping = order.shipping_address;
	if (!shipping?.address1) return undefined;
	return {
		address: mapping.addressFormat === 'text' ? addressText(shipping) : addressComponents(shipping),
		instructions: overrides.instructions
			? withDate(overrides.instructions)
			: withDate(
					// The company helps the driver, unless it is also the recipient's name.
					shipping.company === recipientName(order) ? undefined : shipping.company,
					shipping.address2,
					checkoutDetails(order)?.instructions,
					order.note,
				),
		...(mapping.includeCoordinates && usableCoordinates(shipping)),
	};
}

function addressComponents(address: Address) {
	return {
		streetName: address.address1,
		neighborhood: address.neighborhood,
		city: address.city,
		state: stateOf(address),
		zipcode: address.zip,
		country: address.country ?? address.country_code,
	};
}

/** The state of an address, by its name if it has one. */
export function stateOf(address: Address | null | undefined): string | undefined {
	return address?.province ?? address?.province_code;
}

function addressText(address: Address): string | undefined {
	const { streetName, neighborhood, city, state, zipcode, country } = addressComponents(address);
	return joinParts(
		[streetName, neighborhood, city, joinParts([state, zipcode], ' '), country],
		', ',
	)?.replace(/\s+/g, ' ');
}

/**
 * The coordinates of the address, if both are present and valid. 0, 0 is ignored: programs write it
 * for an address that they couldn't geocode.
 */
function usableCoordinates(address: Address): Pick<DropoffLocation, 'lat' | 'lng'> {
	const { latitude: lat, longitude: lng } = address;
	if (!lat || !lng || (sign(lat) === 0 && sign(lng) === 0)) return {};
	const coordinates = { lat: toText(lat), lng: toText(lng) };
	const isValid =
		latitude.safeParse(coordinates.lat).success && longitude.safeParse(coordinates.lng).success;
	return isValid ? coordinates : {};
}
