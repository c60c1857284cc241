/** The invisible character between the parts of an address line (Shopify's "worldwide" library). */
const separator = '\u2060';

/** The parts of an address line without the commas and spaces between them. */
function partsOf(line: string | undefined): string[] {
	return (line ?? '').split(separator).map((part) => part.trim());
}

function join(parts: readonly string[]): string | undefined {
	const text = parts.filter((part) => part !== '').join(' ');
	return text.replace(/,$/, '') || undefined;
}

interface AddressLines {
	address1?: string;
	address2?: string;
}

/**
 * Splits the lines of an address in countries with additional address fields: Shopify joins street
 * and number in the first line, and apartment and neighborhood in the second one.
 *
 * @param address is changed: a copy of each address would take longer than the rest
 * @returns the address without the joining character, and the neighborhood if it is separate
 */
export function splitAddressLines<Address extends AddressLines>(address: Address) {
	const [line2 = '', ...neighborhood] = partsOf(address.address2);
	return Object.assign(address, {
		address1: join(partsOf(address.address1)),
		address2: join([line2]),
		neighborhood: join(neighborhood),
	});
}
