import type { Result } from '../service/result';
import type { Delivery } from '../service/schemas';
import { sign, toText } from './decimal';
import type { OrderMapping } from './mapping';
import { sentenceStart, type Address, type Order } from './order';
import { problemFrom } from './problems';

type Place = Delivery['dropoff'];
type Location = Place['location'];

/**
 * Who receives an order, and where (service document, sections 2.2 to 2.4).
 *
 * @returns the place, or what is missing of it and what to do
 */
export function dropoffOf(order: Order, mapping: OrderMapping): Result<Place> {
	const name = nameOf(order, mapping);
	const email = emailOf(order, mapping);
	const location = locationOf(order, mapping);
	if (name && email && location) {
		const contact = { name, email, phonenumber: phoneOf(order, mapping) };
		return { ok: true, value: { contact, location } };
	}
	const subject = sentenceStart(order);
	const problems = [
		!location &&
			(order.shipping_address
				? `${subject}'s shipping address has no street ("address1"). Complete the order in Shopify, or set the address under Order Options.`
				: `${subject} has items to ship but no shipping address, as with local pickup. Leave such orders out with an If or Filter node before this one, or set the address under Order Options.`),
		!name &&
			`${subject} names no recipient: its shipping address, customer and billing address have no name. Complete the order in Shopify, or set the recipient's name under Order Options.`,
		!email &&
			`${subject} has no e-mail address, and the service needs one. Set Fallback Email under Order Options.`,
	];
	return { ok: false, problem: problemFrom(problems.filter((problem) => problem !== false)) };
}

/** The shipping address's company is the recipient only when nobody is named. */
function nameOf(order: Order, { overrides }: OrderMapping): string | undefined {
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
	return joined([person?.first_name, person?.last_name], ' ');
}

function emailOf(order: Order, mapping: OrderMapping): string | undefined {
	return (
		mapping.overrides.email ??
		order.email ??
		order.contact_email ??
		order.customer?.email ??
		mapping.fallbackEmail
	);
}

function phoneOf(order: Order, { overrides }: OrderMapping): string | undefined {
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
function locationOf(order: Order, mapping: OrderMapping): Location | undefined {
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
		address: mapping.addressFormat === 'text' ? addressText(shipping) : components(shipping),
		instructions:
			overrides.instructions ??
			joined([companyBeside(shipping), shipping.address2, order.note], '; '),
		...(overrides.lat || overrides.lng
			? { lat: overrides.lat, lng: overrides.lng }
			: coordinates(shipping)),
	};
}

function components(address: Address) {
	return {
		streetName: address.address1,
		city: address.city,
		state: address.province ?? address.province_code,
		zipcode: address.zip,
		country: address.country ?? address.country_code,
	};
}

function addressText(address: Address): string | undefined {
	const { streetName, city, state, zipcode, country } = components(address);
	return joined([streetName, city, joined([state, zipcode], ' '), country], ', ')?.replace(
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
 * The address's coordinates, if it has both. A place at 0, 0 lies in the ocean: it is what
 * programs write for an address that they could not locate.
 */
function coordinates({ latitude, longitude }: Address): Pick<Location, 'lat' | 'lng'> {
	if (!latitude || !longitude) return {};
	if (sign(latitude) === 0 && sign(longitude) === 0) return {};
	return { lat: toText(latitude), lng: toText(longitude) };
}

/** The parts that are there, in one text. */
function joined(parts: ReadonlyArray<string | undefined>, separator: string): string | undefined {
	return parts.filter((part) => part !== undefined).join(separator) || undefined;
}
