import type { Delivery } from '../service/schemas';
import { amountToCollect } from './cashOnDelivery';
import { shift, sign, subtract, sum, times, toNumber, toText } from './decimal';
import type { Decimal } from './decimal';
import type { OrderMapping, PackageSizeRule } from './mapping';
import { readOrder, type Address, type Order } from './order';
import { remainingLines, type RemainingLine } from './remaining';

/** What becomes of an order. */
export type OrderOutcome =
	/** To be sent, once the caller has added the pickup and checked it against the document. */
	| { kind: 'delivery'; delivery: OrderDelivery }
	/** Not to be sent, for a reason that is no fault. */
	| { kind: 'skipped'; reason: SkipReason; message: string; referenceId: string | undefined }
	/** No order, or one that lacks what a delivery needs. */
	| { kind: 'invalid'; problems: string[]; referenceId: string | undefined };

export type SkipReason = 'cancelled' | 'testOrder' | 'nothingToShip';

/** A delivery without its pickup (section 2.1). Members that are undefined are not given. */
export type OrderDelivery = Omit<Delivery, 'pickup'>;

type Location = Delivery['dropoff']['location'];
type Package = Delivery['packages'][number];

/**
 * Turns a Shopify order, as n8n's Shopify nodes emit it, into a delivery (service document,
 * sections 2.1 to 2.5).
 *
 * @param value the order, also wrapped in a member "order"
 * @param mapping how to turn it, see {@link OrderMapping}
 * @returns the delivery without its pickup, or why there is none; it never throws
 */
export function orderToDelivery(value: unknown, mapping: OrderMapping): OrderOutcome {
	const read = readOrder(value);
	if ('problems' in read)
		return { kind: 'invalid', problems: read.problems, referenceId: undefined };
	const { order } = read;
	const skipped = reasonNotToSend(order, mapping);
	if (skipped) return skip(order, mapping, skipped);
	const remaining = remainingLines(order);
	if ('problems' in remaining)
		return {
			kind: 'invalid',
			problems: remaining.problems,
			referenceId: referenceOf(order, mapping),
		};
	if (remaining.lines.length === 0) return skip(order, mapping, 'nothingToShip');
	return build(order, remaining.lines, mapping);
}

function reasonNotToSend(order: Order, mapping: OrderMapping): SkipReason | undefined {
	if (order.cancelled_at) return 'cancelled';
	return order.test && !mapping.includeTestOrders ? 'testOrder' : undefined;
}

const skipMessages: Readonly<Record<SkipReason, string>> = {
	cancelled: 'was cancelled.',
	testOrder: 'is a test order. Turn on Include Test Orders to send it.',
	nothingToShip:
		'has nothing left to ship: its items are fulfilled, refunded, removed, or need no shipping.',
};

function skip(order: Order, mapping: OrderMapping, reason: SkipReason): OrderOutcome {
	return {
		kind: 'skipped',
		reason,
		message: naming(order, `The order ${skipMessages[reason]}`),
		referenceId: referenceOf(order, mapping),
	};
}

const missing = {
	shippingAddress:
		'The order has items to ship but no shipping address, as with local pickup. Leave such orders out with an If or Filter node before this one, or set the address under Order Options.',
	street:
		'The order\'s shipping address has no street ("address1"). Complete the order in Shopify, or set the address under Order Options.',
	name: "The order names no recipient: its shipping address, customer and billing address have no name. Complete the order in Shopify, or set the recipient's name under Order Options.",
	email:
		'The order has no e-mail address, and the service needs one. Set Fallback Email under Order Options.',
} as const;

const referenceMembers = { name: 'name', id: 'id', orderNumber: 'order_number' } as const;

