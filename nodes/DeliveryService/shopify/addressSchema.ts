/** The fields of an address, with its lines split into street, apartment and neighborhood. */
import type { z } from 'zod/v4';

import { oneLine, stripInvisible } from '../common/text';
import {
	decimal,
	ifReadable,
	object,
	optionalContact,
	optionalPhone,
	optionalScalar,
	optionalText,
	withoutPlaceholder,
} from './fieldSchemas';
import { streetAndRest } from './houseNumber';
import { withoutMissingPart } from './placeholders';

/** The invisible character between the parts of an address line (Shopify's "worldwide" library). */
const wordJoiner = '\u2060';

/** Text that may contain the word joiners with which Shopify separates additional address fields. */
const optionalAddressLine = optionalScalar('text', (value) =>
	String(value)
		.split(wordJoiner)
		.map((part) => oneLine(stripInvisible(part)))
		.join(wordJoiner),
);

/** The parts of an address line, without the commas and spaces between them. */
function splitLine(line = ''): string[] {
	return line.split(wordJoiner).map((part) => part.trim());
}

function joinLine(parts: readonly string[]): string | undefined {
	return parts.filter(Boolean).join(' ').replace(/,$/, '') || undefined;
}

/**
 * Splits the lines of an address in countries with additional address fields: Shopify joins street and
 * number in the first line, and apartment and neighborhood in the second one. If the customer
 * wrote the lines in another way, the first one becomes the street.
 *
 * @param address is changed: a copy of each address would take longer than the rest
 */
function splitAddressLines<Lines extends { address1?: string; address2?: string; zip?: string }>(
	address: Lines,
) {
	const [apartment = '', ...neighborhood] = splitLine(address.address2);
	const [first, second] = [joinLine(splitLine(address.address1)), joinLine([apartment])];
	const [address1, address2] =
		first && second ? streetAndRest(first, second, address.zip) : [first, second];
	return Object.assign(address, {
		address1,
		address2,
		neighborhood: joinLine(neighborhood),
	});
}

/** An address, or undefined or null. */
export const addressSchema = object({
	name: withoutPlaceholder(optionalText).transform((name) => name && withoutMissingPart(name)),
	first_name: withoutPlaceholder(optionalText),
	last_name: withoutPlaceholder(optionalText),
	company: withoutPlaceholder(optionalText).catch(undefined),
	phone: optionalPhone,
	/** Only destinations of fulfillment orders have one. */
	email: optionalContact,
	address1: withoutPlaceholder(optionalAddressLine),
	address2: withoutPlaceholder(optionalAddressLine).catch(undefined),
	city: withoutPlaceholder(optionalText),
	province: withoutPlaceholder(optionalText),
	province_code: optionalText,
	zip: withoutPlaceholder(optionalText),
	country: withoutPlaceholder(optionalText),
	country_code: optionalText,
	latitude: ifReadable(decimal),
	longitude: ifReadable(decimal),
})
	.transform(splitAddressLines)
	.nullish();

export type Address = NonNullable<z.output<typeof addressSchema>>;
