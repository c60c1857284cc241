import type { IExecuteFunctions } from 'n8n-workflow';

import { asRecord } from '../../common/parameters';
import { isBlank } from '../../common/text';

/** The texts of Override Recipient that are the same for every order, by field. */
export type FixedOverrides = Readonly<Partial<Record<keyof typeof sentences, string>>>;

/** What each field does, as the rest of a sentence about all deliveries. */
const sentences = {
	address: (value: string) => `go to ${value}`,
	lat: (value: string) => `go to latitude ${value}`,
	lng: (value: string) => `go to longitude ${value}`,
	name: (value: string) => `are for ${value}`,
	email: (value: string) => `have the email ${value}`,
	phone: (value: string) => `have the phone number ${value}`,
} as const;

const names = ['address', 'lat', 'lng', 'name', 'email', 'phone'] as const;

/** Reads the fields of Override Recipient that are not expressions. */
export function readFixedOverrides(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
): FixedOverrides {
	const raw = asRecord(
		context.getNodeParameter('overrideRecipient', 0, {}, { rawExpressions: true }),
	);
	return Object.fromEntries(
		names.flatMap((name) => {
			const value = raw[name];
			const isFixed = typeof value === 'string' && !value.startsWith('=') && !isBlank(value);
			return isFixed ? [[name, value.trim()]] : [];
		}),
	);
}

/**
 * Warns about a recipient or an address that is the same for all orders of a run: most often it was
 * meant for one of them.
 *
 * @returns undefined when nothing is overridden
 */
export function overridesMessage(overrides: FixedOverrides, count: number): string | undefined {
	const parts = names.flatMap((name) => {
		const value = overrides[name];
		return value === undefined ? [] : [sentences[name](value)];
	});
	if (parts.length === 0) return undefined;
	const [last] = parts.slice(-1);
	const list = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last;
	return `All ${count} deliveries ${list}. Override Recipient replaces the recipient of every order: use an expression to decide per order.`;
}