function build(order: Order, lines: readonly RemainingLine[], mapping: OrderMapping): OrderOutcome {
	const name = nameOf(order, mapping);
	const email = emailOf(order, mapping);
	const location = locationOf(order, mapping);
	const referenceId = referenceOf(order, mapping);
	const cash = amountToCollect(order, mapping.cod);
	if (name && email && location && referenceId && 'amount' in cash)
		return {
			kind: 'delivery',
			delivery: {
				dropoff: {
					contact: { name, email, phonenumber: phoneOf(order, mapping) },
					location,
				},
				packages: packagesOf(order, lines, mapping),
				referenceId,
				tags: tagsOf(order, mapping),
				extraData: extraDataOf(order, mapping),
				cod: cash.amount && toNumber(cash.amount),
			},
		};
	const problems = [
		!location && (order.shipping_address ? missing.street : missing.shippingAddress),
		!name && missing.name,
		!email && missing.email,
		!referenceId &&
			`The order has no "${referenceMembers[mapping.referenceFrom]}" to be the reference ID. Choose another source of it under Order Options, or let the Shopify node return this field.`,
		'problem' in cash && cash.problem,
	];
	return {
		kind: 'invalid',
		problems: problems
			.filter((problem) => problem !== false)
			.map((problem) => naming(order, problem)),
		referenceId,
	};
}

/** A sentence that begins with "The order", with the order's name, to find it among many. */
function naming(order: Order, sentence: string): string {
	const title = titleOf(order);
	return title ? sentence.replace(/^The order\b/, () => `Order ${title}`) : sentence;
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

function packagesOf(
	order: Order,
	lines: readonly RemainingLine[],
	mapping: OrderMapping,
): Package[] {
	const name = mapping.overrides.packageName;
	if (mapping.packagesPer === 'lineItem')
		return lines.map((line) => ({
			name: name ?? line.name,
			qty: line.units,
			...measures(mapping, line.gramsPerUnit, line.units, line.price),
		}));
	const grams = sum(
		lines.map(({ gramsPerUnit, units }) => gramsPerUnit && times(gramsPerUnit, units)),
	);
	const price = sum(lines.map((line) => line.price));
	return [
		{ name: name ?? titleOf(order) ?? 'Order', qty: 1, ...measures(mapping, grams, 1, price) },
	];
}

/**
 * Weight, size and price of a package entry (section 2.5): weight and price are of all its
 * packages, the size is that of each. Shopify writes 0 grams for products whose weight was not
 * entered, so a package of 0 grams has no known weight.
 */
function measures(
	mapping: OrderMapping,
	gramsPerPackage: Decimal | undefined,
	qty: number,
	price: Decimal | undefined,
): Pick<Package, 'weight' | 'size' | 'price'> {
	const weighed = gramsPerPackage && sign(gramsPerPackage) > 0;
	const weight = weighed ? shift(gramsPerPackage, -3) : undefined;
	return {
		weight: weight && toNumber(times(weight, qty)),
		size: sizeFor(weight, mapping.packageSize),
		price: price && toNumber(price),
	};
}

function sizeFor(weight: Decimal | undefined, rule: PackageSizeRule): Package['size'] {
	if (rule.by === 'fixed') return rule.size;
	if (!weight) return rule.otherwise;
	const fitting = rule.limits
		.filter(({ upToKg }) => sign(subtract(upToKg, weight)) >= 0)
		.sort((a, b) => sign(subtract(a.upToKg, b.upToKg)));
	return fitting[0]?.size ?? rule.otherwise;
}

function titleOf(order: Order): string | undefined {
	return order.name ?? order.order_number ?? order.id;
}

function referenceOf(order: Order, mapping: OrderMapping): string | undefined {
	return mapping.overrides.referenceId ?? order[referenceMembers[mapping.referenceFrom]];
}

/**
 * The order's tags, each once. Shopify's limit of 40 characters for an order's tag is below the
 * service's (section 8), so none has to be cut.
 */
function tagsOf(order: Order, mapping: OrderMapping): string[] | undefined {
	if (mapping.overrides.tags.length > 0) return mapping.overrides.tags;
	if (!mapping.tagsFromOrder || !order.tags) return undefined;
	const tags = order.tags.split(',').map((tag) => tag.trim());
	return notEmpty([...new Set(tags)].filter((tag) => tag !== ''));
}

function extraDataOf(order: Order, mapping: OrderMapping): OrderDelivery['extraData'] {
	if (!mapping.extraDataFromNoteAttributes) return undefined;
	return notEmpty(
		order.note_attributes.flatMap(({ name, value }) => (name && value ? [{ name, value }] : [])),
	);
}

function notEmpty<Item>(items: Item[]): Item[] | undefined {
	return items.length > 0 ? items : undefined;
}

/** The parts that are there, in one text. */
function joined(parts: ReadonlyArray<string | undefined>, separator: string): string | undefined {
	return parts.filter((part) => part !== undefined).join(separator) || undefined;
}
