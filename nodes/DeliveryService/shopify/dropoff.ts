import type { Problem, Result } from '../common/result';
import type { Delivery } from '../service/schemas';
import { isEmailAddress, latitude, longitude } from '../service/values';
import { sign, toText } from './decimal';
import type { OrderMapping } from './mapping';
import { orderLabel, type Address, type Order } from './order';
import { problemFrom } from './problems';

type DropoffPlace = Delivery['dropoff'];
type DropoffLocation = DropoffPlace['location'];

/**
 * Who receives an order, and where (service document, sections 2.2 to 2.4).
 *
 * @returns the place, or what is missing of it and what to do
 */
export function toDropoff(order: Order, mapping: OrderMapping): Result<DropoffPlace> {
	const name = recipientName(order, mapping);
	const email = recipientEmail(order, mapping);
	const location = dropoffLocation(order, mapping);
	if (name && email && location) {
		const contact = { name, email, phonenumber: recipientPhone(order, mapping) };
		return { ok: true, value: { contact, location } };
	}
	const subject = orderLabel(order);
	if (lacksPersonalData(order)) return { ok: false, problem: noPersonalDataProblem(subject) };
	const problems = [
		!location && noLocationMessage(order, subject),
		!name &&
			`${subject} names no recipient: its shipping address, customer and billing address have no name. Complete the order in Shopify, or set the recipient's name under Order Options.`,
		!email && noEmailMessage(order, subject),
	];
	return { ok: false, problem: problemFrom(problems.filter((problem) => problem !== false)) };
}

/**
 * Whether Shopify left out what is personal, as it does for apps without access to it: the order
 * has a customer or an address, and neither a name, e-mail address, phone nor street in them.
 */
export function lacksPersonalData(order: Order): boolean {
	const { customer, shipping_address: shipping, billing_address: billing } = order;
	if (!customer && !shipping && !billing) return false;
	const personal = [
		order.email,
		order.contact_email,
		order.phone,
		...[customer, shipping, billing].flatMap((person) => [fullName(person), person?.phone]),
		customer?.email,
		...[shipping, billing].flatMap((place) => [place?.name, place?.address1]),
	];
	return personal.every((value) => value === undefined);
}

function noPersonalDataProblem(subject: string): Problem {
	return {
		message: `${subject} comes without any personal data: no name, e-mail address, phone and street. Shopify seems to hold it back from the app of your Shopify credential.`,
		description:
			'Let that app read customers and orders, with access to protected customer data. For an app that was made in the admin of the shop, this depends on the plan of the shop.',
	};
}

function noLocationMessage(order: Order, subject: string): string {
	return order.shipping_address
		? `${subject}'s shipping address has no street ("address1"). Complete the order in Shopify, or set the address under Order Options.`
		: `${subject} has items to ship, but no shipping address and no "shipping_lines", which would tell that the customer picks it up. Complete the order in Shopify, set the address under Order Options, or let the Shopify node return these fields.`;
}

function noEmailMessage(order: Order, subject: string): string {
	const [unusable] = orderEmails(order);
	return unusable
		? `${subject} has the e-mail address "${unusable}", which no mail server takes. Correct it in Shopify, or set Fallback Email under Order Options.`
		: `${subject} has no e-mail address, and the service needs one. Set Fallback Email under Order Options.`;
}

/** The shipping address's company is the recipient only when nobody is named. */
function recipientName(order: Order, { overrides }: OrderMapping): string | undefined {
	const { shipping_address: shipping, customer, billing_address: billing } = order;
	return (
		overrides.name ??
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

/** Whom the service writes to: the first address of the order that can be, or what the user set. */
export function recipientEmail(
	order: Order,
	{ overrides, fallbackEmail }: OrderMapping,
): string | undefined {
	return overrides.email ?? orderEmails(order).find(isEmailAddress) ?? fallbackEmail;
}

function orderEmails(order: Order): string[] {
	return [order.email, order.contact_email, order.customer?.email].filter(
		(email) => email !== undefined,
	);
}

function recipientPhone(order: Order, { overrides }: OrderMapping): string | undefined {
	return (
		overrides.phone ??
		order.shipping_address?.phone ??
		order.phone ??
		order.customer?.phone ??
		order.billing_address?.phone
	);
}

/**
 * Where the order goes (section 2.4), or undefined when it does not say. The billing address is
 * no stand-in: a guess would send the packages to the wrong door.
 */
function dropoffLocation(order: Order, mapping: OrderMapping): DropoffLocation | undefined {
	const { overrides } = mapping;
	const shipping = order.shipping_address;
	// What the order says of its own address would mislead beside another one.
	if (overrides.address)
		return {
			address: overrides.address,
			instructions: overrides.instructions ?? order.note,
			lat: overrides.lat,
			lng: overrides.lng,
		};
	if (!shipping?.address1) return undefined;
	return {
		address: mapping.addressFormat === 'text' ? addressText(shipping) : addressComponents(shipping),
		instructions:
			overrides.instructions ??
			joinParts([companyBeside(shipping), shipping.address2, order.note], '; '),
		...(overrides.lat || overrides.lng
			? { lat: overrides.lat, lng: overrides.lng }
			: usableCoordinates(shipping)),
	};
}

function addressComponents(address: Address) {
	return {
		streetName: address.address1,
		city: address.city,
		state: address.province ?? address.province_code,
		zipcode: address.zip,
		country: address.country ?? address.country_code,
	};
}

function addressText(address: Address): string | undefined {
	const { streetName, city, state, zipcode, country } = addressComponents(address);
	return joinParts([streetName, city, joinParts([state, zipcode], ' '), country], ', ')?.replace(
		/\s+/g,
		' ',
	);
}

/** The company helps to find the door, unless it is the recipient's name already. */
function companyBeside(address: Address): string | undefined {
	const recipient = address.name ?? fullName(address);
	return address.company === recipient ? undefined : address.company;
}

/**
 * The address's coordinates, if it has both and they name a place. A place at 0, 0 lies in the
 * ocean: it is what programs write for an address that they could not locate.
 */
function usableCoordinates(address: Address): Pick<DropoffLocation, 'lat' | 'lng'> {
	const { latitude: north, longitude: east } = address;
	if (!north || !east) return {};
	if (sign(north) === 0 && sign(east) === 0) return {};
	const place = { lat: toText(north), lng: toText(east) };
	const isOnEarth = latitude.safeParse(place.lat).success && longitude.safeParse(place.lng).success;
	return isOnEarth ? place : {};
}

/** The parts that are there, in one text. */
function joinParts(
	parts: ReadonlyArray<string | undefined>,
	separator: string,
): string | undefined {
	return parts.filter((part) => part !== undefined).join(separator) || undefined;
}
